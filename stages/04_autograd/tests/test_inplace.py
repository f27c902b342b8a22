"""Edits in place and assignment: the storage, the history, and views of both."""

import numpy as np
import pytest
from autograd_checks import leaf, permuted

import norch_autograd as norch

W = np.linspace(-1.5, 1.7, 12).reshape(3, 4)


def edited(edit):
    """A function of x that copies x, edits the copy, and reads all of it."""

    def function(x, *others):
        y = x * 1
        edit(y, *others)
        return (y * norch.tensor(W)).sum(1)

    return function


def two_views(y):
    first, second = y[0], y[:, 1]
    first.mul_(2)
    second.mul_(3)  # sees the edit of first
    y[2] = first.clone() * second[0].clone()


def masked(y):
    y[y > 0.5] = 0.0


EDITS = [
    lambda y: y.add_(1),
    lambda y: y.mul_(3),
    lambda y: y.pow_(2),
    lambda y: y.clamp_(-1, 1),
    lambda y: y.zero_(),
    lambda y: y[1].zero_(),
    lambda y: y[:, ::2].mul_(2),
    lambda y: y[0].copy_(y[1]),
    lambda y: y.T[1].add_(y[0, 0]),
    lambda y: y.__setitem__((slice(None), 1), 7.0),
    lambda y: y.__setitem__(0, y[1].clone() * y[2].clone()),
    lambda y: y.__setitem__([0, 2], y[1].exp()),
    lambda y: y.view(-1)[3:7].mul_(y[0, 0].clone()),
    two_views,
    masked,
]


@pytest.mark.parametrize("edit", EDITS, ids=range(len(EDITS)))
def test_gradient_through_an_edit(edit):
    x = permuted(W * 0.9 + 0.05)
    assert norch.gradcheck(edited(edit), x)
    assert norch.gradgradcheck(edited(edit), x)


TWO = [
    lambda y, z: y.add_(z, alpha=2),
    lambda y, z: y.sub_(z),
    lambda y, z: y.mul_(z),
    lambda y, z: y.div_(z),
    lambda y, z: y.copy_(z),
    lambda y, z: y[1].copy_(z),
    lambda y, z: y.__setitem__(slice(1, 3), z),
    lambda y, z: y.__setitem__(norch.tensor([0, 0]), z),
    lambda y, z: y.T[1:3].mul_(z[:3] * 1),
]


@pytest.mark.parametrize("edit", TWO, ids=range(len(TWO)))
def test_gradient_through_an_edit_by_another_tensor(edit):
    inputs = [permuted(W), permuted([0.7, -1.2, 0.4, 2.1])]
    assert norch.gradcheck(edited(edit), inputs)


def test_a_buffer_becomes_part_of_the_graph():
    x = leaf([1.0, 2.0])
    buffer = norch.zeros(2, 2)
    buffer[0] = x * x
    buffer[1].copy_(x)
    assert buffer.requires_grad
    buffer.sum().backward()
    assert x.grad.tolist() == [3, 5]


def test_a_view_made_before_an_edit_of_its_base_is_looked_at_anew():
    x = leaf([1.0, 2.0])
    y = x * 1
    view = y[0]
    y.mul_(3)
    view.backward()
    assert (view.item(), x.grad.tolist()) == (3, [3, 0])


def test_edit_under_no_grad_changes_values_not_history():
    x = leaf([1.0, 2.0])
    with norch.no_grad():
        x.add_(1)
        x[0] = 9
    assert x.tolist() == [9, 3]
    assert x.is_leaf
    x.sum().backward()
    assert x.grad.tolist() == [1, 1]


LEAVES = [
    lambda x: x.add_(1),
    lambda x: x.zero_(),
    lambda x: x.copy_(norch.ones(2)),
    lambda x: x.normal_(),
    lambda x: x.__setitem__(0, 1.0),
    lambda x: x[0].mul_(2),
    lambda x: x.view(2).fill_(2),
]


@pytest.mark.parametrize("edit", LEAVES, ids=range(len(LEAVES)))
def test_leaves_that_want_gradients_refuse_and_stay_whole(edit):
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"a leaf Variable that requires grad"):
        edit(x)
    assert x.tolist() == [1, 2]
    assert x.is_leaf


BAD = [
    (lambda: norch.tensor([1, 2]).add_(1.5), "cannot be written into int64"),
    (lambda: norch.ones(2).add_(norch.ones(3, 2)), "shape"),
    (lambda: (leaf([1.0]) * 1).add_(leaf([1.0, 2.0])), "does not fit into shape"),
]


@pytest.mark.parametrize(("edit", "words"), BAD, ids=range(len(BAD)))
def test_edits_that_do_not_fit_are_refused(edit, words):
    with pytest.raises(RuntimeError, match=words):
        edit()


def test_augmented_assignment_keeps_the_object():
    x = norch.ones(2)
    same = x
    x += 1
    x *= 3
    x -= 1
    x /= 5
    x **= 2
    assert x is same
    assert x.tolist() == [1, 1]


def test_views_share_storage_and_version():
    x = norch.zeros(2, 3)
    views = [x.T, x[0], x.view(6), x.unsqueeze(0), x.detach(), x.expand(2, 2, 3), x.split(1)[1]]
    before = x._version
    views[0].add_(1)
    assert x.tolist() == [[1, 1, 1], [1, 1, 1]]
    assert all(view._version == before + 1 for view in views)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (0, 5.0),
        ((slice(None), -1), [7.0, 8.0, 9.0]),
        ((..., slice(None, None, 2)), 1.0),
        ([0, 2], 3.0),
        (([0, 1], [1, 1]), np.array([4.0, 5.0])),
        (np.array([True, False, True]), 6.0),
        (W > 0, 0.0),
        (W > 0, np.arange(6.0)),
        (slice(0, 0), 1.0),
    ],
    ids=str,
)
def test_assignment_as_numpy(key, value):
    expected, x = W.copy(), norch.tensor(W)
    expected[key] = value

    def converted(item):
        return norch.tensor(item) if isinstance(item, np.ndarray) else item

    x[converted(key)] = converted(value)
    np.testing.assert_array_equal(x.numpy(), expected)


def test_a_view_of_data_that_became_a_leaf_is_not_edited():
    """The edit went into the graph of the data, and the leaf was none any more."""
    x = norch.arange(4.0).reshape(2, 2).requires_grad_()
    for edit in (lambda: x[1:].add_(1), lambda: x.t_(), lambda: x.fill_diagonal_(1)):
        with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
            edit()
    with norch.no_grad():
        x[1:].add_(1)
    assert x.is_leaf and x.tolist() == [[0, 1], [3, 4]]
