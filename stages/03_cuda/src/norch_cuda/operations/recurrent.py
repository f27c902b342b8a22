"""One step of an LSTM and of a GRU, after their matrix products, and the gradients."""

from __future__ import annotations

from norch_cpu_ops import DTypeError
from norch_cuda.array import CudaArray
from norch_cuda.backend import Pointer
from norch_cuda.operations.batch_norm import BatchNorms
from norch_cuda.promotion import computing_dtype, is_real

Pair = tuple[CudaArray, CudaArray]
Three = tuple[CudaArray, CudaArray, CudaArray]


class Recurrent(BatchNorms):
    """Cells; the state of all of them is (N, H)."""

    def lstm_cell(self, gates: CudaArray, c: CudaArray) -> Three:
        """Gates (N, 4H) in the order i f g o, c (N, H) -> h, c_next and the activated gates."""
        n, size = self._check_state("lstm_cell", "c", c)
        self._check_like("lstm_cell", c, gates=(gates, (n, 4 * size)))
        h, c_next, activated = self._cell("lstm_cell", c, (gates, c), (1, 1, 4))
        return h, c_next, activated

    def lstm_cell_backward(
        self,
        grad_h: CudaArray | None,
        grad_c: CudaArray | None,
        activated: CudaArray,
        c: CudaArray,
        c_next: CudaArray,
    ) -> Pair:
        """Return the gradients (dgates, dc), given those of h and c_next (None: zero)."""
        op = "lstm_cell_backward"
        n, size = self._check_state(op, "c", c)
        grads = {"grad_h": (grad_h, (n, size)), "grad_c": (grad_c, (n, size))}
        self._check_like(
            op, c, **grads, activated=(activated, (n, 4 * size)), c_next=(c_next, (n, size))
        )
        dgates, dc = self._cell(op, c, (grad_h, grad_c, activated, c, c_next), (4, 1))
        return dgates, dc

    def gru_cell(self, gates_input: CudaArray, gates_hidden: CudaArray, h: CudaArray) -> Pair:
        """Gates (N, 3H) in the order r z n, h (N, H) -> h_next, saved (N, 4H)."""
        n, size = self._check_state("gru_cell", "h", h)
        gates = {"gates_input": gates_input, "gates_hidden": gates_hidden}
        expected = {name: (gate, (n, 3 * size)) for name, gate in gates.items()}
        self._check_like("gru_cell", h, **expected)
        h_next, saved = self._cell("gru_cell", h, (gates_input, gates_hidden, h), (1, 4))
        return h_next, saved

    def gru_cell_backward(self, grad: CudaArray, saved: CudaArray, h: CudaArray) -> Three:
        """Return the gradients (dgates_input, dgates_hidden, dh), given that of h_next."""
        op = "gru_cell_backward"
        n, size = self._check_state(op, "h", h)
        self._check_like(op, h, grad=(grad, (n, size)), saved=(saved, (n, 4 * size)))
        dinput, dhidden, dh = self._cell(op, h, (grad, saved, h), (3, 3, 1))
        return dinput, dhidden, dh

    def _cell(
        self,
        op: str,
        state: CudaArray,
        given: tuple[CudaArray | None, ...],
        widths: tuple[int, ...],
    ) -> list[CudaArray]:
        """Launch `<op>_kernel`; its results are (N, width H)."""
        n, size = state.shape
        dtype = computing_dtype(state.dtype)
        results = [self._empty((n, width * size), dtype) for width in widths]
        kept = [None if a is None else self.cast(a, dtype) for a in given]
        self._launch_cell(op, n * size, size, (*kept, *results))
        return [self.cast(a, state.dtype) for a in results]

    def _launch_cell(
        self, op: str, elements: int, size: int, arrays: tuple[CudaArray | None, ...]
    ) -> None:
        """Run the kernel of a cell; what it writes is contiguous, what it reads becomes so."""
        kept = [None if a is None else self.contiguous(a) for a in arrays]
        pointers = [Pointer(None) if a is None else a.pointer for a in kept]
        dtype = next(a.dtype for a in kept if a is not None)
        self._elements("recurrent", dtype, f"{op}_kernel", elements, size, *pointers)

    def _check_state(self, op: str, name: str, state: CudaArray, ndim: int = 2) -> tuple[int, ...]:
        """Return the shape of a state (N, H), or of anything with `ndim` dims."""
        self._check(op, state)
        if not is_real(state.dtype):
            raise DTypeError(
                f"[{op}] expected floating arrays, got {state.dtype.name}: cast {name} to float32 "
                "first"
            )
        if state.ndim != ndim:
            raise RuntimeError(f"[{op}] {name} has shape {state.shape}, expected {ndim} dimensions")
        return state.shape

    def _check_like(
        self,
        op: str,
        model: CudaArray,
        **arrays: tuple[CudaArray | None, tuple[int, ...]],
    ) -> None:
        """Check arrays by name: given or None, and the shape expected of them."""
        for name, (array, expected) in arrays.items():
            if array is None:
                continue
            self._check(op, array)
            if array.shape != expected:
                raise RuntimeError(f"[{op}] {name} has shape {array.shape}, expected {expected}")
            if array.dtype is not model.dtype:
                raise DTypeError(
                    f"[{op}] {name} is {array.dtype.name}, expected {model.dtype.name} as the rest"
                )
