"""The Makefile: goals are listed, unknown ones refused before anything runs.

Only `make -n`, `make help` and `make doctor` are called here: nothing is installed or trained.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def make(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run make without the variables that an outer make hands down."""
    inherited = ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "N", "EPOCHS", "JOBS")
    environment = {key: value for key, value in os.environ.items() if key not in inherited}
    environment.update(variables)
    return subprocess.run(
        ["make", *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def goals() -> list[str]:
    text = (ROOT / "Makefile").read_text()
    return " ".join(re.findall(r"^GOALS *[:+]= *(.*)$", text, re.MULTILINE)).split()


def variables() -> list[str]:
    text = (ROOT / "Makefile").read_text()
    return " ".join(re.findall(r"^VARIABLES *[:+]= *(.*)$", text, re.MULTILINE)).split()


@pytest.mark.parametrize("goal", goals())
def test_help_lists_every_goal(goal: str) -> None:
    listed = re.search(rf"^  make {re.escape(goal)} +\S", make("help").stdout, re.MULTILINE)
    assert listed, f"{goal} has no '## sentence' in the Makefile"


def test_help_is_what_make_alone_says() -> None:
    assert make().stdout == make("help").stdout


def test_help_is_ascii() -> None:
    assert make("help").stdout.isascii()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["tset"], "there is no goal 'tset'; did you mean 'make test'?"),
        (["mnits"], "there is no goal 'mnits'; did you mean 'make mnist'?"),
        (["test", "lnit"], "there is no goal 'lnit'; did you mean 'make lint'?"),
        (["lnit", "test"], "there is no goal 'lnit'; did you mean 'make lint'?"),
        (["3"], "'3' alone is no goal; did you mean 'make test-stage 3'?"),
        (["test", "3"], "'3' alone is no goal; did you mean 'make test-stage 3'?"),
        (["test-stage"], "test-stage needs a stage, 1 to 6"),
        (["project"], "project needs a number, 1 to 7: 'make project 3'"),
        (["project", "8"], "no project 8: projects are 1 to 7, for example 'make project 3'"),
        (["project", "N=8"], "there is no project 8: projects are 1 to 7"),
        (["7"], "'7' alone is no goal; did you mean 'make project 7'?"),
        (["test", "7"], "'7' alone is no goal; did you mean 'make project 7'?"),
        (["check", "7"], "there is no stage 7: stages are 1 to 6, for example 'make check 1.6'"),
        (["test-stage", "N=7"], "there is no stage 7: stages are 1 to 6"),
        (["project", "test-stage", "7"], "there is no stage 7: stages are 1 to 6"),
        (["project", "foo"], "project does not know 'foo': for example 'make project 3'"),
        (["check", "foo"], "check does not know 'foo': for example 'make check 1.6'"),
        (["hint", "7.1"], "there is no stage 7: stages are 1 to 6, for example 'make hint 1.6'"),
        (["test-stage", "9"], "there is no stage 9: stages are 1 to 6"),
        (["test-stage", "N=9"], "there is no stage 9: stages are 1 to 6"),
        (["test-stage", "N=two"], "there is no stage two: stages are 1 to 6"),
        (["1.6"], "'1.6' alone is no goal; did you mean 'make check 1.6'?"),
        (["test", "1.6"], "'1.6' alone is no goal; did you mean 'make check 1.6'?"),
        (["check", "9.1"], "there is no stage 9"),
        (["check", "9"], "there is no stage 9: stages are 1 to 6"),
        (["check", "chekc"], "there is no goal 'chekc'; did you mean 'make check'?"),
        (["hint"], "hint needs an exercise: 'make hint 1.6'"),
        (["reset", "1"], "'1' alone is no goal"),
        (["mnist", "PROCESSES=0"], "PROCESSES=0 must be a whole number, 1 to 64"),
        (["mnist", "PROCESSES=four"], "PROCESSES=four must be a whole number, 1 to 64"),
        (["mnist", "PROCESSES=-2"], "PROCESSES=-2 must be a whole number, 1 to 64"),
        (["mnist", "PROCESSES=2 3"], "PROCESSES=2 3 must be a whole number, 1 to 64"),
        (["mnist", "PROCESSES=1000"], "PROCESSES=1000 must be a whole number, 1 to 64"),
        (["mnist", "VENV=a b"], "VENV=a b cannot be used: a name of letters, digits and"),
        (["mnist", "VENV="], "VENV= cannot be used"),
        (["mnist", "VENV=a\nb"], "cannot be used"),
        (["clean", "VENV=-rf"], "VENV=-rf cannot be used"),
        (["clean", "VENV=$(x)"], "VENV=$(x) cannot be used"),
        (["next", "PATH=shrot"], "there is no path 'shrot'; did you mean 'make next PATH=short'?"),
        (["next", "PATH=short cuda"], "there is no path 'short cuda'"),
        (["next", "PATH=/usr/bin:/bin"], "to say where programs are, write it before make"),
        (["next", "PATH=$(shell id)"], "there is no path '$(shell id)'"),
        (["next", "PAHT=short"], "no goal reads the variable 'PAHT'; did you mean 'PATH'?"),
        (["mnist", "EPOCH=3"], "no goal reads the variable 'EPOCH'; did you mean 'EPOCHS'?"),
    ],
)
def test_unknown_words_are_refused_before_anything_runs(words: list[str], sentence: str) -> None:
    result = make(*words)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("words", [["test-stage", "3"], ["test-stage", "N=3"], ["3", "test-stage"]])
def test_both_spellings_of_a_stage_run_the_same(words: list[str]) -> None:
    result = make("-n", *words)
    assert result.returncode == 0, result.stderr
    assert 'tools/test_stage.py --uv="$UV" 3\n' in result.stdout


def test_they_are_refused_where_no_python_has_the_short_name(tmp_path: Path) -> None:
    """As on a system that has python3.14 alone: `python3` is a package of its own there."""
    for name in ("make", "sh", "sed", "grep", "seq", "find", "dirname"):
        (tmp_path / name).symlink_to(shutil.which(name))
    (tmp_path / f"python3.{sys.version_info.minor}").symlink_to(sys.executable)
    result = make("tset", PATH=str(tmp_path), HOME=str(tmp_path))
    assert "there is no goal 'tset'; did you mean 'make test'?" in result.stderr


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["check", "1.6"], ".venv/bin/python course/exercises.py check 1.6\n"),
        (["1.6", "check"], "course/exercises.py check 1.6\n"),
        (["check", "1"], "course/exercises.py check 1\n"),
        (["check", "1.6", "1.7"], "course/exercises.py check 1.6 1.7\n"),
        (["check"], "course/exercises.py check \n"),
        (["check", "AT=workbook/a b:3"], 'course/exercises.py check "$AT"\n'),
        (["hint", "AT=workbook/a.py:3"], 'course/exercises.py hint "$AT"'),
        (["solution", "AT=workbook/a.py:3"], 'course/exercises.py solution "$AT"'),
        (["reset", "AT=workbook/a.py:3"], 'course/exercises.py reset "$AT"'),
        (["next"], "course/exercises.py next"),
        (["watch"], "course/exercises.py watch"),
        (["progress"], "course/exercises.py progress"),
        (["hint", "1.6"], "course/exercises.py hint 1.6"),
        (["hint", "1.6", "HINT=2"], 'course/exercises.py hint 1.6 "$HINT"'),
        (["solution", "1.6"], "course/exercises.py solution 1.6"),
        (["reset", "1.6"], "course/exercises.py reset 1.6"),
    ],
)
def test_exercises_hand_their_words_on(words: list[str], command: str) -> None:
    result = make("-n", *words)
    assert result.returncode == 0, result.stderr
    assert command in result.stdout


@pytest.mark.parametrize(
    ("words", "compiled"),
    [
        (["check", "1"], False),
        (["check", "1.6"], False),
        (["check", "AT=workbook/01_strides/layout.py:3"], False),
        (["check", "2"], True),
        (["check", "4.1"], True),
        (["check", "AT=workbook/04_autograd/ops/nn/conv.py:3"], True),
        (["setup", "QUICK=1"], True),
        (["setup", "QUICK=0"], False),
    ],
)
def test_what_needs_the_compiled_stages_sets_them_up(
    tmp_path: Path, words: list[str], compiled: bool
) -> None:
    result = make("-n", *words, f"VENV={tmp_path / 'venv'}")
    assert ("--isas quick packages build course" in result.stdout) == compiled, result.stderr


def test_the_book_is_served_where_a_port_is_given() -> None:
    served = make("-n", "book", "SERVE=8000").stdout
    assert '-m http.server --bind 127.0.0.1 --directory book/_build/html "$SERVE"' in served
    assert "http.server" not in make("-n", "book").stdout


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["next", "PATH=short"], "course/exercises.py next --path=short\n"),
        (["check", "1", "PATH=cuda"], "course/exercises.py check 1 --path=cuda\n"),
        (["watch", "PATH=numerics"], "course/exercises.py watch --path=numerics\n"),
        (["progress", "PATH=all"], "course/exercises.py progress --path=all"),
        (["progress", "NAME=Ada King"], 'course/exercises.py progress --name="$NAME"\n'),
    ],
)
def test_a_path_through_the_exercises_is_handed_on(words: list[str], command: str) -> None:
    result = make("-n", *words)
    assert result.returncode == 0, result.stderr
    assert command in result.stdout


def test_a_name_is_one_that_was_typed() -> None:
    """Some systems keep the computer's name in NAME."""
    assert "--name" not in make("-n", "progress", NAME="laptop").stdout


def test_recipes_find_their_programs_where_a_path_was_chosen() -> None:
    """PATH is the shell's word too: awk, which `make help` runs, is found by it."""
    assert make("help", "PATH=short").stdout == make("help").stdout


@pytest.mark.parametrize("program", sorted({*filter(shutil.which, ("make", "gmake"))}))
def test_shells_recipes_and_makes_below_have_the_path_of_the_caller(tmp_path, program) -> None:
    text = (ROOT / "Makefile").read_text()
    block = re.search(r"^ifeq \(\$\(origin PATH\).*?^endif$", text, re.MULTILINE | re.DOTALL)
    show = """
$(info shell $(shell echo "$$PATH"))
show:
\t@echo "recipe $$PATH"
\t@$(MAKE) -s -f $(lastword $(MAKEFILE_LIST)) below
below:
\t@echo "below $$PATH, chosen '$(course_path)'"
"""
    (tmp_path / "Makefile").write_text(block[0] + show)
    path = f"{os.environ['PATH']}:/a place/$HOME"
    command = [program, "-s", "--no-print-directory", "show", "PATH=short"]
    environment = {"PATH": path, "HOME": str(tmp_path)}
    said = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    ).stdout
    lines = [f"shell {path}", f"recipe {path}", f"shell {path}", f"below {path}, chosen ''"]
    assert said.splitlines() == lines


def test_clean_names_nothing_of_the_learners() -> None:
    result = make("-n", "clean")
    assert result.returncode == 0 and "rm -rf build" in result.stdout
    assert "workbook" not in result.stdout and "runs" not in result.stdout


def test_git_ignores_the_workbook() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: what is ignored is unknown")
    names = ["workbook/01_strides/layout.py", "workbook/02_cpu_ops/project/distances.cpp"]
    command = ["git", "check-ignore", *names]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert shown.split() == names
    command = ["git", "ls-files", "stages/*/exercises/*"]
    tracked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    kept = ("/exercises/wrong/", "/exercises/other/")
    others = [name for name in tracked.split() if not any(one in name for one in kept)]
    assert {Path(name).name for name in others} == {"exercises.toml"}


def test_mnist_hands_its_variables_on() -> None:
    words = ["DEVICE=cuda-sim", "EPOCHS=2", "MODEL=mlp", "DATA=a folder", "SEED=7", "THREADS=1"]
    result = make("-n", "mnist", "RESUME=1", *words)
    assert result.returncode == 0, result.stderr
    given = " ".join(result.stdout.split())
    for option in ('--device="$DEVICE"', '--epochs="$EPOCHS"', '--data="$DATA"', "--resume"):
        assert option in given


HOSTILE = [
    "it's",
    'a "quoted" word; touch HIT',
    "$(touch HIT)$(shell touch HIT)`touch HIT`",
    "$$(touch HIT)",
    "'; touch HIT; '",
    '"; touch HIT; "',
    "x\ntouch HIT\n",
    "#,%=:\\ ${IFS}*?[~]",
    "--help",
]


VERSION = '[ "$1" = -I ] && echo "(3, 11)" && exit'  # what stale.sh asks for
STAMPS = """for word in "$@"; do case $word in --stamps=*)
  for stamp in ${word#--stamps=}; do pwd -P >$stamp; done ;; esac; done"""  # as a set-up does


@pytest.fixture
def recorded(tmp_path: Path):
    """Give the test a copy of the Makefile whose Python only writes down what it was given."""
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\n{VERSION}\n{STAMPS}\nprintf "%s\\0" "$@" >> given\n')
    python.chmod(0o755)
    tools = ("goals.py", "setup_env.py", "stale.sh")
    for name in ("Makefile", "pyproject.toml", *(f"tools/{tool}" for tool in tools)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for stamp in ("run", "test", "course", "base", "wheels"):
        (tmp_path / ".venv" / f"ready-{stamp}").write_text(f"{tmp_path.resolve()}\n")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "faces").touch()

    def given(*words: str, **variables: str) -> list[str]:
        (tmp_path / "given").unlink(missing_ok=True)
        subprocess.run(
            ["make", *words],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], **variables},
            capture_output=True,
            check=False,
        )
        assert not list(tmp_path.rglob("HIT")), words
        text = tmp_path / "given"
        return text.read_text().split("\0") if text.exists() else []

    return given


@pytest.mark.parametrize("how", ["line", "environment"])
@pytest.mark.parametrize(
    ("goal", "names"),
    [
        ("mnist", "DEVICE EPOCHS MODEL DATA SEED THREADS OUT"),
        ("hint 1.6", "HINT"),
        ("grade", "DIR OUT"),
        ("parity", "TORCH"),
        ("bench", "ONLY THREADS"),
        ("test-machines", "ONLY"),
        ("fuzz", "MINUTES SEED TORCH"),
        ("check-wheels", "UV"),
    ],
)
def test_a_value_reaches_the_program_as_it_was_typed(recorded, goal, names, how) -> None:
    for value in HOSTILE if how == "line" else HOSTILE[:3]:
        values = dict.fromkeys(names.split(), value)
        line = [f"{name}={value}" for name in values] if how == "line" else []
        given = recorded(*goal.split(), *line, **({} if line else values))
        found = [word for word in given if value in (word, word.partition("=")[2])]
        assert len(found) == len(values), (value, given)


def test_what_is_not_given_has_its_default(recorded) -> None:
    assert "--uv=1" in recorded("check-wheels")
    assert recorded("grade")[-3:-1] == ["submissions", "grades.csv"]


@pytest.mark.parametrize("value", HOSTILE)
def test_no_value_is_ever_run(recorded, value: str) -> None:
    checked = ["VENV", "PROCESSES", "N"]  # which are refused before the others are read
    for name in checked:
        recorded("test-stage", "3", f"{name}={value}")
    for goal in (["mnist"], ["check", "1.6"], ["wheels"], ["doctor"], ["lint"]):
        recorded(*goal, *(f"{name}={value}" for name in variables() if name not in checked))


@pytest.mark.parametrize(
    "value", [*HOSTILE, "x';touch${IFS}HIT;'", "1.6;touch${IFS}HIT", "1.6:;touch${IFS}HIT"]
)
def test_no_goal_is_ever_run(recorded, value: str) -> None:
    recorded("check", value)
    recorded(f"{value}=1", "mnist")


ASTRAY = [
    {"PYTHONHOME": "/nowhere"},
    {"PYTHONPATH": "planted"},
    {"PYTHONSAFEPATH": "1"},
    {"PYTHONOPTIMIZE": "2", "PYTHONWARNINGS": "error"},
    {"PYTHONINSPECT": "1"},
]


@pytest.mark.parametrize("variables", ASTRAY, ids=lambda variables: "+".join(variables))
def test_what_the_callers_python_is_told_reaches_no_program(
    recorded, tmp_path: Path, variables: dict[str, str]
) -> None:
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / "argparse.py").write_text("raise SystemExit('planted')\n")
    python = tmp_path / ".venv" / "bin" / "python"
    told = "${PYTHONHOME}${PYTHONPATH}${PYTHONSAFEPATH}${PYTHONOPTIMIZE}${PYTHONINSPECT}"
    python.write_text(f'#!/bin/sh\n{VERSION}\nprintf "%s\\0" "told:{told}:" >>given\n')
    assert recorded("next", **variables) == ["told::", ""]
    variables = {
        name: value.replace("planted", f"{tmp_path}/planted") for name, value in variables.items()
    }
    assert "did you mean 'make test'?" in make("tset", **variables).stderr
    assert "C++17 compiler" in make("doctor", **variables).stdout


@pytest.mark.parametrize(
    ("words", "start"),
    [
        ([], ".venv/bin/python examples/mnist.py"),
        (["MINE=1"], ".venv/bin/python course/exercises.py mine examples/mnist.py"),
        (
            ["PROCESSES=4"],
            ".venv/bin/python -m norch.distributed.run --nproc_per_node 4 examples/mnist_ddp.py",
        ),
        (
            ["PROCESSES=4", "MINE=1"],
            ".venv/bin/python course/exercises.py mine --processes 4 examples/mnist_ddp.py",
        ),
    ],
)
def test_mnist_starts_one_process_or_several(words: list[str], start: str) -> None:
    result = make("-n", "mnist", "EPOCHS=2", *words)
    assert result.returncode == 0, result.stderr
    assert f'{start} --epochs="$EPOCHS"' in " ".join(result.stdout.split())


def test_fuzz_hands_its_variables_on() -> None:
    result = make("-n", "fuzz", "MINUTES=10", "SEED=7", "TORCH=python3", "SANITIZE=1")
    assert result.returncode == 0, result.stderr
    given = " ".join(result.stdout.replace("\\\n", " ").split())
    assert 'tools/fuzz.py --minutes="$MINUTES" --seed="$SEED" --torch="$TORCH" --sanitize' in given


def test_a_variable_of_norch_given_to_make_reaches_the_program(tmp_path: Path) -> None:
    result = make("doctor", f"NORCH_DATA={tmp_path}")
    assert f"MNIST is not in NORCH_DATA={tmp_path}" in result.stdout


def test_mnist_without_variables_hands_nothing_on() -> None:
    assert "--" not in make("-n", "mnist").stdout.partition("examples/mnist.py")[2]


def sets_up(folder: Path, *words: str) -> bool:
    """Run `make next`; tell whether it set the environment up first."""
    find = folder / "tools" / "find_python.sh"
    find.write_text("echo .venv/bin/python\n")
    (folder / "given").unlink(missing_ok=True)
    command = ["make", "next", *words]
    path = {"PATH": os.environ["PATH"]}
    subprocess.run(command, cwd=folder, env=path, capture_output=True, check=True)
    given = (folder / "given").read_text().split("\0")
    assert given[-3:] == ["course/exercises.py", "next", ""]
    return given[0] == "tools/setup_env.py"


def test_an_environment_that_came_from_elsewhere_is_set_up_anew_once(
    recorded, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert not sets_up(tmp_path)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    copied, moved = elsewhere / "copied", elsewhere / "moved"
    shutil.copytree(tmp_path, copied)
    assert [sets_up(copied), sets_up(copied), sets_up(tmp_path)] == [True, False, False]
    tmp_path.rename(moved)
    assert [sets_up(moved), sets_up(moved)] == [True, False]


def test_an_environment_whose_python_does_not_start_is_set_up_anew(
    recorded, tmp_path: Path
) -> None:
    python = tmp_path / ".venv" / "bin" / "python"
    works = python.read_text()
    python.write_text(works.replace(VERSION, '[ "$1" = -I ] && exit 1'))
    assert sets_up(tmp_path)
    python.write_text(works)
    assert not sets_up(tmp_path)
    python.unlink()
    said = subprocess.run(
        ["make", "-n", "next"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert "tools/setup_env.py" in said


def test_a_python_of_another_version_is_not_passed_over(recorded, tmp_path: Path) -> None:
    other = tmp_path / "other"
    for answer, is_asked in (("(3, 11)", False), ("(3, 12)", True), ("", True)):
        other.write_text(f"#!/bin/sh\necho '{answer}'\n")
        other.chmod(0o755)
        assert sets_up(tmp_path, f"PYTHON={other}") is is_asked
    assert sets_up(tmp_path, f"PYTHON={tmp_path}/nowhere")
    assert not sets_up(tmp_path)
