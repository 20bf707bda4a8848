"""Sampling a running game: a state that is right, or the last one that was."""

from helpers.handmade import US, Game, Mon

from emerald_env.game import symbols as sym
from emerald_env.game import tables
from emerald_env.state import Mode, StateReader

POINTERS = {entry.name: entry.pointer for entry in tables.callbacks().values()}


class Running:
    """A game whose memory a test exchanges while one reader looks at it."""

    def __init__(self, game):
        self.memory = game.memory()
        self.reader = StateReader(lambda address, size: self.memory.read(address, size))

    def sample(self, game=None, callback2=None):
        if game is not None:
            self.memory = game.memory()
        if callback2 is not None:
            self.memory.put(US.g_main + sym.MAIN_CALLBACK2, "I", POINTERS[callback2])
        return self.reader.sample()


def test_a_free_game_is_sampled_each_time():
    running = Running(Game(money=100))
    assert running.sample().money == 100
    assert running.sample(Game(money=90)).money == 90
    assert running.reader.rejections == {}


def test_while_a_map_loads_the_last_state_is_kept():
    running = Running(Game(location=(0, 9)))
    before = running.sample()
    held = running.sample(Game(location=(1, 0), size=(11, 9), position=(3, 3)), "CB2_LoadMap")
    assert (held.location, held.position) == (before.location, before.position)
    assert held.mode is Mode.TRANSITION and not held.controllable
    assert running.reader.rejections == {"loading": 1}
    assert running.sample(Game(location=(1, 0), size=(11, 9), position=(3, 3))).location == (1, 0)


def test_in_a_screen_of_its_own_the_last_state_is_kept_as_a_menu():
    running = Running(Game(money=100))
    running.sample()
    held = running.sample(Game(money=90), "CB2_BagMenuRun")
    assert (held.money, held.mode, held.controllable) == (100, Mode.MENU, False)
    assert running.reader.rejections == {"screen": 1}


def test_the_same_held_state_is_the_same_object():
    running = Running(Game())
    running.sample()
    assert running.sample(callback2="CB2_LoadMap") is running.sample(callback2="CB2_LoadMap2")


def test_a_fade_lets_the_last_state_stand():
    running = Running(Game(money=100))
    running.sample()
    game = Game(money=90)
    running.memory = game.memory()
    running.memory.put(US.g_palette_fade + sym.PALETTE_FADE_ACTIVE, "B", 0x80)
    held = running.sample()
    assert (held.money, held.mode) == (100, Mode.TRANSITION)
    assert running.reader.rejections == {"fade": 1}


def test_a_pokemon_that_is_being_written_lets_the_last_state_stand():
    running = Running(Game())
    before = running.sample()
    running.memory.put(US.g_player_party + 0x28, "I", 0)
    held = running.sample()
    assert held.party == before.party
    assert held.mode is Mode.OVERWORLD and held.controllable
    assert running.reader.rejections == {"party": 1}


def test_a_box_that_opens_while_memory_is_not_believed_is_seen():
    running = Running(Game())
    running.sample()
    running.memory.put(US.g_player_party + 0x28, "I", 0)
    running.memory.put(sym.DIALOGUE_FRAME_CELL, "H", sym.DIALOGUE_FRAME_TILE)
    held = running.sample()
    assert held.mode is Mode.DIALOG and held.dialog_open


def test_a_battle_is_sampled():
    running = Running(Game())
    running.sample()
    state = running.sample(Game(enemies=(Mon(species=290, personality=99),)))
    assert state.mode is Mode.BATTLE and state.enemy_party[0].species == 290


def test_before_a_game_is_started_there_is_nothing():
    running = Running(Game())
    running.memory.put(US.s_play_time_counter_state, "B", 0)
    assert running.sample() is None
    assert running.sample(callback2="CB2_InitTitleScreen") is None
    assert running.reader.rejections == {"not_started": 2}


def test_back_at_the_title_screen_the_last_state_is_forgotten():
    running = Running(Game())
    running.sample()
    assert running.sample(callback2="CB2_InitTitleScreen") is None
    assert running.sample(callback2="CB2_LoadMap") is None


def test_a_game_that_begins_in_a_menu_is_read_there():
    running = Running(Game(money=100))
    state = running.sample(callback2="CB2_BagMenuRun")
    assert (state.money, state.mode) == (100, Mode.MENU)


def test_a_game_that_begins_while_a_map_loads_waits():
    running = Running(Game())
    assert running.sample(callback2="CB2_LoadMap") is None
    assert running.sample(Game()).mode is Mode.OVERWORLD


def test_a_reset_forgets_state_and_counts():
    running = Running(Game())
    running.sample()
    running.sample(callback2="CB2_LoadMap")
    running.reader.reset()
    assert running.reader.rejections == {}
    assert running.sample() is None
    assert running.sample(Game(money=7)).money == 7


def test_the_credits_end_the_episode_until_the_next_reset():
    running = Running(Game())
    running.sample()
    assert not running.reader.finished
    assert running.sample(callback2="CB2_Credits").mode is Mode.TRANSITION
    assert running.reader.finished
    running.reader.reset()
    assert not running.reader.finished
