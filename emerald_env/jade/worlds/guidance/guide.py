"""Names the set of best keys in any state of Jade, in any of its worlds."""

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from emerald_env.jade.maps import BOULDER, CABIN, INHABITED, MapId, Place, Readable
from emerald_env.jade.walker import CHOOSING_STARTER, NAMING
from emerald_env.jade.worlds.creatures import highest_level
from emerald_env.jade.worlds.demanding.wanderers import wanderers
from emerald_env.jade.worlds.guidance.battle_keys import battle_keys
from emerald_env.jade.worlds.guidance.beams import HALL, STATE, Beams, HallState
from emerald_env.jade.worlds.guidance.boulders import FIERY_PATH
from emerald_env.jade.worlds.guidance.errands import (
    COAST,
    COAST_NURSES,
    ENTER_CENTRE,
    FURTHER_ERRANDS,
    HEAL,
    LEADERS,
    NURSES,
    SAILORS,
    STORY_OVER,
    SWITCHES,
    TRAIN,
    Errand,
    use,
)
from emerald_env.jade.worlds.guidance.lessons import Lessons
from emerald_env.jade.worlds.guidance.look import OVERWORLD, YES_NO, Look
from emerald_env.jade.worlds.guidance.menu_keys import A, B, answer, pupils, teach
from emerald_env.jade.worlds.guidance.taught_moves import FIELD_MOVES, FieldMove
from emerald_env.jade.worlds.guidance.ways import FAR, Distances
from emerald_env.jade.worlds.guidance.world_story import Story, thing_of
from emerald_env.jade.worlds.places import FULL_HABITATS, HABITATS, SAILOR_IN_DEWFORD

__all__ = ["Guide", "Look", "guide_of"]

VAR_STARTER_MON = 0x4023  # 0 Treecko, 1 Torchic, 2 Mudkip
BEGUN: Final = {0x0816CEAD, 0x080AA7A5, 0x080AAB2D, 0x0802F6B1}  # title and main menu
SCRIPT: Final = 0x03000E48  # in sGlobalScriptContext: where the script was when it waited last
ASKED: Final = {"clock_set", "bike", "wally_mauville"}  # milestones that are asked for
POISON_PERIOD = 4  # steps for which one HP lasts
NO_KEYS: Final[frozenset[str]] = frozenset()


class Guide(Story):
    """Knows a world's maps and the story, and looks at the memory: it remembers nothing.

    Args:
        rom: the world.
        detour: steps to a nurse that it takes as soon as its best is hurt, not only when weak.

    Attributes:
        lessons: its world's moves.
        wanderers: who wanders, with their numbers on their maps.
        grass: where something lives.
    """

    def __init__(self, rom: bytes, detour: int = 0) -> None:
        super().__init__(rom)
        self._detour = detour
        if self.has_coast:
            self._beams = Beams(self.tables, self.ways)
        nurses = (*NURSES, *COAST_NURSES) if self.has_coast else NURSES
        self._cures = tuple(use(at, "person 0") for at in nurses)
        self.lessons = Lessons(self.tables)
        self.wanderers = wanderers(self.tables)
        self._foes = {
            each.name: highest_level(self.tables, thing_of(each))
            for each in self.errands
            if each.name in LEADERS
        }
        self.grass = frozenset(
            (*at, x, y)
            for at in (*HABITATS, *(FULL_HABITATS if self.has_coast else ()))
            for _, _, x, y in self.ways.tiles(at)
            if self.ways.world[at].behaviour(x, y) in INHABITED
        )
        self._cabins = {
            (*at, x, y)
            for at, own in self.ways.world.items()
            for x, y, *_ in own.warps
            if own.behaviour(x, y) == CABIN
        }
        self._others = lru_cache(64)(self._find_others)
        self._field = lru_cache(512)(self._find_field)
        self._grass_field = lru_cache(512)(partial(self.ways.distances, self.grass))

    def labels(self, memory: Readable) -> frozenset[str]:
        """Returns the keys of which one is best to press now; none: wait.

        Args:
            memory: the running game (`GBA`, or anything that reads its memory).
        """
        look = Look(memory)
        if not look.block or look.callback in BEGUN or look.callback in (NAMING, CHOOSING_STARTER):
            return A
        if look.in_battle:
            return battle_keys(look, self.lessons)
        if look.callback == OVERWORLD and look.message_open:
            return answer(look, self._agrees(look))
        if (move := self._lesson(look)) and (keys := teach(look, self.lessons, move)):
            return keys
        if look.callback != OVERWORLD:
            return B
        if not look.free:
            return NO_KEYS if look.busy else B
        return self._clear(look, self._walk(look))

    def _agrees(self, look: Look) -> bool:
        """Returns whether the question that is or will be asked is answered with yes."""
        if look.place[:2] in SAILORS:
            return self._must_sail(look) and not self._asks_for_home(look)
        if look.place in self._cabins:
            return self._must_ride(look)
        errand = self.errand(look)
        if YES_NO not in look.tasks or errand is None:
            return False
        if errand.name in ASKED and errand.map == look.place[:2]:
            return True
        return bool(self.demands) and look.faced in look.obstacles

    def purpose(self, memory: Readable) -> int:
        """Returns what the guide is after, below `PURPOSES`: it decides where its keys lead.

        Args:
            memory: the running game.
        """
        look = Look(memory)
        if not look.block:
            return 0
        errand = self.errand(look)
        if errand is None:
            return STORY_OVER
        people = self._in_the_way(look)
        before = HEAL if self._must_heal(look, people) else self._preparation(errand, look)
        if errand in FURTHER_ERRANDS:
            return STORY_OVER + 1 + 4 * FURTHER_ERRANDS.index(errand) + before
        earlier = self.errands[: self.errands.index(errand)]
        return 4 * sum(each not in FURTHER_ERRANDS for each in earlier) + before

    def _must_heal(self, look: Look, people: frozenset[Place]) -> bool:
        """Returns whether a nurse is next: before poison makes somebody faint, or on a detour."""
        if look.weak:
            return True
        hp = look.poisoned_hp if "poison" in self.demands else 0
        most = max(POISON_PERIOD * hp, self._detour if look.hurt else 0)
        return most > 0 and self._distance(look, people, self._cures) < most

    def _preparation(self, errand: Errand, look: Look) -> int:
        """Returns what comes before an errand, if it is a battle with a leader."""
        leader = LEADERS.get(errand.name)
        if leader is None:
            return 0
        if leader.centre and look.last_heal != leader.centre[0]:
            return ENTER_CENTRE
        starter = look.story("var", VAR_STARTER_MON)
        least = max(leader.levels[starter], self._foes[errand.name] + leader.above[starter])
        return TRAIN if look.level < least else 0

    # ---- field moves ----

    def _lesson(self, look: Look) -> FieldMove | None:
        """Returns the move whose lesson is what is next, if somebody can learn it."""
        errand = self.errand(look)
        if errand is None or errand.how != "teach":
            return None
        return FIELD_MOVES[errand.number] if pupils(look, self.lessons, errand.number) else None

    def cleared(self, look: Look) -> frozenset[int]:
        """Returns the looks of what bars no way, as somebody can clear it away."""
        taught = "lessons" in self.demands
        return frozenset(
            each.clears
            for each in self.field_moves
            if look.flag(each.badge)
            and (look.story("move", each.move) if taught else look.flag(each.received))
        )

    def _in_the_way(self, look: Look) -> frozenset[Place]:
        """Returns the tiles of whoever and whatever cannot be cleared away on this map."""
        return look.people() - look.people(self.cleared(look) - {BOULDER})

    def _clear(self, look: Look, keys: frozenset[str]) -> frozenset[str]:
        """Returns keys for a step, or A where what can be cleared away is in the way."""
        if look.facing in keys and look.faced in look.people(self.cleared(look) - {BOULDER}):
            return A
        return keys

    def errand(self, look: Look) -> Errand | None:
        """Returns what is next in the story; None when it is over."""
        return next((e for e in self.errands if look.story(e.kind, e.number) < e.value), None)

    # ---- where to ----

    def _walk(self, look: Look) -> frozenset[str]:
        errand = self.errand(look)
        if errand is None:
            return NO_KEYS
        people = self._in_the_way(look)
        if self._must_heal(look, people):
            if keys := self._to(look, people, self._cures):
                return keys
        if keys := self._prepare(errand, look, people):
            return keys
        for goal in self._goals(errand, look):
            if keys := self._to(look, people, [goal]):
                return keys
        return self._to(look, people, [use(at, "person 0") for at in SAILORS])

    def _prepare(self, errand: Errand, look: Look, people: frozenset[Place]) -> frozenset[str]:
        """Returns the keys that make a battle with a leader easier, if one is next."""
        before = self._preparation(errand, look)
        if before == ENTER_CENTRE and (centre := LEADERS[errand.name].centre):
            return self._to(look, people, [Errand("flag", 0, 1, "go", centre[1])])
        return self._graze(look, people) if before == TRAIN else NO_KEYS

    def _graze(self, look: Look, people: frozenset[Place]) -> frozenset[str]:
        """Returns the keys to the nearest grass where something lives, and on in it."""
        distances = self._grass_field(people)
        steps = self.ways.after.get(look.place, {})
        on = frozenset(d for d, after in steps.items() if distances.get(after) == 0)
        return on or self.ways.best(look.place, distances) or frozenset(steps)

    def _goals(self, errand: Errand, look: Look) -> list[Errand]:
        switches = [
            use(at, thing)
            for at, flag, value, thing in SWITCHES
            if at == errand.map == look.place[:2] and look.flag(flag) == value
        ]
        inside = [errand._replace(how="go", thing="")] if look.place[:2] != errand.map else []
        return [errand, *switches, *inside]

    def _must_sail(self, look: Look) -> bool:
        errand = self.errand(look)
        if errand is None or errand.map in SAILORS and errand.thing == "person 0":
            return errand is not None
        people = look.people()
        return not any(self._to(look, people, [e]) for e in self._goals(errand, look))

    def _must_ride(self, look: Look) -> bool:
        """Returns whether the cable car leads on from in front of its door."""
        outside = Look(look.memory)
        group, number, x, y = look.place
        outside.place = (group, number, x, y + 1)
        return "up" in self._walk(outside)

    def _asks_for_home(self, look: Look) -> bool:
        """Returns whether Dewford's sailor offers the mainland first, to whom the coast is next."""
        errand = self.errand(look)
        if errand is None or errand.map not in COAST or look.place[:2] != SAILORS[1]:
            return False
        return look.number(SCRIPT) == self.tables.script(SAILOR_IN_DEWFORD)

    def _to(
        self, look: Look, people: frozenset[Place], errands: Sequence[Errand]
    ) -> frozenset[str]:
        """Returns the keys towards the nearest of some errands; none where there is no way."""
        place = look.place
        sides, distances = self._towards(look, people, errands)
        if place[:2] == HALL and distances.get(place) != 0:
            goals = frozenset(tile for tile in sides if tile[:2] == HALL)
            standing = HallState(place, look.story("var", STATE))
            return self._beams.best(standing, goals, people - self._beams.all)
        if place not in distances and place[:2] == FIERY_PATH and BOULDER in self.cleared(look):
            people -= look.people({BOULDER})
            return self.boulders.keys(look, people, self._towards(look, people, errands)[1])
        if distances.get(place) != 0:
            return self.ways.best(place, distances)
        return A if sides[place] == look.facing else frozenset({sides[place]})

    def _distance(self, look: Look, people: frozenset[Place], errands: Sequence[Errand]) -> int:
        """Returns the steps to the nearest of some errands; `FAR` where there is no way."""
        return self._towards(look, people, errands)[1].get(look.place, FAR)

    def _towards(
        self, look: Look, people: frozenset[Place], errands: Sequence[Errand]
    ) -> tuple[dict[Place, str], Distances]:
        others = self._others(look.place[:2], look.flags, self.cleared(look))
        places = tuple(self._place(errand, look) for errand in errands)
        return self._field(tuple(errands), places, people | others)

    def _place(self, errand: Errand, look: Look) -> tuple[int, int] | None:
        """Returns where somebody who wanders is now; None: where the tables say."""
        if errand.map != look.place[:2] or not errand.thing:
            return None
        number = self.wanderers.get(thing_of(errand))
        return None if number is None else look.person(number)

    def _find_others(self, here: MapId, flags: bytes, cleared: frozenset[int]) -> frozenset[Place]:
        """Returns the tiles of people who stand on other maps."""
        return frozenset(
            (*at, *tile)
            for at, tiles in self.elsewhere.items()
            if at != here
            for tile, who in tiles.items()
            if not (who.flag and flags[who.flag // 8] >> who.flag % 8 & 1)
            and who.look not in cleared
        )

    def _find_field(
        self,
        errands: tuple[Errand, ...],
        places: tuple[tuple[int, int] | None, ...],
        blocked: frozenset[Place],
    ) -> tuple[dict[Place, str], Distances]:
        """Returns where to stand for some errands and the direction there, and how far that is."""
        sides = {
            tile: facing
            for errand, place in zip(errands, places, strict=True)
            for tile, facing in self.sides(errand, place).items()
        }
        return sides, self.ways.distances(sides, blocked)


@lru_cache(64)
def guide_of(rom: Path) -> Guide:
    """Returns the guide of a world's ROM, one for all games of a process."""
    return Guide(rom.read_bytes())
