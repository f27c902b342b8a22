"""RNN, LSTM and GRU: layers that read a sequence step by step and carry a state along.

RNNBase holds the parameters, checks shapes, and stacks directions and layers; functional/rnn.py
takes one direction through time.
"""

from __future__ import annotations

import math
import numbers
import warnings
from typing import Any, cast as as_type

from norch_autograd import Tensor, cat, empty, is_autocast_enabled, stack
from norch_autograd.graph.operands import in_own_name
from norch_autograd.types.size import TENSOR_BYTES, check_room
from norch_nn import functional as F, init
from norch_nn.core.module import Module
from norch_nn.core.packed_sequence import PackedSequence
from norch_nn.core.parameter import Parameter
from norch_nn.functional.rnn import State, Weights, run_direction

GATES = {"RNN_TANH": 1, "RNN_RELU": 1, "LSTM": 4, "GRU": 3}


class RNNBase(Module):
    """What RNN, LSTM and GRU share: parameters, checks, directions and layers.

    Parameters, for layer k, with `_reverse` at the end for the second direction:
    `weight_ih_l{k}` (gates x H, input), `weight_hh_l{k}` (gates x H, H), `bias_ih_l{k}`,
    `bias_hh_l{k}` (gates x H), and `weight_hr_l{k}` (P, H) with a projection; all start in
    U(-1/√H, 1/√H).

    >>> [name for name, _ in RNNBase("GRU", 3, 4).named_parameters()]
    ['weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0']
    """

    weight_ih_l0: Parameter

    @in_own_name
    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the parameters of every layer and direction and draw their first values."""
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        number = isinstance(dropout, numbers.Number) and not isinstance(dropout, bool)
        self.dropout = float(dropout) if number else dropout
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_arguments()
        rows = GATES[mode] * hidden_size  # of the smallest matrix of each layer and direction
        check_room(type(self).__name__, num_layers, rows * self._output_size + TENSOR_BYTES)
        for layer in range(num_layers):
            for suffix in self._suffixes():
                self._make_direction(layer, suffix, device, dtype)
        self.reset_parameters()

    def _check_arguments(self) -> None:
        """Refuse sizes and options of a recurrent layer that PyTorch refuses."""
        name = type(self).__name__
        if not isinstance(self.dropout, float) or not 0 <= self.dropout <= 1:
            raise ValueError(f"[{name}] dropout must be a number from 0 to 1, not {self.dropout!r}")
        if self.dropout > 0 and self.num_layers == 1:
            warnings.warn(
                f"[{name}] dropout acts between layers: with num_layers=1 it does nothing",
                stacklevel=5,
            )
        if not isinstance(self.hidden_size, int):
            given = type(self.hidden_size).__name__
            raise TypeError(f"[{name}] hidden_size must be an int, not {given}")
        for what in ("input_size", "hidden_size", "num_layers"):
            if getattr(self, what) <= 0:
                raise ValueError(f"[{name}] {what} must be above 0, not {getattr(self, what)}")
        if self.proj_size and self.mode != "LSTM":
            raise ValueError(f"[{name}] only LSTM has proj_size")
        if not 0 <= self.proj_size < self.hidden_size:
            raise ValueError(
                f"[{name}] proj_size must lie from 0 to hidden_size - 1 = {self.hidden_size - 1}, "
                f"not {self.proj_size}"
            )

    def _suffixes(self) -> list[str]:
        """Return what the names of each direction's parameters end with."""
        return ["", "_reverse"] if self.bidirectional else [""]

    @property
    def _output_size(self) -> int:
        """The width of one direction's output at each step."""
        return self.proj_size or self.hidden_size

    def _make_direction(self, layer: int, suffix: str, device: Any, dtype: Any) -> None:
        """Make the parameters of one direction of one layer."""
        rows = GATES[self.mode] * self.hidden_size
        width = self._output_size * len(self._suffixes()) if layer else self.input_size
        shapes = {"weight_ih": [rows, width], "weight_hh": [rows, self._output_size]}
        if self.bias:
            shapes |= {"bias_ih": [rows], "bias_hh": [rows]}
        if self.proj_size:
            shapes["weight_hr"] = [self.proj_size, self.hidden_size]
        for name, shape in shapes.items():
            parameter = Parameter(empty(*shape, device=device, dtype=dtype))
            self.register_parameter(f"{name}_l{layer}{suffix}", parameter)

    def reset_parameters(self) -> None:
        """Draw the layer's weights and biases anew."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def flatten_parameters(self) -> None:
        """Do nothing: it is a matter of cuDNN, kept so that scripts run."""

    def _weights(self, layer: int, suffix: str) -> Weights:
        """Return the parameters of one direction of one layer; None for those it lacks."""
        found = {name: getattr(self, f"{name}_l{layer}{suffix}", None) for name in Weights._fields}
        return Weights(**as_type("dict[str, Any]", found))

    @property
    def all_weights(self) -> list[list[Tensor]]:
        """The parameters of each direction of each layer.

        >>> [len(direction) for direction in RNNBase("GRU", 2, 3, bidirectional=True).all_weights]
        [4, 4]
        """
        directions = [
            self._weights(layer, suffix)
            for layer in range(self.num_layers)
            for suffix in self._suffixes()
        ]
        return [[weight for weight in weights if weight is not None] for weights in directions]

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """Return (output, last state); see the class for the shapes.

        `input` may be a `PackedSequence`; then so is the output.
        """
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        self._check_input(input, (2, 3))
        if input.ndim == 2:  # one sequence, no batch
            x = input.unsqueeze(1)
            state = self._state(hx, x, 1, unbatched=True)
            output, state = self._run(x, None, state)
            return output.squeeze(1), self._answer(tuple(part.squeeze(1) for part in state))
        x = input.transpose(0, 1) if self.batch_first else input
        output, state = self._run(x, None, self._state(hx, x, x.shape[1]))
        return output.transpose(0, 1) if self.batch_first else output, self._answer(state)

    def _forward_packed(self, packed: PackedSequence, hx: Any) -> tuple[Any, Any]:
        """Run the layer over packed rows: the state is put in the rows' order, and back."""
        self._check_input(packed.data, (2,))
        sizes = packed.batch_sizes.tolist()
        state = self._state(hx, packed.data, sizes[0])
        if hx is not None and packed.sorted_indices is not None:
            state = tuple(part.index_select(1, packed.sorted_indices) for part in state)
        output, state = self._run(packed.data, sizes, state)
        if packed.unsorted_indices is not None:
            state = tuple(part.index_select(1, packed.unsorted_indices) for part in state)
        return packed._replace(data=output), self._answer(state)

    def _check_input(self, input: Tensor, ranks: tuple[int, ...]) -> None:
        """Raise ValueError for an input whose dimensions or dtype the layer does not take."""
        name = type(self).__name__
        if input.ndim not in ranks:
            raise ValueError(
                f"[{name}] expected an input of {' or '.join(map(str, ranks))} dimensions, "
                f"got shape {tuple(input.shape)}"
            )
        if input.dtype is not self.weight_ih_l0.dtype and not is_autocast_enabled():
            raise ValueError(
                f"[{name}] the input is {input.dtype}, the weights {self.weight_ih_l0.dtype}: "
                "cast one of them"
            )
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"[{name}] the input's last size must be input_size {self.input_size}, "
                f"got shape {tuple(input.shape)}"
            )
        time = 1 if self.batch_first and input.ndim == 3 else 0
        if input.shape[time] == 0:
            raise RuntimeError(f"[{name}] expected at least one time step, got none")

    def _state(self, hx: Any, x: Tensor, rows: int, unbatched: bool = False) -> State:
        """The first state as (layers x directions, N, size) each: what was given, or zeros."""
        count = self.num_layers * len(self._suffixes())
        sizes = [self._output_size, self.hidden_size] if self.mode == "LSTM" else [self.hidden_size]
        if hx is None:
            return tuple(x.new_zeros(count, rows, size) for size in sizes)
        given = tuple(hx) if self.mode == "LSTM" and not isinstance(hx, Tensor) else (hx,)
        name = type(self).__name__
        if len(given) != len(sizes):
            raise RuntimeError(f"[{name}] the state must be two tensors, (h, c)")
        for part, size in zip(given, sizes, strict=True):
            expected = (count, size) if unbatched else (count, rows, size)
            if tuple(part.shape) != expected:
                raise RuntimeError(
                    f"[{name}] expected a state of shape {expected}, got {tuple(part.shape)}"
                )
        return tuple(part.unsqueeze(1) for part in given) if unbatched else given

    def _answer(self, state: State) -> Any:
        """Return the last state of an RNN or GRU, h, or of an LSTM, (h, c)."""
        return state if self.mode == "LSTM" else state[0]

    def _run(self, x: Tensor, sizes: list[int] | None, state: State) -> tuple[Tensor, State]:
        """Layer upon layer, each direction of a layer over the whole input of that layer."""
        starts = list(zip(*(part.unbind(0) for part in state), strict=True))
        ends: list[State] = []
        for layer in range(self.num_layers):
            outputs = []
            for suffix in self._suffixes():
                weights, start = self._weights(layer, suffix), starts[len(ends)]
                y, end = run_direction(self.mode, x, sizes, start, weights, suffix != "")
                outputs.append(y)
                ends.append(end)
            x = cat(outputs, -1) if len(outputs) > 1 else outputs[0]
            if layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout, self.training)
        return x, tuple(stack(list(parts)) for parts in zip(*ends, strict=True))

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        defaults = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False,
                    "dropout": 0, "bidirectional": False}  # fmt: skip
        for name, default in defaults.items():
            if getattr(self, name) != default:
                text += f", {name}={getattr(self, name)}"
        return text


class RNN(RNNBase):
    """Elman's network: h_t = tanh(x_t W_ihᵀ + b_ih + h_{t-1} W_hhᵀ + b_hh), or relu.

    Input (T, N, I), or (N, T, I) with `batch_first`, or one sequence (T, I); state (layers x
    directions, N, H), zeros if not given. Output: the last layer's h of every step (T, N,
    directions x H), and the last state.

    >>> output, h = RNN(4, 5, num_layers=2)(norch.zeros(3, 2, 4))
    >>> tuple(output.shape), tuple(h.shape)
    ((3, 2, 5), (2, 2, 5))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the parameters and draw their first values."""
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"[RNN] nonlinearity must be 'tanh' or 'relu', not {nonlinearity!r}")
        super().__init__(
            f"RNN_{nonlinearity.upper()}", input_size, hidden_size, num_layers, bias, batch_first,
            dropout, bidirectional, device=device, dtype=dtype,
        )  # fmt: skip
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory: c_t = f c_{t-1} + i g, h_t = o tanh(c_t), with the gates i, f, o =
    sigmoid and g = tanh of x_t W_ihᵀ + b_ih + h_{t-1} W_hhᵀ + b_hh, side by side i f g o.

    Shapes as RNN's; the state is (h, c). With `proj_size` P > 0, h_t is projected to P sizes.

    >>> output, (h, c) = LSTM(4, 5, bidirectional=True)(norch.zeros(3, 2, 4))
    >>> tuple(output.shape), tuple(h.shape), tuple(c.shape)
    ((3, 2, 10), (2, 2, 5), (2, 2, 5))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the parameters and draw their first values."""
        super().__init__(
            "LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            proj_size, device, dtype,
        )  # fmt: skip


class GRU(RNNBase):
    """Gated recurrent unit: h_t = (1 - z) n + z h_{t-1}, with r, z = sigmoid of the sums over x_t
    and h_{t-1}, and n = tanh(sum over x_t + r (sum over h_{t-1})), side by side r z n.

    Shapes as RNN's.

    >>> output, h = GRU(4, 5, batch_first=True)(norch.zeros(2, 3, 4))
    >>> tuple(output.shape), tuple(h.shape)
    ((2, 3, 5), (1, 2, 5))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the parameters and draw their first values."""
        super().__init__(
            "GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            device=device, dtype=dtype,
        )  # fmt: skip
