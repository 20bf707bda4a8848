"""A gymnasium wrapper of the user's own around a game."""

from typing import Any

import gymnasium
from gymnasium import spaces

from emerald_env.env.observation_parts import parts_of
from emerald_env.files.own_code import OwnCodeError, OwnName

DTYPES = ("uint8", "float32", "int64")  # of observations that a checkpoint can describe


def _is_plain(space: spaces.Space[Any]) -> bool:
    """Returns whether a checkpoint can describe a part of an observation."""
    if not isinstance(space, spaces.Box) or str(space.dtype) not in DTYPES:
        return False
    return all((bounds == bounds.flat[0]).all() for bounds in (space.low, space.high))


class OwnWrapper(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Puts a wrapper of the user's own around a game, and says what is wrong with it in a line.

    Args:
        env: a game.
        own: a class or function that takes the env and returns it wrapped. It may observe
            something else; the actions stay the game's.

    Raises:
        OwnCodeError: it raises, or what it returns cannot be learnt from.
        DataError: its file fails, or lacks the name.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], own: OwnName) -> None:
        make = own.get()
        try:
            wrapped = make(env)
        except Exception as error:
            raise own.failure("wrapper", error) from error
        self._own, self._game = own, env
        self._check(env, wrapped)
        super().__init__(wrapped)

    def _check(self, env: gymnasium.Env[Any, Any], wrapped: Any) -> None:
        if not isinstance(wrapped, gymnasium.Env) or wrapped.unwrapped is not env.unwrapped:
            self._refuse(f"returns a {type(wrapped).__name__}: it must return the env, wrapped")
        if wrapped.action_space != env.action_space:
            self._refuse(f"changes the actions to {wrapped.action_space}: they must stay the same")
        space = wrapped.observation_space
        if not all(_is_plain(part) for part in parts_of(space).values()):
            self._refuse(
                f"observes {space}: it must be a Box of uint8, float32 or int64 with the same "
                "bounds for all its numbers, or a Dict of them"
            )

    def _is_the_games(self, error: Exception) -> bool:
        """Returns whether the game in the wrapper raised an error: of an action, of a state."""
        is_the_games, trace = False, error.__traceback__
        while trace is not None:
            frame, trace = trace.tb_frame, trace.tb_next
            if frame.f_locals.get("self") is self._game:
                is_the_games = True
            elif frame.f_code.co_filename == self._own.code.file:
                is_the_games = False  # it may be a function that the game was given
        return is_the_games

    def _refuse(self, why: str) -> None:
        raise OwnCodeError(f"the wrapper {self._own.address} {why}")

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; checks the first observation.

        Raises:
            OwnCodeError: the wrapper raises, or observes what is not in its space.
            StateError, ValueError: the game raises, see `EmeraldEnv.reset`.
        """
        try:
            observation, info = self.env.reset(seed=seed, options=options)
        except Exception as error:
            if isinstance(error, OwnCodeError) or self._is_the_games(error):
                raise
            raise self._own.failure("wrapper", error) from error
        if observation not in self.observation_space:
            found = getattr(observation, "dtype", ""), getattr(observation, "shape", "")
            self._refuse(
                f"returned a {type(observation).__name__} {found[0]} {found[1]}, which is not in "
                f"its observation_space {self.observation_space}"
            )
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps.

        Raises:
            OwnCodeError: the wrapper raises.
            ValueError: the action is not in the action space.
        """
        try:
            return self.env.step(action)
        except Exception as error:
            if isinstance(error, OwnCodeError) or self._is_the_games(error):
                raise
            raise self._own.failure("wrapper", error) from error

    def observe_into(self, arrays: Any) -> None:
        """Does nothing: the wrapper makes arrays of its own, and may keep the game's."""
