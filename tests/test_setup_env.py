"""Setting up: the compiler, what is installed with what, what is compiled, and the line that tells
how it gets on: counted from ninja's files, shown every half second.

Nothing is installed here: an installer of a test's own writes down how it was called. The files
build.ninja and .ninja_log are cut from real ones. test_find_python.py looks for the interpreter,
test_install.py at the installers.
"""

import importlib
import os
import pty
import re
import runpy
import subprocess
import sys
import time
from pathlib import Path

import pytest

from norch_course import ready

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def setup_env(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import setup_env

    return setup_env


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


@pytest.mark.parametrize("words", ["wheels", "wheels --beside", "test_stage 1 2"])
def test_wheels_without_a_compiler_say_how_to_get_one(
    setup_env, monkeypatch, tmp_path: Path, words: str
) -> None:
    name, *rest = words.split()
    module = importlib.import_module(name)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(setup_env.supported, "demand", lambda: None)
    monkeypatch.setattr(module, "build_wheels", lambda *_: pytest.fail("it builds"))
    monkeypatch.setattr("sys.argv", [name, *rest])
    with pytest.raises(SystemExit, match=r"no C\+\+ compiler found:(.|\n)*sudo apt install g\+\+"):
        module.main()


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


@pytest.mark.parametrize("mode", [0o755, 0o644])
def test_an_interpreter_that_does_not_start_has_no_version(
    setup_env, tmp_path: Path, mode: int
) -> None:
    broken = tmp_path / "python"
    assert setup_env.version_of(broken) == ""
    broken.write_text("#!/nowhere/python\n")
    broken.chmod(mode)
    assert setup_env.version_of(broken) == ""
    assert setup_env.version_of(Path(sys.executable)) == "{}.{}".format(*sys.version_info)


def test_the_programs_of_a_moved_environment_call_its_own_python(
    setup_env, tmp_path: Path, capsys
) -> None:
    old, new = tmp_path / "a" / ".venv", tmp_path / "b" / "a" / ".venv"
    python = setup_env.make_venv(old, with_pip=False)
    (old / "bin" / "ours").write_text(f"#!{python}\n# {old}.txt\n")
    (old / "bin" / "binary").write_bytes(f"{old}\0".encode())
    capsys.readouterr()
    setup_env.make_venv(old, with_pip=False)
    assert capsys.readouterr().out == ""
    new.parent.mkdir(parents=True)
    old.rename(new)
    assert setup_env.make_venv(new, with_pip=False) == new / "bin" / "python"
    said = capsys.readouterr().out
    assert said == f"[setup] .venv comes from {old}: its programs are mended\n"
    assert (new / "bin" / "ours").read_text() == f"#!{new}/bin/python\n# {old}.txt\n"
    assert (new / "bin" / "binary").read_bytes() == f"{old}\0".encode()
    assert str(new) in (new / "bin" / "activate").read_text()
    setup_env.make_venv(new, with_pip=False)
    assert capsys.readouterr().out == ""


def test_a_build_of_stage_4_that_came_from_elsewhere_is_not_gone_on_with(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="of the group `build`")
    source = ROOT / "stages" / "04_autograd" / "hatch_build.py"
    hook = runpy.run_path(str(source))
    build = tmp_path / "here" / "build"
    build.mkdir(parents=True)
    assert not hook["is_of_another"](build.parent, build)
    for name, is_of_another in (("here", False), ("there", True), ("here/build", True)):
        made = f"CMAKE_HOME_DIRECTORY:INTERNAL={tmp_path / name}\n"
        (build / "CMakeCache.txt").write_text(f"A:STRING=b\n{made}B:STRING=c\n")
        assert hook["is_of_another"](build.parent, build) is is_of_another


def test_setup_never_empties_a_folder_that_is_no_environment(setup_env, tmp_path: Path) -> None:
    (tmp_path / "answers.py").write_text("mine")
    with pytest.raises(SystemExit, match="holds other files: name an empty or new folder"):
        setup_env.make_venv(tmp_path, with_pip=False)
    assert (tmp_path / "answers.py").read_text() == "mine"


def test_setup_refuses_what_is_no_folder_in_one_sentence(setup_env, tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.touch()
    link.symlink_to(tmp_path / "nowhere")
    places = {file: "is a file: remove it", link: "is a link that leads nowhere: remove it"}
    for place, said in {**places, file / "venv": "cannot be made: .*Not a directory"}.items():
        with pytest.raises(SystemExit, match=f"{said}.* name another folder with VENV="):
            setup_env.make_venv(place, with_pip=False)


def test_an_environment_links_to_its_python(setup_env, tmp_path: Path) -> None:
    python = setup_env.make_venv(tmp_path / "venv", with_pip=False)
    assert python.is_symlink()
    subprocess.run([python, "-c", "import sys; assert sys.prefix != sys.base_prefix"], check=True)


@pytest.mark.parametrize(("trial", "offline"), [("exit 0", True), ("exit 2", False)])
def test_setup_asks_the_network_only_for_what_is_missing(
    setup_env, tmp_path: Path, trial: str, offline: bool
) -> None:
    uv, said = tmp_path / "uv", tmp_path / "said"
    uv.write_text(f'#!/bin/sh\ncase "$*" in *--dry-run*) {trial};; esac\necho "$*" >{said}\n')
    uv.chmod(0o755)
    install = [str(uv), "pip", "install", "--python", sys.executable]
    setup_env.install_all(Path(sys.executable), install, [], "native")
    assert ("--offline" in said.read_text().split()) is offline


@pytest.mark.parametrize(
    ("cached", "asked", "built"),
    [
        ("", "native", "native"),
        ("", "all", "all"),
        ("NORCH_ISAS:STRING=native\n", "native", "native"),
        ("NORCH_ISAS:STRING=native\n", "all", "all"),
        ("NORCH_ISAS:STRING=all\n", "native", "all"),
        ("NORCH_ISAS:UNINITIALIZED=all\n", "native", "all"),
        ("", "quick", "quick"),
        ("NORCH_ISAS:STRING=quick\n", "native", "native"),
        ("NORCH_ISAS:STRING=native\n", "quick", "native"),
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


def test_what_a_learner_waits_for_is_said_before(setup_env, monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setattr(setup_env, "instruction_sets", lambda asked: asked)
    monkeypatch.setattr(setup_env, "processors", lambda: 2)
    for asked, words in (
        ("quick", "compiles what the exercises run on, once: about 35 s on 2 cores"),
        ("native", "compiles this machine's kernels"),
        ("all", "compiles the kernels of all machines"),
    ):
        setup_env.install_all(Path(sys.executable), ["true"], [], asked)
        assert capsys.readouterr().out.splitlines()[0].endswith(words)
    assert (setup_env.WORK, setup_env.ALONE) == (ready.WORK, ready.ALONE)  # make next says it too


def test_an_installer_that_installed_nothing_is_found_out(
    setup_env, monkeypatch, tmp_path: Path
) -> None:
    uv = tmp_path / "uv"
    uv.write_text("#!/bin/sh\nexit 0\n")
    uv.chmod(0o755)
    monkeypatch.setattr(setup_env, "installer", lambda python, use_uv: [str(uv)])
    monkeypatch.setattr("sys.argv", ["setup_env.py", "--venv", str(tmp_path / "venv"), "course"])
    with pytest.raises(SystemExit, match=r"ended well, and .*venv lacks numpy, watchfiles: remove"):
        setup_env.main()
    here = Path(sys.executable)
    setup_env.refuse_missing(here, ["PyTest==9", "no-such-thing>=1; python_version<'3'"])


def test_the_tools_that_build_come_before_the_others(setup_env) -> None:
    needed, others = setup_env.requirements(["packages", "build", "run"])
    assert any(line.startswith("cmake==") for line in needed)
    assert any(line.startswith("matplotlib") for line in others)
    assert not set(needed) & set(others)


def test_make_asks_for_the_kernels_that_a_goal_needs() -> None:
    wanted = (("mnist", ""), ("bench", ""), ("test", "--isas all "), ("check 2.1", "--isas quick "))
    for goal, isas in wanted:
        command = ["make", "-n", "-B", *goal.split(), "VENV=build/none"]
        said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        assert f'--venv build/none --uv="$UV" {isas}packages build' in said


@pytest.mark.parametrize("words", [("next",), ("check", "1.6"), ("check", "1"), ("check",)])
def test_the_first_stage_compiles_nothing(words: tuple[str, ...]) -> None:
    command = ["make", "-n", "-B", *words, "VENV=build/none"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "packages" not in said
    assert "--compile" not in said


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
    assert builds.count()[:2] == (2, 3)
    folder.log(ARRAY, BLAS, SOFTMAX)
    assert builds.count() == (3, 3, None)


class Chain:
    """A build of ten objects of known seconds, three at once, of which some have ended."""

    def __init__(self, progress, monkeypatch, folder: Path, seconds: dict[str, float]) -> None:
        monkeypatch.setattr(progress, "num_jobs", lambda: 3)
        self.build, self.folder, self.ends = progress.Build, folder, {}
        free = [0.0] * 3
        for name, length in seconds.items():
            start, job = min((time, job) for job, time in enumerate(free))
            free[job] = start + length
            self.ends[name] = (start, free[job])
        (folder / "build.ninja").write_text(f"build it.so: LINK {' '.join(seconds)}\n")

    def foretold(self, usual: dict[str, float], when: float) -> tuple[float | None, float]:
        """Return what is foretold some seconds after the beginning, and what it takes."""
        ended = {name: times for name, times in self.ends.items() if times[1] <= when}
        lines = (f"{a * 1000:.0f}\t{b * 1000:.0f}\t1\t{n}\t1\n" for n, (a, b) in ended.items())
        log = self.folder / ".ninja_log"
        log.write_text("".join(lines))
        last = max((end for _, end in ended.values()), default=0.0)
        log_time = time.time() - (when - last)
        os.utime(log, (log_time, log_time))
        left = self.build(self.folder, usual, is_new=True).count().seconds_left
        return left, max(end for _, end in self.ends.values()) - when


LENGTHS = [2, 9, 1, 30, 4, 3, 20, 8, 2, 6, 25, 5, 7, 3, 12]


@pytest.mark.parametrize("when", [9.5, 15.0, 25.0, 35.0])
def test_what_took_long_the_last_time_takes_long_again(
    progress, monkeypatch, tmp_path: Path, when: float
) -> None:
    seconds = {f"{number}.o": float(length) for number, length in enumerate(LENGTHS)}
    chain = Chain(progress, monkeypatch, tmp_path, seconds)
    half = {name: length / 2 for name, length in seconds.items()}  # on a machine twice as fast
    for usual in (seconds, half):
        foretold, left = chain.foretold(usual, when)
        assert foretold == pytest.approx(left, rel=0.4)


def test_a_first_build_knows_which_folders_are_heavy(progress, monkeypatch, tmp_path) -> None:
    names = [f"csrc/core/{n}.cpp.o" for n in range(12)]
    names += [f"csrc/kernels/{n}.cpp.o" for n in range(12)]
    seconds = {name: 30 * progress.guess(name) for name in names}
    foretold, left = Chain(progress, monkeypatch, tmp_path, seconds).foretold({}, 125.0)
    assert foretold == pytest.approx(left, rel=0.2)


def test_nothing_is_foretold_of_a_first_file_or_once_it_was_wrong(
    progress, monkeypatch, tmp_path: Path
) -> None:
    seconds = {f"{n}.o": 1.0 for n in range(60)} | {"last.o": 50.0}
    chain = Chain(progress, monkeypatch, tmp_path, seconds)
    assert chain.foretold(seconds, 0.5)[0] is None
    assert chain.foretold(dict.fromkeys(seconds, 1.0), 45.0)[0] is None


@pytest.mark.parametrize(
    ("named", "cores", "jobs"), [("", 1, 2), ("", 2, 3), ("", 8, 10), ("5", 8, 5), ("all", 2, 3)]
)
def test_jobs_are_counted_as_ninja_does(progress, monkeypatch, named: str, cores, jobs) -> None:
    monkeypatch.setenv("CMAKE_BUILD_PARALLEL_LEVEL", named)
    monkeypatch.setattr("os.sched_getaffinity", lambda who: set(range(cores)), raising=False)
    assert progress.num_jobs() == jobs


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


def test_the_last_build_is_remembered(progress, tmp_path: Path) -> None:
    Folder(tmp_path).log(ARRAY, BLAS)
    (usual,) = {tuple(progress.Builds(tmp_path).usual.values())}
    assert usual[1:] == pytest.approx((1.986, 2.986))


def test_two_packages_compile_at_once(progress, tmp_path: Path) -> None:
    builds = progress.Builds(tmp_path)
    first, second = Folder(tmp_path), Folder(tmp_path, "04_autograd")
    first.log(ARRAY, BLAS)
    second.log(ARRAY, BLAS, SOFTMAX)
    assert builds.count()[:2] == (5, 6)


def test_no_time_is_foretold_while_a_folder_has_no_estimate(
    progress, monkeypatch, tmp_path: Path
) -> None:
    builds = progress.Builds(tmp_path)
    monkeypatch.setattr(progress.Build, "seconds_left", lambda build, *_: LEFT[build.folder])
    slow, quick = Folder(tmp_path), Folder(tmp_path, "04_autograd")
    LEFT = {slow.path: None, quick.path: 1.0}
    quick.log(ARRAY, BLAS)
    for entries in ((), (ARRAY,)):  # configured, then at work
        slow.log(*entries)
        assert builds.count()[2] is None
    LEFT[slow.path] = 60.0
    assert builds.count() == (3, 6, 60.0)
    slow.log(ARRAY, BLAS, SOFTMAX)
    assert builds.count() == (5, 6, 1.0)


def test_a_folder_of_another_python_hides_no_time(progress, monkeypatch, tmp_path: Path) -> None:
    Folder(tmp_path).log(ARRAY)
    builds = progress.Builds(tmp_path)
    monkeypatch.setattr(progress.Build, "seconds_left", lambda *_: 1.0)
    Folder(tmp_path, "04_autograd").log(ARRAY, BLAS)
    assert builds.count() == (2, 3, 1.0)


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


def test_a_terminal_is_shown_that_time_goes_on(tmp_path: Path) -> None:
    program = "import sys; sys.path.insert(0, 'tools'); import progress; from pathlib import Path\n"
    program += "progress.watch(['sleep', '2.5'], '[setup] waiting', Path(sys.argv[1]))"
    terminal, theirs = pty.openpty()
    command = [sys.executable, "-c", program, str(tmp_path)]
    child = subprocess.Popen(command, cwd=ROOT, stdout=theirs)
    os.close(theirs)
    seen = b""
    try:
        while chunk := os.read(terminal, 1000):
            seen += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    assert child.wait() == 0
    os.close(terminal)
    assert seen.isascii()
    assert seen.startswith(b"\r[setup] waiting: ")
    assert b"\n" not in seen
    assert seen.endswith(b" \r")


def test_elsewhere_a_line_comes_every_ten_seconds(progress, monkeypatch, capsys, tmp_path) -> None:
    assert (progress.ON_TERMINAL, progress.ELSEWHERE) == (0.5, 10)

    class Sleeping:
        waits = iter((True, True, False))

        def wait(self, seconds: float) -> None:
            if next(self.waits):
                raise subprocess.TimeoutExpired("sleep", seconds)

    progress.show(Sleeping(), "[setup] waiting", tmp_path)
    assert len(re.findall(r"\[setup\] waiting: \d+ s\n", capsys.readouterr().out)) == 2


@pytest.mark.parametrize("name", ["setup_env", "wheels", "test_stage"])
def test_what_ctrl_c_ends_says_so_in_one_line(setup_env, monkeypatch, capsys, name: str) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(setup_env.argparse.ArgumentParser, "parse_args", interrupted)
    with pytest.raises((SystemExit, KeyboardInterrupt)) as stop:
        runpy.run_path(str(ROOT / "tools" / f"{name}.py"), run_name="__main__")
    assert repr(stop.value) == "SystemExit(130)"
    assert capsys.readouterr() == ("", "[setup] stopped; make goes on where it was\n")


def test_what_a_command_says_is_handed_on(progress, capfd, tmp_path) -> None:
    both = ["sh", "-c", "echo why; echo so >&2; exit 3"]
    assert progress.watch(both, "it", tmp_path) == (3, "why\nso\n")
    assert capfd.readouterr().out == ""
