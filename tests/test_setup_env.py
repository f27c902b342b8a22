"""Setting up: the interpreter, the compiler, what is installed with what, what is compiled, and
the line that tells how it gets on: counted from ninja's files, shown every half second.

Nothing is installed here: an installer of a test's own writes down how it was called. The files
build.ninja and .ninja_log are cut from real ones.
"""

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def setup_env(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import setup_env

    return setup_env


def test_setup_refuses_an_interpreter_out_of_range(tmp_path: Path) -> None:
    old = tmp_path / "python3.9"
    old.write_text("#!/bin/sh\necho 'is 3.9, not 3.11 to 3.13' >&2\nexit 1\n")
    old.chmod(0o755)
    result = subprocess.run(
        ["sh", ROOT / "tools" / "find_python.sh"],
        env={**os.environ, "PYTHON": str(old)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert "norch needs Python 3.11, 3.12 or 3.13" in result.stderr
    assert f"{old}: is 3.9, not 3.11 to 3.13" in result.stderr


def test_setup_takes_the_interpreter_that_is_named() -> None:
    result = subprocess.run(
        ["sh", ROOT / "tools" / "find_python.sh"],
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.strip() == sys.executable


def test_setup_without_a_compiler_says_how_to_get_one(setup_env, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr("sys.argv", ["setup_env.py", "--venv", str(tmp_path / "venv"), "packages"])
    with pytest.raises(SystemExit, match=r"no C\+\+ compiler found:(.|\n)*sudo apt install g\+\+"):
        setup_env.main()
    assert not (tmp_path / "venv").exists()


def test_setup_names_the_compiler_that_was_asked_for(setup_env, monkeypatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler -stdlib=libc++")
    with pytest.raises(SystemExit, match=r"no C\+\+ compiler found under CXX=no-such-compiler:"):
        setup_env.check_compiler()
    monkeypatch.setenv("CXX", f"{sys.executable} --with-words")
    setup_env.check_compiler()


def test_setup_unfolds_included_groups(setup_env) -> None:
    groups = {"run": ["b==1"], "test": ["a==1", {"include-group": "run"}, "b==1"]}
    assert setup_env.group_requirements(groups, "test") == ["a==1", "b==1"]


def test_setup_refuses_to_mix_pythons(setup_env, tmp_path: Path) -> None:
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\necho 3.9\n")
    python.chmod(0o755)
    with pytest.raises(SystemExit, match=r"holds Python 3\.9, asked for 3\.1\d: remove"):
        setup_env.make_venv(tmp_path, with_pip=False)
    assert python.exists()


@pytest.mark.parametrize(("trial", "offline"), [("exit 0", True), ("exit 2", False)])
def test_setup_asks_the_network_only_for_what_is_missing(
    setup_env, tmp_path: Path, trial: str, offline: bool
) -> None:
    uv, said = tmp_path / "uv", tmp_path / "said"
    uv.write_text(f'#!/bin/sh\ncase "$*" in *--dry-run*) {trial};; esac\necho "$*" >{said}\n')
    uv.chmod(0o755)
    setup_env.install_all(Path(sys.executable), [str(uv), "pip", "install"], [], "native")
    assert ("--offline" in said.read_text().split()) is offline


def test_a_failing_installer_stops_with_the_way_out(setup_env) -> None:
    with pytest.raises(SystemExit, match="`make doctor` tells what is missing"):
        setup_env.run([sys.executable, "-c", "exit(3)"], Path(sys.executable), "it")


@pytest.mark.parametrize(
    ("cached", "asked", "built"),
    [
        ("", "native", "native"),
        ("", "all", "all"),
        ("NORCH_ISAS:STRING=native\n", "native", "native"),
        ("NORCH_ISAS:STRING=native\n", "all", "all"),
        ("NORCH_ISAS:STRING=all\n", "native", "all"),
        ("NORCH_ISAS:UNINITIALIZED=all\n", "native", "all"),
    ],
)
def test_kernels_of_all_machines_stay_once_they_are_compiled(
    setup_env, monkeypatch, tmp_path: Path, cached: str, asked: str, built: str
) -> None:
    monkeypatch.setattr(setup_env, "ROOT", tmp_path)
    tag = "cp{}{}".format(*sys.version_info)
    folder = tmp_path / "stages" / "02_cpu_ops" / "build" / f"editable-{tag}-{tag}-linux_x86_64"
    folder.mkdir(parents=True)
    (folder / "CMakeCache.txt").write_text(f"SKBUILD:STRING=2\n{cached}OTHER:STRING=1\n")
    assert setup_env.instruction_sets(asked) == built


def test_one_command_compiles_and_downloads(setup_env, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(setup_env, "instruction_sets", lambda asked: asked)
    uv, said = tmp_path / "uv", tmp_path / "said"
    uv.write_text(f'#!/bin/sh\necho "$*" >{said}\n')
    uv.chmod(0o755)
    setup_env.install_all(Path(sys.executable), [str(uv)], ["numpy>=2.0", "tqdm"], "native")
    words = said.read_text().split()
    assert words[:3] == ["--no-build-isolation", "-C", "cmake.define.NORCH_ISAS=native"]
    assert {"numpy>=2.0", "tqdm", "./stages/02_cpu_ops", "./norch[blas,mpi]"} <= set(words)


def test_the_tools_that_build_come_before_the_others(setup_env) -> None:
    needed, others = setup_env.requirements(["packages", "build", "run"])
    assert any(line.startswith("cmake==") for line in needed)
    assert any(line.startswith("matplotlib") for line in others)
    assert not set(needed) & set(others)


def test_make_asks_for_this_machines_kernels_and_for_all_of_them_in_tests() -> None:
    for goal, isas in (("mnist", ""), ("bench", ""), ("test", "--isas all ")):
        command = ["make", "-n", "-B", goal, "VENV=build/none"]
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        assert f'--venv build/none --uv="$UV" {isas}packages build' in said


def pip_program(folder: Path, said: Path, works: bool) -> Path:
    """Write a Python that has pip or not, and whose installing brings the environment a uv."""
    python = folder / "python"
    has_pip = "exit 0" if works else "exit 1"
    python.write_text(f"""#!/bin/sh
echo "$(basename $(dirname $0)) $*" >>{said}
case "$*" in *--version*|*"import pip"*) {has_pip};; *uv==*) touch {folder.parent}/bin/uv;; esac
""")
    python.chmod(0o755)
    return python


@pytest.mark.parametrize("has_pip", [True, False])
def test_uv_comes_by_a_pip_that_is_there_already(
    setup_env, monkeypatch, tmp_path: Path, has_pip: bool
) -> None:
    outer, inner, said = tmp_path / "outer", tmp_path / "bin", tmp_path / "said"
    outer.mkdir()
    inner.mkdir()
    monkeypatch.setattr(sys, "executable", str(pip_program(outer, said, has_pip)))
    monkeypatch.setattr(setup_env, "OWN_UV", tmp_path / "no-uv")
    python = pip_program(inner, said, works=False)
    assert setup_env.installer(python, use_uv=True)[0] == str(inner / "uv")
    words = said.read_text()
    assert f"{'outer' if has_pip else 'bin'} -m pip --python {python} install" in words
    assert ("bin -m ensurepip" in words) is not has_pip


def test_plain_pip_is_added_where_it_is_missing(setup_env, tmp_path: Path) -> None:
    said = tmp_path / "said"
    (tmp_path / "bin").mkdir()
    python = pip_program(tmp_path / "bin", said, works=False)
    command = setup_env.installer(python, use_uv=False)
    assert command[:4] == [str(python), "-m", "pip", "install"]
    assert "bin -m ensurepip" in said.read_text()


@pytest.mark.parametrize("name", ["UV_CACHE_DIR", "XDG_CACHE_HOME", "HOME"])
def test_a_home_that_cannot_be_written_stops_no_setup(
    setup_env, monkeypatch, tmp_path: Path, capsys, name: str
) -> None:
    monkeypatch.delenv("UV_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert setup_env.cache_option() == []
    (tmp_path / "file").touch()  # root may write everywhere, but in no file as in a folder
    monkeypatch.setenv(name, str(tmp_path / "file"))
    assert setup_env.cache_option() == ["--cache-dir", str(ROOT / "build" / "uv-cache")]
    assert "cannot be written (" in capsys.readouterr().out


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
