"""coalesce, coalesce_all: the same walk, in as few dimensions as possible."""

from hypothesis import given, strategies as st

from norch_strides import Layout, coalesce, coalesce_all, contiguous, is_contiguous, positions


@given(layout=...)
def test_the_walk_stays_the_same(layout: Layout):
    assert positions(coalesce(layout)) == positions(layout)


@given(layout=...)
def test_no_two_neighbours_could_still_merge(layout: Layout):
    shape, strides, _ = coalesce(layout)
    assert 1 not in shape
    for k in range(len(shape) - 1):
        assert strides[k] != shape[k + 1] * strides[k + 1]


@given(layout=...)
def test_contiguous_arrays_become_one_line(layout: Layout):
    merged = coalesce(contiguous(layout.shape))
    assert len(merged.shape) <= 1 and is_contiguous(merged)


@given(layout=..., data=st.data())
def test_several_operands_merge_only_together(layout: Layout, data):
    others = [tuple(data.draw(st.integers(-4, 4)) for _ in layout.shape) for _ in range(2)]
    every = [layout.strides, contiguous(layout.shape).strides, *others]
    shape, merged = coalesce_all(layout.shape, every)
    for before, after in zip(every, merged, strict=True):
        assert positions(Layout(shape, after)) == positions(Layout(layout.shape, before))


def test_cases_by_hand():
    assert coalesce(Layout((), (), 4)) == Layout((), (), 4)
    assert coalesce(Layout((1, 1), (9, 9), 4)) == Layout((), (), 4)
    assert coalesce(Layout((2, 0), (9, 9), 4)) == Layout((0,), (1,), 4)
    assert coalesce(Layout((3, 4), (0, 0))) == Layout((12,), (0,))
    assert coalesce(Layout((2, 3), (-3, -1), 5)) == Layout((6,), (-1,), 5)
    assert coalesce_all((2, 3), []) == ((6,), ())
