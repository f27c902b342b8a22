"""The pages of the library leave no public name out that norch re-exports with a docstring.

Each name stands there once, can be found by typing a part of it, and opens when it is linked to.
"""

import ast
import doctest
import random
import re
import tempfile

import norch_examples
import norch_explained
import norch_mentions
import norch_pytorch
import norch_sources
import numpy as np
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
    norch_sources.reference.cache_clear()


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


def test_another_name_of_a_function_is_a_name():
    found = norch_sources.public("norch")
    assert found["arccos"] == found["acos"] and found["clip"] == found["clamp"]


def test_a_member_of_a_family_is_described_in_its_own_words():
    found = norch_sources.public("norch.nn.functional")["max_pool1d"]
    assert "(N, C, L)" in ast.get_docstring(found.definition)
    assert found.definition.args.args[0].arg == "input"


# ---- Under each entry --------------------------------------------------------------------------

LIBRARY = sorted(path.stem for path in BOOK.glob("library/*.md"))
# Entries without an example: most want a GPU, a second process or a network. May become fewer.
WITHOUT_EXAMPLE = 92


@pytest.fixture
def undone(tmp_path, monkeypatch):
    """Let examples write in a folder of their own; undo what they set for the whole process."""
    import norch
    from norch import distributed

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    state, is_strict = norch.get_rng_state(), norch.are_deterministic_algorithms_enabled()
    drawn, arrays = random.getstate(), np.random.get_state()
    yield
    if distributed.is_initialized():
        distributed.destroy_process_group()
    random.setstate(drawn)
    np.random.set_state(arrays)
    norch.set_rng_state(state)
    norch.use_deterministic_algorithms(is_strict)


@pytest.mark.parametrize("page", LIBRARY)
@pytest.mark.usefixtures("undone")
def test_the_examples_of_families_run(page):
    import norch

    for one in norch_examples.examples(f"library/{page}"):
        found = doctest.DocTestParser().get_doctest(one.code, {"norch": norch}, one.title, page, 0)
        assert found.examples
        report = []
        doctest.DocTestRunner(verbose=False).run(found, out=report.append)
        assert report == [], "".join(report)


def test_a_name_has_an_example_of_its_own_or_of_its_family():
    entries = norch_sources.reference()
    without = [
        entry.whole
        for entry in entries
        if ">>> " not in (ast.get_docstring(entry.found.definition) or "")
        and not any(one.shows(entry) for one in norch_examples.examples(entry.page))
    ]
    assert len(without) <= WITHOUT_EXAMPLE, without


def test_the_names_of_an_example_stand_on_its_page():
    for page in LIBRARY:
        entries = [one for one in norch_sources.reference() if one.page == f"library/{page}"]
        for example in norch_examples.examples(f"library/{page}"):
            assert any(example.shows(entry) for entry in entries), example.title
            known = {entry.name for entry in entries}
            assert set(example.also.split()) <= known, example.title


EXPLAINED = {
    "norch.autograd.grad": ("chapters/04_autograd", "Twice"),
    "norch.nn.Linear": ("chapters/05_nn", "A layer"),
    "norch.nn.LayerNorm": ("chapters/07_attention", "A GPT"),
    "norch.distributed.gather": (
        "chapters/06_fsdp",
        "Cut gradients and parameters: ZeRO-2 and 3",
    ),
    "norch.distributed.simulate.critical_batch": ("planning", "How large may the batch be?"),
    "norch.permute": ("chapters/01_strides", "Turn it: permute"),
    "norch.nn.functional.softmax": ("chapters/03_cuda", "Softmax: two folds in one kernel"),
}


def test_a_name_is_explained_in_a_section_that_mentions_it():
    listed, used = norch_mentions.places(), set()
    for entry in norch_sources.reference():
        place = norch_mentions.place_of(entry.whole)
        found = norch_explained.explaining(entry.whole, entry.found)  # raises where nothing does
        assert (place is None) == (found is None)
        if found:
            used |= {name for name in listed if f".{entry.whole}".endswith(f".{name}")}
            assert place[1] or found[1] not in norch_explained.BEATS, entry.whole
            assert found == EXPLAINED.get(entry.whole, found)
    assert used == {*listed}


def test_a_page_that_only_asks_for_a_name_does_not_explain_it(monkeypatch):
    (found,) = [one.found for one in norch_sources.reference() if one.whole == "norch.nn.MSELoss"]
    monkeypatch.setitem(norch_mentions.places(), "nn.MSELoss", ("chapters/05_nn", ""))
    with pytest.raises(LookupError, match="chapters/05_nn does not explain"):
        norch_explained.explaining("norch.nn.MSELoss", found)


def test_a_part_of_another_word_is_no_mention():
    assert norch_mentions.mentions("reduce").search("all-reduce, reduce_scatter") is None
    assert norch_mentions.mentions("CrossEntropyLoss").search("A cross entropy is")


def test_the_exercises_of_a_name_are_those_in_its_lines():
    found = norch_sources.public("norch.nn.utils")["clip_grad_norm_"]
    assert norch_mentions.exercises(found) == ["5.7"]


FORM = re.compile(
    r"https://docs\.pytorch\.org/(docs/2\.13|vision/0\.28)/"
    r"((models/)?generated/torch(vision)?(\.\w+)+\.html|[a-z_/.]+\.html#[\w.-]+)"
)


def test_an_address_of_pytorch_has_the_form_of_its_pages():
    entries = norch_sources.reference()
    pages = {one.whole: norch_pytorch.page(one.module, one.name) for one in entries}
    assert [one for one in pages.values() if one and not FORM.fullmatch(one)] == []
    docs = "https://docs.pytorch.org/docs/2.13/generated"
    assert pages["norch.nn.Conv2d"] == f"{docs}/torch.nn.Conv2d.html"
    assert pages["norch.relu"] == f"{docs}/torch.nn.functional.relu.html"
    assert pages["norch.nn.utils.KVCache"] is None
    assert sum(map(bool, pages.values())) > 1000


def test_what_the_list_of_pytorchs_pages_names_is_a_name_of_norch():
    known = {(one.module, one.name) for one in norch_sources.reference()}
    given = [tuple(one.rpartition(".")[::2]) for one in norch_pytorch.PAGES["elsewhere"]]
    given += [(module, name) for module, names in norch_pytorch.SILENT.items() for name in names]
    given += [("norch", name) for name in norch_pytorch.FUNCTIONAL]
    assert [one for one in given if one not in known] == []


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


@needs_book
def test_an_entry_links_to_its_chapter_exercise_source_and_page_of_pytorch(page):
    page.show(HTML / "library" / "functional.html")
    links = page.run(
        """[...document.getElementById("norch.nn.functional.logsigmoid")
          .querySelectorAll(".entry-links a")].map((one) => one.getAttribute("href"))"""
    )
    assert [one.partition("#")[0] for one in links] == [
        "../chapters/05_nn.html",
        "../chapters/05_nn.html",
        "../source/stages/05_nn/src/norch_nn/functional/activation.py.html",
        "https://docs.pytorch.org/docs/2.13/generated/torch.nn.functional.logsigmoid.html",
    ]
    assert links[0].endswith("#a-loss-that-survives") and links[1].endswith("#exercise-5-5")


@needs_book
def test_every_link_of_an_entry_leads_to_its_place():
    ids, count = {}, 0
    for path in sorted(HTML.glob("library/*.html")):
        for link in re.findall(r'<li>[A-Z][\w ]+ <a href="([^"]+)"', path.read_text("utf-8")):
            file, _, anchor = link.partition("#")
            if not link.startswith("https:"):
                target = (path.parent / file).resolve() if file else path
                if target not in ids:
                    ids[target] = set(re.findall(r'id="([^"]+)"', target.read_text("utf-8")))
                assert anchor in ids[target], link
                count += 1
    assert count > 1000  # each entry has its source


@needs_book
def test_distributed_data_parallel_is_on_the_page_distributed():
    text = (HTML / "library" / "distributed.html").read_text("utf-8")
    assert 'id="norch.nn.parallel.DistributedDataParallel"' in text
