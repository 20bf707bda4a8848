"""Findings about the policy: how far updates move it, and how certain its actions are."""

from baselines.diagnostics import metrics as m
from baselines.diagnostics.advice import GO_BACK, HALVE_RATE, MORE_ENTROPY, Change, reward_scale
from baselines.diagnostics.finding import Severity
from baselines.diagnostics.history import History, median
from baselines.diagnostics.rule import Rule, Verdict, WhileLearning

KL_WINDOW = 5
# Updates this large replace the policy: actions become e^0.5 times as likely, or as unlikely.
KL_BURST = 0.5
DEAD_WINDOW = 10
DICE_WINDOW = 30
SURE = 0.15  # entropy share below which a policy cannot be moved, whatever the updates
PPO = "Schulman et al. 2017 (clip range 0.2), SB3 and Spinning Up (target_kl 0.01 to 0.05); runs"


def _kl_blow_up(rule: Rule, history: History) -> Verdict | None:
    recent, now = history.last(m.APPROX_KL, KL_WINDOW), history.now(m.APPROX_KL)
    clipped = history.now(m.CLIP_FRACTION)
    beside = "" if clipped is None else f", clip_fraction {clipped:.2f}"
    kl = median(recent) if len(recent) else 0.0
    least = Severity.WARNING if kl > KL_BURST else Severity.NOTE
    if now is not None and now > KL_BURST:
        evidence = f"approx_kl {now:.3g} in one update{beside}"
        excess = now / rule.warn
        return Verdict(Severity.CRITICAL, evidence, at_once=True, least=least, excess=excess)
    return rule.above(kl, f"approx_kl {kl:.3g}, median of {KL_WINDOW} updates{beside}")


def _dead_updates(rule: Rule, history: History) -> Verdict | None:
    recent = history.last(m.APPROX_KL, DEAD_WINDOW)
    # a near-deterministic policy hardly moves; that is another finding
    if not len(recent) or history.row.get(m.ENTROPY_SHARE, 1.0) < SURE:
        return None
    kl = median(recent)
    return rule.below(kl, f"approx_kl {kl:.2g}, median of {DEAD_WINDOW} updates")


def _entropy_collapse(rule: Rule, history: History) -> Verdict | None:
    share, far = history.now(m.ENTROPY_SHARE), history.progress
    if share is None or far is None:
        return None
    reward = f"reward {far.now:.4g} (at first {far.start:.4g}, at best {far.best:.4g})"
    return rule.below(share, f"entropy {share:.1%} of its maximum, {reward}")


def _entropy_stuck_high(rule: Rule, history: History) -> Verdict | None:
    recent = history.last(m.ENTROPY_SHARE, DICE_WINDOW)
    if not len(recent):
        return None
    least = float(recent.min())
    return rule.above(least, f"entropy {least:.1%} of its maximum or more")


def _one_action(rule: Rule, history: History) -> Verdict | None:
    share = history.now(m.TOP_ACTION_SHARE)
    if share is None:
        return None
    return rule.above(share, f"{share:.0%} of all actions are the same one")


def _stuck_in_place(rule: Rule, history: History) -> Verdict | None:
    seen = {
        "of an episode on one tile or in the menu": history.now(m.PLACE_SHARE),
        "of the steps changed nothing": history.now(m.STILL_SHARE),
    }
    shares = {what: share for what, share in seen.items() if share is not None}
    if not shares:
        return None
    evidence = ", ".join(f"{share:.0%} {what}" for what, share in shares.items())
    return rule.above(max(shares.values()), evidence)


def _outweighed(history: History) -> Change | None:
    """Returns the advice to lower an existing entropy bonus."""
    bonus = history.settings.get("ent_coef")
    if bonus is not None and bonus <= 0:
        return None
    return Change("ent_coef", 0.1, why="a bonus that outweighs the reward is never given up")


POLICY_RULES = (
    Rule(
        code="entropy_collapse",
        check=_entropy_collapse,
        needs=(m.ENTROPY_SHARE, m.EPISODE_REWARD),
        measure="entropy / ln(actions), below",
        warn=SURE,
        critical=0.05,
        patience=5,
        meaning="The policy is almost sure of its action everywhere, although the reward has not "
        "risen beyond chance, or has fallen again: it has stopped trying things, so it cannot "
        "find anything better.",
        advice=(
            GO_BACK,
            Change("ent_coef", 2.0, why="its sign must be positive", least=0.01),
            HALVE_RATE,
        ),
        while_learning=WhileLearning.SILENT,
    ),
    Rule(
        code="kl_blow_up",
        check=_kl_blow_up,
        needs=(m.APPROX_KL,),
        measure=f"approx_kl, median of {KL_WINDOW} updates",
        warn=0.05,
        critical=0.1,
        patience=3,
        source=PPO,
        meaning="Each update changes the policy so much that the samples it learnt from no longer "
        "describe it: its next step is blind.",
        advice=(
            reward_scale,
            Change("learning_rate", 0.5, follows_excess=True),
            Change("target_kl", to=0.02, why="ends an update before it goes too far"),
            Change("n_epochs", 0.5, whole=True),
        ),
        while_learning=WhileLearning.NOTE,
    ),
    Rule(
        code="one_action",
        check=_one_action,
        needs=(m.TOP_ACTION_SHARE,),
        measure="share of the commonest action",
        warn=0.8,
        critical=0.95,
        patience=5,
        meaning="The agent does nearly always the same thing.",
        advice=(
            MORE_ENTROPY,
            "see whether any other action can pay: a cost on moving teaches standing still",
            HALVE_RATE,
        ),
    ),
    Rule(
        code="stuck_in_place",
        check=_stuck_in_place,
        needs=(f"{m.PLACE_SHARE}|{m.STILL_SHARE}",),
        measure="share of steps in one place",
        warn=0.5,
        critical=0.9,
        patience=10,
        meaning="The games no longer change: a wall, a menu or a closed room holds the agent.",
        advice=(
            "look at the frames: what holds the agent there?",
            "mask the action that opens the menu, or truncate the episode after a while",
            "make sure that nothing pays for standing there",
        ),
    ),
    Rule(
        code="entropy_stuck_high",
        check=_entropy_stuck_high,
        needs=(m.ENTROPY_SHARE,),
        measure=f"entropy / ln(actions), least of {DICE_WINDOW} updates",
        warn=0.97,
        patience=1,
        meaning="The policy still chooses almost at random, like an untrained one.",
        advice=(
            _outweighed,
            "make rewards more frequent: pay smaller steps on the way, or start nearer to them",
            "train longer: with a sparse reward every run begins like this",
        ),
        while_learning=WhileLearning.SILENT,
    ),
    Rule(
        code="dead_updates",
        check=_dead_updates,
        needs=(m.APPROX_KL,),
        measure=f"approx_kl, median of {DEAD_WINDOW} updates, below",
        warn=1e-5,
        patience=3,
        meaning="The updates hardly change the policy, although it has not learnt its task.",
        advice=(
            Change("learning_rate", 10.0, follows_excess=True),
            "check whether the learning rate's schedule has ended",
            _outweighed,
        ),
        while_learning=WhileLearning.SILENT,
    ),
)
