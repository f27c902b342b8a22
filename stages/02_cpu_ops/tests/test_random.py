"""Counter-based random numbers: the published answers, the stated rule, and plain statistics."""

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import _cpu, ops

N = 100_000


def draws(seed=3, offset=0, n=N):
    """Return one array of every kind, by name."""
    return {
        "uniform32": ops.uniform((n,), -1.0, 3.0, cpu.float32, seed, offset),
        "uniform64": ops.uniform((n,), -1.0, 3.0, cpu.float64, seed, offset),
        "normal32": ops.normal((n,), 1.0, 2.0, cpu.float32, seed, offset),
        "normal64": ops.normal((n,), 1.0, 2.0, cpu.float64, seed, offset),
        "randint": ops.randint((n,), -5, 1000, seed, offset),
        "bernoulli": ops.bernoulli((n,), 0.3, cpu.float32, seed, offset),
        "bernoulli bytes": ops.bernoulli((n,), 0.3, cpu.uint8, seed, offset),
    }


def as_bytes(arrays):
    return {name: np.asarray(a).tobytes() for name, a in arrays.items()}


@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [  # kat_vectors of Random123, the authors' own library
        ([0, 0, 0, 0], [0, 0], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        ([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0],
         [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
    ],
)  # fmt: skip
def test_philox_known_answers(counter, key, expected):
    assert list(_cpu.philox4x32(*counter, *key)) == expected


def words(seed, positions, lane):
    """Return word(position, lane) as the header philox.h states it."""
    low, high = seed & 0xFFFFFFFF, seed >> 32
    out = []
    for p in positions:
        quad = p // 4
        block = _cpu.philox4x32(quad & 0xFFFFFFFF, quad >> 32, lane, 0, low, high)
        out.append(block[p % 4])
    return np.array(out, dtype=np.uint64)


def test_the_rule_of_philox_h_element_by_element():
    seed, offset, n = 0x123456789ABCDEF0, 2**34 + 7, 301
    positions = [offset + i for i in range(n)]
    w, w1 = words(seed, positions, 0), words(seed, positions, 1)
    w64 = (w << np.uint64(32)) | w1
    u32 = (w >> np.uint64(8)).astype("float32") * np.float32(2.0**-24)
    got = ops.uniform((n,), 0.0, 1.0, cpu.float32, seed, offset)
    np.testing.assert_array_equal(np.asarray(got), u32)
    u64 = (w64 >> np.uint64(11)).astype("float64") * 2.0**-53
    got = ops.uniform((n,), 0.0, 1.0, cpu.float64, seed, offset)
    np.testing.assert_array_equal(np.asarray(got), u64)
    got = ops.bernoulli((n,), 0.25, cpu.bool_, seed, offset)
    np.testing.assert_array_equal(np.asarray(got), w < 2**30)
    got = ops.randint(
        (n,), -3, 10, seed, offset
    )  # 2^64 mod 13 of 2^64 words are refused: none here
    np.testing.assert_array_equal(np.asarray(got), (w64 % np.uint64(13)).astype("int64") - 3)


def test_the_rule_of_the_normals():
    seed, offset, n = 5, 10, 300  # even offset: the pairs are (0, 1), (2, 3), ...
    w = words(seed, range(offset, offset + n), 0)
    u = ((w[0::2] >> np.uint64(1)).astype("float64") + 0.5) * 2.0**-31
    radius, angle = np.sqrt(-2 * np.log(u)), w[1::2].astype("float64") * (2 * np.pi * 2.0**-32)
    expected = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()
    got = np.asarray(ops.normal((n,), 0.0, 1.0, cpu.float32, seed, offset))
    np.testing.assert_allclose(got, expected, atol=1e-4)
    w1 = words(seed, range(offset, offset + n), 1)
    w64 = ((w << np.uint64(32)) | w1) >> np.uint64(11)
    u, angle = (w64[0::2] + 0.5) * 2.0**-53, w64[1::2] * (2 * np.pi * 2.0**-53)
    radius = np.sqrt(-2 * np.log(u))
    expected = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()
    got = np.asarray(ops.normal((n,), 0.0, 1.0, cpu.float64, seed, offset))
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_slices_of_a_stream_agree():
    whole = {name: np.asarray(a) for name, a in draws(n=1000).items()}
    for offset in (1, 2, 3, 4, 127, 128, 129, 600):
        for name, part in draws(offset=offset, n=300).items():
            np.testing.assert_array_equal(np.asarray(part), whole[name][offset : offset + 300])


def test_threads_and_instruction_sets_do_not_change_a_bit():
    expected = as_bytes(draws())
    threads, instruction_set = cpu.get_num_threads(), cpu.instruction_set()
    try:
        for n in (1, 2, 5):
            cpu.set_num_threads(n)
            assert as_bytes(draws()) == expected
        for name in cpu.instruction_sets():
            cpu.set_instruction_set(name)
            assert as_bytes(draws()) == expected
    finally:
        cpu.set_num_threads(threads)
        cpu.set_instruction_set(instruction_set)


def test_seeds_and_offsets_give_different_numbers():
    assert as_bytes(draws()) == as_bytes(draws())
    for other in (draws(seed=4), draws(seed=3 + 2**32), draws(offset=2**33)):
        for name, data in as_bytes(other).items():
            assert data != as_bytes(draws())[name]


def moments(a):
    x = np.asarray(a).astype("float64")
    z = (x - x.mean()) / x.std()
    return x.mean(), x.std(), (z**3).mean(), (z**4).mean()


@pytest.mark.parametrize("dtype", [cpu.float32, cpu.float64])
def test_moments_of_the_uniform(dtype):
    a = ops.uniform((N,), -1.0, 3.0, dtype, 1, 0)
    assert moments(a) == pytest.approx((1.0, 4 / 12**0.5, 0.0, 1.8), abs=0.02)
    assert -1.0 <= np.asarray(a).min() < -0.99
    assert 2.99 < np.asarray(a).max() < 3.0


@pytest.mark.parametrize("dtype", [cpu.float32, cpu.float64])
def test_moments_of_the_normal(dtype):
    x = np.asarray(ops.normal((N,), 1.0, 2.0, dtype, 1, 0))
    assert moments(x) == pytest.approx((1.0, 2.0, 0.0, 3.0), abs=0.06)
    assert abs(np.corrcoef(x[0::2], x[1::2])[0, 1]) < 0.02  # cos and sin of one angle
    assert 0.15 < (np.abs(x - 1) < 0.4).mean() < 0.17  # 0.1585 within 0.2 standard deviations


def test_high_is_never_reached_even_when_rounding_would():
    x = np.asarray(ops.uniform((N,), 1.0, 1.0 + 2.0**-22, cpu.float32, 1, 0))
    assert x.max() < 1.0 + 2.0**-22
    assert (np.asarray(ops.uniform((5,), 2.0, 2.0, cpu.float32, 1, 0)) == 2.0).all()


def test_randint_is_uniform_and_reaches_both_ends():
    x = np.asarray(ops.randint((N,), -3, 4, 1, 0))
    counts = np.bincount(x + 3, minlength=7)
    assert counts.size == 7
    assert ((counts - N / 7) ** 2 / (N / 7)).sum() < 30  # chi-squared, 6 degrees of freedom


def test_randint_over_almost_all_integers():
    low, high = -(2**63), 2**63 - 1
    x = np.asarray(ops.randint((N,), low, high, 1, 0)).astype("float64")
    assert abs(x.mean()) < 2.0**63 * 0.01
    big = 3 * 2**61  # a quarter of all words is refused: without that, low thirds come too often
    x = np.asarray(ops.randint((N,), 0, big, 1, 0))
    assert (x < big // 3).mean() == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("dtype", [cpu.float32, cpu.float64, cpu.bool_, cpu.uint8, cpu.int64])
def test_bernoulli(p, dtype):
    x = np.asarray(ops.bernoulli((N,), p, dtype, 1, 0))
    assert set(np.unique(x).tolist()) <= {0, 1}
    assert x.mean() == pytest.approx(p, abs=0.005 if 0 < p < 1 else 0)


def test_randperm_is_a_permutation():
    for n in (0, 1, 2, 1000):
        assert sorted(ops.randperm(n, 1, 0).tolist()) == list(range(n))
    assert ops.randperm(1000, 1, 0).tolist() != ops.randperm(1000, 2, 0).tolist()


def test_every_order_is_equally_likely():
    counts = {}
    for seed in range(6000):
        order = tuple(ops.randperm(4, seed, 0).tolist())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 24
    assert sum((c - 250) ** 2 / 250 for c in counts.values()) < 55  # 23 degrees of freedom


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 3)])
def test_shapes(shape):
    assert ops.uniform(shape, 0.0, 1.0, cpu.float32, 1, 0).shape == shape
    assert ops.normal(shape, 0.0, 1.0, cpu.float16, 1, 0).dtype is cpu.float16
    assert ops.randint(shape, 0, 2, 1, 0).dtype is cpu.int64


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.uniform((2,), 1.0, 0.0, cpu.float32, 1, 0), RuntimeError, "finite low <="),
        (lambda: ops.uniform((2,), 0.0, float("inf"), cpu.float32, 1, 0), RuntimeError, "finite"),
        (lambda: ops.uniform((2,), 0.0, 1.0, cpu.int64, 1, 0), TypeError, "dtype, got int64"),
        (lambda: ops.uniform((-2,), 0.0, 1.0, cpu.float32, 1, 0), RuntimeError, "negative size"),
        (lambda: ops.normal((2,), 0.0, -1.0, cpu.float32, 1, 0), RuntimeError, "std >= 0, got -1"),
        (lambda: ops.normal((2,), 0.0, 1.0, cpu.bool_, 1, 0), TypeError, "got bool"),
        (lambda: ops.randint((2,), 3, 3, 1, 0), RuntimeError, "low < high"),
        (lambda: ops.randperm(-1, 1, 0), RuntimeError, "n >= 0, got -1"),
        (lambda: ops.bernoulli((2,), 1.5, cpu.float32, 1, 0), RuntimeError, "0 <= p <= 1, got 1.5"),
        (lambda: ops.bernoulli((2,), float("nan"), cpu.float32, 1, 0), RuntimeError, "got nan"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
