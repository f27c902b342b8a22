"""Which Python sets norch up, and what is said where none does: find_python.sh, get_python.sh.

Interpreters and package managers are small programs of the tests, alone on the path beside the few
commands that the scripts call.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pythons import IN_WORDS, NEWEST, OLDEST

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ("sh", "sed", "grep", "seq", "cat", "tail", "dirname")
NEXT = NEWEST + 1  # what comes after the newest
BY_UV = f"uv python install 3.{NEWEST - 1}"
UNFIT = f"is 3.{{}}, not {IN_WORDS}"


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def python(path: Path, reason: str = "", course: bool = True) -> Path:
    """A Python that serves, or does not for a reason, and then may run the course."""
    any_python = f'[ "$2" = --any ] && {f"echo {path} && exit" if course else "exit 1"}\n'
    served = f"echo '{reason}' >&2; exit 1" if reason else f"echo {path}"
    return program(path, f'[ "$1" = -c ] && exit 0\n{any_python if reason else ""}{served}')


@pytest.fixture
def machine(tmp_path: Path):
    """A machine with nothing but those commands; `find` runs find_python.sh there."""

    class Machine:
        path = tmp_path / "bin"
        home = tmp_path / "home"

        def find(self, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
            return self.run("find_python.sh", *words, **variables)

        def run(
            self, script: str, *words: object, **variables: str
        ) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                ["/bin/sh", ROOT / "tools" / script, *map(str, words)],
                env={"PATH": str(self.path), "HOME": str(self.home), **variables},
                capture_output=True,
                text=True,
                check=False,
            )

    Machine.path.mkdir()
    for name in COMMANDS:
        (Machine.path / name).symlink_to(shutil.which(name))
    return Machine()


@pytest.mark.parametrize("words", [(), ("--compile",)])
def test_the_interpreter_that_is_named_is_taken(machine, words) -> None:
    result = machine.find(*words, PYTHON=sys.executable)
    assert (result.stdout.strip(), result.stderr) == (sys.executable, "")


@pytest.mark.parametrize(
    "variables",
    [{"PYTHONHOME": "/nowhere"}, {"PYTHONVERBOSE": "1"}, {"PYTHONPATH": "planted"}],
    ids=str,
)
def test_an_interpreter_is_asked_without_its_callers_settings(
    machine, tmp_path: Path, variables: dict[str, str]
) -> None:
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / "sysconfig.py").write_text("raise SystemExit('planted')\n")
    given = {
        name: value.replace("planted", f"{tmp_path}/planted") for name, value in variables.items()
    }
    result = machine.find("--compile", PYTHON=sys.executable, **given)
    assert (result.stdout.strip(), result.stderr) == (sys.executable, "")


def test_an_interpreter_that_is_named_and_unfit_is_refused(machine) -> None:
    old = python(machine.path / "python3.9", UNFIT.format(9), course=False)
    python(machine.path / "python3.13")
    result = machine.find(PYTHON=str(old))
    assert result.returncode == 2
    assert f"norch is compiled for Python {IN_WORDS}, with venv and headers" in result.stderr
    assert f"{old} {UNFIT.format(9)}" in result.stderr
    assert "without it" not in result.stderr


@pytest.mark.parametrize("words", [(), ("--compile",)])
def test_the_newest_that_norch_is_compiled_for_comes_first(machine, words) -> None:
    python(machine.path / "python3", UNFIT.format(NEXT))
    fits = [python(machine.path / f"python3.{minor}") for minor in (11, 13, 12)]
    assert machine.find(*words).stdout.strip() == str(fits[1])


@pytest.mark.parametrize(
    "place",
    [
        ".pyenv/versions/3.12.7/bin/python",
        ".local/share/uv/python/cpython-3.13.2-linux-x86_64-gnu/bin/python",
    ],
)
def test_what_pyenv_and_uv_keep_is_found(machine, place: str) -> None:
    python(machine.path / "python3", UNFIT.format(NEXT))
    kept = python(machine.home / place)
    assert machine.find("--compile").stdout.strip() == str(kept)


@pytest.mark.parametrize("name", ["python3", f"python3.{NEXT}"])
def test_any_newer_python_runs_the_course_and_only_that(machine, name: str) -> None:
    new = python(machine.path / name, UNFIT.format(NEXT))
    assert machine.find().stdout.strip() == str(new)
    result = machine.find("--compile")
    assert result.returncode == 2
    assert f"{name} {UNFIT.format(NEXT)}" in result.stderr
    course = f"make next, make check and make test-stage 1, for which {name} will do"
    assert course in result.stderr


@pytest.mark.parametrize("answer", ["echo .", "echo tools/supported.py", "echo", "cat; exit 1"])
def test_what_is_no_python_is_not_taken_for_one(machine, answer: str) -> None:
    path = program(machine.path / "tool", answer)
    for words in ((), ("--compile",)):
        result = machine.find(*words, PYTHON=str(path))
        assert (result.returncode, result.stdout) == (2, "")
        assert f"\n    {path} does not start as a Python\n" in result.stderr
        assert "without it" not in result.stderr


def test_an_interpreter_that_is_named_and_not_there_is_said_so(machine) -> None:
    result = machine.find(PYTHON="/nonexistent")
    assert result.returncode == 2
    assert "looked at: PYTHON=/nonexistent, which is not there" in result.stderr


def test_the_python_of_an_environment_is_kept_while_it_serves(machine, tmp_path: Path) -> None:
    here = python(tmp_path / "venv" / "bin" / "python")
    python(machine.path / "python3.13")
    assert machine.find("--compile", here).stdout.strip() == str(here)
    python(here, UNFIT.format(NEXT))
    assert machine.find(here).stdout.strip() == str(here)
    result = machine.find("--compile", here)
    assert result.returncode == 2
    assert f"{here} {UNFIT.format(NEXT)}" in result.stderr
    assert f"remove {tmp_path}/venv: make then takes {machine.path}/python3.13" in result.stderr


def test_a_machine_without_python_is_told_how_to_get_one(machine) -> None:
    result = machine.find()
    assert result.returncode == 2
    assert "looked at: nothing, there is no python on the path" in result.stderr
    assert f"get uv (https://docs.astral.sh/uv), then: {BY_UV}" in result.stderr


def apt(*known: str) -> str:
    """An apt-cache that knows some packages, and speaks another language where it may."""
    other = '[ "$LC_ALL" = C ] || { echo "  Installationskandidat: 3.1-1"; exit; }\n'
    cases = "".join(f"{name}) echo '  Candidate: 3.1-1';;\n" for name in known)
    return f"{other}case $2 in\n{cases}*) echo '  Candidate: (none)';;\nesac"


@pytest.mark.parametrize(
    ("manager", "text", "advice"),
    [
        (
            "apt-cache",
            apt("python3", "python3.13-venv", "python3.13-dev", f"python3.{NEXT}-dev"),
            "sudo apt install python3.13 python3.13-venv python3.13-dev",
        ),
        ("apt-cache", apt("python3", f"python3.{NEXT}-dev"), BY_UV),
        ("apt-cache", apt(), "sudo apt update, then make doctor"),
        (
            "dnf",
            "echo 'python3.12-devel.x86_64  3.12.9-1  updates'\necho 'python3.9-devel.x86_64'",
            "sudo dnf install python3.12 python3.12-devel",
        ),
        (
            "dnf",
            "echo 'Error: No matching packages' >&2; exit 1",
            f"uv python install 3.{NEWEST - 1}",
        ),
        ("brew", '[ "$3" = python@3.13 ]', "brew install python@3.13"),
        ("uv", "", BY_UV),
        ("pyenv", "", f"pyenv install 3.{NEWEST - 1}"),
    ],
)
def test_advice_names_what_this_system_really_has(
    machine, manager: str, text: str, advice: str
) -> None:
    program(machine.path / manager, text)
    if manager == "apt-cache":
        program(machine.path / "apt-get", "")
    said = machine.run("get_python.sh", OLDEST, NEWEST).stdout
    assert said.count("\n") == 1
    assert advice in said


@pytest.fixture
def supported(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import supported

    return supported


@pytest.mark.parametrize(
    ("version", "reason", "course"),
    [
        ((3, 10), UNFIT.format(10), f"is 3.10, not 3.{OLDEST} or newer"),
        ((3, NEXT), UNFIT.format(NEXT), ""),
        ((4, 0), f"is 4.0, not {IN_WORDS}", ""),
        ((2, 7), f"is 2.7, not {IN_WORDS}", f"is 2.7, not 3.{OLDEST} or newer"),
    ],
)
def test_versions_out_of_range_are_refused(supported, version, reason: str, course: str) -> None:
    assert supported.why_not(version) == reason
    assert supported.why_not_any(version) == course


def test_a_python_without_the_gil_runs_the_course_alone(supported, monkeypatch) -> None:
    monkeypatch.setattr(supported.sysconfig, "get_config_var", lambda name: 1)
    assert supported.why_not((3, NEWEST)) == "is free-threaded, and norch needs the GIL"
    assert supported.why_not_any((3, NEWEST)) == ""


OWN = "python{}.{}".format(*sys.version_info)
WHOLE = f"it comes with {OWN} wherever that is whole: install it again"


@pytest.mark.parametrize(
    ("manager", "text", "prefix", "advice"),
    [
        (
            "apt-cache",
            apt("python3-dev", f"{OWN}-dev", f"{OWN}-venv"),
            "/usr",
            f"sudo apt install {OWN}-{{}}",
        ),
        ("apt-cache", apt("python3"), "/usr", f"sudo apt update, then sudo apt install {OWN}-{{}}"),
        ("apt-cache", apt("python3-dev"), "/usr", WHOLE),
        ("apt-cache", apt("python3-dev", f"{OWN}-dev", f"{OWN}-venv"), "/opt/pyenv", WHOLE),
        ("dnf", "", "/usr", f"sudo dnf install {OWN}"),
        ("dnf", "", "/opt/python", WHOLE),
        ("no-manager", "", "/usr", WHOLE),
    ],
)
def test_a_missing_part_is_that_of_the_python_at_hand(
    supported, monkeypatch, machine, tmp_path: Path, manager: str, text: str, prefix, advice: str
) -> None:
    program(machine.path / manager, text)
    monkeypatch.setenv("PATH", str(machine.path))
    monkeypatch.setattr(sys, "base_prefix", prefix)
    reason = supported.why_not(include=tmp_path)
    assert reason.startswith("has no Python.h: " + advice.format("dev"))
    monkeypatch.setattr(supported, "in_venv", lambda: False)
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    reason = supported.why_not_any()
    assert reason.startswith("has no venv module: " + advice.format("venv"))


def test_a_python_that_cannot_compile_stops_in_words(supported, monkeypatch) -> None:
    supported.demand()
    monkeypatch.setattr(supported, "why_not", lambda: UNFIT.format(NEXT))
    with pytest.raises(SystemExit, match=f"cannot be compiled for .*, which {UNFIT.format(NEXT)}"):
        supported.demand()


def test_a_source_that_cannot_be_written_is_refused_in_one_sentence(tmp_path: Path) -> None:
    stub = 'test() { return 1; }; . "$1"'  # to root, almost every folder can be written
    for goal in ("next", "mnist", "lint"):
        shown = subprocess.run(
            ["make", "-nB", "--no-print-directory", goal, "VENV=build/none"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        ).stdout
        first = shown.partition("; python=")[0]
        script = program(tmp_path / "recipe", first)
        result = subprocess.run(
            ["sh", "-c", stub, "sh", script], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert result.returncode == 2
        assert result.stderr.startswith(f"[setup] {ROOT} cannot be written, and norch builds")
        assert result.stderr.count("\n") == 1
    assert os.access(ROOT, os.W_OK)
