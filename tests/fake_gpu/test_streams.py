"""What the stand-in does with streams, as CUDA documents it: `make gpu-fake`.

While a stream captures, much is refused. What runs late is early only if somebody waits: on a GPU
these are races, which either side may win; here the late one always loses, so that each test shows
what a missing wait does. CuPy's own calls, without norch between. None of this has run on a GPU.
"""

import threading

import numpy
import pytest

import norch

cupy = pytest.importorskip("cupy")
pytestmark = pytest.mark.gpu
GLOBAL, THREAD_LOCAL, RELAXED = range(3)
UNSUPPORTED, INVALIDATED, UNMATCHED, UNJOINED, ISOLATION, IMPLICIT, CAPTURED_EVENT = (
    900, 901, 903, 904, 905, 906, 907,
)  # fmt: skip


@pytest.fixture
def place():
    """Eight bytes of the GPU, all zero."""
    found, runtime = cupy.cuda.alloc(8), cupy.cuda.runtime
    runtime.memcpy(found.ptr, numpy.zeros(1).ctypes.data, 8, runtime.memcpyHostToDevice)
    return found


def status(call):
    """What CUDA answers to a call: 0, or the number of an error."""
    try:
        call()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return error.status
    return 0


def captured(work, mode=RELAXED, non_blocking=True):
    """What CUDA answers to some work during a capture, and then to the end of the capture."""
    stream = cupy.cuda.Stream(non_blocking=non_blocking)
    stream.begin_capture(mode)
    answer = status(lambda: work(stream))
    return answer, status(stream.end_capture)


def copy(target, value, stream):
    """Queue the copy of an array of the host into a place."""
    runtime = cupy.cuda.runtime
    runtime.memcpyAsync(target.ptr, value.ctypes.data, 8, runtime.memcpyHostToDevice, stream.ptr)


def read(place):
    """The number that lies in a place."""
    out, runtime = numpy.zeros(1), cupy.cuda.runtime
    runtime.deviceSynchronize()
    runtime.memcpy(out.ctypes.data, place.ptr, 8, runtime.memcpyDeviceToHost)
    return out[0]


def test_nothing_runs_before_a_launch_and_each_launch_reads_anew(place):
    number, stream = numpy.ones(1), cupy.cuda.Stream(non_blocking=True)
    stream.begin_capture()
    assert stream.is_capturing()
    copy(place, number, stream)
    graph = stream.end_capture()
    assert not stream.is_capturing() and read(place) == 0
    for value in (3.0, 4.0):
        number[0] = value
        graph.launch(stream)
        assert read(place) == value


REFUSED = {
    "waiting for the stream": lambda s: s.synchronize(),
    "waiting for the device": lambda s: cupy.cuda.runtime.deviceSynchronize(),
}
UNSAFE = {
    "cudaMalloc": lambda s: cupy.cuda.runtime.malloc(4096),
    "cudaHostAlloc": lambda s: cupy.cuda.runtime.hostAlloc(4096, 0),
    "cudaEventQuery": lambda s: cupy.cuda.Event().done,
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("mode", [GLOBAL, THREAD_LOCAL, RELAXED])
def test_what_waits_spoils_a_capture(name, mode):
    assert captured(REFUSED[name], mode) == (UNSUPPORTED, INVALIDATED)


@pytest.mark.parametrize("name", UNSAFE)
def test_what_may_wait_is_refused_but_in_relaxed_mode(name):
    assert captured(UNSAFE[name], RELAXED) == (0, 0)
    if name != "cudaEventQuery":  # CuPy hands on the answer itself
        assert captured(UNSAFE[name], THREAD_LOCAL) == (UNSUPPORTED, INVALIDATED)
        assert captured(UNSAFE[name], GLOBAL) == (UNSUPPORTED, INVALIDATED)


def test_only_global_mode_forbids_it_to_other_threads():
    def elsewhere(stream):
        found = []
        call = lambda: found.append(status(lambda: cupy.cuda.runtime.malloc(4096)))  # noqa: E731
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        assert found == [expected]

    for mode, expected in ((GLOBAL, UNSUPPORTED), (THREAD_LOCAL, 0), (RELAXED, 0)):
        assert captured(elsewhere, mode) == (0, INVALIDATED if expected else 0)


def test_a_synchronous_copy_and_the_legacy_stream(place):
    runtime, number = cupy.cuda.runtime, numpy.ones(1)

    def synchronous(stream):
        runtime.memcpy(place.ptr, number.ctypes.data, 8, runtime.memcpyHostToDevice)

    def legacy(stream):
        copy(place, number, cupy.cuda.Stream.null)

    assert captured(synchronous, GLOBAL) == (UNSUPPORTED, INVALIDATED)
    assert captured(legacy) == (0, 0)
    assert captured(legacy, non_blocking=False) == (IMPLICIT, INVALIDATED)


def test_events_lead_streams_into_a_capture_and_back(place):
    number, side = numpy.full(1, 5.0), cupy.cuda.Stream(non_blocking=True)
    stream = cupy.cuda.Stream(non_blocking=True)

    def fork(stream):
        side.wait_event(stream.record())
        copy(place, number, side)

    def fork_and_join(stream):
        fork(stream)
        stream.wait_event(side.record())

    assert captured(fork) == (0, UNJOINED)
    assert captured(fork_and_join) == (0, 0)
    assert captured(lambda s: s.wait_event(side.record())) == (ISOLATION, INVALIDATED)
    assert captured(lambda s: s.record().synchronize()) == (CAPTURED_EVENT, 0)
    stream.begin_capture()
    fork_and_join(stream)
    graph = stream.end_capture()
    assert read(place) == 0.0
    graph.launch(stream)
    assert read(place) == 5.0


def test_a_capture_ends_where_and_as_it_began():
    side = cupy.cuda.Stream(non_blocking=True)

    def end_elsewhere(stream):
        side.wait_event(stream.record())
        cupy.cuda.runtime.streamEndCapture(side.ptr)

    assert captured(end_elsewhere) == (UNMATCHED, INVALIDATED)
    assert captured(lambda s: s.begin_capture()) == (401, 0)
    assert status(lambda: cupy.cuda.runtime.streamEndCapture(side.ptr)) == 401


def test_two_launches_of_one_graph_run_in_their_order(place):
    number = numpy.zeros(1)
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(2)]
    streams[0].begin_capture()
    copy(place, number, streams[0])
    graph = streams[0].end_capture()
    number[0] = 1.0
    graph.launch(streams[0])
    graph.launch(streams[1])
    streams[1].synchronize()
    assert streams[0].done


@pytest.fixture
def side():
    """A stream beside the default one."""
    norch.cuda.synchronize()
    return norch.cuda.Stream()


def test_work_in_another_stream_is_late_unless_somebody_waits(side):
    x, other = norch.zeros(1000, device="cuda"), norch.cuda.Stream()
    norch.cuda.synchronize()
    with norch.cuda.stream(side):
        x.add_(1)
    with norch.cuda.stream(other):
        assert x.sum().item() == 0.0
        other.wait_stream(side)
        assert x.sum().item() == 1000.0


def test_a_copy_from_pinned_memory_is_left_to_the_stream(side):
    x = norch.ones(1000).pin_memory()
    with norch.cuda.stream(side):
        x.to("cuda")
        assert side.query()
        y = x.cuda(non_blocking=True)
        assert not side.query()
        z = norch.ones(1000).to("cuda", non_blocking=True)  # not pinned
        assert side.query()
        assert (y + z).sum().item() == 2000.0


def test_a_copy_to_pinned_memory_is_there_after_the_stream(side):
    with norch.cuda.stream(side):
        x = norch.full((3,), 4.0, device="cuda")
        out = norch.zeros(3).pin_memory()
        out.copy_(x, non_blocking=True)
        assert out.tolist() == [0.0] * 3
        side.synchronize()
        assert out.tolist() == [4.0] * 3
        out.fill_(0)
        out.copy_(x)
        assert out.tolist() == [4.0] * 3


@pytest.mark.parametrize(("record", "expected"), [(True, 2000.0), (False, 18000.0)])
def test_memory_of_one_stream_that_another_uses(side, record, expected):
    x = norch.full((1000,), 1.0, device="cuda")
    side.wait_stream(norch.cuda.current_stream())
    with norch.cuda.stream(side):
        y = x * 2
    if record:
        x.record_stream(side)
    del x
    others = [norch.full((1000,), 9.0, device="cuda") for _ in range(4)]
    norch.cuda.current_stream().synchronize()
    side.synchronize()
    assert len(others) == 4 and y.sum().item() == expected


def test_a_graph_is_replayed_in_the_stream_of_the_moment(side):
    x = norch.ones(1, device="cuda")
    g = norch.cuda.CUDAGraph()
    with norch.cuda.graph(g):
        y = x * 10
    g.replay()
    norch.cuda.synchronize()
    with norch.cuda.stream(side):
        x.fill_(5)
        g.replay()
    assert y.item() == 10.0
    norch.cuda.current_stream().wait_stream(side)
    assert y.item() == 50.0


def test_pinned_memory_of_a_graph_outlives_a_replay_under_way(side):
    y = norch.zeros(1000, device="cuda")
    norch.cuda.synchronize()
    g = norch.cuda.CUDAGraph()
    with norch.cuda.graph(g):
        y.copy_(norch.full((1000,), 2.0).pin_memory(), non_blocking=True)
    with norch.cuda.stream(side):
        g.replay()
    g.reset()
    others = [norch.full((1000,), 9.0).pin_memory() for _ in range(4)]
    side.synchronize()
    assert len(others) == 4 and y.sum().item() == 2000.0


def test_each_priority_has_its_streams_and_a_capture_has_another():
    low = [norch.cuda.Stream(priority=0) for _ in range(32)]
    high = [norch.cuda.Stream(priority=-1) for _ in range(32)]
    given = {s.cuda_stream for pair in zip(low, high, strict=True) for s in pair}
    assert len(given) == 64
    turns = [norch.cuda.Stream(priority=-(i % 2)).cuda_stream for i in range(64)]
    assert set(turns) == given
    g = norch.cuda.CUDAGraph()
    with norch.cuda.graph(g):
        assert norch.cuda.current_stream().cuda_stream not in given
