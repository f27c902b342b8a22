"""Write _cpu.pyi and ops.py from the tables of csrc/bindings, as `__doc__` hands them on.

Run it after a row was added or changed and compiled; tests/test_stub.py fails until then. The class
Array is written against the C API and has no signatures: its part of the stub stands here by hand.
"""

import inspect
import re
from pathlib import Path
from types import BuiltinFunctionType

from norch_cpu_ops import _cpu

PACKAGE = Path(__file__).parent.parent / "src" / "norch_cpu_ops"
WIDTH = 100
# Functions that are no operations on arrays, or that a module beside ops.py hands on.
OTHERS = """
blas cholesky eigh empty_cache from_dlpack get_num_threads has_lapack instruction_set
instruction_sets is_blas_enabled lesson_fetches lesson_matmul lesson_sum lstsq lu_factor
matmul_blocked matmul_naive memory_stats peak_bandwidth peak_flops philox4x32 promote_types qr
require_lapack row_order run_compiled set_blas_enabled set_cache_limit set_direct_enabled
set_instruction_set set_num_threads set_winograd_enabled solve_triangular svd use_lessons
"""

OPS = '''"""Every operation on `Array`, by name; `OPERATIONS` lists them.

The functions are C++ (`csrc/bindings`); tools/write_stub.py writes this file from their tables.
"""

from norch_cpu_ops._cpu import (
{})

OPERATIONS: tuple[str, ...] = tuple(name for name in globals() if not name.startswith("_"))
'''

HEADER = '''"""Types of the C++ module: the class Array, the dtypes, the switches, the operations.

Written by tools/write_stub.py.
"""

from collections.abc import Callable, Sequence
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
int8: DType
int16: DType
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
    def owns_storage(self) -> bool: ...
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
    def view_by(self, rule: Callable[..., Layout | None], *args: Any) -> Array: ...
    def views_by(self, rule: Callable[..., list[Layout]], *args: Any) -> list[Array]: ...
    def select(self, dim: SupportsIndex, index: SupportsIndex) -> Array: ...
    def unbind(self, dim: SupportsIndex) -> list[Array]: ...
    def item(self) -> float: ...
    def tolist(self) -> Any: ...
    def alike(self, other: Array) -> bool: ...
    def unversioned(self) -> Array: ...
    def storage_as(self, dtype: DType, /) -> Array: ...
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
    """Return the Python signature of a C++ function, wrapped as ruff does."""
    text = (function.__doc__ or "").splitlines()[0].replace("'", '"')
    for pattern, replacement in REPLACEMENTS:
        text = text.replace(pattern, replacement)
    line = f"def {text}: ...\n"
    if len(line) <= WIDTH + 1:
        return line
    head, inner, tail = re.fullmatch(r"(.*?\()(.*)(\).*\n)", line).groups()  # type: ignore[union-attr]
    if len(inner) + 4 <= WIDTH:
        return f"{head}\n    {inner}\n{tail}"
    each = re.split(r", (?=\w+: )", inner)
    return "".join([f"{head}\n", *(f"    {one},\n" for one in each), tail])


def texts() -> dict[Path, str]:
    """Return what the files should say."""
    functions = [f for _, f in sorted(vars(_cpu).items()) if inspect.isbuiltin(f)]
    lines = [
        f"    {f.__name__} as {f.__name__},\n"
        for f in functions
        if f.__name__ not in OTHERS.split()
    ]
    return {
        PACKAGE / "_cpu.pyi": HEADER + "".join(map(signature, functions)),
        PACKAGE / "ops.py": OPS.format("".join(lines)),
    }


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text)
        print(f"[stub] wrote {path}")
