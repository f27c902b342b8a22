"""How a recurrent layer goes through time: one direction of one layer, over a padded or a packed
batch.

The inputs of all steps meet their weight in one product, the states theirs step by step. A layer
over a padded batch is one operation of stage 4. modules/rnn.py calls this file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import norch_autograd as autograd
from norch_autograd import Tensor, cat
from norch_autograd.more import gru_gates, lstm_gates
from norch_nn import functional as F

State = tuple[Tensor, ...]  # h (N, H), and c (N, H) for an LSTM
Step = Callable[[Tensor, State, "Weights"], State]


class Weights(NamedTuple):
    """The parameters of one direction of one layer, as PyTorch names them."""

    weight_ih: Tensor
    weight_hh: Tensor
    bias_ih: Tensor | None = None
    bias_hh: Tensor | None = None
    weight_hr: Tensor | None = None


def _rnn_tanh_step(sums: Tensor, state: State, weights: Weights) -> State:
    """One step of the layer RNN, Elman's: the tanh of the sums over input and state."""
    return ((sums + F.linear(state[0], weights.weight_hh, weights.bias_hh)).tanh(),)


def _rnn_relu_step(sums: Tensor, state: State, weights: Weights) -> State:
    """One step of the layer RNN, Elman's, with relu."""
    return ((sums + F.linear(state[0], weights.weight_hh, weights.bias_hh)).relu(),)


def _lstm_step(sums: Tensor, state: State, weights: Weights) -> State:
    """One step of the layer LSTM: the gates in one operation."""
    h, c = state
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    return lstm_gates(gates, c)


def _projected_lstm_step(sums: Tensor, state: State, weights: Weights) -> State:
    """One step of the layer LSTM whose new h is projected by `weight_hr` (Sak et al., 2014)."""
    h, c = state
    assert weights.weight_hr is not None  # else this is no step of theirs
    # ex 5.13 begin
    gates = sums + F.linear(h, weights.weight_hh, weights.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return F.linear(h, weights.weight_hr), c
    # ex 5.13 end


def _gru_step(sums: Tensor, state: State, weights: Weights) -> State:
    """One step of the layer GRU."""
    hidden = F.linear(state[0], weights.weight_hh, weights.bias_hh)
    return (gru_gates(sums, hidden, state[0]),)


STEPS: dict[str, Step] = {
    "RNN_TANH": _rnn_tanh_step,
    "RNN_RELU": _rnn_relu_step,
    "LSTM": _lstm_step,
    "GRU": _gru_step,
}


def _step_of(mode: str, weights: Weights) -> Step:
    """Return the step of "RNN_TANH", "RNN_RELU", "LSTM" (with or without projection) or "GRU"."""
    return STEPS[mode] if weights.weight_hr is None else _projected_lstm_step


def run_direction(
    mode: str, input: Tensor, sizes: list[int] | None, state: State, weights: Weights, reverse: bool
) -> tuple[Tensor, State]:
    """Go through input (T, N, I), or through packed rows (all steps' rows, I) with `sizes` rows a
    step; return every step's h in the same form, and the last state.
    """
    if sizes is None and weights.weight_hr is None:
        return _over_layer(mode, input, state, weights, reverse)
    sums = F.linear(input, weights.weight_ih, weights.bias_ih)
    step = _step_of(mode, weights)
    if sizes is None:
        steps = list(sums.unbind(0))
        outputs, state = _run_padded(step, steps[:: -1 if reverse else 1], state, weights)
        return autograd.stack(outputs[:: -1 if reverse else 1]), state
    run = over_packed_backwards if reverse else run_packed
    outputs, state = run(step, list(sums.split(sizes)), state, weights)
    return cat(outputs), state


def _over_layer(
    mode: str, input: Tensor, state: State, weights: Weights, reverse: bool
) -> tuple[Tensor, State]:
    """All steps of a recurrent layer in one operation."""
    more, h, rest = autograd.more, state[0], (*weights[:4], reverse)
    if mode == "LSTM":
        y, *state_after = more.lstm_layer(input, h, state[1], *rest)
    elif mode == "GRU":
        y, *state_after = more.gru_layer(input, h, *rest)
    else:
        y, *state_after = more.rnn_layer(input, h, *rest, "relu" if mode == "RNN_RELU" else "tanh")
    return y, tuple(state_after)


def _run_padded(
    step: Step, steps: list[Tensor], state: State, weights: Weights
) -> tuple[list[Tensor], State]:
    """Recurrent steps one by one, over all sequences: for a projection, which no operation has."""
    outputs = []
    for sums in steps:
        state = step(sums, state, weights)
        outputs.append(state[0])
    return outputs, state


def run_packed(
    step: Step, steps: list[Tensor], state: State, weights: Weights
) -> tuple[list[Tensor], State]:
    """A recurrent layer over packed rows: the last rows end first; their states are set aside."""
    outputs, ended = [], []
    for sums in steps:
        rows = sums.shape[0]
        if rows < state[0].shape[0]:
            ended.append(tuple(part[rows:] for part in state))
            state = tuple(part[:rows] for part in state)
        state = step(sums, state, weights)
        outputs.append(state[0])
    groups = [state, *reversed(ended)]
    return outputs, tuple(cat(list(parts)) for parts in zip(*groups, strict=True))


def over_packed_backwards(
    step: Step, steps: list[Tensor], state: State, weights: Weights
) -> tuple[list[Tensor], State]:
    """A recurrent layer over packed rows, backwards: the longest begin, the others join in."""
    first, rows = state, steps[-1].shape[0]
    state = tuple(part[:rows] for part in first)
    outputs = []
    for sums in reversed(steps):
        before, rows = rows, sums.shape[0]
        if rows > before:
            joined = zip(state, first, strict=True)
            state = tuple(cat([part, start[before:rows]]) for part, start in joined)
        state = step(sums, state, weights)
        outputs.append(state[0])
    return outputs[::-1], state
