"""Arrays in plain Python: the one file here that is not of norch, whose own loops are in C++.

Chapter 1's layouts say which elements meet; these loops do the arithmetic, in 32 bits a number.
A test compares every operation with stage 2's. Nothing here is fast.
"""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable, Iterable
from typing import Any

from norch_strides import (
    Layout,
    StridedArray,
    broadcast_shapes,
    broadcast_to,
    contiguous,
    is_contiguous,
    numel,
    positions,
    reduced_shape,
)


class Array(StridedArray):
    """A strided array with arithmetic. Its views share its numbers, and its count of edits."""

    __slots__ = ("edits",)

    def __init__(self, buffer: Any, layout: Layout, edits: list[int] | None = None) -> None:
        super().__init__(buffer, layout)
        self.edits = [0] if edits is None else edits

    @property
    def ops(self) -> type[ops]:
        """What can be computed with it."""
        return ops

    @property
    def version(self) -> int:
        """How often its numbers were edited."""
        return self.edits[0]

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def numel(self) -> int:
        """How many elements it has."""
        return numel(self.shape)

    @property
    def is_contiguous(self) -> bool:
        """Whether its elements lie in order."""
        return is_contiguous(self.layout)

    def view(self, layout: Layout) -> Array:
        """The same numbers by another layout."""
        return Array(self.buffer, layout, self.edits)

    def view_by(self, rule: Callable[..., Layout | None], *args: Any) -> Array | None:
        """The view that a function of chapter 1 makes; None where it needs a copy."""
        found = rule(self.layout, *args)
        return None if found is None else self.view(found)

    def alike(self, other: Array) -> bool:
        """Whether two arrays have the same shape."""
        return self.shape == other.shape

    def item(self) -> float:
        """The only element."""
        (only,) = self.flat()
        return only

    def __add__(self, other: Any) -> Array:
        return ops.add(self, other)

    def __sub__(self, other: Any) -> Array:
        return ops.sub(self, other)

    def __mul__(self, other: Any) -> Array:
        return ops.mul(self, other)

    def __truediv__(self, other: Any) -> Array:
        return ops.div(self, other)

    def __neg__(self) -> Array:
        return ops.neg(self)

    def __matmul__(self, other: Array) -> Array:
        return ops.matmul(self, other)


def new(numbers: Iterable[float], shape: tuple[int, ...]) -> Array:
    """A new array of these numbers, row after row."""
    return Array(array("f", numbers), contiguous(shape))


def each(function: Callable[..., float], *operands: Any) -> Array:
    """The function of each element, or of those that meet when the shapes are broadcast."""
    arrays = [one if isinstance(one, Array) else new([one], ()) for one in operands]
    shape = broadcast_shapes(*(one.shape for one in arrays))
    walks = [positions(broadcast_to(one.layout, shape)) for one in arrays]
    rows = zip(*walks, strict=True)
    met = ([one.buffer[k] for one, k in zip(arrays, row, strict=True)] for row in rows)
    return new([function(*numbers) for numbers in met], shape)


class ops:
    """What can be computed with arrays, under the names of stage 2."""

    @staticmethod
    def from_list(data: Any, dtype: None = None) -> Array:
        """A new array with the numbers of nested lists."""
        found = StridedArray.from_nested(data)
        return new(found.buffer, found.shape)

    @staticmethod
    def full(shape: tuple[int, ...], value: float) -> Array:
        """An array of one number."""
        return new([value] * numel(shape), shape)

    @staticmethod
    def clone(x: Array) -> Array:
        """A copy."""
        return new(x.flat(), x.shape)

    @staticmethod
    def copy_(x: Array, y: Array) -> None:
        """Write the elements of y, broadcast, into x."""
        numbers = [y.buffer[k] for k in positions(broadcast_to(y.layout, x.shape))]
        for k, number in zip(positions(x.layout), numbers, strict=True):
            x.buffer[k] = number
        x.edits[0] += 1

    @staticmethod
    def add_(x: Array, y: Any) -> None:
        """x += y."""
        ops.copy_(x, x + y)

    @staticmethod
    def sub_(x: Array, y: Any) -> None:
        """x -= y."""
        ops.copy_(x, x - y)

    @staticmethod
    def add(x: Any, y: Any) -> Array:
        """x + y."""
        return each(lambda a, b: a + b, x, y)

    @staticmethod
    def sub(x: Any, y: Any) -> Array:
        """x - y."""
        return each(lambda a, b: a - b, x, y)

    @staticmethod
    def mul(x: Any, y: Any) -> Array:
        """x * y."""
        return each(lambda a, b: a * b, x, y)

    @staticmethod
    def div(x: Any, y: Any) -> Array:
        """x / y."""
        return each(lambda a, b: a / b, x, y)

    @staticmethod
    def neg(x: Array) -> Array:
        """-x."""
        return each(lambda a: -a, x)

    @staticmethod
    def square(x: Array) -> Array:
        """x * x."""
        return each(lambda a: a * a, x)

    @staticmethod
    def tanh(x: Array) -> Array:
        """The hyperbolic tangent."""
        return each(math.tanh, x)

    @staticmethod
    def sum(x: Array, dims: Any = None, keepdim: bool = False) -> Array:
        """The sum over some dimensions: broadcasting, walked from its end."""
        kept = reduced_shape(x.shape, dims, True)
        totals = [0.0] * numel(kept)
        where = positions(broadcast_to(contiguous(kept), x.shape))
        for k, number in zip(where, x.flat(), strict=True):
            totals[k] += number
        return new(totals, reduced_shape(x.shape, dims, keepdim))

    @staticmethod
    def mean(x: Array, dims: Any = None, keepdim: bool = False) -> Array:
        """The sum, divided by how many were added."""
        total = ops.sum(x, dims, keepdim)
        return total / (x.numel / total.numel)

    @staticmethod
    def matmul(x: Array, y: Array) -> Array:
        """The product of two matrices."""
        columns = y.T.tolist()
        products = [
            sum(a * b for a, b in zip(row, column, strict=True))
            for row in x.tolist()
            for column in columns
        ]
        return new(products, (x.shape[0], y.shape[1]))

    @staticmethod
    def uniform(shape: tuple[int, ...], low: float, high: float, seed: int, first: int) -> Array:
        """Random numbers, those of Python."""
        draw = random.Random(f"{seed} {first}").uniform
        return new([draw(low, high) for _ in range(numel(shape))], shape)

    @staticmethod
    def sgd_step(params: list[Array], grads: list[Array], lr: float) -> None:
        """p -= lr * g, for each parameter and its gradient."""
        for p, grad in zip(params, grads, strict=True):
            ops.sub_(p, grad * lr)
