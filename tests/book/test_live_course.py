"""What a page runs, run here: the judge in one interpreter, NumPy's stand-in, the fetching.

No browser and no Pyodide is needed: the archive that a page unpacks is unpacked into a folder.
"""

import ast
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import fetch_pyodide
import packing
import pytest
from editor_text import editor_text

from norch_course import grading, running
from norch_course.catalog import load
from norch_course.holes import find_hole
from norch_course.workbook import stub_text

ROOT = Path(__file__).resolve().parents[2]
IN_PAGES = ROOT / "book" / "live" / "python"
STAND_IN = IN_PAGES / "stand_in"
PACKS = ("course", "tensors", "library")
sys.path.append(str(IN_PAGES))

import live_answers  # noqa: E402

CHECK = """
import json, pathlib, sys
folder, path, id, body = sys.argv[1:]
exec(pathlib.Path(path).read_text().replace("/norch", folder))
import live_check
live_check.ROOT = pathlib.Path(folder)
told = {"note": "", "printed": "", "judging": ""}
def tell(kind, text):
    told[kind] += text
first = live_check.check(id, body, live_check.here(tell))
again = live_check.check(id, body, live_check.was(told["note"], told["printed"], "crashed"))
late = live_check.check(id, body, live_check.was("", "", ""))
print(json.dumps([json.loads(one) for one in (first, again, late)]))
"""

EVERY = """
import json, pathlib, sys
folder, path, stage = sys.argv[1:]
sys.modules["numpy"] = None
exec(pathlib.Path(path).read_text().replace("/norch", folder))
import live_check
from norch_course.holes import find_hole
live_check.ROOT = pathlib.Path(folder)
def grade(one):
    body = find_hole(one.reference, one.suffix, one.id).body
    return live_check.check(one.id, body, live_check.here(lambda kind, text: None))
answers = live_check.course().select(stage)
print(json.dumps({one.id: json.loads(grade(one))["status"] for one in answers}))
"""


@pytest.fixture(scope="module")
def course():
    """Return the exercises."""
    return load(ROOT)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """Return a folder with what a page has at /norch."""
    folder = tmp_path_factory.mktemp("norch")
    for pack in PACKS:
        with tarfile.open(fileobj=io.BytesIO(packing.archive(packing.sources(pack)))) as archive:
            archive.extractall(folder, filter="data")
    return folder


def run(program, folder, *words):
    """Run a program in one interpreter that finds what a page finds; return what it printed."""
    path = ROOT / "book" / "live" / "python" / "live_path.py"
    command = [sys.executable, "-I", "-c", program, str(folder), str(path), *words]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


@pytest.fixture
def here(monkeypatch):
    """Let the functions of a page work on this repository."""
    monkeypatch.setattr(live_answers, "ROOT", ROOT)


def checked(folder, id, body):
    """Check an answer in one interpreter; what it told, read again; and told nothing."""
    return run(CHECK, folder, id, body)


def test_a_judge_in_the_same_interpreter_says_the_same(unpacked, course):
    one = course.find("1.6")
    right = find_hole(one.reference, one.suffix, one.id).body
    first, again, late = checked(unpacked, "1.6", right)
    cases = grading.grade_body(one, right, None).cases
    assert first == {"status": "ok", "cases": cases, "line": None, "lines": []}
    assert again["lines"] == ["you       crashed"] and again["status"] == "wrong"
    assert late["lines"] == [f"you       {running.too_late(running.TIME_LIMIT)}"]
    wrong, again, _ = checked(unpacked, "1.6", "    print('so')\n    return strids\n")
    assert wrong == again and wrong["line"] == 2
    assert wrong["lines"][1:4] == [
        "you       raises NameError: name 'strids' is not defined",
        "expected  (0,)",
        "printed   so",
    ]


@pytest.mark.parametrize("stage", ["4", "5"])
def test_one_interpreter_without_numpy_accepts_every_right_answer(stage, unpacked, course):
    statuses = run(EVERY, unpacked, stage)
    assert statuses == {one.id: "ok" for one in course.select(stage)}


def test_an_editor_shows_the_function_around_a_hole(course):
    shown = {}
    for one in [exercise for stage in "145" for exercise in course.select(stage)]:
        found = editor_text(one)
        code = f"{found['before']}\n{found['hole']}{found['after']}"
        (scope,) = ast.parse(code).body
        shown[one.id] = ast.unparse(scope)
        assert found["hole"].strip() and all(len(line) <= 100 for line in code.splitlines())
    assert len(shown) == 47
    assert shown["1.3"].startswith("@lru_cache") and shown["4.1"].startswith("class Mul(Node)")
    assert "def _repeat(self)" in shown["4.13"] and "def keep(tensor" in shown["4.13"]
    assert "@staticmethod" in shown["5.14"] and shown["5.7"].endswith("return total")


def test_a_page_has_no_answer_of_the_one_who_built_the_book():
    names = [name for pack in packing.PACKS for name in packing.sources(pack)]
    assert not [name for name in names if name.startswith("workbook/")]
    found = [name for name in names if "/exercises/" in name and "/exercises/wrong/" not in name]
    stages = ("01_strides", "02_cpu_ops", "04_autograd", "05_nn")
    assert found == [f"stages/{stage}/exercises/exercises.toml" for stage in stages]


def test_the_stand_in_expects_what_numpy_expects(course):
    exercises = course.select("1")

    def with_stand_in(task, notes, printed):
        paths = os.pathsep.join([str(STAND_IN), task.env["PYTHONPATH"]])
        env = {**task.env, "PYTHONPATH": paths}
        return running.in_a_process(task._replace(env=env), notes, printed)

    numpys = running.run(exercises[0].reference, exercises[0], exercises)
    was = running.judging.set(with_stand_in)
    ours = running.run(exercises[0].reference, exercises[0], exercises)
    running.judging.reset(was)
    assert len(numpys.records) > 300 and numpys.problem == ""
    assert ours == numpys


def test_every_exercise_of_every_language_comes_back(here, course):
    bodies = {
        id: find_hole(one.reference, one.suffix, id).body for id, one in course.exercises.items()
    }
    archive = live_answers.folder(bodies)
    found = json.loads(live_answers.answers({"workbook.zip": archive}))
    assert found == {"bodies": bodies, "said": []}
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert {one.external_attr >> 16 for one in opened.infolist()} == {0o644}


def test_a_folder_holds_only_what_was_written_in(here, course):
    stubs = {
        id: find_hole(stub_text(one), one.suffix, id).body for id, one in course.exercises.items()
    }
    with zipfile.ZipFile(io.BytesIO(live_answers.folder(stubs))) as archive:
        assert archive.namelist() == []


def test_of_a_whole_clone_the_workbook_counts_and_not_the_library(here, course):
    one = course.find("1.1")
    source = one.source.relative_to(ROOT).as_posix()
    mine = stub_text(one).replace("raise NotImplementedError", "return ", 1).encode()
    files = {
        f"clone/{source}": one.reference.encode(),
        "clone/stages/01_strides/layout.py": one.reference.encode(),
        "clone\\workbook\\01_strides\\layout.py": one.reference.encode(),
        "clone/workbook/01_strides/layout.py": mine,
    }
    bodies = json.loads(live_answers.answers(files))["bodies"]
    assert list(bodies) == ["1.1"] and bodies["1.1"].strip().startswith("return (")
    without = {name: data for name, data in files.items() if "workbook" not in name}
    assert json.loads(live_answers.answers(without))["bodies"] == {}


@pytest.mark.parametrize(
    ("command", "patience", "words"),
    [
        (["sleep", "600"], 0.2, "no answer within 0.2 seconds"),
        (["sh", "-c", "echo no network >&2; echo see the log >&2; exit 3"], 60, "no network"),
        (["false"], 60, "exit code 1"),
    ],
)
def test_a_registry_that_does_not_answer_costs_little_and_is_named(
    command, patience, words, tmp_path, monkeypatch
):
    monkeypatch.setattr(fetch_pyodide, "PATIENCE", patience)

    def source(folder):
        fetch_pyodide.run(command, folder)
        return folder

    said = fetch_pyodide.fetch(tmp_path / "pyodide", {fetch_pyodide.NPM: source})
    assert said.endswith(f"(pyodide@0.29.4: {words})")
    assert not (tmp_path / "pyodide").exists()


def test_only_files_that_were_tried_are_taken(tmp_path, monkeypatch):
    text = b"right"
    hashes = {"a.js": hashlib.sha256(text).hexdigest()}
    monkeypatch.setattr(fetch_pyodide, "HASHES", {"first": hashes, "second": hashes})

    def holding(data):
        def source(folder):
            (folder / "a.js").write_bytes(data)
            return folder

        return source

    target = tmp_path / "pyodide"
    said = fetch_pyodide.fetch(target, {"first": holding(b"other"), "second": holding(text)})
    assert said == "[book] Python for the pages: second"
    assert (target / "a.js").read_bytes() == text
    said = fetch_pyodide.fetch(tmp_path / "none", {"first": holding(b"other")})
    assert "first: a.js is not the file that was tried" in said
