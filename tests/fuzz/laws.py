"""Linear algebra compared by what it must satisfy: A = Q R with Q orthonormal, A X = B.

Vectors have any sign and, where values are equal, any basis; what is made of a matrix that is
nearly singular is decided by rounding. So where numbers differ, the law of the operation is asked:
its residual must be as small as the dtype's, or PyTorch's own, allows. Only judge.py, and the rules
whose cause is the matrix itself, ask.
"""

import ast
from typing import NamedTuple

import numpy as np
from compare import parts_of

from fuzz.closeness import EPS, array_of
from fuzz.generate import NAMES

FIRST = ("input", "A", "B", "other")  # tensors that may be given by name, in their order
LAW = "of linear algebra the law is compared, A = Q R or A X = B, where numbers differ"
ROOM, BESIDE = 64, 16  # roundings a residual may have for each row; times PyTorch's residual
NEAR = 64  # roundings for each row within which a matrix is singular


class Product(NamedTuple):
    """One call of linear algebra on one side: its arguments as arrays, options, and results."""

    name: str
    given: list
    words: dict
    parts: list
    kind: str


def product_of(side, call):
    """Return the innermost operation of LAWS in a call, as one side computes it, or None."""
    try:
        nodes = [n for n in ast.walk(ast.parse(call.text, mode="eval")) if law_name(n)]
    except (SyntaxError, RecursionError):
        return None
    if not nodes:
        return None
    node = nodes[-1]
    names = {**side.helpers, **dict(zip(NAMES, side.inputs(call), strict=False))}
    run = lambda part: eval(ast.unparse(part), names)  # noqa: E731
    try:
        given = [value for part in node.args for value in values_of(part, run)]
        if ast.unparse(node.func.value) not in ("t", "t.linalg"):
            given.insert(0, run(node.func.value))
        words = {k.arg: run(k.value) for k in node.keywords}
        given = [words[name] for name in FIRST if name in words] + given
        parts, kind = parts_of(run(node)), "float64"
    except Exception:
        parts, kind = None, "float64"
        if "given" not in locals():
            return None
    tensors = [v for v in (*given, *words.values()) if hasattr(v, "detach")]
    kind = min((str(v.dtype).split(".")[1] for v in tensors), key=lambda k: -EPS.get(k, 0))
    arrays = [wide(v) for v in given]
    return Product(
        law_name(node),
        arrays,
        {k: wide(v) for k, v in words.items()} if "words" in locals() else {},
        None if parts is None else [wide(p) for p in parts],
        kind if kind in EPS else "float32",
    )


def values_of(part, run):
    return list(run(part.value)) if isinstance(part, ast.Starred) else [run(part)]


def wide(value):
    """Return a tensor's numbers in float64; anything else as it is."""
    return array_of(value).astype(np.float64) if hasattr(value, "detach") else value


def law_name(node):
    """Return which law a node of a call's text has."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    return node.func.attr if node.func.attr in LAWS else ""


def flip(a):
    return a.swapaxes(-1, -2)


def size(a):
    """Return the largest magnitude, at least a little."""
    return max(float(np.abs(a).max(initial=0.0)), 1e-300)


def orthonormal(q):
    return size(flip(q) @ q - np.eye(q.shape[-1]))


def apart(a, b):
    """Return how far two arrays are, measured by the second."""
    return size(a - b) / size(b)


def qr(p):
    q, r = p.parts
    a = p.given[0]
    if q.size == 0:
        return apart(flip(r) @ r, flip(a) @ a)
    return max(apart(q @ r, a), orthonormal(q), size(np.tril(r, -1)) / size(a))


def svd(p):
    if len(p.parts) != 3:
        return None
    u, s, v = p.parts
    a, k = p.given[0], p.parts[1].shape[-1]
    scaled = u[..., :k] * s[..., None, :]
    if v.shape[-1] != a.shape[-1] or apart(scaled @ v[..., :k, :], a) > 1e-2:
        v = flip(v)  # the old form gives V, not its transpose
    made = scaled @ v[..., :k, :]
    return max(apart(made, a), orthonormal(u), orthonormal(flip(v)))


def eigh(p):
    values, q = p.parts
    upper = str(p.words.get("UPLO", p.given[1] if len(p.given) > 1 else "L")).upper() == "U"
    made = (q * values[..., None, :]) @ flip(q)
    return max(apart(made, symmetric(p.given[0], upper)), orthonormal(q))


def symmetric(a, upper=False):
    """Return the symmetric matrix that one triangle says."""
    half = np.triu(a, 1) if upper else np.tril(a, -1)
    return half + flip(half) + np.triu(np.tril(a))


def cholesky(p):
    factor, upper = p.parts[0], is_upper(p)
    made = flip(factor) @ factor if upper else factor @ flip(factor)
    return apart(made, symmetric(p.given[0], upper))


def is_upper(p, place=1):
    return bool(p.words.get("upper", p.given[place] if len(p.given) > place else False))


def inverse(p):
    return residual(p.given[0], p.parts[0], np.eye(p.given[0].shape[-1]))


def residual(a, x, b):
    """Return |A X - B| measured by what its roundings are made of; from either side."""
    return size(a @ x - b) / (size(a) * size(x) * a.shape[-1] + size(b))


def solve(p):
    a, b, x = p.given[0], p.given[1], p.parts[0]
    if not p.words.get("left", True):
        return residual(flip(a), flip(x), flip(b))
    vector = b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1])
    return residual(a, x[..., None], b[..., None]) if vector else residual(a, x, b)


def solve_triangular(p):
    a, b = p.given[0], p.given[1]
    if p.name == "triangular_solve":
        a, b = b, a
    upper = p.words.get("upper", p.name == "triangular_solve")
    a = np.triu(a) if upper else np.tril(a)
    if p.words.get("unitriangular"):
        a = a - np.triu(np.tril(a)) + np.eye(a.shape[-1])
    a = flip(a) if p.words.get("transpose") else a
    words = {"left": p.words.get("left", True)}
    return solve(p._replace(given=[a, b], words=words))


def of_factor(p, place):
    """Return L Lᵀ of a factor of Cholesky."""
    factor, upper = p.given[place], is_upper(p, place + 1)
    factor = np.triu(factor) if upper else np.tril(factor)
    return flip(factor) @ factor if upper else factor @ flip(factor)


def cholesky_solve(p):
    return residual(of_factor(p, 1), p.parts[0], p.given[0])


def cholesky_inverse(p):
    a = of_factor(p, 0)
    return residual(a, p.parts[0], np.eye(a.shape[-1]))


def lu(p):
    if p.name == "lu" and p.parts[-1].ndim == p.given[0].ndim and len(p.parts) == 3:
        return apart(p.parts[0] @ p.parts[1] @ p.parts[2], p.given[0])
    return factored(p.parts[0], p.parts[1], p.given[0])


def factored(packed, pivots, a):
    """Return how far L U is from A with its rows exchanged."""
    n, m = packed.shape[-2:]
    k = min(n, m)
    lower, upper = np.tril(packed[..., :k], -1) + np.eye(n, k), np.triu(packed[..., :k, :])
    a, pivots = a.reshape(-1, n, m).copy(), pivots.reshape(-1, k).astype(int)
    for rows, matrix in zip(pivots, a, strict=True):
        for i, j in enumerate(rows):
            matrix[[i, j - 1]] = matrix[[j - 1, i]]
    return apart((lower @ upper).reshape(a.shape), a)


def pinv(p):
    a, x = p.given[0], p.parts[0]
    cut = 1e-15 if p.name == "pinverse" else 0.0
    back = size(x @ a @ x - x) / (size(x) * max(1.0, size(a @ x)))
    return max(back, size(a @ x - flip(a @ x)), cut)


def lstsq(p):
    a, b, x = p.given[0], p.given[1], p.parts[0]
    if b.ndim == a.ndim - 1:
        b, x = b[..., None], x[..., None]
    room = size(a) * (size(a) * size(x) + size(b)) * max(a.shape[-2:])
    return size(flip(a) @ (a @ x - b)) / room


def det(p):
    """Return how far a determinant is from float64's, by what a rounding of the matrix moves."""
    s = np.linalg.svd(p.given[0], compute_uv=False)
    moved = np.prod(s[..., :-1], -1) * s[..., 0] * s.shape[-1] if s.size else np.ones(s.shape[:-1])
    exact = np.linalg.det(p.given[0])
    mine = p.parts[0]
    if p.name == "slogdet":
        mine = p.parts[0] * np.exp(p.parts[1])
    if p.name == "logdet":
        mine = np.where(np.isnan(mine), np.minimum(exact, 0), np.exp(mine))
    return float(np.max(np.abs(mine - exact) / np.maximum(moved, 1e-300), initial=0.0))


LAWS = {
    "qr": qr,
    "svd": svd,
    "eigh": eigh,
    "cholesky": cholesky,
    "inv": inverse,
    "inverse": inverse,
    "solve": solve,
    "solve_triangular": solve_triangular,
    "triangular_solve": solve_triangular,
    "cholesky_solve": cholesky_solve,
    "cholesky_inverse": cholesky_inverse,
    "lu": lu,
    "lu_factor": lu,
    "pinv": pinv,
    "pinverse": pinv,
    "lstsq": lstsq,
    "det": det,
    "slogdet": det,
    "logdet": det,
}
# Decided by the matrix as well, but what they give is compared as it is.
LAWS |= dict.fromkeys(
    ("cond", "matrix_rank", "eigvalsh", "svdvals", "matrix_power", "lu_unpack", "lu_solve"),
    lambda product: None,
)


def distance(product):
    """Return the residual of a product's law, in roundings for each row; None if it has none."""
    if product is None or product.parts is None:
        return None
    try:
        with np.errstate(all="ignore"):
            found = LAWS[product.name](product)
    except (ValueError, IndexError, KeyError, TypeError, np.linalg.LinAlgError):
        return None
    rows = max([1, *(n for a in product.given if hasattr(a, "shape") for n in a.shape)])
    return None if found is None else found / (EPS[product.kind] * rows)


def law_holds(call, ours, theirs):
    """Whether the law of a call holds for norch as well as it must, or as for PyTorch."""
    mine, yours = distance(product_of(ours, call)), distance(product_of(theirs, call))
    if mine is None or yours is None:
        return False
    return mine <= max(ROOM, BESIDE * yours)


def is_singular(call, side):
    """Whether the matrix that a call decomposes is singular but for rounding."""
    return any(near_singular(a, p.kind) for p in [product_of(side, call)] if p for a in matrices(p))


def matrices(product):
    return [a for a in product.given if hasattr(a, "shape") and a.ndim > 1]


def near_singular(a, kind):
    """Whether the smallest singular value of any matrix is what rounding leaves of the largest."""
    if not np.isfinite(a).all() or a.size == 0:
        return False
    rows = max(a.shape[-2:])
    values = [np.linalg.svd(m, compute_uv=False) for m in (a, np.tril(a), np.triu(a))]
    sides = [s[..., -1] <= NEAR * rows * EPS[kind] * s[..., 0] for s in values]
    if a.shape[-1] == a.shape[-2]:  # not positive: what cholesky asks
        low = np.linalg.eigvalsh(symmetric(a))
        sides.append(np.abs(low[..., 0]) <= NEAR * rows * EPS[kind] * np.abs(low).max(-1))
    return bool(np.any(sides))


def is_not_finite(call, side):
    """Whether what a call decomposes has infinite elements or nan, of which LAPACK says nothing."""
    product = product_of(side, call)
    found = matrices(product) if product else []
    return any(not np.isfinite(a).all() for a in found)
