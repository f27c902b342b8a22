"""No public name is lost: everything that two lists say can still be reached.

norch/names.txt has the names of norch's modules, and they are exactly what the modules have: its
words are the only way in and out. tests/public_names.txt has those of classes and stages. There new
names are not asked for; tools/names.py enters those that are to stay.
"""

import functools
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

LIST = Path(__file__).parent / "public_names.txt"
NORCH = Path(__file__).parents[1] / "norch"
HOW = "if a name was given up on purpose, take it out of its list and say so in the commit"


def listed(path: Path) -> dict[str, list[str]]:
    """Return the names of every module or class of a list."""
    found: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith((" ", "#")):
            found[line.partition(":")[0]] = names = []
        elif line.startswith(" ") and line.split()[0] not in ("#", "from", "-"):
            names += [word.partition("=")[0] for word in line.split()]
    return found


MODULES = listed(NORCH / "names.txt")
OTHERS = listed(LIST)
BY_HAND = [
    line.partition(":")[0]
    for line in (NORCH / "names.txt").read_text().splitlines()
    if line.endswith(": (by hand)")
]


def owner(path: str) -> Any:
    """Return the module or class that is reached by a path with dots."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        first, *others = path.split(".")
        return functools.reduce(getattr, others, importlib.import_module(first))


def lost(path: str, names: list[str]) -> list[str]:
    return [f"{path}.{name}" for name in names if not hasattr(owner(path), name)]


def unlisted(path: str, names: list[str]) -> list[str]:
    """Return what a module has beside its names: not what every module has, nor its own modules."""
    module = importlib.import_module(path)
    return sorted(
        name
        for name, value in vars(module).items()
        if name not in names
        and not (name.startswith("__") and name.endswith("__"))
        and value is not sys.modules.get(f"{path}.{name}")
    )


@pytest.mark.parametrize("path", MODULES | OTHERS)
def test_no_public_name_is_lost(path: str) -> None:
    missing = lost(path, (MODULES | OTHERS)[path])
    assert not missing, f"lost: {' '.join(missing)}; {HOW}"


@pytest.mark.parametrize("path", [path for path in MODULES if path not in BY_HAND])
def test_norch_has_the_names_of_its_list_and_no_other(path: str) -> None:
    assert unlisted(path, MODULES[path]) == []


def test_the_lists_are_the_whole_library() -> None:
    files = [path.relative_to(NORCH / "src") for path in (NORCH / "src/norch").rglob("*.py")]
    names = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files]
    assert sorted(names) == sorted(MODULES)
    assert {"norch.Tensor", "norch.nn.Module", "norch_autograd.ops"} <= set(OTHERS)
    assert not set(MODULES) & set(OTHERS)


def test_a_lost_name_is_found() -> None:
    assert lost("norch.Tensor", ["add", "planted"]) == ["norch.Tensor.planted"]


def test_a_name_without_its_word_is_found() -> None:
    names = [name for name in MODULES["norch"] if name != "einsum"]
    assert unlisted("norch", names) == ["einsum"]


def misnamed(functions: list[tuple[str, Any]]) -> list[str]:
    """Return the functions whose own name is none by which they, or those they alias, are found."""
    return [
        name
        for name, function in functions
        if function.__name__ != name
        and getattr(sys.modules[function.__module__], function.__name__, None) is not function
    ]


def test_a_function_says_the_name_by_which_it_is_found() -> None:
    named = [(name, getattr(owner(path), name)) for path in MODULES for name in MODULES[path]]
    functions = [
        (name, value)
        for name, value in named
        if not name.startswith("_") and callable(value) and not isinstance(value, type)
        if hasattr(value, "__name__")
    ]
    assert misnamed(functions) == []
    assert misnamed([("planted", lambda: None), ("absolute", abs)]) == ["planted"]
