"""Who multiplies large matrices on a GPU: cuBLAS where it is, or norch. Stand-ins for both here."""

import numpy as np
import pytest
from cuda_comparison import assert_same
from cuda_lessons import SIM

import norch_cpu_ops as cpu
import norch_cuda
from norch_cuda.launch import blas
from norch_cuda.operations import matmul as products
from norch_cuda.runtime.cupy_backend import CupyBackend
from norch_strides import transpose


@pytest.fixture(autouse=True)
def default():
    yield
    norch_cuda.preferred_blas_library("default")


def gpu(has_cublas):
    """A backend of CuPy without a GPU."""
    backend = object.__new__(CupyBackend)
    backend.has_cublas = lambda: has_cublas
    return backend


@pytest.mark.parametrize(
    ("library", "with_cublas", "without"),
    [("default", True, False), ("cublas", True, True), ("norch", False, False)],
)
def test_the_switch(library, with_cublas, without):
    """Asked for by name it is called where it is missing too, and its call says what to install."""
    assert norch_cuda.preferred_blas_library(library) == library
    assert norch_cuda.preferred_blas_library() == library
    assert [blas.blas_of(gpu(has)) is not None for has in (True, False)] == [with_cublas, without]
    assert blas.blas_of(SIM.backend) is None


def test_no_such_library():
    with pytest.raises(RuntimeError, match=r"\[preferred_blas_library\] got 'mkl': expected"):
        norch_cuda.preferred_blas_library("mkl")


class Library:
    """What a GPU's backend does with cuBLAS, done by the plain kernel and counted."""

    calls = 0

    def cublas_matmul(self, left, right, out):
        self.calls += 1
        SIM.copy(out, SIM.matmul_naive(left, right))


@pytest.fixture
def library(monkeypatch):
    found = Library()
    monkeypatch.setattr(products, "blas_of", lambda backend: found)
    monkeypatch.setattr(type(SIM), "as_cupy", lambda ops, a: a)
    return found


def drawn(o, shape, seed=0, dtype=np.float32):
    return o.from_buffer(np.random.default_rng(seed).normal(size=shape).astype(dtype))


def linear(o, dtype=np.float32):
    x, weight, bias = (drawn(o, s, i, dtype) for i, s in enumerate([(2, 40, 70), (65, 70), (65,)]))
    return o.linear(x, weight, bias)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_matrices_of_floats_go_to_the_library(library, dtype):
    assert_same(linear(cpu.ops, dtype), linear(SIM, dtype), 1e-5)
    assert library.calls == 1


def test_what_stays(library):
    """Small products, batches, halves, a way that is asked for, and what a graph captures."""
    x = drawn(SIM, (80, 80))
    turned = x.view(transpose(x.layout, 0, 1))
    norch_cuda.lessons.matmul(x, turned, "vectorized")
    SIM.matmul(drawn(SIM, (30, 80)), x)
    SIM.matmul(drawn(SIM, (2, 80, 80)), x)
    SIM.matmul(SIM.cast(x, cpu.float16), SIM.cast(x, cpu.float16))
    with norch_cuda.graph(norch_cuda.CUDAGraph(device="cuda-sim")):
        SIM.matmul(x, turned)
    assert library.calls == 0
    SIM.matmul(x, turned)
    assert library.calls == 1
