"""One step of an LSTM and of a GRU, after their matrix products, and the gradients."""

from __future__ import annotations

from norch_cuda.array import CudaArray
from norch_cuda.operations.batch_norm import BatchNorms
from norch_cuda.promotion import computing_dtype, is_real


class Recurrent(BatchNorms):
    """Cells; the state of all of them is (N, H)."""

    def lstm_cell(self, gates: CudaArray, c: CudaArray) -> tuple[CudaArray, CudaArray, CudaArray]:
        """gates (N, 4H) in the order i f g o, c (N, H) -> h, c_next and the activated gates."""
        self._check_cell("lstm_cell", c, {"gates": (gates, 4)})
        return self._cell("lstm_cell", (gates, c), c, (1, 1, 4))

    def lstm_cell_backward(
        self,
        grad_h: CudaArray,
        grad_c: CudaArray,
        activated: CudaArray,
        c: CudaArray,
        c_next: CudaArray,
    ) -> tuple[CudaArray, CudaArray]:
        """Return the gradients (dgates, dc), given those of h and c_next."""
        op = "lstm_cell_backward"
        others = {"grad_h": (grad_h, 1), "grad_c": (grad_c, 1), "c_next": (c_next, 1)}
        self._check_cell(op, c, {"activated": (activated, 4), **others})
        return self._cell(op, (grad_h, grad_c, activated, c, c_next), c, (4, 1))

    def gru_cell(
        self, gates_input: CudaArray, gates_hidden: CudaArray, h: CudaArray
    ) -> tuple[CudaArray, CudaArray]:
        """Gates (N, 3H) in the order r z n, h (N, H) -> h_next, saved (N, 4H)."""
        gates = {"gates_input": (gates_input, 3), "gates_hidden": (gates_hidden, 3)}
        self._check_cell("gru_cell", h, gates)
        return self._cell("gru_cell", (gates_input, gates_hidden, h), h, (1, 4))

    def gru_cell_backward(
        self, grad_h: CudaArray, saved: CudaArray, h: CudaArray
    ) -> tuple[CudaArray, CudaArray, CudaArray]:
        """Return the gradients (dgates_input, dgates_hidden, dh), given that of h_next."""
        self._check_cell("gru_cell_backward", h, {"saved": (saved, 4), "grad_h": (grad_h, 1)})
        return self._cell("gru_cell_backward", (grad_h, saved, h), h, (3, 3, 1))

    def _cell(
        self, op: str, given: tuple[CudaArray, ...], state: CudaArray, widths: tuple[int, ...]
    ) -> tuple[CudaArray, ...]:
        """Launch `<op>_kernel`; results are (N, width H)."""
        n, size = state.shape
        computing = computing_dtype(state.dtype)
        kept = [self.contiguous(self.cast(a, computing)) for a in given]
        results = [self._empty((n, width * size), computing) for width in widths]
        pointers = [a.pointer for a in (*kept, *results)]
        self._elements("recurrent", computing, f"{op}_kernel", n * size, size, *pointers)
        return tuple(self.cast(a, state.dtype) for a in results)

    def _check_cell(
        self, op: str, state: CudaArray, others: dict[str, tuple[CudaArray, int]]
    ) -> None:
        self._check(op, state, *(array for array, _ in others.values()))
        if not is_real(state.dtype):
            raise TypeError(f"[{op}] expected a real dtype, got {state.dtype.name}")
        if state.ndim != 2:
            raise RuntimeError(f"[{op}] expected a state (N, H), got {state.shape}")
        for name, (array, width) in others.items():
            expected = (state.shape[0], width * state.shape[1])
            if array.shape != expected:
                raise RuntimeError(
                    f"[{op}] {name} {array.shape} does not match the state {state.shape}: "
                    f"expected {expected}"
                )
            if array.dtype is not state.dtype:
                raise TypeError(
                    f"[{op}] the state is {state.dtype.name} but {name} is {array.dtype.name}"
                )
