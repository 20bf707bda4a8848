"""Actions in Jade's menus: each function begins and ends with the player free to walk."""

from emerald_env.jade.maps import Stuck
from emerald_env.jade.walker import BATTLE_OUTCOME, LOST, START_CURSOR, Walker
from emerald_env.jade.worlds.guidance.look import SAVE_BLOCK_1_POINTER
from emerald_env.jade.worlds.places import COMPUTER, COUNTER, SAILOR_IN_DEWFORD

BATTLE_FUNCTION, CHOOSING = 0x03005D04, 0x0803BE75  # gBattleMainFunc: waits for an action
CAUGHT = 7
OWN_SPECIES, FOE_SPECIES = 0x02024084, 0x020240DC  # gBattleMons
SILKLING, COCOON = 290, 291  # the one becomes the other at level 7
RUSTBOROS_GRASS = (0, 19, 28, 12)
BALL_POCKET = 0x650  # in SaveBlock1: the first slot's item, 0 where there is none
# of the start menu, once there is a Pokédex; the PokéNav comes before the card
DEX, PARTY, BAG, CARD, SAVE = range(5)
HAS_POKENAV = 0x862
SCREEN = 60  # frames for a screen to open or close
ROW = 10


def open_entry(walker: Walker, entry: int) -> None:
    """Opens the start menu and chooses an entry."""
    if entry > BAG and walker.flag(HAS_POKENAV):
        entry += 1
    walker.press("start", 12)
    for _ in range(7):
        if walker.number(START_CURSOR, "<B") == entry:
            break
        walker.press("down", ROW)
    walker.press("a", SCREEN)


def close(walker: Walker) -> None:
    """Leaves a screen and the start menu behind it."""
    walker.press("b", SCREEN)
    walker.press("b", SCREEN)


def look_around(walker: Walker) -> None:
    """Opens the start menu's screens one after another, with their details, and saves."""
    open_entry(walker, DEX)
    walker.press("down", ROW)
    close(walker)
    open_entry(walker, PARTY)
    for key in ("a", "a", "b"):  # the first of the party, a closer look, back
        walker.press(key, ROW)
    close(walker)
    open_entry(walker, BAG)
    for _ in range(5):  # pockets
        walker.press("right", ROW)
    close(walker)
    open_entry(walker, CARD)
    close(walker)
    save(walker)


def save(walker: Walker) -> None:
    """Saves the game."""
    open_entry(walker, SAVE)
    walker.settle(answer="a")


def use_item(walker: Walker, row: int = 0, who: int = 0) -> None:
    """Uses the item in a row of the bag's first pocket on a party member."""
    open_entry(walker, BAG)
    for _ in range(row):
        walker.press("down", ROW)
    walker.press("a", ROW)
    walker.press("a", SCREEN)
    for _ in range(who):
        walker.press("down", ROW)
    walker.press("a", ROW)
    walker.press("a", SCREEN)
    close(walker)
    walker.settle()


def buy_and_sell(walker: Walker) -> None:
    """Goes to Oldale's counter, buys one of the first thing and sells one."""
    walker.approach(*walker.at(COUNTER))
    walker.press("a", 160)
    for key in ("a", "a", "right", "a", "a"):
        walker.press(key, 12)
    walker.press("b", SCREEN)
    walker.settle()


def has_balls(walker: Walker) -> bool:
    """Returns whether there is a ball to throw."""
    pocket = walker.number(SAVE_BLOCK_1_POINTER) + BALL_POCKET
    return bool(walker.number(pocket, "<H"))


def buy_balls(walker: Walker, count: int = 5) -> None:
    """Walks to Oldale's shop and buys balls there."""
    walker.approach(*walker.at(COUNTER))
    walker.press("a", 160)
    for key in ("a", *["up"] * (count - 1), "a"):
        walker.press(key, 12)
    walker.press("b", SCREEN)
    walker.settle()


def at_the_computer(walker: Walker, *keys: str) -> None:
    """Goes to the computer in Rustboro's centre and presses keys on its screen."""
    walker.approach(*walker.at(COMPUTER))
    walker.press("a", 120)
    for key in keys:
        walker.press(key, 20)
    walker.press("b", SCREEN)
    walker.settle()


def raise_the_second(walker: Walker) -> None:
    """At Rustboro's computer: the second party member fights alone for a while.

    It is beaten at least once and evolves; then both are together again, in their old order.

    Raises:
        Stuck: that took too long.
    """
    at_the_computer(walker, "a")
    evolved = beaten = False
    for _ in range(80):
        if evolved and beaten:
            break
        walker.go_to(*RUSTBOROS_GRASS)
        meet(walker)
        species = walker.number(OWN_SPECIES, "<H")
        walker.settle()
        beaten |= walker.number(BATTLE_OUTCOME, "<B") == LOST
        evolved |= species == COCOON
    else:
        raise Stuck(f"nobody evolved and was beaten near {walker.place}")
    at_the_computer(walker, "right", "a", "right", "a", "right", "a")


def teach(walker: Walker) -> None:
    """Teaches the bag's first machine to the first of the party, in its second move's place."""
    open_entry(walker, BAG)
    for key, wait in (("right", ROW), ("right", ROW), ("a", ROW), ("a", SCREEN)):
        walker.press(key, wait)
    for key, wait in (("a", ROW), ("down", ROW), ("a", ROW), ("a", SCREEN)):
        walker.press(key, wait)
    close(walker)
    walker.settle()


def save_and_continue(walker: Walker) -> None:
    """Saves, switches the game off and on by its buttons, and continues from the save."""
    save(walker)
    walker.tick(4, "a", "b", "select", "start")
    walker.tick(4)
    walker.start()


def meet(walker: Walker) -> None:
    """Walks to and fro in tall grass until a battle begins.

    Raises:
        Stuck: nothing came.
    """
    for count in range(800):
        walker.tick(16, ("left", "right")[count // 2 % 2])
        if walker.in_battle:
            break
    for _ in range(90):
        if walker.number(BATTLE_FUNCTION) == CHOOSING:
            return
        walker.tick(10)
    raise Stuck(f"nothing came out of the grass at {walker.place}")


def throw(walker: Walker) -> None:
    """Throws the first ball of the bag, when the battle waits for an action."""
    walker.press("right", 6)
    walker.press("a", SCREEN)
    walker.press("a", SCREEN)
    _end_turn(walker)


def strike(walker: Walker) -> None:
    """Uses the most promising move, when the battle waits for an action."""
    walker.press("a", 12)
    walker.press("a", 12)
    _end_turn(walker)


def _end_turn(walker: Walker) -> None:
    for _ in range(60):
        if not walker.in_battle or walker.number(BATTLE_FUNCTION) == CHOOSING:
            return
        walker.press("a", 12)


def catch(walker: Walker, species: int | None = SILKLING) -> None:
    """In tall grass, weakens Silklings and throws balls at them until one is caught.

    Args:
        walker: in the grass.
        species: who is wanted in place of them; None: anybody, who is not weakened.

    Raises:
        Stuck: nothing was.
    """
    grass = walker.place
    for _ in range(40):
        if not has_balls(walker):
            buy_balls(walker)
        walker.go_to(*grass)  # a defeat leads elsewhere, too
        meet(walker)
        wanted = species in (None, walker.number(FOE_SPECIES, "<H"))
        if wanted and species:
            strike(walker)
        while wanted and has_balls(walker) and walker.number(BATTLE_FUNCTION) == CHOOSING:
            throw(walker)
        walker.settle()
        if walker.number(BATTLE_OUTCOME, "<B") == CAUGHT:
            return
    raise Stuck(f"nothing was caught at {walker.place}")


def sail_on(walker: Walker) -> None:
    """Lets the sailor in Dewford sail to the far beach, not to Route 104."""
    walker.approach(*walker.at(SAILOR_IN_DEWFORD))
    walker.press("a", 150)
    walker.press("b", SCREEN)
    walker.settle(answer="a")
