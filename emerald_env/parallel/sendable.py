"""What worker processes can be sent."""

import pickle


def check_sendable(thing: object, what: str) -> None:
    """Checks that something of the user's can be sent to worker processes.

    Args:
        thing: that is to be sent.
        what: it is, for the message.

    Raises:
        ValueError: it has no name in a module, or holds what cannot be sent.
    """
    try:
        pickle.dumps(thing)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"{what} cannot be sent to worker processes ({error}): define functions at the top of "
            "a module, or name a reward's file, reward='my_reward.py:reward'"
        ) from error
