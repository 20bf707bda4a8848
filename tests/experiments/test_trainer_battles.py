"""How often an agent wins against each trainer."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from baselines.games.recorded_play import by_guide, record_play
from baselines.settings.game_config import GameConfig
from emerald_env.game.flags import TRAINER_FLAGS
from experiments.trainer_battles import WON, Battle, battles, main, share_won
from rewards.audit.new_game import NEW_GAME

LOST = 2


def beaten(*trainers):
    """Flags of a game in which these are beaten."""
    bits = sum(1 << TRAINER_FLAGS.start + trainer for trainer in trainers)
    return bits.to_bytes(len(NEW_GAME.flags), "little")


# a battle's steps, whether its end is seen in it, or only afterwards, and who wins
FOUGHT = st.tuples(st.integers(1, 5), st.integers(1, 3), st.booleans(), st.booleans())


@given(st.lists(FOUGHT, max_size=6))
def test_each_battle_is_told_once_with_its_winner(fought):
    states, done, expected = [NEW_GAME, None], (), []
    for trainer, steps, seen, won in fought:
        before = replace(NEW_GAME, flags=beaten(*set(done)))
        states += [replace(before, opponent=trainer)] * steps
        if seen:
            states.append(replace(states[-1], battle_outcome=WON if won else LOST))
        known = won and (seen or trainer not in done)
        done += (trainer,) if won else ()
        states += [None, replace(NEW_GAME, flags=beaten(*set(done)))]
        expected.append(Battle(trainer, 0, 0, known))
    assert list(battles(states)) == expected


def test_a_battle_in_which_the_episode_ends_is_neither_won_nor_lost():
    (battle,) = battles([replace(NEW_GAME, opponent=7)])
    assert battle.won is None and share_won([battle]) is None
    assert share_won([battle, battle._replace(won=True)])[0] == 1.0


def test_a_guided_episode_beats_the_rival(tmp_path, capsys):
    config = GameConfig(observation="screen", guide=True, episode_length=700)
    record_play(by_guide, tmp_path, config)
    assert main([str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "BRENDAN" in said or "MAY" in said
    assert "100%" in said
