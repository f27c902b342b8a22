"""The GPU backend without a GPU: a stand-in for the few CuPy calls it makes, run by the simulator.

It proves that launches, copies and devices are asked for as CuPy's documentation says; that a real
GPU agrees is what `make gpu-check` is for.
"""

import contextlib
import ctypes
import types

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cuda import lessons
from norch_cuda.operations import Operations
from norch_cuda.runtime import simulator_backend
from norch_cuda.runtime.backend import Memory
from norch_cuda.runtime.cupy_backend import CupyBackend
from norch_cuda.runtime.simulator_options import SimulatorOptions
from norch_cuda.runtime.sources import ELEMENTS, KernelSource


class FakePointer:
    """cupy.cuda.MemoryPointer: an address that keeps its memory."""

    def __init__(self, ptr, memory):
        self.ptr, self.memory = ptr, memory

    def __add__(self, nbytes):
        return FakePointer(self.ptr + nbytes, self.memory)


class FakeCupy:
    """cupy.cuda and cupy.RawModule, as far as the backend uses them."""

    def __init__(self):
        self.functions = {}
        self.options = []
        self.active = []
        self.stream = types.SimpleNamespace(ptr=1234, synchronize=lambda: None)
        runtime = types.SimpleNamespace(
            memcpyAsync=self.copy, memcpyHostToDevice=1, memcpyDeviceToHost=2
        )
        self.pool = types.SimpleNamespace(total_bytes=lambda: 512)
        self.get_default_memory_pool = lambda: self.pool
        self.cuda = types.SimpleNamespace(
            Device=self.device,
            alloc=self.alloc,
            get_current_stream=lambda: self.stream,
            runtime=runtime,
            driver=types.SimpleNamespace(launchKernel=self.launch),
        )

    def device(self, index):
        @contextlib.contextmanager
        def use():
            self.active.append(index)
            yield
            self.active.pop()

        class Device:
            def __init__(self):
                self.attributes = {"MultiProcessorCount": 2}
                self.uses = []

            def __enter__(self):
                self.uses.append(use())
                self.uses[-1].__enter__()

            def __exit__(self, *_):
                self.uses.pop().__exit__(None, None, None)

        return Device()

    def alloc(self, nbytes):
        assert self.active == [1]
        memory = simulator_backend.SimulatorBackend().allocate(nbytes)
        return FakePointer(memory.address, memory)

    def ndarray(self, shape, dtype, memptr):
        assert self.active == [1]
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return np.frombuffer((ctypes.c_char * size).from_address(memptr.ptr), dtype).reshape(shape)

    def matmul(self, a, b, out):
        np.matmul(a, b, out=out)

    def copy(self, target, source, nbytes, kind, stream):
        assert (self.active, stream) == ([1], 1234)
        assert kind in (1, 2)
        ctypes.memmove(target, source, nbytes)

    def RawModule(self, *, code, options):
        assert all(isinstance(option, str) for option in options)
        self.options.append(options)
        element = next(e for e in ELEMENTS.values() if f"using T = {e};" in code)
        body = code.split("\n", 3)[3]

        def get_function(name):
            number = len(self.functions) + 1
            self.functions[number] = (KernelSource(body, "gpu.cu", element), name)
            return types.SimpleNamespace(kernel=types.SimpleNamespace(ptr=number))

        return types.SimpleNamespace(get_function=get_function)

    def launch(self, function, gx, gy, gz, bx, by, bz, shared, stream, params, extra):
        assert (self.active, stream, extra) == ([1], 1234, 0)
        source, name = self.functions[function]
        library = simulator_backend.load_library(source, False)
        index, _ = library.kernels[name]
        options = simulator_backend._launch_options(
            SimulatorOptions(), (gx, gy, gz), (bx, by, bz), shared,
            simulator_backend._ranges([]),
        )  # fmt: skip
        report = simulator_backend._LaunchReport()
        failed = simulator_backend._engine().norch_sim_launch(
            ctypes.byref(library.table), index, ctypes.c_void_p(params), ctypes.byref(options),
            ctypes.byref(report),
        )  # fmt: skip
        assert not failed, report.message


@pytest.fixture
def fake():
    return FakeCupy()


def test_operations_run_through_the_gpu_backend(fake):
    ops = Operations(CupyBackend(fake, 1))
    a = ops.from_list([[float(i - j) for i in range(20)] for j in range(3)])
    assert a.device == "cuda:1"
    assert isinstance(a.storage.memory, Memory)
    expected = cpu.ops.matmul(ops.to_cpu(a), cpu.ops.ones((20, 2), cpu.float32)).tolist()
    assert ops.matmul(a, ops.ones((20, 2), cpu.float32)).tolist() == expected
    assert ops.sum(ops.relu(a), 1).tolist() == cpu.ops.sum(cpu.ops.relu(ops.to_cpu(a)), 1).tolist()
    ops.backend.synchronize()


def test_random_numbers_are_compiled_without_fused_multiply_add(fake):
    ops = Operations(CupyBackend(fake, 1))
    ops.normal((4,), 0.0, 1.0, cpu.float32, 1, 0)
    ops.exp(ops.ones((2,), cpu.float32))
    assert ["--fmad=false" in options for options in fake.options] == [True, False, False]


def test_modules_are_compiled_once(fake):
    ops = Operations(CupyBackend(fake, 1))
    a = ops.ones((3,), cpu.float32)
    for _ in range(3):
        ops.exp(a)
        ops.log(a)
    assert len(fake.options) == 2
    assert len(fake.functions) == 3


def test_arrays_of_two_devices_do_not_mix(fake):
    gpu = Operations(CupyBackend(fake, 1))
    other = Operations(simulator_backend.SimulatorBackend())
    with pytest.raises(RuntimeError, match="two devices, cuda:1 and cuda-sim"):
        gpu.add(gpu.ones((2,), cpu.float32), other.ones((2,), cpu.float32))


def test_memory_in_use_is_counted_until_nobody_holds_it(fake):
    backend = CupyBackend(fake, 1)
    first, second = backend.allocate(8), backend.allocate(16)
    assert (backend.used_bytes, backend.peak_bytes) == (24, 24)
    del first
    assert (backend.used_bytes, backend.peak_bytes, backend.reserved_bytes()) == (16, 24, 512)
    del second
    assert backend.used_bytes == 0


def test_cublas_gets_the_same_memory(fake):
    ops = Operations(CupyBackend(fake, 1))
    a = ops.from_list([[float(i - j) for i in range(3)] for j in range(4)])
    b = ops.from_list([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    expected = lessons.matmul(a, b, "blocked").tolist()
    assert lessons.matmul(a, b, "cublas").tolist() == expected
