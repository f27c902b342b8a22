"""How many units in the last place each function may be off, where it keeps its digits: as measured
on one machine, times two and a half for the libraries and instruction sets of others.

FEW is the rule. BOUNDS has the others: of value and gradient in float64 and float32, then in half
precision, None where no bound would be worth its name and only PyTorch is compared with.
"""

FEW = 8
BOUNDS = {
    "exp2(x)": (8, 8, 8, None),
    "rsqrt(x)": (8, 15, 8, 8),
    "erfinv(x)": (8, 100, 8, 25),
    "ndtr(x)": (2500, 8, None, 8),
    "lgamma(x)": (8, 25, 8, 8),
    "digamma(x)": (25, 8, 8, 8),
    "logit(x)": (15, 8, 15, 8),
    "sinc(x)": (100, 15, 8, 8),
    "gelu(x)": (2500, 40, 8, 8),
    "gelu(x, approximate='tanh')": (400, 100, 8, 8),
    "silu(x)": (8, 40, 8, 8),
    "mish(x)": (10, 15, 8, 8),
    "tanhshrink(x)": (15, 8, 8, 8),
    "logaddexp(x, y)": (15, 8, 8, 8),
    "logaddexp2(x, y)": (25, 8, 8, 8),
    "atan2(x, y)": (8, 8, 8, None),
    "pow(x, y)": (8, 100, 8, None),
    "binary_cross_entropy_with_logits(x, y)": (None, 15, None, 15),
    "kl_div(x, y, log_target=True)": (8, 8, 8, 15),
    "gaussian_nll_loss(x, y, v)": (8, 8, None, 8),
    "logcumsumexp(x, 1)": (8, 15, 8, 15),
    "std(x, 1)": (8, 8, 8, 10),
    "norm(x, 3, 1)": (8, 25, 8, 60),
    "layer_norm(x, x.shape[1:])": (15, 10, 8, 8),
    "batch_norm(x.T, None, None, training=True).T": (15, 15, 8, 8),
    "group_norm(x, 1)": (15, 15, 8, 8),
    "instance_norm(x.unsqueeze(1)).squeeze(1)": (15, 15, 8, 8),
    "cdist(x.unsqueeze(1), y.unsqueeze(1), 3.0).flatten(1)": (8, 25, 8, 8),
    "triplet_margin_loss(x, y, zeros_like(x), 9e3)": (8, 15, 8, 8),
    "glu(x)": (8, 60, 8, 40),
    "multilabel_soft_margin_loss(x, y)": (8, 250, 8, None),
}


def bounds_of(name, kind):
    """Return the bounds of a function's value and of its gradient in a dtype."""
    four = BOUNDS.get(name, (FEW,) * 4)
    return four[2:] if "float16" in kind else four[:2]
