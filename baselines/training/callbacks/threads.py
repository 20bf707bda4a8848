"""Gives the cores to the games or to the network."""

import torch

from baselines.training.callbacks.rollout_callback import RolloutCallback


class ThreadsCallback(RolloutCallback):
    """Gives torch one thread while the games run and all of them while it learns.

    Otherwise the network's threads and the games' processes wait for each other on a CPU: on two
    cores a rollout of 16 games became a third faster. Only the order of sums changes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._threads = torch.get_num_threads()

    def _on_rollout_start(self) -> None:
        torch.set_num_threads(1)

    def _on_rollout_end(self) -> None:
        torch.set_num_threads(self._threads)

    def _on_training_end(self) -> None:
        torch.set_num_threads(self._threads)
