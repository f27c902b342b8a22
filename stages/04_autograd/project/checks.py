"""The properties of project 4: an operation of one's own, right, differentiable, and in the record
as the library's operations are.

`make project 4` hands `smooth_maximum.py` to each function in turn.
"""

import gc
import itertools
import runpy
from collections.abc import Callable
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from weakref import ref

import numpy as np

from norch_autograd import Tensor, float32, float64, gradcheck, gradgradcheck, no_grad, tensor
from norch_autograd.autograd.grad import grad
from norch_autograd.graph.node import Node
from norch_course.projects import NotYet, claim

Operation = Callable[[Tensor, Tensor], Tensor]
SHAPES = [
    *[((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((), (4,)), ((2, 1, 3), (4, 1))],
    *[((0, 3), (1, 3)), ((), ())],
]
FAR = [(1.0, -1e8), (-1e8, 1.0), (1e8, 1e8), (1e30, 2.0), (-1e38, 1e38), (-3.0, -1e38)]
STEEP = [(1e20, 0.0), (0.0, 1e20), (2.0, 3e19), (1e4, 1.0)]  # their gradients are 0 and 1, nearly
ROOM = 1e-6  # of float32, and of what NumPy does in another order


@cache
def operation(file: Path) -> Operation:
    """Return the learner's function."""
    return runpy.run_path(str(file))["smooth_maximum"]


def definition(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return what it should be, in a form in which nothing cancels and nothing overflows."""
    apart = np.abs(x - y)
    return np.maximum(x, y) + 0.5 / (np.hypot(apart, 1) + apart)


def pair(shapes, dtype=float64, wants=False, scattered=True) -> list[Tensor]:
    """Return two operands; `scattered` ones are views with gaps whose rows run backwards."""
    draw, found = np.random.default_rng(4), []
    for shape in shapes:
        values = draw.normal(0, 2, (*shape[:-1], 2 * shape[-1]) if shape else ())
        whole = tensor(values.tolist(), dtype=dtype).reshape(values.shape)
        whole.requires_grad_(wants)
        view = whole.flip(0) if shape and scattered else whole
        found.append(view[..., ::2] if shape else view)
    return found


def close(got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Say which elements agree."""
    return np.abs(got - wanted) <= ROOM * np.maximum(1, np.abs(wanted))


@claim("right")
def right(file: Path) -> str:
    """Values, shape and dtype, for operands of one shape and of two, in float32 and float64."""
    dtypes = [(float32, float32), (float64, float64), (float32, float64)]
    for shapes, (first, second) in itertools.product(SHAPES, dtypes):
        x, y = pair(shapes, first)[0], pair(shapes, second)[1]
        wanted = definition(*(np.array(one.tolist()).reshape(one.shape) for one in (x, y)))
        got = operation(file)(x, y)
        given = f"{tuple(x.shape)} {first} and {tuple(y.shape)} {second}"
        if (tuple(got.shape), got.dtype) != (wanted.shape, second):
            raise NotYet(
                f"{given}: {tuple(got.shape)} {got.dtype}",
                f"expected {wanted.shape} {second}: shapes are broadcast, dtypes promoted.",
            )
        if not close(np.array(got.tolist()).reshape(wanted.shape), wanted).all():
            raise NotYet(f"{given}: {got.tolist()}", f"expected {wanted.tolist()}.")
    return f"{len(SHAPES) * len(dtypes)} pairs, most of them broadcast, views with gaps"


@claim("far apart")
def far_apart(file: Path) -> str:
    """A large number beside a small one, in float32."""
    for x, y in FAR:
        got = operation(file)(tensor([x]), tensor([y])).item()
        wanted = definition(np.array(x), np.array(y))
        if not close(np.array(got), wanted):
            raise NotYet(
                f"({x:g}, {y:g}) gives {got:g}, expected {wanted:g}",
                "float32 ends at 3e38 and has 7 digits: what is squared, and what cancels?",
            )
    return f"{len(FAR)} pairs"


@claim("one node")
def one_node(file: Path) -> str:
    """Operands of one shape lead to their result through a single node."""
    x, y = pair([(3,), (3,)], wants=True, scattered=False)
    node = operation(file)(x.detach().requires_grad_(), y.detach().requires_grad_()).grad_fn
    waiting, seen = [node], set()
    while waiting:
        one = waiting.pop()
        if isinstance(one, Node) and one not in seen:
            seen.add(one)
            waiting += one.edges
    if len(seen) != 1:
        advice = "write the derivative down: `Hypot` in ops/elementwise/power.py has two operands."
        raise NotYet(f"{len(seen)} nodes", advice)
    return node.name()


@claim("gradient")
def gradient(file: Path) -> str:
    """Compared with differences, in float64; of operands that are broadcast too."""
    compared(file, gradcheck, "a small operand has the sum of its copies' gradients.")
    for x, y in [*FAR, *STEEP]:
        operands = [tensor([one], requires_grad=True) for one in (x, y)]
        got = [one.item() for one in grad(operation(file)(*operands).sum(), operands)]
        slope = (x - y) / np.hypot(x - y, 1)
        wanted = [(1 + slope) / 2, (1 - slope) / 2]
        if not close(np.array(got), np.array(wanted)).all():
            raise NotYet(
                f"at ({x:g}, {y:g}): {got[0]:g} and {got[1]:g}, "
                f"expected {wanted[0]:g} and {wanted[1]:g}",
                "a square ends at 3e38: what is squared? `hypot` squares nothing large.",
            )
    return f"{len(SHAPES)} pairs as differences say, {len(FAR) + len(STEEP)} far apart"


@claim("second derivative")
def second(file: Path) -> str:
    """The gradient of the gradient, by the node's `backward` alone."""
    advice = "`backward` is a function of tensors: each use of a kept value must be recorded too."
    compared(file, gradgradcheck, advice)
    return f"{len(SHAPES)} pairs as differences say"


def compared(file: Path, check: Callable[..., bool], advice: str) -> None:
    """Compare with differences; say of which shapes the first that are wrong are."""
    for shapes in SHAPES:
        operands = pair(shapes, wants=True)
        for one, found in zip(
            operands, grad(operation(file)(*operands).sum(), operands), strict=True
        ):
            if found.shape != one.shape:
                words = f"a gradient of shape {tuple(found.shape)} for one of {tuple(one.shape)}"
                raise NotYet(words, advice)
        try:
            check(operation(file), operands)
        except RuntimeError as error:
            words = str(error).partition("] ")[2] or str(error)
            raise NotYet(f"{shapes[0]} and {shapes[1]}: {words}", advice) from error


@claim("recorded")
def recorded(file: Path) -> str:
    """Only while somebody records, and only for operands that want a gradient."""
    plain, wanting = (pair([(3,), (3,)], wants=wants) for wants in (False, True))
    with no_grad():
        silent = operation(file)(*wanting)
    results = {"in no_grad()": silent, "of two constants": operation(file)(*plain)}
    for when, result in results.items():
        if result.requires_grad or result.grad_fn is not None:
            raise NotYet(f"a node {when}", "there, nothing is to be recorded.")
    x, y = plain[0].detach().requires_grad_(), plain[1]
    operation(file)(x, y).sum().backward()
    if x.grad is None or y.grad is not None:
        raise NotYet("x wants a gradient, y none: not so", "ask `self.needs(i)` for each.")
    return "where wanted, and nowhere else"


@claim("edits")
def edits(file: Path) -> str:
    """An operand edited in place before the backward pass: an error, or no matter."""
    for place in (0, 1):
        x, y = operands = [one.detach() for one in pair([(3,), (3,)])]
        (wanted,) = gradients_of(file, x.clone(), y.clone(), 1 - place)
        operands[1 - place].requires_grad_()
        result = operation(file)(x, y)
        operands[place].fill_(7.0)
        try:
            (found,) = grad(result.sum(), [operands[1 - place]])
        except RuntimeError:
            continue
        if not close(np.array(found.tolist()), np.array(wanted.tolist())).all():
            raise NotYet(
                f"operand {place} edited since: a wrong gradient",
                "nobody noticed: keep x and y where the node checks their versions.",
            )
    return "an error, or the right gradient"


def gradients_of(file: Path, x: Tensor, y: Tensor, which: int) -> tuple[Tensor, ...]:
    """Return the gradient of one of two operands, nothing edited."""
    operand = (x, y)[which].requires_grad_()
    return grad(operation(file)(x, y).sum(), [operand])


@contextmanager
def no_collector():
    """Free only what nothing refers to any more, at once; cycles stay."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@claim("freed")
def freed(file: Path) -> str:
    """With its result the node goes, and after a backward pass what it kept."""
    with no_collector():
        result = operation(file)(*pair([(3,), (3,)], wants=True))
        node = ref(result.grad_fn)
        del result
        if node() is not None:
            advice = "something in the node leads back to its result: neither is ever freed."
            raise NotYet("the node outlives its result", advice)
    result = operation(file)(*pair([(3,), (3,)], wants=True)).sum()
    result.backward()
    try:
        result.backward()
    except RuntimeError:
        return "node with its result, kept values after the pass"
    raise NotYet(
        "a second pass finds all it needs", "hand what is kept to the record: it is freed."
    )
