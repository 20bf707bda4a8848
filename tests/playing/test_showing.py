"""Games that are played or evaluated can be watched in their checkpoint's session."""

import numpy as np
import pytest

from baselines.games.vec_games import make_vec_env
from baselines.playing.agent import PolicyOutput
from baselines.playing.showing import showing
from baselines.settings.game_config import GameConfig
from emerald_env.watching.live_file import LiveFile

NAMES = (("a", "b", "wait"), ("tile",))


@pytest.fixture
def games():
    games = make_vec_env(GameConfig(), 2, 1, watched=True)
    games.reset()
    yield games
    games.close()


def test_a_viewer_sees_the_games_and_the_policy_outputs_until_the_end(games, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    path = tmp_path / "live-evaluate"
    with showing(games, tmp_path, "evaluate", "Jade", NAMES) as shown:
        viewer = LiveFile(path)
        assert (viewer.command, viewer.actions, viewer.n_games) == ("evaluate", NAMES[0], 2)
        viewer.look()
        probabilities = np.array([[0.5, 0.25, 0.25], [0, 0, 1]], np.float32)
        output = PolicyOutput(np.array([0, 2]), probabilities, np.float32([1.5, -2.0]))
        shown.tell(output)
        games.step(np.array([3, 6]))
        assert viewer.policy().tolist() == [[1.5, 0, 0.5, 0.25, 0.25], [-2.0, 2, 0, 0, 1]]
        assert viewer.record(1).step == 1
        assert viewer.heartbeat[1] == 2
    assert not path.exists()


def test_a_checkpoint_without_a_session_shows_nothing(games, tmp_path):
    with showing(games, tmp_path, "play", "Jade", NAMES) as shown:
        shown.tell(PolicyOutput(np.zeros(2, np.int64), np.ones((2, 3), np.float32), np.ones(2)))
    with showing(games, None, "play", "Jade", NAMES):
        games.step(np.array([3, 6]))
    assert not list(tmp_path.iterdir())
