"""Sessions to look at, a server that shows them, and the system's own browser."""

import os
import shutil
import threading
import time

import numpy as np
import pytest
import uvicorn

from baselines.commands.learn.watch import listen
from baselines.games.game import make_env
from baselines.runs.run_sightings import SightingLog
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from baselines.viewer.connections import settings
from baselines.viewer.folder import Sessions
from baselines.viewer.server import make_app
from emerald_env.env.actions import action_set
from emerald_env.watching.live_file import LiveFile

STEPS = 400


@pytest.fixture(scope="session")
def walked(tmp_path_factory):
    """A session in which one game of Jade walked about at random."""
    session = Session.create(tmp_path_factory.mktemp("sessions"), "jade")
    session.config.write_text("{}")
    env = make_env(GameConfig(episode_length=STEPS), number=0)
    env.reset(seed=3)
    dice = np.random.default_rng(3)
    log = SightingLog(session)
    for step in range(1, STEPS + 1):
        env.step(dice.choice([3, 6, 9, 12]) if step % 3 else 1)
        if step % 100 == 0:
            log.write(step, [env.take_sightings()])
    env.close()
    return session


@pytest.fixture
def session(walked, tmp_path):
    """A copy of it, in a folder of its own."""
    return Session(shutil.copytree(walked.folder, tmp_path / "sessions" / walked.folder.name))


@pytest.fixture
def serve():
    """Serves a folder of sessions; returns the page's address."""
    servers = []

    def start(folder, token="", host="127.0.0.1", only=None):
        listener = listen(host, 0)
        server = uvicorn.Server(settings(make_app(Sessions(folder, only), token), 0))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        servers.append((server, thread, listener))
        while not server.started:
            time.sleep(0.01)
        return f"http://127.0.0.1:{listener.getsockname()[1]}/"

    yield start
    for server, thread, listener in servers:
        server.should_exit = server.force_exit = True
        thread.join(10)
        listener.close()


class Playing:
    """Games that play in a thread and show themselves in a session's live file."""

    def __init__(self, session, n_games, command):
        terms = ["tile"]
        names = [action.name for action in action_set("original")]
        facts = {"terms": terms, "command": command, "game": "Jade"}
        LiveFile.create(session.live, facts, n_games, names)
        self.file = LiveFile(session.live, own=True)
        self.envs = [make_env(GameConfig(), number=game) for game in range(n_games)]
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.play, daemon=True)
        self.thread.start()

    def play(self):
        for number, env in enumerate(self.envs):
            env.reset(seed=number)
            env.publish_to(str(self.file.path))
        steps = 0
        thoughts = np.zeros((len(self.envs), 2 + len(self.file.actions)), np.float32)
        while not self.stopped.is_set():
            for env in self.envs:
                env.step(3 * (1 + steps // 5 % 4))
            steps += len(self.envs)
            thoughts[:, 0], thoughts[:, 2:] = steps / 1000, 1 / 15
            self.file.beat(steps)
            self.file.show_policy(thoughts)
            time.sleep(0.03)

    def stop(self):
        if not self.stopped.is_set():
            self.stopped.set()
            self.thread.join()
            for env in self.envs:
                env.close()


@pytest.fixture
def play():
    """Starts games in a session."""
    started = []

    def start(session, n_games=3, command="train"):
        started.append(Playing(session, n_games, command))
        return started[-1]

    yield start
    for playing in started:
        playing.stop()
        playing.file.close()


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """The system's Chromium, without a window."""
    webdriver = pytest.importorskip("selenium.webdriver")
    names = ("chromium", "chromium-browser", "google-chrome")
    binary = next((path for name in names if (path := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no chromium with its chromedriver is installed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    folder = tmp_path_factory.mktemp("browser")
    flags = "headless=new disable-gpu disable-quic no-first-run disable-background-networking "
    flags += f"disable-component-update disable-sync window-size=1280,900 user-data-dir={folder}"
    for flag in flags.split() + (["no-sandbox"] if os.geteuid() == 0 else []):
        options.add_argument(f"--{flag}")
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


@pytest.fixture
def until():
    """Waits until something is so, and returns it."""

    def wait(condition):
        while not (result := condition()):
            time.sleep(0.05)
        return result

    return wait
