"""Feeds the file readers what atheris makes up: `python tests/game/fuzz_savefile.py [OPTIONS]`."""

import sys

import atheris

with atheris.instrument_imports(include=["emerald_env"]):
    from emerald_env.game.savefile import FlashSave, SaveFileError, parse
    from emerald_env.state import decode, decode_save


def use(data):
    try:
        content = parse(data)
    except SaveFileError:
        return
    if isinstance(content, FlashSave):
        decode_save(content.block1, content.block2)
    else:
        decode(content.read)


atheris.Setup(sys.argv, use)
atheris.Fuzz()
