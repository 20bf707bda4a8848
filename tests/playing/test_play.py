"""Playing a checkpoint: in a window, as a video, by hand."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest

from baselines.checkpoints import trained as trained_agents
from baselines.checkpoints.checkpoint_file import CheckpointError, load_policy, save_checkpoint
from baselines.checkpoints.trained import TRAINED, find_checkpoint
from baselines.commands.play.evaluate import main as evaluate
from baselines.commands.play.human_play import save_state, states_folder
from baselines.commands.play.play_game import main
from baselines.playing.display.key_help import BUTTONS
from baselines.playing.display.panel import NO_KEYS, Panel, PanelStatus
from baselines.playing.display.screens import WindowClosed, WindowScreen
from baselines.playing.display.speaker import CHUNK, Speaker
from baselines.playing.display.video import VideoFile
from baselines.playing.display.watched_env import WatchedEnv
from baselines.playing.episode_totals import EpisodeTotals
from baselines.playing.play_config import PlayConfig
from baselines.playing.player import EpisodePlayer, SingleGame
from baselines.settings.game_config import GameConfig
from baselines.settings.policy_config import PolicyConfig
from baselines.settings.train_config import PPOConfig, TrainConfig
from baselines.training.model import fit_to_machine, make_games, make_model
from baselines.training.phases import describe
from emerald_env.emulator import FRAMES_PER_SECOND, key_mask
from emerald_env.emulator.keys import KEYBOARD
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.reward_function import NoReward

SCRIPT = Path(__file__).resolve().parents[2] / "baselines" / "play.py"
STEPS = 10


@pytest.fixture(scope="module")
def trained():
    """A model as training makes it, and its manifest."""
    config = fit_to_machine(TrainConfig(n_envs=1, device="cpu", ppo=PPOConfig(batch_size=64)))
    games = make_games(config)
    model = make_model(config, games)
    yield model, describe(config, model)
    games.close()


@pytest.fixture(scope="module")
def checkpoint(trained, tmp_path_factory):
    model, manifest = trained
    path = tmp_path_factory.mktemp("play") / "agent.zip"
    save_checkpoint(model, path, manifest)
    return path


def changed(trained, path, **changes):
    model, manifest = trained
    save_checkpoint(model, path, replace(manifest, **changes))
    return str(path)


def test_a_video_shows_every_second_frame_of_the_steps_played(checkpoint, tmp_path, capsys):
    video = tmp_path / "agent.mp4"
    assert main([str(checkpoint), "--video", str(video), "--episode-length", str(STEPS)]) == 0
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(video))
    assert frames == STEPS * 24 // 2
    assert seconds == pytest.approx(STEPS * 24 / 60, abs=0.05)
    reader = imageio_ffmpeg.read_frames(str(video))
    assert next(reader)["size"] == (720, 480)
    picture = np.frombuffer(next(reader), np.uint8).reshape(480, 720, 3)
    assert picture.std() > 5, "the video shows a game"
    reader.close()
    shown = capsys.readouterr().out
    assert f"{STEPS} steps, reward" in shown and "milestones:" in shown
    assert sorted(path.name for path in tmp_path.iterdir()) == ["agent.mp4"]


def test_ctrl_c_while_a_picture_is_written_loses_no_film(checkpoint, tmp_path, monkeypatch):
    write, count = VideoFile._write, iter(range(1, 1000))

    def interrupted(film, ffmpeg, pixels):
        """Gets Ctrl-C in the middle of its ninth picture."""
        half = len(pixels) // 2
        write(film, ffmpeg, pixels[:half])
        if next(count) == 9:
            signal.raise_signal(signal.SIGINT)
        write(film, ffmpeg, pixels[half:])

    monkeypatch.setattr(VideoFile, "_write", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job may have none
    video = tmp_path / "agent.mp4"
    assert main([str(checkpoint), "--video", str(video), "--episode-length", str(STEPS)]) == 0
    handled = signal.signal(signal.SIGINT, before)
    assert imageio_ffmpeg.count_frames_and_secs(str(video))[0] == 9
    assert handled is signal.default_int_handler


def test_the_same_seed_plays_the_same_game(checkpoint, tmp_path):
    videos = [tmp_path / f"{number}.mp4" for number in range(3)]
    for video, seed in zip(videos, "112", strict=True):
        main([str(checkpoint), "--video", str(video), "--episode-length", "6", "--seed", seed])
    first, second, other = (video.read_bytes() for video in videos)
    assert first == second != other


def test_a_checkpoint_of_another_game_is_not_played(trained, tmp_path, capsys):
    game = {"name": "Pokémon Emerald (US)", "code": "BPEE", "sha1": "0" * 40}
    path = changed(trained, tmp_path / "emerald.zip", game=game)
    assert main([path, "--video", str(tmp_path / "a.mp4")]) == 1
    error = capsys.readouterr().err
    assert "trained on Pokémon Emerald (US) (BPEE), the ROM is Jade" in error and "--rom" in error


def test_another_build_of_the_game_is_played_with_a_note(trained, tmp_path, capsys):
    _, manifest = trained
    path = changed(trained, tmp_path / "old.zip", game=manifest.game | {"sha1": "0" * 40})
    assert main([path, "--video", str(tmp_path / "a.mp4"), "--episode-length", "1"]) == 0
    assert "another build" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"actions": ["a"]}, "its actions are"),
        ({"env": {"frame_skip": 0}}, "frame_skip is 0: it must be at least 1"),
        ({"env": {"nonsense": 1}}, "nonsense"),
        ({"reward": {"name": "x", "weights": {"nonsense": 1.0}}}, "nonsense"),
        ({"env": {"shrink": 4}}, "its network sees"),
    ],
)
def test_a_manifest_that_does_not_fit_is_answered_with_what_does_not(
    trained, tmp_path, capsys, changes, message
):
    path = changed(trained, tmp_path / "odd.zip", **changes)
    assert main([path, "--video", str(tmp_path / "a.mp4"), "--episode-length", "1"]) == 1
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["odd.zip"]


def test_a_manifest_cannot_make_the_player_read_a_file(trained, tmp_path):
    _, manifest = trained
    odd = replace(manifest, env=manifest.env | {"start": "/etc/passwd", "reward": "/etc/passwd"})
    config = odd.env_config(None)
    assert config.start == "new-game" and config.reward == "default"


@pytest.mark.parametrize("driver", [{}, {"SDL_VIDEODRIVER": "x11"}])
def test_where_there_is_no_screen_the_message_says_video(checkpoint, driver):
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "XDG_RUNTIME_DIR")
    environment = {k: v for k, v in os.environ.items() if k not in screens}
    played = subprocess.run(
        [sys.executable, str(SCRIPT), str(checkpoint)],
        env=environment | driver,
        capture_output=True,
        text=True,
    )
    assert played.returncode == 1
    (line,) = played.stderr.splitlines()
    assert line.startswith("error: no window can be opened here") and "--video FILE.mp4" in line
    assert "render_mode" not in line


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "either a checkpoint to watch, or --human"),
        (["a.zip", "--human"], "either a checkpoint to watch, or --human"),
        (["--human", "--video", "a.mp4"], "--human needs a window"),
        (["a.zip", "--episode-length", "0"], "episode_length is 0"),
        (["a.zip", "--json"], "give --episodes, too"),
        (["--human", "--episodes", "2"], "--human needs a window"),
        (["jade", "--record", "x"], "--record is for --human"),
        (["--human", "--no-states"], "nothing to do without --record"),
        (["jade", "--sound", "--video", "a.mp4"], "--sound needs a window"),
        (["a.zip", "--panel", "--scale", "1"], "needs --scale 2 or more"),
    ],
)
def test_flags_that_do_not_go_together_are_answered(flags, message, capsys):
    with pytest.raises(SystemExit):
        main(flags)
    assert message in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_a_missing_checkpoint_or_folder_is_named(tmp_path, checkpoint, capsys):
    assert main([str(tmp_path / "no.zip"), "--video", "a.mp4"]) == 1
    assert "no checkpoint at" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["file/a.mp4", "a.avi", "folder.mp4"])
def test_a_place_for_a_video_is_refused_before_any_work(name, tmp_path, checkpoint):
    (tmp_path / "folder.mp4").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as end:
        main([str(checkpoint), "--video", str(tmp_path / name)])
    assert end.value.code == 2


@pytest.mark.parametrize(
    ("flag", "message"),
    [("--start", "neither a save state"), ("--rom", "fewer than a ROM's header")],
)
def test_a_start_or_a_rom_that_is_none_is_said_in_one_line(flag, message, tmp_path, capsys):
    (tmp_path / "text").write_text("hello")
    assert main(["jade", "--episodes", "1", flag, str(tmp_path / "text")]) == 1
    printed = capsys.readouterr()
    assert message in printed.err and not printed.out


def test_a_watched_game_is_the_same_game_bit_for_bit():
    config = GameConfig(observation="screen")
    frames, heard = [], []
    watched = WatchedEnv(
        config, NoReward(), lambda picture: frames.append(picture.copy()), heard.append
    )
    plain = EmeraldEnv(config)
    generator = np.random.default_rng(3)
    assert (watched.reset(seed=5)[0] == plain.reset(seed=5)[0]).all()
    for count in range(1, 41):
        action = generator.integers(15)
        seen, reward, *_ = watched.step(action)
        expected, expected_reward, *_ = plain.step(action)
        assert (seen == expected).all() and reward == expected_reward
        assert (watched.gba.memory.ewram == plain.gba.memory.ewram).all()
        assert (watched.gba.memory.iwram == plain.gba.memory.iwram).all()
        assert len(frames) == count * config.frame_skip
    assert (frames[-1] == plain.gba.screen.rgb).all()
    seconds = len(frames) / FRAMES_PER_SECOND
    assert sum(map(len, heard[1:])) == pytest.approx(48_000 * seconds, rel=0.01)
    watched.close()
    plain.close()


def test_going_back_undoes_five_seconds_and_the_same_keys_lead_on_to_the_same_game():
    env = WatchedEnv(GameConfig(), NoReward(), lambda _: None, goes_back=True)
    actions = np.random.default_rng(4).integers(15, size=40)
    memory = []

    def play(first):
        for action in actions[first:]:
            env.step(action)
            memory.append(env.gba.memory.ewram.tobytes())

    env.reset(seed=5)
    assert env.go_back().startswith("cannot")
    play(0)
    assert env.go_back() == "went back 6 seconds"  # 16 steps, to a multiple of 6
    assert env.gba.memory.ewram.tobytes() == memory[23]
    play(24)
    assert memory[40:] == memory[24:40]
    assert [env.go_back()[:9] for _ in range(4)] == ["went back"] * 3 + ["cannot go"]
    env.close()


def test_what_going_back_undoes_is_not_in_the_reward_so_far():
    env = WatchedEnv(GameConfig(), PaysOne(), lambda _: key_mask("down"), goes_back=True)
    shown = []

    class Screen:
        def tell(self, status):
            shown.append(status.terms["one"])
            if len(shown) == 20:  # after 19 steps
                assert env.go_back() == "went back 5 seconds"  # 13 steps, to a multiple of 6
            if len(shown) == 22:
                raise WindowClosed

    player = EpisodePlayer("Jade", env, SingleGame(env), None, Screen())
    env.on_back = player.take_back
    (summary,) = player.episodes()
    assert shown == [*range(20), 7, 8] and summary["steps"] == 8 and summary["reward"] == 8
    env.close()


class PaysOne(NoReward):
    def __call__(self, before, after):
        return {"one": 1.0}


def test_a_persons_keys_replace_the_agents():
    config = GameConfig(hold_frames=24)
    by_hand = WatchedEnv(config, NoReward(), lambda _: key_mask("right"))
    by_agent = WatchedEnv(config, NoReward(), lambda _: None)
    right = 9  # wait, up, down, right: each alone, with A, with B
    for env in (by_hand, by_agent):
        env.reset(seed=1)
    by_hand.step(0)  # from its first frame on the person holds the key
    for _ in range(3):
        by_hand.step(0)
        by_agent.step(right)
    assert by_hand.state.position[0] > by_agent.state.position[0] - 2
    by_hand.close()
    by_agent.close()


def test_a_window_ends_on_escape_and_gives_no_keys_for_an_agent(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    picture = np.zeros((160, 240, 3), np.uint8)
    with WindowScreen("test", 2, human=False) as agent:
        assert agent(picture) is None
    with WindowScreen("test", 2, human=True) as person:
        assert person(picture) == 0
        for key in (pygame.K_TAB, pygame.K_SPACE, pygame.K_SPACE):
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))
        assert person(picture) == 0
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_ESCAPE))
        with pytest.raises(WindowClosed):
            person(picture)


def press(pygame, *keys):
    for key in keys:
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key))


@pytest.fixture
def pygame(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    return pygame


PICTURE = np.zeros((160, 240, 3), np.uint8)


def test_a_person_takes_over_and_gives_back(pygame):
    with WindowScreen("test", 2, human=False) as screen:
        press(pygame, pygame.K_t)
        assert [screen(PICTURE), screen(PICTURE)] == [0, 0]
        press(pygame, pygame.K_t)
        assert screen(PICTURE) is None


def test_without_an_agent_a_person_cannot_give_back(pygame):
    with WindowScreen("test", 2, human=True, has_agent=False) as screen:
        press(pygame, pygame.K_t)
        screen(np.zeros((160, 240, 3), np.uint8))
        assert screen(np.zeros((160, 240, 3), np.uint8)) is not None
        assert screen._note() == "speed 1     you play"


def test_states_are_saved_in_the_session_of_the_checkpoint_or_in_a_named_folder(tmp_path):
    checkpoint = tmp_path / "run" / "checkpoints" / "a.zip"
    config = PlayConfig(str(checkpoint))
    assert states_folder(config) == Path()
    checkpoint.parent.mkdir(parents=True)
    (tmp_path / "run" / "config.json").write_text("{}")
    assert states_folder(config) == tmp_path / "run"
    assert states_folder(PlayConfig(str(checkpoint), states=tmp_path)) == tmp_path
    assert states_folder(PlayConfig(human=True)) == Path()


def test_a_single_step_plays_on_until_the_next_and_pauses_there(pygame):
    with WindowScreen("test", 2, human=False) as screen:
        press(pygame, pygame.K_SPACE, pygame.K_n)
        screen(PICTURE)
        screen(PICTURE)  # the frames of the step go on
        press(pygame, pygame.K_ESCAPE)
        with pytest.raises(WindowClosed):  # it would wait for a key forever
            screen.tell(PanelStatus("test"))


def test_the_speed_of_a_window_changes_in_doublings_within_limits(pygame):
    with WindowScreen("test", 2, human=False, panel=Panel(2)) as screen:
        press(pygame, *[pygame.K_MINUS] * 5, pygame.K_PLUS)
        screen(PICTURE)
        assert "speed 0.25" in screen._note()
        press(pygame, *[pygame.K_PLUS] * 10)
        screen(PICTURE)
        assert "speed 16" in screen._note()


def test_a_window_shows_game_and_panel_side_by_side_with_sharp_pixels(pygame):
    panel = Panel(2)
    picture = np.random.default_rng(0).integers(0, 256, PICTURE.shape, np.uint8)
    with WindowScreen("test", 2, human=False, panel=panel) as screen:
        screen.tell(PanelStatus("test", terms={"tile": 1.0}))
        screen(picture)
        shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    assert shown.shape == (320, 480 + panel.size[0], 3)
    assert (shown[:, :480] == picture.repeat(2, axis=0).repeat(2, axis=1)).all()
    assert shown[:, 480:].std() > 5


def test_the_panel_shows_the_keys_while_a_person_plays_and_the_actions_while_the_agent_does(pygame):
    drawn = []

    class Watched(Panel):
        def draw(self, status, note="", keys=NO_KEYS):
            drawn.append([key for rows in keys.values() for key, _ in rows])
            return super().draw(status, note, keys)

    with WindowScreen("test", 2, human=False, panel=Watched(2)) as screen:
        screen(PICTURE)
        press(pygame, pygame.K_t)
        screen(PICTURE)
        screen(PICTURE)
    with WindowScreen("test", 2, human=True, has_agent=False, panel=Watched(2)) as screen:
        screen(PICTURE)
    agents, taken, alone = drawn
    assert not agents and {"X", "Backspace", "T", "Esc"} < {*taken}
    assert "F6" in alone and "T" not in alone


def test_the_keys_that_are_shown_are_those_of_the_window(pygame):
    shown = {does.lower(): key.lower() for key, does in BUTTONS if key != "Arrows"}
    names = {name: pygame.key.name(key) for name, key in KEYBOARD.items()}
    assert shown.items() <= names.items()
    assert names.keys() - shown.keys() == {"up", "down", "left", "right"}


def test_a_saved_state_is_where_a_game_can_start(pygame, tmp_path, capsys):
    env = WatchedEnv(GameConfig(start_wait=0), NoReward(), lambda _: None)
    env.reset(seed=1)
    for _ in range(5):
        env.step(9)
    with WindowScreen("test", 2, human=False) as screen:
        screen.on_save = lambda: save_state(env, tmp_path)
        press(pygame, pygame.K_F5)
        screen(PICTURE)
        assert screen._note().startswith("saved jade_")
    (path,) = tmp_path.iterdir()
    assert str(path) in capsys.readouterr().out
    again = EmeraldEnv(GameConfig(start=str(path), start_wait=0))
    again.reset()
    env.gba.step(0, 0, 1)  # as a reset does
    assert (again.gba.memory.ewram == env.gba.memory.ewram).all()
    assert save_state(env, path).startswith("not saved: ")
    env.close()
    again.close()


def test_episodes_are_played_without_a_window_and_repeat(checkpoint, capsys):
    command = [str(checkpoint), "--episodes", "2", "--episode-length", "12", "--json"]
    assert main(command) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert [episode["steps"] for episode in first["episodes"]] == [12, 12]
    rewards = [episode["reward"] for episode in first["episodes"]]
    assert first["mean_reward"] == pytest.approx(sum(rewards) / 2)
    assert sum(first["episodes"][0]["terms"].values()) == pytest.approx(rewards[0])


def test_play_and_evaluate_play_the_same_episodes(trained, tmp_path, capsys):
    _, manifest = trained
    path = changed(trained, tmp_path / "agent.zip", env=manifest.env | {"patience": 12})
    command = [path, "--episodes", "3", "--seed", "5", "--json"]
    assert main(command) == 0
    played = json.loads(capsys.readouterr().out)["episodes"]
    assert evaluate([*command, "--n-envs", "1", "--n-workers", "1"]) == 0
    (player,) = json.loads(capsys.readouterr().out)["players"]
    assert len({episode["steps"] for episode in played}) > 1, "patience ends them"
    for here, there in zip(played, player["episodes"], strict=True):
        assert here["steps"] == there["steps"]
        assert here["reward"] == pytest.approx(there["reward"], abs=1e-5)
        assert here["milestones"] == list(there["milestones"])


def test_an_agent_with_a_memory_and_masked_keys_plays_from_its_checkpoint_alone(tmp_path, capsys):
    config = fit_to_machine(
        TrainConfig(
            n_envs=1,
            device="cpu",
            env=GameConfig(observation="dict", action_masks=True, action_set="full"),
            policy=PolicyConfig(recurrent=True, lstm_size=16),
            ppo=PPOConfig(batch_size=128),
        )
    )
    games = make_games(config)
    model = make_model(config, games)
    path = tmp_path / "agent.zip"
    save_checkpoint(model, path, describe(config, model))
    games.close()
    command = [str(path), "--episodes", "1", "--episode-length", "20", "--json"]
    assert main(command) == 0
    first = capsys.readouterr().out
    assert main(command) == 0
    assert capsys.readouterr().out == first
    video = tmp_path / "agent.mp4"
    flags = ["--episode-length", "2", "--scale", "2", "--panel"]
    assert main([str(path), "--video", str(video), *flags]) == 0
    assert video.is_file()


@pytest.mark.parametrize("sound", [[], ["--sound"]])
def test_a_person_plays_in_a_window(sound, pygame, monkeypatch, capsys):
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    keys = iter([None] * 30 + [pygame.K_ESCAPE])

    def watch(screen, picture, original=WindowScreen.__call__):
        if (key := next(keys)) is not None:
            press(pygame, key)
        return original(screen, picture)

    monkeypatch.setattr(WindowScreen, "__call__", watch)
    assert main(["--human", "--scale", "2", *sound]) == 0
    shown = capsys.readouterr().out
    assert "X = A" in shown and "1 steps, reward" in shown


def test_where_there_is_no_sound_output_the_message_says_what_to_leave_out(
    pygame, monkeypatch, capsys
):
    monkeypatch.setenv("SDL_AUDIODRIVER", "no such driver")
    assert main(["jade", "--scale", "2", "--sound"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "leave --sound out" in said


@pytest.mark.timeout(120)  # an output that has ended is waited for
def test_what_is_played_is_heard_in_order_and_without_loss(pygame, monkeypatch, tmp_path):
    monkeypatch.setenv("SDL_AUDIODRIVER", "disk")  # SDL writes what it would play
    monkeypatch.setenv("SDL_DISKAUDIOFILE", str(tmp_path / "heard"))
    sound = np.arange(1, 1 + 16 * CHUNK // 2, dtype=np.int16).reshape(-1, 2)
    speaker = Speaker()
    for start in range(0, len(sound), 800):
        speaker.play(sound[start : start + 800])
        while len(speaker._waiting) > 2 * CHUNK:  # it is as fast as the output here
            speaker.play(sound[:0])
    while speaker._channel.get_queue() is not None:
        speaker.play(sound[:0])
    speaker.close()
    heard = np.fromfile(tmp_path / "heard", np.int16)
    heard = heard[heard != 0]
    assert (heard == sound.ravel()[: heard.size]).all()
    assert heard.size >= sound.size - 2 * CHUNK


def test_a_video_with_the_panel_is_wider(checkpoint, tmp_path):
    video = tmp_path / "agent.mp4"
    flags = ["--episode-length", "3", "--scale", "2", "--panel"]
    assert main([str(checkpoint), "--video", str(video), *flags]) == 0
    assert next(imageio_ffmpeg.read_frames(str(video)))["size"] == (480 + Panel(2).size[0], 320)
    assert imageio_ffmpeg.count_frames_and_secs(str(video))[0] == 3 * 24 // 2


def test_jade_means_the_agent_that_comes_with_the_repository(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(trained_agents, "TRAINED", tmp_path)
    assert main(["jade", "--episodes", "1"]) == 1
    assert f"no trained agent at {tmp_path / 'jade.zip'}" in capsys.readouterr().err
    (tmp_path / "jade.zip").write_bytes(b"")
    assert find_checkpoint("jade") == tmp_path / "jade.zip"


@pytest.mark.parametrize("agent", ["jade", "jade-by-heart", "jade-demanding", "jade-screen"])
def test_the_agents_that_come_with_the_repository_play(agent, capsys):
    assert sum(path.stat().st_size for path in TRAINED.glob("*.zip")) < 22 << 20
    assert main([agent, "--episodes", "1", "--episode-length", "20", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["episodes"][0]["steps"] == 20


def test_the_agent_that_sees_the_screen_looks_at_it(capsys):
    few = ["jade-screen", "--episodes", "4", "--n-envs", "4", "--n-workers", "1", "--seed", "1"]
    reached = []
    for disturb in ([], ["--disturb", "black"]):
        assert evaluate([*few, "--episode-length", "120", *disturb, "--json"]) == 0
        (player,) = json.loads(capsys.readouterr().out)["players"]
        reached.append(min(len(episode["milestones"]) for episode in player["episodes"]))
        most = max(len(episode["milestones"]) for episode in player["episodes"])
    assert reached[0] >= 6 and most <= 3


def test_the_agent_of_all_worlds_leaves_home_in_some_that_it_has_never_seen(capsys):
    few = ["jade", "--episodes", "4", "--n-envs", "4", "--n-workers", "1", "--seed", "1"]
    worlds = ["--worlds", "500001..500004", "--episode-length", "250"]
    assert evaluate([*few, *worlds, "--json"]) == 0
    (player,) = json.loads(capsys.readouterr().out)["players"]
    assert all("starter" in episode["milestones"] for episode in player["episodes"])


def test_episode_totals_add_up_and_names_the_largest_first():
    totals = EpisodeTotals()
    totals.add({"tile": 0.5, "badge": 0.0, "flag": 0.25})
    totals.add({"tile": 0.5, "badge": 5.0, "flag": 0.0})
    lines = totals.report(["starter"]).splitlines()
    assert lines[0] == "2 steps, reward 6.25"
    assert [line.split()[1] for line in lines[1:4]] == ["badge", "tile", "flag"]
    assert lines[-1].strip() == "milestones: starter"


def test_the_policy_of_a_checkpoint_plays_what_the_model_would(trained, checkpoint):
    model, _ = trained
    policy, _ = load_policy(checkpoint)
    observation = model.get_env().reset()
    ours = policy.predict(observation, deterministic=True)[0]
    assert (ours == model.predict(observation, deterministic=True)[0]).all()


def test_another_rom_for_a_jade_checkpoint_is_refused(trained, tmp_path):
    _, manifest = trained
    odd = replace(manifest, game=manifest.game | {"code": "XXXX", "name": "X"})
    with pytest.raises(CheckpointError, match="trained on X"):
        odd.env_config(None)
