"""Every node that has a kernel, in both forms: `kernel` on arrays against `backward` on tensors.

The same forward twice, its pass once as it is and once inside `composite()`, where the engine never
calls a kernel. One line a case; a kernel without a case fails.
"""

import sys

import numpy as np
import pytest
from autograd_checks import draw, kernel_of, node_classes, permuted

import norch_autograd as norch
from norch_autograd.autograd import composite, grad

ops, more = norch.ops, norch.more
T = norch.tensor([1, 0, -100, 2])
MASK = norch.tensor([[True, False, True, True], [True, True, False, True], [False] * 4])
ROWS = norch.tensor([[1, 2], [2, 4]])
LAYER = [(3, 2, 2), (2, 4), (2, 4), (16, 2), (16, 4), (16,), (16,)]  # input, h, c, weights, biases
GRU = [(3, 2, 2), (2, 4), (12, 2), (12, 4), (12,), (12,)]
RNN = [(3, 2, 2), (2, 4), (4, 2), (4, 4), (4,), (4,)]
NORM = [(4, 2, 3), (2,), (2,)]
TRIO = [(2, 2, 3, 2), (2, 2, 4, 2), (2, 2, 4, 3)]  # query, key, value

# node, function, shapes of its arguments
CASES = [
    ("SumToShape", lambda x, y: x * y, [(2, 3, 4), (3, 1)]),
    ("SumToShape", lambda x, y: x * y.double(), [(2, 3), (3,)]),
    ("SumToShape", lambda x, y: x.float() + y.double(), [(2, 3), (2, 3)]),
    ("Tanh", norch.tanh, [(2, 3)]),
    ("Sigmoid", norch.sigmoid, [(2, 3)]),
    ("Relu", norch.relu, [(2, 3)]),
    ("Gelu", ops.gelu, [(2, 3)]),
    ("Gelu", lambda x: ops.gelu(x, "tanh"), [(2, 3)]),
    ("Silu", ops.silu, [(2, 3)]),
    ("Sum", lambda x: x.sum(), [(2, 3)]),
    ("Sum", lambda x: x.sum((0, -1)), [(2, 3, 4)]),
    ("Sum", lambda x: x.sum(1, True), [(2, 3, 4)]),
    ("Mean", lambda x: x.mean(), [(2, 3)]),
    ("Mean", lambda x: x.mean((0, -1)), [(2, 3, 4)]),
    ("Mean", lambda x: x.mean(1, True), [(2, 3, 4)]),
    ("Matmul", norch.matmul, [(2, 3), (3, 4)]),
    ("Matmul", norch.matmul, [(5, 2, 3), (3, 4)]),
    ("Matmul", norch.matmul, [(2, 1, 2, 3), (5, 3, 4)]),
    ("Matmul", norch.matmul, [(3,), (3, 4)]),
    ("Matmul", norch.matmul, [(2, 5, 3), (3,)]),
    ("Matmul", norch.matmul, [(3,), (3,)]),
    ("Linear", norch.linear, [(2, 3), (4, 3), (4,)]),
    ("Linear", norch.linear, [(5, 2, 3), (4, 3), (4,)]),
    ("Linear", norch.linear, [(3,), (4, 3)]),
    ("Softmax", lambda x: norch.softmax(x, 1), [(2, 3, 4)]),
    ("LogSoftmax", lambda x: norch.log_softmax(x, 0), [(2, 3, 4)]),
    ("RowCrossEntropy", lambda x: norch.cross_entropy(x, T, reduction="none"), [(4, 3)]),
    ("CrossEntropy", lambda x: norch.cross_entropy(x, T), [(4, 3)]),
    ("CrossEntropy", lambda x: norch.cross_entropy(x, T, reduction="sum"), [(4, 3)]),
    ("NativeLayerNorm", lambda x, w, b: norch.layer_norm(x, 3, w, b), [(2, 4, 3), (3,), (3,)]),
    ("NativeLayerNorm", lambda x: norch.layer_norm(x, 3), [(2, 3)]),
    ("FusedRmsNorm", lambda x, w: norch.rms_norm(x, 3, w), [(2, 4, 3), (3,)]),
    ("FusedRmsNorm", lambda x: norch.rms_norm(x, 3), [(2, 3)]),
    ("BatchNorm", lambda *t: ops.batch_norm(*t)[0], NORM),
    ("BatchNorm", lambda x: ops.batch_norm(x)[0], [(2, 2, 2, 3)]),
    ("NativeGroupNorm", lambda x, w, b: norch.group_norm(x, 2, w, b), [(2, 4, 3), (4,), (4,)]),
    ("NativeGroupNorm", lambda x: norch.group_norm(x, 1), [(2, 2, 2, 2)]),
    ("MaxPool", lambda x: norch.max_pool2d(x, 2), [(2, 3, 4, 5)]),
    ("MaxPool", lambda x: norch.max_pool3d(x, 2, 1, 1), [(2, 3, 2, 3)]),
    ("Embedding", lambda w: norch.embedding(w, ROWS), [(5, 3)]),
    ("Embedding", lambda w: norch.embedding(w, ROWS, 2, True), [(5, 3)]),
    ("ScaledDotProductAttention", ops.scaled_dot_product_attention, TRIO),
    (
        "ScaledDotProductAttention",
        lambda *t: ops.scaled_dot_product_attention(*t, is_causal=True),
        TRIO,
    ),
    ("ScaledDotProductAttention", lambda *t: ops.scaled_dot_product_attention(*t, MASK), TRIO),
    (
        "ScaledDotProductAttention",
        ops.scaled_dot_product_attention,
        [(2, 2, 3, 2), (4, 2), (1, 4, 3)],
    ),
    ("LstmGates", more.lstm_gates, [(2, 8), (2, 2)]),
    ("LstmGates", lambda *t: more.lstm_gates(*t)[0], [(2, 8), (2, 2)]),
    ("LstmGates", lambda *t: more.lstm_gates(*t)[1], [(2, 8), (2, 2)]),
    ("GruGates", more.gru_gates, [(2, 6), (2, 6), (2, 2)]),
    ("LstmLayer", more.lstm_layer, LAYER),
    ("LstmLayer", lambda *t: more.lstm_layer(*t, reverse=True)[0], LAYER),
    ("LstmLayer", lambda *t: more.lstm_layer(*t)[2], LAYER[:5]),
    ("RecurrentLayer", more.gru_layer, GRU),
    ("RecurrentLayer", lambda *t: more.gru_layer(*t, reverse=True)[0], GRU),
    ("RecurrentLayer", lambda *t: more.gru_layer(*t)[1], GRU[:4]),
    ("RecurrentLayer", more.rnn_layer, RNN),
    ("RecurrentLayer", lambda *t: more.rnn_layer(*t, nonlinearity="relu", reverse=True)[0], RNN),
    ("RecurrentLayer", lambda *t: more.rnn_layer(*t)[1], RNN[:4]),
]
NODES = {cls.__name__: cls for cls in node_classes()}


def subsets(count):
    """Which inputs want a gradient: all, each alone, all but each."""
    everyone = tuple(range(count))
    alone = [(i,) for i in everyone]
    others = [tuple(k for k in everyone if k != i) for i in everyone]
    return sorted({everyone, *alone, *(found for found in others if found)}, key=len)


def gradients(case, dtype, wanted, in_composite, run):
    """The gradients of the inputs `wanted`; `run` collects the code that the pass calls."""
    _, function, shapes = case
    tensors = [permuted(draw(s, seed=k), k in wanted, dtype) for k, s in enumerate(shapes)]
    results = function(*tensors)
    results = results if isinstance(results, tuple) else (results,)
    outputs = [out for out in results if out.requires_grad]
    given = [permuted(draw(out.shape, 0.5, 2.0, 7), False).to(out.dtype) for out in outputs]
    found = sys.getprofile()
    sys.setprofile(lambda frame, event, _: run.add(frame.f_code) if event == "call" else None)
    try:
        with composite(in_composite):
            return grad(outputs, [tensors[k] for k in wanted], given, allow_unused=True)
    finally:
        sys.setprofile(found)


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_kernel_and_backward_agree(case, dtype):
    cls = NODES[case[0]]
    on_arrays, on_tensors = set(), set()
    rtol, atol = (1e-9, 1e-11) if dtype is np.float64 else (2e-4, 2e-5)
    for wanted in subsets(len(case[2])):
        fused = gradients(case, dtype, wanted, False, on_arrays)
        reference = gradients(case, dtype, wanted, True, on_tensors)
        for k, a, b in zip(wanted, fused, reference, strict=True):
            assert (a is None) == (b is None), f"input {k} of {wanted}"
            if a is not None:
                assert (a.dtype, a.shape) == (b.dtype, b.shape), f"input {k} of {wanted}"
                np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=rtol, atol=atol)
    assert cls.backward.__code__ in on_tensors
    if kernel_of(cls):
        assert cls.kernel.__code__ not in on_tensors
        assert cls.kernel.__code__ in on_arrays


# The two ends of a compiled call are no operations: test_fusion.py compares what lies between them.
ENDS_OF_A_CALL = {"CompiledFunction"}


def test_every_kernel_has_a_case():
    missing = {name for name, cls in NODES.items() if kernel_of(cls)} - {case[0] for case in CASES}
    missing -= ENDS_OF_A_CALL
    assert not missing, f"no line in CASES for the kernel of {' '.join(sorted(missing))}"
