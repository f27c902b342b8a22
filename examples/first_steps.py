"""Tensors, views, gradients, a function of one's own: `python examples/first_steps.py`.

Each part is a few lines on small numbers, and prints what it shows. Nothing is trained here.
"""

import norch
from norch import nn

DEVICE = "cuda" if norch.cuda.is_available() else "cpu"


def products():
    """A leaf keeps its gradient; a copy of it on a device is no leaf, and hands the gradient on."""
    prices = norch.tensor([[3.0, 5.0, 2.0]], requires_grad=True)
    counts = norch.tensor([[1.0, 0.0], [2.0, 4.0], [6.0, 1.0]], requires_grad=True)
    totals = prices.to(DEVICE) @ counts.to(DEVICE)
    totals.sum().backward()
    print("totals", totals.tolist())
    print("by price", prices.grad.tolist())
    print("by count", counts.grad.tolist())


def views():
    """Reshape, transpose and slices walk the same memory in other steps; `contiguous` copies it."""
    base = norch.arange(12)
    table = base.reshape(3, 4)
    turned, every_other, wide = table.T, table[:, ::2], table[:, :1].expand(3, 5)
    named = {"table": table, "turned": turned, "every other": every_other, "wide": wide}
    for name, tensor in named.items():
        print(f"{name}: shape {tuple(tensor.shape)}, stride {tensor.stride()}")
    turned[3, 0] = 100  # is written through to the memory of all of them
    print("shared", base[3].item(), "contiguous", table.is_contiguous(), turned.is_contiguous())
    copy = turned.contiguous()
    print("the copy", copy.stride(), "lies elsewhere:", copy.data_ptr() != base.data_ptr())
    print("in memory", norch.as_strided(copy, (12,), (1,)).tolist())


def swinging(x):
    """Return one number made of x by many functions."""
    waves = norch.sin(x.exp() / (1 + x * x)) @ x.T.sqrt()
    return norch.log(norch.cat([waves, x.tanh()], dim=1).square().mean() + 2**-3)


def slopes():
    """The gradient of a long expression, beside what a small step changes."""
    x = norch.tensor([[0.5, 1.0], [1.5, 2.0]], dtype=norch.float64, requires_grad=True)
    swinging(x).backward()
    step = 1e-6 * norch.eye(2, dtype=norch.float64)  # both numbers of the diagonal
    with norch.no_grad():
        change = (swinging(x + step) - swinging(x - step)) / 2e-6
    print(f"value {swinging(x).item():.4f}")
    print(
        f"gradients on the diagonal add up to {x.grad.trace().item():.4f}, steps say {change:.4f}"
    )


class LogCosh(norch.autograd.Function):
    """log(cosh(x)), which is |x| - log 2 far out, where cosh itself is too large for a float."""

    @staticmethod
    def forward(ctx, x):
        """Compute it without cosh: |x| + log(1 + exp(-2|x|)) - log 2."""
        ctx.save_for_backward(x)
        size = x.abs()
        return size + norch.log1p((-2 * size).exp()) - norch.log(norch.tensor(2.0))

    @staticmethod
    def backward(ctx, grad):
        """The derivative is tanh(x)."""
        (x,) = ctx.saved_tensors
        return grad * x.tanh()


def log_cosh(x):
    """The same of known operations: its backward needs no writing, and overflows far out."""
    return ((x.exp() + (-x).exp()) / 2).log()


def functions():
    """An operation with a backward of its own, and the same as a composition."""
    for name, function in (("composed", log_cosh), ("its own", LogCosh.apply)):
        x = norch.tensor([-1.0, 0.0, 2.0, 200.0], requires_grad=True)
        y = function(x)
        y.sum().backward()
        print(name, y.detach(), "gradient", x.grad)


def convolution():
    """Every option of a convolution at once, and what the formula says about its shape."""
    options = {"kernel_size": (2, 5), "stride": (3, 2), "padding": (1, 4), "dilation": (2, 1)}
    layer = nn.Conv2d(6, 9, groups=3, **options)
    out = layer(norch.randn(2, 6, 20, 15))
    sizes = zip((20, 15), *options.values(), strict=True)
    formula = [(n + 2 * pad - dil * (k - 1) - 1) // s + 1 for n, k, s, pad, dil in sizes]
    print("convolved to", tuple(out.shape), "formula", formula)
    print("weights", tuple(layer.weight.shape), "each group reads 2 of 6 channels")


if __name__ == "__main__":
    for part in (products, views, slopes, functions, convolution):
        print(f"--- {part.__name__}")
        part()
