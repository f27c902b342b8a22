"""CUDA graphs: what is captured waits for a replay, and finds its memory again."""

import gc
import threading
from contextlib import nullcontext

import pytest

import norch_cpu_ops as cpu
import norch_cuda


@pytest.fixture(params=["cuda-sim", pytest.param("cuda", marks=pytest.mark.gpu)])
def ops(request):
    """The operations of the simulator, and of a GPU if there is one."""
    if request.param == "cuda" and not norch_cuda.is_available():
        pytest.skip("no CUDA GPU with CuPy on this machine")
    return norch_cuda.ops_for(request.param)


def captured(ops, work):
    """A graph of `work`, and what it returned."""
    g = norch_cuda.CUDAGraph(device=ops.device)
    with norch_cuda.graph(g):
        result = work()
    return g, result


def in_a_stream(ops):
    """A stream that can be captured: on a GPU, not the default one."""
    on_gpu = ops.device != "cuda-sim"
    return norch_cuda.stream(norch_cuda.Stream()) if on_gpu else nullcontext()


def test_replay_computes_from_what_the_input_holds_now(ops):
    x = ops.from_list([1.0, 2.0, 3.0])
    g, y = captured(ops, lambda: ops.matmul(ops.mul(x, 10.0), ops.add(x, 1.0)))
    for numbers in ([1.0, 0.0, 2.0], [4.0, 5.0, 6.0]):
        ops.copy(x, ops.from_list(numbers))
        g.replay()
        assert y.item() == sum(10 * n * (n + 1) for n in numbers)


def test_nothing_runs_while_it_is_captured(ops):
    x = ops.from_list([1.0])
    g, _ = captured(ops, lambda: ops.fill(x, 5.0))
    assert x.item() == 1.0
    g.replay()
    assert x.item() == 5.0


def test_the_graph_keeps_what_its_launches_read_and_write(ops):
    def work():
        x = ops.full((1000,), 1.0, cpu.float32)
        return ops.mul(ops.add(x, 7.0), 2.0)

    g, y = captured(ops, work)
    gc.collect()
    others = [ops.from_list([9.0] * 1000) for _ in range(50)]  # would take freed memory
    g.replay()
    assert y.tolist() == [16.0] * 1000
    assert all(other.tolist() == [9.0] * 1000 for other in others)


def test_a_number_first_used_in_a_capture_is_not_kept_as_a_constant(ops):
    x = ops.from_list([1.0])
    captured(ops, lambda: ops.add(x, 1234.5))
    assert ops.add(x, 1234.5).item() == 1235.5


def test_kernels_of_any_text_and_their_numbers(ops):
    text = "__global__ void f(float* x, float by) { x[threadIdx.x] += by; }"
    kernel = norch_cuda.load_kernel(text, "f", ops.device)
    x = ops.from_list([0.0, 1.0])
    g, _ = captured(ops, lambda: kernel(1, 2, x, 3))
    g.replay()
    g.replay()
    assert x.tolist() == [6.0, 7.0]


def test_a_replay_is_checked_as_a_launch_is():
    ops = norch_cuda.ops_for("cuda-sim")
    text = "__global__ void f(float* x) { x[threadIdx.x + 1] = 1; }"
    x = ops.from_list([0.0, 1.0])
    g, _ = captured(ops, lambda: norch_cuda.load_kernel(text, "f", ops.device)(1, 2, x))
    with (
        norch_cuda.simulator(check=True),
        pytest.raises(RuntimeError, match=r"\[f\].*kernel\.cu:1"),
    ):
        g.replay()


def replay_and_wait(ops, g):
    g.replay()
    ops.backend.synchronize()  # where a GPU tells what a kernel found wrong


def test_indices_are_checked_by_each_replay(ops):
    index = ops.from_list([0, 1])
    table = ops.from_list([[1.0], [2.0]])
    g, rows = captured(ops, lambda: ops.index_select(table, 0, index))
    g.replay()
    assert rows.tolist() == [[1.0], [2.0]]
    ops.copy(index, ops.from_list([0, 2]))
    with pytest.raises(IndexError, match="index 2 is out of range"):
        replay_and_wait(ops, g)


def test_whole_numbers_are_divided_by_what_each_replay_finds(ops):
    seven, by = ops.from_list([7]), ops.from_list([2])
    g, quotient = captured(ops, lambda: ops.floor_divide(seven, by))
    g.replay()
    assert quotient.item() == 3
    ops.fill(by, 0)
    with pytest.raises(RuntimeError, match="division of whole numbers by zero"):
        replay_and_wait(ops, g)


WAITING = {
    "item": lambda ops, x: x.item(),
    "tolist": lambda ops, x: ops.add(x, 1.0).tolist(),
    "to_cpu": lambda ops, x: ops.to_cpu(x),
    "nonzero": lambda ops, x: ops.nonzero(x),
    "from_list": lambda ops, x: ops.from_list([1.0]),
    "synchronize": lambda ops, x: ops.backend.synchronize(),
}


@pytest.mark.parametrize("name", WAITING)
def test_what_waits_for_the_device_cannot_be_captured(ops, name):
    x, g = ops.from_list([3.0]), norch_cuda.CUDAGraph(device=ops.device)
    with (
        pytest.raises(RuntimeError, match="not permitted while a graph is captured"),
        norch_cuda.graph(g),
    ):
        WAITING[name](ops, x)
    assert not norch_cuda.is_current_stream_capturing()
    assert x.item() == 3.0
    with pytest.raises(RuntimeError, match="without a finished capture"):
        g.replay()


RANDOM = {
    "uniform": lambda ops: ops.uniform((2,), 0.0, 1.0, cpu.float32, 1, 0),
    "normal": lambda ops: ops.normal((2,), 0.0, 1.0, cpu.float32, 1, 0),
    "randint": lambda ops: ops.randint((2,), 0, 5, 1, 0),
    "bernoulli": lambda ops: ops.bernoulli((2,), 0.5, cpu.float32, 1, 0),
}


@pytest.mark.parametrize("name", RANDOM)
def test_random_numbers_would_be_the_same_in_every_replay(ops, name):
    with pytest.raises(RuntimeError, match=rf"\[{name}\] cannot be captured"):
        captured(ops, lambda: RANDOM[name](ops))


def test_begin_end_replay_and_reset_in_their_order(ops):
    with in_a_stream(ops):
        check_the_order(ops)


def check_the_order(ops):
    g, other = (norch_cuda.CUDAGraph(device=ops.device) for _ in range(2))
    with pytest.raises(RuntimeError, match="without a finished capture"):
        g.replay()
    with pytest.raises(RuntimeError, match=r"capture_end\(\) without"):
        g.capture_end()
    g.capture_begin(pool=other.pool())
    try:
        for wrong, message in (
            (other.capture_begin, "captures a graph already"),
            (g.capture_begin, "is captured already"),
            (g.replay, "without a finished capture"),
        ):
            with pytest.raises(RuntimeError, match=message):
                wrong()
    finally:
        g.capture_end()
    g.replay()
    with pytest.raises(RuntimeError, match="is captured already"):
        g.capture_begin()
    g.reset()
    with pytest.raises(RuntimeError, match="without a finished capture"):
        g.replay()
    g.capture_begin()
    g.reset()  # ends the capture too
    assert not norch_cuda.is_current_stream_capturing()


def test_replaying_inside_a_capture_is_an_error(ops):
    g, _ = captured(ops, lambda: None)
    with pytest.raises(RuntimeError, match="replaying a graph is not permitted"):
        captured(ops, g.replay)


def test_other_threads_run_while_one_captures(ops):
    found = []

    def work():
        found.append(ops.add(ops.from_list([1.0]), 1.0).item())

    def with_a_thread():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    captured(ops, with_a_thread)
    assert found == [2.0]


def test_graphs_that_share_a_pool(ops):
    x = ops.from_list([1.0, 2.0])
    first, y = captured(ops, lambda: ops.mul(ops.add(x, 1.0), 2.0))
    second = norch_cuda.CUDAGraph(device=ops.device)
    with norch_cuda.graph(second, pool=first.pool()):
        z = ops.add(y, 100.0)
    assert second.pool() is first.pool()
    for _ in range(2):
        first.replay()
        second.replay()
        assert z.tolist() == [104.0, 106.0]
        ops.fill(x, 1.0)
        first.replay()
        second.replay()
        assert z.tolist() == [104.0, 104.0]
        ops.copy(x, ops.from_list([1.0, 2.0]))


@pytest.mark.parametrize(
    ("wrong", "error"), [({"pool": (1, 0)}, TypeError), ({"capture_error_mode": "x"}, RuntimeError)]
)
def test_arguments_of_a_capture_that_mean_nothing(ops, wrong, error):
    g = norch_cuda.CUDAGraph(device=ops.device)
    with pytest.raises(error, match=r"\[CUDAGraph\].* expected"):
        g.capture_begin(**wrong)
    assert not norch_cuda.is_current_stream_capturing()
