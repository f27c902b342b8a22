"""What `make doctor` says of a machine: a line a thing, and how to get what is missing.

Compilers are small programs of the tests; what cannot be made here, such as a full disk or another
Python, is told to the check.
"""

import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from pythons import IN_WORDS, NEWEST, OLDEST

ROOT = Path(__file__).resolve().parent.parent
DOCTOR = ROOT / "tools" / "doctor.py"


def doctor(path: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the doctor on a machine whose search path is `path`."""
    nowhere = "http://127.0.0.1:9"  # no test waits for a network
    environment = {"PATH": path, "HOME": str(Path.home()), "PIP_INDEX_URL": nowhere, **variables}
    return subprocess.run(
        [sys.executable, DOCTOR], env=environment, capture_output=True, text=True, check=False
    )


def test_doctor_says_one_line_a_thing() -> None:
    result = doctor(os.environ["PATH"])
    for line in result.stdout.splitlines():
        assert re.fullmatch(r"(ok       |missing  |optional ) \S.*", line)
    assert result.stdout.isascii()


def test_doctor_names_compiler_and_make_on_a_bare_machine(tmp_path: Path) -> None:
    result = doctor(str(tmp_path))
    assert result.returncode == 1
    assert re.search(
        r"^missing   a C\+\+17 compiler: apt install g\+\+", result.stdout, re.MULTILINE
    )
    assert re.search(r"^missing   make: apt install make", result.stdout, re.MULTILINE)


def test_doctor_tries_the_compiler_it_finds(tmp_path: Path) -> None:
    broken = tmp_path / "c++"
    broken.write_text("#!/bin/sh\necho 'error: no such standard' >&2\nexit 1\n")
    broken.chmod(0o755)
    result = doctor(f"{tmp_path}:/usr/bin:/bin", CXX=str(broken))
    assert result.returncode == 1
    assert "does not compile C++17 with Python.h: error: no such standard" in result.stdout


def test_doctor_takes_a_compiler_with_words_of_its_own(tmp_path: Path) -> None:
    picky = tmp_path / "picky"
    picky.write_text('#!/bin/sh\n[ "$1" = --as-c++ ] || exit 1\n')
    picky.chmod(0o755)
    assert f"C++17 compiler ({picky} --as-c++)" in doctor("/bin", CXX=f"{picky} --as-c++").stdout
    said = doctor("/bin", CXX="no-such-compiler -O2").stdout
    assert "missing   CXX=no-such-compiler -O2, a C++17 compiler: apt install g++" in said


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import doctor

    return doctor


def test_doctor_misses_python_h(checks, monkeypatch) -> None:
    monkeypatch.setattr(checks.supported, "has_headers", lambda include: False)
    status, sentence = checks.check_python()
    assert (status, "has no Python.h: " in sentence) == ("missing", True)
    assert sentence.endswith("; make next and stage 1 run on it")


@pytest.mark.parametrize(("minor", "course"), [(OLDEST - 1, False), (NEWEST + 1, True)])
def test_doctor_misses_a_python_in_range(checks, monkeypatch, minor: int, course: bool) -> None:
    monkeypatch.setattr(checks, "ask", lambda command: (0, " ".join(command[2:])))
    status, sentence = checks.check_python((3, minor))
    assert status == "missing"
    assert f"is 3.{minor}, not {IN_WORDS}" in sentence
    assert ("make next and stage 1 run on it" in sentence) is course
    assert sentence.endswith(f": {OLDEST} {NEWEST}")  # what get_python.sh is asked


@pytest.mark.parametrize(
    ("flags", "lacks"),
    [
        ("flags\t\t: sse2 ssse3 cx16 sse4_1 sse4_2 popcnt", ""),
        ("flags\t\t: sse2 ssse3 cx16", "popcnt, sse4_1, sse4_2 (x86-64-v2)"),
        ("Features\t: fp asimd", ""),
        ("", ""),
    ],
)
def test_doctor_knows_what_numpys_wheels_want(checks, tmp_path: Path, flags, lacks: str) -> None:
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\n{flags}\n")
    status, sentence = checks.check_processor(tmp_path / "cpuinfo")
    assert status == ("optional" if lacks else "ok")
    assert lacks in sentence


@pytest.mark.parametrize(
    ("answers", "is_set_up", "status"),
    [(True, False, "ok"), (False, False, "missing"), (False, True, "ok")],
)
def test_doctor_wants_the_index_until_norch_is_set_up(
    checks, monkeypatch, tmp_path: Path, answers: bool, is_set_up: bool, status: str
) -> None:
    monkeypatch.setattr(checks, "index_answers", lambda venv: answers)
    monkeypatch.setattr(checks, "in_venv", lambda venv, module: is_set_up)
    found, sentence = checks.check_network(tmp_path)
    assert (found, "does not answer" in sentence) == (status, is_set_up)


def environment(folder: Path, strides: Path) -> Path:
    """An environment in which norch is found, and stage 1 in a folder."""
    python = folder / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\necho '{strides}/__init__.py'\n")
    python.chmod(0o755)
    return folder


def test_doctor_tells_an_environment_of_another_folder(checks, tmp_path: Path) -> None:
    ours = ROOT / "stages" / "01_strides" / "src" / "norch_strides"
    own = environment(tmp_path / "own", ours)
    assert checks.check_environment(own) == ("ok", "norch is set up in own")
    theirs = environment(tmp_path / "theirs", tmp_path / "copy" / "norch_strides")
    status, sentence = checks.check_environment(theirs)
    assert status == "optional"
    said = f"theirs has the norch of another folder, {tmp_path}/copy/norch_strides: make setup"
    assert sentence.startswith(said)


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 1\n", "#!/nowhere/python\n"])
def test_doctor_goes_on_where_the_environments_python_does_not_start(
    checks, tmp_path: Path, text: str
) -> None:
    python = environment(tmp_path / "venv", ROOT) / "bin" / "python"
    python.write_text(text)
    status, sentence = checks.check_environment(tmp_path / "venv")
    assert (status, "is not set up yet: make setup" in sentence) == ("optional", True)


def test_doctor_asks_the_index_by_pip(checks, monkeypatch, tmp_path: Path) -> None:
    said = []
    monkeypatch.setattr(checks, "ask", lambda command: (said.append(" ".join(command)), (0, ""))[1])
    assert checks.index_answers(tmp_path)
    assert said[-1].endswith("--retries 0 --disable-pip-version-check index versions pip")


@pytest.mark.parametrize("has_old_pip", [True, False])
def test_doctor_asks_the_index_of_pips_variable_without_a_pip_that_can(
    checks, monkeypatch, tmp_path: Path, has_old_pip: bool
) -> None:
    asked = []
    unknown = (1, 'ERROR: unknown command "index"\n')
    old = {"--version": (0, "pip 20.3.4")} if has_old_pip else {}
    none = unknown if has_old_pip else (1, "No module named pip")
    monkeypatch.setattr(checks, "ask", lambda command: old.get(command[-1], none))
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")
    assert not checks.index_answers(tmp_path)
    monkeypatch.setattr(
        "urllib.request.urlopen", lambda url, timeout: (asked.append(url), BytesIO())[1]
    )
    assert checks.index_answers(tmp_path)
    assert asked == ["http://127.0.0.1:9/simple/pip/"]


def test_doctor_misses_a_folder_that_can_be_written(checks, monkeypatch) -> None:
    assert checks.check_folder()[0] == "ok"
    monkeypatch.setattr("os.access", lambda path, mode: False)
    status, sentence = checks.check_folder()
    assert status == "missing"
    assert "run make in the copy" in sentence


@pytest.mark.parametrize(
    ("free", "is_set_up", "status"), [(1.5, True, "ok"), (1.5, False, "missing")]
)
def test_doctor_says_how_much_disk_is_needed(
    checks, monkeypatch, tmp_path: Path, free: float, is_set_up: bool, status: str
) -> None:
    room = SimpleNamespace(free=free * 1e9)
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda path: room)
    monkeypatch.setattr(checks, "in_venv", lambda venv, module: is_set_up)
    monkeypatch.setenv("NORCH_CACHE", str(tmp_path))
    found, sentence = checks.check_disk(tmp_path / "venv")
    assert found == status
    assert f"{0.5 if is_set_up else 2} GB" in sentence


def test_doctor_misses_a_writable_cache(checks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NORCH_CACHE", "/proc/nowhere")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    status, sentence = checks.check_disk(ROOT)
    assert status == "missing"
    assert "set NORCH_CACHE" in sentence


def test_doctor_takes_no_file_for_a_folder(checks, monkeypatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NORCH_CACHE", str(tmp_path / "file" / "norch"))
    assert checks.check_disk(ROOT)[0] == "missing"


def test_doctor_names_a_compiler_whose_quotes_do_not_end() -> None:
    assert "missing   CXX=it's" in doctor(os.environ["PATH"], CXX="it's").stdout


def test_doctor_misses_data_that_is_named_but_absent(checks, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NORCH_DATA", str(tmp_path))
    assert checks.check_data() == (
        "missing",
        f"MNIST is not in NORCH_DATA={tmp_path}: correct it, or unset it",
    )
