"""Kernel texts as people write them: with a header beside the file, and with mistakes in them."""

import re
from pathlib import Path

import pytest
from cuda_lessons import SIM

import norch_cpu_ops as cpu
import norch_cuda
from norch_cuda.runtime.diagnostics import readable
from norch_cuda.runtime.simulator_options import simulator
from norch_cuda.runtime.sources import insert_headers, kernel_names

# ---- what does not compile ---------------------------------------------------------------

HEAD = "__global__ void lesson(float* p, int n) {\n  int i = threadIdx.x;\n"
# What is wrong, the line that has to be named, and what stands on it.
MISTAKES = {
    "an open brace": (f"{HEAD}  if (i < n) {{\n    p[i] = 1;\n}}\n", 3, "if (i < n) {"),
    "an open brace, and a kernel behind": (
        f"{HEAD}  if (i < n) {{\n    p[i] = 1;\n}}\n__global__ void other(float* p) {{}}\n",
        3,
        "if (i < n) {",
    ),
    "an open loop in an open kernel": (
        f"{HEAD}  for (int k = 0; k < n; k++) {{\n    p[i] += k;\n",
        3,
        "for (int k = 0; k < n; k++) {",
    ),
    "no end": (f"{HEAD}  p[i] = 1;\n", 1, "__global__ void lesson(float* p, int n) {"),
    "a brace too many": (f"{HEAD}  p[i] = 1;\n}}\n}}\n", 5, "}"),
    "no semicolon": (f"{HEAD}  p[i] = 1\n  p[0] = 2;\n}}\n", 3, "p[i] = 1"),
    "no semicolon behind a struct": (
        f"struct A {{ int x; }}\n{HEAD}  p[i] = 1;\n}}\n",
        2,
        "__global__ void lesson(float* p, int n) {",
    ),
    "an open parenthesis": (f"{HEAD}  p[i] = (1 + 2;\n}}\n", 3, "p[i] = (1 + 2;"),
    "an open parenthesis of the parameters": (
        "__global__ void lesson(float* p, int n {\n  p[0] = n;\n}\n",
        1,
        "__global__ void lesson(float* p, int n {",
    ),
    "an open comment": (f"{HEAD}  /* p[i] = 1;\n}}\n", 3, "/* p[i] = 1;"),
    "an open string": (f'{HEAD}  printf("hello);\n}}\n', 3, 'printf("hello);'),
    "an open #if": (f"#if 1\n{HEAD}  p[i] = 1;\n}}\n", 1, "#if 1"),
    "no such variable": (f"{HEAD}  p[i] = q[i];\n}}\n", 3, "p[i] = q[i];"),
    "no such type": (
        "__global__ void lesson(flot* p, int n) {\n  p[0] = n;\n}\n",
        1,
        "__global__ void lesson(flot* p, int n) {",
    ),
    "too few arguments": (f"{HEAD}  p[i] = __shfl_sync(~0u, p[i]);\n}}\n", 3, "p[i] = __shfl"),
    "half an assertion": (f"{HEAD}  assert(i < );\n}}\n", 3, "assert(i < );"),
    "a launch": (f"{HEAD}  lesson<<<1, 1>>>(p, n);\n}}\n", 3, "lesson<<<1, 1>>>(p, n);"),
    "a size known late": (
        f"{HEAD}  __shared__ float t[n];\n  p[i] = t[i];\n}}\n",
        3,
        "__shared__ float t[n];",
    ),
    "what no atomic operation takes": (
        f"struct A {{ long long a, b; }};\n{HEAD}  A a;\n  atomicAdd(&a, a);\n}}\n",
        5,
        "atomicAdd(&a, a);",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_by_its_line(name):
    text, line, row = MISTAKES[name]
    with pytest.raises(RuntimeError) as error:
        norch_cuda.load_kernel(text, "lesson")(1, 4, SIM.zeros((4,), cpu.float32), 4)
    said = str(error.value)
    assert said.startswith("[cuda-sim] ") and "could not compile the kernels:\n" in said
    first = re.search(r"^kernel\.cu:(\d+): error: .*\n    (.*)", said, re.MULTILINE)
    assert first is not None, said
    assert (int(first[1]), first[2][: len(row)]) == (line, row), said
    assert "norch_" not in said and "cuda_on_cpu" not in said, said


def test_words_of_a_compiler_that_cannot_be_read_are_kept():
    assert readable("Killed signal terminated program\n", "float x;", "kernel.cu") == (
        "Killed signal terminated program"
    )


# ---- headers beside the file -------------------------------------------------------------

KERNEL = """#include "mine.h"
#include "deeper/other.h"
#include "mine.h"
__constant__ float weights[2] = {1, 2};
__global__ void lesson(float* out) {
  out[threadIdx.x] = scaled(weights[0]) + other(threadIdx.x);
}
"""
MINE = """#pragma once
__device__ float scaled(float x) { return 3 * x; }
__global__ void of_the_header(float* out) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = 5;
  out[threadIdx.x] = tile[threadIdx.x];
}
"""
OTHER = """#ifndef OTHER
#define OTHER
#include "../mine.h"
#include "other.h"
__device__ float other(int i) { return scaled(i); }
#endif
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deeper").mkdir()
    (tmp_path / "kernel.cu").write_text(KERNEL)
    (tmp_path / "mine.h").write_text(MINE)
    (tmp_path / "deeper" / "other.h").write_text(OTHER)
    return tmp_path


@pytest.mark.parametrize("check", [False, True])
def test_headers_beside_the_file_are_included(folder, check):
    out = SIM.zeros((4,), cpu.float32)
    with simulator(check=check):
        norch_cuda.load_kernel(folder / "kernel.cu", "lesson")(1, 4, out)
        assert out.tolist() == [3, 6, 9, 12]
        norch_cuda.load_kernel(folder / "kernel.cu", "of_the_header")(1, 4, out, dynamic_shared=16)
    assert out.tolist() == [5, 5, 5, 5]


def test_an_edited_header_is_a_new_kernel(folder):
    out = SIM.zeros((1,), cpu.float32)
    norch_cuda.load_kernel(folder / "kernel.cu", "lesson")(1, 1, out)
    (folder / "mine.h").write_text(MINE.replace("3 * x", "4 * x"))
    norch_cuda.load_kernel(folder / "kernel.cu", "lesson")(1, 1, out)
    assert out.tolist() == [4]


def test_errors_in_a_header_name_its_lines(folder):
    out = SIM.zeros((4,), cpu.float32)
    kernel = norch_cuda.load_kernel(folder / "kernel.cu", "of_the_header")
    with simulator(check=True), pytest.raises(RuntimeError, match=r"at mine\.h:5: .*12 bytes"):
        kernel(1, 4, out, dynamic_shared=12)
    (folder / "mine.h").write_text(MINE.replace("3 * x", "3 * y"))
    with pytest.raises(RuntimeError, match=r"mine\.h:2: error: (.*)\n    __device__ float scaled"):
        norch_cuda.load_kernel(folder / "kernel.cu", "lesson")(1, 4, out)


@pytest.mark.parametrize("name", ["kernel.h", "half.h", "simulator/mine.h", "include/mine.h"])
def test_a_header_is_known_for_ours_by_its_place_not_its_name(tmp_path, name):
    header, file = tmp_path / name, tmp_path / "include" / "g.cu"
    for path in (header, file):
        path.parent.mkdir(exist_ok=True)
    header.write_text("__device__ void far(float* p) {\n  p[90] = 1;\n}\n")
    text = "__global__ void lesson(float* p) {\n  p[80] = 1;\n}\n"
    file.write_text(text)
    beside = tmp_path / "g.cu"
    beside.write_text(f'#include "{name}"\n{text.replace("p[80] = 1", "far(p)")}')
    for path, place in ((file, r"g\.cu:2"), (beside, rf"{header.name}:2")):
        with simulator(check=True), pytest.raises(RuntimeError, match=f"at {place}: "):
            norch_cuda.load_kernel(path, "lesson")(1, 1, SIM.zeros((4,), cpu.float32))


def test_lines_behind_an_include_stay_those_of_the_file(folder):
    broken = KERNEL.replace("scaled(weights", "scald(weights")
    (folder / "kernel.cu").write_text(broken)
    with pytest.raises(RuntimeError, match=r"kernel\.cu:6: error: .*\n    out\[threadIdx\.x\] = "):
        norch_cuda.load_kernel(folder / "kernel.cu", "lesson")(1, 4, SIM.zeros((4,), cpu.float32))


def test_a_profile_shows_the_lines_of_the_file(folder):
    kernel = norch_cuda.load_kernel(folder / "kernel.cu", "lesson")
    profile = norch_cuda.profile(kernel, 1, 32, SIM.zeros((32,), cpu.float32))
    stores = [line for line in profile.lines if "out[threadIdx.x] = scaled" in line.text]
    assert [line.number for line in stores] == [6]


def test_what_is_no_include_stays(tmp_path):
    (tmp_path / "mine.h").write_text("int x;")
    text = '/*\n#include "mine.h"\n*/ // #include "mine.h"\nconst char* s = "#include";\n'
    text += '#include <mine.h>\n#include "missing.h"\n'
    assert insert_headers(text, tmp_path / "kernel.cu") == text
    assert kernel_names(insert_headers(KERNEL, tmp_path / "kernel.cu")) == ("lesson",)


def test_a_text_has_no_folder_and_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.h").write_text(MINE)
    out = SIM.zeros((4,), cpu.float32)
    with pytest.raises(RuntimeError, match=r'"mine\.h" was not found: a text has no folder .*Path'):
        norch_cuda.load_kernel(KERNEL, "lesson")(1, 4, out)
    (tmp_path / "kernel.cu").write_text(KERNEL)
    with pytest.raises(RuntimeError, match=r'"deeper/other\.h" was not found: .* looked for in /'):
        norch_cuda.load_kernel(tmp_path / "kernel.cu", "lesson")(1, 4, out)
    with pytest.raises(RuntimeError, match=r'"deeper/other\.h" was not found: .* looked for in /'):
        norch_cuda.load_kernel(Path("kernel.cu"), "lesson")(1, 4, out)
