"""Every operation of stage 2, on every device, against stage 2's own result."""

import pytest
from cuda_cases import CASES as PLAIN_CASES, ELSEWHERE, Inputs
from cuda_comparison import assert_same
from cuda_image_cases import CASES as IMAGE_CASES
from cuda_layer_cases import CASES as LAYER_CASES
from cuda_order_cases import CASES as ORDER_CASES

import norch_cpu_ops as cpu

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


def test_no_operation_of_stage_2_is_missing(ops):
    assert [name for name in cpu.OPERATIONS if not callable(getattr(ops, name, None))] == []


def test_no_operation_goes_uncompared():
    assert sorted(set(cpu.OPERATIONS) - set(CASES) - set(ELSEWHERE)) == []


@pytest.mark.parametrize("name", sorted(set(CASES) & set(cpu.OPERATIONS)))
def test_operation_touches_only_its_own_memory_and_never_races(checked_ops, name):
    compare(name, checked_ops)
