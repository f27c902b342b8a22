"""Forms of input: the list that every exercise is tried on, and how a form is recognised.

A function is called with arrays, numbers, lists and shapes; each kind has forms in which answers
fail that pass everywhere else. `watching.py` asks which forms came in, and a gate asks that each
form of each kind came, or that words of the task exclude it. Nothing here makes an input.
"""

from collections.abc import Iterator, Sequence
from math import inf, isfinite
from typing import Any

# The forms of each kind of argument. A kind is asked of an exercise once an argument is of it.
FORMS = {
    "array": (
        "no elements",
        "no dimensions",
        "N = 1",
        "negative stride",
        "stride 0",
        "float16",
        "float64",
        "sum overflows",
    ),
    "number": ("number 0", "number negative"),
    "list": ("empty list",),
    "nested": ("depth above 5",),
    "shape": ("size 0", "size 1", "empty shape"),
    "strides": ("negative stride", "stride 0"),
}
NESTED = 3  # what is less deep is a list of pairs, or of rows
DEPTH = 5  # answers that write their levels out one by one stop before this
LARGEST = {"float16": 65504.0, "float32": 3.4028235e38, "float64": 1.7976931348623157e308}


def is_array(value: object) -> bool:
    """Tell whether a value is an array or a tensor of norch's."""
    return hasattr(value, "tolist") and hasattr(value, "shape") and hasattr(value, "dtype")


def name_of(dtype: object) -> str:
    """Return the name of a dtype, without the library that it is of."""
    return str(dtype).rpartition(".")[2]


def forms_of(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the kinds of an argument, each with a form that it has, or with '' for none."""
    if is_array(value):
        yield from (("array", form) for form in _array_forms(value))
    elif type(value) is float:
        yield "number", {value == 0: "number 0", value < 0: "number negative"}.get(True, "")
    elif _is_sizes(value):
        yield from _sizes_forms(name, value)
    elif hasattr(value, "_fields"):  # a layout: its shape and its strides
        for field, part in zip(value._fields, value, strict=True):
            yield from forms_of(field, part)
    elif isinstance(value, list | tuple | dict | set):
        yield from _list_forms(name, value)


def _is_sizes(value: Any) -> bool:
    return isinstance(value, tuple) and all(type(part) is int for part in value)


def _sizes_forms(name: str, value: Sequence[int]) -> Iterator[tuple[str, str]]:
    if "strides" in name:
        yield "strides", "negative stride" if any(part < 0 for part in value) else ""
        yield "strides", "stride 0" if 0 in value else ""
    elif "shape" in name or "sizes" in name:
        yield "shape", "" if value else "empty shape"
        yield "shape", "size 0" if 0 in value else ""
        yield "shape", "size 1" if 1 in value else ""


def _list_forms(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if not name.startswith("self."):  # how an object keeps its parts is its own affair
        yield "list", "" if value else "empty list"
        depth = depth_of(value)
        if depth >= NESTED:
            yield "nested", "depth above 5" if depth > DEPTH else ""
    for part in value.values() if isinstance(value, dict) else value:
        if is_array(part) or type(part) is float:
            yield from forms_of(name, part)


def depth_of(value: object) -> int:
    """Return how deep lists, tuples and dicts stand in one another: 0 for anything else."""
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list | tuple) or hasattr(value, "_fields"):
        return 0
    return 1 + max(map(depth_of, value), default=0)


def _array_forms(value: Any) -> Iterator[str]:
    shape, dtype = tuple(value.shape), name_of(value.dtype)
    pairs = zip(shape, _strides(value), strict=False)
    long = [stride for size, stride in pairs if size > 1]
    has = {
        "no elements": 0 in shape,
        "no dimensions": not shape,
        "N = 1": shape[:1] == (1,),
        "negative stride": any(stride < 0 for stride in long),
        "stride 0": 0 in long,
        "float16": dtype == "float16",
        "float64": dtype == "float64",
        "sum overflows": _overflows(value, dtype),
    }
    yield ""
    yield from (form for form, is_so in has.items() if is_so)


def _strides(value: Any) -> tuple[int, ...]:
    """Return the strides of an array, or of a tensor, which is asked for them."""
    return tuple(value.strides if hasattr(value, "strides") else value.stride())


def _overflows(value: Any, dtype: str) -> bool:
    """Tell whether finite numbers have a sum, or a part of one, that their dtype cannot hold."""
    if dtype not in LARGEST:
        return False
    numbers = list(_flat(value.tolist()))
    if not all(map(isfinite, numbers)):
        return False
    return (
        max(abs(sum(x for x in numbers if x > 0)), abs(sum(x for x in numbers if x < 0)))
        > (LARGEST[dtype])
        or sum(map(abs, numbers)) == inf
    )


def _flat(value: Any) -> Iterator[float]:
    if isinstance(value, list):
        for part in value:
            yield from _flat(part)
    elif isinstance(value, int | float):
        yield float(value)
