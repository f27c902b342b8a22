"""Setting up: the interpreter, the compiler, what is installed with what, and what is compiled.

Nothing is installed here: an installer of a test's own writes down how it was called.
"""

import os
import subprocess
import sys
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
