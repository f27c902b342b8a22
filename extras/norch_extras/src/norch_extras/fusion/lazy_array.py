"""Arrays that are computed late: what a tensor holds while a compiled function runs.

An elementwise operation on a `LazyArray` gives another one, which remembers the call and no more:
the trace. Whatever needs elements (a product of matrices, a view, `item()`) has the chain behind
its operands computed first, in one loop by kernel.py. To the operations above it is an array.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import ref

from norch_autograd.types.modes import mode
from norch_cpu_ops import DType
from norch_extras.fusion.chain import NAMES, dtypes_of
from norch_extras.fusion.kernel import compute
from norch_strides import broadcast_shapes, contiguous

_HERE = os.path.dirname(os.path.dirname(__file__))
_READS = ("item", "tolist", "__dlpack__")
# What is known of an array before it has elements.
_KNOWN: dict[str, Callable[[Any], Any]] = {
    "ndim": lambda x: len(x.shape),
    "layout": lambda x: contiguous(x.shape),
    "version": lambda x: 0,  # how often it was written in place
    "device": lambda x: getattr(x.ops.real, "device", "cpu"),
}


class Trace:
    """One call of a compiled function: which of its arrays are late, and what is told of it."""

    def __init__(self, kernels: list[str], reasons: list[str], fullgraph: bool) -> None:
        self.kernels, self.reasons, self.fullgraph = kernels, reasons, fullgraph
        self.arguments: list[Any] = []
        self.pending: list[ref[LazyArray]] = []
        self._lazy_ops: dict[int, LazyOps] = {}

    def lift(self, value: Any) -> LazyArray:
        """A real array as one of those that are late."""
        ops = self._lazy_ops.setdefault(id(value.ops), LazyOps(value.ops, self))
        return LazyArray(ops, value.shape, value.dtype, value)

    def keep(self, text: str) -> None:
        """Keep the text of a fused kernel, to be shown."""
        if text not in self.kernels:
            self.kernels.append(text)

    def note(self, reason: str) -> None:
        """Say, once, what ends a chain; a RuntimeError where that is not wanted."""
        if reason not in self.reasons:
            self.reasons.append(reason)
        if self.fullgraph:
            raise RuntimeError(f"[compile] fullgraph=True, but {reason}")

    def read(self, how: str) -> None:
        """Note that Python reads a value, and in which line of the user's."""
        frames = reversed(traceback.extract_stack())
        at = next(frame for frame in frames if not frame.filename.startswith(_HERE))
        where = f"in line {at.lineno} of {os.path.basename(at.filename)}"
        self.note(f"{how} reads a value {where}, and Python goes on with it")

    def refuse(self, reason: str) -> RuntimeError:
        """The error for what a compiled function may not do."""
        text = f"[compile] {reason}: call the function as it is, or change a clone"
        return RuntimeError(text)

    def begin_edit(self, array: Any) -> None:
        """An edit in place is about to happen: compute whatever may have yet to read it."""
        if mode.enabled and any(x.shares_storage(array) for x in self.arguments):
            raise self.refuse("an argument is edited in place, and may have a history")
        waiting, self.pending = self.pending, []
        for late in waiting:
            materialize(late())


def _operator(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A late array's method behind an operator, and the one for where it comes second."""
    return (
        lambda self, *others: getattr(self.ops, name)(self, *others),
        lambda self, other: getattr(self.ops, name)(other, self),
    )


class LazyArray:
    """An array that may be no more than a call, `name(*args)`, until somebody needs its `value`."""

    __slots__ = (
        "__weakref__", "args", "computing", "dtype", "name", "ops", "reads", "shape", "value",
        "versions",
    )  # fmt: skip
    owns_storage = fills_storage = False  # a chain that waits may reach the memory

    def __init__(self, ops: LazyOps, shape: Any, dtype: DType, value: Any) -> None:
        self.ops, self.shape, self.dtype, self.value = ops, shape, dtype, value
        self.name, self.computing = "", dtype
        self.args: list[Any] = []
        self.reads: tuple[LazyArray, ...] = ()  # the arrays among `args`
        self.versions: tuple[int, ...] = ()  # theirs, when they were read

    @property
    def __norch_array__(self) -> Any:
        """The array itself, for stage 2's functions too: array_behind in csrc/bindings/python.h."""
        if self.value is None:
            compute([self], self.ops.trace)
        return self.value

    def take(self, value: Any) -> None:
        """Take the computed value; what the late array was to be made of is forgotten."""
        self.value, self.args, self.reads, self.versions = value, [], (), ()

    def __getattr__(self, name: str) -> Any:
        """Whatever else an array can be asked: most of it needs elements, or a place for them."""
        if name in _KNOWN:
            return _KNOWN[name](self) if self.value is None else getattr(self.value, name)
        if name in _READS:
            self.ops.trace.read(f"{name}()")
        found = getattr(self.__norch_array__, name)
        return partial(self.ops.run, name, found) if callable(found) else self.ops.lift_all(found)

    def __array__(self, *args: Any, **options: Any) -> Any:
        """The elements for NumPy, which looks for this name in the class alone."""
        import numpy as np

        self.ops.trace.read("NumPy")
        return np.asarray(self.__norch_array__, *args, **options)

    def alike(self, other: Any) -> bool:
        """Whether two late arrays have the same shape and dtype."""
        return self.dtype is other.dtype and self.shape == other.shape

    def shares_storage(self, other: Any) -> bool:
        """Whether writing to one of the two can change the other: not before they have elements."""
        other = other.value if isinstance(other, LazyArray) else other
        return None not in (self.value, other) and self.value.shares_storage(other)

    __add__, __radd__ = _operator("add")
    __sub__, __rsub__ = _operator("sub")
    __mul__, __rmul__ = _operator("mul")
    __truediv__, __rtruediv__ = _operator("div")
    __matmul__, __rmatmul__ = _operator("matmul")
    __neg__, _ = _operator("neg")


class LazyOps:
    """A device's operations, under their names: elementwise ones late, all others at once."""

    def __init__(self, real: Any, trace: Trace) -> None:
        self.real, self.trace = real, trace

    def __getattr__(self, name: str) -> Any:
        """The operation of that name; found once."""
        found = getattr(self.real, name)
        if callable(found):
            found = partial(self.fuse if name in NAMES else self.run, name, found)
        self.__dict__[name] = found
        return found

    def fuse(self, name: str, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Put the call of an operation off, if it has a place in a fused loop."""
        given = [self.lift_all(x) for x in args]
        reads = [x for x in given if type(x) is LazyArray]
        alike = not options and all(x.ops.real is self.real for x in reads)
        dtypes = dtypes_of(name, given) if alike else None
        if dtypes is None:
            return self.run(name, function, *args, **options)
        shapes = [x.shape for x in reads]
        shape = shapes[0] if len(shapes) == 1 else broadcast_shapes(*shapes)
        result = LazyArray(self, shape, dtypes[0], None)
        result.name, result.computing = name, dtypes[1]
        result.args, result.reads = given, tuple(reads)
        result.versions = tuple([x.version for x in reads])
        self.trace.pending.append(ref(result))
        return result

    def run(self, name: str, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call an operation that is no part of a chain: what it reads is computed now."""
        if (name.endswith(("_", "_step")) and name[-2:] != "__") or name == "batch_norm":
            self.trace.begin_edit(materialize(args[0]))
        given = [materialize(x) for x in args]
        result = function(*given, **{key: materialize(x) for key, x in options.items()})
        for mine, real in zip(args, given, strict=True):
            if result is real and mine is not real:
                return mine
        return self.lift_all(result)

    def lift_all(self, result: Any) -> Any:
        """Results of an operation that are arrays, as late ones."""
        if type(result) in (list, tuple):
            return type(result)(map(self.lift_all, result))
        is_real = type(result) is not LazyArray and hasattr(result, "view_by")
        return self.trace.lift(result) if is_real else result


def materialize(x: Any) -> Any:
    """Late arrays, computed; anything else as it is."""
    if type(x) is LazyArray:
        return x.__norch_array__
    return type(x)(map(materialize, x)) if type(x) in (list, tuple) else x
