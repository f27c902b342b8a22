"""Textbook kernels typed in unchanged give the right numbers, in each thread order, all checked.

A function a kernel: it makes the inputs, launches as a textbook's host code does, and returns what
came out and what NumPy says. NVIDIA's compiler sees the same texts where it is installed.
"""

import shutil
import subprocess

import numpy as np
import pytest
import textbook_kernels as book
from cuda_lessons import SIM, array

import norch_cpu_ops as cpu
from norch_cuda import load_kernel, simulator

MODES = {"forward": {}, "reversed": {"order": "reversed"}, "checked": {"check": True}}
RANDOM = np.random.default_rng(0)


def normal(*shape, dtype=np.float32):
    return RANDOM.normal(size=shape).astype(dtype)


def zeros(*shape, dtype=np.float32):
    return array(np.zeros(shape), dtype)


def vector_add():
    a, b, c = normal(1000), normal(1000), zeros(1000)
    load_kernel(book.VECTOR_ADD, "vecAdd")(4, 256, array(a), array(b), c, 1000)
    return c, a + b


def saxpy():
    x, y = normal(300), normal(300)
    out = array(y)
    load_kernel(book.SAXPY, "saxpy")(2, 64, 300, 2, array(x), out)
    return out, np.float32(2) * x + y


def copy_float4():
    x, out = normal(1003), zeros(1003)
    load_kernel(book.COPY_FLOAT4, "copyVector4")(1, 256, out, array(x), 1003)
    return out, x


def matmul_naive():
    a, b, c = normal(20, 30), normal(30, 17), zeros(20, 17)
    kernel = load_kernel(book.MATMUL_NAIVE, "matmulNaive")
    kernel((2, 2), (16, 16), array(a), array(b), c, 20, 17, 30)
    return c, a @ b


def matmul_tiled():
    a, b, c = (array(m, np.float64) for m in (normal(20, 30), normal(30, 17), np.zeros((20, 17))))
    kernel = load_kernel(book.MATMUL_TILED, "matmulTiled<double, 8>")
    kernel((3, 3), (8, 8), a, b, c, 20, 17, 30)
    return c, np.array(a.tolist()) @ np.array(b.tolist())


def transpose():
    x, out = normal(40, 70), zeros(70, 40)
    kernel = load_kernel(book.TRANSPOSE, "transposeNoBankConflicts")
    kernel((3, 2), (32, 8), out, array(x), 70, 40)
    return out, x.T


def reduce_shared():
    x, out = normal(1000), zeros(4)
    kernel = load_kernel(book.REDUCE_SHARED, "reduceShared")
    kernel(4, 128, array(x), out, 1000, dynamic_shared=128 * 4)
    return SIM.sum(out), x.sum()


def reduce_shuffle():
    x, out = normal(1000), zeros(1)
    load_kernel(book.REDUCE_SHUFFLE, "reduceShuffle")(3, 128, array(x), out, 1000)
    return out, [x.sum()]


def scan_hillis_steele():
    x, out = normal(64), zeros(64)
    kernel = load_kernel(book.SCAN_HILLIS_STEELE, "scanHillisSteele")
    kernel(1, 64, out, array(x), 64, dynamic_shared=2 * 64 * 4)
    return out, np.cumsum(x)


def scan_blelloch():
    x, out = RANDOM.integers(0, 9, 128), zeros(128, dtype=np.int32)
    kernel = load_kernel(book.SCAN_BLELLOCH, "scanBlelloch")
    kernel(1, 64, out, array(x, np.int32), 128, dynamic_shared=128 * 4)
    return out, np.cumsum(x) - x


def histogram():
    x, out = RANDOM.integers(0, 256, 3000), zeros(256, dtype=np.int32)
    load_kernel(book.HISTOGRAM, "histogramShared")(2, 128, array(x, np.uint8), 3000, out)
    return out, np.bincount(x, minlength=256)


def convolution():
    x, out, mask = normal(200), zeros(200), normal(7)
    kernel = load_kernel(book.CONVOLUTION, "convolution1D")
    SIM.copy_(kernel.get_global("d_mask"), array(mask))
    kernel(4, 64, array(x), out, 200)
    return out, np.convolve(x, mask[::-1], "same")


def softmax():
    x, out = normal(5, 70), zeros(5, 70)
    kernel = load_kernel(book.SOFTMAX, "softmaxRows")
    kernel(5, 32, out, array(x), 5, 70, dynamic_shared=32 * 4)
    e = np.exp(x - x.max(1, keepdims=True))
    return out, e / e.sum(1, keepdims=True)


def dot_cooperative():
    a, b = normal(1000, dtype=np.float64), normal(1000, dtype=np.float64)
    out = zeros(1, dtype=np.float64)
    kernel = load_kernel(book.DOT, "dotProduct")
    kernel(2, 128, array(a, np.float64), array(b, np.float64), out, 1000)
    return out, [a @ b]


def wmma_gemm():
    a, b, c = normal(32, 48), normal(48, 64), normal(32, 64)
    halves = [SIM.cast(array(m), cpu.float16) for m in (a, b)]
    out = array(c)
    load_kernel(book.WMMA_GEMM, "wmmaGemm")((1, 2), (64, 2), *halves, out, 32, 64, 48, 2.0, 0.5)
    a, b = (np.array(h.tolist()) for h in halves)
    return out, 2 * (a @ b) + 0.5 * c


def nbody():
    x, out = normal(64, 4), zeros(64, 4)
    load_kernel(book.NBODY, "calculateForces")(2, 32, array(x), out, 64, dynamic_shared=32 * 16)
    r = x[None, :, :3] - x[:, None, :3]
    cube = ((r**2).sum(-1) + 1e-4) ** 1.5
    forces = (r * (x[None, :, 3] / cube)[..., None]).sum(1)
    return out, np.concatenate([forces, np.zeros((64, 1))], 1)


def stencil():
    u = normal(20, 30, dtype=np.float64)
    out = array(u, np.float64)
    load_kernel(book.STENCIL, "heat2D")((4, 3), (8, 8), out, array(u, np.float64), 30, 20, 0.1)
    expected = u.copy()
    neighbours = u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1]
    expected[1:-1, 1:-1] += 0.1 * (neighbours - 4 * u[1:-1, 1:-1])
    return out, expected


def mandelbrot():
    out = zeros(12, 16, 4, dtype=np.uint8)
    load_kernel(book.MANDELBROT, "mandelbrot")((2, 2), (8, 8), out, 16, 12, 50, (-0.5, 0.0))
    i, j = np.meshgrid(np.arange(16), np.arange(12))
    c = (3 * i / 16 - 2) + 1j * (2 * j / 12 - 1)
    z, n = np.zeros_like(c), np.zeros(c.shape, int)
    for _ in range(50):
        inside = abs(z) < 2
        z[inside] = z[inside] ** 2 + c[inside]
        n += inside
    return out, np.stack([n, n == 50, 0 * n, 0 * n + 255], -1)


def bitonic_sort():
    x = RANDOM.permutation(128)
    out = array(x, np.int32)
    load_kernel(book.BITONIC_SORT, "bitonicSort")(1, 128, out, 128, dynamic_shared=128 * 4)
    return out, np.arange(128)


def last_block():
    x, out = normal(500), zeros(4)
    load_kernel(book.LAST_BLOCK, "sumOfAll")(4, 128, array(x), 500, out)
    return out.select(0, 0), x.sum()


KERNELS = [
    vector_add, saxpy, copy_float4, matmul_naive, matmul_tiled, transpose, reduce_shared,
    reduce_shuffle, scan_hillis_steele, scan_blelloch, histogram, convolution, softmax,
    dot_cooperative, wmma_gemm, nbody, stencil, mandelbrot, bitonic_sort, last_block,
]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_textbook_kernel(kernel, mode):
    with simulator(**MODES[mode]):
        found, expected = kernel()
        np.testing.assert_allclose(found.tolist(), expected, rtol=2e-4, atol=2e-4)


def test_nvidias_compiler_takes_the_same_texts(tmp_path):
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    texts = [text for name, text in vars(book).items() if name.isupper()]
    assert len(texts) == len(KERNELS)
    for number, group in enumerate((texts[:-3], texts[-3:])):  # Complex stands in two texts
        source = tmp_path / f"textbook{number}.cu"
        source.write_text("".join(group))
        command = ["nvcc", "-ptx", "-std=c++17", "-arch=compute_80", source, "-o", "/dev/null"]
        answer = subprocess.run(command, capture_output=True, text=True)
        assert answer.returncode == 0, answer.stderr
