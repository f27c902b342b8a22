"""Passes on bare arrays: who is given what, and that the same lines answer the same on tensors."""

import ast
import inspect
import textwrap

import numpy as np
import pytest

import norch_autograd as norch
from norch_autograd.graph.node import Node
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.types.modes import mode
from norch_cpu_ops import Array


class Noted(Node):
    """Notes what it is given, and passes it on."""

    __slots__ = ()

    def backward(self, grad):
        self.context(isinstance(grad, Tensor))
        return (grad,)


class NotedElementwise(Noted):
    """The same, as a node whose `backward` is as true of arrays."""

    __slots__ = ()
    on_arrays = True


class NotedKernel(Noted):
    """The same, with a routine for arrays."""

    __slots__ = ()

    def kernel(self, grad):
        return self.backward(grad)


def walked(kind, **options):
    """Return whether a node of this kind was given a tensor, and the gradient behind it."""
    x, given = norch.ones(2, requires_grad=True), []
    y = record(kind, x.array, (x,), (), given.append)
    (y * 3).sum().backward(**options)
    return given, x.grad.tolist()


def test_arrays_go_to_nodes_that_take_them_and_tensors_to_the_others():
    assert walked(NotedElementwise) == ([False], [3, 3])
    assert walked(NotedKernel) == ([False], [3, 3])
    assert walked(Noted) == ([True], [3, 3])


def test_recorded_and_composite_passes_run_on_tensors():
    for kind in (NotedElementwise, NotedKernel):
        assert walked(kind, create_graph=True) == ([True], [3, 3])
        with norch.autograd.composite():
            assert walked(kind) == ([True], [3, 3])


def test_hooks_and_grad_see_tensors():
    x, seen = norch.ones(2, requires_grad=True), []
    y = x * 2
    y.register_hook(lambda grad: seen.append(isinstance(grad, norch.Tensor)))
    x.register_hook(lambda grad: seen.append(isinstance(grad, norch.Tensor)))
    (found,) = norch.autograd.grad((y * y).sum(), y, retain_graph=True)
    (y * y).sum().backward()
    assert isinstance(found, norch.Tensor)
    assert seen == [True, True, True]


def test_a_pass_inside_a_hook_leaves_the_outer_one_as_it_was():
    x = norch.tensor([2.0], requires_grad=True)
    inner = norch.tensor([3.0], requires_grad=True)

    def hook(grad):
        with norch.enable_grad():
            (first,) = norch.autograd.grad((inner**3).sum(), inner, create_graph=True)
            first.sum().backward()

    y = x * 5
    y.register_hook(hook)
    (y * y).sum().backward()
    assert (inner.grad.tolist(), x.grad.tolist()) == ([18.0], [100.0])


def test_a_pass_that_fails_leaves_no_trace_in_the_mode():
    x = norch.ones(2, requires_grad=True)
    y = x * 2
    loss = (y * y).sum()
    with norch.no_grad():
        y.mul_(3)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    assert (mode.on_arrays, mode.enabled, x.grad) == (False, True, None)


FUNCTIONS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "rsub": lambda a, b: (1 - a) * b,
    "mul": lambda a, b: a * b, "div": lambda a, b: a / b, "neg": lambda a, b: -a * b,
    "reciprocal": lambda a, b: a.reciprocal() * b, "numbers": lambda a, b: (a * 3 + 1) / 2 - b,
    "tanh": lambda a, b: (a * b).tanh(), "sigmoid": lambda a, b: (a * b).sigmoid(),
    "relu": lambda a, b: (a - b).relu(), "gelu": lambda a, b: norch.ops.gelu(a * b),
    "silu": lambda a, b: norch.ops.silu(a * b), "exp": lambda a, b: (a * b).exp(),
    "expm1": lambda a, b: (a * b).expm1(), "log": lambda a, b: a.log() * b,
    "log1p": lambda a, b: a.log1p() * b, "log2": lambda a, b: a.log2() * b,
    "square": lambda a, b: a.square() * b, "sqrt": lambda a, b: a.sqrt() * b,
    "sum": lambda a, b: a.sum(0) * b, "sum kept": lambda a, b: a.sum(1, True) * b,
    "mean": lambda a, b: a.mean((0, 1)) * b, "mean of one dim": lambda a, b: a.mean(0) * b,
    "softmax": lambda a, b: norch.softmax(a * b, 0),
    "log_softmax": lambda a, b: norch.log_softmax(a * b, 1),
    "cross_entropy": lambda a, b: norch.cross_entropy(a * b, norch.tensor([1, 0, -100])),
}  # fmt: skip


OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult)
CALLS = {"isinstance", "len", "OutputGrads"}  # of what a node keeps beside arrays


def lacking(source, node):
    """The first operator, function or method in a `backward` that an Array lacks, or nothing."""
    for part in ast.walk(ast.parse(textwrap.dedent(source))):
        if isinstance(part, ast.BinOp) and not isinstance(part.op, OPERATORS):
            return ast.unparse(part)
        call = part.func if isinstance(part, ast.Call) else None
        if isinstance(call, ast.Name) and call.id not in CALLS:
            return ast.unparse(part)
        if isinstance(call, ast.Attribute):
            is_plain = ast.unparse(call.value) in ("math", "self") or "context" in ast.unparse(call)
            if not (is_plain or hasattr(Array, call.attr) or hasattr(node, call.attr)):
                return ast.unparse(part)
    return ""


def all_kinds(kind):
    """The class and every class below it."""
    return [kind, *(below for one in kind.__subclasses__() for below in all_kinds(one))]


def test_a_node_on_arrays_uses_what_arrays_have():
    """Leave `on_arrays` out where this fails: then `backward` is given tensors."""
    kinds = [kind for kind in all_kinds(Node) if kind.__module__.startswith("norch")]
    ours = [kind for kind in kinds if kind.on_arrays and kind.kernel is kind.backward]
    found = {kind.__name__: lacking(inspect.getsource(kind.backward), kind) for kind in ours}
    assert len(ours) > 10 and not any(found.values()), {k: v for k, v in found.items() if v}


@pytest.mark.parametrize(
    "wrong",
    ["abs(self.saved(0))", "grad.exp()", "self.saved(0).exp()", "self.saved(0) ** 2", "grad % 2"],
)
def test_what_arrays_lack_is_found(wrong):
    assert lacking(f"def backward(self, grad): return (grad * ({wrong}),)", Node) == wrong


def test_numbers_and_what_a_node_keeps_are_no_matter_of_arrays():
    fine = "def backward(self, grad): return (-grad / len(self.context) @ self.saved(0).mT,)"
    assert not lacking(fine, Node)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_same_lines_answer_the_same_on_tensors(name):
    def gradients(**options):
        a = norch.tensor([[0.5, 2.0], [1.5, 0.7], [3.0, 1.1]], dtype=norch.float64)
        b = norch.tensor([1.3, 0.4], requires_grad=True)  # broadcast, and of another dtype
        a = a.t().contiguous().t().requires_grad_()
        weights = norch.arange(1.0, 7.0).reshape(3, 2)
        (FUNCTIONS[name](a, b) * weights).sum().backward(**options)
        return [(t.grad.dtype, np.array(t.grad.tolist())) for t in (a, b)]

    for (dtype, on_arrays), (expected, on_tensors) in zip(
        gradients(), gradients(create_graph=True), strict=True
    ):
        assert dtype is expected
        np.testing.assert_allclose(on_arrays, on_tensors, rtol=1e-6, atol=1e-7)
