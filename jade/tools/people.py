"""People of 16x32 pixels: heads, bodies and legs put together into seven pictures each.

The order of the pictures is the engine's (object.c): down, down walking, up, up walking,
side, side walking, side walking with the other leg. "Side" looks left.
"""

from __future__ import annotations

from math import hypot

from canvas import Picture

WIDTH, HEIGHT = 16, 32
FRAMES = 7
GROUND = 30  # the row under the shoes

HEADS = {
    "short": (
        """
.....oooooo.....
...oohhhhhhoo...
..ohhhhhhhhhho..
.ohhhhhhhhhhhho.
.ohhhHhhhhHhhho.
.ohHhHHhhHHhHho.
.ohHssssssssHho.
.oHssessssesSHo.
..osssessessSo..
..oSsssssssSSo..
...ooSsssSSoo...
""",
        """
.....oooooo.....
...oohhhhhhoo...
..ohhhhhhhhhho..
.ohhhhhhhhhhhho.
.ohhhhhhhhhhhho.
.ohhhhhhhhhhhho.
.ohHhhhhhhhhHho.
.oHHhHhhhhHhHHo.
..oHHHHHHHHHHo..
..oSHHHHHHHHSo..
...ooSSSSSSoo...
""",
        """
.....oooooo.....
...oohhhhhhoo...
..ohhhhhhhhhho..
..ohhhhhhhhhhho.
.ohhhhhhhhhhhho.
.ohhhhhHhhhhhho.
.oHsshHHHhhhHho.
..osessHsshHHHo.
..ossesssSSHHo..
..osssssSSSHo...
...ooSSSSooo....
""",
    ),
    "cap": (
        """
.....oooooo.....
...ooxxxxxxoo...
..oxxxxwwxxxxo..
.oxxxxwwwwxxxxo.
.oxxxxxwwxxxxxo.
.oXXXXXXXXXXXXo.
.ohHoooooooohHo.
.oHssessssesSHo.
..osssessessSo..
..oSsssssssSSo..
...ooSsssSSoo...
""",
        """
.....oooooo.....
...ooxxxxxxoo...
..oxxxxxxxxxxo..
.oxxxxxxxxxxxxo.
.oxxxxxxxxxxxxo.
.oxXXxxxxxxXXxo.
.oXXXXXXXXXXXXo.
.ohHhhhhhhhhHho.
..oHHhHHHHhHHo..
..oSHHHHHHHHSo..
...ooSSSSSSoo...
""",
        """
.....oooooo.....
...ooxxxxxxoo...
..oxxxxxxxxxxo..
.oxwxxxxxxxxxxo.
.oxxxxxxxxxxxxo.
oXXXXXXXxxxxXXo.
.oooossHhXXXHho.
..osessHsshHHHo.
..ossesssSSHHo..
..osssssSSSHo...
...ooSSSSooo....
""",
    ),
    "long": (
        """
.....oooooo.....
...oohhhhhhoo...
..ohhhhhhhhhho..
.ohhhhhhhhhhhho.
.ohhhhHhhHhhhho.
.ohhHHsHHsHHhho.
.ohHssssssssHho.
ohhHsessssesHhho
ohhHssessessHhho
ohHoSsssssSSoHho
ohHooSsssSSooHho
""",
        """
.....oooooo.....
...oohhhhhhoo...
..ohhhhhhhhhho..
.ohhhhhhhhhhhho.
.ohhhhhhhhhhhho.
.ohhhhhhhhhhhho.
.ohhhhhhhhhhhho.
ohhHhhhhhhhhHhho
ohhHhhhhhhhhHhho
ohHHHhhhhhhHHHho
ohHHHHhhhhHHHHho
""",
        """
.....oooooo.....
...oohhhhhhoo...
..ohhhhhhhhhho..
..ohhhhhhhhhhho.
.ohhhhhhhhhhhho.
.ohhhhHhhhhhhho.
.oHsshHhhhhhhho.
..osessHhhhhhhho
..ossesSHhhhhhho
..osssSSHHhhhHHo
...ooSSoHHHhHHo.
""",
    ),
    # Only in jade_full.gba
    "nurse": (
        """
.....oooooo.....
...oowwwwwwoo...
..owwwwxxwwwwo..
.ohwwwxxxxwwwho.
.ohhhhhhhhhhhho.
.ohhHHsHHsHHhho.
.ohHssssssssHho.
ohhHsessssesHhho
ohhHssessessHhho
oHHoSsssssSSoHHo
.oo.oSsssSSo.oo.
""",
        """
.....oooooo.....
...oowwwwwwoo...
..owwwwwwwwwwo..
.ohwwwwwwwwwwho.
.ohhhhhhhhhhhho.
.ohhhhhhhhhhhho.
.ohhhhhhhhhhhho.
ohhHhhhhhhhhHhho
ohhHHhhhhhhHHhho
oHHoHHHHHHHHoHHo
.oo.oSSSSSSo.oo.
""",
        """
.....oooooo.....
...oowwwwwwoo...
..owwxwwwwwwwo..
..ohwwwwwwwwhho.
.ohhhhhhhhhhhho.
.ohhhhHhhhhhhho.
.oHsshHhhhhhhho.
..osessHhhhhhhho
..ossesSHHhhHhho
..osssSSHo.oHHo.
...ooSSoo...oo..
""",
    ),
    "scarf": (
        """
.....oooooo.....
...ooxxxxxxoo...
..oxxxxxxxxxxo..
.oxxxwxxxxwxxxo.
.oxxxxxxxxxxxxo.
.oXXXXXXXXXXXXo.
.ohXHHHHHHHHXho.
.oHssessssesSHo.
..osssessessSo..
..oxxxxxxxxXXo..
...ooxxxxXXoo...
""",
        """
.....oooooo.....
...ooxxxxxxoo...
..oxxxxxxxxxxo..
.oxxxxxxxxxxxxo.
.oxxxxxxxxxxxxo.
.oxXXxxxxxxXXxo.
.oXXXXxooxXXXXo.
.ohHHoxxxxoHHho.
..oHHoxooxoHHo..
..oSHHoHHoHHSo..
...ooSSSSSSoo...
""",
        """
.....oooooo.....
...ooxxxxxxoo...
..oxxxxxxxxxxo..
.oxxwxxxxxxxxxo.
.oxxxxxxxxxxxxo.
.oXXXXXXXxxXXoo.
.oHsshHHXXXXoxxo
..osessHsshHoxo.
..ossesssSSHHo..
..oxxxxxXSSHo...
...ooxxXXooo....
""",
    ),
    "spiky": (
        """
....o..oo..o....
..oohoohhoohoo..
..ohhhhhhhhhho..
.ohhhhhhhhhhhho.
ohhhhHhhhhHhhhho
.ohHhHHhhHHhHho.
.ohHssssssssHho.
.oHssessssesSHo.
..osssessessSo..
..oSsssssssSSo..
...ooSsssSSoo...
""",
        """
....o..oo..o....
..oohoohhoohoo..
..ohhhhhhhhhho..
.ohhhhhhhhhhhho.
ohhhhhhhhhhhhhho
.ohhhhhhhhhhhho.
.ohHhhhhhhhhHho.
.oHHhHhhhhHhHHo.
..oHHHHHHHHHHo..
..oSHHHHHHHHSo..
...ooSSSSSSoo...
""",
        """
.....oo..o......
...oohhoohoo.o..
..ohhhhhhhhhoho.
..ohhhhhhhhhhho.
.ohhhhhhhhhhhhho
.ohhhhhHhhhhhho.
.oHsshHHHhhhHho.
..osessHsshHHHo.
..ossesssSSHHo..
..osssssSSSHo...
...ooSSSSooo....
""",
    ),
}

BODIES = (
    """
...occccccccco..
..occccccccccco.
.oCoccccccccoCo.
.osoccccccccoso.
.oSoCccccccCoSo.
..ooCCCCCCCCoo..
""",
    """
...occccccccco..
..occccccccccco.
.oCoccccccccoCo.
.oCoccccccccoCo.
.osoCccccccCoso.
..ooCCCCCCCCoo..
""",
    """
....oocccccoo...
....occcccccco..
....occCcccco...
....occCsccco...
....oCcooccCo...
....oCCCCCCCo...
""",
)

LEGS = {
    "stand": """
...opppppppppo..
...oppppPppppo..
...obbbo.obbbo..
....ooo...ooo...
""",
    "walk": """
...opppppppppo..
...oppppPobbbo..
...obbbo..ooo...
....ooo.........
""",
    "side": """
....oppppppo....
....oppppPPo....
....obbbbbo.....
.....ooooo......
""",
    "side_walk": """
....oppppppo....
..oopppoPPPoo...
..obbbo.oobbo...
...ooo....oo....
""",
    "side_walk_other": """
....oppppppo....
...oPPPooppoo...
..oobbo.obbbo...
....oo...ooo....
""",
}


def _assemble(head: str, body: str, legs: str, lift: int) -> Picture:
    picture = Picture(WIDTH, HEIGHT, palette="people")
    picture.paste(Picture.parse(legs), 0, GROUND - 4)
    picture.paste(Picture.parse(body), 0, GROUND - 10 - lift)
    picture.paste(Picture.parse(head), 0, GROUND - 20 - lift)
    return picture


def person(head: str) -> list[Picture]:
    """Returns the seven pictures of someone with this kind of head."""
    down, up, side = HEADS[head]
    front, back, flank = BODIES
    return [
        _assemble(down, front, LEGS["stand"], 0),
        _assemble(down, front, LEGS["walk"], 1),
        _assemble(up, back, LEGS["stand"], 0),
        _assemble(up, back, LEGS["walk"], 1),
        _assemble(side, flank, LEGS["side"], 0),
        _assemble(side, flank, LEGS["side_walk"], 1),
        _assemble(side, flank, LEGS["side_walk_other"], 1),
    ]


# What stands up from somebody's head
CRESTS = {
    "plume": """
......oo........
.....ohho.oo....
....ohhhoohho...
....ohhhhhhho...
....ohHhhhHho...
""",
    "spikes": """
................
...oo.oo.oo.....
..ohhoohoohhoo..
..ohhhohhohhho..
..oohhhhhhhhoo..
""",
    "hood": """
................
.......oo.......
......oxxo......
.....oxxxxo.....
....oxxwwxxo....
""",
}


def leader(head: str, crest: str) -> list[Picture]:
    """Returns the pictures of somebody whom one knows from afar."""
    pictures = person(head)
    for picture, lift in zip(pictures, (0, 1, 0, 1, 0, 1, 1)):
        picture.paste(Picture.parse(CRESTS[crest]), 0, GROUND - 24 - lift)
    return pictures


def ball() -> list[Picture]:
    picture = Picture(WIDTH, HEIGHT, palette="people")
    picture.paste(
        Picture.parse("""
....oooo....
..ooxxxxoo..
.oxwxxxxxxo.
.oxxxxxxxXo.
oxxxxooxxXXo
ooooowwooooo
owwwwooewwSo
.owwwwwwwSo.
.oSwwwwwSSo.
..ooSSSSoo..
....oooo....
"""),
        2,
        GROUND - 10,
    )
    return [picture] * FRAMES


def bag() -> list[Picture]:
    picture = Picture(WIDTH, HEIGHT, palette="people")
    picture.paste(
        Picture.parse("""
.....oooo.....
....oP..Po....
..ooopppooo...
.opppppppppo..
oppppwwwppppo.
oPPPPPPPPPPPo.
ocpppppppppCo.
ocppoyyoppCCo.
ocpppooppppCo.
oCCpppppppCCo.
.ooooooooooo..
""".replace("y", "w")),
        1,
        GROUND - 10,
    )
    return [picture] * FRAMES


def tuft() -> list[Picture]:
    """Returns what hides the feet of somebody in tall grass; drawn with the leaf palette."""
    picture = Picture(WIDTH, 16, palette="people")
    picture.paste(
        Picture.parse("""
..c...c...c..c..
c.cc.cdc.cc.cdc.
cdcdcdcdcdcdcdcd
dcdcdddcdcdcdddc
ddcdddcdddcdddcd
.ddddddddddddddd
..dddd..dddddd..
"""),
        0,
        9,
    )
    return [picture]


def drop() -> Picture:
    """Returns a streak of rain; drawn with the leaf palette."""
    picture = Picture(WIDTH, 16, palette="people")
    for i in range(9):
        picture.put(9 - i // 3, 3 + i, "w" if i < 6 else "x")
    return picture


def bush() -> list[Picture]:
    """Returns a small tree that can be cut."""
    picture = Picture(WIDTH, HEIGHT, palette="people")
    picture.paste(
        Picture.parse("""
.....oooo.....
...oocccooo...
..occcccccCoo.
.occCcccCccCo.
.ocCccCcccCCo.
occccCcccCccCo
ocCcccccCcCCCo
.oCcCcCcCCCCo.
..ooCCCCCooo..
....oohhoo....
.....ohHo.....
.....ohHo.....
....oooooo....
"""),
        1,
        GROUND - 12,
    )
    return [picture] * FRAMES


def rock() -> Picture:
    """Returns a cracked rock that can be smashed."""
    picture = Picture(WIDTH, HEIGHT, palette="people")
    picture.paste(
        Picture.parse("""
....oooooo....
..ooccccccoo..
.occwccccCCCo.
.ocwccoccCCCo.
occcccocccCCCo
occccoccccoCCo
ocCccocccoCCCo
oCCccooccoCCCo
oCCCCcoccCoCCo
.oCCCCoCCCCCo.
..oCCCCCCCCo..
...oooooooo...
"""),
        1,
        GROUND - 11,
    )
    return picture


def boat() -> list[Picture]:
    picture = Picture(WIDTH, HEIGHT, palette="people")
    picture.paste(
        Picture.parse("""
.......oo.......
......owo.......
......owwo......
......owwoo.....
......owwwo.....
......owwwoo....
......owwwwo....
......owwwwoo...
......owSwwwo...
......owwwwwoo..
......owwSwwwo..
......ooooooooo.
.......oh.......
.ooo...oh..ooooo
ohHhoooohooohHho
ohhhhhhhhhhhhhho
.occcccccccccco.
.oCcccccccccCCo.
..oCCCCCCCCCCo..
...oooooooooo...
"""),
        0,
        GROUND - 20,
    )
    return [picture] * FRAMES


def bird() -> list[Picture]:
    """Returns a small sea bird."""
    picture = Picture(WIDTH, HEIGHT, palette="people")
    picture.paste(
        Picture.parse("""
....oooo....
...owwwwo...
..owwowwwo..
.oohwwwwwo..
ohhhwwwwwwo.
.oowwccccwwo
..owwcCCcwoo
..owwwccwwo.
...oSwwwwo..
....oooooo..
.....h..h...
....hh.hh...
"""),
        2,
        GROUND - 12,
    )
    return [picture] * FRAMES


def switch() -> list[Picture]:
    """Returns a lever on a plate."""
    picture = Picture(WIDTH, HEIGHT, palette="people")
    picture.paste(
        Picture.parse("""
.........oo...
........oxxo..
........oxXo..
.......owoo...
.......ow.....
......ow......
..oooowwoooo..
.owwwwoowwwwo.
.owSSSSSSSSwo.
.oSSSSSSSSSSo.
..oooooooooo..
"""),
        1,
        GROUND - 11,
    )
    return [picture] * FRAMES


def barrier() -> list[Picture]:
    picture = Picture(WIDTH, HEIGHT, palette="people")
    picture.paste(
        Picture.parse("""
oooooooooooooooo
occcccccccccccco
occwwccwwccwwcco
oCCCCCCCCCCCCCCo
oooooooooooooooo
..oCo......oCo..
oooooooooooooooo
occcccccccccccco
occwwccwwccwwcco
oCCCCCCCCCCCCCCo
oooooooooooooooo
..oCo......oCo..
.oCCCo....oCCCo.
.ooooo....ooooo.
"""),
        0,
        GROUND - 14,
    )
    return [picture] * FRAMES


def beam() -> list[Picture]:
    """Returns the barrier, and in place of its side a beam between two posts: only jade_full.gba has it."""
    picture = Picture(WIDTH, HEIGHT, palette="people")
    picture.paste(
        Picture.parse("""
.o............o.
oxo..........oxo
oxo..ww......oxo
oxooccwc...wcoxo
oxowcc.cw.cwcoxo
oxoc.....ccwwoxo
oXo..........oXo
oXo...ww.....oXo
oXo.cwcc..wcooXo
oXowwc..cwccwoXo
oXocc....cc..oXo
oXo..........oXo
oCo..........oCo
ooo..........ooo
"""),
        0,
        GROUND - 14,
    )
    return [*barrier()[:4], *[picture] * 3]


def beast() -> list[Picture]:
    """Returns a shaggy little animal that looks out at the player."""
    picture = Picture(WIDTH, HEIGHT, palette="people")
    picture.paste(
        Picture.parse("""
.oo........oo.
ohho......ohho
ohHhooooooHhho
ohhhhhhhhhhhho
ohewhhhhhhweho
.ohhhHooHhhho.
.ohHhhwwhhHho.
ohhHHhwwhHHhho
ohhhhHHHHhhhho
ohHhhhhhhhhHho
ohhoohhhhoohho
.oo..oooo..oo.
"""),
        1,
        GROUND - 11,
    )
    return [picture] * FRAMES


def boulder() -> list[Picture]:
    """Returns a boulder, which rolls half around while it is pushed."""
    still, rolled = (_ball_of_stone(scars) for scars in (BOULDER_SCARS, [(15 - x, 15 - y) for x, y in BOULDER_SCARS]))
    return [still, rolled, still, rolled, still, rolled, rolled]


BOULDER_SCARS = [(4, 5), (5, 6), (6, 6), (7, 7), (10, 4), (11, 5), (5, 11), (6, 10), (11, 10), (12, 9)]


def _ball_of_stone(scars: list[tuple[int, int]]) -> Picture:
    stone = Picture(WIDTH, WIDTH, palette="people")

    def colour(x: int, y: int) -> str:
        far, light = hypot(x - 7.5, y - 7.5), hypot(x - 5, y - 4)
        if far >= 8:
            return "."
        if far > 6.9:
            return "o"
        if (x, y) in scars:
            return "P"
        return "w" if light < 1.5 else "c" if light < 5.2 else "p" if light < 8.6 else "C"

    stone.paint(colour)
    picture = Picture(WIDTH, HEIGHT, palette="people")
    picture.paste(stone, 0, GROUND - 14)
    return picture


# Name, pictures, palette; the number in this list is the object's graphicsId.
LOOKS = [
    ("player", person("cap"), "player"),
    ("mother", person("long"), "mother"),
    ("rival", person("short"), "rival"),
    ("professor", person("short"), "professor"),
    ("boy", person("short"), "boy"),
    ("girl", person("long"), "girl"),
    ("guard", person("cap"), "guard"),
    ("elder", person("short"), "elder"),
    ("ball", ball(), "rival"),
    ("bag", bag(), "elder"),
    ("bush", bush(), "player"),
    ("boat", boat(), "boy"),
    ("barrier", barrier(), "rival"),
    ("bird", bird(), "boy"),
    ("switch", switch(), "rival"),
    ("blue barrier", barrier(), "guard"),
    ("girl player", person("long"), "player"),
    ("beast", beast(), "mother"),
]
# Only in jade_full.gba, after those: one picture, as there is no more room for tiles.
ROCK = ("rock", rock(), "elder")
# Faces of their own, only there, too; src/full/people/faces.c says where their pictures go. The order is that of LOOK_OHM and
# so on (src/art/assets.h).
FACES = [
    ("ohm", leader("short", "spikes"), "ohm"),
    ("marl", leader("cap", "hood"), "marl"),
    ("scoria", leader("long", "plume"), "scoria"),
    ("nurse", person("nurse"), "nurse"),
    ("petra", person("long"), "petra"),
    ("fin", person("spiky"), "fin"),
    ("brine", person("scarf"), "brine"),
    ("will", person("short"), "will"),
    ("father", person("short"), "father"),
    ("ash", person("scarf"), "ash"),
    ("keel", person("cap"), "keel"),
    ("boulder", boulder(), "boulder"),
]
# What jade_full.gba shows in place of some of them
FULL_LOOKS = {"barrier": beam(), "blue barrier": beam()}
