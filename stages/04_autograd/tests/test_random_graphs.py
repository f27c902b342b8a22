"""Graphs drawn at random: whatever is shared, viewed, broadcast, edited, the gradient is right."""

from autograd_checks import permuted
from hypothesis import given, settings, strategies as st

import norch_autograd as norch

STEPS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "matmul": lambda a, b: a @ b,
    "row": lambda a, b: a * b[1],
    "column": lambda a, b: a + b[:, :1],
    "transpose": lambda a, b: a.T,
    "tanh": lambda a, b: a.tanh(),
    "softmax": lambda a, b: a.softmax(1),
    "sum": lambda a, b: a.sum(0, keepdim=True) * 0.3 + b,
    "cat": lambda a, b: norch.cat([a[:1], b[:1]]),
    "split": lambda a, b: a.split(1)[1].expand(2, 2) * b.unbind(1)[0],
    "pick": lambda a, b: a[[1, 1]] + b,
    "edit": lambda a, b: (a * 1).mul_(b),
    "edit view": lambda a, b: edited_view(a * 1, b),
}


def edited_view(a, b):
    a[0].add_(b[1])
    return a


def build(plan, leaves):
    """Apply the steps of `plan`, each to two earlier values; everything goes into the result."""
    values = list(leaves)
    for name, i, k in plan:
        values.append(STEPS[name](values[i % len(values)], values[k % len(values)]) * 0.5)
    return sum(value.sum() * (0.3 + j) for j, value in enumerate(values))


plans = st.lists(
    st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 20), st.integers(0, 20)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(plans)
def test_gradient_of_a_random_graph(plan):
    leaves = [permuted([[0.3, -0.8], [1.1, 0.6]]), permuted([[-0.4, 0.9], [0.2, 0.7]])]
    assert norch.gradcheck(lambda *xs: build(plan, xs), leaves)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(plans)
def test_second_derivative_of_a_random_graph(plan):
    leaves = [permuted([[0.3, -0.8], [1.1, 0.6]]), permuted([[-0.4, 0.9], [0.2, 0.7]])]
    assert norch.gradgradcheck(lambda *xs: build(plan[:4], xs), leaves, atol=1e-4)
