"""Arrays that are computed late: what a tensor holds while a compiled function runs.

An elementwise operation on a `LazyArray` gives another one, which remembers the call and no more:
the trace. Whatever needs elements (a product of matrices, a view, `item()`) has the chain behind
its operands computed first, in one loop by kernel.py. To the operations above it is an array.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import ref

import numpy as np

from norch_autograd.fusion.chain import EXPRESSIONS, TYPES, kind_of, result_dtype
from norch_autograd.fusion.decompositions import DECOMPOSITIONS
from norch_autograd.fusion.kernel import compute
from norch_autograd.types.modes import mode
from norch_cpu_ops import DType
from norch_strides import Layout, broadcast_shapes, contiguous

_READS = ("item", "tolist", "__dlpack__")


class Break(RuntimeError):
    """What cannot be traced, or what the user wanted to be traced and was not."""


class Log:
    """What is told of a compiled function."""

    def __init__(self, fullgraph: bool) -> None:
        self.fullgraph = fullgraph
        self.reasons: list[str] = []
        self.kernels: list[str] = []

    def tell(self, reason: str) -> None:
        """Say, once, what was not fused and why."""
        if reason not in self.reasons:
            self.reasons.append(reason)

    def keep(self, text: str) -> None:
        """Show the text of a kernel."""
        if text not in self.kernels:
            self.kernels.append(text)


class Trace:
    """One call: which of its arrays are late."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.arguments: list[Any] = []
        self.pending: list[ref[LazyArray]] = []
        self._lazy_ops: dict[int, LazyOps] = {}

    def lift(self, value: Any) -> LazyArray:
        """An array that is there already, among those that are late."""
        ops = self._lazy_ops.get(id(value.ops))
        if ops is None:
            ops = self._lazy_ops[id(value.ops)] = LazyOps(value.ops, self)
        return LazyArray(ops, value.shape, value.dtype, value)

    def note(self, reason: str) -> None:
        """Say what ends the trace; Break where that is not wanted."""
        self.log.tell(reason)
        if self.log.fullgraph:
            raise Break(f"[compile] fullgraph=True, but {reason}")

    def stop(self, reason: str) -> Break:
        """What a compiled function may not do."""
        return Break(f"[compile] {reason}: call the function as it is, or change a clone")

    def begin_edit(self, array: Any) -> None:
        """An edit in place is about to happen: compute whatever may have yet to read it."""
        if mode.enabled and any(x.shares_storage(array) for x in self.arguments):
            raise self.stop("an argument is edited in place, and may have a history")
        waiting, self.pending = self.pending, []
        for found in (reference() for reference in waiting):
            if found is not None:
                found.computed()


class LazyArray:
    """An array that may be no more than a call, `name(*args)`, until somebody needs its `value`."""

    __slots__ = (
        "__weakref__", "args", "dtype", "name", "ops", "reads", "shape", "value", "versions",
    )  # fmt: skip

    def __init__(self, ops: LazyOps, shape: Any, dtype: DType, value: Any) -> None:
        self.ops, self.shape, self.dtype, self.value = ops, shape, dtype, value
        self.name = ""
        self.args: Any = ()
        self.reads: tuple[LazyArray, ...] = ()  # the arrays among `args`
        self.versions: tuple[int, ...] = ()  # theirs, when they were read

    def computed(self) -> Any:
        """The array itself."""
        if self.value is None:
            compute([self], self.ops.trace)
        return self.value

    def take(self, value: Any) -> None:
        """Take the value; what it was to be made of is forgotten."""
        self.value, self.args, self.reads, self.versions = value, (), (), ()

    @property
    def __norch_array__(self) -> Any:
        """What stage 2's functions take in its place: array_behind in csrc/bindings/python.h."""
        return self.computed()

    def __getattr__(self, name: str) -> Any:
        """Whatever an array can be asked and is not below needs elements, or a place for them."""
        if name in _READS:
            self.ops.trace.note(f"{name}() reads a value{_where()}, and Python goes on with it")
        found = getattr(self.computed(), name)
        return partial(self.ops.run, name, found) if callable(found) else self.ops.lifted(found)

    def __array__(self, *args: Any, **options: Any) -> Any:
        """The elements for NumPy, which looks for this name in the class alone."""
        self.ops.trace.note(f"NumPy reads a value{_where()}, and Python goes on with it")
        return np.asarray(self.computed(), *args, **options)

    @property
    def layout(self) -> Layout:
        """Row-major, unless it was there before."""
        return contiguous(self.shape) if self.value is None else self.value.layout

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def device(self) -> str:
        """Where it lives, or will."""
        return self.ops.real.device if hasattr(self.ops.real, "device") else "cpu"

    @property
    def version(self) -> int:
        """How often it was written in place."""
        return 0 if self.value is None else self.value.version

    @property
    def is_unshared(self) -> bool:
        """Whether nobody else can reach the memory: a chain that waits may."""
        return False

    def alike(self, other: Any) -> bool:
        """Whether the two have the same shape and dtype."""
        return self.dtype is other.dtype and self.shape == other.shape

    def shares_storage(self, other: Any) -> bool:
        """Whether writing to one of the two can change the other."""
        other = other.value if isinstance(other, LazyArray) else other
        return None not in (self.value, other) and self.value.shares_storage(other)

    def __len__(self) -> int:
        return len(self.computed())

    def __add__(self, other: Any) -> Any:
        return self.ops.add(self, other)

    def __radd__(self, other: Any) -> Any:
        return self.ops.add(other, self)

    def __sub__(self, other: Any) -> Any:
        return self.ops.sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return self.ops.sub(other, self)

    def __mul__(self, other: Any) -> Any:
        return self.ops.mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return self.ops.mul(other, self)

    def __truediv__(self, other: Any) -> Any:
        return self.ops.div(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.ops.div(other, self)

    def __neg__(self) -> Any:
        return self.ops.neg(self)

    def __matmul__(self, other: Any) -> Any:
        return self.ops.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self.ops.matmul(other, self)


class LazyOps:
    """A device's operations, under their names: elementwise ones late, all others at once."""

    def __init__(self, real: Any, trace: Trace) -> None:
        self.real, self.trace = real, trace

    def __getattr__(self, name: str) -> Any:
        """The operation of that name; found once."""
        found = getattr(self.real, name)
        if name in DECOMPOSITIONS:
            found = partial(self.decompose, name, found)
        elif callable(found):
            found = partial(self.fuse if name in EXPRESSIONS else self.run, name, found)
        self.__dict__[name] = found
        return found

    def decompose(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """Make the same of basic operations, if these have a place in a loop."""
        given = [self.lifted(x) for x in args]
        if any(x.dtype.name not in TYPES for x in given if type(x) is LazyArray):
            return self.run(name, function, *args)
        return DECOMPOSITIONS[name](*given)

    def fuse(self, name: str, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Remember the call, if the result has a place in a loop."""
        given = [x if type(x) in _OPERANDS else self.lifted(x) for x in args]
        reads = tuple([x for x in given if type(x) is LazyArray])
        alike = not options and all(x.ops.real is self.real for x in reads)
        dtype = result_dtype(name, tuple(map(kind_of, given))) if alike else None
        if dtype is None:
            return self.run(name, function, *args, **options)
        shape = reads[0].shape
        if len(reads) > 1:
            shape = broadcast_shapes(*[x.shape for x in reads])
        result = LazyArray(self, shape, dtype, None)
        result.name, result.args, result.reads = name, given, reads
        result.versions = tuple([x.version for x in reads])
        self.trace.pending.append(ref(result))
        return result

    def run(self, name: str, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call an operation that is no part of a chain: what it reads is computed now."""
        if name.endswith(("_", "_step")) or name == "batch_norm":
            self.trace.begin_edit(_settled(args[0]))
        given = [_settled(x) for x in args]
        result = function(*given, **{key: _settled(x) for key, x in options.items()})
        for mine, real in zip(args, given, strict=True):
            if result is real and mine is not real:
                return mine
        return self.lifted(result)

    def lifted(self, result: Any) -> Any:
        """Results that are arrays, among those that are late."""
        if type(result) in (list, tuple):
            return type(result)(map(self.lifted, result))
        is_real = type(result) is not LazyArray and hasattr(result, "view_by")
        return self.trace.lift(result) if is_real else result


_OPERANDS = (LazyArray, float, int, bool)


def _settled(x: Any) -> Any:
    if type(x) is LazyArray:
        return x.computed()
    return type(x)(map(_settled, x)) if type(x) in (list, tuple) else x


def _where() -> str:
    """The user's line that is running: the innermost outside of this package."""
    package = os.path.dirname(os.path.dirname(__file__))
    frame = sys._getframe(2)
    while frame.f_code.co_filename.startswith(package) and frame.f_back is not None:
        frame = frame.f_back
    return f" in line {frame.f_lineno} of {os.path.basename(frame.f_code.co_filename)}"
