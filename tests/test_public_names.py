"""No public name is lost: everything that tests/public_names.txt lists can still be reached.

New names are not asked for; write those that are to stay into the list with

    python tests/test_public_names.py norch.nn.functional new_name another_name
"""

import ast
import functools
import importlib
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

LIST = Path(__file__).parent / "public_names.txt"
HOW = "if a name was given up on purpose, take it out of tests/public_names.txt and say so there"


def listed() -> dict[str, list[str]]:
    """Return the names of every module or class of the list."""
    found: dict[str, list[str]] = {}
    for line in LIST.read_text().splitlines():
        if line.endswith(":"):
            found[line[:-1]] = names = []
        elif line.startswith(" "):
            names += line.split()
    return found


def owner(path: str) -> Any:
    """Return the module or class that is reached by a path with dots."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        first, *others = path.split(".")
        return functools.reduce(getattr, others, importlib.import_module(first))


def lost(path: str, names: list[str]) -> list[str]:
    return [f"{path}.{name}" for name in names if not hasattr(owner(path), name)]


@pytest.mark.parametrize("path", listed())
def test_no_public_name_is_lost(path: str) -> None:
    missing = lost(path, listed()[path])
    assert not missing, f"lost: {' '.join(missing)}; {HOW}"


def test_the_list_is_the_whole_library() -> None:
    tree = ast.parse(Path(owner("norch").__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {alias.asname for node in imports for alias in node.names if alias.asname}
    assert names - {"__version__"} == set(listed()["norch"])
    assert {"norch", "norch.Tensor", "norch.nn.Module", "norch_autograd.ops"} <= set(listed())


def test_a_lost_name_is_found() -> None:
    assert lost("norch.Tensor", ["add", "planted"]) == ["norch.Tensor.planted"]


def write(path: str, new: list[str]) -> None:
    """Add names to the list."""
    found = listed()
    found[path] = sorted({*found.get(path, []), *new})
    text = LIST.read_text().partition("\n\n")[0] + "\n"
    for key, names in found.items():
        wrapped = textwrap.wrap(
            " ".join(names),
            width=100,
            initial_indent="    ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        text += "\n".join(["", f"{key}:", *wrapped, ""])
    LIST.write_text(text)


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2:])
