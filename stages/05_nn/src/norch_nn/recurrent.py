"""RNN, LSTM and GRU: layers that read a sequence step by step and carry a state along.

What they share is RNNBase's (recurrent_base.py); here are their formulas and arguments.
recurrent_cells.py has the single steps.
"""

from __future__ import annotations

from typing import Any

from norch_nn.recurrent_base import RNNBase


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
