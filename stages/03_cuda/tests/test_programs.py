"""Whole CUDA programs: what they print, what is said of their faults, and how they end."""

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from norch_cuda.programs import shelves
from norch_cuda.programs.build import Program, build
from norch_cuda.programs.command import parse
from norch_cuda.runtime.compiler import CompilationError

FOLDER = Path(__file__).parent / "programs"
FOUND = 86  # the exit status of a program in which something was found


def run(name, *arguments, flags=()):
    """Run a program of the folder; returns its exit status, its output, and what was said."""
    command = [sys.executable, "-m", "norch_cuda", "run", f"{name}.cu", *flags, "--", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER, env={**os.environ})
    return done.returncode, done.stdout, done.stderr


def line_of(name, fault):
    """The line of a program that ends with the name of a fault, as messages say it."""
    lines = (FOLDER / f"{name}.cu").read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if line.endswith(f"// {fault}")]
    return f"{name}.cu:{number}"


@pytest.mark.parametrize("flags", [(), ("--check",), ("--async",)])
def test_right_program_ends_as_it_says(flags):
    status, output, said = run("vector_add", flags=flags)
    assert (status, output) == (0, "0 wrong\n")
    assert said in ("", "========= ERROR SUMMARY: 0 errors\n")


RIGHT = {
    "cooperation": "rounds 536\nscaled 151 211 271 331\nsymbols 360361\n",
    "names": "32 20 32\n120 120\n60000 49152 cudaSuccess cudaErrorInvalidValue\n",
    "streams": "0 wrong, 2 calls, time passed\n2 8 13\n8.0 warps of 32, 8 blocks\n",
}


@pytest.mark.parametrize("flags", [(), ("--async",), ("--check",)])
@pytest.mark.parametrize("name", RIGHT)
def test_program_that_uses_more_of_the_runtime(name, flags):
    status, output, said = run(name, flags=flags)
    assert (status, output) == (0, RIGHT[name]), said


def test_summary_lists_kernels_and_copies():
    said = run("vector_add", "4096", flags=("--summary",))[2]
    assert re.search(r"100\.0% +[\d.]+ +1 +[\d.]+ +4096  add$", said, re.MULTILINE)
    assert re.search(r" 2 +[\d.]+ +32768  cudaMemcpyHostToDevice$", said, re.MULTILINE)
    assert "At most 49152 bytes" in said


@pytest.mark.parametrize("flags", [(), ("--check",)])
def test_index_outside_names_line_array_and_where_it_was_made(flags):
    status, _, said = run("vector_add", "1000", "1200", flags=flags)
    assert status == FOUND
    assert line_of("vector_add", "outside") in said
    assert re.search(
        r"past the end of `d_\w` \(4000 bytes, cudaMalloc at vector_add.cu:\d+\)", said
    )
    assert "launched at vector_add.cu:" in said and "cudaErrorIllegalAddress" in said


def test_few_bytes_too_many_are_found_after_the_launch():
    status, _, said = run("vector_add", "1000", "1001")
    assert status == FOUND
    assert "wrote outside `d_c` (4000 bytes" in said


HOST_FAULTS = {
    "block": "a block of 2048 threads cannot be launched",
    "shared": "a block has 49152 bytes of shared memory, the kernel wants 100000",
    "reads": "device memory, which the host reaches by cudaMemcpy only",
    "direction": "the pointer that should be the device's is host memory",
    "bytes": "871 bytes more than there are in `device` (128 bytes, cudaMalloc at",
    "inside": "the pointer is inside of `device`",
    "twice": "is freed already",
    "freed": "`device` (128 bytes, cudaMalloc at host_faults.cu:",
}


@pytest.mark.parametrize("fault", HOST_FAULTS)
def test_fault_of_host_code_is_named_with_its_line(fault):
    status, _, said = run("host_faults", fault)
    assert status == FOUND
    assert HOST_FAULTS[fault] in said
    assert line_of("host_faults", fault) in said


# What is said of each kernel when every access is checked, and the API's error from then on.
KERNEL_FAULTS = {
    "race": ("reads shared memory at", "LaunchFailure"),
    "blocks": ("nothing orders the blocks of a launch", "LaunchFailure"),
    "unset_shared": ("reads shared memory", "LaunchFailure"),
    "unset_global": ("bytes of `y` (256 bytes, cudaMalloc at", "LaunchFailure"),
    "unset_local": ("reads a local variable", "LaunchFailure"),
    "before": ("4 bytes before the start of `x` (256 bytes", "IllegalAddress"),
    "behind_shared": ("uses index 64 of an array of type 'float [64]'", "LaunchFailure"),
    "behind_dynamic": ("which has the 128 bytes that the launch says", "IllegalAddress"),
    "behind_constant": ("uses index 4 of an array of type 'float [4]'", "LaunchFailure"),
    "divergent": ("divergent __syncthreads()", "LaunchFailure"),
    "misaligned": ("no multiple of 16", "MisalignedAddress"),
    "null": ("a null pointer", "IllegalAddress"),
    "asserts": ("assert(x[threadIdx.x] > 1) failed", "Assert"),
    "divides": ("divides a whole number by zero", "LaunchFailure"),
    "endless": ("still running after the time allowed", "LaunchTimeout"),
    "mixed": ("race in global memory", "LaunchFailure"),
    "heap": ("outside the array that its pointer came from", "IllegalAddress"),
    "host_memory": ("it is host memory, which a GPU cannot reach", "IllegalAddress"),
    "uses_freed": ("it is in `numbers` (256 bytes, cudaMalloc at", "IllegalAddress"),
    "through_kept": ("freed at kernel_faults.cu:", "IllegalAddress"),
}


@pytest.mark.parametrize("fault", KERNEL_FAULTS)
def test_fault_of_a_kernel_is_named_with_its_line(fault, monkeypatch):
    if fault == "endless":
        monkeypatch.setenv("NORCH_SECONDS", "0.5")
    status, output, said = run("kernel_faults", fault, flags=("--check",))
    words, error = KERNEL_FAULTS[fault]
    assert words in said
    assert line_of("kernel_faults", fault) in said
    assert (status, output) == (FOUND, f"cudaError{error}\n")


def test_leak_is_named_by_where_it_was_made():
    status, _, said = run("host_faults", "leak", flags=("--check",))
    assert status == FOUND
    made = line_of("host_faults", "leak")
    assert f"Leaked 128 bytes: `managed` (128 bytes, cudaMallocManaged at {made})" in said
    assert run("host_faults", "nothing", flags=("--check",))[0] == 0


def test_missing_synchronise_is_named_when_work_waits():
    status, output, said = run("host_faults", "wait", flags=("--async",))
    assert (status, output) == (FOUND, "0\n5\n")
    assert line_of("host_faults", "wait") in said
    assert "call cudaDeviceSynchronize() before" in said
    assert "count_up (launched at host_faults.cu:" in said
    said = run("host_faults", "end", flags=("--async",))[2]
    assert f"the program ends while count_up (launched at {line_of('host_faults', 'end')})" in said


def test_streams_take_turns_when_work_waits():
    assert run("shared_by_streams")[:2] == (0, "1 2\n")
    assert run("shared_by_streams", flags=("--async",))[:2] == (0, "2 2\n")


def test_program_runs_under_a_limit_on_addresses():
    command = [sys.executable, "-m", "norch_cuda", "run", str(FOLDER / "vector_add.cu"), "--check"]
    limit = (4 << 30, resource.getrlimit(resource.RLIMIT_AS)[1])
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
    )
    assert (done.returncode, done.stdout) == (0, "0 wrong\n"), done.stderr


def test_error_that_the_program_looks_at_is_none_of_its_faults():
    status, output, said = run("host_faults", "seen")
    assert (status, output) == (0, "cudaErrorInvalidConfiguration\n")
    assert "an empty grid cannot be launched" in said


def test_text_that_does_not_compile_is_told_with_its_line(tmp_path):
    (tmp_path / "wrong.cu").write_text("int main() {\n  return nonsense;\n}\n")
    command = [sys.executable, "-m", "norch_cuda", "run", str(tmp_path / "wrong.cu")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert re.search(r"wrong\.cu:2:\d+: error: .nonsense. was not declared", done.stderr)


def test_flags_of_nvcc_are_taken_or_dropped():
    file = str(FOLDER / "vector_add.cu")
    program, output, settings = parse(
        [
            "-O3",
            "-arch",
            "sm_80",
            "-std=c++17",
            "-DN=3",
            "-I",
            ".",
            "-lm",
            file,
            "-o",
            "x",
            "--check",
        ]
    )
    assert program.flags == ("-DN=3", "-I.") and program.libraries == ("-lm",)
    assert (output, settings, program.checked) == ("x", ["--check"], True)


def test_a_package_brings_headers_by_an_entry_point(tmp_path):
    (tmp_path / "mine" / "headers").mkdir(parents=True)
    (tmp_path / "mine" / "headers" / "answer.h").write_text("constexpr int kAnswer = 42;\n")
    text = "from pathlib import Path\ndef folder(): return Path(__file__).parent / 'headers'\n"
    (tmp_path / "mine" / "__init__.py").write_text(text)
    (tmp_path / "mine-1.dist-info").mkdir()
    (tmp_path / "mine-1.dist-info" / "METADATA").write_text("Name: mine\nVersion: 1\n")
    (tmp_path / "mine-1.dist-info" / "entry_points.txt").write_text(
        "[norch_cuda.headers]\nmine = mine:folder\n"
    )
    program = tmp_path / "program.cu"
    program.write_text(
        '#include <answer.h>\n#include <stdio.h>\nint main() { printf("%d", kAnswer); }\n'
    )
    command = [sys.executable, "-m", "norch_cuda", "run", program]
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert (done.returncode, done.stdout) == (0, "42"), done.stderr


def test_a_header_of_no_shelf_is_named_with_the_package_that_has_it(monkeypatch, tmp_path):
    program = tmp_path / "program.cu"
    program.write_text("#include <thrust/sort.h>\nint main() {}\n")
    monkeypatch.setattr(shelves, "entry_points", lambda group: [])
    shelves.header_folders.cache_clear()
    with pytest.raises(CompilationError) as refused:
        build(Program((program,)))
    shelves.header_folders.cache_clear()
    assert "program.cu:1" in refused.value.output
    assert "no installed package has <thrust/sort.h>: " in refused.value.output
    assert "install norch-extras, which brings" in refused.value.output


def test_a_header_that_nobody_has_and_a_file_that_is_not_there(tmp_path):
    program = tmp_path / "program.cu"
    with pytest.raises(CompilationError) as refused:
        build(Program((program,)))
    assert "program.cu" in refused.value.output and "norch-nvcc" not in refused.value.output
    program.write_text("#include <of/nobody.h>\nint main() {}\n")
    with pytest.raises(CompilationError) as refused:
        build(Program((program,)))
    assert "no installed package has <of/nobody.h>: say -I folder" in refused.value.output


def test_another_system_is_told_that_programs_run_on_linux(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(CompilationError, match=r"\[norch-nvcc\] whole programs run on Linux"):
        build(Program((FOLDER / "vector_add.cu",)))


@pytest.mark.skipif('sys.platform != "linux"', reason="read from the symbols of an ELF file")
@pytest.mark.parametrize("flags", [(), ("--check",)])
def test_a_kernel_has_48_kb_of_shared_arrays_and_each_its_own(tmp_path, flags):
    kernel = """__global__ void k{0}(float* x) {{
      __shared__ float a[{1}], b[1024];
      a[threadIdx.x] = b[threadIdx.x] = *x;
      __syncthreads();
      *x = a[threadIdx.x ^ 1] + b[threadIdx.x ^ 1];
    }}
    """
    text = "".join(kernel.format(i, 11 * 1024) for i in range(5))
    program = tmp_path / "program.cu"
    command = [sys.executable, "-m", "norch_cuda", "run", program, *flags]
    program.write_text(text + "int main() {}")
    assert subprocess.run(command).returncode == 0
    program.write_text(text + kernel.format(9, 11 * 1024 + 1) + "int main() {}")
    done = subprocess.run(command, capture_output=True, text=True)
    assert "[k9] its __shared__ arrays have 49156 bytes, a kernel has 49152" in done.stderr
