"""One pattern for every derivative, read off the sources: `backward` in tensor operations, `kernel`
on arrays where it pays, and no question to the mode. What differs is named here, with its reason.
"""

import ast
import inspect
import textwrap
from pathlib import Path

import pytest
from autograd_checks import node_classes, package_classes

import norch_autograd as norch
from norch_autograd.graph.hooks import PublicNode
from norch_autograd.graph.multi_output import MultiOutputNode
from norch_autograd.graph.node import Node, NodeState
from norch_autograd.ops import tanh

PACKAGE = Path(norch.__file__).parent
NODES = node_classes()
OF_PYTHON = {"__module__", "__doc__", "__slots__", "__annotations__", "__firstlineno__"}
OF_PYTHON |= {"__static_attributes__"}
FORM = {"public_name", "backward", "kernel", "name", "on_arrays"}  # what a node may define
CONSTANTS = {"arange", "full", "ones", "zeros"}  # what `backward` may ask of an array's operations

WITHOUT_BACKWARD = {
    "MultiOutputNode": "the base class of nodes with several outputs",
    "Heaviside": "PyTorch has no derivative for it either: a pass that comes here is refused",
    "Unique": "as Heaviside",
}
MORE_THAN_A_NODE = {
    "UserNode": "also what `Function.backward` sees as `ctx`: saved tensors, which inputs need it",
    "MultiOutputNode": "`saved_output` is its `saved` for results: each has a node of its own",
}
ARRAYS_KNOW = ("mT", "reshape", "shape", "sum")  # as attributes, besides operators
NOT_OPERATORS = {
    "Output": "labels the gradient with its number, and computes nothing",
}
NO_NODES = {
    "Tensor": "its method begins a pass",
    "Function": "the user's own derivative; UserNode calls it",
    "Resampling": "which kernels to call: the nodes Resample and ResampleBackward record it",
}
READS_MODE = {
    "ops/dtype/autocast.py": "the switch of autocast itself",
    "creation/from_data.py": "the default device of new tensors",
    "autograd/checkpoint.py": "runs a part again in the modes of the first time",
}
ASKS_GRAD_MODE = {
    "ops/nn/reference_gradients.py": "a pass within a pass, recorded if the outer one is",
}
QUESTIONS = {"is_grad_enabled", "is_composite_enabled", "is_inference_mode_enabled"}


def tree(function):
    """The syntax of one method."""
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def attributes(function):
    """Every attribute access in a method, as it is written."""
    return [node for node in ast.walk(tree(function)) if isinstance(node, ast.Attribute)]


def calls(function):
    """Every call in a method."""
    return [node for node in ast.walk(tree(function)) if isinstance(node, ast.Call)]


def own(name):
    """The nodes that define method `name` themselves, and the method."""
    return [(cls, vars(cls)[name]) for cls in NODES if name in vars(cls)]


def bad_form(cls):
    """What a node defines beside the pattern."""
    found = set(vars(cls)) - OF_PYTHON - FORM
    if vars(cls)["__slots__"] != ():
        found.add("attributes of its own")
    if len(cls.__bases__) != 1:
        found.add("two base classes")
    return found


def not_operators(cls):
    """What a `backward` on arrays uses beside `self` and what tensors and arrays both know:
    operators, `mT`, `reshape`, `shape` and `sum`.
    """
    found = []
    for node in ast.walk(tree(cls.backward)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            constant = called.startswith("math.") and all(
                isinstance(arg, ast.Constant) for arg in node.args
            )
            known = called in ("self.saved", "self.needs", "super().backward", "len", "math.prod")
            if not (known or constant or called.rpartition(".")[2] in ARRAYS_KNOW):
                found.append(called)
        elif isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            if owner not in ("self", "super()", "math") and node.attr not in ARRAYS_KNOW:
                found.append(ast.unparse(node))
    return found


def kernels_called(function):
    """The operations of an array's device that a method calls, `ops.name(...)`."""
    return {
        node.attr
        for node in attributes(function)
        if ast.unparse(node.value) == "ops" or ast.unparse(node.value).endswith(".ops")
    }


def imports(path):
    """Every `module.name` that a file imports from."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def files(*folders):
    """The files of some folders, by their path in the package."""
    found = [path for folder in folders for path in sorted((PACKAGE / folder).rglob("*.py"))]
    return {path.relative_to(PACKAGE).as_posix(): path for path in found}


def test_every_node_has_a_backward():
    missing = {cls.__name__ for cls in NODES if cls.backward is Node.backward}
    assert missing == set(WITHOUT_BACKWARD)


def test_a_node_defines_the_pattern_and_nothing_else():
    found = {cls.__name__: bad_form(cls) for cls in NODES if bad_form(cls)}
    assert set(found) == set(MORE_THAN_A_NODE), found
    assert Node.__bases__ == (PublicNode, NodeState)


def test_backward_and_kernel_take_a_gradient():
    for name in ("backward", "kernel"):
        for cls, method in own(name):
            assert len(inspect.signature(method).parameters) == 2, f"{cls.__name__}.{name}"


def test_nodes_on_arrays_use_what_arrays_know():
    found = {cls.__name__: not_operators(cls) for cls in NODES if cls.on_arrays}
    assert len(found) > 10
    assert {name for name, used in found.items() if used} == set(NOT_OPERATORS), found


def test_a_node_on_arrays_has_no_kernel_but_its_backward():
    on_arrays = [cls for cls in NODES if cls.on_arrays]
    assert [cls.__name__ for cls in on_arrays if cls.kernel is not cls.backward] == []
    assert [cls.__name__ for cls in on_arrays if "def kernel(" in inspect.getsource(cls)] == []


def functions_of_tensors(method):
    """The functions that a method calls that take a `Tensor`."""
    called = {node.func.id for node in calls(method) if isinstance(node.func, ast.Name)}
    found = {name: method.__globals__.get(name) for name in called}
    return {
        name
        for name, function in found.items()
        if inspect.isfunction(function)
        and any(hint.startswith("Tensor") for hint in hints(function))
    }


def hints(function):
    """The annotations of a function's arguments, in order."""
    return [str(arg.annotation) for arg in inspect.signature(function).parameters.values()]


def test_kernels_work_on_arrays():
    """They read `saved_array`, not `saved`, and call nothing that takes a tensor."""
    for cls, method in own("kernel"):
        if method is cls.backward:
            continue  # on arrays
        used = {ast.unparse(node) for node in attributes(method)}
        assert "self.saved" not in used, cls.__name__
        assert "self.backward" not in used or cls is MultiOutputNode, cls.__name__
        assert functions_of_tensors(method) == set(), cls.__name__


def test_backward_calls_no_kernel():
    """Arrays that are constants aside, all it uses is recorded: it can be differentiated again."""
    found = {cls.__name__: kernels_called(method) - CONSTANTS for cls, method in own("backward")}
    assert {name: called for name, called in found.items() if called} == {}


def test_a_function_that_calls_a_kernel_of_a_gradient_records_it():
    """`backward` may call it then: its result can be differentiated like any other."""
    found = 0
    for name, path in files("ops").items():
        for function in ast.parse(path.read_text()).body:
            nodes = list(ast.walk(function)) if isinstance(function, ast.FunctionDef) else []
            named = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
            called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
            if any(attr.endswith("_backward") for attr in named):
                found += 1
                assert called & {"unary", "record", "record_many"}, f"{name}: {function.name}"
    assert found


def test_only_nodes_have_derivatives():
    others = {
        cls.__name__
        for cls in package_classes()
        if not issubclass(cls, Node) and {"backward", "kernel"} & set(vars(cls))
    }
    assert others == set(NO_NODES)


def test_no_operation_reads_the_mode():
    readers = {
        name
        for name, path in files("ops", "creation", "autograd").items()
        if any(found.startswith("norch_autograd.types.modes") for found in imports(path))
    }
    assert readers == set(READS_MODE)


def test_no_operation_asks_how_it_is_run():
    asking = {
        name
        for name, path in files("ops", "creation").items()
        if any(found.split(".")[-1] in QUESTIONS for found in imports(path))
    }
    assert asking == set(ASKS_GRAD_MODE)


class Planted(Node):
    """What the tests above must find."""

    __slots__ = ("memory",)
    backward_of_tanh = None

    def backward(self, grad):
        y = self.saved(0)
        return (y.ops.tanh_backward(grad.array, y),)

    def kernel(self, grad):
        return (tanh(grad),)


@pytest.mark.parametrize(
    ("finds", "expected"),
    [
        (bad_form, ["attributes of its own", "backward_of_tanh", "memory"]),
        (not_operators, ["grad.array", "y.ops", "y.ops.tanh_backward", "y.ops.tanh_backward"]),
        (lambda cls: kernels_called(cls.backward), ["tanh_backward"]),
        (lambda cls: functions_of_tensors(cls.kernel), ["tanh"]),
    ],
)
def test_another_form_is_found(finds, expected):
    assert sorted(finds(Planted)) == expected
