"""Recurrent steps: an Elman network's, an LSTM's, a GRU's.

A step multiplies input and state by their weights and combines the sums in gates. `lstm_gates` and
`gru_gates` are the second half, fused. rnn_layers.py goes through many steps at once.
"""

from __future__ import annotations

from typing import Any

from norch_autograd.graph.composite import fused
from norch_autograd.graph.family import family
from norch_autograd.graph.multi_output import MultiOutputNode, OutputGrads, record_many
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.autocast import in_single_precision
from norch_autograd.ops.elementwise.activation import relu, sigmoid, tanh
from norch_autograd.ops.linalg.matmul import linear
from norch_autograd.ops.nn.reference_gradients import reference_gradients
from norch_autograd.ops.shape.join import chunk


def save_output(array: Any) -> tuple[None, Any, int]:
    """A result that a layer's backward needs, kept with its version: an edit of it is noticed."""
    return None, array, array.version


class LstmGates(MultiOutputNode):
    """With t = tanh(c'): dc' += dh o (1 - t^2), dc = dc' f; di, df, dg, do by the product rule
    through sigmoid (s (1 - s)) and tanh (1 - t^2).
    """

    def backward(self, grad: OutputGrads) -> Gradients:
        return reference_gradients(_lstm_gates_reference, (self.saved(0), self.saved(1)), grad)

    def kernel(self, grad: OutputGrads) -> Any:
        c, activated, c_next = (self.saved_array(i) for i in range(1, 4))
        dh, dc = grad.grads.get(0), grad.grads.get(1)
        return c.ops.lstm_cell_backward(dh, dc, activated, c, c_next)


def _lstm_gates_reference(gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """The formula of an LSTM's gates as it is written."""
    i, f, g, o = chunk(gates, 4, 1)
    c_next = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c_next), c_next


@in_single_precision
@fused(_lstm_gates_reference)
def lstm_gates(gates: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """An LSTM's new state from the sums of its gates (N, 4H), side by side i f g o, and c (N, H):
    c' = sigmoid(f) c + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c').

    >>> h, c = norch.more.lstm_gates(norch.zeros(1, 4), norch.ones(1, 1))
    >>> c
    tensor([[0.5000]])
    """
    x, state = array_of(gates), array_of(c)
    h, c_next, activated = state.ops.lstm_cell(x, state)
    saved = (gates, c, activated, save_output(c_next))
    out = record_many(LstmGates, [h, c_next], (gates, c), saved)
    return out[0], out[1]


class GruGates(Node):
    """With h' = n + z (h - n): dn = dh' (1 - z), dz = dh' (h - n), dh = dh' z, then through the
    gates' functions; r gets its gradient from n.
    """

    def backward(self, grad: Tensor) -> Gradients:
        inputs = [self.saved(i) for i in range(3)]
        return reference_gradients(_gru_gates_reference, inputs, grad)

    def kernel(self, grad: Any) -> Any:
        h, saved = self.saved_array(2), self.saved_array(3)
        return h.ops.gru_cell_backward(grad, saved, h)


def _gru_gates_reference(gates_input: Tensor, gates_hidden: Tensor, h: Tensor) -> Tensor:
    """The formula of a GRU's gates as it is written."""
    (xr, xz, xn), (ur, uz, un) = chunk(gates_input, 3, 1), chunk(gates_hidden, 3, 1)
    r, z = sigmoid(xr + ur), sigmoid(xz + uz)
    n = tanh(xn + r * un)
    return (1 - z) * n + z * h


@in_single_precision
@fused(_gru_gates_reference)
def gru_gates(gates_input: Tensor, gates_hidden: Tensor, h: Tensor) -> Tensor:
    """A GRU's new state from the gates' sums over input and state, (N, 3H) each, side by side
    r z n, and h (N, H): n = tanh(xn + sigmoid(r) hn), h' = (1 - sigmoid(z)) n + sigmoid(z) h.

    >>> norch.more.gru_gates(norch.zeros(1, 3), norch.zeros(1, 3), norch.ones(1, 1))
    tensor([[0.5000]])
    """
    state = array_of(h)
    out, saved = state.ops.gru_cell(array_of(gates_input), array_of(gates_hidden), state)
    inputs = (gates_input, gates_hidden, h)
    return record(GruGates, out, inputs, (*inputs, saved))


@in_own_name
@in_single_precision
def lstm_cell(
    input: Tensor,
    hx: tuple[Tensor, Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM: input (N, I) and state (h, c), (N, H) each, give the next (h, c).

    >>> state = norch.zeros(2, 5), norch.zeros(2, 5)
    >>> h, c = norch.lstm_cell(norch.ones(2, 4), state, norch.ones(20, 4), norch.ones(20, 5))
    >>> h.shape
    norch.Size([2, 5])
    """
    h, c = _state_pair(hx)
    _check_weights(w_ih, w_hh)
    return lstm_gates(linear(input, w_ih, b_ih) + linear(h, w_hh, b_hh), c)


def _check_weights(*weights: Tensor) -> None:
    """IndexError for weights of a recurrent cell that are no matrices."""
    for weight in weights:
        if array_of(weight).ndim != 2:
            shape = weight.array.shape
            raise IndexError(f"[cell] weights of 2 dimensions are expected, not of shape {shape}")


def _state_pair(hx: Any) -> tuple[Tensor, Tensor]:
    """An LSTM cell's state (h, c); RuntimeError unless it is two."""
    if isinstance(hx, Tensor) or len(hx) != 2:
        raise RuntimeError("[lstm_cell] the state must be two tensors, (h, c)")
    return hx[0], hx[1]


@in_own_name
@in_single_precision
def gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """One step of a GRU: input (N, I) and state (N, H) give the next state.

    >>> w_ih, w_hh = norch.ones(15, 4), norch.ones(15, 5)
    >>> norch.gru_cell(norch.ones(2, 4), norch.zeros(2, 5), w_ih, w_hh).shape
    norch.Size([2, 5])
    """
    _check_weights(w_ih, w_hh)
    return gru_gates(linear(input, w_ih, b_ih), linear(hx, w_hh, b_hh), hx)


@family("rnn_{}_cell")
@in_single_precision
def _elman_cell(
    nonlinearity: str,
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    _check_weights(w_ih, w_hh)
    function = tanh if nonlinearity == "tanh" else relu
    return function(linear(input, w_ih, b_ih) + linear(hx, w_hh, b_hh))


rnn_tanh_cell = _elman_cell("tanh")("""
    One step of an Elman network: `tanh(input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh)`.

    >>> x, h, w = norch.zeros(1, 2), norch.zeros(1, 1), norch.ones(1, 2)
    >>> norch.rnn_tanh_cell(x, h, w, norch.ones(1, 1))
    tensor([[0.]])
""")
rnn_relu_cell = _elman_cell("relu")("""
    One step of an Elman network with relu in place of tanh.

    >>> x, h, w = norch.ones(1, 2), norch.ones(1, 1), norch.ones(1, 2)
    >>> norch.rnn_relu_cell(x, h, w, norch.ones(1, 1))
    tensor([[3.]])
""")
