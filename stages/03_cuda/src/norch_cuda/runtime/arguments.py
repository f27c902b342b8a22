"""Python values as the C values a kernel declares: numbers converted, arrays checked.

The compiler says what each parameter is (csrc/signature.h): two characters, its kind (' ' a value,
'P' a pointer, '2' to '4' a vector) and its element. Both backends pack before each launch.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, NamedTuple

from norch_cuda.runtime.backend import Argument, Pointer, Table, Windows
from norch_strides import Layout

MAX_DIMS = 16  # kMaxDims of kernel.h

# What C++ calls an element, and the dtypes whose arrays a pointer to it takes; those of other
# letters (void, a struct) take any. CUDA has types that dtypes lack: equally wide ones stand in.
_ELEMENTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "?": ("bool", ("bool", "uint8")),
    "b": ("signed char", ("int8", "uint8")),
    "B": ("unsigned char", ("uint8", "bool", "int8")),
    "h": ("short", ("float16", "bfloat16")),
    "H": ("unsigned short", ("float16", "bfloat16")),
    "i": ("int", ("int32",)),
    "I": ("unsigned", ("int32",)),
    "q": ("long long", ("int64",)),
    "Q": ("unsigned long long", ("int64",)),
    "e": ("half", ("float16",)),
    "E": ("bfloat16", ("bfloat16",)),
    "f": ("float", ("float32",)),
    "d": ("double", ("float64",)),
}
_STRUCTS = {"S": "a Layout", "W": "Windows", "s": "a struct"}


class LayoutStruct(ctypes.Structure):
    """`struct Layout` of kernel.h: where element i of an operand lies. The offset is not in it."""

    _fields_ = (
        ("ndim", ctypes.c_longlong),
        ("shape", ctypes.c_longlong * MAX_DIMS),
        ("strides", ctypes.c_longlong * MAX_DIMS),
    )


class WindowsStruct(ctypes.Structure):
    """`struct Windows` of window.h: three directions of six numbers."""

    _fields_ = (("numbers", ctypes.c_longlong * 18),)


def _layout_struct(shape: tuple[int, ...], strides: tuple[int, ...]) -> LayoutStruct:
    """Return a layout as the C struct."""
    if len(shape) > MAX_DIMS:
        raise RuntimeError(f"[cuda] an array of {len(shape)} dims: kernels take at most {MAX_DIMS}")
    integers = ctypes.c_longlong * MAX_DIMS
    return LayoutStruct(len(shape), integers(*shape), integers(*strides))


@lru_cache(maxsize=4096)
def layout_bytes(layout: Layout) -> bytes:
    """Return the bytes of `LayoutStruct`."""
    return bytes(_layout_struct(layout.shape, layout.strides))


@lru_cache(maxsize=1024)
def _windows_struct(windows: Windows) -> WindowsStruct:
    """Return the windows of a pooling or convolution as the C struct."""
    return WindowsStruct((ctypes.c_longlong * 18)(*windows.d, *windows.h, *windows.w))


class PackedArguments(NamedTuple):
    """Arguments as cuLaunchKernel wants them: an array with the address of each value."""

    addresses: ctypes.Array[ctypes.c_void_p]
    values: Any  # keeps the values alive while the kernel reads them
    start: int  # where the addresses lie


def read_signature(characters: str) -> tuple[str, ...]:
    """Cut what csrc/signature.h says into parameters.

    >>> read_signature("Pf q")
    ('Pf', ' q')
    """
    return tuple(characters[i : i + 2] for i in range(0, len(characters), 2))


class Packer:
    """Turns Python values into the C values that one kernel declares.

    What the shipped kernels are given takes the short way: into memory that is used again.
    """

    def __init__(self, kernel: str, signature: Sequence[str]) -> None:
        """Say where each value lies."""
        self.kernel, self.signature = kernel, signature
        quick = [_QUICK.get("P" if p[0] == "P" else p, ("", None)) for p in signature]
        letters = [letter for letter, _ in quick]
        self._types = tuple(kind for _, kind in quick)
        self._format = struct.Struct("".join(letters))
        self._starts = [
            struct.calcsize("".join(letters[:i]) + f"0{letters[i][-1].replace('s', 'q')}")
            for i in range(len(letters))
            if self._types[i] is not None
        ]
        self._pointers = [i for i, kind in enumerate(self._types) if kind is Pointer]
        self._layouts = [i for i, kind in enumerate(self._types) if kind is Layout]
        self._free: list[PackedArguments] = []

    def pack(self, arguments: Sequence[Argument]) -> PackedArguments:
        """Return the C values, or say which argument does not fit.

        >>> packer = Packer("scale", (" f", " i"))
        >>> [value.value for value in packer.pack((2, 3)).values]
        [2.0, 3]
        """
        values: list[Any] = list(arguments)
        if tuple(map(type, values)) != self._types:
            return _pack_each(self.kernel, self.signature, arguments)
        for i in self._pointers:
            memory, offset, dtype, _ = values[i]
            if dtype:
                return _pack_each(self.kernel, self.signature, arguments)
            values[i] = 0 if memory is None else memory.address + offset
        for i in self._layouts:
            values[i] = layout_bytes(values[i])
        try:
            packed = self._free.pop()  # no question before it: another thread may take the last
        except IndexError:
            packed = self._new()
        try:
            self._format.pack_into(packed.values, 0, *values)
        except (struct.error, OverflowError):
            return _pack_each(self.kernel, self.signature, arguments)
        return packed

    def take_back(self, packed: PackedArguments) -> None:
        """Use the memory again: the launch has read it."""
        if type(packed.values) is not list:
            self._free.append(packed)

    def _new(self) -> PackedArguments:
        """Make memory for the arguments of one launch."""
        values = ctypes.create_string_buffer(self._format.size)
        start = ctypes.addressof(values)
        addresses = (ctypes.c_void_p * len(self._starts))(*(start + x for x in self._starts))
        return PackedArguments(addresses, values, ctypes.addressof(addresses))


def _pack_each(
    kernel: str, signature: Sequence[str], arguments: Sequence[Argument]
) -> PackedArguments:
    """Convert and check argument by argument."""
    if len(arguments) != len(signature):
        raise TypeError(
            f"[{kernel}] takes {len(signature)} arguments "
            f"({', '.join(map(_type_name, signature))}) and was given {len(arguments)}"
        )
    values: list[Any] = []
    for position, (parameter, argument) in enumerate(zip(signature, arguments, strict=True), 1):
        try:
            values.append(_CONVERT[parameter[0]](argument, parameter))
        except (TypeError, ValueError, OverflowError, struct.error) as error:
            raise TypeError(
                f"[{kernel}] argument {position} {_describe(argument)}: the kernel declares "
                f"{_type_name(parameter)}{_expectation(parameter)}"
            ) from error
    addresses = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    return PackedArguments(addresses, values, ctypes.addressof(addresses))


def _address(argument: Argument, parameter: str) -> ctypes.c_void_p:
    """Convert a pointer argument of a kernel; TypeError for another dtype."""
    if argument is None:
        return ctypes.c_void_p(0)
    if not isinstance(argument, Pointer):
        raise TypeError
    if argument.dtype and argument.dtype not in _dtypes(parameter, argument.dtype):
        raise TypeError
    return ctypes.c_void_p(argument.address)


def _number(argument: Argument, parameter: str) -> Any:
    """Convert a number to the C type that a kernel declares; none is rounded."""
    kind = _SCALARS.get(parameter[1])
    if kind is None:
        return _struct(argument, parameter)
    if kind is ctypes.c_float or kind is ctypes.c_double:
        if not isinstance(argument, (float, int, Real)):
            raise TypeError
        return kind(argument)
    if not isinstance(argument, (int, Integral)):
        raise TypeError
    value = kind(int(argument))
    if value.value != argument:
        raise OverflowError
    return value


def _struct(argument: Argument, parameter: str) -> Any:
    """Convert an argument that a kernel takes as a struct or as a half."""
    element = parameter[1]
    if element == "S" and isinstance(argument, Layout):
        return _layout_struct(argument.shape, argument.strides)
    if element == "W" and isinstance(argument, Windows):
        return _windows_struct(argument)
    if element in "eE" and isinstance(argument, (float, int, Real)):
        return ctypes.c_uint16(_half_bits(argument, element))
    if element == "s" and isinstance(argument, ctypes.Structure):
        return argument
    if element == "s" and isinstance(argument, Table):
        return ctypes.create_string_buffer(argument.content, len(argument.content))
    raise TypeError


def _half_bits(number: float | Real, element: str) -> int:
    """Round to the nearest float16 or bfloat16, to the even one of two."""
    if element == "e":
        return int.from_bytes(struct.pack("<e", number), "little")
    bits = int.from_bytes(struct.pack("<f", number), "little")
    return 0x7FC0 if number != number else (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def _vector(argument: Argument, parameter: str) -> Any:
    """Convert a sequence to a vector of CUDA, such as float4."""
    if isinstance(argument, Pointer) or not isinstance(argument, (tuple, list)):
        raise TypeError
    if len(argument) != int(parameter[0]):
        raise TypeError
    given: Sequence[Any] = argument
    numbers = [_number(number, " " + parameter[1]) for number in given]
    return (type(numbers[0]) * len(numbers))(*(number.value for number in numbers))


_SCALARS: dict[str, Any] = {
    "?": ctypes.c_bool,
    "b": ctypes.c_int8,
    "B": ctypes.c_uint8,
    "h": ctypes.c_int16,
    "H": ctypes.c_uint16,
    "i": ctypes.c_int32,
    "I": ctypes.c_uint32,
    "q": ctypes.c_longlong,
    "Q": ctypes.c_uint64,
    "f": ctypes.c_float,
    "d": ctypes.c_double,
}
# Parameters whose arguments need no look: what `struct` calls them, and the type of the argument.
_QUICK: dict[str, tuple[str, Any]] = {
    "P": ("P", Pointer),
    " S": (f"0q{ctypes.sizeof(LayoutStruct)}s", Layout),
    " q": ("q", int),
    " i": ("i", int),
    " f": ("f", float),
    " d": ("d", float),
}
_CONVERT: dict[str, Callable[[Any, str], Any]] = {
    "P": _address,
    " ": _number,
    **dict.fromkeys("234", _vector),
}


def _dtypes(parameter: str, otherwise: str) -> tuple[str, ...]:
    """Return the dtypes whose arrays a pointer parameter takes."""
    return _ELEMENTS[parameter[1]][1] if parameter[1] in _ELEMENTS else (otherwise,)


def _type_name(parameter: str) -> str:
    """Name the C++ type of a kernel's parameter."""
    kind, element = parameter[0], parameter[1]
    name = _ELEMENTS[element][0] if element in _ELEMENTS else _STRUCTS.get(element, "void")
    if kind == "P":
        return f"a pointer to {name}"
    return name if kind == " " else f"a vector of {kind} {name}"


def _expectation(parameter: str) -> str:
    """Say which arrays a pointer parameter expects."""
    if parameter[0] != "P":
        return ""
    dtypes = _dtypes(parameter, "")
    return ", expected an array" + (f" of {' or '.join(dtypes)}" if dtypes[0] else "")


def _describe(argument: Argument) -> str:
    """Say what kind of argument was given to a kernel."""
    if isinstance(argument, Pointer):
        return f"is an array of {argument.dtype}" if argument.dtype else "is a pointer"
    if isinstance(argument, (int, float)):
        return f"is {argument!r} ({type(argument).__name__})"
    return f"is of type {type(argument).__name__}"
