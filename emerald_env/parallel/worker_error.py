"""What is raised where a worker process cannot go on."""


class WorkerError(RuntimeError):
    """A worker process failed; the message has its traceback or how it died.

    It has a module of its own, so that commands can name it before they load the games.
    """
