"""The settings of `emerald evaluate`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from baselines.settings.train_config import Address
from emerald_env.env.setting_types import Count, Seed, checked
from emerald_env.files.output_files import check_picture
from emerald_env.game.choice import GameChoice, check_worlds


@checked
@dataclass(frozen=True)
class EvaluateConfig(GameChoice):
    """Play whole episodes with a checkpoint, or with random keys, and report the results."""

    checkpoint: Annotated[
        str | None,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[CHECKPOINT]", help_behavior_hint=""),
    ] = None
    """A checkpoint (.zip), "jade", a session, or "last". Left out: random keys."""
    random: bool = False
    """Compare with random keys in the same games."""
    against: str | None = None
    """Compare with another checkpoint in the same games."""
    start: str | None = None
    """Where episodes begin: a state or a .sav file. Left out: a new game."""
    worlds: str | None = None
    """Draw one of these worlds of Jade for each episode, such as 1001..1020."""
    reward: str | None = None
    """What pays: a preset's name, a TOML file, or my_reward.py:reward. Left out: what the
    checkpoint was trained for, if that comes with the program."""
    reward_code: tuple[str, ...] = ()
    """Python files of your own with terms that a preset lists, as my_terms.py:Wealth."""
    network: str | None = None
    """The network of your own that a checkpoint was trained with, my_net.py:Net."""
    wrapper: str | None = None
    """The wrapper of your own that a checkpoint was trained in, my_wrapper.py:Wrapper."""
    episodes: Count = 32
    """Episodes to play."""
    episode_length: Count | None = None
    """Steps of each. Left out: as the checkpoint was trained."""
    patience: Count | None = None
    """Steps without a reward after which an episode ends. Left out: as the checkpoint was
    trained."""
    n_envs: Count = 16
    """Games played at the same time."""
    n_workers: Count | None = None
    """Processes that the games are spread over. Left out: one for each CPU core."""
    ray: Address | None = None
    """Play on a Ray cluster: on this machine (--ray alone), or the one at an address."""
    parts: Count | None = None
    """With --ray: in how many parts, each of at least one of the games. Left out: of up to 4 games
    each. One part gives the same numbers as without Ray, to the bit."""
    seed: Seed = 0
    """Of the actions and the games; the same seed gives the same numbers, to the bit."""
    greedy: bool = False
    """Always take the likeliest action."""
    disturb: tuple[str, ...] = ()
    """Disturb the games: repeat=.25 (of the keys), random=.25, noise=20 (levels of the picture),
    starter=1 (the left one, taken for the agent), black (the picture), no-vector (all that is read
    from memory is 0), girl; mixed: starter, girl and noise drawn for each episode; several at once.
    all: one kind after the other, as a table."""
    record: Path | None = None
    """Folder for a recording of each episode, to replay or to teach another agent."""
    json: bool = False
    """Print one JSON object instead of a table."""
    picture: Path | None = None
    """Draw the rewards and milestones into this file (.png, .svg)."""

    soft_locks: Path = Path("soft_locks")
    """Folder for the states in which episodes soft-locked; the default is created with the first.
    `emerald inspect FILE --soft-lock` repeats the check."""

    def __post_init__(self) -> None:
        """Raises ValueError for an impossible setting."""
        check_worlds(self.world, self.worlds)
        if self.checkpoint is None and self.against is not None:
            raise ValueError("--against compares a checkpoint with another: give both")
        games = min(self.n_envs, self.episodes)
        if self.parts is not None and self.parts > games:
            raise ValueError(
                f"--parts is {self.parts}, but only {games} games are played at the same time: "
                "give fewer parts, or more --n-envs and --episodes"
            )
        if self.disturb and self.disturb != ("all",):
            from emerald_env.wrappers.disturbed import Disturbance  # slow to load

            Disturbance.parse(self.disturb)
        elif self.disturb and (self.checkpoint is None or self.random or self.against is not None):
            raise ValueError("--disturb all measures one checkpoint: leave the others out")
        check_picture(self.picture)
