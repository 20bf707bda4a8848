"""The callbacks that write a run into its session, and their part of a resume."""

import shlex
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from stable_baselines3.common.callbacks import BaseCallback

from baselines.checkpoints.resume import RunState, resume_errors, take_run_state
from baselines.exploration.atlas.advisor import Advisor
from baselines.exploration.exploration import HEAD_START, ExploringSchedule, RunExploration
from baselines.runs.curves import curves_of
from baselines.settings.train_config import TrainConfig
from baselines.training.callbacks.checkpoints import CheckpointCallback
from baselines.training.callbacks.episodes import EpisodeCallback
from baselines.training.callbacks.exploring_callbacks import (
    ExplorationCallback,
    OwnTrailsCallback,
    PracticeCallback,
)
from baselines.training.callbacks.health.reward_shares import RewardShareCallback
from baselines.training.callbacks.recordings import RecordingCallback
from baselines.training.callbacks.watch_callback import WatchCallback
from baselines.training.run import EXPLORATION, TEACHER, Run
from baselines.training.teachers.recorded_ways import learn_ways, restore_clone
from emerald_env.files.own_code import parse_address
from emerald_env.files.printable import say
from rewards import Reward


class Resumable(Protocol):
    """Part of a run that an exact resume restores."""

    def get_state(self) -> Any:
        """Returns its state as plain values and arrays."""

    def set_state(self, state: Any) -> None:
        """Restores what `get_state` returned."""


class SessionCallbacks(NamedTuple):
    """The callbacks that write a run into its session."""

    episodes: EpisodeCallback
    shares: RewardShareCallback
    exploration: RunExploration
    recordings: RecordingCallback
    checkpoints: CheckpointCallback
    watch: WatchCallback

    def finish(self, run: Run) -> None:
        """Saves what is pending at the end of a run, and prints where.

        Raises:
            CheckpointError: the last checkpoint cannot be written.
        """
        self.episodes.write()
        # SB3 logs an update's numbers with the rollout after it; the last update has none
        run.model.logger.dump(run.model.num_timesteps)
        try:
            path = self.checkpoints.finish()
        finally:
            self.recordings.close()
            self.watch.close()
        if path is not None:
            say(f"saved {path}\nplay it with   {play_command(run.config, path)}")


def play_command(config: TrainConfig, checkpoint: Path) -> str:
    """Returns the shell's command that plays a run's checkpoint, in its game and with its code."""
    network = config.network if parse_address(config.network) else None
    code = {"--wrapper": config.env.wrapper, "--network": network}
    own = [part for flag, given in code.items() if given for part in (flag, given)]
    return shlex.join(["emerald", "play", str(checkpoint), *config.env.choice.flags(), *own])


def session_callbacks(run: Run, diagnose: Resumable) -> SessionCallbacks:
    """Returns the callbacks that save a run, restored if it resumes.

    The model's logger must be set.

    Args:
        run: with its model, session and checkpoint.
        diagnose: what diagnoses it, which is saved and restored, too.

    Raises:
        CheckpointError: the run state does not fit this run.
    """
    config, model, session, manifest = run.config, run.model, run.session, run.manifest
    shares = RewardShareCallback(Reward(config.env.preset()).terms)
    exploration = make_exploration(run)
    parts: dict[str, Resumable] = {
        "reward_shares": shares,
        EXPLORATION: exploration,
        "what_moves": diagnose,
        "curves_begun": curves_of(model.logger),
    }
    if run.checkpoint is not None:
        resume_parts(run, parts, exploration)
    else:
        if config.archive is not None:
            exploration.begin_with(config.archive)
        if config.ways:
            learn_ways(run, exploration)
    restore_clone(run)
    checkpoints = CheckpointCallback(
        session,
        manifest,
        config.save_freq,
        config.keep_checkpoints,
        lambda: {
            **take_run_state(model),
            TEACHER: config.teacher,
            **{name: part.get_state() for name, part in parts.items()},
        },
        lambda run_state: exploration.saved(run_state[EXPLORATION]),
    )
    names = manifest.game["name"], manifest.actions, shares.terms
    return SessionCallbacks(
        EpisodeCallback(session),
        shares,
        exploration,
        RecordingCallback(
            session,
            config.env.choice,
            manifest.reward,
            config.record == "every",
            config.keep_recordings,
        ),
        checkpoints,
        WatchCallback(session, *names),
    )


def resume_parts(run: Run, parts: dict[str, Resumable], exploration: RunExploration) -> None:
    """Restores what is known of a resumed run; if that is nothing, nothing is due for its past.

    Raises:
        CheckpointError: a part is of another form.
    """
    known = run.run_state or run.explored
    if known:
        restore(parts, known)
        if run.config.explore:  # else nobody asks what is due, and its state stays as it was
            exploration.schedule.resume_at(run.model.num_timesteps - exploration.search.steps)
    else:
        exploration.schedule.begin_at(run.model.num_timesteps)


def restore(parts: dict[str, Resumable], run_state: RunState) -> None:
    """Restores the parts that are in a run's state; those of older versions have fewer.

    Raises:
        CheckpointError: a part is of another form.
    """
    with resume_errors():
        for name, part in parts.items():
            if name in run_state:
                part.set_state(run_state[name])


def make_exploration(run: Run) -> RunExploration:
    """Returns the archive of a session's states and what explores from them."""
    games = run.model.get_env()
    assert games is not None
    config = run.config
    schedule = ExploringSchedule(config.explore or 0.0, config.total_timesteps, head_start(config))
    practice, advised = config.practice or 0.0, bool(config.advice)
    return RunExploration(run.session.archive, games, practice, advised, config.seed, schedule)


def head_start(config: TrainConfig) -> int:
    """Returns how many steps are explored first: none where there is something to learn already."""
    return 0 if config.init_from or config.archive or config.ways else HEAD_START


def trail_callbacks(run: Run, explored: RunExploration) -> list[BaseCallback]:
    """Gives the model its advisor, if it is to have one; returns what records its trails then."""
    config = run.config
    if not config.advice:
        return []
    atlas, actions = explored.search.atlas, config.env.action_set
    run.model.advisor = advisor = Advisor(atlas, actions)
    return [OwnTrailsCallback(atlas, actions, advisor)]


def exploration_callbacks(run: Run, explored: RunExploration) -> list[BaseCallback]:
    """Returns what explores and practises."""
    return [
        ExplorationCallback(explored),
        PracticeCallback(explored.search, explored.curriculum, explored.funnel, run.session.funnel),
    ]
