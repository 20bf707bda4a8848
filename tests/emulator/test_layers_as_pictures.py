"""Sprites and backgrounds, compared with what mGBA draws of them."""

import numpy as np
import pytest
from helpers.gba_programs import IO, program

from emerald_env import GBA

DISPLAY, CONTROL, SCROLL = IO, IO + 8, IO + 0x10
SPRITES_ON = 1 << 12
SOLID = 0b1111 << 10 | 1 << 15


def drawn(writes, dice, sprite=None):
    """A console that shows random tiles and colours, after two frames."""
    gba = GBA(program(writes, "idle"))
    gba.tick()
    vram = gba.memory.vram
    vram[:] = dice.integers(0, 256, len(vram))
    gba.memory.palette[:] = dice.integers(0, 256, len(gba.memory.palette))
    gba.memory.oam.view("<u2")[::4] = 2 << 8  # all hidden
    if sprite is not None:
        gba.memory.oam.view("<u2")[: len(sprite)] = sprite
    gba.set_state(gba.get_state())  # mGBA looks at all of it again
    gba.tick(2)
    return gba


def on_the_screen(gba, picture, x, y):
    """The backdrop with a picture's pixels, from one of its places on, repeated forever."""
    five = int(gba.memory.palette.view("<u2")[0])
    backdrop = [(five >> s & 31) << 3 | (five >> s & 31) >> 2 for s in (0, 5, 10)]
    rows = (np.arange(160) + y) % len(picture)
    columns = (np.arange(240) + x) % len(picture[0])
    shown = picture[rows][:, columns]
    return np.where(shown[..., 3:] > 0, shown[..., :3], np.uint8(backdrop))


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("size", range(4))
@pytest.mark.parametrize("colours", [0, 1 << 7])
def test_a_background_of_tiles_is_what_the_screen_shows(number, size, colours):
    dice = np.random.default_rng([number, size, colours])
    x, y = (int(n) for n in dice.integers(0, 512, 2))
    control = size << 14 | int(dice.integers(24, 28)) << 8 | colours | 1 << 2 | number
    writes = [(DISPLAY, 1 << 8 + number), (CONTROL + 2 * number, control)]
    writes += [(SCROLL + 4 * number, x), (SCROLL + 4 * number + 2, y)]
    with drawn(writes, dice) as gba:
        background = gba.get_background(number)
        assert (background.kind, background.is_shown) == ("tiles", True)
        assert background.scroll == (x, y) and background.priority == number
        width, height = 256 << (size & 1), 256 << (size >> 1)
        assert background.ndarray.shape == (height, width, 4)
        assert np.array_equal(np.asarray(background.image), background.ndarray)
        assert np.array_equal(on_the_screen(gba, background.ndarray, x, y), gba.screen.rgb)


@pytest.mark.parametrize("size", range(4))
def test_a_rotated_background_that_is_not_turned_is_what_the_screen_shows(size):
    dice = np.random.default_rng(size)
    writes = [(DISPLAY, 2 | 1 << 10), (CONTROL + 4, size << 14 | 24 << 8 | 1 << 13)]
    writes += [(IO + 0x20, 0x100), (IO + 0x26, 0x100)]
    with drawn(writes, dice) as gba:
        background = gba.get_background(2)
        assert background.kind == "rotated"
        assert background.ndarray.shape == (128 << size, 128 << size, 4)
        assert np.array_equal(on_the_screen(gba, background.ndarray, 0, 0), gba.screen.rgb)
        with pytest.raises(ValueError, match="mode 2 of the screen has no background 0"):
            gba.get_background(0).ndarray  # noqa: B018


@pytest.mark.parametrize("mode", [3, 4, 4 | 1 << 4, 5, 5 | 1 << 4])
def test_a_bitmap_is_what_the_screen_shows(mode):
    writes = [(DISPLAY, mode | 1 << 10), (IO + 0x20, 0x100), (IO + 0x26, 0x100)]
    with drawn(writes, np.random.default_rng(mode)) as gba:
        bitmap = gba.get_background(2).ndarray
        height, width = bitmap.shape[:2]
        shown = on_the_screen(gba, bitmap, 0, 0)[:height, :width]
        assert np.array_equal(shown, gba.screen.rgb[:height, :width])
        assert (height, width) == ((128, 160) if mode & 7 == 5 else (160, 240))


@pytest.mark.parametrize("shape", range(3))
@pytest.mark.parametrize("size", range(4))
@pytest.mark.parametrize("in_a_row", [0, 1 << 6])
@pytest.mark.parametrize("colours", [0, 1 << 13])
def test_a_sprite_is_what_the_screen_shows(shape, size, in_a_row, colours):
    dice = np.random.default_rng([shape, size, in_a_row, colours])
    flips, palette = (int(n) for n in dice.integers(0, (4, 16)))
    x, y = int(dice.integers(-4, 170)), int(dice.integers(-4, 90))
    tile = int(dice.integers(0, 100)) * 2
    words = (
        y & 0xFF | colours | shape << 14,
        x & 0x1FF | flips << 12 | size << 14,
        tile | palette << 12,
    )
    with drawn([(DISPLAY, SPRITES_ON | in_a_row)], dice, words) as gba:
        sprite = gba.get_sprite(0)
        assert (sprite.x, sprite.y, sprite.tile_identifier) == (x, y, tile) and sprite.on_screen
        canvas = np.zeros((256, 512, 4), np.uint8)
        width, height = sprite.shape
        canvas[64 + y :, 64 + x :][:height, :width] = sprite.ndarray
        assert np.array_equal(on_the_screen(gba, canvas, 64, 64), gba.screen.rgb)
        assert not gba.get_sprite(1).on_screen


def test_what_there_is_not_is_said(jade):
    for get, wrong in ((jade.get_sprite, 128), (jade.get_sprite, -1), (jade.get_background, 4)):
        with pytest.raises(ValueError, match=f"not {wrong}"):
            get(wrong)
    jade.stop()
    for use in (lambda: jade.get_sprite(0), lambda: jade.palettes):
        with pytest.raises(ValueError, match="was stopped"):
            use()


def test_jades_palettes_have_the_colours_of_its_screen(jade):
    jade.tick(200)
    assert jade.palettes.shape == (32, 16, 4) and not jade.palettes[:, 0, 3].any()
    colours = {tuple(c) for c in jade.palettes.reshape(-1, 4)[:, :3].tolist()}
    assert {tuple(c) for c in np.unique(jade.screen.rgb.reshape(-1, 3), axis=0).tolist()} <= colours
