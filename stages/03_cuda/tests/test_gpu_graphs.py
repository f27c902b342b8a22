"""Captured graphs of a GPU: what they keep, what CUDA refuses, and in which stream they run.

What they have in common with the simulator's is in test_graphs.py. `make gpu-check` runs this on a
GPU, `make gpu-fake` on a stand-in for the driver; elsewhere it is skipped.
"""

import pytest

import norch_cpu_ops as cpu
import norch_cuda

pytestmark = pytest.mark.gpu


@pytest.fixture
def gpu():
    """The operations of GPU 0."""
    if not norch_cuda.is_available():
        pytest.skip("no CUDA GPU with CuPy on this machine")
    return norch_cuda.ops_for("cuda")


def captured(work):
    """A graph of `work` and what it returned."""
    g = norch_cuda.CUDAGraph()
    with norch_cuda.graph(g):
        return g, work()


def overwrite(gpu, nbytes):
    """Take, and fill with nines, all memory of a size that the pool would give out again."""
    return [gpu.full((nbytes // 4,), 9.0, cpu.float32) for _ in range(20)]


def test_a_graph_keeps_an_input_that_nobody_else_holds(gpu):
    inputs = [gpu.full((1000,), 2.0, cpu.float32)]
    g, y = captured(lambda: gpu.mul(inputs.pop(), 10.0))
    others = overwrite(gpu, 4000)
    g.replay()
    assert gpu.sum(y).item() == 20000.0
    assert all(gpu.sum(other).item() == 9000.0 for other in others)


def test_what_is_freed_in_a_capture_is_taken_again_there_and_nowhere_else(gpu):
    x = gpu.ones((1 << 18,), cpu.float32)

    def chain():
        y = x
        for _ in range(20):
            y = gpu.add(y, 1.0)
        return y

    before = norch_cuda.memory_reserved()
    g, y = captured(chain)
    assert norch_cuda.memory_reserved() - before < 5 << 20
    others = overwrite(gpu, 1 << 20)
    g.replay()
    assert gpu.sum(y).item() == 21.0 * (1 << 18)
    assert all(gpu.sum(other).item() == 9.0 * (1 << 18) for other in others)
    del y, others
    g.reset()
    norch_cuda.empty_cache()
    assert norch_cuda.memory_reserved() <= before


def test_a_result_outlives_its_graph(gpu):
    x = gpu.from_list([1.0, 2.0])
    g, y = captured(lambda: gpu.mul(x, 3.0))
    g.replay()
    g.reset()
    others = overwrite(gpu, 8)
    assert y.tolist() == [3.0, 6.0]
    assert others[0].tolist() == [9.0, 9.0]


def test_the_default_stream_cannot_be_captured(gpu):
    with pytest.raises(RuntimeError, match=r"\[CUDAGraph\] the default stream cannot be captured"):
        norch_cuda.CUDAGraph().capture_begin()
    assert not norch_cuda.is_current_stream_capturing()
    gpu.ones((2,), cpu.float32)


WAITING = {
    "synchronize": norch_cuda.synchronize,
    "Stream.synchronize": lambda: norch_cuda.current_stream().synchronize(),
    "Stream.query": lambda: norch_cuda.current_stream().query(),
    "Event.synchronize": lambda: norch_cuda.current_stream().record_event().synchronize(),
    "a stream outside": lambda: norch_cuda.current_stream().wait_stream(
        norch_cuda.default_stream()
    ),
}


@pytest.mark.parametrize("name", WAITING)
def test_what_waits_in_a_capture_is_refused_with_what_to_do(gpu, name):
    g = norch_cuda.CUDAGraph()
    with (
        pytest.raises(RuntimeError, match=r"\[cuda:0\] .*while a graph is captured nothing runs"),
        norch_cuda.graph(g),
    ):
        WAITING[name]()
    assert gpu.sum(gpu.ones((2,), cpu.float32)).item() == 2.0


def test_a_capture_may_branch_into_another_stream_and_come_back(gpu):
    x, side = gpu.from_list([1.0, 2.0]), norch_cuda.Stream()

    def branched():
        main = norch_cuda.current_stream()
        side.wait_stream(main)
        with norch_cuda.stream(side):
            y = gpu.mul(x, 10.0)
        main.wait_stream(side)
        return gpu.add(y, 1.0)

    g, z = captured(branched)
    gpu.fill(x, 4.0)
    g.replay()
    assert z.tolist() == [41.0, 41.0]
