"""Views by stage 1's rules: what an array remembers is what the rule says, at any offset."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import norch_strides as strides
from norch_cpu_ops import int64, ops
from norch_strides import Layout

settings.register_profile("norch", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("norch")

SIZE = 200  # of the buffer that all arrays of these tests show


def array(layout):
    return ops.arange(0, SIZE, 1, int64).view(layout)


@st.composite
def layouts(draw):
    """Any layout within the buffer: strides may be negative or 0, sizes 0, dimensions none."""
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=3)))
    steps = tuple(draw(st.integers(-7, 7)) for _ in shape)
    span = strides.bounds(Layout(shape, steps))
    return Layout(shape, steps, draw(st.integers(0, 5)) - (span[0] if span else 0))


@st.composite
def keys(draw):
    """Keys of square brackets, legal ones and others: whole numbers, slices, None and dots."""
    edge = st.none() | st.integers(-4, 4)
    item = st.integers(-4, 3) | st.builds(slice, edge, edge, edge) | st.none() | st.just(...)
    return draw(item | st.lists(item, max_size=4).map(tuple))


small = st.integers(-4, 4)
QUESTIONS = st.one_of(
    st.tuples(st.just(strides.basic_index), keys()),
    st.tuples(st.just(strides.select), small, small),
    st.tuples(st.just(strides.narrow), small, small, small),
    st.tuples(st.just(strides.transpose), small, small),
    st.tuples(st.just(strides.permute), st.permutations(range(3)).map(tuple)),
    st.tuples(st.just(strides.squeeze), st.none() | small),
    st.tuples(st.just(strides.unsqueeze), small),
    st.tuples(st.just(strides.reshape), st.lists(small, max_size=3).map(tuple)),
    st.tuples(st.just(strides.diagonal), small, small, small),
    st.tuples(st.just(strides.flip), st.integers(-3, 2)),
)


def answer(ask, *args):
    """What a question is answered with: a layout, several, nothing, or an error in its words."""
    try:
        found = ask(*args)
    except (IndexError, RuntimeError, TypeError, ValueError) as error:
        return type(error), str(error)
    if isinstance(found, list):
        return [same(one) for one in found]
    return None if found is None else same(found)


def same(found):
    """A layout, or an array's, without what says nothing: the strides and offset of no elements."""
    layout = found if isinstance(found, Layout) else found.layout
    return layout if strides.numel(layout.shape) else layout.shape


@given(layout=layouts(), question=QUESTIONS)
def test_a_view_is_what_the_rule_says(layout, question):
    rule, *args = question
    for moved in (layout, layout.shifted(3), layout):  # asked, then remembered
        found = answer(array(moved).view_by, rule, *args)
        assert found == answer(rule, moved, *args)


@given(layout=layouts(), rule=st.sampled_from(["split", "chunk"]), size=small, dim=small)
def test_views_are_what_the_rule_says(layout, rule, size, dim):
    rule = getattr(strides, rule)
    for moved in (layout, layout.shifted(3), layout):
        found = answer(array(moved).views_by, rule, size, dim)
        assert found == answer(rule, moved, size, dim)


@given(layout=layouts(), dim=small, index=small)
def test_slices_are_what_stage_1_says(layout, dim, index):
    for moved in (layout, layout.shifted(3)):
        a = array(moved)
        assert answer(a.select, dim, index) == answer(strides.select, moved, dim, index)
        assert answer(a.unbind, dim) == answer(strides.unbind, moved, dim)


def test_a_rule_is_asked_once():
    asked = []

    def rule(layout, *args):
        asked.append(args)
        return strides.transpose(layout, *args)

    a = array(Layout((2, 3), (3, 1), 5))
    views = [a.view_by(rule, 0, 1), a.view_by(rule, 0, 1), a.select(0, 0).view_by(rule, 0, 0)]
    assert asked == [(0, 1), (0, 0)]
    assert [view.offset for view in views] == [5, 5, 5]
    assert a.view_by(rule, np.int64(0), 1).layout == a.view_by(rule, False, True).layout
    assert len(asked) == 4  # no plain values: nothing is remembered


def test_questions_that_look_alike_are_told_apart():
    a = array(Layout((2, 3), (3, 1)))
    cases = [
        (1, (3,)), (slice(1), (1, 3)), ((slice(1, None), 0), (1,)), (slice(None, None, 1), (2, 3)),
        ((1, None), (1, 3)), ((None, ..., 1), (1, 2)), ((..., 1), (2,)), ((1, ...), (3,)),
        ((1, 1), ()), (None, (1, 2, 3)), ((), (2, 3)),
    ]  # fmt: skip
    for _ in range(2):
        assert [a.view_by(strides.basic_index, key).shape for key, _ in cases] == [
            shape for _, shape in cases
        ]


def test_memory_is_bounded_and_rules_are_let_go():
    def rule(layout, number):
        return layout

    a = array(Layout((2,), (1,)))
    for number in range(10):
        a.view_by(rule, number)
    gone = weakref.ref(rule)
    del rule
    assert gone() is not None  # its answers are kept, and it with them
    for number in range(10_000):
        a.view_by(strides.unsqueeze, 0).view_by(strides.narrow, 1, 0, 1).shape  # noqa: B018
        a.view_by(strides.basic_index, (slice(0, number),))
    gc.collect()
    assert gone() is None


def test_a_long_question_is_answered_without_being_remembered():
    a = array(Layout((1,) * 16, (1,) * 16))
    key = (slice(0, 1),) * 16
    for _ in range(2):
        assert a.view_by(strides.basic_index, key).shape == (1,) * 16


def test_a_list_longer_than_the_memory():
    a = ops.arange(0, 5000, 1, int64)
    for _ in range(2):
        pieces = a.views_by(strides.split, 1, 0)
        assert len(pieces) == 5000 and pieces[4999].item() == 4999
    assert [one.item() for one in a.unbind(0)] == list(range(5000))


@pytest.mark.parametrize(
    ("rule", "error", "message"),
    [
        (lambda layout: layout.shifted(SIZE), RuntimeError, "leaves the storage"),
        (lambda layout: (layout.shape, layout.strides), TypeError, "to give a Layout, got tuple"),
        (lambda layout: 3, TypeError, "to give a Layout, got int"),
        (lambda layout: ((2,), (1,), ()), TypeError, "the offset must be one integer"),
        (lambda layout: ((2,), (1,), (3, 4)), TypeError, "the offset must be one integer"),
        (3, TypeError, "not callable"),
    ],
)
def test_a_wrong_rule_is_refused(rule, error, message):
    for _ in range(2):
        with pytest.raises(error, match=message):
            array(Layout((2,), (1,))).view_by(rule)


def test_wrong_calls_are_refused():
    a = array(Layout((2,), (1,)))
    for call in (a.view_by, a.views_by):
        with pytest.raises(TypeError, match="expected a rule of norch_strides"):
            call()
    with pytest.raises(TypeError, match=r"\[select\] expected dim and index, got 1"):
        a.select(0)
    with pytest.raises(TypeError, match=r"\[unbind\] expected dim, got 2"):
        a.unbind(0, 1)


FIRST_USE = """
import faulthandler, sys, threading
faulthandler.dump_traceback_later(300, exit=True)
sys.setswitchinterval(1e-6)
from norch_cpu_ops import float32, ops
assert "norch_strides" not in sys.modules
a, b, start = ops.zeros((2, 3), float32), ops.zeros((3,), float32), threading.Barrier(6)

def work():
    start.wait()
    assert (a + b).reshape(3, 2).select(0, 1).shape == a.select(1, 0).shape == (2,)

threads = [threading.Thread(target=work) for _ in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_threads_may_be_the_first_to_need_a_rule():
    """The first imports stage 1, in which the others get the GIL: they must not wait holding it."""
    done = subprocess.run([sys.executable, "-c", FIRST_USE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
