"""The lesson kernels: the same results as the fast ones, on every instruction set; the program."""

import subprocess
import sys

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import _cpu, lessons, ops
from norch_strides import transpose


def floats(*shape):
    return np.random.default_rng(0).normal(size=shape).astype("float32")


@pytest.mark.parametrize("level", lessons.MATMUL_LEVELS)
@pytest.mark.parametrize(
    "m, k, n", [(1, 1, 1), (6, 64, 32), (7, 65, 33), (30, 200, 300), (5, 0, 4)]
)
def test_lesson_products(instruction_set, level, m, k, n):
    a, b = floats(m, k), floats(k, n)
    got = np.asarray(_cpu.lesson_matmul(ops.share_buffer(a), ops.share_buffer(b), level))
    fast = np.asarray(_cpu.matmul_blocked(ops.share_buffer(a), ops.share_buffer(b)))
    np.testing.assert_allclose(got, a.astype("float64") @ b, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(got, fast, rtol=1e-4, atol=1e-4)


def test_a_blocked_product_fetches_each_number_once(instruction_set):
    a, b = ops.share_buffer(floats(7, 130)), ops.share_buffer(floats(130, 300))
    assert _cpu.lesson_fetches(a, b) == 130 * 300


@pytest.mark.parametrize("level", lessons.SUM_LEVELS)
@pytest.mark.parametrize("n", [0, 1, 3, 63, 64, 1000, 2047, 100_003])
def test_lesson_sums(instruction_set, level, n):
    x = np.abs(floats(n))
    got = _cpu.lesson_sum(ops.share_buffer(x), level)
    np.testing.assert_allclose(got, x.sum(dtype="float64"), rtol=2e-5)
    np.testing.assert_allclose(got, ops.sum(ops.share_buffer(x)).item(), rtol=2e-5)


def test_a_pairwise_sum_loses_less_than_a_naive_one():
    x = ops.uniform((1 << 22,), 0.0, 1.0, cpu.float32, 1, 0)
    exact = ops.sum(ops.cast(x, cpu.float64)).item()
    off = {s: abs(_cpu.lesson_sum(x, s) - exact) / exact for s in lessons.SUM_LEVELS}
    assert off["pairwise"] < 1e-6
    assert off["naive"] > 10 * off["pairwise"]


def test_lesson_kernels_refuse_what_they_are_not_written_for():
    a = ops.ones((2, 3), cpu.float32)
    with pytest.raises(ValueError, match=r"\[lesson_matmul\] there is no level 'fast': expected"):
        _cpu.lesson_matmul(a, a, "fast")
    with pytest.raises(RuntimeError, match=r"\[lesson_matmul\] shapes \(2, 3\) and \(2, 3\)"):
        _cpu.lesson_matmul(a, a, "naive")
    with pytest.raises(RuntimeError, match=r"\[lesson_fetches\] shapes \(2, 3\) and \(2, 3\)"):
        _cpu.lesson_fetches(a, a)
    with pytest.raises(TypeError, match=r"\[lesson_sum\] expected a contiguous float32 array"):
        _cpu.lesson_sum(ops.ones((2,), cpu.float64), "naive")
    with pytest.raises(TypeError, match="not contiguous"):
        _cpu.lesson_sum(a.view(((3, 2), (1, 3), 0)), "naive")


@pytest.fixture
def lessons_at_work():
    yield lambda **levels: _cpu.use_lessons(**levels)
    _cpu.use_lessons()


@pytest.mark.parametrize("level", lessons.MATMUL_LEVELS)
@pytest.mark.parametrize(
    ("m", "k", "n"), [(1, 3, 2), (5, 7, 40), (6, 1, 32), (70, 65, 90), (2, 0, 3)]
)
def test_lesson_kernels_do_the_librarys_products(lessons_at_work, level, m, k, n) -> None:
    a, b, bias = floats(k, m).T, floats(k, n), floats(n)
    lessons_at_work(large=level, small=level)
    x, y, z = (ops.from_buffer(np.ascontiguousarray(part)) for part in (a.T, b, bias))
    turned = x.view(transpose(x.layout, 0, 1))
    np.testing.assert_allclose(np.asarray(ops.matmul(turned, y)), a @ b, rtol=1e-4, atol=1e-4)
    weight = y.view(transpose(y.layout, 0, 1))
    found = np.asarray(ops.linear(turned, weight, z))
    np.testing.assert_allclose(found, a @ b + bias, rtol=1e-4, atol=1e-4)


def test_the_pairwise_lesson_kernel_does_the_librarys_sums(lessons_at_work) -> None:
    x = floats(100_003)
    array = ops.from_buffer(x)
    lessons_at_work(sum="naive")
    naive = ops.sum(array).item()
    lessons_at_work(sum="pairwise")
    assert ops.sum(array).item() == _cpu.lesson_sum(array, "pairwise") != naive
    assert ops.sum(ops.from_list([1, 2])).item() == 3  # other dtypes go the usual way
    with pytest.raises(ValueError, match="there is no level 'fast'"):
        lessons_at_work(sum="fast")


def test_the_measurements_have_a_row_for_every_step():
    threads = cpu.get_num_threads()
    products, sums = lessons.measure_matmul(32), lessons.measure_sum(1 << 12)
    assert [step.name for step in products] == [
        *lessons.MATMUL_LEVELS,
        "packed tiles",
        "ops.matmul",
    ]
    assert [step.name for step in sums] == [*lessons.SUM_LEVELS, "ops.sum"]
    for step in products + sums:
        assert step.seconds > 0 and step.rate > 0 and step.share > 0 and step.error < 1e-5
    assert cpu.get_num_threads() == threads


def test_the_program_prints_both_tables():
    command = [
        sys.executable,
        "-P",
        "-m",
        "norch_cpu_ops.lessons",
        "--matmul",
        "32",
        "--sum",
        "4096",
    ]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.isascii()
    assert "matmul 32" in said and "sum 4096" in said and "pairwise" in said
