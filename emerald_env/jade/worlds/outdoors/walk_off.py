"""Ways off the stage, for whoever leaves a scene."""

from emerald_env.jade.maps import STEPS, MapId
from emerald_env.jade.worlds.rom_tables import WALK, RomTables


def walk_off_freely(tables: RomTables, at: MapId) -> None:
    """Lets whoever leaves a map's scenes do so on free ground, around trees, signs and people."""
    taken = {place for thing, place in tables.things(at) if thing.kind in ("person", "sign")}
    free = tables.free_tiles(at) - taken
    people = {each.number: each.tile for each in tables.people(at)}
    for command in tables.map_commands(at):
        operation, who = tables.unpack("<2B", command)
        if operation == WALK and who in people:
            steps = tables.text(tables.word(command + 8))
            walk = _walk_off(people[who], steps, free)
            tables.pack("<I", command + 8, tables.add_text(walk))


def _walk_off(start: tuple[int, int], steps: str, free: set[tuple[int, int]]) -> str:
    """Returns the steps of a way on free tiles that begins like another, is as long, and leads far.

    The player may stand on any other side, so it does not come back there.
    """
    beside = {(start[0] + dx, start[1] + dy) for dx, dy in STEPS.values()}
    ways, longest = {start: ""}, ""
    for x, y in (todo := [start]):  # it grows at its end
        longest = ways[x, y]
        for key, (dx, dy) in STEPS.items():
            letter, after = key[0].upper(), (x + dx, y + dy)
            begins = letter == steps[0] if (x, y) == start else after not in beside
            if begins and after in free and after not in ways and len(longest) < len(steps):
                ways[after] = longest + letter
                todo.append(after)
    return longest
