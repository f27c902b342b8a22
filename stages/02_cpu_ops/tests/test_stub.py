"""The stub says exactly what the C++ module has: editors and type checkers can trust it."""

import ast
import inspect
import runpy
from pathlib import Path

import norch_cpu_ops
from norch_cpu_ops import _cpu

TOOL = Path(__file__).parents[1] / "tools" / "write_stub.py"
STUB = ast.parse((Path(norch_cpu_ops.__file__).parent / "_cpu.pyi").read_text())
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}


def parameters(function) -> list[str]:
    """Return the names in the signature that opens a C++ function's docstring."""
    signature = ast.parse(f"def {function.__doc__.splitlines()[0]}: ...").body[0]
    return [argument.arg for argument in signature.args.args]


def test_the_stub_and_ops_are_as_they_are_written():
    for path, text in runpy.run_path(str(TOOL))["texts"]().items():
        assert path.read_text() == text, "run stages/02_cpu_ops/tools/write_stub.py"


def test_every_function_stands_in_the_stub_with_its_parameters():
    module = {name: f for name, f in vars(_cpu).items() if inspect.isbuiltin(f)}
    assert set(module) == set(FUNCTIONS), "run stages/02_cpu_ops/tools/write_stub.py"
    for name, function in module.items():
        stub = [argument.arg for argument in FUNCTIONS[name].args.args]
        assert parameters(function) == stub, name


def test_every_attribute_of_an_array_stands_in_the_stub():
    node = next(n for n in STUB.body if isinstance(n, ast.ClassDef) and n.name == "Array")
    stub = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
    assert {n for n in vars(_cpu.Array) if not n.startswith("_")} - {"ops"} == {
        n for n in stub if not n.startswith("_")
    }
