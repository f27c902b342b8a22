"""The page of the library leaves no public name out that norch re-exports with a docstring."""

import re

import norch_sources
from prose import BOOK

NORCH = BOOK.parent / "norch" / "src"
# Told elsewhere: stage 1 by chapter 1, the launcher by chapter 6. Answers for PyTorch's scripts, of
# which there is nothing to tell: the switches of backends.
ELSEWHERE = ("norch.strides", "norch.distributed.run", "norch.backends", "norch.cpu")


def modules():
    """List the modules of norch by their dotted names."""
    paths = [path.relative_to(NORCH).with_suffix("") for path in (NORCH / "norch").rglob("*.py")]
    names = {".".join(path.parts).removesuffix(".__init__") for path in paths}
    for module, name in norch_sources.imports(NORCH / "norch" / "__init__.py").values():
        file = norch_sources.file_of(f"{module}.{name}")
        if file and not norch_sources.find(module, name):  # a module of a stage, such as linalg
            names.add(f"{module}.{name}")
    return sorted(name for name in names if not name.startswith(ELSEWHERE))


def left_out(listed, every):
    """Name what is public in `every` module and in none of the listed ones."""
    shown = {one for name in listed for one in norch_sources.public(name).values()}
    return [
        f"{module}.{name}"
        for module in every
        for name, one in norch_sources.public(module).items()
        if one not in shown
    ]


def test_no_public_name_is_left_out():
    listed = re.findall(r"```\{library\} (\S+)", (BOOK / "library.md").read_text("utf-8"))
    assert left_out(listed, modules()) == []


def test_a_name_that_is_left_out_is_found():
    missing = left_out(["norch.optim"], ["norch.optim", "norch.nn.init"])
    assert "norch.nn.init.kaiming_uniform_" in missing
    assert "norch.optim.SGD" not in missing
