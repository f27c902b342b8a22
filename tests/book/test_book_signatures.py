"""The reference prints the arguments that Python itself finds: names, kinds, order, defaults.

norch is imported here and the sources are read: both must say the same of each public name.
"""

import ast
import importlib
import inspect
import sys
from enum import Enum

import norch_signatures
import norch_sources
import pytest
from prose import listed
from test_book_library import ELSEWHERE

# Python knows no arguments of them: errors take what is said, a node is made by its operation.
SILENT = {"DistStoreError", "LinAlgError", "Node", "OutOfMemoryError"}
# Old names, one function around all: what they take is what the new name takes.
OLD = {"constant", "dirac", "eye", "kaiming_normal", "kaiming_uniform", "normal", "orthogonal"}
OLD |= {"sparse", "uniform", "xavier_normal", "xavier_uniform"}
# Classes that are made without arguments, all of them looked at.
NO_ARGUMENTS = {"Dataset", "FSDPModule", "Function", "GeneralTracker", "GroupMember", "HashStore"}
NO_ARGUMENTS |= {"IterableDataset", "LogSigmoid", "Module", "ParallelStyle", "PILToTensor"}
NO_ARGUMENTS |= {"Replicate", "Sampler", "ScriptModule", "Sigmoid", "Softmax2d", "Softsign"}
NO_ARGUMENTS |= {"Store", "group", "Tanh", "Tanhshrink", "ToTensor", "VisionDataset"}


@pytest.fixture(autouse=True, scope="module")
def no_trees_are_left():
    """Forget the syntax of all our files: every later `gc.collect()` would walk through it."""
    yield
    norch_sources.tree_of.cache_clear()
    norch_sources.member.cache_clear()


def entries(module):
    """Return each public name of a module with its definition and the object itself."""
    real = importlib.import_module(module)
    return [(name, one, getattr(real, name)) for name, one in norch_sources.public(module).items()]


def names_around(real):
    """Return what the defaults of a function or class are made of: the names of its module."""
    if inspect.isclass(real):
        made = next(one for one in real.__mro__ if "__init__" in vars(one))
        real = made.__init__ if inspect.isfunction(made.__init__) else real
    real = inspect.unwrap(real)
    return getattr(real, "__globals__", vars(sys.modules[real.__module__]))


def arguments(called):
    """Return the arguments as text, without types; a default that is made anew has no value."""
    found = inspect.signature(called).parameters.values()
    return [
        (one.name, one.kind, "made" if repr(one.default) == "<factory>" else repr(one.default))
        for one in found
    ]


def printed(text, real):
    """Return the arguments that the reference prints, as Python reads them."""
    space = dict(names_around(real))
    exec(f"def printed{text}: ...", space)
    return arguments(space["printed"])


def difference(name, one, real):
    """Say in which way the printed arguments are not those of Python; nothing where they are."""
    text = norch_signatures.signature(one)
    if name in SILENT:
        return "" if text == "(*args)" or name == "Node" else text
    if inspect.isclass(real) and issubclass(real, Enum):
        return "" if text == "(value)" else text
    expected, found = arguments(real), printed(text, real)
    found = [(*a[:2], b[2]) if b[2] == "made" else a for a, b in zip(found, expected, strict=False)]
    if name in OLD and [argument for argument, *_ in expected] == ["args", "kwargs"]:
        return ""
    return "" if found == expected else f"{text}, expected {inspect.signature(real)}"


@pytest.mark.parametrize("module", listed())
def test_the_printed_arguments_are_those_of_python(module):
    wrong = {name: difference(name, one, real) for name, one, real in entries(module)}
    assert {name: told for name, told in wrong.items() if told} == {}


def test_a_class_without_arguments_is_known():
    empty = {
        name
        for module in listed()
        for name, one in norch_sources.public(module).items()
        if isinstance(one.definition, ast.ClassDef) and norch_signatures.signature(one) == "()"
    }
    assert empty == NO_ARGUMENTS


def classes(modules):
    """Return the public classes of modules that norch has made."""
    return {
        real
        for module in modules
        for name, real in vars(importlib.import_module(module)).items()
        if inspect.isclass(real) and not name.startswith("_") and "norch" in real.__module__
    }


def test_every_public_class_is_on_a_page():
    shown = {real for module in listed() for _, _, real in entries(module)}
    public = [name for name in sys.modules if name.partition(".")[0] == "norch"]
    told = [name for name in public if not name.startswith(ELSEWHERE) and "._" not in name]
    assert [one.__name__ for one in classes(told) - shown] == ["DType"]  # it is written in C++


def test_arguments_of_a_class_stand_in_a_base_of_another_package():
    one = norch_sources.public("norch.nn")["BatchNorm2d"]
    assert "def __init__" not in ast.unparse(one.definition)
    assert norch_signatures.signature(one).startswith("(num_features, eps=1e-05, momentum=0.1,")


def test_a_wrong_default_is_found():
    import norch

    one = norch_sources.public("norch.nn")["Conv2d"]
    assert difference("Conv2d", one, norch.nn.Conv2d) == ""
    assert "expected" in difference("Conv2d", one, norch.nn.ConvTranspose2d)
