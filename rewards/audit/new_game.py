"""The state of a new game, for scripted walks."""

from dataclasses import replace

from emerald_env.game import tables
from emerald_env.game.flags import FLAG_COUNT
from emerald_env.state import NOBODY, NOWHERE, Facing
from emerald_env.state.bits import mask

LITTLEROOT_TOWN = (0, 9)
PLAYERS_HOUSE_1F = (1, 0)

FLAGS = mask(flag.id for flag in tables.flags().values() if flag.initial)

NEW_GAME = replace(
    NOWHERE,
    controllable=True,
    dialog_open=False,
    location=LITTLEROOT_TOWN,
    position=(10, 10),
    facing=Facing.DOWN,
    map_size=(20, 20),
    component="hoenn_surface",
    global_position=(130, 290),
    avatar_flags=1,
    money=3000,
    flags=FLAGS.to_bytes(FLAG_COUNT // 8, "little"),
    player_name="MAY",
    player_gender=1,
    trainer_id=12345,
    last_heal=(*PLAYERS_HOUSE_1F, 4, 2),
)

STARTER = replace(
    NOBODY,
    species=277,
    nickname="TREECKO",
    level=5,
    hp=20,
    max_hp=20,
    exp=135,
    moves=(1, 43),
    pp=(35, 30),
    personality=1,
    ot_id=12345,
    ot_name="MAY",
    friendship=70,
    ivs=(10,) * 6,
    stats=(20, 10, 10, 10, 10, 10),
    met_location=16,
    met_level=5,
    pokeball=4,
    language=2,
)
