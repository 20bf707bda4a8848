"""An evaluation whose episodes are played on a Ray cluster."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import torch

from baselines.cluster.actor import keep_main_from_workers
from baselines.cluster.home import Home
from baselines.playing.evaluated_player import EvaluatedPlayer, play_here
from baselines.playing.evaluation import Evaluation, OnStep, shares
from baselines.settings.evaluate_config import EvaluateConfig
from emerald_env.files.own_code import own_files

RETRIES = 3  # of a part whose worker or machine is lost; its episodes are replayed
GAMES = 4  # of a part, at most


def play_on(
    ray: Any,
    player: EvaluatedPlayer,
    first: EvaluatedPlayer,
    config: EvaluateConfig,
    on_step: OnStep,
) -> Evaluation:
    """Plays the parts of an evaluation wherever Ray finds a CPU; joins them in the games' order."""
    task = ray.remote(play_part).options(num_cpus=1, max_retries=RETRIES)
    own = own_files(config.reward, config.wrapper, *config.reward_code)
    who, home = ray.put((player, first)), Home.here(config.rom, own)
    waiting = [task.remote(who, part, home) for part in parts_of(config)]
    played: list[Evaluation] = []
    for answer in waiting:
        try:
            played.append(ray.get(answer))
        except KeyboardInterrupt:
            if not played:
                raise
            break
        episodes = tuple(episode for each in played for episode in each.episodes)
        on_step(len(episodes), sum(episode.length for episode in episodes))
    ended_early = len(episodes) < config.episodes
    return Evaluation(player.name, episodes, ended_early, played[0].judged_by)


def play_part(
    who: tuple[EvaluatedPlayer, EvaluatedPlayer], config: EvaluateConfig, home: Home
) -> Evaluation:
    """Plays one part; what Ray runs on some machine.

    Raises:
        FileNotFoundError, ValueError: this machine does not have the game's file.
    """
    home.enter()
    keep_main_from_workers()
    torch.set_num_threads(1)
    return play_here(*who, config, lambda ended, steps: None)


def parts_of(config: EvaluateConfig) -> list[EvaluateConfig]:
    """Returns the settings of each part: some of the games, with their own seeds."""
    n_envs = min(config.n_envs, config.episodes)
    count = config.parts or -(-n_envs // GAMES)
    games = [k * n_envs // count for k in range(count + 1)]
    counts = shares(config.episodes, n_envs)
    return [
        replace(
            config,
            n_envs=stop - start,
            n_workers=1,
            episodes=sum(counts[start:stop]),
            seed=config.seed + start,
            ray=None,
            parts=None,
        )
        for start, stop in pairwise(games)
    ]
