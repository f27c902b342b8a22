"""The wheels: which packages are compiled, for which Pythons, what each must carry, and what
auditwheel must say of them.

`make wheels` builds, opens, installs and trains; tests/test_fresh_install.py calls it in a clean
clone. Here stage 1's wheel is built once and each thing that it must carry is spoiled in a copy.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import pytest

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


def test_wheels_are_built_for_every_python_that_is_promised(wheels) -> None:
    builds = settings(ROOT / "pyproject.toml")["tool"]["cibuildwheel"]["build"].split()
    promised = [name.removeprefix("python").replace(".", "") for name in wheels.supported()]
    assert builds == [f"cp{version}-*" for version in promised]


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


def test_the_supported_pythons_are_those_of_the_metadata(wheels) -> None:
    wanted = settings(ROOT / "norch" / "pyproject.toml")["project"]["requires-python"]
    names = wheels.supported()
    assert wanted == f">={names[0][6:]},<3.{int(names[-1][8:]) + 1}"
    assert names == [f"python3.{minor}" for minor in range(11, 11 + len(names))]


def pythons(folder: Path, monkeypatch: pytest.MonkeyPatch, **said: str) -> None:
    """Commands of these names, and no others, that answer as an interpreter asked for itself."""
    for name, answer in said.items():
        program = folder / name.replace("_", ".")
        program.write_text(f"#!/bin/sh\n{answer}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    here = {path.name for path in folder.iterdir()}
    which = lambda name: str(folder / name) if name in here else None  # noqa: E731
    monkeypatch.setattr("shutil.which", which)


def test_each_other_python_that_can_set_norch_up_gets_wheels(
    wheels, monkeypatch, tmp_path: Path, capsys
) -> None:
    monkeypatch.setattr(wheels, "HERE", "python3.11")
    pythons(
        tmp_path,
        monkeypatch,
        python3_11="exit 3",
        python3_12=f"echo {tmp_path}/python3.12",
        python3_13="echo has no Python.h; exit 1",
        python3_9="exit 3",
    )
    assert wheels.others() == [f"{tmp_path}/python3.12"]
    said = capsys.readouterr().out
    assert said == "[wheels] no wheels for python3.13: has no Python.h\n"


def test_another_python_does_it_all_in_an_environment_of_its_own(wheels, monkeypatch) -> None:
    calls, codes = [], iter([0, 0, 0, 7])
    monkeypatch.setattr(
        subprocess,
        "run",
        lambda words, **options: calls.append(words) or SimpleNamespace(returncode=next(codes)),
    )
    wheels.do_beside("/usr/bin/python3.14", ["--uv", "0"])
    setup, again = calls
    environment = ROOT / "build" / "wheels-python3.14"
    assert setup[:2] == ["/usr/bin/python3.14", "tools/setup_env.py"]
    assert setup[2:] == ["--venv", str(environment), "--uv", "0", "build", "wheels"]
    assert again == [str(environment / "bin/python"), "tools/wheels.py", "--beside", "--uv", "0"]
    with pytest.raises(SystemExit, match=r"\[wheels\] python3\.14: see above \(7\)"):
        wheels.do_beside("/usr/bin/python3.14", ["--uv", "0"])


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
