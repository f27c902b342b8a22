"""docs/adding.md is true: its excerpts stand in their files, its paths and commands exist.

And whoever follows it line by line adds an operation: that is built and run in a copy, in minutes.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import guide
import pytest

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
PROGRAMS = (".venv/bin/python",)  # of the environment, which may be elsewhere


def section(name: str) -> str:
    """Return the text below a heading of the guide."""
    return TEXT.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def lost(text: str) -> list[str]:
    """Name the paths and goals in a text that are not there."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    goals = {
        goal for line in re.findall(r"^([\w -]+):(?!=)", makefile, re.M) for goal in line.split()
    }
    paths = [path for path in guide.paths(text) if path not in PROGRAMS]
    named = [path for path in paths if not (ROOT / path).exists()]
    return sorted(named) + sorted(guide.goals(text) - goals)


@pytest.mark.parametrize("one", guide.excerpts(TEXT), ids=lambda one: one.path)
def test_an_excerpt_stands_in_its_file(one: guide.Excerpt) -> None:
    one.applied_to((ROOT / one.path).read_text(encoding="utf-8"))


def test_paths_and_goals_exist() -> None:
    assert guide.paths(TEXT) and guide.goals(TEXT)
    assert lost(TEXT) == []


def test_an_operation_is_eight_files_by_hand() -> None:
    assert len({one.path for one in guide.excerpts(section("An operation")) if one.is_change}) <= 8


def test_what_is_not_there_is_found() -> None:
    text = "`tools/planted.py` `tools/names.py`\n```sh\nmake setup planted\n```\n"
    assert lost(text) == ["tools/planted.py", "planted"]
    (one,) = guide.excerpts("```diff\n--- Makefile\n planted line\n```\n")
    with pytest.raises(AssertionError, match="0 times in Makefile"):
        one.applied_to((ROOT / "Makefile").read_text(encoding="utf-8"))


def copy_of_the_tree(folder: Path) -> Path:
    """Copy the files that git tracks, and the new ones that it would."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def build(tree: Path) -> None:
    """Compile stage 2 of a copy for this machine, and put the module beside its Python files."""
    program = (
        "import sys; from pathlib import Path; import native, pybind11;"
        "native.build(Path(sys.argv[1]), ['_cpu'], NORCH_ISAS='native',"
        " Python_EXECUTABLE=sys.executable, pybind11_DIR=pybind11.get_cmake_dir())"
    )
    command = [sys.executable, "-c", program, str(tree / "build" / "cpu")]
    subprocess.run(command, cwd=tree / "tools", check=True)
    module = f"_cpu{sysconfig.get_config_var('EXT_SUFFIX')}"
    shutil.copy2(tree / "build" / "cpu" / module, tree / "stages/02_cpu_ops/src/norch_cpu_ops")


def run(command: str, tree: Path) -> None:
    """Run a command of the guide in a copy; -S keeps out the hooks of editable installs."""
    sources = [*tree.glob("stages/*/src"), *tree.glob("extras/*/src"), tree / "norch" / "src"]
    paths = [*sources, sysconfig.get_path("purelib")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "NORCH_CORE": "0"}
    words = [sys.executable, "-S", "-P", *shlex.split(command)[1:]]
    result = subprocess.run(
        words, cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, f"{command}\n{result.stdout[-3000:]}{result.stderr[-3000:]}"


@pytest.mark.slow
def test_whoever_follows_the_guide_adds_an_operation(tmp_path: Path) -> None:
    tree, text = copy_of_the_tree(tmp_path / "norch"), section("An operation")
    guide.apply(text, tree)
    build(tree)
    for command in guide.commands(text):
        if command != "make setup":  # `build` does what it would
            run(command, tree)
    run(".venv/bin/python -c 'import norch; assert norch.ones(1).cbrt().item() == 1'", tree)
