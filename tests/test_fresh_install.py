"""The two commands of a new user, from a clean clone with no environment: `make test-fresh`.

Each test clones the last commit into an empty folder and calls make there, with uv, with plain pip,
and with each other Python that this machine has. Minutes each: stage 2 is compiled every time.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.slow


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "norch"
    subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)
    return folder


def make(folder: Path, *words: str, **variables: str) -> str:
    """Run make as a new user's shell would; return what it said."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    kept.pop("VIRTUAL_ENV", None)
    result = subprocess.run(
        ["make", *words],
        cwd=folder,
        env={**kept, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout[-4000:]
    return result.stdout


def test_two_commands_are_enough(clone: Path) -> None:
    assert "test accuracy:" in make(clone, "mnist", EPOCHS="1")
    assert " passed" in make(clone, "test").splitlines()[-1]


def test_a_second_run_installs_nothing(clone: Path) -> None:
    make(clone, "mnist", EPOCHS="1")
    assert "[setup]" not in make(clone, "mnist", EPOCHS="1")


def test_pip_does_what_uv_does(clone: Path) -> None:
    make(clone, "setup", "UV=0")
    assert not (clone / ".venv" / "bin" / "uv").exists()
    assert "test accuracy:" in make(clone, "mnist", "UV=0", EPOCHS="1")


@pytest.mark.parametrize("python", ["python3.11", "python3.12", "python3.13"])
def test_each_supported_python_sets_up(clone: Path, python: str) -> None:
    found = shutil.which(python)
    works = found and not subprocess.run([found, "-c", ""], capture_output=True).returncode
    if not works:
        pytest.skip(f"{python} is not on this machine")
    make(clone, "setup", f"PYTHON={found}")
    interpreter = clone / ".venv" / "bin" / "python"
    shown = subprocess.run([interpreter, "-V"], capture_output=True, text=True, check=True).stdout
    assert shown.split()[1].startswith(python.removeprefix("python"))
    assert " passed" in make(clone, "test-stage", "1")


def test_clean_keeps_the_runs_and_the_workbook(clone: Path) -> None:
    (clone / "runs").mkdir()
    (clone / "runs" / "mine.txt").write_text("keep")
    (clone / "workbook").mkdir(exist_ok=True)
    (clone / "workbook" / "mine.py").write_text("keep")
    (clone / "build").mkdir()
    make(clone, "clean")
    assert (clone / "runs" / "mine.txt").exists()
    assert (clone / "workbook" / "mine.py").exists()
    assert not (clone / "build").exists()


def test_wheels_install_and_train_without_a_compiler(clone: Path) -> None:
    tried = re.findall(r"\[wheels\] (.*) trained without a compiler", make(clone, "wheels"))
    assert tried
    built = [path.name for path in (clone / "dist").glob("*.whl")]
    assert len(built) == 7 + 2 * len(tried)  # two packages are compiled, for each Python
    listing = [clone / ".venv" / "bin" / "cibuildwheel", "--print-build-identifiers"]
    listing += ["--config-file", "pyproject.toml"]
    for system, machine in [("linux", "x86_64"), ("linux", "aarch64"), ("macos", "arm64")]:
        words = [*listing, "--platform", system, "--archs", machine, "stages/02_cpu_ops"]
        said = subprocess.run(words, cwd=clone, capture_output=True, text=True, check=True).stdout
        kind = f"manylinux_{machine}" if system == "linux" else f"macosx_{machine}"
        assert said.split() == [f"cp3{minor}-{kind}" for minor in range(11, 16)]


def test_kernels_of_all_machines_stay_once_they_are_compiled(clone: Path) -> None:
    def built() -> str:
        (cache,) = clone.glob("stages/02_cpu_ops/build/editable-*/CMakeCache.txt")
        return re.findall(r"^NORCH_ISAS:\w+=(\w+)$", cache.read_text(), re.MULTILINE)[0]

    make(clone, "mnist", EPOCHS="1")
    assert built() == "native"
    make(clone, "setup")
    assert built() == "all"
    (clone / "pyproject.toml").touch()
    assert " compiled " not in make(clone, "mnist", EPOCHS="1")
    assert built() == "all"
