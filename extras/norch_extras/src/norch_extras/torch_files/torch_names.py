"""The names in torch.save's pickles that norch knows: what becomes of each, checked.

Called by readers.py. Whatever is not in `FUNCTIONS` or `DTYPES` is refused, and nothing here
does more than to make a container, a number or a view of a storage that is loaded already.
"""

from __future__ import annotations

import math
import struct
from collections import Counter, OrderedDict, defaultdict
from typing import Any

from norch_autograd import (
    Size,
    Tensor,
    bfloat16,
    bool_,
    device,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from norch_cpu_ops import DType
from norch_extras.torch_files.unpickler import Function, Name, TypeCode, check_key
from norch_nn.core.parameter import Parameter
from norch_nn.serialization.files import LoadError
from norch_strides import Layout

MAX_DIMS = 16
# PyTorch's storage class, its dtype's name, our dtype
STORAGES: tuple[tuple[str, str, DType | None], ...] = (
    ("DoubleStorage", "float64", float64),
    ("FloatStorage", "float32", float32),
    ("HalfStorage", "float16", float16),
    ("BFloat16Storage", "bfloat16", bfloat16),
    ("LongStorage", "int64", int64),
    ("IntStorage", "int32", int32),
    ("ShortStorage", "int16", int16),
    ("CharStorage", "int8", int8),
    ("ByteStorage", "uint8", uint8),
    ("BoolStorage", "bool", bool_),
    ("ComplexFloatStorage", "complex64", None),
    ("ComplexDoubleStorage", "complex128", None),
    ("QInt8Storage", "qint8", None),
    ("QUInt8Storage", "quint8", None),
    ("QInt32Storage", "qint32", None),
)
DTYPES = {Name("torch", name): dtype for _, name, dtype in STORAGES}
TYPED = {Name("torch", storage): (name, dtype) for storage, name, dtype in STORAGES}
UNTYPED = Name("torch.storage", "UntypedStorage")
TENSOR_TYPES = (Name("torch", "Tensor"), Name("torch.nn.parameter", "Parameter"))
FACTORIES = {Name("builtins", kind.__name__): kind for kind in (list, dict, set, int, float, str)}

# What people save most often besides, and how to change it.
ADVICE = {
    Name("torch._utils", "_rebuild_sparse_tensor"): "a sparse tensor: make it x.to_dense()",
    Name("torch._utils", "_rebuild_qtensor"): "a quantized tensor: make it x.dequantize()",
    Name("numpy.core.multiarray", "_reconstruct"): "a NumPy array: make it torch.from_numpy(array)",
    Name(
        "numpy._core.multiarray", "_reconstruct"
    ): "a NumPy array: make it torch.from_numpy(array)",
    Name("argparse", "Namespace"): "an argparse.Namespace: make it a dict, vars(args)",
}

# Of a dtype that norch does not have, by its beginning: what holds the same numbers here.
OTHER_DTYPES = {
    "complex": "torch.view_as_real(x), whose last dimension is the real and the imaginary part",
    "uint64": "x.view(torch.int64), the same bits",
    "uint": "x.to(torch.int64)",
    "q": "x.dequantize()",
    "": "x.to(torch.float32)",
}


class Stored:
    """A storage that a pickle refers to: a line of elements, on the device that is meant."""

    __slots__ = ("line",)

    def __init__(self, line: Tensor) -> None:
        self.line = line


def value_of(name: Name) -> Any:
    """Return what a name that is no function stands for; LoadError for one that is not known."""
    if name in DTYPES:
        return known_dtype(name.name, DTYPES[name])
    if name in TYPED or name == UNTYPED or name in TENSOR_TYPES or name in FACTORIES:
        return name
    if name.module == "torch" and name.name.startswith(("float", "int", "uint", "complex", "q")):
        return known_dtype(name.name, None)
    if name in ADVICE:
        raise LoadError(f"it holds {ADVICE[name]}, and save it again")
    raise LoadError(
        f"it refers to {str(name)[:100]!r}, and norch runs no code from a file: where it was made, "
        "save only tensors and plain containers, of a whole model its state_dict: "
        "torch.save(model.state_dict(), file)"
    )


def known_dtype(name: str, dtype: DType | None) -> DType:
    """Return a dtype of torch.save's, if norch has it."""
    if dtype is None:
        advice = next(text for start, text in OTHER_DTYPES.items() if name.startswith(start))
        raise LoadError(
            f"it holds torch.{name[:20]}, a dtype that norch does not have: make such a tensor "
            f"{advice}, in PyTorch, and save it again"
        )
    return dtype


# ---- tensors -------------------------------------------------------------------------------------


def rebuild_tensor(storage: Any, offset: Any, size: Any, stride: Any) -> Tensor:
    """Rebuild a tensor of torch.save's as a view of a storage."""
    if type(storage) is not Stored:
        raise LoadError("a tensor of it has no storage")
    return view_of(storage.line.array, offset, size, stride)


def view_of(line: Any, offset: Any, size: Any, stride: Any) -> Tensor:
    """Return a view of a line of elements; LoadError where it would leave the line."""
    for sizes in (size, stride):
        if type(sizes) not in (tuple, list, Size) or len(sizes) > MAX_DIMS:
            raise LoadError("a tensor of it has no proper shape")
    numbers = (offset, *size, *stride)
    if len(size) != len(stride) or any(type(n) is not int or n < 0 for n in numbers):
        raise LoadError("a tensor of it has no proper shape and strides")
    count = math.prod(size)
    last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    if count and (last >= line.numel or count * line.itemsize >= 2**63):
        raise LoadError(
            f"a tensor of shape {tuple(size)} and strides {tuple(stride)} at {offset} reaches "
            f"outside its storage of {line.numel} elements"
        )
    return Tensor(line.view(Layout(tuple(size), tuple(stride), offset if count else 0)))


def rebuild_tensor_v2(
    storage: Any,
    offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    hooks: Any,
    *metadata: Any,
) -> Tensor:
    """Rebuild a tensor of torch.save's that requires a gradient or not."""
    _check_extras(requires_grad, hooks, *metadata)
    return rebuild_tensor(storage, offset, size, stride).requires_grad_(requires_grad)


def rebuild_tensor_v3(
    storage: Any,
    offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    hooks: Any,
    dtype: Any,
    *metadata: Any,
) -> Tensor:
    """Rebuild a tensor of torch.save's on a storage of bytes, as elements of `dtype`."""
    _check_extras(requires_grad, hooks, *metadata)
    if type(storage) is not Stored or not isinstance(dtype, DType):
        raise LoadError("a tensor of it has no storage, or no dtype")
    line = storage.line.array.storage_as(dtype)
    return view_of(line, offset, size, stride).requires_grad_(requires_grad)


def rebuild_parameter(data: Any, requires_grad: Any, hooks: Any, *state: Any) -> Parameter:
    """Rebuild a Parameter of torch.save's; the attributes noted beside it are left out."""
    _check_extras(requires_grad, hooks)
    if not isinstance(data, Tensor):
        raise LoadError("a parameter of it has no tensor")
    return Parameter(data.detach(), requires_grad)


def _check_extras(requires_grad: Any, hooks: Any, metadata: Any = None) -> None:
    """Refuse hooks of a saved tensor, and one that is stored conjugated or negated."""
    if type(requires_grad) is not bool or hooks or metadata:
        raise LoadError("a tensor of it has hooks or is stored negated: save x.detach().clone()")


REBUILD: dict[Name, Function] = {
    Name("torch._utils", "_rebuild_tensor"): rebuild_tensor,
    Name("torch._utils", "_rebuild_tensor_v2"): rebuild_tensor_v2,
    Name("torch._utils", "_rebuild_tensor_v3"): rebuild_tensor_v3,
    Name("torch._utils", "_rebuild_parameter"): rebuild_parameter,
    Name("torch._utils", "_rebuild_parameter_with_state"): rebuild_parameter,
}


def rebuild_from_type(function: Any, kind: Any, arguments: Any, state: Any) -> Tensor:
    """Return a tensor that was saved with attributes, without these."""
    if function not in REBUILD or kind not in TENSOR_TYPES or type(arguments) is not tuple:
        raise LoadError(f"it holds a tensor of the class {str(kind)[:100]!r}: save plain tensors")
    return REBUILD[function](*arguments)  # type: ignore[no-any-return]


# ---- containers and plain values -----------------------------------------------------------------


def ordered_dict(pairs: Any = ()) -> OrderedDict[Any, Any]:
    """Make a pickle's OrderedDict of its pairs."""
    if type(pairs) not in (list, tuple):
        raise LoadError("an OrderedDict of it is not made of pairs")
    return OrderedDict((check_key(key), value) for key, value in pairs)


def default_dict(factory: Any = None) -> defaultdict[Any, Any]:
    """Make a pickle's defaultdict, empty, of a plain type."""
    if factory is not None and factory not in FACTORIES:
        raise LoadError(f"a defaultdict of it makes {str(factory)[:100]!r}")
    return defaultdict(FACTORIES.get(factory))


def counter(counts: Any = None) -> Counter[Any]:
    """Make a pickle's Counter of a dict, whose keys are checked already."""
    if counts is not None and type(counts) is not dict:
        raise LoadError("a Counter of it is not made of a dict")
    return Counter(counts)


def set_of(items: Any = ()) -> set[Any]:
    """Make a pickle's set of a list."""
    if type(items) not in (list, tuple):
        raise LoadError("a set of it is not made of a list")
    return set(map(check_key, items))


def bytes_of(text: Any = "", encoding: Any = "latin1") -> bytes:
    """Return the bytes that older pickles write as Latin-1 text."""
    if type(text) is bytes:
        return text
    if type(text) is not str or encoding not in ("latin1", "latin-1"):
        raise LoadError("bytes of it are not written as Latin-1")
    return text.encode("latin1")


def complex_of(real: Any, imag: Any) -> complex:
    """Make a pickle's complex number of two floats."""
    if type(real) is not float or type(imag) is not float:
        raise LoadError("a complex number of it is not made of two floats")
    return complex(real, imag)


def size_of(sizes: Any = ()) -> Size:
    """Make a pickle's torch.Size of whole numbers."""
    if type(sizes) not in (list, tuple) or any(type(n) is not int for n in sizes):
        raise LoadError("a torch.Size of it is not made of whole numbers")
    return Size(sizes)


def device_of(kind: Any, index: Any = None) -> device:
    """Make a pickle's torch.device, if norch has it."""
    if type(kind) is not str or type(index) not in (int, type(None)):
        raise LoadError("a torch.device of it is not made of a name and a number")
    return device(kind, index)


def numpy_scalar(dtype: Any, content: Any) -> bool | int | float:
    """Make a Python number of a pickle's NumPy scalar."""
    formats = {"b1": "?", "f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i"}
    formats |= {"i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}
    if type(dtype) is not TypeCode or dtype.code not in formats or type(content) is not bytes:
        raise LoadError("it holds a NumPy scalar that is no number: save Python's numbers")
    order = ">" if dtype.order == ">" else "<"
    (number,) = struct.unpack(order + formats[dtype.code], content)
    return number  # type: ignore[no-any-return]


FUNCTIONS: dict[Name, Function] = {
    **REBUILD,
    Name("torch._tensor", "_rebuild_from_type_v2"): rebuild_from_type,
    Name("torch", "Size"): size_of,
    Name("torch", "device"): device_of,
    Name("collections", "OrderedDict"): ordered_dict,
    Name("collections", "defaultdict"): default_dict,
    Name("collections", "Counter"): counter,
    Name("builtins", "set"): set_of,
    Name("builtins", "frozenset"): lambda items=(): frozenset(set_of(items)),
    Name("builtins", "bytes"): bytes_of,
    Name("builtins", "bytearray"): lambda *content: bytearray(bytes_of(*content)),
    Name("builtins", "complex"): complex_of,
    Name("_codecs", "encode"): bytes_of,
    Name("numpy", "dtype"): TypeCode,
    Name("numpy.core.multiarray", "scalar"): numpy_scalar,
    Name("numpy._core.multiarray", "scalar"): numpy_scalar,
}
