"""One step of an LSTM and of a GRU, a whole LSTM layer, and the gradients.

A cell begins after the matrix products; the layer does one product for all steps, then a cell for
each step.
"""

from __future__ import annotations

from collections.abc import Sequence

from norch_cpu_ops import DType, DTypeError
from norch_cuda.arrays.array import CudaArray
from norch_cuda.arrays.promotion import computing_dtype, is_real
from norch_cuda.launch.base import New, OperationsBase
from norch_cuda.launch.pointwise import binary
from norch_cuda.operations.creation import cat
from norch_cuda.operations.matmul import linear, matmul
from norch_cuda.operations.reductions import fold
from norch_strides import narrow, select, transpose

Pair = tuple[CudaArray, CudaArray]
Three = tuple[CudaArray, CudaArray, CudaArray]
Six = tuple[CudaArray, CudaArray, CudaArray, CudaArray, CudaArray, CudaArray]


class Recurrent(OperationsBase):
    """Cells, whose state is (N, H), and layers that run over the T steps of a batch of N."""

    def lstm_cell(self, gates: CudaArray, c: CudaArray) -> Three:
        """`gates` (N, 4H) in the order i f g o, c (N, H) -> h, c_next and the activated gates."""
        n, size = self._check_state("lstm_cell", "c", c)
        self._check_like("lstm_cell", c, gates=(gates, (n, 4 * size)))
        h, c_next, activated = self._cell("lstm_cell", c, (gates, c), 1, 1, 4)
        return h, c_next, activated

    def lstm_cell_backward(
        self, grad_h: CudaArray | None, grad_c: CudaArray | None, activated: CudaArray,
        c: CudaArray, c_next: CudaArray,
    ) -> Pair:  # fmt: skip
        """Return the gradients (dgates, dc), given those of h and c_next (None: zero)."""
        op = "lstm_cell_backward"
        n, size = self._check_state(op, "c", c)
        grads = {"grad_h": (grad_h, (n, size)), "grad_c": (grad_c, (n, size))}
        self._check_like(
            op, c, **grads, activated=(activated, (n, 4 * size)), c_next=(c_next, (n, size))
        )
        dgates, dc = self._cell(op, c, (grad_h, grad_c, activated, c, c_next), 4, 1)
        return dgates, dc

    def gru_cell(self, gates_input: CudaArray, gates_hidden: CudaArray, h: CudaArray) -> Pair:
        """`gates` (N, 3H) in the order r z n, h (N, H) -> h_next, saved (N, 4H)."""
        n, size = self._check_state("gru_cell", "h", h)
        gates = {"gates_input": gates_input, "gates_hidden": gates_hidden}
        expected = {name: (gate, (n, 3 * size)) for name, gate in gates.items()}
        self._check_like("gru_cell", h, **expected)
        h_next, saved = self._cell("gru_cell", h, (gates_input, gates_hidden, h), 1, 4)
        return h_next, saved

    def gru_cell_backward(self, grad: CudaArray, saved: CudaArray, h: CudaArray) -> Three:
        """Return the gradients (dgates_input, dgates_hidden, dh), given that of h_next."""
        op = "gru_cell_backward"
        n, size = self._check_state(op, "h", h)
        self._check_like(op, h, grad=(grad, (n, size)), saved=(saved, (n, 4 * size)))
        dinput, dhidden, dh = self._cell(op, h, (grad, saved, h), 3, 3, 1)
        return dinput, dhidden, dh

    def lstm_layer(
        self, x: CudaArray, h0: CudaArray, c0: CudaArray, w_ih: CudaArray, w_hh: CudaArray,
        b_ih: CudaArray | None = None, b_hh: CudaArray | None = None, reverse: bool = False,
    ) -> Three:  # fmt: skip
        """Return y (T, N, H), the states c and the activated gates of every step; x (T, N, I).

        The input's part of all gates is one product; each step adds the state's part.
        """
        op = "lstm_layer"
        steps, n, size = self._check_layer(op, x, h0, c0, w_ih, w_hh)
        self._check_like(op, x, b_ih=(b_ih, (4 * size,)), b_hh=(b_hh, (4 * size,)))
        dtype = computing_dtype(x.dtype)
        inputs, h, c, w_in, w_state = (self.cast(a, dtype) for a in (x, h0, c0, w_ih, w_hh))
        gates = linear(self, inputs, w_in, self._join_bias(b_ih, b_hh, dtype))
        y, states, activated = (self.new((steps, n, k * size), dtype) for k in (1, 1, 4))
        for t in reversed(range(steps)) if reverse else range(steps):
            sums = binary(self, "add", _step(gates, t), linear(self, h, w_state))
            results = (_step(y, t), _step(states, t), _step(activated, t))
            self.compute("recurrent", dtype, "lstm_cell", size, sums, c, *results, n=n * size)
            h, c, _ = results
        return self.cast(y, x.dtype), self.cast(states, x.dtype), self.cast(activated, x.dtype)

    def lstm_layer_backward(
        self, grad_y: CudaArray | None, grad_h: CudaArray | None, grad_c: CudaArray | None,
        x: CudaArray, h0: CudaArray, c0: CudaArray, w_ih: CudaArray, w_hh: CudaArray,
        y: CudaArray, c: CudaArray, activated: CudaArray, reverse: bool = False,
    ) -> Six:  # fmt: skip
        """Return (dx, dh0, dc0, dw_ih, dw_hh, dbias); grad_h and grad_c are the last step's."""
        op = "lstm_layer_backward"
        steps, n, size = self._check_layer(op, x, h0, c0, w_ih, w_hh)
        state, all_states = (n, size), (steps, n, size)
        self._check_like(
            *(op, x),
            grad_y=(grad_y, all_states), grad_h=(grad_h, state), grad_c=(grad_c, state),
            y=(y, all_states), c=(c, all_states), activated=(activated, (steps, n, 4 * size)),
        )  # fmt: skip
        dtype = computing_dtype(x.dtype)
        kept = [self.cast(a, dtype) for a in (x, h0, c0, w_ih, w_hh, y, c, activated)]
        inputs, h_first, c_first, w_in, w_state, y, c, activated = kept
        grads = [None if g is None else self.cast(g, dtype) for g in (grad_y, grad_h, grad_c)]
        before = self._shift(c_first, c, reverse)
        dgates, dh, dc = self._steps_back(grads, w_state, before, c, activated, reverse)
        d = self.reshape(dgates, (steps * n, 4 * size))
        turned = d.view(transpose(d.layout, 0, 1))
        earlier = self.reshape(self._shift(h_first, y, reverse), (steps * n, size))
        results = (
            *(matmul(self, dgates, w_in), dh, dc),
            matmul(self, turned, self.reshape(inputs, (steps * n, x.shape[2]))),
            *(matmul(self, turned, earlier), fold(self, "sum", d, 0, False)),
        )
        dx, dh0, dc0, dw_ih, dw_hh, dbias = (self.cast(a, x.dtype) for a in results)
        return dx, dh0, dc0, dw_ih, dw_hh, dbias

    def _cell(
        self, op: str, state: CudaArray, given: Sequence[CudaArray | None], *widths: int
    ) -> list[CudaArray]:
        """Launch `<op>_kernel`; its results are (N, width H)."""
        n, size = state.shape
        results = [New((n, width * size)) for width in widths]
        return self.compute("recurrent", state.dtype, op, size, *given, *results, n=n * size)

    def _check_state(self, op: str, name: str, state: CudaArray, ndim: int = 2) -> tuple[int, ...]:
        """Return the shape of a state (N, H), or of anything with `ndim` dims."""
        self.check(op, state)
        if not is_real(state.dtype):
            raise DTypeError(
                f"[{op}] expected floating arrays, got {state.dtype.name}: cast {name} to float32 "
                "first"
            )
        if state.ndim != ndim:
            raise RuntimeError(f"[{op}] {name} has shape {state.shape}, expected {ndim} dimensions")
        return state.shape

    def _check_like(
        self, op: str, model: CudaArray, **arrays: tuple[CudaArray | None, tuple[int, ...]]
    ) -> None:
        """Check arrays by name: given or None, and the shape expected of them."""
        for name, (array, expected) in arrays.items():
            if array is None:
                continue
            self.check(op, array)
            if array.shape != expected:
                raise RuntimeError(f"[{op}] {name} has shape {array.shape}, expected {expected}")
            if array.dtype is not model.dtype:
                raise DTypeError(
                    f"[{op}] {name} is {array.dtype.name}, expected {model.dtype.name} as the rest"
                )

    def _steps_back(
        self, grads: list[CudaArray | None], w_hh: CudaArray, before: CudaArray, c: CudaArray,
        activated: CudaArray, reverse: bool,
    ) -> Three:  # fmt: skip
        """Return dgates of every step, dh and dc of the first; each step hands them on."""
        grad_y, dh, dc = grads
        steps, n, size = c.shape
        dgates = self.new(activated.shape, c.dtype)
        for t in range(steps) if reverse else reversed(range(steps)):
            if grad_y is not None:
                own = _step(grad_y, t)
                dh = own if dh is None else binary(self, "add", dh, own)
            kept = (_step(activated, t), _step(before, t), _step(c, t))
            earlier, gates = self.new((n, size), c.dtype), _step(dgates, t)
            given = (size, dh, dc, *kept, gates, earlier)
            self.compute("recurrent", c.dtype, "lstm_cell_backward", *given, n=n * size)
            dh, dc = matmul(self, gates, w_hh), earlier
        assert dh is not None and dc is not None
        return dgates, dh, dc

    def _join_bias(
        self, b_ih: CudaArray | None, b_hh: CudaArray | None, dtype: DType
    ) -> CudaArray | None:
        """Return the sum of a layer's two biases, of which either may be missing."""
        given = [self.cast(b, dtype) for b in (b_ih, b_hh) if b is not None]
        if not given:
            return None
        return given[0] if len(given) == 1 else binary(self, "add", given[0], given[1])

    def _shift(self, first: CudaArray, states: CudaArray, reverse: bool) -> CudaArray:
        """Return the states (T, N, H) as they were before each step."""
        start = self.reshape(first, (1, *first.shape))
        rest = states.view(narrow(states.layout, 0, int(reverse), states.shape[0] - 1))
        return cat(self, [rest, start] if reverse else [start, rest], 0)

    def _check_layer(
        self, op: str, x: CudaArray, h0: CudaArray, c0: CudaArray, w_ih: CudaArray, w_hh: CudaArray
    ) -> tuple[int, int, int]:
        """Return (T, N, H)."""
        steps, n, inputs = self._check_state(op, "x", x, 3)
        size = self._check_state(op, "w_hh", w_hh)[1]
        if steps == 0:
            raise RuntimeError(f"[{op}] x has no time steps: expected at least one")
        self._check_like(
            *(op, x),
            w_hh=(w_hh, (4 * size, size)), w_ih=(w_ih, (4 * size, inputs)),
            h0=(h0, (n, size)), c0=(c0, (n, size)),
        )  # fmt: skip
        return steps, n, size


def _step(a: CudaArray, t: int) -> CudaArray:
    """View time step `t` of an array (T, ...)."""
    return a.view(select(a.layout, 0, t))
