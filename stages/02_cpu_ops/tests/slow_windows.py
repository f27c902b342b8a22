"""Convolutions and windows by loops in float64, in any number of directions.

For the tests of convolutions and pools of images and volumes; never called by the package.
"""

import itertools

import numpy as np


def convolution(x, weight, grad, stride, padding, dilation, groups):
    """Return out, d x, d weight, one place of the kernel and one group at a time."""
    x, weight = x.astype("float64"), weight.astype("float64")
    spatial, letters = range(len(stride)), "ijk"[: len(stride)]
    sizes, kernel, (o, c) = x.shape[2:], weight.shape[2:], weight.shape[:2]
    outs = [
        (sizes[i] + 2 * padding[i] - (kernel[i] - 1) * dilation[i] - 1) // stride[i] + 1
        for i in spatial
    ]
    padded = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in padding)))
    out = np.zeros((x.shape[0], o, *outs))
    dx, dweight = np.zeros_like(padded), np.zeros_like(weight)
    for place in np.ndindex(*kernel):
        taps = [place[i] * dilation[i] for i in spatial]
        window = [slice(taps[i], taps[i] + stride[i] * outs[i], stride[i]) for i in spatial]
        for g in range(groups):
            ins, to = slice(g * c, (g + 1) * c), slice(g * o // groups, (g + 1) * o // groups)
            patch, one = (slice(None), ins, *window), (to, slice(None), *place)
            out[:, to] += np.einsum("nc...,oc->no...", padded[patch], weight[one])
            if grad is not None:
                dx[patch] += np.einsum("no...,oc->nc...", grad[:, to], weight[one])
                products = f"no{letters},nc{letters}->oc"
                dweight[one] = np.einsum(products, grad[:, to], padded[patch])
    inner = [slice(p, p + s) for p, s in zip(padding, sizes, strict=True)]
    return out, dx[(..., *inner)], dweight


def windows(shape, kernel, stride, padding, dilation, ceil_mode=False):
    """Return the output sizes, and (output place, index of what lies under it) of every window."""
    lines = []
    sizes = shape[-len(kernel) :]
    for size, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        span = size + 2 * p - (k - 1) * d - 1
        count = span // s + 1
        if ceil_mode:  # PyTorch: one more window if it begins inside the input or the left padding
            count = -(-span // s) + 1
            count -= (count - 1) * s >= size + p
        under = [range(o * s - p, o * s - p + (k - 1) * d + 1, d) for o in range(count)]
        lines.append([[i for i in places if 0 <= i < size] for places in under])
    counts = [len(line) for line in lines]
    inside = itertools.product(*lines)
    return counts, [(o, np.ix_(*u)) for o, u in zip(np.ndindex(*counts), inside, strict=True)]
