"""Convolutions as products of matrices, against the formula: every case of the image tests."""

import pytest
from cuda_comparison import assert_same
from cuda_image_cases import CASES, conv, conv_gradient
from cuda_lessons import ORDERS, SIM

import norch_cpu_ops as cpu
from norch_cuda.operations import conv as convolution
from norch_cuda.runtime.simulator_options import simulator

NAMES = [name for name in CASES if name.startswith("conv")]
# Several tiles in each direction, more than one group, edges that fill no tile.
LARGE = [
    ((3, 10, 11, 9), (140, 5, 3, 3), (1, 2), (1, 1), (1, 1), 2),
    ((2, 70, 8, 9), (66, 70, 2, 3), (2, 1), (1, 2), (2, 1), 1),
    ((1, 34, 4, 5, 6), (33, 34, 2, 3, 2), (1, 1, 2), (1, 0, 1), (1, 2, 1), 1),
]


@pytest.fixture
def products(monkeypatch):
    """Every convolution that is not empty becomes a product; chunks of 5 places are enough."""
    for name in ("_PRODUCT_FROM", "_LEAST_ROWS", "_LEAST_WEIGHTS"):
        monkeypatch.setattr(convolution, name, 0)
    monkeypatch.setattr(convolution, "_LEAST_PLACES", 5)


@pytest.mark.usefixtures("products")
@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_small_ones(name, check):
    for case in CASES[name]:
        expected = case(cpu.ops, None)
        with simulator(check=check):
            assert_same(expected, case(SIM, None), 1e-5)


def all_of(o, case):
    return conv(o, *case), *(conv_gradient(o, name, *case) for name in ("input", "weight"))


@pytest.mark.usefixtures("products")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("case", LARGE)
def test_several_tiles(case, order):
    with simulator(order=order):
        assert_same(all_of(cpu.ops, case), all_of(SIM, case), 1e-4)  # sums of 630 floats


def test_large_ones_are_products_by_themselves(monkeypatch):
    launched, launch = [], SIM.backend.launch

    def noted(source, kernel, *rest):
        launched.append(kernel)
        launch(source, kernel, *rest)

    monkeypatch.setattr(SIM.backend, "launch", noted)
    all_of(SIM, LARGE[1])
    kinds = ("", "_backward_input", "_backward_weight")
    assert {f"conv_product{kind}_kernel" for kind in kinds} <= {*launched}
    assert not {f"conv{kind}_kernel" for kind in kinds} & {*launched}


def test_the_gradient_of_weights_reads_an_element_for_a_whole_tile(monkeypatch):
    """Not once for each product: 64 outputs share what is fetched of x, 64 taps what of grad."""
    case = ((2, 16, 10, 10), (64, 16, 2, 2), 1, 0, 1, 1)
    grad, x = SIM.contiguous(conv(SIM, *case)), SIM.zeros(case[0], cpu.float32)

    def reads():
        with simulator(check=True) as counters:
            SIM.conv2d_backward_weight(grad, x, *case[1:])
        return counters.global_reads

    places, weights = 2 * 9 * 9, 64 * 64
    assert reads() == places * 64 * 2
    monkeypatch.setattr(convolution, "_LEAST_WEIGHTS", weights + 1)
    assert reads() == places * weights * 2
