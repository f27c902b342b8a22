"""Three training steps beside JAX and tinygrad, where they are installed; both compile the step.

A program is written once, as a function of its parameters and of a handful of operations; each
library says here what those are called. Steps are SGD's, so small that a batch of calls changes
little, and the first three losses are compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.workload import FURTHER, Arrays, Inputs, Work, Workload

GROUP = "further"
RATE = 1e-3
HEADS = 8
Forward = Callable[[Any, Sequence[Any], Any], Any]  # operations, parameters, x: scores
Shapes = tuple[tuple[int, ...], ...]

MLP: Shapes = ((512, 784), (512,), (256, 512), (256,), (10, 256), (10,))
LENET: Shapes = ((6, 1, 5, 5), (6,), (16, 6, 5, 5), (16,), (120, 400), (120,), (84, 120), (84,))
LENET += ((10, 84), (10,))
BLOCK: Shapes = ((256,), (256,), (768, 256), (768,), (256, 256), (256,), (256,), (256,))
BLOCK += ((1024, 256), (1024,), (256, 1024), (256,))


def mlp(ops: Any, p: Sequence[Any], x: Any) -> Any:
    """784-512-256-10."""
    x = ops.relu(ops.linear(x, p[0], p[1]))
    return ops.linear(ops.relu(ops.linear(x, p[2], p[3])), p[4], p[5])


def lenet(ops: Any, p: Sequence[Any], x: Any) -> Any:
    """LeNet-5, as in programs.py."""
    x = ops.pool(ops.relu(ops.conv(x, p[0], p[1], 2)))  # (N, 6, 14, 14)
    x = ops.pool(ops.relu(ops.conv(x, p[2], p[3], 0)))  # (N, 16, 5, 5)
    x = ops.relu(ops.linear(x.reshape(-1, 400), p[4], p[5]))
    return ops.linear(ops.relu(ops.linear(x, p[6], p[7])), p[8], p[9])


def block(ops: Any, p: Sequence[Any], x: Any) -> Any:
    """A block of GPT-2 whose output is read as scores."""
    batch, time, width = x.shape
    split = ops.linear(ops.norm(x, p[0], p[1]), p[2], p[3])
    split = ops.permute(split.reshape(batch, time, 3, HEADS, width // HEADS), (2, 0, 3, 1, 4))
    mixed = ops.permute(ops.attend(split[0], split[1], split[2]), (0, 2, 1, 3))
    x = x + ops.linear(mixed.reshape(batch, time, width), p[4], p[5])
    wide = ops.gelu(ops.linear(ops.norm(x, p[6], p[7]), p[8], p[9]))
    return (x + ops.linear(wide, p[10], p[11])).reshape(batch * time, width)


def parameters(shapes: Shapes) -> list[np.ndarray]:
    """Draw the first parameters, the same for every library."""
    dice = np.random.default_rng(0)
    return [
        dice.standard_normal(shape, dtype=np.float32) / math.sqrt(max(1, math.prod(shape[1:])))
        for shape in shapes
    ]


def as_pytorch(lib: Any, forward: Forward, first: list[np.ndarray], given: Inputs) -> Work:
    """The step in norch and in PyTorch, whose names are the same."""
    F = lib.nn.functional
    ops = SimpleNamespace(
        linear=F.linear,
        relu=F.relu,
        conv=lambda x, w, b, padding: F.conv2d(x, w, b, padding=padding),
        pool=lambda x: F.max_pool2d(x, 2),
        norm=lambda x, w, b: F.layer_norm(x, w.shape, w, b),
        gelu=lambda x: F.gelu(x, approximate="tanh"),
        permute=lambda x, axes: x.permute(*axes),
        attend=lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
    )
    leaves = [lib.from_numpy(each).clone().requires_grad_() for each in first]
    optimizer = lib.optim.SGD(leaves, lr=RATE)

    def work() -> Any:
        optimizer.zero_grad()
        loss = F.cross_entropy(forward(ops, leaves, given["x"]), given["target"])
        loss.backward()
        optimizer.step()
        return loss.detach()

    return work


def jax_operations(jax: Any) -> SimpleNamespace:
    """The operations in JAX."""
    lax, jnp = jax.lax, jax.numpy

    def norm(x: Any, w: Any, b: Any) -> Any:
        mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) / jnp.sqrt(var + 1e-5) * w + b

    def attend(q: Any, k: Any, v: Any) -> Any:
        scores = q @ jnp.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
        seen = jnp.tril(jnp.ones(scores.shape[-2:], bool))
        return jax.nn.softmax(jnp.where(seen, scores, -jnp.inf), -1) @ v

    def conv(x: Any, w: Any, b: Any, padding: int) -> Any:
        y = lax.conv_general_dilated(x, w, (1, 1), [(padding, padding)] * 2)
        return y + b.reshape(1, -1, 1, 1)

    window = (1, 1, 2, 2)
    return SimpleNamespace(
        linear=lambda x, w, b: x @ w.T + b,
        relu=jax.nn.relu,
        conv=conv,
        pool=lambda x: lax.reduce_window(x, -jnp.inf, lax.max, window, window, "VALID"),
        norm=norm,
        gelu=jax.nn.gelu,
        permute=lambda x, axes: x.transpose(axes),
        attend=attend,
    )


def in_jax(jax: Any, forward: Forward, first: list[np.ndarray], given: Inputs) -> Work:
    """The step in JAX, compiled."""
    ops, held = jax_operations(jax), {"parameters": [jax.numpy.asarray(each) for each in first]}
    x, target = (jax.numpy.asarray(given[name]) for name in ("x", "target"))

    def loss_of(p: Any, x: Any, target: Any) -> Any:
        likely = jax.nn.log_softmax(forward(ops, p, x), -1)
        return -jax.numpy.take_along_axis(likely, target[:, None], 1).mean()

    @jax.jit
    def step(p: Any, x: Any, target: Any) -> Any:
        loss, grads = jax.value_and_grad(loss_of)(p, x, target)
        return [each - RATE * grad for each, grad in zip(p, grads, strict=True)], loss

    def work() -> Any:
        held["parameters"], loss = jax.block_until_ready(step(held["parameters"], x, target))
        return loss

    return work


def in_tinygrad(tinygrad: Any, forward: Forward, first: list[np.ndarray], given: Inputs) -> Work:
    """The step in tinygrad, compiled."""
    from tinygrad.nn.optim import SGD

    ops = SimpleNamespace(
        linear=lambda x, w, b: x.linear(w.T, b),
        relu=lambda x: x.relu(),
        conv=lambda x, w, b, padding: x.conv2d(w, b, padding=padding),
        pool=lambda x: x.max_pool2d((2, 2)),
        norm=lambda x, w, b: x.layernorm() * w + b,
        gelu=lambda x: x.gelu(),
        permute=lambda x, axes: x.permute(axes),
        attend=lambda q, k, v: q.scaled_dot_product_attention(k, v, is_causal=True),
    )
    leaves = [tinygrad.Tensor(each) for each in first]
    x, target = (tinygrad.Tensor(given[name]) for name in ("x", "target"))
    optimizer = SGD(leaves, lr=RATE)

    @tinygrad.TinyJit
    def step() -> Any:
        optimizer.zero_grad()
        loss = forward(ops, leaves, x).sparse_categorical_crossentropy(target)
        loss.backward()
        return loss.realize(*optimizer.schedule_step())  # the loss before the step

    def work() -> Any:
        with tinygrad.Context(TRAINING=1):
            return np.array(step().numpy())

    return work


WAYS = {"jax": in_jax, "tinygrad": in_tinygrad}


def rows_of(name: str, forward: Forward, shapes: Shapes, draw: Callable[..., Arrays]) -> Any:
    """Yield the rows of a program: beside each of the further libraries."""

    def build(lib: Any, given: Inputs) -> Work:
        return WAYS.get(lib.__name__, as_pytorch)(lib, forward, parameters(shapes), given)

    def check(lib: Any, given: Inputs) -> Work:
        work = build(lib, given)
        return lambda: [work() for _ in range(3)]

    row = Workload(name, GROUP, draw, build, 1.0, threads=1, check=check, tolerance=1e-3)
    for other in FURTHER:
        yield replace(row, name=f"{name}, beside {other}", beside=other, texts={other: build})


def batch(count: int, classes: int, *shape: int) -> Callable[[np.random.Generator], Arrays]:
    """Return what draws inputs of this shape, and classes for so many rows of scores."""

    def draw(dice: np.random.Generator) -> Arrays:
        x = dice.standard_normal(shape, dtype=np.float32)
        return {"x": x, "target": dice.integers(0, classes, count)}

    return draw


ROWS = (
    *rows_of("MLP step", mlp, MLP, batch(128, 10, 128, 784)),
    *rows_of("LeNet step", lenet, LENET, batch(64, 10, 64, 1, 28, 28)),
    *rows_of("GPT block step", block, BLOCK, batch(512, 256, 4, 128, 256)),
)
