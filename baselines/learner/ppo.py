"""PPO: stable-baselines3's, with an update that reads like the paper, and options.

What each option does, its formula and its source are in `docs/PPO.md`.
"""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import stable_baselines3
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.utils import explained_variance, obs_as_tensor
from stable_baselines3.common.vec_env import VecEnv, VecTransposeImage
from torch import Tensor, nn
from torch.nn import functional

from baselines.learner.malloc import keep_freed_memory
from baselines.learner.policy.normalise import NormalizedValue
from baselines.learner.policy.packed import packed
from baselines.learner.policy.policies import ActorCritic, Decision, return_deviation
from baselines.learner.rollout import Minibatch, RolloutBuffer
from baselines.learner.shards import Log, Shards, twin
from baselines.learner.vec_wrappers.frame_stack import ChannelsFirst
from baselines.learner.weight_average import WeightAverage


class TimeLimit(NamedTuple):
    """An episode of the current rollout that a time limit cut off."""

    step: int
    game: int
    reward: np.float32  # of its last step
    observation: Any  # after its last step
    memory: tuple[Any, ...]  # a recurrent policy's, there


class Chosen(NamedTuple):
    """What is chosen in a step of every game, (n_envs, ...) each."""

    actions: NDArray[Any]
    values: Tensor
    log_probs: Tensor
    probabilities: Tensor | None  # of all actions


Act = Callable[[], Any]  # returns the learner's choice for the next step, such as a `Chosen`


class Speed(NamedTuple):
    """Ways to compute faster on a CPU; the results are equal up to rounding."""

    channels_last: bool = False  # store a pixel's channels next to each other
    fused_adam: bool = False  # let Adam change a weight in one pass over its memory
    pack_weights: bool = False  # keep layers' weights in the processor's order while games play
    shards: int = 1  # parts of a minibatch computed in parallel, a thread each; not if recurrent


class RolloutPlayer(ABC):
    """Plays the games in the learner's place; the learner's `env` then replays the rollout."""

    @abstractmethod
    def begin(self, learner: "PPO") -> Act:
        """Plays a rollout; returns the function that gives the next step's choice."""

    @abstractmethod
    def ended(self, learner: "PPO") -> None:
        """Called when the whole rollout has been collected, before anything is learnt from it."""


class PPO(stable_baselines3.PPO):
    """Proximal policy optimisation (Schulman et al. 2017, arXiv:1707.06347).

    With all options off it is SB3's PPO, bit-identical on a CPU. State-dependent exploration (gSDE)
    is left out. Normalisation and masks are options of the policy, see `policies.py`.

    Args:
        policy: "MlpPolicy", "CnnPolicy", "MultiInputPolicy", or a class.
        env: to learn.
        advantage_scope: the samples over which `normalize_advantage` takes mean and deviation.
        recompute_advantage: at the start of each epoch after the first, recompute all values with
            the newest value network, and from them advantages and returns.
        clip_range_vf_max: with `clip_range_vf`, the larger of the clipped and the unclipped error
            counts, as in the paper's code.
        value_lr_ratio: the learning rate of the value's own optimiser (the policy's option
            `separate_networks`), in learning rates.
        rates_before_rollout: learning rate and clip range follow the progress before the rollout,
            from 1 to above 0; SB3 measures it after the rollout, and learns nothing from the last.
        speed: faster ways to compute the same.
        bf16: compute features in bfloat16, in the update and in its rollout: faster on processors
            with AVX512-BF16 or AMX. Weights, heads and optimiser stay in single precision.
        player: plays the games; None: the learner itself.
        advisor: a teacher: returns an action for each observation, (batch,) int64, or -1. The
            policy learns to take them while it learns from rewards (Schmitt et al. 2018,
            "Kickstarting").
        advice_coef: weight of the cross-entropy to the advised actions.
        kwargs: SB3's.

    Attributes:
        average: of the policy's weights after the latest updates.
    """

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = {
        "MlpPolicy": ActorCritic,
        "CnnPolicy": ActorCritic,
        "MultiInputPolicy": ActorCritic,
    }
    rollout_buffer: RolloutBuffer
    policy: ActorCritic
    clip: float  # the current update's clip range
    _last_obs: Any
    _last_episode_starts: Any

    def __init__(
        self,
        policy: str | type[BasePolicy],
        env: Any,
        *,
        advantage_scope: Literal["minibatch", "batch"] = "minibatch",
        recompute_advantage: bool = False,
        clip_range_vf_max: bool = False,
        value_lr_ratio: float = 1.0,
        rates_before_rollout: bool = False,
        speed: Speed = Speed(),  # noqa: B008  it is immutable
        bf16: bool = False,
        player: RolloutPlayer | None = None,
        advisor: Callable[[Any], Tensor] | None = None,
        advice_coef: float = 0.0,
        **kwargs: Any,
    ) -> None:
        if speed.shards < 1:
            raise ValueError(f"shards is {speed.shards}: at least 1")
        self.average = WeightAverage()
        self.advisor = advisor
        self.clone: Any = None  # a policy to stay close to, at first; see `clone_kl`
        self.clone_kl = 0.0
        self.advice_coef = advice_coef
        self.speed = speed
        self.player = player
        self.bf16 = bf16
        self.advantage_scope = advantage_scope
        self.recompute_advantage = recompute_advantage
        self.clip_range_vf_max = clip_range_vf_max
        self.value_lr_ratio = value_lr_ratio
        self.rates_before_rollout = rates_before_rollout
        self._time_limits: list[TimeLimit] = []
        self._all_advantages: Tensor | None = None  # with advantage_scope="batch"
        super().__init__(policy, env, **kwargs)  # type: ignore[arg-type]

    @staticmethod
    def _wrap_env(env: Any, verbose: int = 0, monitor_wrapper: bool = True) -> VecEnv:
        wrapped = stable_baselines3.PPO._wrap_env(env, verbose, monitor_wrapper)
        return ChannelsFirst(wrapped.venv) if type(wrapped) is VecTransposeImage else wrapped

    def _setup_model(self) -> None:
        self.rollout_buffer_class = self.rollout_buffer_class or RolloutBuffer
        self.rollout_buffer_kwargs["channels_last"] = self.speed.channels_last
        if self.device.type == "cpu":
            keep_freed_memory()
        super()._setup_model()
        self.clip = self.clip_range(1.0)  # type: ignore[operator]
        self.policy.bf16 = self.bf16
        if self.speed.channels_last:
            # after the initialisation, which cannot handle weights in this order
            self.policy.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        if self.speed.fused_adam:
            for group in self.policy.optimizer.param_groups:
                group["fused"] = True

    # ---- playing

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,  # type: ignore[override]
        n_rollout_steps: int,
    ) -> bool:
        """Plays `n_rollout_steps` of every game into the buffer.

        Callbacks find the same local names as in SB3's.

        Returns:
            False if a callback ended the training; the buffer is not full then.
        """
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        self._time_limits.clear()
        callback.on_rollout_start()
        act = self.act if self.player is None else self.player.begin(self)
        with self.packed():
            for _ in range(n_rollout_steps):
                self._keep_memory()
                actions, values, log_probs, probabilities = act()
                new_obs, rewards, dones, infos = env.step(self.playable(actions))
                self.num_timesteps += env.num_envs
                callback.update_locals(locals())
                if not callback.on_step():
                    return False
                self._update_info_buffer(infos, dones)
                self._bootstrap_time_limits(rollout_buffer.pos, rewards, dones, infos)
                rollout_buffer.add(
                    self._last_obs, actions, rewards, self._last_episode_starts, values, log_probs
                )
                self._last_obs, self._last_episode_starts = new_obs, dones
            rollout_buffer.compute_returns_and_advantage(self._last_values(), dones)
        callback.update_locals(locals())
        callback.on_rollout_end()
        if self.player is not None:
            self.player.ended(self)
        return True

    def packed(self) -> AbstractContextManager[None]:
        """Returns the context in which a step's actions and values are computed."""
        return packed(self.policy, self.n_envs) if self.speed.pack_weights else nullcontext()

    @torch.no_grad()
    def act(self) -> Any:
        """Returns the choice for the observations at hand: a `Chosen`."""
        chosen = self._decide(obs_as_tensor(self._last_obs, self.device))
        return Chosen(chosen.actions.cpu().numpy(), *chosen[1:4])

    def see(self, rewards: NDArray[np.float32]) -> None:
        """Notes a step's rewards, (n_envs,), if later choices depend on them."""

    def _decide(self, observations: Any) -> Decision:
        return self.policy.decide(observations)

    @torch.no_grad()
    def _last_values(self) -> Tensor:
        """Returns the values of the observations at hand, (n_envs, 1)."""
        return self.policy.predict_values(obs_as_tensor(self._last_obs, self.device))

    def memory(self) -> tuple[Tensor, ...]:
        """Returns what later choices depend on, (layers, n_envs, ...) each; empty without an LSTM.

        Everything else that options add (running means and deviations) is part of the policy's
        weights.
        """
        return ()

    def get_state(self) -> dict[str, Any]:
        """Returns whatever else an exact resume needs, beyond weights and memory."""
        return {}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores what `get_state` returned."""

    def set_memory(self, memory: Sequence[Tensor]) -> None:
        """Restores what `memory` returned.

        Raises:
            ValueError: it is not of this policy, or of another number of games.
        """
        if memory:
            raise ValueError(f"{len(memory)} states of LSTMs, but this policy has no memory")

    @property
    def sequence(self) -> int:
        """Steps after which an update needs the memory."""
        return self.n_steps

    def _keep_memory(self) -> None:
        """Stores a recurrent policy's state before a step, for the update."""

    def _memory_of(self, game: int) -> tuple[Any, ...]:
        """Returns a recurrent policy's state for one game."""
        return ()

    def playable(self, actions: NDArray[Any]) -> NDArray[Any]:
        """Returns actions within the bounds of the action space."""
        if isinstance(self.action_space, spaces.Box):
            actions = np.clip(actions, self.action_space.low, self.action_space.high)
        return actions

    def _bootstrap_time_limits(
        self, step: int, rewards: NDArray[Any], dones: NDArray[Any], infos: list[dict[str, Any]]
    ) -> None:
        """Bootstraps rewards at time limits (Pardo et al. 2018)."""
        for game in np.flatnonzero(dones).tolist():
            observation = infos[game].get("terminal_observation")
            if observation is not None and infos[game].get("TimeLimit.truncated", False):
                memory = self._memory_of(game)
                limit = TimeLimit(step, game, rewards[game], observation, memory)
                self._time_limits.append(limit)
                rewards[game] = self._reward_and_rest(limit)

    @torch.no_grad()
    def _reward_and_rest(self, limit: TimeLimit) -> float:
        observation, _ = self.policy.obs_to_tensor(limit.observation)
        value = self.policy.predict_values(observation, *limit.memory)
        return float(limit.reward + (self.gamma * value).item())

    # ---- learning

    def train(self) -> None:
        """Learns from the rollout: epochs of shuffled minibatches, one gradient step each."""
        self.policy.set_training_mode(True)
        first = self._normalize_first_observations()
        self._update_learning_rate(self.policy.optimizer)
        self.clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        self._take_in_returns()
        values, returns = self.rollout_buffer.values.T, self.rollout_buffer.returns.T
        self.logger.record(
            "train/explained_variance", explained_variance(values.flatten(), returns.flatten())
        )
        log: dict[str, list[Tensor]] = defaultdict(list)
        with Shards(self.policy, self.loss, self.speed.shards).at_once() as shards:
            for epoch in range(self.n_epochs):
                self._begin_epoch(epoch)
                log["approx_kl"].clear()
                too_far = self._learn_epoch(shards, log)
                self._n_updates += 1
                if too_far:
                    break
        log["loss"] = log["loss"][-1:]  # as SB3 logs it
        if not first:  # after the update: ratios begin at 1
            self._observe()
        self.average.add(self.policy)
        self._record(log)

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        if self.rates_before_rollout:
            num_timesteps = max(0, num_timesteps - self.n_steps * self.n_envs)
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)

    def _update_learning_rate(self, optimizers: Any) -> None:
        super()._update_learning_rate(optimizers)
        for value in self.policy.optimizer.param_groups[1:]:
            value["lr"] *= self.value_lr_ratio

    def _learn_epoch(self, shards: Shards, log: dict[str, list[Tensor]]) -> bool:
        """Passes over all samples once; returns True if the policy has moved too far."""
        for batch in shards.taking(self.rollout_buffer.get(self.batch_size)):
            batch = batch._replace(advantages=self.normalized(batch.advantages))
            self.policy.optimizer.zero_grad()
            shards.backward(batch, log)
            if self.target_kl is not None and log["approx_kl"][-1] > 1.5 * self.target_kl:
                return True
            for group in self.policy.optimizer.param_groups:
                nn.utils.clip_grad_norm_(group["params"], self.max_grad_norm)
            self.policy.optimizer.step()
        return False

    def loss(self, batch: Minibatch, log: dict[str, list[Tensor]], policy: Any = None) -> Tensor:
        """Returns L = L_clip + c_v L_vf - c_e S of the paper's equation 9, with its sign turned.

        Args:
            batch: the samples; their advantages are taken as they are.
            log: receives the value of each part.
            policy: a copy of ours, for one of several threads; None: ours.
        """
        own, value_loss, taught = self.parts(batch, log, policy or self.policy)
        # where returns are normalised, in units of their deviation
        vf_coef = self.vf_coef / return_deviation(self.policy) ** 2
        loss = own + vf_coef * value_loss
        if taught is not None:
            loss = loss + taught
        log["loss"].append(loss.detach())
        return loss

    def parts(
        self, batch: Minibatch, log: Log, policy: Any
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Returns what moves the policy, the value loss, and a teacher's part if there is one.

        Args:
            batch: the samples; their advantages are taken as they are.
            log: receives the value of each part.
            policy: ours, or a copy of it.
        """
        values, log_prob, entropy = policy.evaluate_actions(
            batch.observations, batch.actions, *batch.memory
        )
        policy_loss = self._policy_loss(log_prob, batch, log)
        value_loss = self._value_loss(values.flatten(), batch)
        entropy_loss = -torch.mean(entropy)
        log["policy_gradient_loss"].append(policy_loss.detach())
        log["value_loss"].append(value_loss.detach())
        log["entropy_loss"].append(entropy_loss.detach())
        taught = None
        if self.advisor is not None:
            taught = self.advice_coef * self._advice_loss(self.advisor, policy, batch, log)
        if self.clone is not None and (kept := self._kept()):
            near = kept * self._clone_loss(policy, batch, log)
            taught = near if taught is None else taught + near
        return policy_loss + self.ent_coef * entropy_loss, value_loss, taught

    def _kept(self) -> float:
        """Returns the weight of staying close to the clone; 0 from the middle of the run on."""
        return self.clone_kl * max(0.0, 2 * self._current_progress_remaining - 1)

    def _clone_loss(self, policy: Any, batch: Minibatch, log: Log) -> Tensor:
        """Returns the mean of KL(clone || policy)."""
        clone: Any = twin(self.clone)  # parts of the batch may be learnt from at once
        with torch.no_grad():
            # not `decide`: it would draw random numbers, and a loss may be computed once more
            known = clone.get_distribution(batch.observations).distribution.probs
        own = policy.distribution.logits  # of these samples, see `evaluate_actions`
        own = own.masked_fill(known == 0, 0.0)  # 0 times minus infinity is no number
        loss = functional.kl_div(own, known, reduction="batchmean")
        log["clone_kl"].append(loss.detach())
        return loss

    def _advice_loss(
        self, advisor: Callable[[Any], Tensor], policy: Any, batch: Minibatch, log: Log
    ) -> Tensor:
        """Returns the mean of -log pi(advised action | s), 0 for samples without advice.

        Advice to take an action that is masked is no advice.
        """
        advised = advisor(batch.observations).to(self.device)
        # of these samples: `evaluate_actions` has just set it
        distribution = policy.distribution
        log_prob = distribution.log_prob(advised.clamp(min=0))
        known = (advised >= 0) & torch.isfinite(log_prob)
        loss = -torch.where(known, log_prob, 0.0).mean()
        log["advice_loss"].append(loss.detach())
        log["advised"].append(known.float().mean())
        followed = known & (distribution.probs.argmax(dim=1) == advised)
        log["advice_followed"].append(followed.float().mean())
        return loss

    def _policy_loss(
        self, log_prob: Tensor, batch: Minibatch, log: dict[str, list[Tensor]]
    ) -> Tensor:
        """Returns the clipped surrogate objective, the paper's equation 7."""
        advantages = batch.advantages
        log_ratio = log_prob - batch.old_log_prob
        ratio = torch.exp(log_ratio)
        clipped = torch.clamp(ratio, 1 - self.clip, 1 + self.clip)
        with torch.no_grad():
            # Schulman's third estimator, http://joschu.net/blog/kl-approx.html
            log["approx_kl"].append(torch.mean((ratio - 1) - log_ratio))
            log["clip_fraction"].append(torch.mean((torch.abs(ratio - 1) > self.clip).float()))
        return -torch.min(advantages * ratio, advantages * clipped).mean()

    def _value_loss(self, values: Tensor, batch: Minibatch) -> Tensor:
        """Returns the mean squared error, in units of reward."""
        if self.clip_range_vf is None:
            return functional.mse_loss(batch.returns, values)
        reach: Any = self.clip_range_vf(self._current_progress_remaining)  # type: ignore[operator]
        reach = reach * return_deviation(self.policy)
        clipped = batch.old_values + torch.clamp(values - batch.old_values, -reach, reach)
        if not self.clip_range_vf_max:
            return functional.mse_loss(batch.returns, clipped)
        return torch.max((batch.returns - values) ** 2, (batch.returns - clipped) ** 2).mean()

    def normalized(self, advantages: Tensor) -> Tensor:
        """Returns advantages of mean 0 and deviation 1 over the minibatch, or over the rollout."""
        whole = advantages if self._all_advantages is None else self._all_advantages
        if not self.normalize_advantage or whole.numel() < 2:
            return advantages
        return (advantages - whole.mean()) / (whole.std() + 1e-8)

    def _begin_epoch(self, epoch: int) -> None:
        if self.recompute_advantage and epoch > 0:
            self._recompute_advantages()
        self.take_advantages()

    def take_advantages(self) -> None:
        """Lets `normalized` compare with the rollout, where that is the scope."""
        if self.advantage_scope == "batch":
            whole = self.rollout_buffer.advantages
            self._all_advantages = torch.as_tensor(whole, device=self.device)

    @torch.no_grad()
    def _recompute_advantages(self) -> NDArray[np.float32]:
        """Recomputes values, advantages and returns with the newest value network.

        Returns:
            The values, (n_steps, n_envs).
        """
        buffer = self.rollout_buffer
        batches = buffer.in_order(self.batch_size)
        values = [self._values(batch) for batch in batches]
        for limit in self._time_limits:
            buffer.rewards[limit.step, limit.game] = self._reward_and_rest(limit)
        return buffer.recompute(torch.cat(values), self._last_values(), self._last_episode_starts)

    def _values(self, batch: Minibatch) -> Tensor:
        """Returns the current values of a batch, (batch, 1)."""
        return self.policy.predict_values(batch.observations)

    def _excluded_save_params(self) -> list[str]:
        own = ["player", "_time_limits", "_all_advantages", "advisor", "speed", "clone"]
        return [*super()._excluded_save_params(), *own]

    def _take_in_returns(self) -> None:
        """Adds the returns to a normalised value head's statistics, before the update."""
        head = self.policy.value_net
        if isinstance(head, NormalizedValue):
            head.update(torch.as_tensor(self.rollout_buffer.returns.flatten(), device=self.device))
            self.logger.record("train/return_mean", head.returns.mean.item())
            self.logger.record("train/return_deviation", head.returns.deviation.item())

    def _normalize_first_observations(self) -> bool:
        """Adds the first observations to the policy's statistics, before the update.

        Otherwise the first update would see observations of another scale. Values and advantages
        are recomputed; the probabilities stay those of the policy that played.

        Returns:
            Whether these were the first observations.
        """
        normalizer = self.policy.normalizer
        if normalizer is None or not normalizer.fresh:
            return False
        self._observe()
        self.rollout_buffer.values = self._recompute_advantages()
        return True

    def _observe(self) -> None:
        self.policy.observe(self.rollout_buffer.all_observations())

    def _record(self, log: dict[str, list[Tensor]]) -> None:
        """Logs what SB3 logs."""
        for name, values in log.items():
            numbers = torch.stack(values).cpu().numpy()
            # SB3 takes the mean of this one in single precision
            dtype = np.float32 if name == "approx_kl" else np.float64
            self.logger.record(f"train/{name}", numbers.astype(dtype).mean())
        if hasattr(self.policy, "log_std"):
            self.logger.record("train/std", torch.exp(self.policy.log_std).mean().item())
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/clip_range", self.clip)
        if self.clip_range_vf is not None:
            reach = self.clip_range_vf(self._current_progress_remaining)  # type: ignore[operator]
            self.logger.record("train/clip_range_vf", reach)
