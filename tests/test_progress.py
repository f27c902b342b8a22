"""The line that tells how setting up gets on: counted from ninja's files, shown every half second.

The build.ninja and .ninja_log here are cut from real ones.
"""

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILD = """\
build CMakeFiles/core.dir/csrc/core/array.cpp.o: CXX_COMPILER__core /s/csrc/core/array.cpp
build CMakeFiles/kernels_avx512.dir/csrc/kernels/softmax.cpp.o: CXX_COMPILER__k /s/softmax.cpp
build CMakeFiles/stress.dir/tests/programs/stress.cpp.o: CXX_COMPILER__stress /s/stress.cpp
build _cpu.cpython-311-x86_64-linux-gnu.so: CXX_MODULE_LIBRARY_LINKER___cpu_Release \
CMakeFiles/core.dir/csrc/core/array.cpp.o CMakeFiles/core.dir/csrc/core/blas.cpp.o \
CMakeFiles/kernels_avx512.dir/csrc/kernels/softmax.cpp.o | /usr/lib/libm.so || core
"""
HEAD = "# ninja log v7\n3\t9\t1795362\t/s/build/CMakeFiles/cmake.verify_globs\tf5355\n"
ARRAY = "14\t2000\t1795362456\tCMakeFiles/core.dir/csrc/core/array.cpp.o\t3a6a28d4\n"
BLAS = "14\t3000\t1795362457\tCMakeFiles/core.dir/csrc/core/blas.cpp.o\t37c1740a\n"
SOFTMAX = "2000\t9000\t1795362458\tCMakeFiles/kernels_avx512.dir/csrc/kernels/softmax.cpp.o\tc1\n"


@pytest.fixture
def progress(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import progress

    return progress


class Folder:
    """A build folder whose files a test writes as ninja would."""

    def __init__(self, root: Path, stage: str = "02_cpu_ops") -> None:
        self.path = root / "stages" / stage / "build" / "editable-cp311"
        self.path.mkdir(parents=True)

    def log(self, *entries: str) -> None:
        (self.path / "build.ninja").write_text(BUILD)
        (self.path / ".ninja_log").write_text(HEAD + "".join(entries))


def test_a_first_build_counts_what_the_module_is_linked_from(progress, tmp_path: Path) -> None:
    builds = progress.Builds(tmp_path)
    assert builds.count() == (0, 0, None)
    folder = Folder(tmp_path)
    folder.log()
    assert builds.count() == (0, 0, None)
    folder.log(ARRAY, BLAS)
    done, total, left = builds.count()
    assert (done, total) == (2, 3)
    assert left == pytest.approx(3.0 * progress.weight("/kernels/softmax.cpp.o") / 2)
    folder.log(ARRAY, BLAS, SOFTMAX)
    assert builds.count() == (3, 3, None)


def test_a_later_build_counts_only_what_is_missing(progress, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.log(ARRAY)
    builds = progress.Builds(tmp_path)
    assert builds.count() == (0, 0, None)
    folder.log(ARRAY, BLAS)
    assert builds.count()[:2] == (1, 2)


def test_edited_files_are_counted_as_they_come(progress, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.log(ARRAY, BLAS, SOFTMAX)
    builds = progress.Builds(tmp_path)
    folder.log(ARRAY, BLAS, SOFTMAX, BLAS.replace("1795362457", "1795399999"))
    assert builds.count() == (1, 1, None)


def test_two_packages_compile_at_once(progress, tmp_path: Path) -> None:
    builds = progress.Builds(tmp_path)
    first, second = Folder(tmp_path), Folder(tmp_path, "04_autograd")
    first.log(ARRAY, BLAS)
    second.log(ARRAY, BLAS, SOFTMAX)
    assert builds.count()[:2] == (5, 6)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        ((0, 0, None), "[setup] installing: 7 s"),
        ((2, 5, 33.6), "[setup] installing: 7 s, compiled 2 of 5 files, about 34 s left"),
        ((5, 5, None), "[setup] installing: 7 s, compiled 5 files"),
    ],
)
def test_the_line_says_how_many_of_how_many(progress, count: tuple, text: str) -> None:
    assert progress.sentence("[setup] installing", progress.Count(*count), 7.2) == text


def test_a_terminal_is_never_silent_for_two_seconds(tmp_path: Path) -> None:
    program = "import sys; sys.path.insert(0, 'tools'); import progress; from pathlib import Path\n"
    program += "progress.watch(['sleep', '2.5'], '[setup] waiting', Path(sys.argv[1]))"
    terminal, theirs = pty.openpty()
    command = [sys.executable, "-c", program, str(tmp_path)]
    child = subprocess.Popen(command, cwd=ROOT, stdout=theirs)
    os.close(theirs)
    seen, pauses, last = b"", [], time.monotonic()
    try:
        while chunk := os.read(terminal, 1000):
            seen += chunk
            pauses.append(time.monotonic() - last)
            last = time.monotonic()
    except OSError:  # how Linux says that the other end is closed
        pass
    assert child.wait() == 0
    os.close(terminal)
    assert max(pauses) < 2
    assert seen.isascii()
    assert b"\r[setup] waiting: 2 s" in seen
    assert b"\n" not in seen
    assert seen.endswith(b" \r")


def test_elsewhere_a_line_comes_every_ten_seconds(progress, monkeypatch, capsys, tmp_path) -> None:
    assert progress.ELSEWHERE == 10
    monkeypatch.setattr(progress, "ELSEWHERE", 0.2)
    assert progress.watch(["sleep", "0.5"], "[setup] waiting", tmp_path) == 0
    assert capsys.readouterr().out == "[setup] waiting: 0 s\n" * 2


def test_what_a_command_says_is_shown_only_if_it_fails(progress, capfd, tmp_path) -> None:
    assert progress.watch(["sh", "-c", "echo much"], "it", tmp_path) == 0
    assert capfd.readouterr().out == ""
    assert progress.watch(["sh", "-c", "echo why; echo so >&2; exit 3"], "it", tmp_path) == 3
    assert capfd.readouterr().out == "why\nso\n"
