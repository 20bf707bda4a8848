"""The walkthrough sees all of Jade: every map, every flag of the story, every screen."""

import re
from pathlib import Path

import pytest
from helpers.jade_story import after, story

from emerald_env.game.editions import JADE_ROM
from emerald_env.game.savefile import parse_flash
from emerald_env.jade.walk import frames_to_the_end
from emerald_env.state import StateReader

SOURCE = Path(__file__).parents[2] / "jade" / "src"
TRAINER_FLAGS = 0x500
LETTER = 274
# callback2 of Emerald's screens (facts: callbacks.csv)
SCREENS = {
    "title": 0x080AAB2D,
    "overworld": 0x08085E5D,
    "loading a map": 0x08085FCD,
    "battle": 0x08038421,
    "pokedex": 0x080BB775,
    "party": 0x081B01B1,
    "bag": 0x081AAD5D,
    "card": 0x080C2711,
    "shop": 0x080DFD65,
    "boxes": 0x080C7D55,
    "naming": 0x080E4F59,
    "choosing a starter": 0x081341E1,
    "first battle": 0x080B11A9,
    "evolution": 0x0813E3A5,
    "white-out": 0x08085F59,
    "continue": 0x08086231,
}
# What is set and cleared again and again: a day's berry, walls and trees, where the sailor waits
RETURNING = re.compile(r"FLAG_(DAILY|TEMP|GYM_BARRIERS)|FLAG_HIDE_.*(BRINEY|MR_BRINEY)")


ONLY_FULL = re.compile(r"#if FULL\n.*?(?:#else\n(.*?))?#endif\n", re.DOTALL)


def sources() -> str:
    """Returns the world's C without what only jade_full.gba has."""
    files = (SOURCE / "world").glob("*.c")
    return ONLY_FULL.sub(r"\1", "\n".join(path.read_text() for path in files))


def flags_of_the_story() -> dict[str, int]:
    """Returns what the scripts set, what balls and hidden things set, and every trainer."""
    pairs = re.findall(r"(FLAG_\w+) = (0x[0-9A-F]+)", (SOURCE / "world" / "world.h").read_text())
    numbers = {name: int(number, 16) for name, number in pairs}
    text = sources()
    named = re.findall(
        r"SET_FLAG\((FLAG_\w+)\)|LOOK_BALL.*?(FLAG_\w+)|HIDDEN\(\w+, (FLAG_\w+)", text
    )
    found = {name: numbers[name] for names in named for name in names if name}
    beaten = re.findall(r"const Trainer (\w+) = \{(\d+)", text)
    return found | {name: TRAINER_FLAGS + int(number) for name, number in beaten}


def test_every_map_is_walked_on():
    walker = story().walker
    assert len(walker.world) >= 30 and walker.maps == set(walker.world)


def test_every_flag_of_the_story_is_set():
    flags = flags_of_the_story()
    lasting = {name: flag for name, flag in flags.items() if not RETURNING.search(name)}
    assert len(lasting) >= 40 and len(flags) - len(lasting) <= 14
    walker = story().walker
    assert [name for name, flag in lasting.items() if not walker.flag(flag)] == []


@pytest.mark.parametrize("screen", SCREENS)
def test_every_screen_is_opened(screen: str):
    assert SCREENS[screen] in story().walker.screens


@pytest.mark.parametrize("seed", range(2))
def test_other_waits_lead_to_the_end_too(seed: int):
    assert frames_to_the_end(seed) < 100_000


def test_the_letter_leaves_the_bag_where_it_is_delivered():
    carried = [
        {slot.item for slot in StateReader(after(name).gba.memory.read).sample().bag["key_items"]}
        for name in ("letter", "letter_delivered")
    ]
    assert LETTER in carried[0] and LETTER not in carried[1]


def test_the_rom_is_small_and_its_source_short():
    assert Path(JADE_ROM).stat().st_size <= 512 << 10
    written = [path for path in SOURCE.rglob("*.c") if not path.name.startswith("gen_")]
    assert [path for path in written if len(path.read_text().splitlines()) > 400] == []


def test_the_game_is_saved_on_the_way():
    saved = parse_flash(story().walker.gba.save_data())
    assert saved.counter == 2
