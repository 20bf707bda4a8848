"""The gradient of a minibatch, computed in equal parts in parallel."""

import copy
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import torch
from stable_baselines3.common.policies import BasePolicy
from torch import Tensor

from baselines.learner.rollout import Minibatch
from emerald_env.env.observation_parts import as_parts, unwrapped
from emerald_env.parallel.cpu_placement import available_cores

SAMPLES_IN_A_SHARD = 128  # with fewer, a thread's Python costs as much as its network
Log = dict[str, list[Tensor]]
Loss = Callable[[Minibatch, Log, Any], Tensor]


def suitable_shards(batch_size: int) -> int:
    """Returns the fastest number of parts of a minibatch on this machine's CPU."""
    return max(1, min(available_cores(), batch_size // SAMPLES_IN_A_SHARD))


class Shards:
    """Computes the gradient of a mean over a minibatch in parts, one thread each.

    Small networks spend their time in hundreds of short operations. If each is spread over the
    cores, the cores wait for the slowest hundreds of times per gradient step, and much longer on a
    busy machine; here they wait once. The parts are added in a fixed order, so the result does not
    depend on which is ready first.

    Args:
        policy: whose parameters are learnt.
        loss: the mean loss of a minibatch under a policy; logs its parts.
        count: parts of a minibatch; 1: the calling thread does it all.
    """

    def __init__(self, policy: BasePolicy, loss: Loss, count: int) -> None:
        self.parameters = [p for p in policy.parameters() if p.requires_grad]
        self._policies = [policy, *(twin(policy) for _ in range(count - 1))]
        self._loss = loss
        self._pool: ThreadPoolExecutor | None = None
        self._coming: Iterator[Minibatch] = iter(())
        self._next: Future[Minibatch | None]

    @contextmanager
    def at_once(self) -> Iterator["Shards"]:
        """Starts the threads, and lets torch's own leave them the cores."""
        threads, count = torch.get_num_threads(), len(self._policies)
        if count == 1:
            yield self
            return
        each = max(1, threads // count)
        torch.set_num_threads(each)
        try:
            # again in each thread: MKL has a setting per thread
            with ThreadPoolExecutor(count, "shard", torch.set_num_threads, (each,)) as pool:
                self._pool = pool
                yield self
        finally:
            torch.set_num_threads(threads)

    def taking(self, batches: Iterator[Minibatch]) -> Iterator[Minibatch]:
        """Yields minibatches, each of which must be given to `backward`.

        A thread that has finished its part prepares the next minibatch.
        """
        if self._pool is None:
            yield from batches
            return
        self._coming = batches
        self._take_next(self._pool)
        while (batch := self._next.result()) is not None:
            yield batch

    def _take_next(self, pool: ThreadPoolExecutor) -> None:
        self._next = pool.submit(next, self._coming, None)

    def backward(self, batch: Minibatch, log: Log) -> None:
        """Adds the gradient of a minibatch's loss to the parameters'.

        Args:
            batch: the samples.
            log: receives what the loss logs, for the whole minibatch.
        """
        if self._pool is None:
            loss: Any = self._loss(batch, log, self._policies[0])
            loss.backward()
            return
        parts = _split(batch, min(len(self._policies), len(batch.actions)))
        shares = [len(part.actions) / len(batch.actions) for part in parts]
        pending = self._pool.map(self._part, self._policies, parts, shares)
        self._take_next(self._pool)  # behind the parts
        found = list(pending)
        for name in found[0][1]:
            log[name].append(torch.stack([logged[name][-1] for _, logged in found]).sum())
        for parameter, *same in zip(self.parameters, *(part for part, _ in found), strict=True):
            _add(parameter, [gradient for gradient in same if gradient is not None])

    def _part(
        self, policy: BasePolicy, part: Minibatch, share: float
    ) -> tuple[Sequence[Tensor | None], Log]:
        log: Log = defaultdict(list)
        loss = self._loss(part, log, policy) * share
        gradient = torch.autograd.grad(loss, self.parameters, allow_unused=True)
        return gradient, {name: [values[-1] * share] for name, values in log.items()}


def twin(policy: BasePolicy) -> BasePolicy:
    """Returns a policy with the same parameters; only what a forward pass writes is its own."""
    other = copy.copy(policy)
    other.action_dist = copy.copy(policy.action_dist)
    return other


def _split(batch: Minibatch, count: int) -> list[Minibatch]:
    """Returns the parts of a minibatch without a memory, views of it."""
    columns = batch[1:6]
    pieces = {key: part.tensor_split(count) for key, part in as_parts(batch.observations).items()}
    observations = [
        unwrapped({key: piece[number] for key, piece in pieces.items()}) for number in range(count)
    ]
    numbers = zip(*(column.tensor_split(count) for column in columns), strict=True)
    return [Minibatch(seen, *n) for seen, n in zip(observations, numbers, strict=True)]


def _add(parameter: Any, gradients: Sequence[Tensor]) -> None:
    """Adds the parts' gradients to a parameter's."""
    if not gradients:
        return
    total: Any = sum(gradients[1:], start=gradients[0])
    hooks = parameter._backward_hooks or parameter._post_accumulate_grad_hooks
    if hooks or parameter.grad is not None:
        # through its own node, so that hooks on it see the whole gradient once
        torch.autograd.backward([parameter], [total])
    else:
        parameter.grad = total  # which the node would copy
