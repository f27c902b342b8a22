"""Recurrent layers: all time steps of an LSTM, a GRU or an Elman network as one recorded operation.

One node a layer instead of several a step: the gradients of the weights are one product over all
steps. The LSTM's loop over time is stage 2's; the others' is here, over arrays. The references go
step by step through the cells of rnn_cells.py.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import norch_strides as strides
from norch_autograd.graph.composite import fused
from norch_autograd.graph.multi_output import MultiOutputNode, OutputGrads, record_many
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.more.nn.rnn_cells import (
    gru_cell,
    lstm_cell,
    rnn_relu_cell,
    rnn_tanh_cell,
    save_output,
)
from norch_autograd.ops.arrays import reshape_array, transpose_array
from norch_autograd.ops.dtype.autocast import in_lower_precision, in_single_precision
from norch_autograd.ops.nn.reference_gradients import reference_gradients
from norch_autograd.ops.shape.join import stack


def _arrays_of(tensors: Sequence[Tensor | None]) -> list[Any]:
    """The arrays of a recurrent layer's inputs; None for a bias that was left out."""
    return [None if tensor is None else array_of(tensor) for tensor in tensors]


def _steps_of(
    cell: Any,
    input: Tensor,
    state: Any,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
    reverse: bool = False,
) -> Any:
    """What a recurrent `cell` makes of each step: every step's h, and the last state."""
    outputs = []
    steps = range(input.array.shape[0])
    for t in reversed(steps) if reverse else steps:
        state = cell(input[t], state, w_ih, w_hh, b_ih, b_hh)
        outputs.append(state[0] if isinstance(state, tuple) else state)
    return stack(outputs[::-1] if reverse else outputs), state


class LstmLayer(MultiOutputNode):
    """The steps backward in time, each handing h's and c's gradients to the one before it."""

    def backward(self, grad: OutputGrads) -> Gradients:
        reference = functools.partial(_lstm_layer_reference, reverse=self.context)
        return reference_gradients(reference, [self.saved(i) for i in range(7)], grad)

    def kernel(self, grad: OutputGrads) -> Any:
        *inputs, y, c, activated = (self.saved_array(i) for i in range(10))
        upstream, ops = (grad.grads.get(i) for i in range(3)), y.ops
        found = ops.lstm_layer_backward(*upstream, *inputs[:5], y, c, activated, self.context)
        found = (*found, ops.clone(found[-1]))  # equal gradients of the two biases
        return [part if self.needs(i) else None for i, part in enumerate(found)]


def _lstm_layer_reference(
    input: Tensor, h: Tensor, c: Tensor, *weights: Any, **options: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """A recurrent layer, LSTM, step by step, as it is written; takes what `lstm_layer` takes."""
    y, (h, c) = _steps_of(lstm_cell, input, (h, c), *weights, **options)
    return y, h, c


@in_lower_precision
@fused(_lstm_layer_reference)
def lstm_layer(
    input: Tensor,
    h: Tensor,
    c: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
    reverse: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """An LSTM over all steps of input (T, N, I) from the state h, c (N, H): every step's h
    (T, N, H), and the last h and c. `reverse` goes through time backwards.

    >>> x, state = norch.ones(3, 2, 4), norch.zeros(2, 5)
    >>> y, h, c = norch.more.lstm_layer(x, state, state, norch.ones(20, 4), norch.ones(20, 5))
    >>> y.shape, h.shape, c.shape
    (norch.Size([3, 2, 5]), norch.Size([2, 5]), norch.Size([2, 5]))
    """
    inputs = (input, h, c, w_ih, w_hh, b_ih, b_hh)
    given = _arrays_of(inputs)
    ops = given[0].ops
    y, states, activated = ops.lstm_layer(*given, reverse)
    last = 0 if reverse else len(y) - 1
    ends = [ops.clone(whole.view(strides.select(whole.layout, 0, last))) for whole in (y, states)]
    saved = (*inputs, save_output(y), states, activated)
    out = record_many(LstmLayer, [y, *ends], inputs, saved, reverse)
    return out[0], out[1], out[2]


class _LayerSums:
    """The arrays of a layer whose loop is here, and its products over all steps at once."""

    def __init__(self, x: Any, weights: list[Any], reverse: bool) -> None:
        steps, self.rows, width = x.shape
        self.ops = x.ops
        self.w_ih, self.w_hh, self.b_ih, self.b_hh = weights
        self.x = reshape_array(x, (steps * self.rows, width))
        self.order = range(steps)[:: -1 if reverse else 1]
        self.reverse = reverse

    def of_inputs(self) -> list[Any]:
        """Every step's sums over its input, (N, gates x H) each, in the order of the steps made."""
        sums = self.ops.linear(self.x, self.w_ih, self.b_ih)
        return [_rows_of(sums, t * self.rows, self.rows) for t in self.order]

    def of_state(self, h: Any) -> Any:
        """The sums over a state."""
        return self.ops.linear(h, self.w_hh, self.b_hh)

    def join(self, steps: list[Any]) -> Any:
        """Every step's rows, in the order in which the steps were made, as rows in time's order."""
        return self.ops.cat(steps[::-1] if self.reverse else steps, 0)

    def gradients(self, x_sums: Any, h_sums: Any, states: Any) -> list[Any]:
        """Of x, w_ih, w_hh, b_ih, b_hh, from those of the sums and what each step began with."""
        ops = self.ops
        dx = ops.matmul(x_sums, self.w_ih)
        dw_ih = ops.matmul(transpose_array(x_sums), self.x)
        dw_hh = ops.matmul(transpose_array(h_sums), states)
        return [dx, dw_ih, dw_hh, ops.sum(x_sums, 0), ops.sum(h_sums, 0)]


def _rows_of(array: Any, start: int, count: int) -> Any:
    """A view of `count` rows of a recurrent layer's arrays."""
    return array.view(strides.narrow(array.layout, 0, start, count))


def _backward_in_time(
    node: Node, grad: OutputGrads, step: Any, inputs: list[Any], y: Any, reverse: bool
) -> list[Any]:
    """What GRU and Elman layers share: `step(k, dh)` returns the gradients of step k's sums over
    input and state, and what of dh goes to the state past the sums (None: nothing).
    """
    x, h, *weights = inputs
    sums = _LayerSums(x, weights, reverse)
    ops, rows, count = x.ops, sums.rows, x.shape[0]
    dy = grad.grads.get(0)
    dh = grad.grads.get(1)
    dh = ops.zeros(h.shape, h.dtype) if dh is None else ops.clone(dh)
    of_x, of_h = [], []
    for k in reversed(range(count)):
        if dy is not None:
            ops.add_(dh, dy.view(strides.select(dy.layout, 0, sums.order[k])))
        d_x, d_h, past = step(k, dh)
        of_x.append(d_x)
        of_h.append(d_h)
        dh = ops.matmul(d_h, sums.w_hh)
        if past is not None:
            ops.add_(dh, past)
    flat_y = reshape_array(y, (count * rows, h.shape[1]))
    later = _rows_of(flat_y, rows if reverse else 0, (count - 1) * rows)
    states = ops.cat([later, h] if reverse else [h, later], 0)
    all_x, all_h = sums.join(of_x[::-1]), sums.join(of_h[::-1])
    dx, dw_ih, dw_hh, db_ih, db_hh = sums.gradients(all_x, all_h, states)
    found = (reshape_array(dx, x.shape), dh, dw_ih, dw_hh, db_ih, db_hh)
    return [part if node.needs(i) else None for i, part in enumerate(found)]


_CELLS = {"gru": gru_cell, "tanh": rnn_tanh_cell, "relu": rnn_relu_cell}


class RecurrentLayer(MultiOutputNode):
    """Of a GRU each step as `GruGates`, of an Elman network ds = dh f'(s) for h = f(s), backward in
    time; at the end one product for each weight.
    """

    def backward(self, grad: OutputGrads) -> Gradients:
        cell, reverse = self.context
        reference = functools.partial(_steps_of, _CELLS[cell], reverse=reverse)
        return reference_gradients(reference, [self.saved(i) for i in range(6)], grad)

    def kernel(self, grad: OutputGrads) -> Any:
        *inputs, y, states, saved = (self.saved_array(i) for i in range(9))
        (cell, reverse), ops = self.context, y.ops

        def step(k: int, dh: Any) -> Any:
            if cell == "gru":
                return ops.gru_cell_backward(dh, saved[k], states[k])
            backward = ops.tanh_backward if cell == "tanh" else ops.relu_backward
            d = backward(dh, states[k + 1])
            return d, d, None

        return _backward_in_time(self, grad, step, inputs, y, reverse)

    def name(self) -> str:
        return "GruLayerBackward0" if self.context[0] == "gru" else "RnnLayerBackward0"


def _run_layer(
    cell: str, inputs: tuple[Tensor | None, ...], reverse: bool
) -> tuple[Tensor, Tensor]:
    """All steps of a recurrent layer, GRU or Elman: every step's h and the last one, recorded."""
    x, state, *weights = _arrays_of(inputs)
    sums = _LayerSums(x, weights, reverse)
    ops, states, saved = sums.ops, [state], []
    for gates in sums.of_inputs():
        of_state = sums.of_state(state)
        if cell == "gru":
            state, activated = ops.gru_cell(gates, of_state, state)
            saved.append(activated)
        else:
            state = (ops.tanh if cell == "tanh" else ops.relu)(ops.add(gates, of_state))
        states.append(state)
    y = sums.join(states[1:])
    y = y.view(strides.contiguous((len(states) - 1, *state.shape)))
    kept = (*inputs, save_output(y), states, saved)
    out = record_many(RecurrentLayer, [y, ops.clone(state)], inputs, kept, (cell, reverse))
    return out[0], out[1]


def _gru_layer_reference(*args: Any, **options: Any) -> Any:
    """A recurrent layer, GRU, step by step, as it is written; takes what `gru_layer` takes."""
    return _steps_of(gru_cell, *args, **options)


@in_single_precision
@fused(_gru_layer_reference)
def gru_layer(
    input: Tensor,
    h: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
    reverse: bool = False,
) -> tuple[Tensor, Tensor]:
    """A GRU over all steps of input (T, N, I) from the state h (N, H): every step's h (T, N, H),
    and the last.

    >>> x, state = norch.ones(3, 2, 4), norch.zeros(2, 5)
    >>> y, h = norch.more.gru_layer(x, state, norch.ones(15, 4), norch.ones(15, 5))
    >>> y.shape, h.shape
    (norch.Size([3, 2, 5]), norch.Size([2, 5]))
    """
    return _run_layer("gru", (input, h, w_ih, w_hh, b_ih, b_hh), reverse)


def _rnn_layer_reference(*args: Any, nonlinearity: str = "tanh", **options: Any) -> Any:
    """Elman's recurrent layer step by step; takes what `rnn_layer` takes, in its order."""
    if isinstance(args[-1], str):  # the last argument, by its place
        *args, nonlinearity = args  # type: ignore[assignment]
    return _steps_of(_CELLS[nonlinearity], *args, **options)


@in_lower_precision
@fused(_rnn_layer_reference)
def rnn_layer(
    input: Tensor,
    h: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
    reverse: bool = False,
    nonlinearity: str = "tanh",
) -> tuple[Tensor, Tensor]:
    """An Elman network over all steps of input (T, N, I) from the state h (N, H): every step's h
    (T, N, H), and the last. `nonlinearity` is "tanh" or "relu".

    >>> x, state = norch.ones(3, 2, 4), norch.zeros(2, 5)
    >>> y, h = norch.more.rnn_layer(x, state, norch.ones(5, 4), norch.ones(5, 5))
    >>> y.shape, h.shape
    (norch.Size([3, 2, 5]), norch.Size([2, 5]))
    """
    if nonlinearity not in ("tanh", "relu"):
        raise ValueError(f"[rnn_layer] nonlinearity must be 'tanh' or 'relu', not {nonlinearity!r}")
    return _run_layer(nonlinearity, (input, h, w_ih, w_hh, b_ih, b_hh), reverse)
