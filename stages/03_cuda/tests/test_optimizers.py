"""Steps of optimizers: all parameters at once do what each alone does, and Adam counts on a device.

What the formulas give is compared with stage 2 in test_operations.
"""

from itertools import count

import pytest

import norch_cpu_ops as cpu
from norch_strides import transpose

SHAPES = [(3, 5), (1,), (0, 4), (1100,), (70, 30), (2, 2)]
# The buffers of each optimizer, and what follows them; None: no such buffer.
STEPS = {
    "sgd_step": (1, (0.1, 0.9, 0.0, 0.01, True, False)),
    "adam_step": (3, ([4] * len(SHAPES), 0.01, 0.9, 0.99, 1e-8, 0.1, True)),
    "rmsprop_step": (3, (0.01, 0.9, 1e-3, 0.1, 0.9)),
    "adagrad_step": (1, ([4] * len(SHAPES), 0.01, 0.1, 1e-8, 0.1)),
    "adadelta_step": (2, (0.5, 0.9, 1e-6, 0.1)),
    "lion_step": (1, (0.01, 0.9, 0.99, 0.1)),
}


def drawn(ops, buffers, dtype):
    """Lists of parameters, gradients and buffers; some of each have their rows and columns swapped.

    The first buffers are from 1 to 2 and all else from 0 to 1: no average has a square above that
    of the squares.
    """
    seeds = count()

    def one(shape, kind, number):
        turned = len(shape) == 2 and (kind + number) % 2 == 0
        size = shape[::-1] if turned else shape
        low = float(kind == 2)
        array = ops.cast(ops.uniform(size, low, low + 1.0, cpu.float32, next(seeds), 0), dtype)
        return array.view(transpose(array.layout, 0, 1)) if turned else array

    return [[one(shape, k, i) for i, shape in enumerate(SHAPES)] for k in range(2 + buffers)]


def values(lists):
    """What the parameters and the buffers hold."""
    return [[array.tolist() for array in arrays] for arrays in lists]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("name", STEPS)
def test_all_parameters_at_once_as_each_alone(ops, name, dtype):
    buffers, rest = STEPS[name]
    together, alone = (drawn(ops, buffers, getattr(cpu, dtype)) for _ in range(2))
    before = values(together)
    getattr(ops, name)(*together, *rest)
    for row in zip(*alone, strict=True):
        options = [part[:1] if isinstance(part, list) else part for part in rest]
        getattr(ops, name)(*([array] for array in row), *options)
    after = values(together)
    assert after == values(alone)
    assert after[1] == before[1]
    assert all(new != old for new, old in zip(after[0], before[0], strict=True) if old)


def test_parameters_of_two_dtypes(ops):
    params = [ops.full((2,), 1.0, dtype) for dtype in (cpu.float32, cpu.float64)]
    ops.sgd_step(params, params, None, 0.5, 0.0, 0.0, 0.0, False, True)
    assert [p.tolist() for p in params] == [[0.5, 0.5], [0.5, 0.5]]


def test_more_parameters_than_a_launch_takes(ops):
    params = [ops.full((1,), float(i), cpu.float32) for i in range(100)]
    grads = [ops.full((1,), 1.0, cpu.float32) for _ in params]
    ops.sgd_step(params, grads, None, 1.0, 0.0, 0.0, 0.0, False, True)
    assert [p.item() for p in params] == [i - 1.0 for i in range(100)]


def adam(ops, steps, lists):
    ops.adam_step(*lists, steps, 0.01, 0.9, 0.99, 1e-8, 0.1, False)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_adam_counts_its_steps_on_the_device(ops, dtype):
    by_host, by_device = (drawn(ops, 3, getattr(cpu, dtype)) for _ in range(2))
    steps = [ops.full((), i, cpu.float32) for i in range(len(SHAPES))]
    for step in range(1, 4):
        adam(ops, [i + step for i in range(len(SHAPES))], by_host)
        adam(ops, steps, by_device)
    assert [step.item() for step in steps] == [i + 3.0 for i in range(len(SHAPES))]
    assert [step.version for step in steps] == [3] * len(SHAPES)
    for expected, actual in zip(by_host, by_device, strict=True):
        for one, other in zip(expected, actual, strict=True):
            flat = [ops.to_cpu(ops.reshape(a, (-1,))).tolist() for a in (one, other)]
            assert flat[1] == pytest.approx(flat[0], rel=1e-2 if dtype == "bfloat16" else 1e-6)


@pytest.mark.parametrize("kind", ["too few", "of another dtype", "of two elements"])
def test_counts_on_the_device_that_do_not_fit(ops, kind):
    lists = [[ops.full((2,), 1.0, cpu.float32)] for _ in range(5)]
    shape, dtype = ((2,) if kind == "of two elements" else ()), cpu.float32
    steps = [ops.full(shape, 0, cpu.float64 if kind == "of another dtype" else dtype)]
    if kind == "too few":
        lists = [arrays * 2 for arrays in lists]
    with pytest.raises(ValueError, match=r"\[adam_step\] steps: expected an array of one float32"):
        adam(ops, steps, lists)
    assert steps[0].version == 0
