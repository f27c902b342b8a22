"""Write src/norch_cpu_ops/_cpu.pyi from the tables of csrc/bindings, as `__doc__` hands them on.

Run it after a row was added or changed; tests/test_stub.py fails until then. The class Array is
written against the C API and has no signatures: its part of the stub stands here by hand.
"""

import inspect
import subprocess
import sys
from pathlib import Path
from types import BuiltinFunctionType

from norch_cpu_ops import _cpu

STUB = Path(__file__).parent.parent / "src" / "norch_cpu_ops" / "_cpu.pyi"

HEADER = '''"""Types of the C++ module: the class Array, the dtypes, the switches, the operations.

Written by tools/write_stub.py.
"""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar, SupportsIndex

from typing_extensions import Buffer

from norch_strides import Layout

class DTypeError(TypeError, RuntimeError): ...

class DType:
    """The type of an array's elements; one object each."""

    @property
    def name(self) -> str: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def is_floating_point(self) -> bool: ...

bool_: DType
uint8: DType
int32: DType
int64: DType
float16: DType
bfloat16: DType
float32: DType
float64: DType

class Array:
    """Elements on the CPU: a storage seen through shape and strides."""

    ops: ClassVar[ModuleType]
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def offset(self) -> int: ...
    @property
    def ndim(self) -> int: ...
    @property
    def numel(self) -> int: ...
    @property
    def dtype(self) -> DType: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def device(self) -> str: ...
    @property
    def is_contiguous(self) -> bool: ...
    @property
    def data_ptr(self) -> int: ...
    @property
    def is_unshared(self) -> bool: ...
    @property
    def version(self) -> int: ...
    @property
    def layout(self) -> Layout: ...
    @property
    def mT(self) -> Array: ...
    def reshape(self, *shape: SupportsIndex | Sequence[SupportsIndex]) -> Array: ...
    def sum(
        self, dim: SupportsIndex | Sequence[SupportsIndex] | None = None, keepdim: bool = False
    ) -> Array: ...
    def view(self, layout: Layout | tuple[Sequence[int], Sequence[int], int]) -> Array: ...
    def item(self) -> float: ...
    def tolist(self) -> Any: ...
    def alike(self, other: Array) -> bool: ...
    def unversioned(self) -> Array: ...
    def shares_storage(self, other: Array) -> bool: ...
    def __add__(self, other: Array | float) -> Array: ...
    def __radd__(self, other: float) -> Array: ...
    def __sub__(self, other: Array | float) -> Array: ...
    def __rsub__(self, other: float) -> Array: ...
    def __mul__(self, other: Array | float) -> Array: ...
    def __rmul__(self, other: float) -> Array: ...
    def __truediv__(self, other: Array | float) -> Array: ...
    def __rtruediv__(self, other: float) -> Array: ...
    def __matmul__(self, other: Array) -> Array: ...
    def __neg__(self) -> Array: ...
    def __dlpack__(
        self,
        *,
        stream: None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

Number = bool | int | float
Operand = Array | Number
Shape = SupportsIndex | Sequence[SupportsIndex]

'''

# Where a type checker can know more than a row of the tables says.
REPLACEMENTS = [
    ("Array | float", "Operand"),
    ("int | Sequence[int]", "Shape"),
    ("source: object", "source: Buffer"),
    ("nested: object", "nested: Any"),
]


def signature(function: BuiltinFunctionType) -> str:
    """Return the Python signature of a C++ function."""
    text = (function.__doc__ or "").splitlines()[0]
    for pattern, replacement in REPLACEMENTS:
        text = text.replace(pattern, replacement)
    return f"def {text}: ...\n"


def main() -> None:
    """Write the stub, formatted."""
    functions = [f for _, f in sorted(vars(_cpu).items()) if inspect.isbuiltin(f)]
    STUB.write_text(HEADER + "".join(map(signature, functions)))
    subprocess.run([sys.executable, "-m", "ruff", "format", "-q", str(STUB)], check=True)


if __name__ == "__main__":
    main()
