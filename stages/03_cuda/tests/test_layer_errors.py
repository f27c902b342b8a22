"""Layers, orders and counts refuse what stage 2 refuses, in the same words."""

import pytest

import norch_cpu_ops as cpu

F32, F64, I64 = cpu.float32, cpu.float64, cpu.int64


def ones(o, *shape, dtype=F32):
    return o.ones(shape, dtype)


def looks(o, q, k, v, *mask, dtype=F32):
    masks = [ones(o, *shape) for shape in mask]
    q, k, v = ones(o, *q), ones(o, *k, dtype=dtype), ones(o, *v)
    return o.scaled_dot_product_attention(q, k, v, *masks)


def layer(o, x=(3, 2, 4), h=(2, 5), w_ih=(20, 4), w_hh=(20, 5)):
    return o.lstm_layer(*(ones(o, *shape) for shape in (x, h, h, w_ih, w_hh)))


CASES = {
    "gelu": lambda o: o.gelu(ones(o, 2), "erf"),
    "gelu dtype": lambda o: o.gelu(ones(o, 2, dtype=I64)),
    "gelu_backward": lambda o: o.gelu_backward(ones(o, 2), ones(o, 2, dtype=F64)),
    "tanh_backward": lambda o: o.tanh_backward(ones(o, 2, 1), ones(o, 2, 3)),
    "softmax_backward": lambda o: o.softmax_backward(ones(o, 2, 1), ones(o, 2, 3), 1),
    "softmax_backward dim": lambda o: o.softmax_backward(ones(o, 2, 3), ones(o, 2, 3), 2),
    "batch dtype": lambda o: o.batch_norm(ones(o, 2, 3, dtype=I64), None, None, 1e-5),
    "batch dims": lambda o: o.batch_norm(ones(o, 2), None, None, 1e-5),
    "layer dims": lambda o: o.layer_norm(ones(o)),
    "batch weight": lambda o: o.batch_norm(ones(o, 2, 3), ones(o, 2), None, 1e-5),
    "batch bias": lambda o: o.batch_norm(ones(o, 2, 3), None, ones(o, 3, dtype=F64), 1e-5),
    "batch eval": lambda o: o.batch_norm_eval(
        ones(o, 2, 3), ones(o, 2), ones(o, 3), None, None, 1e-5
    ),
    "batch grad": lambda o: o.batch_norm_backward(
        ones(o, 2, 2), ones(o, 2, 3), ones(o, 3), ones(o, 3), None, 1e-5
    ),
    "groups": lambda o: o.group_norm(ones(o, 2, 3), 2, None, None, 1e-5),
    "group grad": lambda o: o.group_norm_backward(
        ones(o, 2, 4), ones(o, 2, 4), ones(o, 2), ones(o, 2, 2), 2, None
    ),
    "rms": lambda o: o.rms_norm(ones(o, 2, 3), ones(o, 2)),
    "rms rows": lambda o: o.rms_norm_backward(ones(o, 2, 3), ones(o, 2, 3), ones(o, 3)),
    "lstm_cell": lambda o: o.lstm_cell(ones(o, 2, 8), ones(o, 2, 3)),
    "lstm_cell dims": lambda o: o.lstm_cell(ones(o, 8), ones(o, 3)),
    "lstm_cell dtype": lambda o: o.lstm_cell(ones(o, 2, 12, dtype=F64), ones(o, 2, 3)),
    "gru_cell": lambda o: o.gru_cell(ones(o, 2, 9), ones(o, 2, 8), ones(o, 2, 3)),
    "gru whole": lambda o: o.gru_cell(*(ones(o, 2, n, dtype=I64) for n in (9, 9, 3))),
    "layer x": lambda o: layer(o, x=(3, 2)),
    "layer steps": lambda o: layer(o, x=(0, 2, 4)),
    "layer w_ih": lambda o: layer(o, w_ih=(20, 3)),
    "layer w_hh": lambda o: layer(o, w_hh=(16, 5)),
    "layer h": lambda o: layer(o, h=(3, 5)),
    "attention": lambda o: looks(o, (2, 3), (2, 4), (2, 3)),
    "attention values": lambda o: looks(o, (2, 3), (4, 3), (5, 3)),
    "attention dtypes": lambda o: looks(o, (2, 3), (4, 3), (4, 3), dtype=F64),
    "attention batches": lambda o: looks(o, (2, 2, 3), (3, 4, 3), (3, 4, 3)),
    "attention mask": lambda o: looks(o, (2, 3), (4, 3), (4, 3), (3, 4)),
    "attention grad": lambda o: o.scaled_dot_product_attention_backward(
        ones(o, 2, 4), *(ones(o, 2, 3) for _ in range(4)), ones(o, 2)
    ),
    "sort dim": lambda o: o.sort(ones(o, 2), 1),
    "topk": lambda o: o.topk(ones(o, 2, 3), 4),
    "topk bools": lambda o: o.topk(o.gt(ones(o, 2), 0), 1),
    "kthvalue": lambda o: o.kthvalue(ones(o, 2, 3), 0),
    "median": lambda o: o.median(ones(o, 2, 0)),
    "logcumsumexp": lambda o: o.logcumsumexp(ones(o, 2, dtype=I64), 0),
    "bincount": lambda o: o.bincount(ones(o, 2)),
    "bincount negative": lambda o: o.bincount(o.full((2,), -3, I64)),
    "bincount most": lambda o: o.bincount(o.full((2,), 2**63 - 1, I64)),
    "bincount length": lambda o: o.bincount(ones(o, 2, dtype=I64), None, -1),
    "bincount weights": lambda o: o.bincount(ones(o, 2, dtype=I64), ones(o, 3)),
    "histc": lambda o: o.histc(ones(o, 2), 0, 0, 1),
    "histc order": lambda o: o.histc(ones(o, 2), 3, 2, 1),
    "histc range": lambda o: o.histc(o.full((2,), float("inf"), F32), 3, 0, 0),
    "histc dtype": lambda o: o.histc(ones(o, 2, dtype=I64), 3, 0, 1),
    "searchsorted": lambda o: o.searchsorted(ones(o, 2, 3), ones(o, 3, 3)),
    "searchsorted dtypes": lambda o: o.searchsorted(ones(o, 3), ones(o, 3, dtype=F64)),
    "scatter dtype": lambda o: o.scatter(ones(o, 2), 0, o.zeros((2,), I64), ones(o, 2, dtype=F64)),
    "scatter_reduce": lambda o: o.scatter_reduce(
        ones(o, 2), 0, o.zeros((2,), I64), ones(o, 2), "max"
    ),
    "embedding": lambda o: o.embedding_backward(ones(o, 2, 3), o.zeros((3,), I64), 4),
    "embedding dtype": lambda o: o.embedding_backward(
        ones(o, 2, 3, dtype=I64), o.zeros((2,), I64), 4
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_message_is_stage_2s(ops, name):
    with pytest.raises((RuntimeError, TypeError, IndexError, ValueError)) as on_cpu:
        CASES[name](cpu.ops)
    with pytest.raises(on_cpu.type) as on_device:
        CASES[name](ops)
    assert str(on_device.value) == str(on_cpu.value)


@pytest.mark.parametrize(
    "name, error, attempt",
    [
        ("scatter", RuntimeError, lambda o, index: o.scatter(ones(o, 3), 0, index, ones(o, 2))),
        ("scatter_reduce", RuntimeError,
         lambda o, index: o.scatter_reduce(ones(o, 3), 0, index, ones(o, 2), "amax")),
        ("embedding_backward", IndexError,
         lambda o, index: o.embedding_backward(ones(o, 2, 4), index, 3)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", [3, -1])
def test_an_index_out_of_range(ops, name, error, attempt, place):
    index = index_with(ops, place)
    with pytest.raises(error, match=rf"\[{name}\] index {place} is out of range for dim 0"):
        attempt(ops, index)
        ops.backend.synchronize()  # where a GPU tells what a kernel found wrong


def index_with(o, place):
    return o.cat([o.zeros((1,), I64), o.full((1,), place, I64)], 0)
