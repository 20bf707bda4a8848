"""A policy with memory: sb3-contrib's LSTM policy, which computes whole sequences."""

from typing import Any, NamedTuple

import torch
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from torch import Tensor, nn

from baselines.learner.policy.policies import PolicyOptions, WithOptions

State = tuple[Tensor, Tensor]  # hidden and cell state of an LSTM, (layers, batch, size) each


class RecurrentActorCritic(WithOptions, RecurrentActorCriticPolicy, PolicyOptions):  # type: ignore[misc]
    """Features, an LSTM each for policy and value, and their heads; with our options.

    Parameters have sb3-contrib's names, so weights of its policies fit. Its arguments, such as
    `lstm_hidden_size`, `n_lstm_layers` and `shared_lstm`, are accepted, too.

    Args:
        args, kwargs: sb3-contrib's, and those of `WithOptions`.
        memory_bypass: the LSTMs are `BypassedLSTM`s.
    """

    def __init__(self, *args: Any, memory_bypass: bool = False, **kwargs: Any) -> None:
        self.memory_bypass = memory_bypass
        super().__init__(*args, **kwargs)

    def add_options(self, *options: bool) -> None:
        """Initialises the LSTMs, and sets the options up."""
        for name in ("lstm_actor", "lstm_critic"):
            lstm = getattr(self, name)
            if lstm is None:
                continue
            if self.memory_bypass:
                lstm = BypassedLSTM(lstm.input_size, lstm.hidden_size, lstm.num_layers)
                setattr(self, name, lstm)
            if self.ortho_init:
                init_lstm(lstm)
        super().add_options(*options)
        if self.memory_bypass:
            adam: Any = self.optimizer_class
            rate = self.optimizer.param_groups[0]["lr"]
            self.optimizer = adam(self.parameters(), lr=rate, **self.optimizer_kwargs)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return super()._get_constructor_parameters() | {"memory_bypass": self.memory_bypass}

    @staticmethod
    def _process_sequence(  # type: ignore[override]
        features: Tensor, lstm_states: State, episode_starts: Tensor, lstm: nn.LSTM
    ) -> tuple[Tensor, State | None]:
        """Runs sequences of equal length through an LSTM that is reset when an episode starts.

        sb3-contrib calls the LSTM once per step; see `run_pieces` for ours.

        Args:
            features: (n_sequences * length, input_size), sequence by sequence.
            lstm_states: before the first step of each sequence.
            episode_starts: (n_sequences * length,), 1 where the features are an episode's first.
            lstm: the LSTM.

        Returns:
            Its outputs (n_sequences * length, hidden_size), and the states after single steps;
            those after longer sequences are None, as learning has no use for them.
        """
        n_sequences = lstm_states[0].shape[1]
        starts = episode_starts.reshape(n_sequences, -1) > 0
        if starts.shape[1] > 1:
            return run_pieces(features, lstm_states, starts, lstm), None
        keep = ~starts.to(features.device).view(1, -1, 1)
        before = (lstm_states[0] * keep, lstm_states[1] * keep)
        outputs, after = lstm(features.unsqueeze(0), before)
        return outputs[0], after


class BypassedLSTM(nn.LSTM):
    """An LSTM with normalised inputs, to whose outputs a linear function of them is added.

    What is on the screen now need not pass through the memory. Both parts together learn a
    teacher's labels several times as fast (docs/RESULTS.md).
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int) -> None:
        super().__init__(input_size, hidden_size, num_layers)
        self.norm = nn.LayerNorm(input_size)
        self.bypass = nn.Linear(input_size, hidden_size)

    def forward(self, input: Tensor, hx: State | None = None) -> tuple[Tensor, State]:  # type: ignore[override]
        """Returns the outputs (steps, batch, hidden_size), and the states after the last step."""
        seen = self.norm(input)
        outputs, states = super().forward(seen, hx)
        return outputs + self.bypass(seen), states


def init_lstm(lstm: nn.LSTM) -> None:
    """Makes the weights orthogonal and the biases 0 (CleanRL's `ppo_atari_lstm.py`)."""
    for name, parameter in lstm.named_parameters(recurse=False):
        if "bias" in name:
            nn.init.zeros_(parameter)
        else:
            nn.init.orthogonal_(parameter, 1.0)


def run_pieces(features: Tensor, states: State, starts: Tensor, lstm: nn.LSTM) -> Tensor:
    """Cuts sequences at their episode starts and runs the pieces through the LSTM side by side.

    The longest piece comes first. All begin in one call of the LSTM; once fewer than half of them
    remain, those continue in a new call. So at most half of the computation is padding, and without
    episode starts in the sequences there is a single call and no padding.

    Args:
        features: (n_sequences * length, input_size), sequence by sequence.
        states: before the first step of each sequence.
        starts: (n_sequences, length) bool; on the CPU to avoid a transfer.
        lstm: the LSTM.

    Returns:
        Its outputs (n_sequences * length, hidden_size), in the order of the features.
    """
    n_sequences, length = starts.shape
    first = starts.cpu().clone()
    carried_on = ~first[:, 0]  # sequences that begin in the middle of an episode
    first[:, 0] = True
    begin = first.flatten().nonzero().flatten()  # of each piece, in their order in time
    sizes = torch.diff(begin, append=torch.tensor([n_sequences * length]))
    by_size = torch.argsort(sizes, descending=True)
    rank = torch.argsort(by_size)
    piece = first.flatten().cumsum(0) - 1  # of each sample
    step = torch.arange(n_sequences * length) - begin[piece]
    blocks = cut_into_blocks(torch.bincount(step).tolist())
    row_of_step = torch.cat([torch.arange(b.row, b.row + b.steps * b.n, b.n) for b in blocks])
    rows = (row_of_step[step] + rank[piece]).to(features.device)

    sequence = begin[by_size] // length
    keep = (begin[by_size] % length == 0) & carried_on[sequence]
    sequence, keep = sequence.to(features.device), keep.to(features.device).view(1, -1, 1)
    hidden, cell = (state.index_select(1, sequence) * keep for state in states)
    n_rows = blocks[-1].row + blocks[-1].steps * blocks[-1].n
    padded = features.new_zeros(n_rows, features.shape[1]).index_copy(0, rows, features)
    outputs = []
    for row, steps, n in blocks:
        block = padded[row : row + steps * n].view(steps, n, -1)
        output, (hidden, cell) = lstm(block, (hidden[:, :n], cell[:, :n]))
        outputs.append(output.flatten(0, 1))
    return torch.cat(outputs).index_select(0, rows)


def run_chunks(features: Tensor, states: State, starts: Tensor, lstm: nn.LSTM) -> Any:
    """Runs an LSTM of one layer; it also returns the states after the last step.

    Args:
        features: (n_sequences, length, input_size).
        states: before the first step of each sequence, (n_sequences, size) each.
        starts: (n_sequences, length) bool.
        lstm: the LSTM.

    Returns:
        Its outputs (n_sequences, length, size), and the states.
    """
    keep = ~starts[:, :1]
    states = (states[0] * keep, states[1] * keep)
    cut = starts[:, 1:].any(dim=1)
    # sequences with an episode's start inside are few: only these go step by step
    rows = torch.cat(((~cut).nonzero().flatten(), cut.nonzero().flatten()))
    whole = len(rows) - int(cut.sum())
    parts = []
    for chosen, run in ((rows[:whole], _run_whole), (rows[whole:], _run_steps)):
        if len(chosen):
            own = (states[0][chosen], states[1][chosen])
            parts.append(run(features[chosen], own, starts[chosen], lstm))
    outputs, hidden, cell = (torch.cat(part)[rows.argsort()] for part in zip(*parts, strict=True))
    return outputs, (hidden, cell)


def _run_whole(
    features: Tensor, states: State, starts: Tensor, lstm: nn.LSTM
) -> tuple[Tensor, Tensor, Tensor]:
    before = (states[0].unsqueeze(0), states[1].unsqueeze(0))
    outputs, (hidden, cell) = lstm(features.transpose(0, 1), before)
    return outputs.transpose(0, 1), hidden[0], cell[0]


def _run_steps(
    features: Tensor, states: State, starts: Tensor, lstm: nn.LSTM
) -> tuple[Tensor, Tensor, Tensor]:
    outputs = []
    for step in range(features.shape[1]):
        # the first step's start is considered already
        keep = ~starts[:, step : step + 1] if step else torch.ones_like(starts[:, :1])
        before = (states[0] * keep, states[1] * keep)
        output, hidden, cell = _run_whole(features[:, step : step + 1], before, starts, lstm)
        states = (hidden, cell)
        outputs.append(output)
    return torch.cat(outputs, dim=1), hidden, cell


class SequenceBlock(NamedTuple):
    """Steps that some pieces take side by side."""

    row: int  # its first, of all blocks' rows
    steps: int
    n: int  # pieces


def cut_into_blocks(going_on: list[int]) -> list[SequenceBlock]:
    """Returns blocks of steps, with a new block whenever fewer than half of the pieces remain.

    Args:
        going_on: how many pieces have a first step, a second, ...; it never grows.
    """
    blocks = [SequenceBlock(0, 0, going_on[0])]
    for n in going_on:
        row, steps, widest = blocks[-1]
        if 2 * n < widest:
            blocks.append(SequenceBlock(row + steps * widest, 1, n))
        else:
            blocks[-1] = SequenceBlock(row, steps + 1, widest)
    return blocks
