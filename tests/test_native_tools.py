"""The gates of make sanitize and make check-arm can fail, and say what to install.

The goals themselves take minutes; here their judgement is tried on programs that cost nothing.
"""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import norch_cpu_ops

ROOT = Path(__file__).resolve().parent.parent
CSRC = ROOT / "stages" / "02_cpu_ops" / "csrc"
VECTORS = """
#include <cstdio>
#include "kernels/vec.h"
int main() {
  float x[norch::kLanes<float>];
  for (int i = 0; i < norch::kLanes<float>; ++i) x[i] = float(i + 1);
  const auto product = norch::load(x) * norch::load(x);
  std::printf("%g\\n", norch::fold<float>(product, [](float u, float v) { return u + v; }));
}
"""


@pytest.fixture
def sanitize(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import sanitize

    return sanitize


@pytest.fixture
def check_arm(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import check_arm

    return check_arm


def script(folder: Path, text: str) -> Path:
    path = folder / "stress"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_sanitizer_that_misses_a_planted_fault_fails_the_gate(sanitize, tmp_path: Path) -> None:
    silent = script(tmp_path, "exit 0")
    assert "'overflow' was not reported" in sanitize.blind_to(silent, "overflow", "use-after")
    another = script(tmp_path, "echo something else >&2; exit 1")
    assert "something else" in sanitize.blind_to(another, "overflow", "use-after")
    caught = script(tmp_path, "echo ERROR: use-after-poison >&2; exit 1")
    assert sanitize.blind_to(caught, "overflow", "use-after-poison") == ""


def test_what_a_sanitizer_finds_fails_the_gate(sanitize, tmp_path: Path, capsys) -> None:
    for kind in sanitize.FAULTS:
        found = script(tmp_path, "echo data race at pool.cpp:3 >&2; exit 66")
        assert "pool.cpp:3" in sanitize.complaint_of(found)
        assert not sanitize.check_program(kind, tmp_path)
    assert "FAILED  thread: stress program" in capsys.readouterr().out


def test_every_planted_fault_is_one_that_the_program_knows(sanitize) -> None:
    text = (CSRC.parent / "tests" / "programs" / "stress.cpp").read_text()
    for faults in sanitize.FAULTS.values():
        assert all(f'{{"{fault}", &' in text for fault in faults)


def test_sanitize_names_what_is_missing(sanitize, monkeypatch, tmp_path: Path) -> None:
    compiler = script(tmp_path, 'echo "${1#-print-file-name=}"')
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setattr(sanitize.platform, "system", lambda: "Linux")
    with pytest.raises(SystemExit, match=r"has no libasan\.so: apt install g\+\+"):
        sanitize.check_machine()
    script(tmp_path, "echo clang version 20")
    with pytest.raises(SystemExit, match=r"make sanitize CXX=g\+\+"):
        sanitize.check_machine()


def test_check_arm_names_what_is_missing(check_arm, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    both = r"aarch64-linux-gnu-g\+\+ and qemu-aarch64 not found: apt install g\+\+-aarch64"
    with pytest.raises(SystemExit, match=both):
        check_arm.tools()


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ("float32 (2) 1.5 nan", ""),
        ("float32 (2) 1.50001 nan", ""),
        ("float32 (2) 1.6 nan", "element 0 is 1.6 instead of 1.5"),
        ("float32 (2) 1.5 0", "element 1 is 0 instead of nan"),
        ("float32 (2) 1.5", "another number of values"),
        ("float64 (2) 1.5 nan", "float64 instead of float32"),
        ("float32 (1,2) 1.5 nan", "(1,2) instead of (2)"),
    ],
)
def test_results_of_two_machines_are_compared(check_arm, there: str, said: str) -> None:
    assert check_arm.complaint(["float32", "(2)", "1.5", "nan"], there.split()) == said


def test_whole_numbers_must_be_equal_and_none_may_miss(check_arm) -> None:
    here = {"a": ["int64", "(1)", "1000000"], "b": ["bool", "()", "1"]}
    there = {"a": ["int64", "(1)", "1000001"]}
    assert check_arm.compare(here, there) == [
        "a: 1000001 instead of 1000000",
        "b: only one machine has it",
    ]


def test_vectors_work_on_arm(check_arm, tmp_path: Path) -> None:
    """One source for all instruction sets: kernels/vec.h is compiled to NEON and run."""
    if sys.platform != "linux" or not shutil.which(check_arm.COMPILER):
        pytest.skip(f"needs {check_arm.COMPILER} and qemu: {check_arm.HOW}")
    if not any(map(shutil.which, check_arm.EMULATORS)):
        pytest.skip(f"needs qemu: {check_arm.HOW}")
    compiler, emulator = check_arm.tools()
    source, program = tmp_path / "vectors.cpp", tmp_path / "vectors"
    source.write_text(VECTORS)
    words = [compiler, "-std=c++17", "-O2", "-I", CSRC, source, "-o", program]
    subprocess.run(words, check=True)
    command = [emulator, "-L", check_arm.LIBRARIES, program]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout == "30\n"  # 1 + 4 + 9 + 16: four lanes


def ninja(tree: Path, *words: str) -> str:
    program = Path(sys.executable).with_name("ninja")
    answer = subprocess.run([program, *words], cwd=tree, capture_output=True, text=True, check=True)
    return answer.stdout


def configured(monkeypatch: pytest.MonkeyPatch, folder: Path, **definitions: str) -> set[str]:
    """Configure stage 2 and return the instruction sets whose kernels it would compile."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import native

    native.build(folder, ["help"], NORCH_BINDINGS="OFF", **definitions)
    listed = ninja(folder, "-t", "targets", "all").splitlines()
    return {word for word in ("baseline", "avx2", "avx512") if f"kernels_{word}: phony" in listed}


def test_a_native_build_compiles_the_kernels_of_this_machine_alone(monkeypatch, tmp_path) -> None:
    every = configured(monkeypatch, tmp_path, NORCH_ISAS="all")
    assert "baseline" in every
    best = {norch_cpu_ops.instruction_sets()[-1]}
    assert configured(monkeypatch, tmp_path, NORCH_ISAS="native") == best
    assert configured(monkeypatch, tmp_path, NORCH_ISAS="native") == best  # and remembers it
    assert configured(monkeypatch, tmp_path, NORCH_ISAS="all") == every


def test_an_unknown_choice_of_instruction_sets_is_refused(monkeypatch, tmp_path, capsys) -> None:
    with pytest.raises(SystemExit):
        configured(monkeypatch, tmp_path, NORCH_ISAS="some")
    assert "[NORCH_ISAS] expected all, native or quick, got 'some'" in capsys.readouterr().out


def test_a_build_for_another_machine_says_so_when_it_is_imported(tmp_path: Path) -> None:
    """The module again, with no instruction set that this machine can run."""
    trees = (ROOT / "stages" / "02_cpu_ops" / "build").glob("editable-*/_cpu*.so")
    module = max(trees, key=lambda path: path.stat().st_mtime, default=None)
    if module is None:
        pytest.skip("stage 2 was not built in this checkout: make setup")
    name = "CMakeFiles/core.dir/csrc/core/isa.cpp.o"
    compiled, fresh = ninja(module.parent, "-t", "commands", name).splitlines()[-1], tmp_path / "o"
    words = [w for w in shlex.split(compiled) if not w.startswith("-DNORCH_HAS_")]
    words = [str(fresh) if word == name else word for word in words]
    subprocess.run(words, cwd=module.parent, check=True)
    link = shlex.split(ninja(module.parent, "-t", "commands", module.name).splitlines()[-1])
    words = link[link.index("&&") + 1 : len(link) - 1 - link[::-1].index("&&")]
    words = [{name: str(fresh), module.name: str(tmp_path / module.name)}.get(w, w) for w in words]
    subprocess.run(words, cwd=module.parent, check=True)
    answer = subprocess.run(
        [sys.executable, "-c", "import _cpu"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ImportError: [norch_cpu_ops] built for another machine" in answer.stderr
    assert "make clean, then make setup" in answer.stderr
