"""Building kernels at run time: the cache, its failures, and what the compiler has to say."""

import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from norch_cuda import load_kernel
from norch_cuda.runtime import compiler, library_cache, simulator_backend, sources
from norch_cuda.runtime.simulator_backend import load_library
from norch_cuda.runtime.sources import KernelSource, family_source, kernel_names

ADD_ONE = """
import norch_cuda
ops = norch_cuda.ops_for("cuda-sim")
print(ops.add(ops.from_list([1.0, 2.0]), 1.0).tolist())
"""
# Two libraries that are built in a moment: what is said of the cache holds for the kernels' too.
SMALL = """
from norch_cuda.runtime import compiler
text = ["#ifndef ANSWER", "#define ANSWER 7", "#endif", "#pragma GCC visibility push(default)"]
for name in ("one", "two"):
    whole = [*text, 'extern "C" int %s() { return ANSWER; }' % name]
    path = compiler.build_library(name, [], chr(10).join(whole), [], ())
    print(getattr(compiler.open_library(path), name)())
"""


def run(program, **environment):
    """Run a program in a process of its own."""
    environment = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment
    )


def test_kernel_names_are_found_directly_and_through_macros():
    assert kernel_names(
        'extern "C" __global__ void a(T* x) {}\n__global__ void __launch_bounds__(64) b() {}'
    ) == ("a", "b")
    text = "#define K(name) \\\n    __global__ void name##_kernel() { }\n\nK(one)\nK(two)\n"
    assert kernel_names(text) == ("one_kernel", "two_kernel")


def test_a_comparison_before_a_kernel_is_no_template():
    assert kernel_names("COMPARE(x > y)\n__global__ void mine(float* x) {}") == ("mine",)


def test_every_kernel_of_a_family_can_be_launched():
    source = family_source("functions", "float")
    assert set(load_library(source, False).kernels) == set(source.kernels)
    assert "exp_kernel" in source.kernels


def test_error_of_the_compiler_is_shown_with_its_line():
    text = 'extern "C" __global__ void broken(T* out) {\n    out[0] = nonsense;\n}\n'
    with pytest.raises(RuntimeError) as caught:
        load_kernel(text, "broken")(1, 1)
    assert "[cuda-sim]" in str(caught.value)
    assert "could not compile" in str(caught.value)
    assert "kernel.cu:2" in str(caught.value)
    assert "nonsense" in str(caught.value)


def test_text_without_a_kernel():
    with pytest.raises(RuntimeError, match=r"kernel\.cu defines no __global__ function"):
        load_kernel("int x;", "x")(1, 1)


def test_missing_compiler(tmp_path):
    answer = run(ADD_ONE, CXX="no-such-compiler", NORCH_CACHE=str(tmp_path))
    assert answer.returncode != 0
    assert "[cuda-sim] no C++ compiler (no-such-compiler) was found" in answer.stderr
    assert "install g++" in answer.stderr


def test_compiler_may_bring_words_of_its_own(tmp_path):
    named = f"{compiler.find_compiler()[0]} -DANSWER=42"
    answer = run(SMALL, CXX=named, NORCH_CACHE=str(tmp_path))
    assert answer.stdout == "42\n42\n", answer.stderr


def test_unwritable_cache_is_announced_in_one_line_and_replaced(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    answer = run(SMALL, NORCH_CACHE=str(blocked), TMPDIR=str(tmp_path))
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == "7\n7\n"
    assert answer.stderr.count("\n") == 1
    assert answer.stderr.startswith(f"norch: cannot write {blocked}/cuda-sim")
    assert list(tmp_path.iterdir()) == [blocked]  # the replacement went with its process


@pytest.mark.parametrize(
    ("named", "expected"),
    [("false", "does not say its version"), ("true", "built nothing: is it a C++ compiler?")],
)
def test_a_program_that_is_no_compiler(named, expected, tmp_path):
    answer = run(ADD_ONE, CXX=named, NORCH_CACHE=str(tmp_path))
    assert answer.stderr.splitlines()[-1].startswith("RuntimeError: [cuda-sim] ")
    assert expected in answer.stderr.splitlines()[-1]


DAMAGE = {
    "cut short": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "one byte changed": lambda data: data[:5000] + bytes([data[5000] ^ 1]) + data[5001:],
    "zeros, as after a crash": lambda data: bytes(len(data)),
    "a page of another file": lambda data: b"<html>" + data[6:],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_is_noticed(damage, tmp_path, capsys):
    library = tmp_path / "a.so"
    library.write_bytes(bytes(range(256)) * 40)
    library_cache.seal(library)
    assert library_cache.is_whole(library)
    library.write_bytes(damage(library.read_bytes()))
    assert not library_cache.is_whole(library)
    assert "is damaged; it is built again" in capsys.readouterr().err
    assert not library.exists()


def test_a_damaged_library_is_built_again(tmp_path):
    folder = tmp_path / "cuda-sim"
    assert run(SMALL, NORCH_CACHE=str(tmp_path)).stdout == "7\n7\n"
    (first,) = folder.glob("one-*.so")
    first.write_bytes(first.read_bytes()[:5000])
    min(folder.glob("two-*.sum")).unlink()
    answer = run(SMALL, NORCH_CACHE=str(tmp_path))
    assert (answer.returncode, answer.stdout) == (0, "7\n7\n"), answer.stderr
    assert answer.stderr.count("is damaged; it is built again") == 2
    assert run(SMALL, NORCH_CACHE=str(tmp_path)).stderr == ""


def test_a_library_that_the_system_refuses(tmp_path, monkeypatch):
    path = tmp_path / "a.so"
    path.write_bytes(b"whole, but no library")
    library_cache.seal(path)
    assert library_cache.is_whole(path)
    with pytest.raises(RuntimeError, match="NORCH_CACHE names another folder"):
        compiler.open_library(path)


KILLED = """
import os, signal, sys
from pathlib import Path
from norch_cuda.runtime import library_cache
with library_cache.building_directory(Path(sys.argv[1])) as folder:
    (folder / "half.o").write_bytes(b"x" * 100)
    print(folder, flush=True)
    if sys.argv[2] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    sys.stdin.read()
"""


def test_what_a_killed_builder_left_is_removed_by_the_next(tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    left = Path(subprocess.run([*command, "kill"], capture_output=True, text=True).stdout.strip())
    assert (left / "half.o").exists()
    at_work = subprocess.Popen([*command, "wait"], stdin=-1, stdout=-1, text=True)
    busy = Path(at_work.stdout.readline().strip())
    assert not left.exists()
    with library_cache.building_directory(tmp_path) as mine:
        assert sorted(tmp_path.iterdir()) == sorted([busy, mine])
    at_work.communicate()
    assert list(tmp_path.iterdir()) == []


def test_processes_that_build_at_once_fill_the_cache_once(tmp_path):
    environment = {**os.environ, "NORCH_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", SMALL]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(3)
    ]
    assert [p.communicate()[0] for p in started] == ["7\n7\n"] * 3
    files = sorted((tmp_path / "cuda-sim").iterdir())
    times = [file.stat().st_mtime_ns for file in files]
    assert {file.suffix for file in files} == {".so", ".sum"}
    assert run(SMALL, NORCH_CACHE=str(tmp_path)).stdout == "7\n7\n"
    assert sorted((tmp_path / "cuda-sim").iterdir()) == files
    assert [file.stat().st_mtime_ns for file in files] == times


def test_failed_build_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(compiler, "cache_directory", lambda device: tmp_path)
    with pytest.raises(RuntimeError):
        compiler.build_library("broken", [], "int x = ;", [], ())
    assert list(tmp_path.iterdir()) == []


def test_edited_kernel_is_built_again_from_one_file(monkeypatch):
    """One text is preprocessed, compiled and linked: the simulator and the others stay."""
    source = family_source("matmul", "float")
    line = f"enum {{ edited_{uuid.uuid4().hex} }};"  # a comment would not be compiled
    edited = KernelSource(f"{source.text}\n{line}\n", source.file, source.element)
    before = load_library(source, False).path
    commands = []
    run_together = compiler.run_together
    monkeypatch.setattr(
        compiler, "run_together", lambda given: commands.extend(given) or run_together(given)
    )
    assert load_library(edited, False).path != before
    assert ["-c" in command for command in commands] == [False, True, False]


def test_a_copy_of_the_sources_finds_what_was_built(monkeypatch, tmp_path):
    """A check of an exercise copies the package: what it did not edit is not compiled again."""
    built = load_library(family_source("copy", "float"), False).path
    copy = tmp_path / "csrc"
    shutil.copytree(sources.source_directory(), copy)
    for module in (sources, simulator_backend):
        monkeypatch.setattr(module, "source_directory", lambda: copy)
    family_source.cache_clear(), load_library.cache_clear()
    try:
        assert load_library(family_source("copy", "float"), False).path == built
        (copy / "kernel.h").write_text((copy / "kernel.h").read_text() + "struct Edited {};\n")
        load_library.cache_clear()
        assert load_library(family_source("copy", "float"), False).path != built
    finally:
        family_source.cache_clear(), load_library.cache_clear()


def test_simulator_works_without_its_assembler(tmp_path):
    program = (
        "from norch_cuda.runtime import compiler\n"
        "compiler.ENGINE += ('-DNORCH_SIM_UCONTEXT',)\n"
        "import norch_cuda\n"
        "ops = norch_cuda.ops_for('cuda-sim')\n"
        "a = ops.from_list([[float(i * j % 7) for i in range(20)] for j in range(20)])\n"
        "print(ops.sum(ops.matmul(a, a)).item(), ops.sum(a).item())\n"
        "import norch_cpu_ops as cpu\n"
        "b = ops.to_cpu(a)\n"
        "print(cpu.ops.sum(cpu.ops.matmul(b, b)).item(), cpu.ops.sum(b).item())\n"
    )
    answer = run(program)
    assert answer.returncode == 0, answer.stderr
    here, there = answer.stdout.splitlines()
    assert here == there


def test_cache_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("NORCH_CACHE", "/somewhere")
    assert library_cache._preferred_directory("cuda-sim") == Path("/somewhere/cuda-sim")
    monkeypatch.delenv("NORCH_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert library_cache._preferred_directory("cuda-sim") == Path("/cache/norch/cuda-sim")
    monkeypatch.setenv("NORCH_CACHE", "")  # as good as not set
    assert library_cache._preferred_directory("cuda-sim") == Path("/cache/norch/cuda-sim")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert (
        library_cache._preferred_directory("cuda-sim") == tmp_path / "Library/Caches/norch/cuda-sim"
    )
