"""Factorizations, eigenvalues and solutions: values against NumPy, first and second derivatives
against differences; by LAPACK and, where norch can do without it, by norch alone.

Singular vectors and eigenvectors have no sign of their own: the projections on them are compared.
"""

import math

import numpy as np
import pytest
from autograd_checks import check, draw, permuted

import norch_autograd as norch
import norch_cpu_ops
from norch_autograd import linalg
from norch_cpu_ops import lapack

needs_lapack = pytest.mark.skipif(not lapack.has_lapack(), reason="OpenBLAS is not installed")

TALL, WIDE, SQUARE, BATCH = (4, 2), (2, 4), (3, 3), (2, 3, 3)
ONE, EYE = np.eye(3), norch.eye(3, dtype=norch.float64)
PIVOTS = norch.tensor([3, 2, 3], dtype=norch.int32)
EXCHANGED = ONE[[2, 1, 0]]  # what PIVOTS do to rows


def t(x):
    """The matrices transposed, of either library."""
    return x.mT if isinstance(x, norch.Tensor) else np.swapaxes(x, -1, -2)


def all_of(parts):
    """Several results as one, of either library."""
    join = norch.cat if isinstance(parts[0], norch.Tensor) else np.concatenate
    return join([part.reshape(-1) for part in parts])


def projections(u, s, vh):
    """The values, and the projections on the first vectors."""
    u, vh = u[..., :, :1], vh[..., :1, :]
    return all_of([s, u @ t(u), t(vh) @ vh, u @ vh])


def projection(w, v):
    return all_of([w, v[..., :1] @ t(v[..., :1])])


def positive(x):
    return x @ t(x) + (EYE if isinstance(x, norch.Tensor) else ONE)


def triangle(x, upper):
    """The triangle that is read, without 0 on its diagonal."""
    return (np.triu if upper else np.tril)(x) + 3 * ONE


def steep(x):
    return x + 3 * EYE


def lu_parts(x):
    return all_of(linalg.lu(x)[1:])


def numpy_lu(x):
    """L and U by elimination, rows exchanged for the largest pivot."""
    upper, k = x.copy(), min(x.shape)
    lower = np.eye(x.shape[0], k)
    for j in range(k):
        best = j + np.abs(upper[j:, j]).argmax()
        upper[[j, best]] = upper[[best, j]]
        lower[[j, best], :j] = lower[[best, j], :j]
        lower[j + 1 :, j] = upper[j + 1 :, j] / upper[j, j]
        upper[j + 1 :] -= lower[j + 1 :, j : j + 1] * upper[j]
    return all_of([lower, upper[:k]])


BY_LAPACK = [
    ("svd tall", lambda x: projections(*linalg.svd(x, False)),
     lambda x: projections(*np.linalg.svd(x, False)), [TALL]),
    ("svd wide", lambda x: projections(*linalg.svd(x, False)),
     lambda x: projections(*np.linalg.svd(x, False)), [WIDE]),
    ("svd full", lambda x: projections(*linalg.svd(x)),
     lambda x: projections(*np.linalg.svd(x)), [(2, 2, 3)]),
    ("svd of old", lambda x: projections(norch.svd(x)[0], norch.svd(x).S, norch.svd(x).V.mT),
     lambda x: projections(*np.linalg.svd(x)), [SQUARE]),
    ("svdvals", linalg.svdvals, lambda x: np.linalg.svd(x, compute_uv=False), [(2, 3, 2)]),
    ("eigh", lambda x: projection(*linalg.eigh(x + x.mT)),
     lambda x: projection(*np.linalg.eigh(x + t(x))), [BATCH]),
    ("eigh upper", lambda x: projection(*linalg.eigh(x.triu() + x.triu(1).mT, "U")),
     lambda x: projection(*np.linalg.eigh(np.triu(x), "U")), [SQUARE]),
    ("eigvalsh", lambda x: linalg.eigvalsh(x + x.mT),
     lambda x: np.linalg.eigvalsh(x + t(x)), [BATCH]),
    ("lu", lu_parts, numpy_lu, [SQUARE]),
    ("lu tall", lu_parts, numpy_lu, [TALL]),
    ("lu wide", lu_parts, numpy_lu, [WIDE]),
    ("lu P", lambda x: linalg.lu(x)[0] @ linalg.lu(x).L @ linalg.lu(x).U, lambda x: x, [BATCH]),
    ("lu_factor", lambda x: linalg.lu_factor(x).LU.tril(-1).sum(-1),
     lambda x: np.array([numpy_lu(m)[:9].reshape(3, 3).sum(-1) - 1 for m in x]), [BATCH]),
    ("lu of old", lambda x: norch.lu_unpack(*norch.lu(x)).U,
     lambda x: numpy_lu(x)[9:].reshape(3, 3), [SQUARE]),
    ("lu_solve", lambda a, b: linalg.lu_solve(steep(a), PIVOTS, b), lambda a, b: np.linalg.solve(
        EXCHANGED @ (np.tril(a, -1) + ONE) @ triangle(a, True), b), [SQUARE, (3, 2)]),
    ("lu_solve adjoint", lambda a, b: linalg.lu_solve(steep(a), PIVOTS, b, adjoint=True),
     lambda a, b: np.linalg.solve(
         t(EXCHANGED @ (np.tril(a, -1) + ONE) @ triangle(a, True)), b), [SQUARE, (2, 3, 2)]),
    ("lu_solve right", lambda a, b: linalg.lu_solve(steep(a), PIVOTS, b, left=False),
     lambda a, b: b @ np.linalg.inv(EXCHANGED @ (np.tril(a, -1) + ONE) @ triangle(a, True)),
     [SQUARE, (2, 3)]),
    ("pinv tall", linalg.pinv, np.linalg.pinv, [(2, 4, 2)]),
    ("pinv wide", norch.pinverse, np.linalg.pinv, [WIDE]),
    ("pinv of rank 2", lambda a, b: linalg.pinv(a @ b),
     lambda a, b: np.linalg.pinv(a @ b), [(3, 2), (2, 4)]),
    ("pinv hermitian", lambda x: linalg.pinv(x + x.mT, hermitian=True),
     lambda x: np.linalg.pinv(x + t(x)), [SQUARE]),
    ("lstsq", lambda a, b: linalg.lstsq(a, b).solution,
     lambda a, b: np.linalg.pinv(a) @ b, [(2, 4, 2), (2, 4, 3)]),
    ("lstsq wide", lambda a, b: linalg.lstsq(a, b, driver="gelsd")[0],
     lambda a, b: np.linalg.pinv(a) @ b, [WIDE, (2, 1)]),
    ("lstsq vector", lambda a, b: linalg.lstsq(a, b)[0],
     lambda a, b: np.linalg.pinv(a) @ b, [TALL, (4,)]),
    ("lstsq residuals", lambda a, b: linalg.lstsq(a, b, driver="gels").residuals,
     lambda a, b: ((a @ np.linalg.pinv(a) @ b - b) ** 2).sum(0), [TALL, (4, 3)]),
    ("nuclear norm", lambda x: linalg.matrix_norm(x, "nuc"),
     lambda x: np.linalg.norm(x, "nuc", (-2, -1)), [BATCH]),
    ("nuclear norm of dims", lambda x: norch.norm(x, "nuc", (0, 2), True),
     lambda x: np.linalg.norm(x, "nuc", (0, 2), True), [(2, 3, 2)]),
    ("norm 2", lambda x: linalg.norm(x, 2), lambda x: np.linalg.norm(x, 2), [TALL]),
    ("norm -2", lambda x: linalg.norm(x, -2, (2, 0)),
     lambda x: np.linalg.norm(x, -2, (2, 0)), [(2, 3, 2)]),
    ("cond", linalg.cond, np.linalg.cond, [BATCH]),
    ("cond -2", lambda x: linalg.cond(x, -2), lambda x: np.linalg.cond(x, -2), [TALL]),
    ("cond nuc", lambda x: linalg.cond(x, "nuc"), lambda x: np.linalg.cond(x, "nuc"), [SQUARE]),
]  # fmt: skip

BY_EITHER = [
    ("solve", linalg.solve, np.linalg.solve, [BATCH, (2, 3, 2)]),
    ("solve of a batch", linalg.solve, lambda a, b: np.linalg.solve(a, b), [SQUARE, (2, 3, 1)]),
    ("solve vectors", linalg.solve, lambda a, b: np.linalg.solve(a, b[..., None])[..., 0],
     [BATCH, (2, 3)]),
    ("solve right", lambda a, b: linalg.solve(a, b, left=False),
     lambda a, b: b @ np.linalg.inv(a), [SQUARE, (2, 3)]),
    ("inv", linalg.inv, np.linalg.inv, [BATCH]),
    ("det", linalg.det, np.linalg.det, [BATCH]),
    ("slogdet", lambda x: linalg.slogdet(x)[1], lambda x: np.linalg.slogdet(x)[1], [BATCH]),
    ("cond 1", lambda x: linalg.cond(x, 1), lambda x: np.linalg.cond(x, 1), [SQUARE]),
    ("cholesky", lambda x: linalg.cholesky(positive(x)),
     lambda x: np.linalg.cholesky(positive(x)), [BATCH]),
    ("cholesky upper", lambda x: norch.cholesky(positive(x), True),
     lambda x: t(np.linalg.cholesky(positive(x))), [SQUARE]),
    ("qr tall", lambda x: all_of(linalg.qr(x)), lambda x: all_of(np.linalg.qr(x)), [TALL]),
    ("qr wide", lambda x: all_of(linalg.qr(x)), lambda x: all_of(np.linalg.qr(x)), [WIDE]),
    ("qr complete", lambda x: all_of(linalg.qr(x, "complete")),
     lambda x: all_of(np.linalg.qr(x, "complete")), [BATCH]),
    ("qr of old", lambda x: norch.qr(x)[1], lambda x: np.linalg.qr(x)[1], [(2, 3, 2)]),
    ("solve_triangular upper", lambda a, b: linalg.solve_triangular(steep(a), b, upper=True),
     lambda a, b: np.linalg.solve(triangle(a, True), b), [BATCH, (2, 3, 2)]),
    ("solve_triangular lower", lambda a, b: linalg.solve_triangular(steep(a), b, upper=False),
     lambda a, b: np.linalg.solve(triangle(a, False), b), [SQUARE, (2, 3, 2)]),
    ("solve_triangular right",
     lambda a, b: linalg.solve_triangular(steep(a), b, upper=True, left=False),
     lambda a, b: b @ np.linalg.inv(triangle(a, True)), [SQUARE, (2, 3)]),
    ("solve_triangular unit",
     lambda a, b: linalg.solve_triangular(a, b, upper=False, unitriangular=True),
     lambda a, b: np.linalg.solve(np.tril(a, -1) + ONE, b), [SQUARE, (3, 2)]),
    ("triangular_solve", lambda b, a: norch.triangular_solve(b, steep(a), False, True)[0],
     lambda b, a: np.linalg.solve(t(triangle(a, False)), b), [(3, 2), SQUARE]),
    ("triangular_solve flags", lambda b, a: norch.triangular_solve(b, steep(a), 2, True)[0],
     lambda b, a: np.linalg.solve(t(triangle(a, True)), b), [(3, 2), SQUARE]),
    ("cholesky_solve", lambda b, a: norch.cholesky_solve(b, steep(a)),
     lambda b, a: np.linalg.solve(triangle(a, False) @ t(triangle(a, False)), b),
     [(3, 2), SQUARE]),
    ("cholesky_inverse", lambda a: norch.cholesky_inverse(steep(a), True),
     lambda a: np.linalg.inv(t(triangle(a, True)) @ triangle(a, True)), [BATCH]),
]  # fmt: skip

DERIVED = pytest.mark.parametrize(
    ("function", "expected", "shapes"),
    [pytest.param(*case[1:], id=case[0]) for case in BY_EITHER],
)


@pytest.fixture
def without_lapack():
    """Run the test as if OpenBLAS were not installed."""
    norch_cpu_ops.set_blas_enabled(False)
    yield
    norch_cpu_ops.set_blas_enabled(True)


@needs_lapack
@pytest.mark.parametrize(
    ("function", "expected", "shapes"),
    [pytest.param(*case[1:], id=case[0]) for case in BY_LAPACK],
)
def test_values_and_derivatives(function, expected, shapes):
    check(function, expected, *shapes)


@needs_lapack
@DERIVED
def test_values_and_derivatives_by_lapack(function, expected, shapes):
    check(function, expected, *shapes)


@DERIVED
def test_values_and_derivatives_by_norch_alone(without_lapack, function, expected, shapes):
    check(function, expected, *shapes)


@needs_lapack
@DERIVED
def test_lapack_and_norch_agree(function, expected, shapes):
    """Values and gradients, for ever: what norch computes alone is the reference."""
    found = []
    for enabled in (True, False):
        norch_cpu_ops.set_blas_enabled(enabled)
        try:
            assert lapack.has_lapack() == enabled
            tensors = [permuted(draw(shape, seed=k)) for k, shape in enumerate(shapes)]
            out = function(*tensors)
            grads = norch.autograd.grad(out.sin().sum(), tensors)
            found.append(np.concatenate([x.detach().numpy().reshape(-1) for x in (out, *grads)]))
        finally:
            norch_cpu_ops.set_blas_enabled(True)
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-11)


@needs_lapack
def test_second_derivatives_reach_an_output_that_was_used_again():
    """The gradient of svd holds its outputs; here they are also used beside it."""

    def twice(x):
        _, s, vh = linalg.svd(x, False)
        (dx,) = norch.autograd.grad(projections(_, s, vh).sin().sum(), x, create_graph=True)
        return dx * s.sum() + projections(_, s, vh).sum()

    assert norch.gradcheck(twice, [permuted(draw((3, 2)))])


@needs_lapack
def test_matrix_rank():
    x = norch.tensor([[[1.0, 0.0], [0.0, 0.1]], [[1.0, 1.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
    assert linalg.matrix_rank(x).tolist() == [2, 1, 0]
    assert linalg.matrix_rank(x, hermitian=True).tolist() == [2, 1, 0]
    assert linalg.matrix_rank(x, atol=0.2).tolist() == [1, 1, 0]
    assert linalg.matrix_rank(x, rtol=0.2).tolist() == [1, 1, 0]
    assert linalg.matrix_rank(x, norch.tensor([0.2, 3.0, 0.0])).tolist() == [1, 0, 0]
    assert linalg.matrix_rank(x[:, :0]).tolist() == [0, 0, 0]
    assert linalg.matrix_rank(x).dtype is norch.int64


@needs_lapack
def test_lstsq_gives_what_its_driver_computes():
    a, b = norch.ones(2, 4, 2), norch.ones(2, 4, 3)
    a[:, 0, 0] = 5.0
    shapes = {
        driver: [tuple(each.shape) for each in linalg.lstsq(a, b, driver=driver)]
        for driver in ("gelsy", "gels", "gelsd", "gelss")
    }
    assert shapes["gelsy"] == [(2, 2, 3), (0,), (2,), (0,)]
    assert shapes["gels"] == [(2, 2, 3), (2, 3), (0,), (0,)]
    assert shapes["gelsd"] == shapes["gelss"] == [(2, 2, 3), (2, 3), (2,), (2, 2)]
    assert linalg.lstsq(norch.ones(4, 2), norch.ones(4, 1), driver="gelsd").residuals.shape == (0,)


@needs_lapack
@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3), (2, 3, 0), (0, 2, 2)])
def test_empty_matrices(shape):
    a = norch.ones(*shape, requires_grad=True)
    *batch, m, n = shape
    k = min(m, n)
    u, s, vh = linalg.svd(a)
    assert [u.shape, s.shape, vh.shape] == [(*batch, m, m), (*batch, k), (*batch, n, n)]
    assert linalg.pinv(a).shape == (*batch, n, m)
    assert norch.equal(linalg.lstsq(a, ones(*batch, m, 2)).solution, norch.zeros(*batch, n, 2))
    assert norch.equal(linalg.matrix_norm(a, "nuc"), norch.zeros(*batch))
    assert norch.equal(linalg.cond(a), norch.zeros(*batch))
    assert linalg.qr(a).Q.shape == (*batch, m, k) and linalg.lu(a).U.shape == (*batch, k, n)
    (u.sum() + s.sum()).backward()
    assert a.grad.shape == a.shape


def test_matrix_power_0_belongs_to_the_graph():
    x = norch.ones(2, 2, requires_grad=True)
    y = linalg.matrix_power(x, 0)
    assert y.requires_grad and y.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    y.sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert linalg.matrix_power(norch.tensor([[math.nan]]), 0).tolist() == [[1.0]]


@pytest.mark.parametrize("enabled", [True, False])
def test_a_determinant_is_0_only_of_finite_numbers(enabled):
    nan, inf = math.nan, math.inf
    x = norch.tensor([[[0.0, 1.0], [0.0, 2.0]], [[0.0, nan], [0.0, 1.0]], [[0.0, 1.0], [0.0, inf]]])
    norch_cpu_ops.set_blas_enabled(enabled)
    try:
        zero, *others = norch.det(x).tolist()
        logarithms = norch.slogdet(x).logabsdet.tolist()
    finally:
        norch_cpu_ops.set_blas_enabled(True)
    assert zero == 0 and logarithms[0] == -inf
    assert all(map(math.isnan, [*others, *logarithms[1:]]))


def test_cholesky_reads_one_triangle():
    a = norch.tensor([[4.0, 9.0], [2.0, 5.0]])
    assert linalg.cholesky(a).tolist() == [[2.0, 0.0], [1.0, 2.0]]
    assert linalg.cholesky(a.mT, upper=True).tolist() == [[2.0, 1.0], [0.0, 2.0]]


@needs_lapack
def test_results_have_names_and_print_as_pytorch():
    assert repr(linalg.eigh(norch.eye(1))) == (
        "norch.return_types.linalg_eigh(\neigenvalues=tensor([1.]),\neigenvectors=tensor([[1.]]))"
    )
    names = {
        "svd": "U S Vh", "lu": "P L U", "lu_factor": "LU pivots", "qr": "Q R",
        "eigh": "eigenvalues eigenvectors", "slogdet": "sign logabsdet",
    }  # fmt: skip
    for name, fields in names.items():
        assert " ".join(getattr(linalg, name)(norch.eye(2))._fields) == fields
    found = linalg.lstsq(norch.eye(2), norch.ones(2))
    assert found._fields == ("solution", "residuals", "rank", "singular_values")


def ones(*shape, **kwargs):
    return norch.ones(*shape, **kwargs)


NAN, SINGULAR = norch.full((2, 2), math.nan), norch.stack([norch.eye(2), norch.ones(2, 2)])
DEFICIENT = norch.tensor([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
PIVOT = norch.tensor([1, 2], dtype=norch.int32)
ERRORS = [
    (lambda: linalg.svd(NAN), linalg.LinAlgError, r"\[svd\] the matrix has NaN or infinity"),
    (lambda: linalg.svdvals(NAN / 0), linalg.LinAlgError, r"\[svdvals\] .* NaN or infinity"),
    (lambda: linalg.eigh(norch.stack([NAN, NAN])), linalg.LinAlgError, "matrix 0 of the"),
    (lambda: linalg.pinv(NAN), linalg.LinAlgError, "NaN"),
    (lambda: linalg.lstsq(NAN, ones(2)), linalg.LinAlgError, r"\[lstsq\] .* NaN"),
    (lambda: linalg.lu_factor(SINGULAR), linalg.LinAlgError, r"\[lu_factor\] matrix 1 .* U"),
    (lambda: linalg.lstsq(DEFICIENT, ones(3, 1), driver="gels"), linalg.LinAlgError, "full rank"),
    (lambda: linalg.lstsq(ones(3, 2), ones(3, 1), driver="qr"), RuntimeError, "'gelsy'"),
    (lambda: linalg.lstsq(ones(3, 2), ones(4, 1)), RuntimeError, r"\[lstsq\] .* as many rows"),
    (lambda: linalg.svd(ones(3)), RuntimeError, r"\[svd\] expected matrices"),
    (lambda: linalg.svd(3), TypeError, r"\[svd\] expected a Tensor, got int"),
    (lambda: linalg.svd(ones(2, 2, dtype=norch.int64)), NotImplementedError, "float32 or float64"),
    (lambda: linalg.eigh(ones(2, 2).half()), NotImplementedError, r"\[eigh\] .*float16"),
    (lambda: linalg.svd(ones(2, 2), driver="gesvd"), RuntimeError, r"\[svd\] driver 'gesvd'"),
    (lambda: linalg.eigh(ones(2, 3)), RuntimeError, r"\[eigh\] expected square matrices"),
    (lambda: linalg.eigvalsh(ones(2, 2), "x"), RuntimeError, r"\[eigvalsh\] UPLO must be 'L' or"),
    (lambda: linalg.lu(ones(2, 2), pivot=False), RuntimeError, r"\[lu\] LU without pivoting"),
    (lambda: linalg.lu_solve(ones(2, 2), PIVOT.long(), ones(2, 1)), RuntimeError, "int32 of shape"),
    (lambda: linalg.lu_solve(ones(2, 2), PIVOT * 3, ones(2, 1)), RuntimeError, "rows from 1 to 2"),
    (lambda: linalg.matrix_norm(ones(2, 2), 3), RuntimeError, r"\[matrix_norm\] ord must be"),
    (lambda: linalg.matrix_norm(ones(2, 2), "nuc", 0), RuntimeError, "dim must be two"),
    (lambda: linalg.norm(ones(2), "nuc"), RuntimeError, "expected matrices"),
    (lambda: norch.norm(ones(2, 2, 2), "nuc"), RuntimeError, r"\[norm\] p 'nuc' is for matrices"),
    (lambda: linalg.cond(ones(3, 2), 1), RuntimeError, r"\[cond\] expected square"),
]  # fmt: skip


@needs_lapack
@pytest.mark.parametrize(("call", "kind", "message"), ERRORS, ids=[case[2] for case in ERRORS])
def test_errors(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


@needs_lapack
@pytest.mark.parametrize("mode", ["complete", "r"])
def test_a_q_with_free_columns_has_no_derivative(mode):
    x = norch.ones(3, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match=rf"\[qr\] a Q of mode '{mode}' has no derivative"):
        linalg.qr(x, mode).R.sum().backward()


ONLY_LAPACK = {
    "svd": linalg.svd, "svdvals": linalg.svdvals, "eigh": linalg.eigh, "eigvalsh": linalg.eigvalsh,
    "pinv": linalg.pinv, "matrix_rank": linalg.matrix_rank, "lu": linalg.lu,
    "lu_factor": linalg.lu_factor, "lstsq": lambda a: linalg.lstsq(a, a),
    "cond": linalg.cond, "matrix_norm": lambda a: norch.norm(a, "nuc"),
    "lu_unpack": lambda a: norch.lu_unpack(a, PIVOT),
    "lu_solve": lambda a: linalg.lu_solve(a, PIVOT, a),
}  # fmt: skip


@pytest.mark.parametrize("name", ONLY_LAPACK)
def test_one_sentence_where_lapack_is_absent(without_lapack, name):
    sentence = rf"\[{name}\] needs LAPACK, which the optional OpenBLAS brings: pip install "
    with pytest.raises(RuntimeError, match=sentence + "scipy-openblas32"):
        ONLY_LAPACK[name](norch.eye(2))


@pytest.mark.parametrize("name", ONLY_LAPACK)
def test_other_devices_are_refused_in_a_sentence(name):
    there = norch.eye(2).to("cuda-sim")
    with pytest.raises(RuntimeError, match=rf"\[{name}\] is computed on the CPU only, .*cuda-sim"):
        ONLY_LAPACK[name](there)


def test_other_devices_factor_and_solve_by_norch():
    there = (norch.eye(2) * 4).to("cuda-sim")
    assert linalg.cholesky(there).tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert linalg.solve_triangular(there, there, upper=True).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_a_gradient_of_qr_keeps_its_digits():
    """Beside a first column of 6e-8 the derivative was 0.9934, and of other matrices 0."""
    x = norch.tensor([[6e-8, 1.0]], requires_grad=True)
    linalg.qr(x).R.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0]]


@needs_lapack
def test_a_tolerance_that_is_no_number_is_refused():
    with pytest.raises(TypeError, match=r"^\[matrix_rank\] "):
        norch.linalg.matrix_rank(norch.ones(2, 2), atol={})
