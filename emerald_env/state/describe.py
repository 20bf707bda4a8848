"""A state as a page for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emerald_env.game.tables import item_name, map_name, move_name, species_name, trainers
from emerald_env.state.milestones import last_main_milestone

if TYPE_CHECKING:
    from emerald_env.state.game_state import Battler, GameState
    from emerald_env.state.parts.open_menu import Menu
    from emerald_env.state.parts.pokemon import Pokemon

_STATUS = (
    (0x07, "asleep"),
    (0x88, "poisoned"),
    (0x10, "burnt"),
    (0x20, "frozen"),
    (0x40, "paralysed"),
)
_POCKET_NAMES = {
    "items": "items",
    "key_items": "key items",
    "poke_balls": "balls",
    "tm_hm": "TMs, HMs",
    "berries": "berries",
}


def describe(state: GameState) -> str:
    """Returns a page of plain text, one fact or Pokémon a line."""
    return "\n".join(f"{name:<10}{text}" for name, text in lines(state))


def lines(state: GameState) -> list[tuple[str, str]]:
    """Returns the page's lines as (heading, text); the heading is empty on continuation lines."""
    return [
        ("player", player(state)),
        ("place", place(state)),
        ("screen", screen(state)),
        *_headed("party", [pokemon(member) for member in state.party] or ["nobody"]),
        *_headed("opponent", opponents(state)),
        ("story", story(state)),
        ("purse", f"{state.money} money, {state.coins} coins"),
        *((_POCKET_NAMES[name], text) for name, text in pockets(state)),
    ]


def player(state: GameState) -> str:
    """Returns who plays, and for how long."""
    hours, minutes, seconds, _ = state.play_time
    gender = "girl" if state.player_gender else "boy"
    number = f"No. {state.trainer_id:05d}"
    return f"{state.player_name}, {gender}, {number}, {hours}:{minutes:02d}:{seconds:02d} played"


def place(state: GameState) -> str:
    """Returns where the player is."""
    if state.mode.value == "title":
        return "nowhere: no game is running"
    text = f"{map_name(state.location)} {state.location} at {state.position}"
    if state.facing is not None:
        text += f", facing {state.facing.name.lower()}"
    if state.global_position is not None:
        text += f"; {state.component} {state.global_position}"
    return text


def screen(state: GameState) -> str:
    """Returns what the screen shows."""
    text = state.mode.value
    if state.in_battle and text != "battle":
        text += ", in battle"
    if state.dialog_open and text != "dialog":
        text += ", message box open"
    if state.menu is not None:
        text += f", {menu(state.menu)}"
    return text + (", free to walk" if state.controllable else "")


def menu(menu: Menu) -> str:
    """Returns which menu is open, and where its cursors are."""
    places = {"at": menu.cursor, "in pocket": menu.pocket, "with words at": menu.words}
    known = [f"{name} {number}" for name, number in places.items() if number is not None]
    return " ".join([f"{menu.kind.name.lower()} menu", *known])


def story(state: GameState) -> str:
    """Returns the progress of the game."""
    return (
        f"{len(state.badges)} badges, {len(state.seen)} seen, {len(state.caught)} caught, "
        f"{len(state.flags_set)} flags, milestone {last_main_milestone(state) or 'none'}"
    )


def pokemon(member: Pokemon) -> str:
    """Returns one Pokémon in one line."""
    if member.is_bad_egg:
        return "a bad egg"
    if member.is_egg:
        return f"an egg of {member.name}"
    known = ", ".join(
        f"{move_name(move)} {pp}" for move, pp in zip(member.moves, member.pp, strict=True)
    )
    held = f", holds {item_name(member.held_item)}" if member.held_item else ""
    return f"{_name(member)}{_health(member)}, {member.exp} exp, {known}{held}"


def opponents(state: GameState) -> list[str]:
    """Returns whom the player fights, one line each; empty outside battles."""
    if not state.in_battle:
        return []
    trainer, kind = trainers()[state.opponent], state.opponent_kind
    who = f"{trainer.trainer_class} {trainer.name}" if state.opponent else kind and kind.value
    fielded = [f"on the field: {_name(one)}{_health(one)}" for one in state.battlers]
    return [who or "unknown", *(pokemon(member) for member in state.enemy_party), *fielded]


def pockets(state: GameState) -> list[tuple[str, str]]:
    """Returns the pockets that are not empty as (pocket, contents)."""
    return [
        (name, ", ".join(f"{item_name(slot.item)} ×{slot.quantity}" for slot in slots))
        for name, slots in state.bag.items()
        if slots
    ]


def status(bits: int) -> str:
    """Returns a status in words, empty for a healthy Pokémon."""
    return " ".join(word for mask, word in _STATUS if bits & mask)


def _name(member: Pokemon | Battler) -> str:
    kind = species_name(member.species)
    return kind if kind == member.nickname else f"{member.nickname} ({kind})"


def _health(member: Pokemon | Battler) -> str:
    ill = status(member.status)
    return f" Lv {member.level}, HP {member.hp}/{member.max_hp}" + (f", {ill}" if ill else "")


def _headed(heading: str, texts: list[str]) -> list[tuple[str, str]]:
    return [(heading if not index else "", text) for index, text in enumerate(texts)]
