"""Results of the episodes: curves in tensorboard, a line each in episodes.jsonl."""

from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from baselines.diagnostics import PLACE_SHARE
from baselines.runs.session_folder import Session
from emerald_env.files.atomic import WriteWarning

Episode = dict[str, Any]
MILESTONES_PER_EPISODE = "milestones/per_episode"
WINDOW = 100  # episodes in a mean; SB3's stats_window_size
# Curves of what each episode says of itself, if it does
SHARES = {"place_share": PLACE_SHARE, "soft_lock": "rollout/soft_lock_share"}


class EpisodeCallback(BaseCallback):
    """Logs the means over the latest episodes, and a line for each episode.

    `reward/<term>` is the mean of one term's sum over an episode, over the same window as SB3's
    `rollout/ep_rew_mean`, so that the terms' curves add up to that one. `milestones/<name>` is the
    share of episodes that reached it, `rejections/<reason>` the mean number of steps whose memory
    could not be trusted, `rollout/place_share` the mean share of an episode spent in one place,
    `rollout/soft_lock_share` the share of episodes that ended in a soft-lock.

    Args:
        session: whose episodes.jsonl is written, once a rollout.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._latest: deque[Episode] = deque(maxlen=WINDOW)
        self._unwritten: list[Episode] = []
        self._names: set[str] = set()
        self._warning = WriteWarning("the episodes")

    def _on_training_start(self) -> None:
        # those of the resumed run
        for episode in self._session.read_episodes():
            self._latest.append(episode)
            self._names |= episode_means([episode]).keys()

    def _on_step(self) -> bool:
        for game in self.locals["dones"].nonzero()[0]:
            info = self.locals["infos"][game]
            if "episode" not in info:
                continue  # a practice episode; or its process died, without any sums
            episode = episode_record(info, int(game), self.num_timesteps)
            self._latest.append(episode)
            self._unwritten.append(episode)
        return True

    def _on_rollout_end(self) -> None:
        self.write()
        means = episode_means(self._latest, self._names)
        self._names |= means.keys()
        for name, value in means.items():
            self.logger.record(name, value)

    def _on_training_end(self) -> None:
        self.write()

    def write(self) -> None:
        """Appends the episodes that ended since the last call to the session's file.

        If that fails, they wait for the next call.
        """
        with self._warning:
            self._session.append_episodes(self._unwritten)
            self._unwritten.clear()


def episode_record(info: Mapping[str, Any], game: int, num_timesteps: int) -> Episode:
    """Returns the record of an episode, from the `info` of its last step."""
    return {
        "num_timesteps": num_timesteps,
        "game": game,
        "reward": float(info["episode"]["r"]),
        "length": int(info["episode"]["l"]),
        "truncated": bool(info.get("TimeLimit.truncated", False)),
        "terms": {name: float(value) for name, value in info.get("episode_terms", {}).items()},
        "milestones": list(info.get("milestones", ())),
        "rejections": {name: int(count) for name, count in info.get("rejections", {}).items()},
        "place_share": info.get("place_share"),
        "soft_lock": info.get("soft_lock"),
    }


def episode_means(episodes: Sequence[Episode], names: Collection[str] = ()) -> dict[str, float]:
    """Returns the curves' values: sums over the episodes, divided by their number.

    Args:
        episodes: records of `episode_record`; none gives no value at all.
        names: curves that exist already and so get a value, 0 if nothing counts towards them now.
    """
    if not episodes:
        return {}
    sums: Counter[str] = Counter(dict.fromkeys(names, 0.0))
    for episode in episodes:
        for name, value in episode.get("terms", {}).items():
            sums[f"reward/{name}"] += value
        for name in episode.get("milestones", ()):
            sums[f"milestones/{name}"] += 1
        for name, count in episode.get("rejections", {}).items():
            sums[f"rejections/{name}"] += count
        sums[MILESTONES_PER_EPISODE] += len(episode.get("milestones", ()))
    means = {name: value / len(episodes) for name, value in sums.items()}
    for key, name in SHARES.items():
        values = [episode.get(key) for episode in episodes]
        known = [float(value) for value in values if value is not None]
        if known:
            means[name] = sum(known) / len(known)
    return means
