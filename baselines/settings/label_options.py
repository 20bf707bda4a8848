"""How a student learns from a teacher's labels."""

from dataclasses import dataclass

from emerald_env.env.setting_types import Count, Positive, Share, checked


@checked
@dataclass(frozen=True)
class LabelOptions:
    """How a student learns from a teacher's labels (`--teacher`)."""

    stored: Count = 300_000
    """Labelled steps that are kept; each takes the bytes of its picture, 9,600."""
    reads: Positive = 15.0
    """How often a labelled step is read, on average."""
    lanes: Count = 48
    """Chunks of 24 successive steps in one gradient step."""
    alone: Share = 0.25
    """Share of the games that the student plays alone, of several one at least unless it is 0; the
    curves are of these."""
    teacher_first: Share = 0.12
    """Share of the run in which the teacher plays all steps of the other games."""
    student_last: Share = 0.75
    """The student's share of the steps of the other games, from the middle of the run."""
    purpose_coef: Share = 0.3
    """Weight of guessing what the guide is after, which is learnt beside the actions."""
    disturbed: bool = True
    """Play some episodes of the other games with random or repeated keys."""

    def n_alone(self, n_envs: int) -> int:
        """Returns how many of `n_envs` games the student plays alone."""
        rounded = round(self.alone * n_envs)
        return max(1, rounded) if self.alone and n_envs > 1 else rounded
