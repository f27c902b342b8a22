"""Streams, events and memory numbers: honest without a GPU; with a stand-in for CuPy, the calls.

What a real GPU does with them is for `make gpu-check`.
"""

import contextlib
import types

import pytest

import norch_cuda
from norch_cuda.devices import device as devices, memory

NEEDS_GPU = {
    "Stream": norch_cuda.Stream,
    "Event": norch_cuda.Event,
    "current_stream": norch_cuda.current_stream,
    "default_stream": norch_cuda.default_stream,
    "synchronize": norch_cuda.synchronize,
    "current_device": norch_cuda.current_device,
    "set_device": lambda: norch_cuda.set_device(0),
    "get_device_name": norch_cuda.get_device_name,
}


@pytest.mark.parametrize("name", NEEDS_GPU)
def test_without_a_gpu_it_says_so(name, monkeypatch):
    monkeypatch.setattr(devices, "device_count", lambda: 0)
    with pytest.raises(RuntimeError, match=r"\[device\] 'cuda'.*'cuda-sim'"):
        NEEDS_GPU[name]()


def test_without_a_gpu_no_memory_is_in_use(monkeypatch):
    monkeypatch.setattr(memory, "device_count", lambda: 0)
    norch_cuda.empty_cache()
    norch_cuda.reset_peak_memory_stats()
    assert norch_cuda.memory_allocated() == norch_cuda.max_memory_allocated() == 0
    assert norch_cuda.memory_reserved() == 0


class FakeStream:
    null = types.SimpleNamespace(ptr=0)

    def __init__(self, log, **options):
        self.log, self.ptr, self.done = log, 7, True
        log.append(("Stream", options))

    def __enter__(self):
        self.log.append("enter")

    def __exit__(self, *_):
        self.log.append("exit")

    def synchronize(self):
        self.log.append("synchronize")

    def wait_event(self, event):
        self.log.append(("wait", event))


@pytest.fixture
def log(monkeypatch):
    """What is asked of a CuPy with two GPUs, in order."""
    calls = []

    class Event:
        done = True

        def __init__(self, **options):
            calls.append(("Event", options))

        def record(self, stream):
            calls.append(("record", stream.ptr))

        def synchronize(self):
            calls.append("event synchronize")

    @contextlib.contextmanager
    def device(index):
        calls.append(("device", index))
        yield

    def stream(**options):
        return FakeStream(calls, **options)

    stream.null = FakeStream.null
    runtime = types.SimpleNamespace(getDevice=lambda: 1, getDeviceCount=lambda: 2)
    cuda = types.SimpleNamespace(
        Device=device, Stream=stream, Event=Event, runtime=runtime,
        get_current_stream=lambda: FakeStream.null, get_elapsed_time=lambda a, b: 1.5,
    )  # fmt: skip
    monkeypatch.setattr(devices, "_import_cupy", lambda: types.SimpleNamespace(cuda=cuda))
    return calls


def test_a_stream_is_entered_on_its_own_gpu(log):
    with norch_cuda.stream(norch_cuda.Stream("cuda:0", priority=-1)):
        log.append("work")
    options = {"non_blocking": True, "priority": -1}
    assert log == [
        ("device", 0), ("Stream", options), ("device", 0), "enter", "work", "exit",
    ]  # fmt: skip


def test_a_stream_waits_for_another_through_an_event(log):
    first, second = norch_cuda.Stream(), norch_cuda.Stream()
    log.clear()
    second.wait_stream(first)
    assert [entry[0] for entry in log] == ["Event", "record", "wait"]
    assert (first.query(), first.device, first.cuda_stream) == (True, "cuda:1", 7)


def test_events_measure_time_only_if_asked(log):
    start, end = norch_cuda.Event(enable_timing=True), norch_cuda.Event(enable_timing=True)
    start.record()
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) == 1.5
    with pytest.raises(RuntimeError, match=r"\[Event\] both events need enable_timing=True"):
        start.elapsed_time(norch_cuda.Event())


def test_a_gpu_that_is_not_there(log):
    with pytest.raises(RuntimeError, match=r"\[device\] 'cuda:5' .* there are 2 GPUs"):
        norch_cuda.Stream(5)
    with pytest.raises(ValueError, match=r"\[device\] 'cpu' is no GPU"):
        norch_cuda.current_stream("cpu")
