"""What each finding means, and what to change about it: words and factors, in two tables."""

from collections.abc import Mapping
from dataclasses import dataclass

MEANINGS: dict[str, str] = {
    "not_a_number": "A number became NaN or infinite: nothing more is learnt, and soon the whole "
    "network is NaN.",
    "kl_blow_up": "Each update changes the policy so much that the samples it learnt from no "
    "longer describe it: it takes its next step blindfold.",
    "dead_updates": "The updates hardly change the policy, although it has not learnt its task.",
    "entropy_collapse": "The policy is almost sure of its action everywhere, and the reward is not "
    "good: it has stopped trying things, so it cannot find anything better.",
    "entropy_stuck_high": "The policy still chooses almost at random, as on its first day.",
    "value_useless": "The value function predicts the returns no better than a single number "
    "would, so the advantages are mostly noise.",
    "value_stuck_at_one": "The value function predicts everything that happens although nothing "
    "was learnt: the agent meets nothing new.",
    "value_loss_blow_up": "The value function is suddenly far more wrong than ever: the rewards "
    "have another scale than before, or the network was shaken.",
    "one_action": "The agent does nearly always the same.",
    "stuck_in_place": "The games stand still: a wall, a menu or a closed room holds the agent.",
    "states_rejected": "Much of the game's memory could not be believed: those steps pay nothing, "
    "so the agent is paid by chance.",
    "reward_plateau": "The reward does not rise.",
    "reward_collapse": "The agent was better before and has unlearnt it.",
    "reward_farming": "One term of the reward pays nearly everything while the milestones stand "
    "still or fall: the agent collects that and no longer plays the game.",
    "schedule_ended": "The learning rate or the clip range has fallen to the end of its schedule: "
    "nothing more is learnt, however long it runs.",
    "throughput_drop": "Far fewer steps are done in a second than before.",
}


@dataclass(frozen=True, slots=True)
class Change:
    """Advice to change one setting by a factor, or to a value."""

    setting: str
    factor: float | None = None
    to: float | None = None
    why: str = ""
    least: float = 0.0  # the new value is not below this, whatever the factor makes of the old one
    whole: bool = False  # a count, rounded to at least 1

    def text(self, settings: Mapping[str, float | None]) -> str | None:
        """Returns the advice, with the values where the setting's present one is known.

        None where the setting has the advised value already.
        """
        now = settings.get(self.setting)
        reason = f" ({self.why})" if self.why else ""
        new = self._new(now)
        if new is None:
            return f"{self._verb()} {self.setting}{reason}"
        if now is None:
            return f"set {self.setting}: {_number(new)}{reason}"
        if new == now:
            return None
        return f"{self._verb(now)} {self.setting}: {_number(now)} -> {_number(new)}{reason}"

    def _new(self, now: float | None) -> float | None:
        if self.to is not None:
            return self.to
        if now is None or self.factor is None:
            return None
        new = max(now * self.factor, self.least)
        return max(1, round(new)) if self.whole else new

    def _verb(self, now: float | None = None) -> str:
        if self.factor is None or (now is not None and now <= 0):
            return "set"
        return {0.5: "halve", 2.0: "double"}.get(
            self.factor, "raise" if self.factor > 1 else "lower"
        )


HALVE_RATE = Change("learning_rate", 0.5)
MORE_ENTROPY = Change("ent_coef", 2.0, least=0.01)
CHECK_REWARD = "look at the reward's parts (reward/*): which one changed when this began?"

# finding -> what to do about it, the likeliest remedy first
ADVICE: dict[str, tuple[Change | str, ...]] = {
    "not_a_number": (
        "go back to the last checkpoint before this; its weights are lost",
        "find the number in the env: divide by zero, log of zero, an overflow; check observations "
        "and rewards with numpy.isfinite",
        Change("learning_rate", 0.1, why="where the env is innocent"),
        Change("max_grad_norm", to=0.5),
    ),
    "kl_blow_up": (
        HALVE_RATE,
        Change("target_kl", to=0.02, why="ends an update before it goes too far"),
        Change("n_epochs", 0.5, whole=True),
        Change("clip_range", to=0.1),
    ),
    "dead_updates": (
        Change("learning_rate", 10.0),
        "see whether the learning rate's schedule has ended",
        Change("ent_coef", 0.1, why="a bonus that outweighs the reward holds the policy at dice"),
    ),
    "entropy_collapse": (
        "go back to the last checkpoint before this",
        Change("ent_coef", 2.0, why="its sign must be positive", least=0.01),
        HALVE_RATE,
        Change("clip_range", to=0.1),
    ),
    "entropy_stuck_high": (
        Change("ent_coef", 0.1, why="a bonus that outweighs the reward is never given up"),
        "make the reward come more often: smaller steps on the way, or starts nearer to it",
        Change("learning_rate", 3.0),
        "train longer: with a sparse reward this is how every run begins",
    ),
    "value_useless": (
        Change("vf_coef", 2.0, why="it must be above 0", least=0.5),
        "bring rewards to the size of 1 (VecNormalize, or other weights)",
        "see whether what decides the return can be seen in the observation at all",
        Change("n_steps", 2.0, why="longer rollouts give better targets", whole=True),
    ),
    "value_stuck_at_one": (
        "watch the agent play: does anything happen, is a reward ever paid?",
        "see that gamma is above 0.9 and that rewards differ between good and bad play",
        Change("ent_coef", 2.0, why="to meet something new", least=0.01),
    ),
    "value_loss_blow_up": (
        CHECK_REWARD,
        "bound rare large rewards, or normalise returns (VecNormalize)",
        HALVE_RATE,
        Change("max_grad_norm", to=0.5),
    ),
    "one_action": (
        MORE_ENTROPY,
        "see whether any other action can pay: a cost on moving teaches standing still",
        HALVE_RATE,
        "go back to the last checkpoint before this",
    ),
    "stuck_in_place": (
        "look at the frames: what holds the agent there?",
        "mask the action that opens the menu, or end the episode (truncate) after so long",
        "see that nothing pays for standing there",
        MORE_ENTROPY,
    ),
    "states_rejected": (
        "look at the reasons (rejections/*): 'screen' is a menu that stays open, the others are a "
        "game that the reader does not know",
        "run `python -m emerald_env.doctor` with this ROM: is it a version that is supported?",
        "mask the action that opens the menu, or end the episode (truncate) after so long",
    ),
    "reward_plateau": (
        "watch the agent play and compare with a random one: does it ever meet a reward?",
        Change("ent_coef", 2.0, why="to explore more, unless it is high already", least=0.01),
        Change("n_steps", 2.0, why="to see further ahead in one rollout", whole=True),
        Change("learning_rate", 3.0, why="if approx_kl is below 0.001"),
        Change("learning_rate", 1 / 3, why="if approx_kl is above 0.02"),
    ),
    "reward_collapse": (
        "go back to the last checkpoint before this",
        HALVE_RATE,
        Change("target_kl", to=0.02),
        "see whether the game or the reward changed at that moment",
    ),
    "reward_farming": (
        "let the term pay once for each thing in an episode, not every time it happens",
        "lower its weight until the milestones pay more than the farm",
        "watch the agent play to see how it farms",
    ),
    "schedule_ended": (
        "stop here, or start again with a larger total_timesteps: the schedule is stretched to it",
        "use a constant learning rate where the end of the run is not known",
    ),
    "throughput_drop": (
        "see what else runs on the machine, and whether memory is short (swap)",
        "see whether the games themselves became slower: time/rollout_seconds against "
        "time/update_seconds",
    ),
}


def advice(code: str, settings: Mapping[str, float | None]) -> tuple[str, ...]:
    """Returns what to do about a finding, with values for a run with these settings."""
    texts = (
        remedy if isinstance(remedy, str) else remedy.text(settings) for remedy in ADVICE[code]
    )
    return tuple(text for text in texts if text is not None)


def _number(value: float) -> str:
    return f"{value:.3g}"
