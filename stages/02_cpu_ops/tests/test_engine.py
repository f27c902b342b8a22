"""Allocator, thread pool, fork, import: what runs underneath every operation."""

import gc
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

BIG = 1 << 20  # elements: enough for several chunks


@pytest.fixture
def threads():
    before = cpu.get_num_threads()
    yield cpu.set_num_threads
    cpu.set_num_threads(before)


def test_freed_blocks_are_used_again():
    cpu.empty_cache()
    ops.zeros((1000,), cpu.float64)
    before = cpu.memory_stats()
    for _ in range(100):
        ops.zeros((1000,), cpu.float64)
    after = cpu.memory_stats()
    assert after["system_allocations"] == before["system_allocations"]
    assert after["cache_hits"] - before["cache_hits"] == 100
    assert after["allocated_bytes"] == before["allocated_bytes"]


def taken(count: int) -> int:
    """Return the bytes that an array of so many bytes takes."""
    before = cpu.memory_stats()["allocated_bytes"]
    held = ops.empty((count,), cpu.uint8)
    assert held.nbytes == count
    return cpu.memory_stats()["allocated_bytes"] - before


@pytest.mark.parametrize("count", [1, 64, 4097, 10_000, 2**14, 2**16 + 1, 2**20, 2**24, 10**7])
def test_an_array_takes_what_was_asked_in_steps_of_a_cache_line(count):
    cpu.empty_cache()
    header = 64
    assert count <= taken(count) - header < count + 64


def test_a_block_is_used_again_for_a_little_less_and_not_for_much_less():
    cpu.empty_cache()
    size = taken(10**6)
    before = cpu.memory_stats()["system_allocations"]
    assert taken(950_000) == size
    assert cpu.memory_stats()["system_allocations"] == before
    assert taken(700_000) < size
    assert cpu.memory_stats()["system_allocations"] == before + 1


def test_an_array_that_grows_leaves_no_heap_of_blocks_behind():
    cpu.empty_cache()
    held = ops.empty((10_000,), cpu.uint8)
    for count in range(20_000, 2_000_000, 20_000):  # a hundred megabytes in all
        held = ops.empty((count,), cpu.uint8)
    assert cpu.memory_stats()["cached_bytes"] < 8 * held.nbytes


USED_AGAIN = """
import ctypes, sys
import numpy as np
import norch_cpu_ops as cpu
from norch_cpu_ops import ops
if sys.argv[1] == "small pages":
    assert ctypes.CDLL(None).prctl(41, 1, 0, 0, 0) == 0  # PR_SET_THP_DISABLE
old = ops.arange(0, 3 << 19, 1, cpu.int64)
assert np.asarray(old).ctypes.data % (1 << 21) == 64  # behind the header
for step in range(40):  # each time pages are put together, those of `old` first
    new = ops.add(old, step)
    assert (np.asarray(old) == np.arange(3 << 19)).all()
    assert (np.asarray(new) == np.arange(3 << 19) + step).all()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for huge pages, or for none")
@pytest.mark.parametrize("pages", ["huge pages where there are any", "small pages"])
def test_arrays_keep_their_values_while_their_pages_are_put_together(pages):
    subprocess.run([sys.executable, "-c", USED_AGAIN, pages], check=True)


# What programs below know: whether the system puts a page together, how much memory they use.
MEMORY = """
import ctypes, os, mmap
import numpy as np
import norch_cpu_ops as cpu
from norch_cpu_ops import ops

HUGE, WORD, SIZE = 1 << 21, ctypes.c_size_t, ctypes.c_int
libc = ctypes.CDLL(None)
libc.mmap.restype = WORD
libc.mmap.argtypes = [WORD, WORD, SIZE, SIZE, SIZE, ctypes.c_long]
libc.madvise.argtypes = [WORD, WORD, SIZE]

def map_at(place, bytes):
    return libc.mmap(place, bytes, 3, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)

def can_put_together():
    place = -(-map_at(0, 2 * HUGE) // HUGE) * HUGE
    ctypes.memset(place, 1, 1)
    return libc.madvise(place, HUGE, 25) == 0

def mebibytes(name, process="self"):
    with open(f"/proc/{process}/smaps_rollup") as lines:
        return next(int(line.split()[1]) >> 10 for line in lines if line.startswith(name + ":"))

def use_again(numbers=1 << 21):
    x = ops.full((numbers,), 1, cpu.float32)
    for _ in range(200):
        ops.add(x, 1)

if not can_put_together():
    print("this system puts no pages together")
    raise SystemExit
big = ops.full((64 << 18,), 1, cpu.float32)  # 64 MiB
"""

PUT_TOGETHER = """
before = mebibytes("AnonHugePages")
use_again()
assert mebibytes("AnonHugePages") > before
"""

# That would take longer than the work on a block of some MiB.
LEFT_ALONE = """
before = mebibytes("AnonHugePages")
use_again(1 << 20)
assert mebibytes("AnonHugePages") < before + 32, "as many as 200 times 4 MiB were worth"
"""

# To put together what two processes share copies it.
FORKED = """
read, write = os.pipe()
child = os.fork()
if child == 0:
    {in_child}
    os.read(read, 1)
    os._exit(0)
{in_parent}
private = mebibytes("Private_Dirty", child)
os.write(write, b"x")
assert os.waitpid(child, 0)[1] == 0
assert private < 48, private
"""
CHILD_WORKS = FORKED.format(
    in_child='use_again(); assert mebibytes("Private_Dirty") < 48', in_parent=""
)
PARENT_WORKS = FORKED.format(in_child="", in_parent="use_again()")

# What lies where a block was is another's.
GIVEN_BACK = """
place = np.asarray(big).ctypes.data - 64
del big
cpu.empty_cache()
if map_at(place, 64 << 20) == place:
    for page in range(32):
        ctypes.memset(place + page * HUGE, 1, 1)
    before = mebibytes("Rss")
    use_again()
    assert mebibytes("Rss") < before + 32
"""


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="asks Linux for its pages")
@pytest.mark.parametrize(
    "program",
    [PUT_TOGETHER, LEFT_ALONE, CHILD_WORKS, PARENT_WORKS, GIVEN_BACK],
    ids=["of a large block", "small work", "a child's", "a parent's", "of a block given back"],
)
def test_pages_are_put_together_if_they_are_the_process_s_own(program):
    command = [sys.executable, "-c", MEMORY + program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if done.stdout:
        pytest.skip(done.stdout)


def test_the_cache_is_capped_and_can_be_emptied():
    limit = cpu.memory_stats()["cache_limit_bytes"]
    try:
        cpu.set_cache_limit(1 << 20)
        for size in (1 << 18, 1 << 19, 1 << 22):
            ops.empty((size,), cpu.uint8)
            assert cpu.memory_stats()["cached_bytes"] <= 1 << 20
        cpu.empty_cache()
        assert cpu.memory_stats()["cached_bytes"] == 0
    finally:
        cpu.set_cache_limit(limit)
    with pytest.raises(ValueError, match=r"\[set_cache_limit\]"):
        cpu.set_cache_limit(-1)


def test_peak_follows_the_largest_moment():
    held = ops.empty((1 << 22,), cpu.uint8)
    peak = cpu.memory_stats()["peak_allocated_bytes"]
    assert peak >= held.nbytes
    del held
    assert cpu.memory_stats()["peak_allocated_bytes"] == peak


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="pins to a core: Linux only")
def test_as_many_threads_as_cores_that_may_be_used():
    program = """
import os
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import norch_cpu_ops as cpu
print(cpu.get_num_threads())
"""
    rest = {name: value for name, value in os.environ.items() if name != "NORCH_NUM_THREADS"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=rest, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_set_num_threads(threads):
    x = np.random.default_rng(0).normal(size=BIG).astype("float32")
    for n in (1, 2, 5, 3):
        threads(n)
        assert cpu.get_num_threads() == n
        np.testing.assert_array_equal(np.asarray(ops.add(ops.share_buffer(x), 1)), x + 1)
    for bad in (0, -1, 10**9):
        with pytest.raises(ValueError, match=r"\[set_num_threads\] expected 1 to"):
            cpu.set_num_threads(bad)


def test_an_error_in_a_helper_thread_reaches_the_caller(threads):
    threads(4)
    a = ops.arange(0, BIG, 1, cpu.int64)
    divisor = ops.ones((BIG,), cpu.int64)
    ops.fill_(divisor.view(((1,), (1,), BIG - 1)), 0)  # in the last chunk
    for _ in range(5):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            ops.floor_divide(a, divisor)
    assert ops.sum(ops.floor_divide(a, 1)).item() == BIG * (BIG - 1) // 2  # and the pool lives on


def test_python_threads_calling_at_once(threads):
    threads(3)
    x = np.random.default_rng(0).normal(size=(64, 4096)).astype("float32")
    want = x.astype("float64").sum()
    wrong = []

    def work():
        for _ in range(20):
            a = ops.share_buffer(x)
            doubled = ops.mul(a, 2)
            small = ops.sum(ops.ones((8,), cpu.float32)).item()
            if abs(ops.sum(doubled).item() - 2 * want) > 0.05 or small != 8.0:
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


ONE = ops.ones((1, 1, 1), cpu.float32)
NONE = ops.full((1,), 0, cpu.int64)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.upsample_nearest2d(ONE, (256, 256)),
        lambda: ops.upsample_nearest2d_backward(ONE, (256, 256)),
        lambda: ops.adaptive_max_pool2d(ONE, (256, 256)),
        lambda: ops.im2col(ONE, 1, 1, 128, 1),
        lambda: ops.col2im(ops.ones((1, 1), cpu.float32), (256, 256), 1, 256, 0, 1),
        lambda: ops.avg_pool2d_backward(ONE, (1, 256, 256), 256, 1, 0),
        lambda: ops.max_pool2d_backward(ONE, ops.zeros((1, 1, 1), cpu.int64), (1, 256, 256)),
        lambda: ops.avg_pool2d(ops.ones((1, 90, 90), cpu.float32), 89, 1, 44),
        lambda: ops.bincount(NONE, None, 1 << 16),
        lambda: ops.histc(ops.ones((1,), cpu.float32), 1 << 16, 0, 1),
        lambda: ops.embedding_backward(ops.ones((1, 1), cpu.float32), NONE, 1 << 16),
    ],
    ids=lambda call: call.__code__.co_names[1],
)
def test_python_goes_on_beside_much_work_on_few_numbers(call):
    """The work was judged by the input alone, and a lock of all Python held meanwhile."""
    interval, gate, went_on = sys.getswitchinterval(), threading.Lock(), []

    def work():
        with gate:
            went_on.append(True)

    gate.acquire()
    worker = threading.Thread(target=work)
    worker.start()
    sys.setswitchinterval(1000)  # nobody is interrupted: threads go on only where others let them
    try:
        gate.release()
        end = time.monotonic() + 300  # a busy machine may let the other thread wait for long
        while not went_on and time.monotonic() < end:
            call()
        assert went_on
    finally:
        sys.setswitchinterval(interval)
        worker.join()


def fork_and_compute() -> int:
    """Fork; the child computes in parallel; return its exit code."""
    pid = os.fork()
    if pid == 0:
        try:
            a = ops.ones((BIG,), cpu.float32)
            total = ops.sum(ops.add(a, 1)).item()
            cpu.set_num_threads(2)
            again = ops.sum(ops.add(a, 1)).item()
            os._exit(0 if total == again == 2 * BIG else 1)
        except BaseException:
            os._exit(2)
    for _ in range(600):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        threading.Event().wait(0.05)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return -1


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_a_pool_of_its_own(threads):
    threads(3)
    ops.add(ops.ones((BIG,), cpu.float32), 1)  # the helpers exist now
    for _ in range(3):
        assert fork_and_compute() == 0


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_while_another_thread_computes(threads):
    threads(2)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            ops.add(ops.ones((BIG,), cpu.float32), 1)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        for _ in range(5):
            assert fork_and_compute() == 0
    finally:
        stop.set()
        worker.join()


def test_fork_while_another_thread_opens_blas(tmp_path, openblas_instruction_set):
    """The library is a pipe, whose writer lets the thread wait in the middle of opening it."""
    program = (
        "import os, signal, sys, threading, time\n"
        "import norch_cpu_ops as cpu, norch_cpu_ops.openblas as openblas\n"
        "from norch_cpu_ops import ops\n"
        "path, (opened, tell) = sys.argv[1], os.pipe()\n"
        "os.mkfifo(path)\n"
        "if os.fork() == 0:\n"
        "    end = os.open(path, os.O_WRONLY)\n"
        "    os.write(tell, b'now')\n"
        "    time.sleep(0.5)\n"
        "    os._exit(0)\n"
        "openblas.library_path = lambda: path\n"
        "cpu.set_instruction_set(sys.argv[2])\n"
        "a = ops.ones((256, 256), cpu.float32)\n"
        "worker = threading.Thread(target=lambda: ops.matmul(a, a))\n"
        "worker.start()\n"
        "os.read(opened, 3)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    signal.alarm(300)\n"
        "    ops.matmul(a, a)\n"
        "    os._exit(0)\n"
        "sys.exit(os.waitpid(child, 0)[1])\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "blas.so"), openblas_instruction_set]
    assert subprocess.run(command, timeout=600).returncode == 0


def bad_calls(a) -> int:
    """Make calls that are refused, at the door and in the middle; return how many."""
    calls = [
        lambda: ops.add(a, ops.ones((2, 2, 2), cpu.float32)),
        lambda: ops.sum(a, 9),
        lambda: ops.matmul(a, ops.ones((7, 3), cpu.float32)),
        lambda: ops.index_select(a, 0, ops.full((1,), 10**6, cpu.int64)),
        lambda: ops.from_list([[1.0], [1.0, 2.0]], None),
        lambda: a.view(((5,), (1,), 10**6)),
    ]
    for bad in calls:
        with pytest.raises((RuntimeError, IndexError, ValueError)):
            bad()
    return len(calls)


def layers_of_a_model(a, image) -> int:
    """Run attention, recurrence, pooling, normalisation and a step; return how many operations."""
    few = a.view(((2, min(len(a), 16), 33), (0, 33, 1), 0))
    out, logsumexp = ops.scaled_dot_product_attention(few, few, few, None, True)
    ops.scaled_dot_product_attention_backward(few, few, few, few, out, logsumexp, None, True)
    zeros, weight = ops.zeros((2, 3), cpu.float32), ops.ones((12, 33), cpu.float32)
    x = few.view(((few.shape[1], 2, 33), (33, 0, 1), 0))
    ops.lstm_layer(x, zeros, zeros, weight, ops.ones((12, 3), cpu.float32))
    pooled, places = ops.max_pool2d(image, 1, 2, 0, 1)
    ops.max_pool2d_backward(pooled, places, image.shape)
    y, mean, rstd = ops.layer_norm(a)
    ops.layer_norm_backward(y, a, mean, rstd)
    means, squares = ops.zeros(a.shape, cpu.float32), ops.zeros(a.shape, cpu.float32)
    ops.adam_step([y], [a], [means], [squares], None, [1], 0.1, 0.9, 0.99, 1e-8)
    return 13


def mixed_operations(step: int) -> int:
    """Run operations of every family on sizes that change; return how many."""
    n = 1 + step % 97
    a = ops.uniform((n, 33), -1.0, 1.0, cpu.float32, step, 0)
    turned = a.view(((33, n), (1, 33), 0))
    image, kernel = a.view(((1, 1, n, 33), (0, 0, 33, 1), 0)), ops.ones((4, 1, 3, 3), cpu.float32)
    c = ops.add(ops.exp(a), ops.share_buffer(np.ones((n, 33), "float32")))
    ops.add_(c, a)
    ops.fill_(c.view(((33,), (1,), 0)), 2)
    ops.matmul(a, turned)
    ops.softmax(turned, 0)
    convolved = ops.conv2d(image, kernel, None, (1, 1), (1, 1), (1, 1), 1)
    ops.conv2d_backward_weight(convolved, image, (4, 1, 3, 3), (1, 1), (1, 1), (1, 1), 1)
    _, places = ops.sort(a, 0)
    ops.gather(a, 0, places)
    ops.index_add(a, 0, ops.full((2,), n - 1, cpu.int64), ops.ones((2, 33), cpu.float32))
    ops.sum(ops.contiguous(turned), 0).tolist()
    ops.cat([c, ops.cast(ops.gt(c, 1), cpu.float32)], 1)
    ops.sgd_step([c], [a], None, 0.1, 0.0, 0.0, 0.0, False, True)
    memoryview(c).release()
    return 25 + layers_of_a_model(a, image) + bad_calls(a)


def resident_kilobytes() -> int:
    """Return the memory this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1024


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads Linux's /proc")
def test_ten_thousand_mixed_operations_do_not_grow_resident_memory():
    for step in range(200):
        mixed_operations(step)
    gc.collect()
    gc.disable()
    try:
        before, live = resident_kilobytes(), cpu.memory_stats()["allocated_bytes"]
        done = sum(mixed_operations(step) for step in range(400))
        assert done >= 10_000
        assert cpu.memory_stats()["allocated_bytes"] == live
        assert resident_kilobytes() - before < 1024
    finally:
        gc.enable()


def test_memory_stats_say_what_their_documentation_lists():
    documented = cpu.memory_stats.__doc__
    assert all(f"{name}: " in documented for name in cpu.memory_stats())


def test_import_is_light():
    code = "import sys, norch_cpu_ops; print(sorted(m for m in sys.modules if m in ('numpy',)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_free_threaded_python_is_refused_in_words():
    program = "import sys; sys.abiflags = 't'; import norch_cpu_ops"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == 1 and "arrays are not guarded against threads" in ran.stderr
