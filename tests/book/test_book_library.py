"""The pages of the library leave no public name out that norch re-exports with a docstring.

Each name stands there once, can be found by typing a part of it, and opens when it is linked to.
"""

import ast
import re

import norch_sources
import pytest
from prose import BOOK, listed

NORCH = BOOK.parent / "norch" / "src"
# Told elsewhere: stage 1 by chapter 1, the launcher by chapter 6. Answers for PyTorch's scripts, of
# which there is nothing to tell: the switches of backends. And two modules that norch itself needs.
ELSEWHERE = ("norch.strides", "norch.distributed.run", "norch.backends", "norch.cpu")
ELSEWHERE += ("norch.left_out", "norch.torch_alias")


@pytest.fixture(autouse=True, scope="module")
def no_trees_are_left():
    """Forget the syntax of all our files: every later `gc.collect()` would walk through it."""
    yield
    norch_sources.tree_of.cache_clear()
    norch_sources.member.cache_clear()


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
    assert left_out(listed(), modules()) == []


def test_a_name_that_is_left_out_is_found():
    missing = left_out(["norch.optim"], ["norch.optim", "norch.nn.init"])
    assert "norch.nn.init.kaiming_uniform_" in missing
    assert "norch.optim.SGD" not in missing


def test_every_name_and_every_module_is_described():
    silent = [
        f"{module}.{name}"
        for module in listed()
        for name, one in norch_sources.public(module).items()
        if not (ast.get_docstring(one.definition) or "").partition(">>> ")[0].strip()
    ]
    assert silent == []
    for module in listed():
        assert ast.get_docstring(norch_sources.tree_of(norch_sources.file_of(module))), module


def test_a_member_of_a_family_is_described_in_its_own_words():
    found = norch_sources.public("norch.nn.functional")["max_pool1d"]
    assert "(N, C, L)" in ast.get_docstring(found.definition)
    assert found.definition.args.args[0].arg == "input"


HTML = BOOK / "_build" / "html"
needs_book = pytest.mark.skipif(not HTML.exists(), reason="the book is not built: make book")


def test_the_parts_of_a_module_are_the_module():
    texts = "".join(path.read_text("utf-8") for path in BOOK.glob("library/*.md"))
    parts = [one.split() for one in re.findall(r"```\{library\} norch (.+)", texts)]
    found = [name for folders in parts for name in norch_sources.select("norch", folders)]
    assert len(parts) > 3 and sorted(found) == sorted(norch_sources.public("norch"))


def shown(page):
    """List the names that are to be seen, each with its module in front."""
    return page.run(
        """[...document.querySelectorAll(".library-names .module:not([hidden])")].flatMap((one) =>
          [...one.querySelectorAll("a:not([hidden])")].map((a) =>
            `${one.querySelector("h2").textContent}.${a.textContent}`))"""
    )


@needs_book
def test_a_part_of_a_name_finds_it(page):
    page.show(HTML / "library.html")
    every = shown(page)
    assert len(every) == len(set(every)) > 1000
    page.run("document.querySelector('.library-names input').focus()")
    page.call("Input.insertText", text="nn.Lin")
    assert shown(page) == ["norch.nn.Linear"]
    assert (
        page.run("document.querySelector('.library-names [role=status]').textContent") == "1 name"
    )
    page.run("document.activeElement.select()")
    page.call("Input.insertText", text="xyzzy")
    assert shown(page) == []


@needs_book
def test_a_name_that_is_linked_to_opens(page):
    page.show(HTML / "library.html")
    link = page.run(
        """[...document.querySelectorAll(".module a")]
          .find((one) => one.textContent === "logsumexp").href"""
    )
    file, _, name = link.partition("#")
    page.show(HTML / "library" / file.rpartition("/")[2])
    opened = "[...document.querySelectorAll('details.name[open]')].map((one) => one.id)"
    assert page.run(opened) == []
    page.run(f"location.hash = '{name}'")
    page.settle()
    assert page.run(opened) == [name] == ["norch.logsumexp"]


@needs_book
def test_no_page_of_the_library_is_endless(page):
    for path in sorted([HTML / "library.html", *HTML.glob("library/*.html")]):
        page.show(path)
        assert page.run("document.documentElement.scrollHeight") < 40_000, path.name
