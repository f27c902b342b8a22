"""What the tree promises: no binaries, no machine's paths, and only our own text: no lines of the
documents that norch grew from.

Each rule of tools/check_tree.py is held to a planted offender as well as to the tree itself. The
documents lie beside the checkout, in ../shared/seeds; where they do not, their test is skipped.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import seed_documents as seeds

ROOT = Path(__file__).resolve().parent.parent
# What runs only where the tests' packages are.
AFTER_SETUP = {"test_machines": {"norch_cpu_ops", "numpy"}}
AFTER_SETUP["record_pages"] = AFTER_SETUP["run_page"] = {"lessons", "nbclient", "nbformat"}
AFTER_SETUP["reported_pytest"] = {"pytest"}
AFTER_SETUP["gpu_assembler"] = AFTER_SETUP["gpu_static"] = {"norch_cuda", "test_gpu_compilers"}


@pytest.fixture
def tree(monkeypatch: pytest.MonkeyPatch):
    """Return the rules that `make lint` applies."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import check_tree

    return check_tree


def test_the_tree_keeps_its_rules(tree) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: which files are tracked is unknown")
    assert tree.complaints(tree.tracked()) == []


@pytest.mark.parametrize("path", [os.environ["PATH"], ""], ids=["git", "no git"])
@pytest.mark.parametrize("program", ["check_tree.py", "weigh.py"])
def test_a_tree_without_git_is_told_in_one_sentence(
    tmp_path: Path, program: str, path: str
) -> None:
    for name in ("check_tree.py", "weigh.py", "architecture.py"):
        (tmp_path / "tools").mkdir(exist_ok=True)
        shutil.copy(ROOT / "tools" / name, tmp_path / "tools" / name)
    command = [sys.executable, tmp_path / "tools" / program, "--check"]
    variables = {"PATH": path, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    result = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.startswith(f"[lint] {tmp_path} is no git checkout")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "line",
    [
        "open('/{}/main/x')".format("work"),
        "see /{}/.venv".format("root"),
        "cd /{}/ada/norch".format("home"),
        "https://files.{}/x.whl".format("python" + "hosted.org"),
    ],
)
def test_a_machines_path_is_found(tree, tmp_path: Path, line: str) -> None:
    (tmp_path / "page.md").write_text(f"fine\n{line}\n")
    (complaint,) = tree.complaints([tmp_path / "page.md"])
    assert "page.md:2: names" in complaint


@pytest.mark.parametrize("line", ["stages/work/x", "../root/x", "a / work / b", "./home/x/"])
def test_a_relative_path_is_no_machines_path(tree, tmp_path: Path, line: str) -> None:
    (tmp_path / "page.md").write_text(line)
    assert tree.complaints([tmp_path / "page.md"]) == []


def test_a_binary_is_found(tree, tmp_path: Path) -> None:
    (tmp_path / "_cpu.so").write_bytes(b"\x7fELF")
    assert len(tree.complaints([tmp_path / "_cpu.so"])) == 1


def notebook(folder: Path, execution_count: int | None) -> Path:
    cell = {"cell_type": "code", "source": ["1 + 1"], "execution_count": execution_count}
    path = folder / "chapter.ipynb"
    path.write_text(json.dumps({"cells": [cell]}))
    return path


def test_a_cell_that_was_never_run_is_found(tree, tmp_path: Path) -> None:
    (complaint,) = tree.complaints([notebook(tmp_path, None)])
    assert "code cell 0 was never executed" in complaint


def test_a_cell_that_was_run_is_fine(tree, tmp_path: Path) -> None:
    assert tree.complaints([notebook(tmp_path, 1)]) == []


def test_long_files_are_remarked_in_one_line_and_not_refused(tree, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("long.py", "longer.cu", "short.h", "long.md")]
    for path, lines in zip(paths, (401, 500, 400, 900), strict=True):
        path.write_text("x = 1\n" * lines)
    most = "longer.cu with 500 the longest"
    assert tree.remark(paths) == f"note: 2 source files are longer than 400 lines, {most}"
    assert tree.complaints(paths) == []
    assert tree.remark(paths[2:]) == ""


def test_tools_need_no_package() -> None:
    """The programs that run before setup import the standard library and each other alone."""
    programs = sorted((ROOT / "tools").glob("*.py"))
    allowed = set(sys.stdlib_module_names) | {path.stem for path in programs}
    for path in programs:
        body = ast.parse(path.read_text(encoding="utf-8")).body
        named = [
            alias.name for node in body if isinstance(node, ast.Import) for alias in node.names
        ]
        named += [node.module for node in body if isinstance(node, ast.ImportFrom)]
        found = {name.split(".")[0] for name in named} - allowed
        assert found == AFTER_SETUP.get(path.stem, set()), path.name


needs_documents = pytest.mark.skipif(
    not seeds.DOCUMENTS.is_dir(), reason="../shared/seeds, the documents, is not here"
)


def squeezed(text):
    """The lines of a text without what may differ in a copy: names of libraries, spaces, quotes."""
    for line in text.splitlines():
        line = re.sub(rf"\b({seeds.LIBRARIES}|ct|tt)\b", "norch", line.strip().lstrip("+-# "))
        line = re.sub(r"\s+", "", line).replace('"', "'")
        if line and not line.startswith(("import", "from")):
            yield line


def their_lines():
    """All lines of the documents, but for imports; the article's with its own words, too."""
    texts = [path.read_text(encoding="utf-8") for path in seeds.DOCUMENTS.glob("*.md")]
    return {line for text in [*texts, "\n".join(seeds.article())] for line in squeezed(text)}


def copied(text, theirs):
    """What stands in both: a long line, or three in a row that are not all short."""
    lines = list(squeezed(text))
    long = [line for line in lines if len(line) > 60 and line in theirs]
    threes = zip(lines, lines[1:], lines[2:], strict=False)
    return long + [t for t in threes if theirs.issuperset(t) and len("".join(t)) > 75]


@needs_documents
def test_nothing_of_their_text_is_stored():
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    if not names:
        pytest.skip("not a git checkout: which files are tracked is unknown")
    theirs, found = their_lines(), {}
    for name in names:
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):  # a picture; a file just removed
            continue
        found[name] = copied(text, theirs)
    assert {name: lines for name, lines in found.items() if lines} == {}


@needs_documents
def test_a_copied_line_is_noticed():
    theirs = their_lines()
    expression, network = seeds.blocks("pytortto")[1], seeds.blocks("mytorch")[4]
    line = next(line for line in expression.splitlines() if "output" in line)
    assert copied(f"a = 1\n+     {line}\n", theirs)
    assert copied(network.replace("self", " self "), theirs)
    assert not copied("optimizer.zero_grad()\nloss.backward()\noptimizer.step()\n", theirs)
