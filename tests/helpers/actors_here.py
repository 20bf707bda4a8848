"""Actors without Ray: objects of this process."""

from baselines.cluster.actor import Actor
from baselines.cluster.actors import parts_of
from baselines.cluster.games import RemoteGames
from baselines.training.model import as_learnt


class ActorsHere:
    """Stands for `Actors`: asks one after the other, and at once."""

    def __init__(self, config):
        parts = parts_of(config, [8])
        self.games = [part.games for part in parts]
        self.firsts = [own.start for own in self.games]
        self.losses = 0
        self.actors = [Actor(part) for part in parts]

    def use_joined(self):
        pass

    def share(self, weights):
        return weights

    def bring(self, paths):
        assert all(path.is_file() for path in paths)

    def each(self, method, arguments):
        return [getattr(a, method)(*own) for a, own in zip(self.actors, arguments, strict=True)]

    def send(self, questions):
        return [getattr(self.actors[q.seat], q.method)(*q.arguments) for q in questions]

    def answers(self, questions, sent):
        return sent

    def ask(self, questions):
        return self.answers(questions, self.send(questions))

    def close(self):
        pass


def open_games(config):
    return as_learnt(config, RemoteGames(config, ActorsHere(config)))
