"""A whole LSTM layer and its gradients: a product for all steps, then a cell for each step."""

from __future__ import annotations

from norch_cpu_ops import DType
from norch_cuda.array import CudaArray
from norch_cuda.operations.recurrent import Recurrent, Three
from norch_cuda.promotion import computing_dtype
from norch_strides import narrow, select, transpose

Six = tuple[CudaArray, CudaArray, CudaArray, CudaArray, CudaArray, CudaArray]


class Lstm(Recurrent):
    """Layers that run over time, T steps of a batch of N."""

    def lstm_layer(
        self,
        x: CudaArray,
        h0: CudaArray,
        c0: CudaArray,
        w_ih: CudaArray,
        w_hh: CudaArray,
        b_ih: CudaArray | None = None,
        b_hh: CudaArray | None = None,
        reverse: bool = False,
    ) -> Three:
        """Return y (T, N, H), the states c and the activated gates of every step; x (T, N, I).

        The input's part of all gates is one product; each step adds the state's part.
        """
        op = "lstm_layer"
        steps, n, size = self._check_layer(op, x, h0, c0, w_ih, w_hh)
        self._check_like(op, x, b_ih=(b_ih, (4 * size,)), b_hh=(b_hh, (4 * size,)))
        dtype = computing_dtype(x.dtype)
        inputs, h, c, w_in, w_state = (self.cast(a, dtype) for a in (x, h0, c0, w_ih, w_hh))
        gates = self.linear(inputs, w_in, self._joined_bias(b_ih, b_hh, dtype))
        y, states, activated = (self._empty((steps, n, k * size), dtype) for k in (1, 1, 4))
        for t in reversed(range(steps)) if reverse else range(steps):
            sums = self.add(_step(gates, t), self.linear(h, w_state))
            results = (_step(y, t), _step(states, t), _step(activated, t))
            self._launch_cell("lstm_cell", n * size, size, (sums, c, *results))
            h, c, _ = results
        return self.cast(y, x.dtype), self.cast(states, x.dtype), self.cast(activated, x.dtype)

    def lstm_layer_backward(
        self,
        grad_y: CudaArray | None,
        grad_h: CudaArray | None,
        grad_c: CudaArray | None,
        x: CudaArray,
        h0: CudaArray,
        c0: CudaArray,
        w_ih: CudaArray,
        w_hh: CudaArray,
        y: CudaArray,
        c: CudaArray,
        activated: CudaArray,
        reverse: bool = False,
    ) -> Six:
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
        before = self._shifted(c_first, c, reverse)
        dgates, dh, dc = self._steps_back(grads, w_state, before, c, activated, reverse)
        d = self._reshaped(dgates, (steps * n, 4 * size))
        turned = d.view(transpose(d.layout, 0, 1))
        earlier = self._reshaped(self._shifted(h_first, y, reverse), (steps * n, size))
        results = (
            *(self.matmul(dgates, w_in), dh, dc),
            self.matmul(turned, self._reshaped(inputs, (steps * n, x.shape[2]))),
            *(self.matmul(turned, earlier), self.sum(d, 0)),
        )
        dx, dh0, dc0, dw_ih, dw_hh, dbias = (self.cast(a, x.dtype) for a in results)
        return dx, dh0, dc0, dw_ih, dw_hh, dbias

    def _steps_back(
        self,
        grads: list[CudaArray | None],
        w_hh: CudaArray,
        before: CudaArray,
        c: CudaArray,
        activated: CudaArray,
        reverse: bool,
    ) -> Three:
        """Return dgates of every step, dh and dc of the first; each step hands them on."""
        grad_y, dh, dc = grads
        steps, n, size = c.shape
        dgates = self._empty(activated.shape, c.dtype)
        for t in range(steps) if reverse else reversed(range(steps)):
            if grad_y is not None:
                own = _step(grad_y, t)
                dh = own if dh is None else self.add(dh, own)
            kept = (_step(activated, t), _step(before, t), _step(c, t))
            earlier, gates = self._empty((n, size), c.dtype), _step(dgates, t)
            arrays = (dh, dc, *kept, gates, earlier)
            self._launch_cell("lstm_cell_backward", n * size, size, arrays)
            dh, dc = self.matmul(gates, w_hh), earlier
        assert dh is not None and dc is not None
        return dgates, dh, dc

    def _joined_bias(
        self, b_ih: CudaArray | None, b_hh: CudaArray | None, dtype: DType
    ) -> CudaArray | None:
        given = [self.cast(b, dtype) for b in (b_ih, b_hh) if b is not None]
        if not given:
            return None
        return given[0] if len(given) == 1 else self.add(*given)

    def _shifted(self, first: CudaArray, states: CudaArray, reverse: bool) -> CudaArray:
        """Return the states (T, N, H) as they were before each step."""
        start = self._reshaped(first, (1, *first.shape))
        rest = states.view(narrow(states.layout, 0, int(reverse), states.shape[0] - 1))
        return self.cat([rest, start] if reverse else [start, rest], 0)

    def _check_layer(
        self,
        op: str,
        x: CudaArray,
        h0: CudaArray,
        c0: CudaArray,
        w_ih: CudaArray,
        w_hh: CudaArray,
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
    return a.view(select(a.layout, 0, t))
