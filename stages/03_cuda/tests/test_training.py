"""A small network trained by hand on real digits: the losses are those of the CPU.

No autograd here (that is stage 4): forward, backward and update are array operations.
"""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

import norch_cpu_ops as cpu
import norch_strides

BATCH, HIDDEN, CLASSES, STEPS = 32, 30, 10, 8


def read(file, nbytes):
    with gzip.open(file) as stream:
        return stream.read(nbytes)


def mnist(count):
    """The first images and labels of MNIST's files, or None where there are none."""
    beside = Path(__file__).resolve().parents[4] / "shared" / "data"
    for folder in (Path(os.environ.get("NORCH_DATA", beside)), beside):
        files = [
            folder / "mnist" / f"train-{kind}-ubyte.gz" for kind in ("images-idx3", "labels-idx1")
        ]
        if all(file.is_file() for file in files):
            pixels, labels = (read(file, 16 + 784 * count) for file in files)
            images = np.frombuffer(pixels, np.uint8, 784 * count, offset=16).reshape(count, 784)
            return images, np.frombuffer(labels, np.uint8, count, offset=8), 255
    return None


def scikit_digits(count):
    """Scikit-learn's handwritten digits, 8 x 8 pixels."""
    datasets = pytest.importorskip("sklearn.datasets", reason="neither MNIST nor scikit-learn here")
    images, labels = datasets.load_digits(return_X_y=True)
    return images[:count], labels[:count], 16


@pytest.fixture(scope="module")
def digits():
    """Images as rows of pixels from 0 to 1, and their labels."""
    count = BATCH * STEPS
    images, labels, white = mnist(count) or scikit_digits(count)
    return (images / white).astype(np.float32), labels.astype(np.int64)


def turned(a):
    return a.view(norch_strides.transpose(a.layout, 0, 1))


def parameters(ops, inputs):
    """Weights (out, in) and biases of two layers, the same on every device."""
    return [
        ops.normal((HIDDEN, inputs), 0.0, inputs**-0.5, cpu.float32, 1, 0),
        ops.zeros((HIDDEN,), cpu.float32),
        ops.normal((CLASSES, HIDDEN), 0.0, HIDDEN**-0.5, cpu.float32, 2, 0),
        ops.zeros((CLASSES,), cpu.float32),
    ]


def gradients(ops, params, x, target):
    """The loss of a batch and the gradient of every parameter; x (B, inputs), target (B,)."""
    weight1, bias1, weight2, bias2 = params
    hidden = ops.linear(x, weight1, bias1)  # (B, HIDDEN)
    active = ops.relu(hidden)
    logits = ops.linear(active, weight2, bias2)  # (B, CLASSES)
    losses, logsumexp = ops.cross_entropy(logits, target)
    grad = ops.full((x.shape[0],), 1.0 / x.shape[0], cpu.float32)  # of each loss, in the mean
    dlogits = ops.cross_entropy_backward(grad, logits, logsumexp, target)
    dactive = ops.matmul(dlogits, weight2)
    dhidden = ops.mul(dactive, ops.gt(hidden, 0))
    return ops.mean(losses).item(), [
        ops.matmul(turned(dhidden), x), ops.sum(dhidden, 0),
        ops.matmul(turned(dlogits), active), ops.sum(dlogits, 0),
    ]  # fmt: skip


def train(ops, digits, update):
    """The loss of every step."""
    images, labels = (ops.from_buffer(values) for values in digits)
    params = parameters(ops, images.shape[1])
    losses = []
    for step in range(STEPS):
        rows = ops.arange(step * BATCH, (step + 1) * BATCH, 1, cpu.int64)
        x, target = ops.index_select(images, 0, rows), ops.index_select(labels, 0, rows)
        loss, grads = gradients(ops, params, x, target)
        update(ops, params, grads, step)
        losses.append(loss)
    return losses


def sgd(ops, params, grads, step):
    ops.sgd_step(params, grads, None, 0.5, 0.0, 0.0, 0.0, False, step == 0)


class Adam:
    """Adam with its state."""

    def __init__(self):
        self.state = None

    def __call__(self, ops, params, grads, step):
        if self.state is None:
            self.state = [[ops.zeros(p.shape, p.dtype) for p in params] for _ in range(2)]
        steps = [step + 1] * len(params)
        ops.adam_step(params, grads, *self.state, None, steps, 0.02, 0.9, 0.999, 1e-8, 0.0, False)


@pytest.mark.parametrize("make_update", [lambda: sgd, Adam], ids=["sgd", "adam"])
def test_losses_are_those_of_the_cpu(ops, digits, make_update):
    expected = train(cpu.ops, digits, make_update())
    actual = train(ops, digits, make_update())
    np.testing.assert_allclose(actual, expected, rtol=1e-4)
    assert actual[-1] < 0.9 * actual[0]


def test_training_is_clean_under_the_checker(checked_ops, digits):
    expected = train(cpu.ops, digits, sgd)
    np.testing.assert_allclose(train(checked_ops, digits, sgd), expected, rtol=1e-4)
