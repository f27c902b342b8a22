"""New tensors: from data, filled with one value, counted or evenly spaced. Random ones are in
random.py, those shaped like another tensor in like.py.
"""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.creation.from_data import (
    array_at,
    cpu_ops,
    default_place,
    is_array,
    on_device,
    on_gpu,
    ops_of,
)
from norch_autograd.graph.family import family
from norch_autograd.graph.operands import in_own_name, number_alone
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.graph.views import require_grad
from norch_autograd.ops.dtype.convert import pin_array, to
from norch_autograd.ops.elementwise.arithmetic import neg
from norch_autograd.ops.elementwise.where import where
from norch_autograd.ops.shape.view import sizes_of
from norch_autograd.types.dtype import as_dtype, dtype_or_default, get_default_dtype
from norch_autograd.types.size import check_room
from norch_cpu_ops import DType, float64, int64


def make_leaf(array: Any, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """A leaf tensor around a new array, or its copy in pinned memory."""
    tensor = plain(pin_array(array) if pin_memory else array)
    return require_grad(tensor) if requires_grad else tensor


def tensor(
    data: Any,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor with a copy of `data`: a number, nested lists, an array. Whole numbers stay exact
    (int64).

    >>> norch.tensor([[1, 2], [3, 4]]), norch.tensor(0.5, requires_grad=True)
    (tensor([[1, 2],
            [3, 4]]), tensor(0.5000, requires_grad=True))
    """
    return make_leaf(array_at(data, dtype, device), requires_grad, pin_memory)


def as_tensor(data: Any, dtype: DType | None = None, device: Any = None) -> Tensor:
    """`data` as a tensor, sharing memory where it can; a tensor itself.

    >>> x = norch.ones(2)
    >>> norch.as_tensor(x) is x
    True
    """
    device = default_place(device)
    if isinstance(data, Tensor):
        found: Tensor = data
        return found if dtype is None and device is None else to(found, dtype=dtype, device=device)
    if is_array(data):
        return plain(data)
    if type(data).__module__ == "numpy" and hasattr(data, "flags") and data.flags.writeable:
        return to(from_numpy(data), dtype=dtype, device=device)
    if (theirs := on_gpu(data)) is not None:
        return to(plain(theirs), dtype=dtype, device=device)
    return tensor(data, dtype=dtype, device=device)


def from_numpy(ndarray: Any) -> Tensor:
    """A tensor that shares the memory of a NumPy array.

    >>> import numpy, norch_autograd as norch
    >>> a = numpy.zeros(2, dtype=numpy.float32)
    >>> x = norch.from_numpy(a)
    >>> a[0] = 5
    >>> x
    tensor([5., 0.])
    """
    if type(ndarray).__module__ != "numpy":
        raise TypeError(f"[from_numpy] expected a NumPy array, got {type(ndarray).__name__}")
    return plain(cpu_ops.share_buffer(ndarray))


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """The memory of any object with `__dlpack__` as a tensor, shared: NumPy's, PyTorch's, JAX's,
    CuPy's.

    `copy=True` gives memory of its own. On another `device` it is a copy, which `copy=False`
    refuses with ValueError.

    >>> import numpy, norch_autograd as norch
    >>> norch.from_dlpack(numpy.arange(3))
    tensor([0, 1, 2])
    """
    array = ext_tensor.array if isinstance(ext_tensor, Tensor) else on_gpu(ext_tensor)
    if array is None:
        array = norch_cpu_ops.from_dlpack(ext_tensor)
    moved = array if device is None else on_device(array, device)
    if copy is False and moved is not array:
        raise ValueError(
            f"[from_dlpack] from {array.device} to {moved.device} is a copy: copy=False forbids it"
        )
    return plain(moved.ops.clone(moved) if copy and moved is array else moved)


@in_own_name
def frombuffer(
    buffer: Any, *, dtype: DType, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A vector that shares the memory of a buffer such as bytes or an mmap.

    >>> norch.frombuffer(bytearray(b"abc"), dtype=norch.uint8)
    tensor([97, 98, 99], dtype=norch.uint8)
    """
    dtype = dtype_or_default(dtype)
    raw = memoryview(buffer).cast("B")
    if not 0 <= offset <= len(raw) or count * dtype.itemsize > len(raw) - offset:
        raise ValueError(
            f"[frombuffer] offset {offset} and count {count} of {dtype} leave the buffer of "
            f"{len(raw)} bytes"
        )
    raw = raw[offset:] if count < 0 else raw[offset : offset + count * dtype.itemsize]
    if len(raw) % dtype.itemsize:
        raise ValueError(
            f"[frombuffer] {len(raw)} bytes are no whole number of {dtype} elements "
            f"of {dtype.itemsize} bytes"
        )
    return make_leaf(cpu_ops.share_buffer(raw).storage_as(dtype), requires_grad)


@in_own_name
def full(
    size: Any,
    fill_value: float,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of one value; a whole number makes it int64, True or False bool.

    >>> norch.full((2, 2), 7.)
    tensor([[7., 7.],
            [7., 7.]])
    """
    fill_value = _number(fill_value)
    if dtype is None and not isinstance(fill_value, float):
        found = cpu_ops.from_list(fill_value, None).dtype
        dtype = None if found.is_floating_point else found
    shape = strides.as_dims(size, "full")
    return make_leaf(
        ops_of(device).full(shape, fill_value, dtype_or_default(dtype)), requires_grad, pin_memory
    )


@family("{}")
def _new_of_size(
    kind: str,
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A new tensor of zeros, of ones, or of whatever was there."""
    array = getattr(ops_of(device), kind)(sizes_of(sizes, size), dtype_or_default(dtype))
    return make_leaf(array, requires_grad, pin_memory)


zeros = _new_of_size("zeros")("""
    A tensor of zeros: `zeros(2, 3)`, `zeros((2, 3))` or `zeros(size=(2, 3))`.

    >>> norch.zeros(2)
    tensor([0., 0.])
""")
ones = _new_of_size("ones")("""
    A tensor of ones.

    >>> norch.ones(2)
    tensor([1., 1.])
""")
empty = _new_of_size("empty")("""
    A tensor whose elements are whatever was there.

    >>> norch.empty(2, 3).shape
    norch.Size([2, 3])
""")


@in_own_name
def arange(
    start: float | None = None,
    end: float | None = None,
    step: float = 1,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """`start`, `start + step`, ... before `end`: `arange(end)` or `arange(start, end, step)`.

    >>> norch.arange(3), norch.arange(1, 2, 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000]))
    """
    if end is None or start is None:
        start, end = 0, start if end is None else end
        if end is None:
            raise TypeError("[arange] expected an end: arange(end) or arange(start, end)")
    start, end, step = _number(start), _number(end), _number(step)
    dtype = as_dtype(dtype)
    if dtype is None:
        whole = isinstance(start, int) and isinstance(end, int) and isinstance(step, int)
        dtype = int64 if whole else get_default_dtype()
    elif not dtype.is_floating_point and (end - start) * step > 0:
        start, end, step = map(int, (start, end, step))
    if (end - start) * step < 0:
        raise RuntimeError(
            f"[arange] from {start} to {end} with step {step}: the step points away from the end"
        )
    return make_leaf(ops_of(device).arange(start, end, step, dtype), requires_grad, pin_memory)


def _number(value: Any) -> Any:
    """A Python number for `arange` and its like; of a tensor, its only element."""
    value = number_alone(value)
    return value.array.item() if isinstance(value, Tensor) else value


def ends_of(op: str, start: Any, end: Any, steps: Any, dtype: DType) -> tuple[Any, Any]:
    """Both ends of `linspace` or `logspace` as numbers, whole ones for a whole dtype."""
    if isinstance(steps, bool) or not hasattr(steps, "__index__"):
        raise TypeError(f"[{op}] steps must be a whole number, got {steps!r}")
    if operator.index(steps) < 0:
        raise RuntimeError(f"[{op}] the number of steps must not be negative, got {steps}")
    for value in (start, end):
        if isinstance(value, Tensor) and value.array.ndim:
            raise RuntimeError(
                f"[{op}] start and end are numbers, or tensors without dimensions: got one of "
                f"shape {value.array.shape}"
            )
    ends = _number(start), _number(end)
    if not all(isinstance(end, (float, SupportsIndex)) for end in ends):
        raise TypeError(f"[{op}] start and end are numbers, got {start!r} and {end!r}")
    return ends if dtype.is_floating_point else (int(ends[0]), int(ends[1]))


@in_own_name
def linspace(
    start: float,
    end: float,
    steps: int,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """`steps` numbers at equal distances, both ends included.

    >>> norch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    start, end = ends_of("linspace", start, end, steps, dtype_or_default(dtype))
    if steps == 1:
        end = start
    gap = (end - start) / (steps - 1) if steps > 1 else 0.0
    number = arange(steps, dtype=float64, device=device)
    rest = neg(number) + (steps - 1)  # counted from both ends, so that both are exact
    values = where(number < steps // 2, number * gap + start, rest * -gap + end)
    return make_leaf(to(values, dtype_or_default(dtype)).array, requires_grad, pin_memory)


@in_own_name
def eye(
    n: int,
    m: int | None = None,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The identity: ones on the diagonal of an n by m matrix.

    >>> norch.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    ops, columns = ops_of(device), n if m is None else m
    array = ops.zeros(sizes_of((n, columns)), dtype_or_default(dtype))
    ops.fill_(array.view_by(strides.diagonal, 0, 0, 1), 1)
    return make_leaf(array, requires_grad, pin_memory)


@in_own_name
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A new tensor: a 1 at the place that each whole number names, zeros elsewhere.

    >>> norch.one_hot(norch.tensor([0, 2]), 3)
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    x = array_of(tensor)
    if x.dtype.is_floating_point:
        raise RuntimeError(f"[one_hot] expected whole numbers, got {x.dtype}")
    most = -1
    if x.numel:
        least, most = int(x.ops.amin(x).item()), int(x.ops.amax(x).item())
        if least < 0:
            raise RuntimeError(f"[one_hot] class {least} is negative: expected 0 or more")
    if num_classes == -1:
        if most < 0:
            raise RuntimeError("[one_hot] no class to count from: give num_classes")
        num_classes = most + 1
    elif num_classes < 1 or most >= num_classes:
        raise RuntimeError(f"[one_hot] class {most} is out of range for {num_classes} classes")
    check_room("one_hot", x.numel * num_classes, int64.itemsize)
    classes = x.ops.arange(0, num_classes, 1, int64)
    return plain(x.ops.cast(x.ops.eq(x.view_by(strides.unsqueeze, -1), classes), int64))
