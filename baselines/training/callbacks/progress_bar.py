"""Progress bar or log line."""

from datetime import timedelta
from statistics import fmean
from time import perf_counter

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import safe_mean

LINE_SECONDS = 30.0
BAR_SECONDS = 0.1  # redrawing more often only costs time


class SpeedColumn(ProgressColumn):
    """Steps a second over the last half minute."""

    def render(self, task: Task) -> Text:
        """Returns the speed; empty while it is unknown."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f} steps/s" if speed else "")


class ProgressCallback(BaseCallback):
    """Shows a bar on a terminal; elsewhere writes a line every half minute.

    `close` must always be called at the end: a bar hides the terminal's cursor.

    Args:
        total_timesteps: steps at which the run ends, counted from its very beginning.
        console: the output; None: this process's own.
        games: whether the envs are games with an `EpisodeSummary`: until an episode has ended, what
            those under way have earned is shown.
    """

    def __init__(
        self, total_timesteps: int, console: Console | None = None, games: bool = False
    ) -> None:
        super().__init__()
        self._total, self._games = total_timesteps, games
        self._so_far = "no episode yet"
        self._console = console or Console()
        whole = Column(no_wrap=True)
        self._bar = Progress(
            TextColumn("{task.percentage:>3.0f}%", table_column=whole),
            BarColumn(bar_width=None, table_column=Column(ratio=1)),
            TextColumn("{task.completed:,}/{task.total:,}", table_column=whole),
            SpeedColumn(table_column=whole),
            TimeRemainingColumn(table_column=whole),
            TextColumn("{task.description}", table_column=whole),
            console=self._console,
            expand=True,
        )

    def _on_training_start(self) -> None:
        self._started = self._last_line = self._last_bar = perf_counter()
        self._steps_at_start = self.num_timesteps
        self._task = self._bar.add_task("", total=self._total, completed=self.num_timesteps)
        if self._console.is_terminal:
            self._bar.start()

    def _on_step(self) -> bool:
        now = perf_counter()
        if self._console.is_terminal:
            if now - self._last_bar > BAR_SECONDS:
                self._move_bar()
        elif now - self._last_line > LINE_SECONDS:
            self.print_line()
        return True

    def _on_rollout_end(self) -> None:
        if self._games and not self.model.ep_info_buffer:
            rewards, reached = zip(*self.training_env.env_method("under_way"), strict=True)
            self._so_far = f"so far {fmean(rewards):.2f}, {max(reached)} milestones"

    def _on_training_end(self) -> None:
        if self._console.is_terminal:
            self._move_bar()
        else:
            self.print_line()

    def _move_bar(self) -> None:
        self._last_bar = perf_counter()
        self._bar.update(self._task, completed=self._steps(), description=self._reward())

    def close(self) -> None:
        """Restores the terminal."""
        if self._console.is_terminal:
            self._bar.stop()

    def print_line(self) -> None:
        """Writes one line: share, steps, speed, time left, reward."""
        self._last_line = perf_counter()
        steps: int = self.model.num_timesteps
        speed = (steps - self._steps_at_start) / (self._last_line - self._started)
        left = timedelta(seconds=round(max(self._total - steps, 0) / max(speed, 1e-9)))
        print(
            f"{self._steps() / self._total:4.0%}  {self._steps():,}/{self._total:,} steps"
            f"  {speed:,.0f} steps/s  {left} left  {self._reward()}",
            file=self._console.file,
            flush=True,
        )

    def _steps(self) -> int:
        """Returns the steps so far, at most the run's total, which the last rollout may exceed."""
        # the model's own: it has those that were explored since the last step, too
        return min(self.model.num_timesteps, self._total)

    def _reward(self) -> str:
        episodes = self.model.ep_info_buffer
        if not episodes:
            return self._so_far
        return f"reward {safe_mean([episode['r'] for episode in episodes]):.2f}"
