"""The state of a game that has just begun, for walks that nobody played."""

from emerald_env import tables
from emerald_env.flags import FLAG_COUNT
from emerald_env.state import POCKETS, Facing, GameState, Mode, Pokemon
from rewards.bits import mask

VARS_SIZE = 512  # bytes: SaveBlock1.vars
STATS_SIZE = 256  # bytes: SaveBlock1.gameStats
PC_SIZE = 200  # bytes: SaveBlock1.pcItems
BAG_SIZE = max(start + 4 * slots for start, slots in POCKETS.values())  # bytes

LITTLEROOT_TOWN = (0, 9)
PLAYERS_HOUSE_1F = (1, 0)

FLAGS = mask(flag.id for flag in tables.flags().values() if flag.initial)

NEW_GAME = GameState(
    mode=Mode.OVERWORLD,
    controllable=True,
    dialog_open=False,
    in_battle=False,
    location=LITTLEROOT_TOWN,
    position=(10, 10),
    facing=Facing.DOWN,
    map_size=(20, 20),
    component="hoenn_surface",
    global_position=(130, 290),
    avatar_flags=1,
    party=(),
    enemy_party=(),
    battlers=(),
    battle_type=0,
    battle_outcome=0,
    opponent=0,
    money=3000,
    coins=0,
    bag_data=bytes(BAG_SIZE),
    pc_data=bytes(PC_SIZE),
    flags=FLAGS.to_bytes(FLAG_COUNT // 8, "little"),
    vars=bytes(VARS_SIZE),
    stats=bytes(STATS_SIZE),
    pokedex_seen=0,
    pokedex_caught=0,
    play_time=(0, 0, 0, 0),
    player_name="MAY",
    player_gender=1,
    trainer_id=12345,
    secret_id=0,
    last_heal=(*PLAYERS_HOUSE_1F, 4, 2),
)

STARTER = Pokemon(
    species=277,
    nickname="TREECKO",
    level=5,
    hp=20,
    max_hp=20,
    exp=135,
    moves=(1, 43),
    pp=(35, 30),
    pp_bonuses=0,
    status=0,
    personality=1,
    ot_id=12345,
    ot_name="MAY",
    is_egg=False,
    is_bad_egg=False,
    held_item=0,
    friendship=70,
    evs=(0,) * 6,
    ivs=(10,) * 6,
    stats=(20, 10, 10, 10, 10, 10),
    ability_num=0,
    met_location=16,
    met_level=5,
    pokeball=4,
    pokerus=0,
    language=2,
    ribbons=0,
)
