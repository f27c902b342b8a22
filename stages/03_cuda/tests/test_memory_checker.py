"""Accesses a kernel should not make: outside its arrays, unsynchronised, or of unwritten memory.

Line numbers are those of the kernel texts below; the first line of a text is line 1.
"""

import numpy as np
import pytest
from cuda_lessons import MIRROR_WITHOUT_BARRIER, ORDERS, SIM, array, floats, kernel, message

import norch_cpu_ops as cpu
import norch_cuda
from norch_cuda.runtime.simulator_options import simulator
from norch_cuda.runtime.sources import family_source

# ---- memory ------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_write_past_the_end_is_found_after_the_launch(order):
    body = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    out[i] = x[i];"
    found = message(body, grid=2, order=order)
    assert found.startswith("[lesson] wrote outside argument 2, past its end; run it inside ")


def test_write_before_the_start_is_found_after_the_launch():
    assert "argument 2, before its start" in message("    out[int(threadIdx.x) - 1] = 1;")


def test_checked_run_names_line_thread_and_distance_of_a_read_outside():
    body = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    out[i] = x[i];"
    assert message(body, grid=2, check=True) == (
        "[lesson] thread (0, 0, 0) of block (1, 0, 0) reads 4 bytes outside every array it was "
        "given, at kernel.cu:3: 0 bytes past the end of argument 1, which holds 256 bytes"
        "; guard the line with `if (i < n)`, or mend the index"
    )


def test_checked_run_finds_a_write_just_before_an_array():
    found = message("    out[int(threadIdx.x) - 1] = 1;", check=True)
    assert "writes 4 bytes outside every array" in found
    assert "at kernel.cu:2: 4 bytes before the start of argument 2" in found


def test_checked_run_finds_a_read_of_unwritten_shared_memory():
    found = message(MIRROR_WITHOUT_BARRIER, check=True)
    assert "reads shared memory at kernel.cu:4 that nobody has written in this block" in found


def test_checked_run_finds_a_race_between_threads():
    found = message("    out[0] += x[threadIdx.x];", check=True)
    assert found.startswith(
        "[lesson] race in global memory: thread (1, 0, 0) of block (0, 0, 0) reads at kernel.cu:2"
    )
    assert "what thread (0, 0, 0) wrote at kernel.cu:2" in found


def test_checked_run_finds_a_race_between_blocks():
    found = message("    if (threadIdx.x == 0) out[0] = blockIdx.x;", grid=2, check=True)
    assert "nothing orders the blocks of a launch" in found


def test_checked_run_accepts_atomics():
    lesson = kernel("    atomicAdd(out, x[threadIdx.x]);")
    out = array([0.0])
    with simulator(check=True) as counters:
        lesson(2, 64, floats(), out)
    assert out.item() == 2 * sum(range(64))
    assert counters.atomics == 128


@pytest.mark.parametrize("element", ["float16", "bfloat16", "bool_", "float32", "int8"])
@pytest.mark.parametrize("order", ORDERS)
def test_shared_arrays_of_every_element_type_are_checked_alike(element, order):
    text = """__global__ void lesson(const T* x, T* out) {
  __shared__ T a[64];
  if (threadIdx.x < 63) a[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = a[threadIdx.x];  // of the last nobody has written
}"""
    dtype = getattr(cpu, element)
    lesson = norch_cuda.load_kernel(text, "lesson", element=dtype.name)
    x, out = SIM.zeros((64,), dtype), SIM.zeros((64,), dtype)
    with simulator(check=True, order=order), pytest.raises(RuntimeError) as caught:
        lesson(1, 64, x, out)
    assert "thread (63, 0, 0) of block (0, 0, 0) reads shared memory at kernel.cu:5" in str(
        caught.value
    )
    with simulator(check=True, order=order):
        norch_cuda.load_kernel(text.replace("63", "64"), "lesson", element=dtype.name)(
            1, 64, x, out
        )


def test_new_memory_is_poisoned():
    assert np.isnan(SIM.empty((5,), cpu.float32).tolist()).all()


# ---- the shipped matmul without one of its barriers --------------------------------------


def tiled_matmul(drop=None):
    """The tiled kernel, without its barrier number `drop`; and the line each barrier stood on."""
    source = family_source("matmul", "float")
    lines = source.text.splitlines()
    barriers = [i for i, line in enumerate(lines) if "__syncthreads();" in line]
    assert len(barriers) == 2
    if drop is not None:
        lines[barriers[drop]] = ""
    return norch_cuda.load_kernel("\n".join(lines), "matmul_tiled_kernel")


def run_matmul(lesson, size, grid=None):
    a = np.random.default_rng(1).normal(size=(size, size)).astype(np.float32)
    out = SIM.empty((size, size), cpu.float32)
    point = SIM.zeros((1,), cpu.float32).layout._replace(shape=(), strides=())
    x, tiles = array(a), -(-size // 16)
    arguments = (
        1,
        size,
        size,
        size,
        point,
        size,
        1,
        x,
        point,
        size,
        1,
        x,
        0,
        array([0] * size),
        out,
    )
    lesson(grid or (tiles, tiles, 1), (16, 16), *arguments)
    return np.abs(np.array(out.tolist()) - a @ a).max()


@pytest.mark.parametrize("order", ORDERS)
def test_tiled_matmul_with_both_barriers(order):
    with simulator(order=order):
        assert run_matmul(tiled_matmul(), 40) < 1e-4


@pytest.mark.parametrize("check", [False, True])
def test_tiled_matmul_on_a_grid_smaller_than_its_tiles(check):
    with simulator(check=check):
        assert run_matmul(tiled_matmul(), 40, grid=(3, 1, 1)) < 1e-4


@pytest.mark.parametrize("drop", [0, 1])
def test_tiled_matmul_without_a_barrier_is_wrong(drop):
    errors = []
    for order in ORDERS:
        with simulator(order=order):
            errors.append(run_matmul(tiled_matmul(drop), 40))
    assert not all(error < 1e-2 for error in errors)


def test_checked_matmul_without_its_second_barrier_names_both_lines():
    source = family_source("matmul", "float").text.splitlines()
    fetch = next(i for i, line in enumerate(source, 1) if "a_tile[y][x] =" in line)
    use = next(i for i, line in enumerate(source, 1) if "sum += a_tile" in line)
    with simulator(check=True), pytest.raises(RuntimeError) as caught:
        run_matmul(tiled_matmul(drop=1), 32)
    found = str(caught.value)
    assert "race in shared memory" in found
    assert f"reads at kernel.cu:{use} what thread" in found
    assert f"wrote at kernel.cu:{fetch}; no __syncthreads() lies between them" in found


def test_counters_show_what_the_tile_saves():
    a = array(np.ones((32, 32)))
    with simulator(check=True) as naive:
        SIM.matmul_naive(a, a)
    with simulator(check=True) as tiled:
        SIM.matmul(a, a)
    assert (naive.global_reads, naive.shared_reads) == (2 * 32**3, 0)
    assert (tiled.global_reads, tiled.global_writes) == (2 * 32**3 // 16, 32 * 32)


KEPT = """__device__ float* kept;
__global__ void keep(float* x) { kept = x; }
__global__ void use(float* out) { out[threadIdx.x] += kept[threadIdx.x]; }
"""


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("again", [False, True], ids=["of another launch", "of this launch too"])
def test_a_device_pointer_may_hold_an_array_between_launches(again, check):
    x = floats()
    out = x if again else array(np.zeros(64))
    with simulator(check=check):
        norch_cuda.load_kernel(KEPT, "keep")(1, 1, x)
        norch_cuda.load_kernel(KEPT, "use")(1, 64, out)
    assert out.tolist() == [(1 + again) * i for i in range(64)]


def test_a_device_pointer_to_an_array_that_is_freed():
    x = floats()
    with simulator(check=True), pytest.raises(RuntimeError) as caught:
        norch_cuda.load_kernel(KEPT, "keep")(1, 1, x)
        del x
        norch_cuda.load_kernel(KEPT, "use")(1, 64, array(np.zeros(64)))
    found = str(caught.value)
    assert "kernel.cu:3: it is an array of an earlier launch that the program has freed" in found


def test_malloc_may_lie_where_an_array_is_freed():
    text = """__device__ int many;
__global__ void fill(float* x) {
  float* p = (float*)malloc(4096);
  for (int i = 0; i < 1024; i++) p[i] = 1;
  x[threadIdx.x] = p[threadIdx.x];
  free(p);
}"""
    for _ in range(8):  # what a launch has had is freed before the next
        with simulator(check=True):
            norch_cuda.load_kernel(text, "fill")(1, 64, array(np.zeros(1024)))
