"""What the simulator finds: each mistake a GPU would hide is an error with its line.

Line numbers are those of the kernel texts below; the first line of a text is line 1.
"""

import numpy as np
import pytest
from cuda_lessons import MIRROR, MIRROR_WITHOUT_BARRIER, ORDERS, SIM, array, floats, kernel, message

import norch_cpu_ops as cpu
import norch_cuda
from norch_cuda.runtime.simulator_options import simulator
from norch_cuda.runtime.sources import source_directory

# ---- barriers ----------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_barrier_makes_all_writes_visible(order):
    out = floats()
    with simulator(order=order):
        kernel(MIRROR)(1, 64, floats(), out)
    assert out.tolist() == list(range(63, -1, -1))


def test_missing_barrier_shows_as_poison_that_depends_on_the_order():
    results = []
    for order in ORDERS:
        out = floats()
        with simulator(order=order):
            kernel(MIRROR_WITHOUT_BARRIER)(1, 64, floats(), out)
        results.append(np.array(out.tolist()))
    assert [int(np.isnan(r).sum()) for r in results] == [32, 32]
    assert (np.isnan(results[0]) != np.isnan(results[1])).all()


def test_stale_shared_memory_of_the_block_before_is_poison_too():
    body = """    __shared__ T tile[64];
    if (blockIdx.x == 0) tile[threadIdx.x] = 1;
    out[threadIdx.x] = tile[threadIdx.x];"""
    out = floats()
    with simulator(threads=1):
        kernel(body)(2, 64, floats(), out)
    assert np.isnan(out.tolist()).all()


def test_divergent_barrier_names_both_lines():
    body = """    if (threadIdx.x < 16) {
        __syncthreads();
    } else {
        __syncthreads();
    }"""
    found = message(body)
    assert found.startswith(
        "[lesson] divergent __syncthreads(): 16 thread(s) wait at kernel.cu:3, "
    )
    assert "thread (16, 0, 0) of block (0, 0, 0) at kernel.cu:5; move it out of the" in found


def test_early_return_before_a_barrier():
    body = "    if (threadIdx.x >= 40) return;\n    __syncthreads();"
    found = message(body)
    assert "thread (40, 0, 0)" in found
    assert "returned while 40 thread(s) wait at the __syncthreads() of kernel.cu:3" in found


@pytest.mark.parametrize("blocks, threads", [(1, 1), (2, 3), (4, 32), (3, 256)])
def test_three_orders_let_each_thread_run_once(blocks, threads):
    body = (
        "out[turn[0]++] = blockIdx.x * blockDim.x + threadIdx.x;"  # a race, which shows the order
    )
    text = f'extern "C" __global__ void lesson(long long* turn, double* out) {{{body}}}'
    lesson, seen = norch_cuda.load_kernel(text, "lesson"), {}
    for order in ("forward", "reversed", "shuffled"):
        out = SIM.new_full((blocks * threads,), -1, cpu.float64)
        turns = SIM.new_full((1,), 0, cpu.int64)
        with simulator(order, threads=1):
            lesson(blocks, threads, turns, out)
        seen[order] = out.tolist()
        assert sorted(seen[order]) == list(range(blocks * threads))
    assert seen["forward"] == sorted(seen["forward"])
    assert seen["reversed"] == seen["forward"][::-1]
    assert blocks * threads < 12 or seen["shuffled"] not in (seen["forward"], seen["reversed"])


def test_early_return_found_in_reversed_order():
    body = "    if (threadIdx.x >= 40) return;\n    __syncthreads();"
    found = message(body, order="reversed")
    assert found == (
        "[lesson] __syncthreads() is not reached by 24 thread(s) that have already returned "
        "at kernel.cu:3; put the work into `if (i < n)` and let every thread reach the barrier"
    )


def test_warps_that_wait_for_each_other_are_a_deadlock():
    body = """    if (threadIdx.x < 32) {
        __syncwarp();
    } else if (threadIdx.x == 32) {
        __syncwarp();
    }"""
    body = """    if (threadIdx.x == 0) __syncwarp();
    __syncthreads();"""
    assert message(body).startswith(
        "[lesson] deadlock: 64 thread(s) wait for each other, the first at kernel.cu:2, "
        "another at kernel.cu:3; a mask names just the lanes that come"
    )


@pytest.mark.parametrize("order", ORDERS)
def test_a_shuffle_goes_without_lanes_that_have_returned(order):
    body = """    if (threadIdx.x % 32 == 0) return;
    out[threadIdx.x] = __shfl_down_sync(kAllLanes, x[threadIdx.x], 1);"""
    out = array(np.zeros(64))
    with simulator(order=order):
        kernel(body)(1, 64, floats(), out)
    assert out.tolist() == [0, *range(2, 32), 31, 0, *range(34, 64), 63]


@pytest.mark.parametrize("check", [False, True])
def test_endless_wait_for_another_thread_ends(check):
    body = """    if (threadIdx.x == 1) out[1] = 1;
    volatile T* flag = out;
    while (*flag == 0) {
    }"""
    with simulator(check=check, seconds=0.2), pytest.raises(RuntimeError) as caught:
        kernel(body)(1, 2, floats(), floats())
    assert "still running after the time allowed; thread (" in str(caught.value)
    assert "is at kernel.cu:4" in str(caught.value)


@pytest.mark.parametrize("threads", [1, 2])
def test_endless_loop_ends_in_every_block(threads):
    body = "    for (int k = 64; k > 0; k >>= 0) out[threadIdx.x] += k;"
    with simulator(threads=threads, seconds=0.2), pytest.raises(RuntimeError) as caught:
        kernel(body)(64, 64, floats(), floats())
    assert "is at kernel.cu:2" in str(caught.value)


# ---- what CUDA offers --------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_shuffles(order):
    body = """    int t = threadIdx.x;
    T v = x[t];
    out[t] = __shfl_down_sync(kAllLanes, v, 2);
    out[32 + t] = __shfl_up_sync(kAllLanes, v, 3);
    out[64 + t] = __shfl_xor_sync(kAllLanes, v, 5);
    out[96 + t] = __shfl_sync(kAllLanes, v, 7);
    out[128 + t] = __shfl_down_sync(kAllLanes, v, 1, 8);
    out[160 + t] = __popc(__ballot_sync(kAllLanes, t % 3 == 0))
                   + 100 * __any_sync(kAllLanes, t == 9)
                   + 1000 * __all_sync(kAllLanes, t < 31);"""
    t, out = np.arange(32), array(np.zeros(192))
    with simulator(order=order):
        kernel(body)(1, 32, floats(32), out)
    expected = [
        np.where(t + 2 < 32, t + 2, t), np.where(t >= 3, t - 3, t), t ^ 5, np.full(32, 7),
        np.where(t % 8 < 7, t + 1, t), np.full(32, 11 + 100),
    ]  # fmt: skip
    np.testing.assert_array_equal(np.array(out.tolist()).reshape(6, 32), expected)


@pytest.mark.parametrize("element", ["float32", "float64", "int32"])
def test_atomics_over_many_blocks(element):
    lesson = kernel("    atomicAdd(out, T(threadIdx.x));", "T* out", element)
    out = SIM.zeros((1,), getattr(cpu, element))
    with simulator(threads=4):
        lesson(64, 64, out)
    assert out.item() == 64 * sum(range(64))


def test_atomic_extremes_and_exchange():
    body = """    atomicMax(out, T(threadIdx.x));
    atomicMin(out + 1, -T(threadIdx.x));
    if (threadIdx.x == 5) atomicExch(out + 2, 9);
    atomicCAS(out + 3, 4, 6);"""
    out = SIM.from_list([3, 3, 3, 4], cpu.int32)
    kernel(body, "T* out", "int32")(1, 64, out)
    assert out.tolist() == [63, -63, 9, 6]


@pytest.mark.parametrize("check", [False, True])
def test_dynamic_shared_memory(check):
    body = """    extern __shared__ T tile[];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];"""
    out = floats()
    with simulator(check=check):
        kernel(body)(1, 64, floats(), out, dynamic_shared=256)
    assert out.tolist() == list(range(63, -1, -1))


def test_grid_and_block_have_three_dimensions():
    body = """    i64 block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    i64 thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[block * 24 + thread] = T(block * 24 + thread);"""
    out = array(np.zeros(24 * 24))
    kernel(body)((2, 3, 4), (4, 3, 2), floats(), out)
    assert out.tolist() == list(range(24 * 24))


# ---- limits and errors -------------------------------------------------------------------


def test_block_too_large():
    assert "a block of 2048 threads cannot be launched: 1 to 1024 can" in message("", block=2048)


def test_grid_too_large():
    found = message("", grid=(1, 70000, 1))
    assert "a grid has at most 2147483647 blocks in x and 65535 in y and z" in found
    assert "a block has at most 64 threads in z" in message("", block=(1, 1, 65))


@pytest.mark.parametrize("size", [-1, -(2**62)])
def test_shared_memory_below_zero(size):
    with pytest.raises(ValueError, match=f"dynamic_shared is {size}: expected bytes"):
        kernel(MIRROR)(1, 64, floats(), floats(), dynamic_shared=size)


def test_too_much_shared_memory():
    found = message(
        "    __shared__ T tile[13000];\n    tile[threadIdx.x] = 0;\n    out[0] = tile[1];"
    )
    assert "a block has 49152 bytes of shared memory, the kernel wants 520" in found


def test_exception_assert_and_trap_end_the_launch_only():
    thrown = message("    if (threadIdx.x == 3) throw 3;")
    assert "thread (3, 0, 0) of block (0, 0, 0) throws a C++ exception" in thrown
    assert thrown.endswith("at kernel.cu:2")
    assert "assert(threadIdx.x < 9) failed at kernel.cu:2" in message(
        "    assert(threadIdx.x < 9);"
    )
    assert "__trap() was called at kernel.cu:2" in message("    __trap();")
    found = message('    NORCH_TODO("3.1");')
    assert found == "[lesson] exercise 3.1 is yours to write at kernel.cu:2"


def test_launch_after_errors_works():
    for _ in range(5):
        message("    if (threadIdx.x < 16) __syncthreads();")
    out = floats()
    kernel(MIRROR)(1, 64, floats(), out)
    assert out.tolist() == list(range(63, -1, -1))


def test_errors_leak_no_stacks():
    def mappings():
        with open("/proc/self/maps") as lines:
            return sum(1 for _ in lines)

    body = "    if (threadIdx.x == 0) return;\n    __syncthreads();"
    lesson, x, out = kernel(body), floats(), floats()
    counts = []
    for _ in range(200):
        with simulator(order="reversed"), pytest.raises(RuntimeError):
            lesson(1, 64, x, out)
        counts.append(mappings())
    assert counts[-1] <= counts[20] + 4


def test_wrong_arguments_are_refused_before_the_launch():
    lesson = kernel(MIRROR)
    with pytest.raises(TypeError, match=r"argument 2 is 3 \(int\): the kernel declares a pointer"):
        lesson(1, 64, floats(), 3)
    with pytest.raises(TypeError, match="argument 2 is of type str"):
        lesson(1, 64, floats(), "x")


def test_unknown_kernel_names_those_there_are():
    with pytest.raises(RuntimeError, match=r"\[other\] no such kernel; there are lesson"):
        norch_cuda.load_kernel(kernel(MIRROR).source.text, "other")(1, 1, floats())


def test_bad_options_are_refused():
    expected = "order 'sideways': expected one of forward, reversed, shuffled"
    with pytest.raises(ValueError, match=expected), simulator("sideways"):
        pass
    with pytest.raises(ValueError, match="threads=0"), simulator(threads=0):
        pass


def test_options_end_with_the_block_even_after_an_error():
    with pytest.raises(ZeroDivisionError), simulator(order="reversed", check=True):
        raise ZeroDivisionError
    out = floats()
    kernel(MIRROR_WITHOUT_BARRIER)(1, 64, floats(), out)  # checked, this would be an error
    assert np.isnan(out.tolist()[:32]).all()


def test_every_shipped_file_states_what_a_thread_does():
    for path in source_directory().glob("*.cu"):
        text = path.read_text()
        assert text.startswith("// "), path.name
        assert "One thread" in text or "One block" in text, path.name
