"""The games of a run on actors, as the learner sees them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from gymnasium import Wrapper, spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from baselines.checkpoints.network import tensors_of
from baselines.checkpoints.resume import stacks
from baselines.cluster.actors import Actors, Question, Sent
from baselines.cluster.files import named_in
from baselines.cluster.fragment import Dice, Fragment, RolloutStart, at_step, joined
from baselines.games.game import game_space
from baselines.learner.ppo import PPO, Act, RolloutPlayer
from baselines.settings.train_config import TrainConfig
from baselines.training.teachers.chosen_teacher import shown_to_teacher
from emerald_env.env.actions import action_set
from emerald_env.env.observation_parts import as_parts, unwrapped

Flight = tuple[list[Question], list[Sent]]  # pending calls


class RemoteGames(VecEnv, RolloutPlayer):
    """Games that actors play one rollout at a time; `step` replays it to the learner.

    The wrappers around it, the buffer and the callbacks see the same, in the same order, as if the
    games ran here: counts are exact, and checkpoints are the same.

    Args:
        config: of the run, with `n_envs` filled in.
        actors: that play.
    """

    def __init__(self, config: TrainConfig, actors: Actors) -> None:
        n_envs = config.n_envs or 1
        self._overlap, self._seed = config.overlap, config.seed
        self._actors = actors
        self._rollout: Fragment | None = None
        self._step = 0
        self._flight: Flight | None = None
        self._states: Flight | None = None  # of the games, where a rollout under way began
        actions = spaces.Discrete(len(action_set(config.env.action_set)))
        super().__init__(
            n_envs, game_space(shown_to_teacher(config.teacher, config.env).game), actions
        )

    # ---- a rollout

    def begin(self, learner: PPO) -> Act:
        """Plays a rollout; returns a function that gives the next step's choice."""
        if self._flight is None:
            self._actors.use_joined()
            self._set_off(learner)
        assert self._flight is not None
        fragments = self._actors.answers(*self._flight)
        self._flight = None
        self._rollout, self._step = joined(fragments, self._actors.firsts), 0
        dice = self._rollout.dice
        # with overlap numpy's generator has gone on meanwhile, for the update
        (dice._replace(numpy=Dice.here().numpy) if self._overlap else dice).restore()
        return lambda: self._chosen(learner)

    def ended(self, learner: PPO) -> None:
        """With `overlap`, starts the next rollout; `begin` then waits for its end."""
        if not self._overlap:
            return
        questions = self._questions(
            "ask", [("env_method", "get_state", range(len(own))) for own in self._actors.games]
        )
        self._states = questions, self._actors.send(questions)
        self._set_off(learner)

    def _set_off(self, learner: PPO) -> None:
        weights = {name: part.cpu().numpy() for name, part in tensors_of(learner.policy).items()}
        shared = self._actors.share(weights)
        whole = beginning(learner)
        parts = [
            whole.part(slice(own.start, own.stop), self._dice(learner, k))
            for k, own in enumerate(self._actors.games)
        ]
        questions = self._questions("play", [(shared, part) for part in parts])
        self._flight = questions, self._actors.send(questions)

    def _dice(self, learner: PPO, actor: int) -> Dice:
        """Returns an actor's generators for the next rollout; the first has the learner's own."""
        seeds = Dice.seeded(self._seed, learner.num_timesteps, actor)
        if actor:
            return seeds
        own = Dice.here()
        return own._replace(numpy=seeds.numpy) if self._overlap else own

    def _questions(self, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Question]:
        return [Question(seat, method, own) for seat, own in enumerate(arguments)]

    def _chosen(self, learner: PPO) -> Any:
        rollout, step = self._rollout, self._step
        assert rollout is not None
        if step in rollout.memory:
            learner.set_memory([torch.tensor(state) for state in rollout.memory[step]])
        return at_step(rollout.choices, step)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Does nothing: the games have been played."""

    def step_wait(self) -> VecEnvStepReturn:
        """Returns the games' answers in the next step of the rollout."""
        rollout, step = self._rollout, self._step
        assert rollout is not None, "only a learner whose player this is can step these games"
        self._step += 1
        seen = {key: part[step] for key, part in rollout.observations.items()}
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game, info in rollout.endings[step]:
            infos[game] = info
        return (
            unwrapped(seen),
            rollout.rewards[step].copy(),
            rollout.dones[step].copy(),
            infos,
        )

    # ---- the games themselves

    @property
    def restarts(self) -> int:
        """How many actors, and workers of actors, were replaced so far."""
        return self._actors.losses + (self._rollout.restarts if self._rollout else 0)

    @property
    def leaders(self) -> list[int]:
        """The first game of each worker of each actor: workers answer questions in parallel."""
        own = self._actors.each("leaders", [()] * len(self._actors.firsts))
        return [
            first + k for first, some in zip(self._actors.firsts, own, strict=True) for k in some
        ]

    def reset(self) -> Any:
        """Resets every game; returns the first observations."""
        seeds = [(self._seeds[own.start : own.stop],) for own in self._actors.games]
        seen = self._actors.each("reset", seeds)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        parts = [as_parts(each) for each in seen]
        return unwrapped({key: np.concatenate([part[key] for part in parts]) for key in parts[0]})

    def _ask(
        self, kind: str, name: Any, indices: VecEnvIndices, *args: Any, **kwargs: Any
    ) -> list[Any]:
        wanted = list(self._get_indices(indices))
        if name == "get_state" and self._flight is not None:
            return self._states_before(wanted)
        self._actors.bring(named_in(args))
        questions, places = [], []
        for seat, games in enumerate(self._actors.games):
            own = [k for k, game in enumerate(wanted) if game in games]
            if own:
                inside = [wanted[k] - games.start for k in own]
                questions.append(Question(seat, "ask", (kind, name, inside, *args)))
                places.append(own)
        answers: dict[int, Any] = {}
        for own, some in zip(places, self._actors.ask(questions), strict=True):
            answers.update(zip(own, some, strict=True))
        return [answers[k] for k in range(len(wanted))]

    def _states_before(self, wanted: Sequence[int]) -> list[Any]:
        """Returns the games' states at the beginning of the current rollout."""
        assert self._states is not None
        states = [state for some in self._actors.answers(*self._states) for state in some]
        return [states[game] for game in wanted]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Returns an attribute of some games' envs."""
        return self._ask("get_attr", attr_name, indices)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Sets an attribute of some games' envs."""
        self._ask("set_attr", attr_name, indices, value)

    def env_method(
        self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any
    ) -> list[Any]:
        """Calls a method of some games' envs; returns what each returned."""
        return self._ask("env_method", method_name, indices, *args, **kwargs)

    def env_is_wrapped(
        self, wrapper_class: type[Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Returns whether some games' envs have a wrapper."""
        return self._ask("env_is_wrapped", wrapper_class, indices)

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Returns the current picture of every game, (160, 240, 3) uint8 RGB each."""
        return self.env_method("render")

    def close(self) -> None:
        """Ends every actor."""
        self._actors.close()


def beginning(learner: PPO) -> RolloutStart:
    """Returns where a learner's next rollout starts."""
    games = learner.get_env()
    assert games is not None
    return RolloutStart(
        learner.n_steps,
        {key: part.stacked_obs for key, part in stacks(games).items()},
        learner._last_episode_starts,
        tuple(state.cpu().numpy() for state in learner.memory()),
        learner._current_progress_remaining,
        Dice.here(),
    )
