"""einsum and its relatives tensordot and inner: sums of products, as batched matrix products."""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_letters
from typing import Any

from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.indexing.getitem import diagonal
from norch_autograd.ops.linalg.matmul import matmul
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.view import expand, permute, reshape


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
    terms, output = _parse(equation, operands)
    pairs = [_take_diagonals(t, term) for t, term in zip(operands, terms, strict=True)]
    result, letters = pairs[0]
    for i, (other, term) in enumerate(pairs[1:], 1):
        later = set(output).union(*(t for _, t in pairs[i + 1 :]))
        result, letters = _multiply_pair(result, letters, other, term, later)
    result, letters = _sum_unused(result, letters, set(output))
    return permute(result, [letters.index(letter) for letter in output])


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


def _parse(equation: str, operands: Sequence[Tensor]) -> tuple[list[list[str]], list[str]]:
    """The letters of each operand and of the result; dots become letters "0", "1", ..."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(operands):
        raise RuntimeError(
            f"[einsum] '{equation}' names {len(parts)} operands, got {len(operands)}"
        )
    terms = [
        _letters(part, t.array.ndim, equation) for part, t in zip(parts, operands, strict=True)
    ]
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
    _check_sizes(terms, operands, equation)
    return terms, output


def _letters(part: str, ndim: int, equation: str) -> list[str]:
    """The letters of one operand of an equation, one for each of its dimensions."""
    before, dots, after = part.partition("...")
    free = ndim - len(before) - len(after)
    if not (before + after).isalpha() and before + after:
        raise RuntimeError(f"[einsum] '{equation}' may hold letters, commas, '...' and one '->'")
    if free < 0 or (free and not dots):
        raise RuntimeError(
            f"[einsum] '{part}' in '{equation}' does not fit an operand of {ndim} dims"
        )
    return [*before, *(str(k) for k in range(free - 1, -1, -1)), *after]


def _check_sizes(terms: list[list[str]], operands: Sequence[Tensor], equation: str) -> None:
    """Raise RuntimeError unless each letter has one size everywhere (or 1, which broadcasts)."""
    sizes: dict[str, int] = {}
    for term, operand in zip(terms, operands, strict=True):
        for letter, size in zip(term, operand.array.shape, strict=True):
            known = sizes.setdefault(letter, size)
            if 1 not in (known, size) and known != size:
                raise RuntimeError(
                    f"[einsum] '{letter}' in '{equation}' has sizes {known} and {size}"
                )
            sizes[letter] = known if size == 1 else size


def _take_diagonals(tensor: Tensor, term: list[str]) -> tuple[Tensor, list[str]]:
    """An operand of `einsum` whose letters differ: of one that stands twice, the diagonal."""
    term = list(term)
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            tensor = diagonal(tensor, 0, first, second)  # the diagonal comes last
            term = [x for k, x in enumerate(term) if k not in (first, second)] + [letter]
    return tensor, term


def _sum_unused(tensor: Tensor, term: list[str], wanted: set[str]) -> tuple[Tensor, list[str]]:
    """An operand of `einsum` summed over the letters that nobody needs any more."""
    gone = tuple(k for k, letter in enumerate(term) if letter not in wanted)
    return (sum(tensor, gone), [x for x in term if x in wanted]) if gone else (tensor, term)


def _multiply_pair(
    x: Tensor, x_term: list[str], y: Tensor, y_term: list[str], later: set[str]
) -> tuple[Tensor, list[str]]:
    """Two operands of `einsum` as one batched matrix product, and the letters of the result."""
    x, x_term = _sum_unused(x, x_term, later | set(y_term))
    y, y_term = _sum_unused(y, y_term, later | set(x_term))
    shared = [letter for letter in x_term if letter in y_term]
    batch = [letter for letter in shared if letter in later]
    summed = [letter for letter in shared if letter not in later]
    rows = [letter for letter in x_term if letter not in shared]
    columns = [letter for letter in y_term if letter not in shared]
    sizes = dict(zip(x_term, x.array.shape, strict=True))
    for letter, size in zip(y_term, y.array.shape, strict=True):
        sizes[letter] = sizes.get(letter, 1) if size == 1 else size

    def as_matrices(tensor: Tensor, term: list[str], parts: list[list[str]]) -> Tensor:
        """(batch..., rows, columns), where the letters of both `parts` are one dimension each."""
        order = [*batch, *parts[0], *parts[1]]
        tensor = permute(tensor, [term.index(letter) for letter in order])
        tensor = expand(tensor, [sizes[letter] for letter in order])
        return reshape(
            tensor,
            [*(sizes[x] for x in batch), *(math.prod(sizes[x] for x in part) for part in parts)],
        )

    left, right = as_matrices(x, x_term, [rows, summed]), as_matrices(y, y_term, [summed, columns])
    letters = batch + rows + columns
    return reshape(matmul(left, right), [sizes[letter] for letter in letters]), letters


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
