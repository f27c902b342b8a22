"""Square brackets, read and written, recorded and not, with keys of every kind: against NumPy and
against the stage that owns the rules. Joining and taking apart, and views that many at once make.
"""

import gc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import norch_autograd as norch
from norch_strides import basic_index, numel

settings.register_profile("norch", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("norch")

SHAPE = (3, 4, 5)


def numbers(shape=SHAPE):
    """Numbers that lie in memory neither in order nor without gaps."""
    wide = np.arange(np.prod(shape) * 2, dtype=np.float64).reshape(*shape[::-1], 2)
    return wide[..., 1].transpose()


@st.composite
def keys(draw, arrays):
    """A key for SHAPE; with `arrays`, lists, tensors of numbers, masks and True among its items."""
    items, dim = [], 0
    while dim < len(SHAPE) and draw(st.integers(0, 4)):
        size = SHAPE[dim]
        edge = st.none() | st.integers(-6, 6)
        place = st.integers(-size, size - 1)
        kinds = [place, st.builds(slice, edge, edge, st.none() | st.integers(1, 3)), st.none()]
        if arrays:
            kinds += [
                st.lists(place, min_size=3, max_size=3),
                st.lists(place, min_size=3, max_size=3).map(norch.tensor),
                st.lists(place, min_size=6, max_size=6).map(lambda x: norch.tensor(x).view(2, 3)),
                st.permutations([True] * 3 + [False] * (size - 3)).map(norch.tensor),
                st.sampled_from([True, norch.tensor(True), norch.tensor(3, dtype=norch.uint8)]),
            ]
        items.append(draw(st.one_of(kinds)))
        dim += items[-1] is not None and not is_truth(items[-1])
    if draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))) if dim == len(SHAPE) else len(items), ...)
    return items[0] if len(items) == 1 and draw(st.booleans()) else tuple(items)


def is_truth(item):
    """Whether an item of a key is True, also as a tensor without dimensions."""
    return item is True or (isinstance(item, norch.Tensor) and not item.ndim)


def for_numpy(key):
    """The key with NumPy's arrays for tensors, and True itself for a tensor that is true."""
    items = [True if is_truth(i) else i for i in (key if isinstance(key, tuple) else (key,))]
    return tuple(np.array(i) if isinstance(i, (list, norch.Tensor)) else i for i in items)


def numpy_read(x, key):
    """`x[key]` as PyTorch means it: whole numbers and slices first, then the arrays."""
    items = for_numpy(key)
    if not any(i is True or isinstance(i, np.ndarray) for i in items):
        return x[items]
    dots = [k for k, item in enumerate(items) if item is ...]
    if dots:
        used = sum(i is not None and i is not ... and i is not True for i in items)
        full = [slice(None)] * (x.ndim - used)
        items = (*items[: dots[0]], *full, *items[dots[0] + 1 :])
    new = [None if i is True else i for i in items]  # True is a new dimension,
    basic = tuple(slice(None) if isinstance(i, np.ndarray) else i for i in new)
    ours = [np.array([0]) if i is True else i for i in items]  # whose one slice is picked
    left = [i if isinstance(i, np.ndarray) else slice(None) for i in ours if type(i) is not int]
    return x[basic][tuple(left)]


@given(key=keys(arrays=False))
def test_a_view_is_where_stage_1_says(key):
    x = norch.from_numpy(numbers())
    found, expected = x[key].array.layout, basic_index(x.array.layout, key)
    assert found == expected if numel(expected.shape) else found.shape == expected.shape


@given(key=keys(arrays=True))
def test_reading(key):
    for x in (numbers(), np.ascontiguousarray(numbers())):
        got = norch.from_numpy(x)[key]
        np.testing.assert_array_equal(got.numpy(), numpy_read(x, key), strict=True)


@given(key=keys(arrays=True))
def test_the_gradient_of_reading_counts_what_was_read(key):
    x = norch.from_numpy(numbers()).requires_grad_()
    weights = norch.arange(1.0, x[key].numel() + 1, dtype=norch.float64).view(x[key].shape)
    (x[key] * weights).sum().backward()
    places = numpy_read(np.arange(60).reshape(SHAPE), key)
    counted = np.bincount(places.reshape(-1), weights.numpy().reshape(-1), 60)
    np.testing.assert_array_equal(x.grad.numpy(), counted.reshape(SHAPE))


@given(key=keys(arrays=True), spread=st.booleans(), number=st.booleans())
def test_writing_is_the_same_recorded_and_not(key, spread, number):
    plain = norch.from_numpy(numbers().copy())
    recorded = plain.clone().requires_grad_() * 1
    shape = plain[key].shape
    value = norch.arange(100.0, 100 + plain[key].numel(), dtype=norch.float64).view(shape)
    if number or value.numel() == 0:
        value = 7.5
    elif spread and value.ndim:
        value = value[..., :1].clone()  # one for all along the last dimension
    plain[key] = value
    recorded[key] = value
    assert recorded.grad_fn is not None and plain.grad_fn is None
    assert plain.tolist() == recorded.tolist()


@pytest.mark.parametrize(
    "key",
    [[2, 0, 2], norch.tensor([[1], [-1]]), (slice(None), [0, 3]), ([0, 1], slice(1, 3)),
     ([0, 1], [2, -1]), (..., [4, 4]), (0, [1, 1]), ([1, 1], 0), ([0, 1], slice(None), [0, 0])],
)  # fmt: skip
def test_of_repeated_places_the_last_one_counts(key):
    x = norch.from_numpy(numbers().copy())
    want = numbers().copy()
    value = np.arange(x[key].numel(), dtype=np.float64).reshape(x[key].shape)
    want[for_numpy(key)] = value
    x[key] = norch.tensor(value)
    np.testing.assert_array_equal(x.numpy(), want)


@pytest.mark.parametrize(
    ("key", "shape"),
    [(False, (0, 3, 4)), ((slice(None), False), (3, 0, 4)), ((..., False), (3, 4, 0)),
     ((1, False), (0, 4)), ((False, True), (0, 3, 4)), ((False, [0]), (0, 4)),
     ((norch.tensor(0, dtype=norch.uint8), 1), (0, 4))],
)  # fmt: skip
def test_false_picks_nothing_and_writes_nothing(key, shape):
    x = norch.ones(3, 4, requires_grad=True)
    x[key].sum().backward()
    y = x.detach().clone()
    y[key] = 7
    assert x[key].shape == shape and x.grad.tolist() == [[0] * 4] * 3 and y.tolist() == x.tolist()


def test_true_and_lists_must_go_together():
    x = norch.ones(3, 4)
    with pytest.raises(IndexError, match="do not go together"):
        x[False, [0, 1]]
    with pytest.raises(IndexError, match="too many indices"):
        x[0, 0, True, 0]


def test_writing_into_itself_reads_first():
    x = norch.arange(6.0)
    x[[1, 2, 3]] = x[:3]
    x[4:] = x[3:5]
    assert x.tolist() == [0, 0, 1, 2, 2, 4]


def test_a_write_counts_as_one():
    x = norch.zeros(4, 3)
    for count, key in enumerate([0, (0, 1), slice(1, 3), [0, 2], x > 0, (..., norch.tensor([1]))]):
        assert x._version == count
        x[key] = 1


def test_a_key_that_changes_later_is_the_key_it_was():
    x = norch.arange(4.0).requires_grad_()
    first, last, places = norch.tensor(1), norch.tensor(3), norch.tensor([0, -1])
    parts = [x[first], x[first:last], x.select(0, first), x[places]]
    first.fill_(0), last.fill_(1)
    for part in parts[:3]:
        part.sum().backward()
    assert x.grad.tolist() == [0, 3, 1, 0]
    places.fill_(0)  # its numbers were made anew: an index was counted from the end
    parts[3].sum().backward()
    assert x.grad.tolist() == [1, 3, 1, 1]


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_unbind_is_every_select_and_one_node(dim):
    x = norch.from_numpy(numbers()).requires_grad_()
    slices = x.unbind(dim)
    for k, part in enumerate(slices):
        assert part.tolist() == x.select(dim, k).tolist()
        assert part.grad_fn.name() == "UnbindBackward0"
    (slices[1] * 2 + slices[-1]).sum().backward()
    want = np.zeros(SHAPE)
    np.moveaxis(want, dim, 0)[1] += 2
    np.moveaxis(want, dim, 0)[-1] += 1
    np.testing.assert_array_equal(x.grad.numpy(), want)


def test_rows_of_a_tensor_that_joins_a_graph_join_it_too():
    x, weight = norch.ones(3, 2), norch.ones(2).requires_grad_()
    rows = list(x)
    x.mul_(weight)
    assert [row.requires_grad for row in rows] == [True] * 3
    with pytest.raises(RuntimeError, match="one of several views"):
        rows[0] * 1


def test_a_base_forgets_the_views_that_are_gone():
    x = norch.ones(50, 2)
    kept = [x[0], *x.split(20)]
    for _ in range(100):
        list(x)
        x[3]
    gc.collect()
    assert len(x.views) < 400
    alive = [view() for view in x.views if view() is not None]
    assert all(any(view is one for one in alive) for view in kept)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_a_stack_is_taken_apart_on_the_way_back(dim):
    parts = [norch.full((2, 3), k, dtype=norch.float64).requires_grad_() for k in range(3)]
    whole = norch.stack([*parts, norch.ones(2, 3, dtype=norch.int64)], dim)
    assert whole.grad_fn.name() == "StackBackward0"
    weights = norch.arange(24.0, dtype=norch.float64).view(whole.shape)
    (whole * weights).sum().backward()
    for k, part in enumerate(parts):
        assert part.grad.tolist() == weights.select(dim, k).tolist()


def test_joins_refuse_what_is_no_tensor():
    for join in (norch.cat, norch.stack):
        with pytest.raises(TypeError, match=rf"\[{join.__name__}\] expected a Tensor, got int"):
            join([norch.ones(2), 3])
