"""Functions of whole rows: reductions, normalisations, losses and distances.

A row of 60 digits goes in, its exact results come out; exact gradients are differences of those,
at steps of 1e-30. Where a result is what many terms leave, `of_row` counts its error in ulp of the
largest number of its row.
"""

from collections.abc import Callable
from dataclasses import dataclass

import mpmath
from mpmath import mp

from .measure import Worst, evaluate, is_held, listed, rounded

UPSTREAM = (1.0, -0.5, 2.0, 0.25, -1.5, 0.75)


@dataclass(frozen=True)
class Rows:
    """A function of each row x, and perhaps y."""

    text: str
    value: Callable  # of lists of numbers: a list of results
    rows: tuple  # of tuples of rows: (x,) or (x, y)
    of_row: bool = False  # the gradient's error counts beside the largest of its row
    value_of_row: bool = False
    kept: Callable = lambda *_: True  # where all keep their digits: elsewhere, as PyTorch's

    def inputs(self, kind):
        """Return the rows whose numbers are all normal in a dtype, or 0."""
        return [c for c in self.rows if all(is_held(x, kind) for row in c for x in row)]


def single(rows):
    return tuple((tuple(map(float, row)),) for row in rows)


SCORES = single(
    [
        (0.3, -1.2, 2.5, 0.7, -0.4),
        (1.0, 1.0, 1.0, 1.0, 1.0),
        (10.0, 9.5, -3.0, 0.2, 4.4),
        (50.0, 49.0, 12.0, 0.0, -9.0),
        (-100.5, -101.25, -103.0, -120.0, -99.75),
        (20.0, 0.0, 1.0, 2.0, 3.0),
        (9.0, 0.1, -0.2, 0.3, 1.4),
        (88.5, 80.25, 1.5, -0.75, 60.0),
        (1e-3, 2e-3, -1e-3, 5e-4, 0.0),
        (300.0, 299.5, 290.0, 301.0, 280.0),
        (16.5, 0.0, 0.0, 0.0, 0.0),
        (-30.0, 0.0, -31.0, -29.0, -33.5),
    ]
)
PLAIN = single(
    [
        (0.3, -1.2, 2.5, 0.7, -0.4),
        (10.0, 9.5, -3.0, 0.2, 4.4),
        (1e-3, 2e-3, -1.5e-3, 5e-3, 8e-3),
        (100.5, 101.25, 103.0, 120.0, 99.75),
        (3.0, -4.0, 12.0, 84.0, 2.0),
        (1e-2, 1.0, 10.0, 30.0, -7.0),
    ]
)
SHIFTED = single(
    [
        (1000.5, 1001.25, 1003.0, 1020.0, 999.75),
        (100.0, 100.5, 100.25, 101.0, 99.5),
        (30000.0, 30016.0, 30032.0, 29984.0, 29952.0),
    ]
)
SPREAD = single(
    [
        (3e-19, -4e-19, 1e-19, 2e-19, 5e-19),
        (3e20, -4e20, 1e20, 2e20, 5e20),
        (250.0, -300.0, 280.0, 290.0, 260.0),
        (2e-3, -1.5e-3, 1e-3, 2.5e-3, 3e-3),
        (3e-160, -4e-160, 1e-160, 2e-160, 5e-160),
        (3e160, -4e160, 1e160, 2e160, 5e160),
    ]
)
PAIRS = tuple(
    (tuple(map(float, x)), tuple(map(float, y)))
    for x, y in [
        ((0.3, -1.2, 2.5, 0.7), (1.3, 0.2, -0.5, 0.4)),
        ((10.0, 9.5, -3.0, 0.2), (10.0, 9.0, -3.5, 0.25)),
        ((100.5, 101.25, 103.0, 120.0), (100.25, 101.5, 102.0, 121.0)),
        ((1e-3, 2e-3, -1.5e-3, 5e-3), (2e-3, 2e-3, 1e-3, -3e-3)),
        ((3.0, -4.0, 12.0, 84.0), (-3.0, 4.0, -12.0, -83.0)),
        ((1.0, 2.0, 3.0, 4.0), (1.0, 2.0, 3.0, 4.5)),
        ((1000.0, 2000.0, 3000.0, 4000.0), (1001.0, 2000.0, 3002.0, 4004.0)),
    ]
)


def total(terms):
    return mp.fsum(terms)


def logsumexp(x):
    most = max(x)
    return most + mp.log1p(total(mp.exp(v - most) for v in x) - 1)


def log_softmax(x):
    """Less the larger ones: of the largest score the others alone, so that no digit is lost."""
    most = max(range(len(x)), key=lambda k: x[k])
    rest = total(mp.exp(v - x[most]) for k, v in enumerate(x) if k != most)
    return [v - x[most] - mp.log1p(rest) for v in x]


def norm(p):
    def value(x):
        return [total(abs(v) ** p for v in x) ** (mp.mpf(1) / p)]

    return value


def mean(x):
    return total(x) / len(x)


def variance(x, correction=1):
    middle = mean(x)
    return total((v - middle) ** 2 for v in x) / (len(x) - correction)


def standardized(x, eps="1e-5"):
    middle, rest = mean(x), mp.mpf(float(eps))
    return [(v - middle) / mp.sqrt(variance(x, 0) + rest) for v in x]


def rms(x):
    return [v / mp.sqrt(mean([u * u for u in x]) + mp.mpf(1e-5)) for v in x]


def normalize(x):
    length = norm(2)(x)[0]
    return [v / length for v in x]


def dot(x, y):
    return total(a * b for a, b in zip(x, y, strict=True))


def cosine(x, y):
    return [dot(x, y) / mp.sqrt(dot(x, x) * dot(y, y))]


def distance(p, eps=0.0):
    def value(x, y):
        return norm(p)([a - b + mp.mpf(eps) for a, b in zip(x, y, strict=True)])

    return value


def renorm(x):
    length = norm(2)(x)[0]
    return [v * 2 / (length + mp.mpf(1e-7)) if length > 2 else v for v in x]


def running(step, x):
    out = []
    for v in x:
        out.append(v if not out else step(out[-1], v))
    return out


def smoothed(x):
    shares = log_softmax(x)
    return [-shares[2] * mp.mpf(0.9) - mean(shares) * (1 - mp.mpf(0.9))]


def spread(x, *_):
    """Whether no element of a row drowns the others."""
    return max(x) - min(x) < 5


def plain(x, *_):
    """Whether a row is not far from 0 beside its spread, and its squares are normal numbers."""
    size = max(map(abs, x))
    return 1e-4 < size < 200 and size < 20 * (max(x) - min(x))


def standardizes(text):
    """A norm that makes each row's mean 0 and its variance 1."""
    options = {"of_row": True, "value_of_row": True, "kept": plain}
    return Rows(text, standardized, (*PLAIN, *SHIFTED), **options)


ROWS = (
    Rows("t.logsumexp(x, 1)", lambda x: [logsumexp(x)], SCORES, kept=spread),
    Rows(
        "F.softmax(x, 1)",
        lambda x: [mp.exp(v) for v in log_softmax(x)],
        SCORES,
        of_row=True,
        kept=spread,
    ),
    Rows(
        "F.softmax(x, 0)",
        lambda x: [mp.exp(v) for v in log_softmax(x)],
        SCORES,
        of_row=True,
        kept=spread,
    ),
    Rows("F.log_softmax(x, 1)", log_softmax, SCORES, of_row=True, value_of_row=True),
    Rows(
        "t.logcumsumexp(x, 1)",
        lambda x: [logsumexp(x[: k + 1]) for k in range(len(x))],
        SCORES,
        of_row=True,
        kept=spread,
    ),
    Rows(
        "F.cross_entropy(x, x.argmax(1) * 0 + 2, reduction='none')",
        lambda x: [-log_softmax(x)[2]],
        SCORES,
        of_row=True,
    ),
    Rows(
        "F.cross_entropy(x, x.argmax(1) * 0 + 2, reduction='none', label_smoothing=0.1)",
        smoothed,
        SCORES,
        of_row=True,
    ),
    Rows("t.sum(x, 1)", lambda x: [total(x)], (*PLAIN, *SHIFTED)),
    Rows("t.mean(x, 1)", lambda x: [mean(x)], (*PLAIN, *SHIFTED)),
    Rows("t.prod(x, 1)", lambda x: [mp.fprod(x)], PLAIN),
    Rows("t.cumprod(x, 1)", lambda x: running(lambda a, b: a * b, x), PLAIN, of_row=True),
    Rows("t.cumsum(x, 1)", lambda x: running(lambda a, b: a + b, x), PLAIN),
    Rows(
        "t.var(x, 1)", lambda x: [variance(x)], (*PLAIN, *SHIFTED, *SPREAD), of_row=True, kept=plain
    ),
    Rows(
        "t.std(x, 1)",
        lambda x: [mp.sqrt(variance(x))],
        (*PLAIN, *SHIFTED, *SPREAD),
        of_row=True,
        kept=plain,
    ),
    Rows("t.norm(x, 2, 1)", norm(2), (*PLAIN, *SHIFTED, *SPREAD), kept=plain),
    Rows("t.norm(x, 1, 1)", norm(1), (*PLAIN, *SHIFTED, *SPREAD)),
    Rows("t.norm(x, 3, 1)", norm(3), (*PLAIN, *SHIFTED), kept=plain),
    Rows("t.norm(x, 0.5, 1)", norm(mp.mpf(0.5)), PLAIN),
    Rows("t.norm(x, float('inf'), 1)", lambda x: [max(map(abs, x))], PLAIN),
    Rows("F.normalize(x, dim=1)", normalize, (*PLAIN, *SHIFTED), of_row=True, kept=plain),
    standardizes("F.layer_norm(x, x.shape[1:])"),
    Rows("F.rms_norm(x, x.shape[1:], eps=1e-5)", rms, (*PLAIN, *SHIFTED), of_row=True),
    standardizes("F.batch_norm(x.T, None, None, training=True).T"),
    standardizes("F.group_norm(x, 1)"),
    standardizes("F.instance_norm(x.unsqueeze(1)).squeeze(1)"),
    Rows("t.renorm(x, 2, 0, 2.0)", renorm, PLAIN, of_row=True),
    Rows(
        "F.cosine_similarity(x, y)",
        cosine,
        PAIRS,
        of_row=True,
        kept=lambda x, y: abs(cosine(x, y)[0]) < 0.9,
    ),
    Rows("F.pairwise_distance(x, y)", distance(2, 1e-6), PAIRS, of_row=True),
    Rows("t.cdist(x.unsqueeze(1), y.unsqueeze(1)).flatten(1)", distance(2), PAIRS, of_row=True),
    Rows(
        "t.cdist(x.unsqueeze(1), y.unsqueeze(1), 3.0).flatten(1)", distance(3), PAIRS, of_row=True
    ),
    Rows(
        "t.cdist(x.unsqueeze(1), y.unsqueeze(1), 1.0).flatten(1)", distance(1), PAIRS, of_row=True
    ),
    Rows(
        "t.stack([F.pdist(t.stack([a, b])) for a, b in zip(x, y)])", distance(2), PAIRS, of_row=True
    ),
    Rows(
        "F.mse_loss(x, y, reduction='none').sum(1)", lambda x, y: [distance(2)(x, y)[0] ** 2], PAIRS
    ),
    Rows(
        "F.triplet_margin_loss(x, y, t.zeros_like(x), 9e3, reduction='none')",
        lambda x, y: [distance(2, 1e-6)(x, y)[0] - distance(2, 1e-6)(x, [0] * 4)[0] + 9000],
        PAIRS,
        of_row=True,
        kept=spread,
    ),
    Rows(
        "F.glu(x)",
        lambda x: [x[0] / (1 + mp.exp(-x[2])), x[1] / (1 + mp.exp(-x[3]))],
        single(p[0] for p in PAIRS),
        kept=spread,
    ),
    Rows(
        "F.local_response_norm(x.unsqueeze(2), 3).squeeze(2)",
        lambda x: [
            v
            / (1 + mp.mpf(1e-4) / 3 * total(u * u for u in x[max(k - 1, 0) : k + 2]))
            ** mp.mpf(0.75)
            for k, v in enumerate(x)
        ],
        PLAIN,
        of_row=True,
    ),
    Rows(
        "F.multilabel_soft_margin_loss(x, y, reduction='none')",
        lambda x, y: [
            mean(
                [
                    y_ * mp.log1p(mp.exp(-v)) + (1 - y_) * mp.log1p(mp.exp(v))
                    for v, y_ in zip(x, y, strict=True)
                ]
            )
        ],
        tuple((p[0], (0.0, 1.0, 1.0, 0.0)) for p in PAIRS),
        of_row=True,
    ),
)


def exact_rows(function, case, cache):
    """Return the exact results of a row and its gradients behind the upstream numbers."""
    if case not in cache:
        rows = [[mpmath.mpf(v) for v in row] for row in case]
        results = function.value(*rows)
        cache[case] = results, [slopes(function, rows, i) for i in range(len(rows))]
    return cache[case]


def slopes(function, rows, which):
    """Return the gradient in one of the rows, by central differences."""
    with mpmath.workdps(140):
        found = []
        for k, v in enumerate(rows[which]):
            step = (
                max(abs(v), mp.mpf(1)) * mp.mpf("1e-45")
                if v == 0 or abs(v) > 1e-12
                else abs(v) * mp.mpf("1e-45")
            )
            sides = []
            for sign in (1, -1):
                moved = [list(row) for row in rows]
                moved[which][k] = v + sign * step
                sides.append(
                    total(g * r for g, r in zip(UPSTREAM, function.value(*moved), strict=False))
                )
            found.append((sides[0] - sides[1]) / (2 * step))
        return found


def measure(library, function, kind, cache, device="cpu", layout=lambda x: x):
    """Return the worst errors of a function in a dtype, of its results and of its gradients; and
    again where they keep their digits.
    """
    inputs = [rounded(library, rows, kind) for rows in zip(*function.inputs(kind), strict=True)]
    cases = [tuple(map(tuple, case)) for case in zip(*map(listed, inputs), strict=True)]
    results, gradients = computed(library, function, [layout(x.to(device)) for x in inputs])
    worst = [Worst() for _ in range(4)]
    for k, case in enumerate(cases):
        exact, exact_gradients = exact_rows(function, case, cache)
        found = [(0, results[k], exact, function.value_of_row)]
        for grad, numbers in zip(gradients, exact_gradients, strict=True):
            found.append((1, grad[k], numbers, function.of_row))
        for which, got, numbers, of_row in found:
            scale = float(max(map(abs, numbers))) if of_row else 0.0
            for g, e in zip(got, numbers, strict=True):
                worst[which].add(g, e, kind, case, scale)
                if function.kept(*case):
                    worst[which + 2].add(g, e, kind, case, scale)
    return worst


def computed(library, function, inputs):
    """Return the results and the gradients, as lists of rows, of a function in one library."""
    turned = (
        (lambda x: x.T) if "(x, 0)" in function.text else (lambda x: x)
    )  # rows that stand upright
    leaves = [turned(x).detach().requires_grad_() for x in inputs]
    value = turned(evaluate(library, function.text, leaves)).reshape(len(inputs[0]), -1)
    upstream = rounded(library, [UPSTREAM[: value.shape[1]]], str(value.dtype).split(".")[1])
    gradients = library.autograd.grad((value * upstream.to(value.device)).sum(), leaves)
    return listed(value), [listed(turned(g)) for g in gradients]
