"""Every fused operation beside its reference, the same function made of basic operations: values,
gradients, second gradients of both, and both against differences. One line an operation.
"""

import inspect
import sys
from pathlib import Path

import numpy as np
import pytest
from autograd_checks import draw, package_modules, permuted

import norch_autograd as norch
from norch_autograd import linalg
from norch_autograd.autograd import composite, grad, is_composite_enabled
from norch_cpu_ops import lapack

ops, more = norch.ops, norch.more
T = norch.tensor([1, 0, -100, 2])
MEAN = norch.tensor([0.5, 1.0], dtype=norch.float64)

# name, function, shapes of its arguments
FUSED = [
    ("softmax", lambda x: norch.softmax(x, 1), [(2, 3, 2)]),
    ("softmax dim 0", lambda x: norch.softmax(x, 0), [(3, 2)]),
    ("log_softmax", lambda x: norch.log_softmax(x, -1), [(2, 3)]),
    ("logsumexp", lambda x: norch.logsumexp(x, (0, 2)), [(2, 3, 2)]),
    ("logsumexp keepdim", lambda x: norch.logsumexp(x, 1, True), [(2, 3)]),
    ("gelu", ops.gelu, [(2, 3)]),
    ("gelu tanh", lambda x: ops.gelu(x, "tanh"), [(2, 3)]),
    ("silu", ops.silu, [(2, 3)]),
    ("cross_entropy mean", lambda x: norch.cross_entropy(x, T), [(4, 3)]),
    ("cross_entropy sum", lambda x: norch.cross_entropy(x, T, reduction="sum"), [(4, 3)]),
    ("cross_entropy none", lambda x: norch.cross_entropy(x, T, reduction="none"), [(4, 3)]),
    ("linear", norch.linear, [(2, 3), (2, 3), (2,)]),
    ("linear without bias", norch.linear, [(2, 2, 3), (2, 3)]),
    ("layer_norm", lambda x, w, b: norch.layer_norm(x, 3, w, b, 0.1), [(2, 3), (3,), (3,)]),
    ("layer_norm of two dims", lambda x: norch.layer_norm(x, (2, 2), eps=0.1), [(3, 2, 2)]),
    ("rms_norm", lambda x, w: norch.rms_norm(x, 3, w, 0.1), [(2, 3), (3,)]),
    ("rms_norm of two dims", lambda x: norch.rms_norm(x, (2, 2), eps=0.1), [(3, 2, 2)]),
    ("batch_norm", lambda x, w, b: ops.batch_norm(x, w, b, 0.1)[0], [(4, 2), (2,), (2,)]),
    ("batch_norm of images", lambda x: ops.batch_norm(x, eps=0.1)[0], [(2, 2, 2, 3)]),
    (
        "batch_norm_eval",
        lambda x, w, b: ops.batch_norm_eval(x, MEAN, MEAN + 1, w, b, 0.1),
        [(2, 2, 3), (2,), (2,)],
    ),
    ("batch_norm_eval plain", lambda x: ops.batch_norm_eval(x, MEAN, MEAN + 1), [(3, 2)]),
    ("group_norm", lambda x, w, b: norch.group_norm(x, 2, w, b, 0.1), [(2, 4, 3), (4,), (4,)]),
    ("group_norm of one group", lambda x: norch.group_norm(x, 1, eps=0.1), [(2, 2, 2, 2)]),
    ("norm", lambda x: norch.norm(x, dim=1), [(2, 3)]),
    ("var", lambda x: norch.var(x, 1), [(2, 3)]),
    ("var of all", lambda x: norch.var(x, correction=0), [(2, 3)]),
    ("std", lambda x: norch.std(x, 0, keepdim=True), [(3, 2)]),
    ("conv2d", norch.conv2d, [(1, 2, 3, 4), (2, 2, 2, 2), (2,)]),
    (
        "conv2d with every option",
        lambda x, w: norch.conv2d(x, w, None, (2, 1), (1, 2), (1, 2), 2),
        [(1, 2, 4, 3), (2, 1, 3, 2)],
    ),
    ("conv1d", norch.conv1d, [(2, 2, 4), (3, 2, 2), (3,)]),
    ("conv3d", norch.conv3d, [(1, 2, 2, 3, 3), (2, 2, 2, 2, 2), (2,)]),
    (
        "conv3d with every option",
        lambda x, w: norch.conv3d(x, w, None, (2, 1, 2), (1, 0, 1), (1, 2, 1), 2),
        [(1, 2, 3, 3, 2), (2, 1, 2, 2, 3)],
    ),
    ("conv_transpose1d", lambda *t: norch.conv_transpose1d(*t, 2, 1, 1), [(2, 3), (2, 2, 3), (2,)]),
    ("conv_transpose2d", norch.conv_transpose2d, [(1, 2, 2, 3), (2, 3, 2, 2), (3,)]),
    (
        "conv_transpose2d with every option",
        lambda x, w: norch.conv_transpose2d(x, w, None, (2, 3), (1, 2), (1, 0), 2, (1, 2)),
        [(1, 4, 2, 3), (4, 1, 3, 3)],
    ),
    (
        "conv_transpose2d with more output padding than stride",
        lambda x, w: norch.conv_transpose2d(x, w, None, (1, 2), 0, (2, 3), 1, (3, 4)),
        [(1, 1, 2, 2), (1, 2, 2, 2)],
    ),
    (
        "conv_transpose3d",
        lambda *t: norch.conv_transpose3d(*t, (1, 2, 1), (0, 1, 1), (0, 1, 0)),
        [(1, 2, 2, 2, 2), (2, 1, 1, 3, 2), (1,)],
    ),
    ("max_pool1d", lambda x: norch.max_pool1d(x, 3, 1, 1), [(2, 1, 5)]),
    ("max_pool3d", lambda x: norch.max_pool3d(x, (2, 1, 2), 1, (1, 0, 0)), [(1, 2, 2, 3)]),
    ("avg_pool1d", lambda x: norch.avg_pool1d(x, 3, 2, 1, True, False), [(2, 1, 6)]),
    ("avg_pool3d", lambda x: ops.avg_pool3d(x, 2, 1, (1, 0, 1)), [(1, 2, 3, 2)]),
    ("adaptive_avg_pool2d", lambda x: more.adaptive_avg_pool2d(x, (2, 4)), [(1, 2, 5, 3)]),
    (
        "adaptive_max_pool2d",
        lambda x: more.adaptive_max_pool2d_with_indices(x, (2, 2))[0],
        [(2, 3, 5)],
    ),
    ("upsample_nearest2d", lambda x: more.upsample_nearest2d(x, (4, 2)), [(1, 2, 3, 4)]),
    (
        "upsample_nearest2d by scale",
        lambda x: more.upsample_nearest2d(x, (4, 3), (0.6, 1.2)),
        [(1, 1, 3, 4)],
    ),
    ("upsample_bilinear2d", lambda x: more.upsample_bilinear2d(x, (5, 3)), [(1, 2, 3, 4)]),
    (
        "upsample_bilinear2d corners",
        lambda x: more.upsample_bilinear2d(x, (5, 3), True),
        [(2, 3, 4)],
    ),
    (
        "upsample_bilinear2d by scale",
        lambda x: more.upsample_bilinear2d(x, (4, 3), scale=(0.6, 1.2)),
        [(1, 3, 4)],
    ),
    ("im2col", lambda x: more.im2col(x, (2, 3), (2, 1), (1, 0), (1, 2)), [(1, 2, 4, 5)]),
    ("col2im", lambda x: more.col2im(x, (3, 4), 2, 1, 1, (2, 1)), [(1, 4, 10)]),
    ("max_pool2d", lambda x: norch.max_pool2d(x, 2, 1), [(1, 2, 3, 3)]),
    (
        "max_pool2d with every option",
        lambda x: norch.max_pool2d(x, (2, 3), (3, 2), 1, (2, 1), True),
        [(2, 5, 4)],
    ),
    ("avg_pool2d", lambda x: ops.avg_pool2d(x, (2, 1)), [(1, 2, 4, 3)]),
    ("avg_pool2d padded", lambda x: ops.avg_pool2d(x, 2, 2, 1, True), [(1, 4, 5)]),
    ("avg_pool2d inside", lambda x: ops.avg_pool2d(x, 2, 2, 1, True, False), [(1, 4, 5)]),
    ("avg_pool2d divisor", lambda x: ops.avg_pool2d(x, 2, divisor_override=3), [(1, 4, 5)]),
    ("logit", lambda x: norch.logit(x.sigmoid()), [(2, 3)]),
    ("embedding", lambda w: norch.embedding(w, T.abs() % 3), [(3, 2)]),
    ("attention", ops.scaled_dot_product_attention, [(2, 3, 2), (2, 4, 2), (2, 4, 3)]),
    ("lstm_gates", lambda g, c: norch.cat(more.lstm_gates(g, c)), [(2, 8), (2, 2)]),
    ("gru_gates", more.gru_gates, [(2, 6), (2, 6), (2, 2)]),
    ("lstm_layer", lambda *t: more.lstm_layer(*t)[0], [(2, 1, 2), (1, 2), (1, 2), (8, 2), (8, 2)]),
    ("gru_layer", lambda *t: more.gru_layer(*t)[0], [(2, 1, 2), (1, 2), (6, 2), (6, 2)]),
    ("rnn_layer", lambda *t: more.rnn_layer(*t)[0], [(2, 1, 2), (1, 2), (2, 2), (2, 2)]),
]
BY_LAPACK = [
    ("qr", lambda x: norch.cat(linalg.qr(x), 1), [(3, 3)]),
    ("qr wide", lambda x: linalg.qr(x).R, [(2, 2, 3)]),
    ("cholesky", lambda x: linalg.cholesky(x @ x.mT + norch.eye(3).double()), [(2, 3, 3)]),
    (
        "solve_triangular",
        lambda a, b: linalg.solve_triangular(a + 3 * norch.eye(3).double(), b, upper=True),
        [(2, 3, 3), (2, 3, 2)],
    ),
]
FUSED += BY_LAPACK


def both(case):
    """The fused function and its reference, with a smooth nonlinearity behind, so that second
    derivatives are not zero, and their arguments.
    """
    _, function, shapes = case
    tensors = [permuted(draw(shape, seed=k)) for k, shape in enumerate(shapes)]

    def curved(*args):
        return function(*args).sin()

    return curved, composite()(curved), tensors


def numbers(tensors):
    return np.concatenate([t.detach().numpy().reshape(-1) for t in tensors])


@pytest.mark.parametrize("case", FUSED, ids=lambda case: case[0])
def test_fused_and_reference_agree(case):
    *functions, tensors = both(case)
    values, firsts, seconds = [], [], []
    for function in functions:
        out = function(*tensors)
        weights = norch.tensor(draw(out.shape, 0.5, 2.0, 7))
        first = grad(out, tensors, weights, create_graph=True)
        values.append(numbers([out]))
        firsts.append(numbers(grad(function(*tensors), tensors, weights)))  # fused backward
        seconds.append(numbers(grad([(g * g).sum() for g in first], tensors)))
        np.testing.assert_allclose(numbers(first), firsts[-1], rtol=1e-9, atol=1e-11)
    for fused, reference in (values, firsts, seconds):
        np.testing.assert_allclose(fused, reference, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("mode", ["fused", "reference"])
@pytest.mark.parametrize("case", FUSED, ids=lambda case: case[0])
def test_fused_and_reference_equal_differences(case, mode):
    fused, reference, tensors = both(case)
    function = fused if mode == "fused" else reference
    assert norch.gradcheck(function, tensors)
    assert norch.gradgradcheck(function, tensors, atol=1e-4)


def test_a_reference_really_is_another_function():
    """Otherwise the comparison above would compare a thing with itself."""
    for case in FUSED:
        _, function, shapes = case
        if case in BY_LAPACK and not lapack.has_lapack():
            continue  # the reference is all there is
        tensors = [permuted(draw(shape, seed=k)) for k, shape in enumerate(shapes)]
        with composite():
            reference = names(function(*tensors).grad_fn)
        fused = names(function(*tensors).grad_fn)
        assert fused != reference, case[0]


def fused_functions():
    """Every function that wears `fused`, private ones included, by its undecorated code."""
    return {
        inspect.unwrap(function).__code__: function
        for module in package_modules()
        for function in vars(module).values()
        if inspect.isfunction(function) and hasattr(function, "reference")
    }


def code_run_by_the_table():
    """The code of every function that one pass through the table calls."""
    run = set()
    found = sys.getprofile()
    sys.setprofile(lambda frame, event, _: run.add(frame.f_code) if event == "call" else None)
    try:
        for _, function, shapes in FUSED:
            tensors = [permuted(draw(shape, seed=k)) for k, shape in enumerate(shapes)]
            (first,) = grad(function(*tensors).sin().sum(), tensors[:1], create_graph=True)
            grad((first * first).sum(), tensors, allow_unused=True)
    finally:
        sys.setprofile(found)
    return run


def test_the_table_runs_every_fused_function():
    run = code_run_by_the_table()
    missing = [code.co_qualname for code in fused_functions() if code not in run]
    assert not missing, f"no line in FUSED runs {' '.join(missing)}"


def test_the_table_runs_every_reference():
    with composite():
        run = code_run_by_the_table()
    missing = {
        code.co_qualname
        for code, function in fused_functions().items()
        if inspect.unwrap(function.reference).__code__ not in run
    }
    assert not missing, f"no line in FUSED runs the reference of {' '.join(missing)}"


def test_every_fused_function_is_found():
    """As many as wear the decorator in the sources: the two tests above look for these."""
    sources = Path(norch.__file__).parent.rglob("*.py")
    worn = sum(path.read_text().count("\n@fused(") for path in sources)
    assert len(fused_functions()) == worn > 0


def names(node):
    """The names of a node and all behind it."""
    edges = [edge for edge, _ in getattr(node, "next_functions", ()) if edge is not None]
    return [type(node).__name__, *(names(edge) for edge in edges)]


def test_max_pool2d_reference_names_the_same_places():
    x = norch.tensor(draw((2, 5, 6)))
    fused = ops.max_pool2d_with_indices(x, 3, 2, 1, 1, True)
    with composite():
        reference = ops.max_pool2d_with_indices(x, 3, 2, 1, 1, True)
    assert [t.tolist() for t in fused] == [t.tolist() for t in reference]


@pytest.mark.parametrize(
    "find",
    [
        lambda x: ops.max_pool1d_with_indices(x[0], 3, 2, 1, 1, True),
        lambda x: ops.max_pool3d_with_indices(x.unsqueeze(0), 2, 2, 1, 1, True),
        lambda x: more.adaptive_max_pool2d_with_indices(x, (3, 4)),
        lambda x: more.adaptive_max_pool2d_with_indices(x, (0, 4)),
    ],
)
def test_other_references_name_the_same_places(find):
    x = norch.tensor(draw((2, 5, 6)))
    fused = find(x)
    with composite():
        reference = find(x)
    assert [t.tolist() for t in fused] == [t.tolist() for t in reference]


def test_references_are_safe_at_large_and_infinite_logits():
    inf, functions = float("inf"), (norch.softmax, norch.log_softmax, norch.logsumexp)
    for values in ([0.0, 200.0], [1000.0, 1000.0], [-inf, 0.0], [-inf, -inf], [inf, 0.0]):
        x = norch.tensor([values])
        with composite():
            references = [function(x, 1) for function in functions]
        for function, reference in zip(functions, references, strict=True):
            np.testing.assert_allclose(reference.numpy(), function(x, 1).numpy(), rtol=1e-6)


def test_composite_ends_with_the_block_and_after_an_exception():
    with composite():
        assert is_composite_enabled()
        with composite(False):
            assert not is_composite_enabled()
        assert is_composite_enabled()
    with pytest.raises(ZeroDivisionError), composite():
        raise ZeroDivisionError
    assert not is_composite_enabled()


def test_composite_belongs_to_its_thread():
    import threading

    seen = []
    with composite():
        thread = threading.Thread(target=lambda: seen.append(is_composite_enabled()))
        thread.start()
        thread.join()
    assert seen == [False]


def test_composite_decorates():
    @composite()
    def inside():
        return is_composite_enabled()

    assert (inside(), is_composite_enabled()) == (True, False)
