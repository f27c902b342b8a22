"""Every operation of stage 2, on every device, against stage 2's own result."""

import ast
import inspect
import math
import sys
from collections import Counter

import numpy as np
import pytest
from cuda_cases import CASES as PLAIN_CASES, ELSEWHERE, Bools, Inputs
from cuda_comparison import assert_same
from cuda_image_cases import CASES as IMAGE_CASES
from cuda_layer_cases import CASES as LAYER_CASES
from cuda_order_cases import CASES as ORDER_CASES

import norch_cpu_ops as cpu
import norch_cuda
from norch_cuda import Operations
from norch_cuda.launch.base import OperationsBase

CASES = PLAIN_CASES | IMAGE_CASES | LAYER_CASES | ORDER_CASES
LOOSER = dict.fromkeys(
    [
        "softmax",
        "log_softmax",
        "logsumexp",
        "cross_entropy",
        "softmax_backward",
        "log_softmax_backward",
        "tan",
        "cumprod",
        "logcumsumexp",
        "conv2d",
        "conv2d_backward_input",
        "conv2d_backward_weight",
        "conv3d",
        "conv3d_backward_input",
        "conv3d_backward_weight",
        "layer_norm",
        "layer_norm_backward",
        "batch_norm",
        "batch_norm_eval",
        "batch_norm_backward",
        "group_norm",
        "group_norm_backward",
        "rms_norm",
        "rms_norm_backward",
        "lstm_layer",
        "lstm_layer_backward",
        "scaled_dot_product_attention",
        "scaled_dot_product_attention_backward",
    ],
    1e-5,
)


@pytest.fixture(scope="module")
def on_cpu():
    """Results of stage 2, each computed once."""
    return {}


def compare(name, ops):
    tolerance = LOOSER.get(name, 3e-6)
    for number, case in enumerate(CASES[name]):
        expected = case(cpu.ops, Inputs(cpu.ops))
        actual = case(ops, Inputs(ops))
        try:
            assert_same(expected, actual, tolerance)
        except AssertionError as error:
            raise AssertionError(f"case {number} of {name}: {error}") from None


@pytest.mark.parametrize("name", sorted(set(CASES) & set(cpu.OPERATIONS)))
def test_operation_matches_the_cpu(ops, name):
    compare(name, ops)


def test_an_index_in_the_memory_that_is_written_is_read_before(ops):
    index = ops.from_cpu(cpu.ops.from_list([1, 2, 0]))
    ops.index_copy_(index, 0, index, index)
    assert index.tolist() == [0, 1, 2]


def outcome(case, ops):
    """What a case gives for bools: a result, or the reason why it has none."""
    try:
        found = case(ops, Bools(ops))
        if ops is not cpu.ops:
            ops.backend.synchronize()  # where a GPU tells what a kernel has found wrong
        return found
    except (TypeError, RuntimeError, IndexError) as error:
        return type(error).__mro__[-3]  # as far as two devices must agree


@pytest.mark.parametrize("name", sorted(set(PLAIN_CASES) | set(ORDER_CASES)))
def test_operation_on_bools_matches_the_cpu(ops, name):
    for number, case in enumerate(CASES[name]):
        expected, actual = outcome(case, cpu.ops), outcome(case, ops)
        if isinstance(expected, type) or isinstance(actual, type):
            assert expected is actual, f"case {number} of {name}"
        else:
            assert_same(expected, actual, LOOSER.get(name, 3e-6))


def test_no_operation_of_stage_2_is_missing(ops):
    assert [name for name in cpu.OPERATIONS if not callable(getattr(ops, name, None))] == []


def test_no_operation_goes_uncompared():
    assert sorted(set(cpu.OPERATIONS) - set(CASES) - set(ELSEWHERE)) == []


@pytest.mark.parametrize("name", sorted(set(CASES) & set(cpu.OPERATIONS)))
def test_operation_touches_only_its_own_memory_and_never_races(checked_ops, name):
    compare(name, checked_ops)


def test_families_stand_side_by_side():
    families = Operations.__bases__
    assert {family.__bases__ for family in families} == {(OperationsBase,)}
    names = Counter(name for family in families for name in vars(family) if name[:2] != "__")
    assert [name for name, uses in names.items() if uses > 1] == []
    assert [name for name in names if hasattr(OperationsBase, name)] == []


@pytest.mark.parametrize("family", Operations.__bases__, ids=lambda family: family.__name__)
def test_a_family_asks_only_itself_and_the_base(family):
    tree = ast.parse(inspect.getsource(family))
    asked = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", None) == "self"
    }
    known = {*dir(OperationsBase), *vars(family), "backend"}
    assert asked - known == set()


def test_an_operation_carries_its_own_name():
    for name in ("add", "exp", "isnan", "floor", "add_", "sum"):
        assert getattr(Operations, name).__name__ == name


def python_calls(work):
    """The names of the Python functions that are called while `work` runs."""
    called = []

    def watch(frame, event, argument):
        if event == "call" and frame.f_code is not work.__code__:
            called.append(frame.f_code.co_name)

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return called


def test_operands_that_are_alike_take_the_short_way():
    ops = norch_cuda.ops_for("cuda-sim")
    a, b = (ops.from_list([[1.0, 2.0], [3.0, 4.0]]) for _ in range(2))
    ops.add(a, b)  # builds the kernel
    called = python_calls(lambda: ops.add(a, b))
    assert len(called) <= 30, called
    assert not {"cast", "broadcast_to", "broadcast_shapes", "result_dtype"} & set(called)


def test_a_launch_is_planned_once():
    ops = norch_cuda.ops_for("cuda-sim")
    a, b = (ops.from_list([[1.0, 2.0], [3.0, 4.0]]) for _ in range(2))
    target = ops.from_list([0, 1])
    calls = {
        "add": lambda: ops.add(a, b),
        "matmul": lambda: ops.matmul(a, b),
        "linear": lambda: ops.linear(a, b),
        "sum": lambda: ops.sum(a, 0),
        "softmax": lambda: ops.softmax(a, 1),
        "cross_entropy": lambda: ops.cross_entropy(a, target),
    }
    for name, call in calls.items():
        call()
        called = python_calls(call)
        assert "run" in called, name
        assert "plan" not in called, (name, called)


@pytest.mark.parametrize(
    ("numbers", "total"),
    [
        ([1e8, *[1.0] * 1000, -1e8], 1000.0),
        ([2.0**127] * 3 + [-(2.0**127)] * 2, 2.0**127),  # two of them are no float
        ([n * 2.0**127 for sign in (1, 1, -1, 0) for n in (sign, *[0] * 255)], 2.0**127),
        ([2.0**127] * 2, math.inf),
        ([math.inf, 1.0], math.inf),
        ([math.inf, -math.inf], math.nan),
        ([1e-45] * 3, 3 * 2.0**-149),
    ],
)
def test_floats_are_added_as_in_double(ops, numbers, total):
    x = ops.from_cpu(cpu.ops.from_list(numbers))
    np.testing.assert_equal(ops.sum(x, 0).item(), total)


def test_a_check_sees_every_element_that_is_written():
    """Four elements by one instruction are four; of bools, one copy."""
    ops = norch_cuda.ops_for("cuda-sim")
    x, held = (ops.new_full((1024,), value, cpu.float32) for value in (0.5, 1.0))
    held = ops.cast(held, cpu.bool_)
    for run, writes in (
        (lambda: ops.add(x, x), 1024),
        (lambda: ops.mul(x, 2.0), 1024),
        (lambda: ops.sub(1.0, x), 1024),
        (lambda: ops.neg(x), 1024),
        (lambda: ops.where(held, x, x), 1024),
        (lambda: ops.clone(x), 1024),
        (lambda: ops.lt(x, x), 256),
    ):
        with norch_cuda.simulator(check=True) as counters:
            run()
        assert counters.global_writes == writes


def test_a_softmax_is_summed_with_all_its_digits(ops):
    x = ops.from_cpu(cpu.ops.from_list([0.0, -18.0]))
    assert round(ops.log_softmax(x, 0).tolist()[0] * 1e8, 2) == -1.52  # 0 where floats are added
