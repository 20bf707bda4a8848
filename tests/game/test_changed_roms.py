"""Hacks are refused, or checked and played; the Japanese stand-in keeps its memory elsewhere."""

import hashlib
from dataclasses import replace

import pytest
from helpers.stand_ins import COMPILER, built, cartridge, patched, symbol_file
from hypothesis import given
from hypothesis import strategies as st

from baselines.commands.check import doctor
from emerald_env.emulator import RomError
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.game import code_patterns as code
from emerald_env.game import editions
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import JADE_IDLE_LOOP, edition, identify, open_game
from emerald_env.game.symbol_file import read_symbols
from emerald_env.starts import starts
from emerald_env.starts.starts import NEW_GAME, made_starts, prepare_starts
from emerald_env.state import StateReader, decode

JAPANESE = edition("BPEJ").addresses
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no compiler for the console")


@pytest.fixture(scope="module")
def rom(tmp_path_factory):
    """A game whose every variable is where the Japanese Emerald has it."""
    folder = tmp_path_factory.mktemp("japanese")
    (folder / "hack.gba").write_bytes(cartridge(built("BPEJ", folder), JAPANESE))
    return folder / "hack.gba"


@pytest.fixture(scope="module")
def begun(rom):
    """The same, and a file with the state in which its new games begin, as a known edition."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(rom.parent / "cache"))
        sha1 = hashlib.sha1(rom.read_bytes()).hexdigest()
        known = replace(edition("BPEJ"), sha1=sha1, idle_loop=JADE_IDLE_LOOP)
        patch.setattr(editions, "edition", lambda code: known)
        (start,) = prepare_starts(rom, NEW_GAME)
        findings = list(doctor.check_rom(rom)) + list(doctor.check_play(rom))
    state = rom.parent / "begun.state"
    state.write_bytes(start.state)
    return rom, state, findings


@pytest.fixture
def jades_loop(monkeypatch):
    """Lets Jade's own wait loop be skipped, which is not where Emerald's is."""
    monkeypatch.setattr(editions, "IDLE_LOOP", JADE_IDLE_LOOP)
    monkeypatch.setattr(editions, "wait_loop", lambda content, function: JADE_IDLE_LOOP)
    starts.warn_of.cache_clear()


@needs_compiler
def test_a_game_of_the_japanese_edition_is_begun_checked_and_read_from_end_to_end(begun, jade):
    rom, state, findings = begun
    levels = {finding.what: finding.level for finding in findings}
    assert levels.pop("clock") == "note", "Jade never reads it"
    assert levels.pop("translation") == "note", "nobody has compiled it"
    assert set(levels.values()) == {"ok"} and "wait loop" in levels and "play" in levels
    assert "7 of 7 found in the code" in str(findings)
    (start,) = prepare_starts(None, NEW_GAME)
    start.restore(jade)
    with editions.Game(rom, edition("BPEJ")) as game:
        game.set_state(state.read_bytes())
        assert StateReader.of(game).sample() == decode(jade.memory.read)
        assert decode(game.memory.read) is None, "not with the US edition's addresses"


@needs_compiler
def test_a_rom_that_nobody_knows_is_refused_or_played_with_a_loud_warning(
    begun, jades_loop, capsys
):
    rom, state, _ = begun
    with pytest.raises(RomError, match=r"SHA-1.*--allow-unknown-rom.*--symbols"):
        identify(rom)
    config = EnvConfig(rom=rom, allow_unknown_rom=True, start=str(state), start_wait=0)
    env = EmeraldEnv(config)
    env.reset(seed=0)
    env.step(0)
    assert env.state.money == 3000 and env.gba.edition.is_changed
    env.close()
    assert "WARNING" in capsys.readouterr().err


@needs_compiler
def test_a_changed_roms_new_game_is_checked_once_and_warned_of_each_time(
    begun, jades_loop, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    checked = []
    monkeypatch.setattr(starts, "self_check", lambda gba: checked.append(gba) or iter([]))
    choice = GameChoice(rom=begun[0], allow_unknown_rom=True)
    for _ in range(2):
        made_starts.cache_clear()
        starts.warn_of.cache_clear()  # as in another process
        (start,) = prepare_starts(choice, NEW_GAME)
        assert start.state == begun[1].read_bytes()
        assert "WARNING" in capsys.readouterr().err
    assert len(checked) == 1


@needs_compiler
def test_a_hack_built_from_the_decompilation_is_read_with_its_symbols(
    begun, jades_loop, tmp_path, capsys
):
    rom, state, _ = begun
    choice = GameChoice(rom=rom, symbols=symbol_file("BPEJ", tmp_path))
    found = identify(choice)
    assert found.addresses == JAPANESE and found.is_changed
    names = [entry.name for entry in found.screens.values()]
    assert "CB2_Overworld" in names and "MainCB2" not in names, "two are called so"
    (start,) = prepare_starts(choice, str(state))
    assert "WARNING" in capsys.readouterr().err
    with open_game(choice) as game:
        start.restore(game)
        assert StateReader.of(game).sample().money == 3000


def test_a_hacks_name_can_be_printed_whatever_its_file_is_called(tmp_path):
    path = tmp_path / "ハック\u30001.gba"
    path.write_bytes(cartridge(patched("BPEE"), edition("BPEE").addresses))
    found = identify(GameChoice(rom=path, symbols=symbol_file("BPEE", tmp_path)))
    assert found.name == "ハック\\x30001 (hack of Pokémon Emerald)"


@needs_compiler
def test_a_hack_that_is_misread_is_refused_after_its_check(begun, jades_loop, tmp_path):
    rom, state, _ = begun
    lines = symbol_file("BPEJ", tmp_path).read_text().splitlines()
    place = next(i for i, line in enumerate(lines) if line.endswith(" gPokemonStoragePtr"))
    lines[place] = "03005b00 g 00000004 gPokemonStoragePtr"
    (tmp_path / "BPEJ.sym").write_text("\n".join(lines))
    choice = GameChoice(rom=rom, symbols=tmp_path / "BPEJ.sym")
    with pytest.raises(RomError, match="boxes"):
        prepare_starts(choice, str(state))


def test_a_changed_rom_whose_code_is_another_is_refused_with_what_differs(tmp_path):
    path = tmp_path / "hack.gba"
    path.write_bytes(cartridge(patched("BPEE")))
    with pytest.raises(RomError, match="gMain"):
        identify(GameChoice(rom=path, allow_unknown_rom=True))
    path.write_bytes(cartridge(patched("BPEE"), JAPANESE))
    with pytest.raises(RomError, match="gMain is at 0x03002360, not 0x030022C0"):
        identify(GameChoice(rom=path, allow_unknown_rom=True))
    path.write_bytes(cartridge(patched("BPEE"), edition("BPEE").addresses) * 2)
    with pytest.raises(RomError, match="expanded hack"):
        identify(path)
    assert "functions" in str(code.code_differences(path.read_bytes(), edition("BPEE").addresses))


def test_an_expanded_rom_with_unchanged_code_may_be_allowed(tmp_path):
    path = tmp_path / "hack.gba"
    path.write_bytes(cartridge(patched("BPEE"), edition("BPEE").addresses) + bytes(16 << 20))
    found = identify(GameChoice(rom=path, allow_unknown_rom=True))
    assert found.is_changed and not found.is_proved and found.name.endswith("changed")
    assert found.idle_loop == code.IDLE_LOOP, "of which mGBA does not think for a changed ROM"


@pytest.mark.parametrize("code_of", ["BPEE", "BPEJ"])
def test_the_wait_loop_and_the_addresses_are_found_in_the_code(code_of):
    addresses = edition(code_of).addresses
    rom = cartridge(b"", addresses)
    found = code.found_in_code(rom)
    assert found == {name: getattr(addresses, name) for name in code.FOUND_IN_CODE}
    wait = 0x08000000 + rom.index(bytes.fromhex("00b5094a918b"))
    # in the disassembly the function is at 0x080008AC and its loop at 0x080008C6
    assert code.wait_loop(rom, wait) - wait == code.IDLE_LOOP - 0x080008AC
    assert code.wait_loop(rom, None) is None and code.wait_loop(bytes(256), 0x08000000) is None


def test_symbols_that_do_not_fit_are_refused_with_their_reason(tmp_path):
    size = 16 << 20
    assert read_symbols(symbol_file("BPED", tmp_path), size).addresses == edition("BPED").addresses
    lacking = symbol_file("BPED", tmp_path, without=("gTasks",))
    with pytest.raises(RomError, match="lacks gTasks"):
        read_symbols(lacking, size)
    larger = symbol_file("BPED", tmp_path, sizes={"gBattleMons": 0x190})
    with pytest.raises(RomError, match="gBattleMons has 400 bytes, not 352"):
        read_symbols(larger, size)
    with pytest.raises(RomError, match="CB2_Overworld is at"):
        read_symbols(symbol_file("BPED", tmp_path), 1 << 16)
    (tmp_path / "no.sym").write_text("a shopping list")
    with pytest.raises(RomError, match="make syms"):
        read_symbols(tmp_path / "no.sym", size)
    with pytest.raises(FileNotFoundError):
        read_symbols(tmp_path / "none.sym", size)


@pytest.mark.parametrize(
    ("line", "address"),
    [
        ("02031234 g 000007d0 gStringVar4", 0x02031234),  # a hack with longer texts
        ("", 0),
        ("0203fff0 g 000003e8 gStringVar4", 0),  # the end of memory
        ("09000000 g 000003e8 gStringVar4", 0),  # no memory
    ],
)
def test_the_message_is_where_the_symbols_say_or_nowhere(tmp_path, line, address):
    file = symbol_file("BPEE", tmp_path, without=("gStringVar4",))
    file.write_text(file.read_text() + line)
    assert read_symbols(file, 16 << 20).addresses.g_string_var_4 == address


@pytest.mark.parametrize(
    ("line", "field", "address"),
    [
        ("03001234 g 0000000c sMenu", "s_menu", 0x03001234),
        ("03007ff8 g 0000000c sMenu", "s_menu", 0),  # the end of memory
        ("fffffff8 g 0000000c sMenu", "s_menu", 0),
        ("0fffff00 g 00000014 gPartyMenu", "g_party_menu", 0),
        ("08000000 g 00000002 gMoveToLearn", "g_move_to_learn", 0),  # a variable in the ROM
        ("ffffffff g 00000004 sMonSummaryScreen", "s_mon_summary_screen", 0),
        ("0203fff4 g 00000000 gBattlerControllerFuncs", "g_battler_controller_funcs", 0),
        ("08fffffe g 00000002 HandleInputChooseMove", "handle_input_choose_move", 0x08FFFFFF),
        ("09000000 g 00000002 HandleInputChooseMove", "handle_input_choose_move", 0),
    ],
)
def test_a_menu_is_where_the_symbols_say_or_unknown(tmp_path, line, field, address):
    file = symbol_file("BPEE", tmp_path, without=(line.split()[-1],))
    file.write_text(file.read_text() + line)
    assert getattr(read_symbols(file, 16 << 20).addresses.menus, field) == address


@given(st.binary(max_size=300) | st.text("0123456789abcdef gl\nMain", max_size=300))
def test_no_file_of_symbols_gives_anything_but_a_reason(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.sym"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(RomError):
        read_symbols(path, 16 << 20)


def test_a_choice_is_the_same_in_settings_and_on_a_command_line(tmp_path):
    choice = GameChoice(rom=tmp_path / "a.gba", symbols=tmp_path / "a.sym", allow_unknown_rom=True)
    assert EnvConfig(**vars(choice)).choice == choice
    assert choice.flags() == [
        "--rom", str(choice.rom), "--symbols", str(choice.symbols), "--allow-unknown-rom",
    ]  # fmt: skip
    assert GameChoice().flags() == []
