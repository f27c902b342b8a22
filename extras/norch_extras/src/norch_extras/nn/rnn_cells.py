"""RNNCell, LSTMCell and GRUCell: one step of a recurrent layer, for loops written by hand."""

from __future__ import annotations

import math
from typing import Any

from norch_autograd import Tensor, empty, gru_cell, lstm_cell, rnn_relu_cell, rnn_tanh_cell
from norch_autograd.graph.operands import in_own_name
from norch_nn import init
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter


class RNNCellBase(Module):
    """What the cells share: `weight_ih` (gates x H, I), `weight_hh` (gates x H, H), `bias_ih` and
    `bias_hh` (gates x H), all drawn from U(-1/√H, 1/√H).

    >>> tuple(RNNCellBase(2, 3, True, 4).weight_hh.shape)
    (12, 3)
    """

    bias_ih: Parameter | None
    bias_hh: Parameter | None

    @in_own_name
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the parameters and draw their first values."""
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(empty(rows, input_size, device=device, dtype=dtype))
        self.weight_hh = Parameter(empty(rows, hidden_size, device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            parameter = Parameter(empty(rows, device=device, dtype=dtype)) if bias else None
            self.register_parameter(name, parameter)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial values anew."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0.0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        text += "" if self.bias else f", bias={self.bias}"
        nonlinearity = getattr(self, "nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else f"{text}, nonlinearity={nonlinearity}"

    def _batch(self, what: str, given: Tensor, size: int) -> Tensor:
        """A cell's row as a batch of one; refuse what is no row or batch of rows of `size`."""
        name = type(self).__name__
        if given.ndim not in (1, 2):
            raise ValueError(
                f"[{name}] expected {what} of 1 or 2 dimensions, got shape {tuple(given.shape)}"
            )
        if given.shape[-1] != size:
            raise RuntimeError(
                f"[{name}] {what} must have {size} elements a row, got shape {tuple(given.shape)}"
            )
        return given if given.ndim == 2 else given.unsqueeze(0)

    def _prepare(self, input: Tensor, *states: Tensor | None) -> tuple[Tensor, ...]:
        """A cell's input and states as batches of one length; zeros for states not given."""
        x = self._batch("an input", input, self.input_size)
        rows = [x]
        for given in states:
            if given is None:
                rows.append(x.new_zeros(x.shape[0], self.hidden_size))
                continue
            state = self._batch("a state", given, self.hidden_size)
            if state.shape[0] != x.shape[0]:
                raise RuntimeError(
                    f"[{type(self).__name__}] {x.shape[0]} rows of input need as many of state, "
                    f"got {state.shape[0]}"
                )
            rows.append(state)
        return tuple(rows)

    def _weights(self) -> tuple[Any, ...]:
        """Return the four weights of a recurrent cell; None for a bias that it lacks."""
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh


class RNNCell(RNNCellBase):
    """Elman's step: h' = tanh(x W_ihᵀ + b_ih + h W_hhᵀ + b_hh), or relu; x (N, I), h (N, H).

    >>> tuple(RNNCell(4, 5)(norch.zeros(2, 4)).shape)
    (2, 5)
    """

    @in_own_name
    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the parameters and draw their first values."""
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next state; zeros stand for a state not given."""
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(
                f"[RNNCell] nonlinearity must be 'tanh' or 'relu', not {self.nonlinearity!r}"
            )
        x, h = self._prepare(input, hx)
        step = rnn_tanh_cell if self.nonlinearity == "tanh" else rnn_relu_cell
        out = step(x, h, *self._weights())
        return out if input.ndim == 2 else out.squeeze(0)


class GatedCell(RNNCellBase):
    """What LSTM's and GRU's cells share: so many gates, side by side in the weights."""

    num_chunks: int

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the parameters and draw their first values."""
        super().__init__(input_size, hidden_size, bias, self.num_chunks, device, dtype)


class LSTMCell(GatedCell):
    """One step of an LSTM: x (N, I) and (h, c), (N, H) each, give the next (h, c).

    >>> h, c = LSTMCell(4, 5)(norch.zeros(2, 4))
    >>> tuple(h.shape), tuple(c.shape)
    ((2, 5), (2, 5))
    """

    num_chunks = 4

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return the next (h, c); zeros stand for a state not given."""
        x, h, c = self._prepare(input, *(hx or (None, None)))
        h, c = lstm_cell(x, (h, c), *self._weights())
        return (h, c) if input.ndim == 2 else (h.squeeze(0), c.squeeze(0))


class GRUCell(GatedCell):
    """One step of a GRU: x (N, I) and h (N, H) give the next h.

    >>> tuple(GRUCell(4, 5)(norch.zeros(4)).shape)
    (5,)
    """

    num_chunks = 3

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next state; zeros stand for a state not given."""
        x, h = self._prepare(input, hx)
        out = gru_cell(x, h, *self._weights())
        return out if input.ndim == 2 else out.squeeze(0)
