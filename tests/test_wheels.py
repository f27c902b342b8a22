"""The wheels: which packages are compiled, for which Pythons, and what auditwheel must say of them.

`make wheels` builds, installs and trains; tests/test_fresh_install.py calls it in a clean clone.
"""

import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHOWN = """
norch_cpu_ops-0.1.0-cp311-cp311-linux_x86_64.whl is consistent with
the following platform
tag: "{tag}".

The wheel references external versioned symbols in these libraries.
"""


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


@pytest.mark.parametrize("tag", ["manylinux_2_28_x86_64", "manylinux_2_35_aarch64"])
def test_a_wheel_that_other_machines_can_load_passes(wheels, monkeypatch, tag: str) -> None:
    answer = subprocess.CompletedProcess([], 0, SHOWN.format(tag=tag), "")
    monkeypatch.setattr(subprocess, "run", lambda *words, **options: answer)
    assert wheels.audit(Path("norch_cpu_ops.whl")) == tag


@pytest.mark.parametrize(
    ("code", "said"), [(0, SHOWN.format(tag="linux_x86_64")), (0, "no word"), (1, "broken wheel")]
)
def test_a_wheel_that_only_this_machine_can_load_is_refused(
    wheels, monkeypatch, code: int, said: str
) -> None:
    answer = subprocess.CompletedProcess([], code, said, "")
    monkeypatch.setattr(subprocess, "run", lambda *words, **options: answer)
    with pytest.raises(SystemExit, match=r"norch_cpu_ops\.whl is tied to this machine"):
        wheels.audit(Path("norch_cpu_ops.whl"))


def test_the_model_that_is_trained_without_a_compiler_trains(wheels, capsys) -> None:
    exec(compile(wheels.PROGRAM, "program", "exec"), {})
    assert "[wheels] trained without a compiler: loss" in capsys.readouterr().out


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
