"""Learning from a teacher's labels where the student goes (DAgger).

Ross et al. 2011, "A Reduction of Imitation Learning and Structured Prediction to No-Regret Online
Learning", arXiv:1011.0686.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.utils import obs_as_tensor
from stable_baselines3.common.vec_env import VecEnv, unwrap_vec_wrapper
from torch import Tensor, nn

from baselines.learner.labels.driver import Driver
from baselines.learner.labels.label_teacher import LabelTeacher, StudentView
from baselines.learner.labels.labelled_steps import CHUNK, LabelledChunks, LabelledSteps
from baselines.learner.labels.purpose_head import PurposeHead
from baselines.learner.policy.recurrent import State, run_chunks
from baselines.learner.recurrent_ppo import RecurrentPPO
from baselines.learner.rollout import RolloutBuffer
from baselines.settings.label_options import LabelOptions
from emerald_env.env.observation_parts import as_parts, parts_of, unwrapped

LANE = 4  # chunks that a lane of a batch runs through before it is drawn again
FADE = 0.4  # last share of a run in which the learning rate falls to 0


class LabelledChoice(NamedTuple):
    """What is played in a step of every game, and the teacher's labels for it."""

    actions: NDArray[np.int64]  # (n_envs,)
    labels: NDArray[np.float32]  # (n_envs, n_actions)
    purposes: NDArray[np.uint8]  # (n_envs,)


class LabelLearner(RecurrentPPO):
    """Learns to act as a teacher would, in the states that it reaches itself.

    Every step is labelled by the teacher, whoever plays it. Some games are played by the student
    alone; only these count as its episodes. In the others teacher and student take turns.

    Args:
        args, kwargs: as for `RecurrentPPO`. `n_steps` is the length of a round and must be a
            multiple of `CHUNK`.
        teacher: labels every observation; None: it must be set before learning.
        labels: how it learns.
    """

    policy: Any

    def __init__(
        self,
        *args: Any,
        teacher: LabelTeacher | None = None,
        labels: LabelOptions | None = None,
        **kwargs: Any,
    ) -> None:
        self.teacher = teacher
        self.labels = labels or LabelOptions()
        super().__init__(*args, **kwargs)

    def _setup_model(self) -> None:
        super()._setup_model()
        if self.n_steps % CHUNK:
            raise ValueError(f"n_steps is {self.n_steps}: labels need a multiple of {CHUNK}")
        rows = max(self.n_steps // CHUNK, round(self.labels.stored / CHUNK / self.n_envs))
        self.steps = LabelledSteps(
            rows,
            self.n_envs,
            parts_of(self.observation_space),
            int(self.action_space.n),  # type: ignore[attr-defined]
            self.policy.lstm_actor.hidden_size,
        )
        n_purposes = self.teacher.n_purposes if self.teacher else 1
        size = self.policy.lstm_actor.hidden_size
        self.purposes = PurposeHead(size, n_purposes, self.device)
        self.driver = Driver(self.n_envs, self._n_alone)

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,  # type: ignore[override]
        n_rollout_steps: int,
    ) -> bool:
        """Plays a round and stores its labelled steps.

        Returns:
            False if a callback ended the training.
        """
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        act = self.act if self.player is None else self.player.begin(self)
        with self.packed():
            for step in range(n_rollout_steps):
                starts = np.asarray(self._last_episode_starts, np.bool_)
                hidden, cell = self._last_lstm_states.pi  # before the step
                actions, labels, purposes = act()
                seen = as_parts(self._last_obs)
                self.steps.add(seen, labels, purposes, starts, (hidden, cell))
                self._show(step, actions)
                new_obs, rewards, dones, infos = env.step(actions)
                self.num_timesteps += env.num_envs
                self.see(rewards)
                self.driver.hide(infos)
                callback.update_locals(locals())
                if not callback.on_step():
                    return False
                self._update_info_buffer(infos, dones)
                self._last_obs, self._last_episode_starts = new_obs, dones
        callback.update_locals(locals())
        callback.on_rollout_end()
        if self.player is not None:
            self.player.ended(self)
        return True

    def act(self) -> LabelledChoice:
        """Returns each game's next action, with the teacher's label and purpose."""
        assert self.teacher is not None
        view: Any = unwrap_vec_wrapper(self.get_env(), StudentView)  # type: ignore[arg-type]
        starts = np.asarray(self._last_episode_starts, np.bool_)
        labels = self.teacher.label(view.teachers, starts)
        purposes = self.teacher.purposes(view.teachers)
        own = self._own_actions()
        actions = self.driver.choose(own, labels, starts, self._share(), self.labels)
        return LabelledChoice(actions, labels, purposes)

    def see(self, rewards: NDArray[np.float32]) -> None:
        """Notes a step's rewards, (n_envs,)."""
        self.driver.see(rewards)

    def memory(self) -> tuple[Tensor, ...]:
        """Returns the LSTMs' states, then who plays the games, then the teacher's memory."""
        teachers = self.teacher.memory() if self.teacher else ()
        return (*super().memory(), torch.from_numpy(self.driver.get_state()), *teachers)

    def set_memory(self, memory: Sequence[Tensor]) -> None:
        """Restores what `memory` returned.

        Raises:
            ValueError: it is not of this policy or teacher, or of another number of games.
        """
        own = len(super().memory())
        if len(memory) <= own:
            raise ValueError("the memory does not say who plays the games")
        driver, teachers = memory[own], memory[own + 1 :]
        if any(part.ndim != 3 or part.shape[1] != self.n_envs for part in teachers):
            raise ValueError(f"the teacher's memory is not that of {self.n_envs} games")
        super().set_memory(memory[:own])
        if self.teacher is not None:
            self.teacher.set_memory(teachers)
        n_actions = int(self.action_space.n)  # type: ignore[attr-defined]
        self.driver.set_state(driver.numpy(), n_actions)

    @property
    def sequence(self) -> int:
        """Steps after which an update needs the memory."""
        return CHUNK

    def _show(self, step: int, actions: NDArray[np.int64]) -> None:
        """Stores a step where the diagnostics look for it; nothing is learnt from it there."""
        buffer = self.rollout_buffer
        for name, part in as_parts(self._last_obs).items():
            as_parts(buffer.observations)[name][step] = part
        buffer.episode_starts[step] = self._last_episode_starts
        buffer.actions[step] = actions[:, None]

    @torch.no_grad()
    def _own_actions(self) -> NDArray[np.int64]:
        seen = obs_as_tensor(self._last_obs, self.device)
        memory = self._last_lstm_states
        distribution, pi = self.policy.get_distribution(seen, memory.pi, self._starts())
        self._last_lstm_states = memory._replace(pi=pi, vf=pi)
        actions: NDArray[np.int64] = distribution.sample().cpu().numpy()
        return actions

    @property
    def _n_alone(self) -> int:
        return self.labels.n_alone(self.n_envs)

    def _share(self) -> float:
        """Returns the student's share of the steps that it does not play alone."""
        done = 1 - self._current_progress_remaining
        first = self.labels.teacher_first
        rising = (done - first) / max(0.5 - first, 1e-9)
        return self.labels.student_last * min(max(rising, 0.0), 1.0)

    def train(self) -> None:
        """Learns from stored chunks until each step has been read `reads` times on average."""
        self.policy.set_training_mode(True)
        self._observe()
        left = max(self._current_progress_remaining, 0.0)
        rate = self.lr_schedule(left) * min(1.0, left / FADE)
        for group in self.policy.optimizer.param_groups:
            group["lr"] = rate
        chunks_played = self.n_steps * self.n_envs / CHUNK
        n_updates = max(1, round(self.labels.reads * chunks_played / self.labels.lanes))
        log: list[tuple[float, ...]] = []
        chunks = np.zeros((0, 2), np.int64)
        for update in range(n_updates):
            if update % LANE == 0:
                chunks = self.steps.draw(self.labels.lanes)
            log.append(self._learn(chunks))
            following, there = self.steps.after(chunks)
            chunks = np.where(there[:, None], following, self.steps.draw(len(chunks)))
        self._n_updates += n_updates
        self.average.add(self.policy)
        loss, purpose_loss, known, alike = np.mean(log, axis=0)
        self.logger.record("train/learning_rate", rate)
        self.logger.record("labels/loss", loss)
        self.logger.record("labels/purpose_loss", purpose_loss)
        self.logger.record("labels/known", known)
        if known:
            self.logger.record("labels/agreement", alike / known)
        self.logger.record("labels/student_share", self._share())
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")

    def _learn(self, chunks: NDArray[np.int64]) -> tuple[float, ...]:
        """Takes a gradient step.

        Returns:
            Both losses, the share of steps with a label, and that of steps like their label.
        """
        batch = self.steps.take(chunks, self.device)
        logits, outputs, memory = self._logits(batch)
        loss = label_loss(logits, batch.labels, getattr(self.teacher, "is_set", False))
        self.policy.optimizer.zero_grad()
        purpose_loss = self.purposes.loss(outputs, batch.purposes)
        total = loss.mean() + self.labels.purpose_coef * purpose_loss
        total.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
        self.policy.optimizer.step()
        self.purposes.step(self.policy.optimizer.param_groups[0]["lr"])
        self.steps.refresh(chunks, loss.detach().mean(dim=1).cpu().numpy(), memory)
        losses = float(loss.detach().mean()), float(purpose_loss.detach())
        return *losses, *known_and_alike(logits, batch.labels)

    def _logits(self, batch: LabelledChunks) -> tuple[Tensor, Tensor, Tensor]:
        """Returns the logits (n, CHUNK, n_actions), the LSTM's outputs, its states after them."""
        policy = self.policy
        seen = {name: part.flatten(0, 1) for name, part in batch.observations.items()}
        # as in sb3-contrib: of separate networks the policy's own method returns both features
        of_policy: Any = super(ActorCriticPolicy, policy)
        features = of_policy.extract_features(unwrapped(seen), policy.pi_features_extractor)
        features = features.unflatten(0, batch.starts.shape)
        state: State = (batch.memory[0], batch.memory[1])
        outputs, (hidden, cell) = run_chunks(features, state, batch.starts, policy.lstm_actor)
        latent = policy.mlp_extractor.forward_actor(outputs)
        return policy.action_net(latent), outputs, torch.stack((hidden, cell)).detach()

    def get_state(self) -> dict[str, Any]:
        """Returns the labelled steps and the purpose head, as plain values and arrays."""
        return {"steps": self.steps.get_state(), "purposes": self.purposes.get_state()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores what `get_state` returned."""
        if not state:
            return  # of a run that did not learn from labels
        self.steps.set_state(state["steps"])
        self.purposes.set_state(state["purposes"])
        # the memory says who played alone, which an actor must be told; a resume may change it
        self.driver.let_alone(self._n_alone, self.n_envs)

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "teacher", "steps", "driver", "purposes"]


def label_loss(logits: Tensor, labels: Tensor, is_set: bool) -> Tensor:
    """Returns each step's divergence from its label, 0 where there is none.

    For a set S of good actions it is -log(sum of their probabilities); for a distribution q it is
    KL(q | p).

    Args:
        logits: (..., n_actions).
        labels: of the same shape.
        is_set: whether labels are sets.
    """
    log_p = logits.log_softmax(dim=-1)
    if is_set:
        good = log_p.masked_fill(labels <= 0, -torch.inf).logsumexp(dim=-1)
        return torch.where(labels.any(dim=-1), -good, 0.0)
    return (torch.xlogy(labels, labels) - labels * log_p).sum(dim=-1)


def known_and_alike(logits: Tensor, labels: Tensor) -> tuple[float, float]:
    """Returns the share of steps with a label, and of those whose likeliest action is a best one.

    Args:
        logits: (..., n_actions).
        labels: of the same shape; a row of zeros: none.
    """
    most = labels.amax(dim=-1)
    chosen = labels.gather(-1, logits.argmax(dim=-1, keepdim=True)).squeeze(-1)
    known = most > 0
    return float(known.float().mean()), float((known & (chosen >= most)).float().mean())
