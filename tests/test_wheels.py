"""The wheels: which packages are compiled, for which Pythons, what each must carry, and what
auditwheel must say of them.

`make wheels` builds, opens, installs and trains; tests/test_fresh_install.py calls it in a clean
clone. Here stage 1's wheel is built once and each thing that it must carry is spoiled in a copy.
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import pytest
from pythons import MINORS

ROOT = Path(__file__).resolve().parent.parent
# What `auditwheel show --json` says of a wheel that needs nothing beside the C library.
SHOWN = {
    "overall_tag": "linux_x86_64",
    "unsupported_isa": False,
    "pyfpe": False,
    "ucs2": False,
    "versioned_symbols": {
        "libc.so.6": ["GLIBC_2.2.5", "GLIBC_2.38"],
        "libm.so.6": ["GLIBC_2.9", "GLIBC_2.43"],
        "libstdc++.so.6": ["GLIBCXX_3.4.30"],
    },
    "external_libs": {},
    "policy_upgrades": {},
}


@pytest.fixture
def wheels(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import wheels

    return wheels


def settings(path: Path) -> dict:
    with path.open("rb") as file:
        return tomllib.load(file)


def test_every_package_becomes_a_wheel_of_its_name(wheels) -> None:
    projects = [ROOT / folder / "pyproject.toml" for folder in wheels.FOLDERS]
    names = [settings(path)["project"]["name"].replace("-", "_") for path in projects]
    assert [wheels.distribution(folder) for folder in wheels.FOLDERS] == names
    assert len(names) == 9


def test_compiled_packages_are_those_that_build_with_cmake(wheels) -> None:
    for folder in wheels.FOLDERS:
        needed = settings(ROOT / folder / "pyproject.toml")["build-system"]["requires"]
        builds = any(line.startswith(("cmake", "scikit-build-core")) for line in needed)
        assert (folder in wheels.COMPILED) == builds, folder


def test_wheels_are_built_for_every_python_that_is_promised() -> None:
    builds = settings(ROOT / "pyproject.toml")["tool"]["cibuildwheel"]["build"].split()
    assert builds == [f"cp3{minor}-*" for minor in MINORS]


STAGE_1 = "stages/01_strides"
VERSION = settings(ROOT / "norch" / "pyproject.toml")["project"]["version"]
INFO = f"norch_strides-{VERSION}.dist-info"


@pytest.fixture(scope="module")
def strides_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stage 1 as `make wheels` builds it: the one package that takes no time."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import wheels

        return wheels.build_wheels([STAGE_1], tmp_path_factory.mktemp("wheels"), "native")[0]
    finally:
        sys.path.remove(str(ROOT / "tools"))


@pytest.fixture
def contents(wheels):
    import wheel_contents

    return wheel_contents


def spoiled(wheel: Path, folder: Path, changes: dict[str, object]) -> Path:
    """A copy of a wheel with other bytes in some files; None leaves a file out."""
    with ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    for name, change in changes.items():
        files[name] = change(files[name]) if callable(change) else change
    with ZipFile(folder / wheel.name, "w") as archive:
        for name, content in files.items():
            if content is not None:
                archive.writestr(name, content)
    return folder / wheel.name


def test_a_whole_wheel_passes(contents, strides_wheel: Path, capsys) -> None:
    assert contents.complaints(strides_wheel, STAGE_1) == []
    contents.refuse_incomplete({strides_wheel: STAGE_1})
    assert "1 wheels hold licence, types and description" in capsys.readouterr().out


def without(line: str):
    """METADATA without the lines that begin so."""
    return lambda text: re.sub(rb"(?m)^" + line.encode() + rb".*\n", b"", text)


METADATA = f"{INFO}/METADATA"
SPOILED = {
    "no licence's text": ({f"{INFO}/licenses/LICENSE": None}, "licenses/LICENSE is not there"),
    "another text": ({f"{INFO}/licenses/LICENSE": b"MIT"}, "or not the text of the root's"),
    "no licence's name": ({METADATA: without("License-Ex")}, "License-Expression is None, not MIT"),
    "no licence's file": ({METADATA: without("License-File")}, "License-File is None, not LICENSE"),
    "no types": ({"norch_strides/py.typed": None}, "py.typed is not there"),
    "no author": ({METADATA: without("Author")}, "METADATA's Author is not that of 01_strides/py"),
    "no keywords": ({METADATA: without("Keywords")}, "METADATA's Keywords is not"),
    "one class less": ({METADATA: without("Classifier: Typing")}, "METADATA's Classifier is not"),
    "any Python": ({METADATA: without("Requires-Python")}, "METADATA's Requires-Python is not"),
    "no summary": ({METADATA: without("Summary")}, "METADATA's Summary is not"),
    "another version": (
        {METADATA: lambda text: text.replace(f"Version: {VERSION}".encode(), b"Version: 0.0.9")},
        "METADATA's Version is not",
    ),
    "no README": (
        {METADATA: lambda text: text.partition(b"\n\n")[0]},
        "METADATA's description is not",
    ),
    "a test": ({"norch_strides/tests/test_x.py": b""}, "holds norch_strides/tests/test_x.py"),
    "a cache": ({"norch_strides/__pycache__/x.pyc": b""}, "holds norch_strides/__pycache__/x.pyc"),
    "a file beside": ({"notes.txt": b""}, "holds notes.txt"),
    "a module": ({"norch_strides/_x.so": b""}, "has no C++, but is tagged py3-none-any and holds"),
    "this folder": (
        {"norch_strides/x.bin": str(ROOT).encode()},
        "norch_strides/x.bin names the folder where it was built",
    ),
    "a home": (
        {"norch_strides/x.py": b"# /" + b"home/ada/norch"},
        "true on one machine only",
    ),
}


@pytest.mark.parametrize("what", SPOILED)
def test_a_spoiled_wheel_is_refused(contents, strides_wheel, tmp_path: Path, what: str) -> None:
    changes, words = SPOILED[what]
    wheel = spoiled(strides_wheel, tmp_path, changes)
    (complaint,) = contents.complaints(wheel, STAGE_1)
    assert complaint.startswith(f"{wheel.name}: ")
    assert words in complaint
    with pytest.raises(SystemExit, match="what would be given away is not whole") as refusal:
        contents.refuse_incomplete({wheel: STAGE_1})
    assert complaint in str(refusal.value)


@pytest.mark.parametrize(
    ("tag", "files", "words"),
    [
        ("cp311-cp311-linux_x86_64", ["_cpu.cpython-311-x86_64-linux-gnu.so"], None),
        ("cp314-cp314-macosx_11_0_arm64", ["_cpu.cpython-314-darwin.so"], None),
        ("cp311-cp311-linux_x86_64", ["_cpu.pyi"], "holds no compiled module"),
        ("cp312-cp312-linux_x86_64", ["_cpu.cpython-311-x86_64-linux-gnu.so"], "tagged cp312"),
        ("py3-none-any", ["_cpu.cpython-311-x86_64-linux-gnu.so"], "is tagged py3-none-any"),
    ],
)
def test_a_compiled_package_has_the_module_of_its_python(
    contents, tag: str, files: list[str], words: str | None
) -> None:
    wheel = SimpleNamespace(source=ROOT / "stages/02_cpu_ops", tag=tag, files=dict.fromkeys(files))
    found = list(contents.modules(wheel))
    assert len(found) == (words is not None)
    assert all(words in complaint for complaint in found)


def test_a_package_without_a_wheel_is_missed(wheels, strides_wheel: Path) -> None:
    with pytest.raises(SystemExit, match=r"has no wheel of extras/norch_extras, .*stages/06_ddp"):
        wheels.check(strides_wheel.parent)


def python(path: Path, minor: int, reason: str = "") -> Path:
    """An interpreter that answers as it is asked: for itself, and for its version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    answer = f"echo '{reason}' >&2; exit 1" if reason else f"echo {path}"
    path.write_text(f'#!/bin/sh\n[ "$1" = -c ] && echo 3.{minor} && exit\n{answer}\n')
    path.chmod(0o755)
    return path


def test_each_other_python_that_can_set_norch_up_gets_wheels(
    wheels, monkeypatch, tmp_path: Path, capsys
) -> None:
    """Also those that pyenv and uv keep, whose names on the path may not start."""
    path, kept = tmp_path / "bin", tmp_path / "pyenv" / "versions"
    for name in ("sh", "sed", "grep", "seq", "tail", "dirname"):
        path.mkdir(exist_ok=True)
        (path / name).symlink_to(shutil.which(name))
    python(path / "python3.11", 11)
    python(path / "python3", 11)
    python(path / "python3.12", 12, "pyenv: python3.12: command not found")
    python(path / "python3.13", 13, "has no Python.h: get it")
    python(path / "python3.14", 14, "[Errno 2] no such file")
    python(path / "python", 9, "is 3.9, not a supported one")
    in_pyenv = [python(kept / version / "bin/python", 12) for version in ("3.12.1", "3.12.7")]
    in_uv = python(tmp_path / "uv" / "cpython-3.15.0-x" / "bin/python", 15)
    monkeypatch.setattr(wheels, "HERE", "python3.11")
    monkeypatch.setenv("PATH", str(path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("PYTHON", str(path / "python3.11"))
    assert wheels.others() == {
        "python3.15": str(in_uv),
        "python3.12": str(in_pyenv[0]),
    }
    assert capsys.readouterr().out.splitlines() == [
        "[wheels] no wheels for python3.14: does not start as a Python",
        "[wheels] no wheels for python3.13: has no Python.h: get it",
    ]


@pytest.mark.parametrize(("words", "asked"), [([], 1), (["--quick"], 0), (["--prove"], 0)])
def test_other_pythons_are_asked_for_by_the_whole_alone(wheels, monkeypatch, words, asked) -> None:
    for name in ("check_compiler", "build_wheels", "check", "prove"):
        monkeypatch.setattr(wheels, name, lambda *given: None)
    found = []
    monkeypatch.setattr(wheels, "others", lambda: found.append(1) or {})
    monkeypatch.setattr(sys, "argv", ["wheels.py", *words])
    wheels.main()
    assert len(found) == asked


def test_another_python_does_it_all_in_an_environment_of_its_own(wheels, monkeypatch) -> None:
    calls, codes = [], iter([0, 0, 0, 7])
    monkeypatch.setattr(
        subprocess,
        "run",
        lambda words, **options: calls.append(words) or SimpleNamespace(returncode=next(codes)),
    )
    wheels.do_beside("python3.14", "/pyenv/3.14.2/bin/python", ["--uv", "0"])
    setup, again = calls
    environment = ROOT / "build" / "wheels-python3.14"
    assert setup[:2] == ["/pyenv/3.14.2/bin/python", "tools/setup_env.py"]
    assert setup[2:] == ["--venv", str(environment), "--uv", "0", "build", "wheels"]
    assert again == [str(environment / "bin/python"), "tools/wheels.py", "--beside", "--uv", "0"]
    with pytest.raises(SystemExit, match=r"\[wheels\] python3\.14: see above \(7\)"):
        wheels.do_beside("python3.14", "/pyenv/3.14.2/bin/python", ["--uv", "0"])


def says(monkeypatch: pytest.MonkeyPatch, code: int, **changes: object) -> None:
    """Let auditwheel answer so."""
    answer = subprocess.CompletedProcess([], code, json.dumps(SHOWN | changes), "its own words")
    monkeypatch.setattr(subprocess, "run", lambda *words, **options: answer)


@pytest.mark.parametrize("tag", ["manylinux_2_28_x86_64", "manylinux_2_35_aarch64"])
def test_a_wheel_that_other_machines_can_load_passes(wheels, monkeypatch, tag: str) -> None:
    says(monkeypatch, 0, overall_tag=tag)
    assert wheels.audit(Path("norch_cpu_ops.whl")) == tag


def test_a_system_that_is_newer_than_every_tag_is_named(wheels, monkeypatch) -> None:
    says(monkeypatch, 0)
    assert wheels.audit(Path("norch_cpu_ops.whl")) == "Linux with glibc 2.43"


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        (0, {"external_libs": {"libopenblas.so.0": None}}),
        (0, {"unsupported_isa": True}),
        (
            0,
            {
                "policy_upgrades": {
                    "manylinux_2_28_x86_64": {"blacklisted_symbols": {"libz": ["x"]}}
                }
            },
        ),
        (1, {}),
    ],
)
def test_a_wheel_that_only_this_machine_can_load_is_refused(
    wheels, monkeypatch, code: int, changes: dict
) -> None:
    says(monkeypatch, code, **changes)
    with pytest.raises(SystemExit, match=r"norch_cpu_ops\.whl is tied to this machine") as refusal:
        wheels.audit(Path("norch_cpu_ops.whl"))
    assert "its own words" in str(refusal.value)


def test_the_model_that_is_trained_without_a_compiler_trains(wheels, capsys) -> None:
    exec(compile(wheels.PROGRAM, "program", "exec"), {})
    said = capsys.readouterr().out
    assert re.match(r"\[wheels\] Python 3\.\d+ trained without a compiler: loss", said)


def test_no_compiler_can_be_reached_where_the_wheels_are_tried(
    wheels, monkeypatch, tmp_path: Path
) -> None:
    python = tmp_path / "build" / "wheels-venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    calls = []
    monkeypatch.setattr(wheels, "ROOT", tmp_path)
    monkeypatch.setattr(wheels.shutil, "rmtree", lambda folder, ignore_errors: None)
    monkeypatch.setattr(wheels, "make_venv", lambda folder, with_pip: python)
    monkeypatch.setattr(wheels, "installer", lambda python, use_uv: ["uv"])
    monkeypatch.setattr(wheels, "run", lambda command, python, what: calls.append(command))
    done = subprocess.CompletedProcess([], 0)
    monkeypatch.setattr(
        subprocess, "run", lambda command, **options: calls.append(options["env"]) or done
    )
    wheels.prove(tmp_path / "dist", use_uv=True)
    ours, _, environment = calls
    assert {"--no-index", "--no-deps", "norch", "norch-cpu-ops"} <= set(ours)
    assert list(Path(environment["PATH"]).iterdir()) == []
