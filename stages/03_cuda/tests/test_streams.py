"""Streams, events and memory numbers where no GPU is: they say so. With a GPU: test_gpu.py."""

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


def test_what_is_no_stream_is_not_recorded():
    x = norch_cuda.ops_for("cuda-sim").from_list([1.0])
    with pytest.raises(TypeError, match=r"\[record_stream\] the stream is a int: expected a norch"):
        memory.record_stream(x, 0)
