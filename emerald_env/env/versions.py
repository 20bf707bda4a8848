"""Versions of games for comparisons: what `gymnasium.make("Jade-v1")` fixes, and its errata.

A game that changes becomes a new version with a line of errata; the old one stays playable.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import gymnasium

EMERALD: Final = "Emerald-v0"  # whose settings are all free
# What the learner may choose; the rest of the settings is the version's.
FREE: Final = frozenset(
    "render_mode core world worlds observation tiles targets menus visited bag text colour "
    "coordinates wrapper guide world_number action_masks shrink reward reward_weights "
    "reward_code".split()
)


@dataclass(frozen=True)
class Version:
    """A game with all settings that a comparison depends on.

    Attributes:
        sha1: of the ROM of the game's world 0, in hexadecimal digits.
        settings: of `GameConfig`, by name.
        reward: the preset that pays unless the learner chooses another.
        story: the milestones that count, in the story's order; all can be reached.
        errata: what is wrong with this version, or what changed from the one before.
    """

    id: str
    sha1: str
    settings: Mapping[str, Any]
    reward: str
    story: tuple[str, ...]
    errata: tuple[str, ...] = field(default=())


JADE_V1: Final = Version(
    id="Jade-v1",
    sha1="8fcb2da80871860ac5728d3fa1349dec8f9083d4",
    settings={
        "start": "new-game",
        "start_wait": 30,
        "clock": None,
        "action_set": "original",
        "frame_skip": 24,
        "hold_frames": 12,
        "episode_length": 8192,
        "patience": None,
        "disturb": (),
    },
    reward="milestones",
    story=tuple(
        "visited_littleroot entered_home sent_upstairs clock_set tv_report met_rival_mom met_rival "
        "birch_in_danger starter rescued_birch starter_given visited_oldale rival_route103 pokedex "
        "running_shoes visited_petalburg visited_rustboro badge_stone pokenav visited_dewford "
        "steven_letter badge_knuckle".split()
    ),
    errata=("the first version",),
)
VERSIONS: Final = {version.id: version for version in (JADE_V1,)}
MAKE: Final = "emerald_env.env.versions:make"  # as gymnasium names what makes an id
MAKE_VERSION: Final = "emerald_env.env.versions:make_version"


def make_version(version: str, **settings: Any) -> gymnasium.Env[Any, Any]:
    """Returns what `gymnasium.make("Jade-v1", ...)` makes, for its id and settings.

    Raises:
        ValueError: a setting is one that the version fixes.
        RuntimeError: this program has another game than the version's.
    """
    from emerald_env.game.editions import describe_game  # slow to load, as is the other below

    found, own = describe_game(None)["sha1"], VERSIONS[version]
    if fixed := sorted(settings.keys() - FREE):
        raise ValueError(
            f"{version} fixes {fixed[0]}: leave it out, or make {EMERALD}, where all settings are "
            f"free; those of {version} are {', '.join(sorted(FREE))}"
        )
    if found != own.sha1:
        raise RuntimeError(
            f"{version} is the game with SHA-1 {own.sha1}, and this program's has {found}: install "
            "a version of the program that has it, or make the newer id"
        )
    return make(**own.settings, **({"reward": own.reward} | settings))


def make(**settings: Any) -> gymnasium.Env[Any, Any]:
    """Makes a game by what the installed distribution declares, as this package knows no rewards.

    Raises:
        RuntimeError: no distribution declares it: it was not installed, or an older one was.
    """
    from importlib.metadata import entry_points

    for entry in entry_points(group="emerald_env.make", name=EMERALD):
        made: gymnasium.Env[Any, Any] = entry.load()(**settings)
        return made
    raise RuntimeError(f"{EMERALD} is not installed: run `pip install -e .` in the repository")
