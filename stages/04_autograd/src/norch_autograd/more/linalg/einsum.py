"""einsum and its relatives tensordot and inner: sums of products, as batched matrix products."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from string import ascii_letters
from typing import Any, NamedTuple, TypeAlias

from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.indexing.getitem import diagonal
from norch_autograd.ops.linalg.matmul import matmul
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.view import expand, permute, reshape

Letters: TypeAlias = tuple[str, ...]
Places: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]  # dims to sum over; order of the others


@in_own_name
def einsum(equation: Any, *operands: Any) -> Tensor:
    """The products that `equation` spells: "ij,jk->ik" is a matrix product, "ii" a trace, "i,j" an
    outer one.

    Letters on the left only are summed over; `...` stands for dimensions that broadcast. Lists
    of numbers may stand for the letters: `einsum(x, [0, 1], y, [1, 2], [0, 2])`.

    >>> norch.einsum("ij,jk->ik", norch.ones(2, 3), norch.ones(3, 2))
    tensor([[3., 3.],
            [3., 3.]])
    """
    if not isinstance(equation, str):
        equation, operands = _spell_equation((equation, *operands))
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    plan = _plan(equation, tuple([operand.array.ndim for operand in operands]))
    _check_sizes(plan.terms, operands, equation)
    if any(plan.diagonals):
        operands = tuple(map(_take_diagonals, operands, plan.diagonals))
    result = operands[0]
    for other, pair in zip(operands[1:], plan.pairs, strict=True):
        result = _multiply_pair(result, other, *pair)
    result = _arrange(result, *plan.last)
    return permute(result, plan.last[1]) if result is operands[0] else result


def _spell_equation(given: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """What `einsum` was given as operands and lists of numbers in turn: an equation, operands."""
    pairs, output = len(given) // 2, given[-1] if len(given) % 2 else None
    lists = [given[2 * k + 1] for k in range(pairs)]
    if not pairs or not all(isinstance(numbers, (list, tuple)) for numbers in lists):
        raise TypeError("[einsum] expected an equation, or operands each followed by a list")

    def spell(numbers: Any) -> str:
        if any(n is not Ellipsis and not 0 <= n < len(ascii_letters) for n in numbers):
            raise ValueError(f"[einsum] expected numbers of 0 to 51 in a list, got {numbers}")
        return "".join("..." if n is Ellipsis else ascii_letters[n] for n in numbers)

    arrow = "" if output is None else "->" + spell(output)
    return ",".join(map(spell, lists)) + arrow, given[: 2 * pairs : 2]


def _parse(equation: str, ranks: tuple[int, ...]) -> tuple[tuple[Letters, ...], Letters]:
    """The letters of each operand and of the result; dots become letters "0", "1", ..."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(ranks):
        raise RuntimeError(f"[einsum] '{equation}' names {len(parts)} operands, got {len(ranks)}")
    terms = [_letters(part, ndim, equation) for part, ndim in zip(parts, ranks, strict=True)]
    flat = [letter for term in terms for letter in term]
    dots = sorted({letter for letter in flat if letter.isdigit()}, reverse=True)
    if arrow:
        before, has_dots, after = right.partition("...")
        output = [*before, *(dots if has_dots else []), *after]
    else:
        output = dots + sorted(x for x in set(flat) if flat.count(x) == 1 and not x.isdigit())
    unknown = [letter for letter in output if letter not in flat]
    if unknown or len(set(output)) != len(output):
        raise RuntimeError(
            f"[einsum] the result of '{equation}' must name letters of the left once each"
        )
    return tuple(terms), tuple(output)


def _letters(part: str, ndim: int, equation: str) -> Letters:
    """The letters of one operand of an equation, one for each of its dimensions."""
    before, dots, after = part.partition("...")
    free = ndim - len(before) - len(after)
    if not (before + after).isalpha() and before + after:
        raise RuntimeError(f"[einsum] '{equation}' may hold letters, commas, '...' and one '->'")
    if free < 0 or (free and not dots):
        raise RuntimeError(
            f"[einsum] '{part}' in '{equation}' does not fit an operand of {ndim} dims"
        )
    return (*before, *(str(k) for k in range(free - 1, -1, -1)), *after)


def _check_sizes(terms: tuple[Letters, ...], operands: Sequence[Tensor], equation: str) -> None:
    """Raise RuntimeError unless each letter has one size everywhere (or 1, which broadcasts)."""
    sizes: dict[str, int] = {}
    for term, operand in zip(terms, operands, strict=True):
        for letter, size in zip(term, operand.array.shape, strict=True):
            known = sizes.get(letter, 1)
            if known == 1:
                sizes[letter] = size
            elif size not in (1, known):
                raise RuntimeError(
                    f"[einsum] '{letter}' in '{equation}' has sizes {known} and {size}"
                )


class _Plan(NamedTuple):
    """All that an equation says of operands of certain ranks, whatever their sizes."""

    terms: tuple[Letters, ...]
    diagonals: list[list[tuple[int, int]]]  # of each operand, to be taken one after the other
    pairs: list[tuple[Places, Places, tuple[int, int, int]]]  # of each product: see _multiply_pair
    last: Places  # of the last result


@functools.lru_cache(maxsize=256)
def _plan(equation: str, ranks: tuple[int, ...]) -> _Plan:
    """What `einsum` does with operands of these ranks: their products from left to right."""
    terms, output = _parse(equation, ranks)
    diagonals, (x, *others) = zip(*map(_find_diagonals, terms), strict=True)
    pairs = []
    for i, y in enumerate(others, 1):
        later = {*output}.union(*others[i:])
        shared = [letter for letter in x if letter in y]
        batch = [letter for letter in shared if letter in later]
        summed = [letter for letter in shared if letter not in later]
        rows = [letter for letter in x if letter in later and letter not in y]
        columns = [letter for letter in y if letter in later and letter not in x]
        left, right = _places(x, [*batch, *rows, *summed]), _places(y, [*batch, *summed, *columns])
        pairs.append((left, right, (len(batch), len(rows), len(summed))))
        x = [*batch, *rows, *columns]
    return _Plan(terms, [*diagonals], pairs, _places(x, output))


def _places(term: Sequence[str], wanted: Sequence[str]) -> Places:
    """The dims of the letters that are not wanted; and of the others, in the order wanted."""
    left = [letter for letter in term if letter in wanted]
    gone = tuple(k for k, letter in enumerate(term) if letter not in wanted)
    return gone, tuple(map(left.index, wanted))


def _find_diagonals(term: Letters) -> tuple[list[tuple[int, int]], list[str]]:
    """The pairs of dims with one letter, to take the diagonal of; and the letters then."""
    pairs, letters = [], list(term)
    for letter in dict.fromkeys(term):
        while letters.count(letter) > 1:
            first = letters.index(letter)
            pairs.append((first, letters.index(letter, first + 1)))
            letters = [x for k, x in enumerate(letters) if k not in pairs[-1]]
            letters.append(letter)  # the diagonal comes last
    return pairs, letters


def _take_diagonals(tensor: Tensor, pairs: list[tuple[int, int]]) -> Tensor:
    """An operand of `einsum` whose letters differ."""
    for first, second in pairs:
        tensor = diagonal(tensor, 0, first, second)
    return tensor


def _arrange(tensor: Tensor, gone: tuple[int, ...], order: tuple[int, ...]) -> Tensor:
    """An operand of `einsum` summed over the dims that nobody needs, the others in this order."""
    tensor = sum(tensor, gone) if gone else tensor
    return tensor if order == tuple(range(len(order))) else permute(tensor, order)


def _multiply_pair(
    x: Tensor, y: Tensor, left: Places, right: Places, counts: tuple[int, int, int]
) -> Tensor:
    """Two operands of `einsum`, arranged as (batch, rows, summed) and (batch, summed, columns), as
    one batched matrix product: (batch..., rows..., columns...). `counts` are of dims.
    """
    (count, rows, summed), x, y = counts, _arrange(x, *left), _arrange(y, *right)
    a, b = x.array.shape, y.array.shape
    both = zip((*a[:count], *a[count + rows :]), b, strict=False)  # batch and summed
    sizes = [m if n == 1 else n for n, m in both]
    batch, inner = sizes[:count], sizes[count:]
    above, across = a[count : count + rows], b[count + summed :]
    product = matmul(_as_matrices(x, batch, above, inner), _as_matrices(y, batch, inner, across))
    shape = (*batch, *above, *across)
    return product if product.array.shape == shape else reshape(product, shape)


def _as_matrices(
    tensor: Tensor, batch: Sequence[int], rows: Sequence[int], columns: Sequence[int]
) -> Tensor:
    """(batch..., rows..., columns...) as (batch..., all rows, all columns), of these sizes."""
    shape = (*batch, *rows, *columns)
    tensor = tensor if tensor.array.shape == shape else expand(tensor, shape)
    if len(rows) == len(columns) == 1:
        return tensor
    return reshape(tensor, (*batch, math.prod(rows), math.prod(columns)))


def _pair_dims(x_dims: int, y_dims: int, pair: Any) -> tuple[list[int], list[int]]:
    """The two lists of `tensordot`, counted from the front; RuntimeError where they are no pair."""
    lists = pair if isinstance(pair, (list, tuple)) else ()
    if len(lists) != 2 or len(lists[0]) != len(lists[1]):
        raise RuntimeError(f"[tensordot] dims must be a number or two lists alike, got {pair!r}")
    for count, dims in ((x_dims, lists[0]), (y_dims, lists[1])):
        if any(not -count <= dim < count for dim in dims):
            raise IndexError(f"[tensordot] dims {dims} are out of range for {count} dimensions")
        if len({dim % count for dim in dims}) < len(dims):
            raise RuntimeError(f"[tensordot] dims {dims} name one of {count} dimensions twice")
    return [dim % x_dims for dim in lists[0]], [dim % y_dims for dim in lists[1]]


@in_own_name
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Sum over the last `dims` dimensions of `a` and the first of `b`, or over the pairs of two
    lists.

    >>> norch.tensordot(norch.ones(2, 3), norch.ones(3, 4), dims=1).shape
    norch.Size([2, 4])
    """
    x, y, dims = array_of(a), array_of(b), number(dims)
    if isinstance(dims, int) and not 0 <= dims <= min(x.ndim, y.ndim):
        raise RuntimeError(f"[tensordot] cannot sum over {dims} dims of {x.shape} and {y.shape}")
    if isinstance(dims, int):
        ours = list(range(a.array.ndim - dims, a.array.ndim))
        theirs = list(range(dims))
    else:
        ours, theirs = _pair_dims(x.ndim, y.ndim, dims)
    left = [chr(ord("a") + k) for k in range(a.array.ndim)]
    right = [chr(ord("A") + k) for k in range(b.array.ndim)]
    for i, k in zip(ours, theirs, strict=True):
        right[k] = left[i]
    kept = [x for k, x in enumerate(left) if k not in ours]
    kept += [x for k, x in enumerate(right) if k not in theirs]
    return einsum(f"{''.join(left)},{''.join(right)}->{''.join(kept)}", a, b)


@in_own_name
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The inner product over the last dimension of both.

    >>> norch.inner(norch.tensor([1., 2.]), norch.tensor([3., 4.]))
    tensor(11.)
    """
    x, y = array_of(input), array_of(other)
    if 0 in (x.ndim, y.ndim):
        return input * other
    if x.shape[-1] != y.shape[-1]:
        raise RuntimeError(
            f"[inner] shapes {x.shape} and {y.shape} do not match: the last sizes must be equal"
        )
    return tensordot(input, other, ([-1], [-1]))
