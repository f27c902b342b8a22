"""Scaled dot-product attention, forward and backward, against the formulas in float64."""

import numpy as np
import pytest
from small_arrays import ones

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

share = ops.share_buffer
TOLERANCE = {"float32": 2e-5, "float64": 1e-11}


def numbers(shape, dtype, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def probabilities(q, k, mask, is_causal, scale):
    """Return the softmax of the masked scores and their logsumexp; a row of nothing is all 0."""
    scores = q @ np.swapaxes(k, -1, -2) * scale
    if mask is not None:
        scores = scores + (np.where(mask, 0.0, -np.inf) if mask.dtype == bool else mask)
    if is_causal:
        scores = scores + np.where(np.tri(*scores.shape[-2:], dtype=bool), 0.0, -np.inf)
    with np.errstate(all="ignore"):
        most = np.max(scores, -1, keepdims=True, initial=-np.inf)
        weights = np.exp(scores - np.where(np.isinf(most), 0.0, most))
        total = weights.sum(-1, keepdims=True)
        return weights / np.where(total == 0, 1, total), (most + np.log(total))[..., 0]


def reference(q, k, v, grad, mask=None, is_causal=False, scale=None):
    """Return out, logsumexp, dq, dk, dv in float64, in the broadcast batch."""
    q, k, v, grad = (a.astype("float64") for a in (q, k, v, grad))
    scale = 1 / np.sqrt(q.shape[-1]) if scale is None else scale
    p, lse = probabilities(q, k, mask, is_causal, scale)
    dp = grad @ np.swapaxes(v, -1, -2)
    ds = scale * p * (dp - (p * dp).sum(-1, keepdims=True))
    return p @ v, lse, ds @ k, np.swapaxes(ds, -1, -2) @ q, np.swapaxes(p, -1, -2) @ grad


def run(q, k, v, grad, mask=None, is_causal=False, scale=None):
    """Return what `reference` returns, by the operations."""
    q, k, v, grad = map(share, (q, k, v, grad))
    mask = None if mask is None else share(mask)
    out, lse = ops.scaled_dot_product_attention(q, k, v, mask, is_causal, scale)
    back = ops.scaled_dot_product_attention_backward(
        grad, q, k, v, out, lse, mask, is_causal, scale
    )
    return [np.asarray(a) for a in (out, lse, *back)]


def assert_all_close(got, expected, dtype):
    for array, want in zip(got, expected, strict=True):
        assert array.dtype == dtype and array.shape == want.shape
        np.testing.assert_allclose(array, want, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


# batch, queries, keys, size, size of the values
SIZES = [
    ((), 1, 1, 1, 1),
    ((2, 3), 4, 5, 8, 6),
    ((2,), 65, 33, 4, 7),
    ((1, 2), 130, 600, 3, 2),
    ((3,), 0, 4, 5, 6),
    ((2,), 3, 4, 0, 2),
    ((2,), 3, 0, 4, 2),
    ((0,), 3, 4, 4, 2),
]


def draw(sizes, dtype="float32"):
    batch, queries, keys, size, value_size = sizes
    q, k = numbers((*batch, queries, size), dtype, 0), numbers((*batch, keys, size), dtype, 1)
    v = numbers((*batch, keys, value_size), dtype, 2)
    return q, k, v, numbers((*batch, queries, value_size), dtype, 3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("kind", [None, "bool", "float"])
def test_attention_on_every_layout(layouts, dtype, sizes, is_causal, kind):
    arrays = draw(sizes, dtype)
    shape = (*sizes[0], sizes[1], sizes[2])
    mask = {
        None: None,
        "bool": np.random.default_rng(4).random(shape) < 0.7,
        "float": numbers(shape, dtype, 5),
    }[kind]
    scale = None if sizes[3] else 1.0  # no length to take a root of
    expected = reference(*arrays, mask, is_causal, scale)
    masks = [None] * 5 if mask is None else layouts(mask)
    for q, k, v, grad, m in zip(*map(layouts, arrays), masks[::-1], strict=True):
        assert_all_close(run(q, k, v, grad, m, is_causal, scale), expected, dtype)


def test_heads_are_views_and_the_output_joins_again_without_a_copy():
    """(B, T, 3, H, D) split into heads: the output's memory is (B, T, H, D) again."""
    joined = numbers((2, 9, 3, 4, 8), "float32", 0)
    q, k, v = joined.transpose(2, 0, 3, 1, 4)
    grad = numbers((2, 9, 4, 8), "float32", 1).transpose(0, 2, 1, 3)
    got = run(q, k, v, grad, is_causal=True)
    assert_all_close(got, reference(q, k, v, grad, is_causal=True), "float32")
    for array in (got[0], *got[2:]):
        assert array.transpose(0, 2, 1, 3).flags.c_contiguous


@pytest.mark.parametrize(
    ("shape", "kind"),
    [((5,), bool), ((4, 1), bool), ((2, 1, 1, 5), bool), ((1, 3, 4, 5), float), ((), float)],
)
def test_masks_broadcast(shape, kind):
    arrays = draw(((2, 3), 4, 5, 8, 6))
    mask = np.random.default_rng(0).random(shape)
    mask = np.asarray(mask < 0.6) if kind is bool else mask.astype("float32")
    assert_all_close(run(*arrays, mask), reference(*arrays, mask), "float32")


def test_batches_broadcast():
    """Keys and values shared by all heads, as in multi-query attention."""
    q, k, v, grad = draw(((2, 3), 4, 5, 8, 6))
    k, v = k[:, :1], v[:1, :1]
    wide_k, wide_v = np.broadcast_to(k, (2, 3, 5, 8)), np.broadcast_to(v, (2, 3, 5, 6))
    assert_all_close(run(q, k, v, grad), reference(q, wide_k, wide_v, grad), "float32")


def test_a_query_that_may_look_at_nothing_gets_zero():
    q, k, v, grad = draw(((2,), 3, 5, 4, 4))
    mask = np.ones((3, 5), bool)
    mask[1] = False
    for m in (mask, np.where(mask, 0, -np.inf).astype("float32")):
        out, lse, dq, dk, dv = run(q, k, v, grad, m)
        assert (out[:, 1] == 0).all() and (dq[:, 1] == 0).all() and (lse[:, 1] == -np.inf).all()
        assert all(np.isfinite(a).all() for a in (out, dq, dk, dv))


def test_large_scores_do_not_overflow():
    q, k, v, grad = draw(((2,), 70, 600, 8, 4))
    got, want = run(q * 30, k * 30, v, grad)[0], reference(q * 30, k * 30, v, grad)[0]
    np.testing.assert_allclose(got, want, atol=1e-3)  # a score of 1000 is known to 1e-4


def test_nan_and_infinity_stay_in_their_rows():
    q, k, v, _ = draw(((), 4, 5, 3, 2))
    q[1], q[2, 0] = np.nan, np.inf
    out = np.asarray(ops.scaled_dot_product_attention(*map(share, (q, k, v)))[0])
    assert np.isfinite(out[[0, 3]]).all() and np.isnan(out[[1, 2]]).all()


@pytest.mark.parametrize("dtype", [cpu.float16, cpu.bfloat16])
def test_halves_are_computed_in_float32(dtype):
    q, k, v, grad = (ops.cast(share(a), dtype) for a in draw(((2,), 5, 7, 8, 4)))
    out, lse = ops.scaled_dot_product_attention(q, k, v, None, True)
    back = ops.scaled_dot_product_attention_backward(grad, q, k, v, out, lse, None, True)
    assert lse.dtype is cpu.float32 and {a.dtype for a in (out, *back)} == {dtype}
    wide = [np.asarray(ops.cast(a, cpu.float32)) for a in (q, k, v, grad)]
    expected = reference(*wide, None, True)
    for got, want in zip((out, *back), (expected[0], *expected[2:]), strict=True):
        np.testing.assert_allclose(np.asarray(ops.cast(got, cpu.float32)), want, atol=0.05)


@pytest.mark.parametrize("batch", [(2, 8), (1,)])
def test_threads_do_not_change_a_bit(thread_counts, batch):
    """Many heads, which the threads share out, and one, whose blocks they share."""
    arrays = draw((batch, 330, 330, 16, 16))
    results = {b"".join(a.tobytes() for a in run(*arrays, is_causal=True)) for _ in thread_counts}
    assert len(results) == 1


def test_memory_does_not_grow_with_queries_times_keys():
    """8 heads of 2048 x 2048 scores would be 128 MiB; a block of them is a few hundred KiB."""
    q, k, v, _ = (share(a) for a in draw(((8,), 2048, 2048, 16, 16)))
    cpu.empty_cache()
    before = cpu.memory_stats()
    ops.scaled_dot_product_attention(q, k, v)
    after = cpu.memory_stats()
    assert after["cached_bytes"] - before["cached_bytes"] < 16 << 20


attend, attend_backward = (
    ops.scaled_dot_product_attention,
    ops.scaled_dot_product_attention_backward,
)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: attend(ones(3), ones(2, 3), ones(2, 3)), RuntimeError,
         r"query \(3,\), key \(2, 3\) and value \(2, 3\) do not match: expected \(..., L, E\)"),
        (lambda: attend(ones(2, 3), ones(2, 4), ones(2, 4)), RuntimeError, "do not match"),
        (lambda: attend(ones(2, 3), ones(4, 3), ones(5, 3)), RuntimeError, "do not match"),
        (lambda: attend(ones(2, 1, 3), ones(3, 1, 3), ones(3, 1, 3)), RuntimeError,
         r"batches \(2,\), \(3,\) and \(3,\) of query, key and value do not broadcast"),
        (lambda: attend(ones(2, 3), ones(4, 3), ones(4, 3), ones(3, 4)), RuntimeError,
         r"a mask of shape \(3, 4\) does not broadcast to the scores' \(2, 4\)"),
        (lambda: attend(ones(2, 3), ones(4, 3), ones(4, 3), ones(5, 2, 4)), RuntimeError,
         r"a mask of shape \(5, 2, 4\) does not broadcast"),
        (lambda: attend(ones(2, 3), ones(4, 3), ones(4, 3), ones(4, dtype=cpu.int64)),
         RuntimeError, "expected a mask of bool, float32 or the query's float32, got int64"),
        (lambda: attend(ones(2, 3), ones(4, 3, dtype=cpu.float64), ones(4, 3)), RuntimeError,
         "must have one dtype, got float32, float64 and float32"),
        (lambda: attend(*[ones(2, 3, dtype=cpu.int64)] * 3), TypeError, "got int64"),
        (lambda: attend(*[ones(2, 3)] * 3, None, False, "x"), TypeError,
         "scaled_dot_product_attention"),
        (lambda: attend(3, ones(2, 3), ones(2, 3)), TypeError, "expected an Array, got int"),
        (lambda: attend_backward(ones(2, 4), *[ones(2, 3)] * 4, ones(2)), RuntimeError,
         r"expected grad and out \(2, 3\) and logsumexp \(2,\), got \(2, 4\)"),
        (lambda: attend_backward(ones(2, 3, dtype=cpu.int64), *[ones(2, 3)] * 4, ones(2)),
         TypeError, "expected floating arrays"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
