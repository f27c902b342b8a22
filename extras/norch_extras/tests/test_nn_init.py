"""Further initial values: truncated, orthogonal, eye, dirac."""

import statistics

import pytest

import norch_autograd as norch
from norch_extras.init import dirac_, eye_, orthogonal_, trunc_normal_


@pytest.mark.parametrize(
    ("mean", "std", "a", "b"),
    [(0, 1, -2, 2), (1, 0.5, -2, 2), (0, 5, -2, 2), (0, 1, 3, 4), (0.02, 0.02, -0.04, 0.04)],
)
def test_trunc_normal_is_a_part_of_the_normal_curve(mean, std, a, b):
    """Its values, sorted, follow the distribution function between the bounds."""
    norch.manual_seed(0)
    t = trunc_normal_(norch.empty(100, 40).t(), mean, std, a, b)
    values = sorted(t.flatten().tolist())
    assert a <= values[0] and values[-1] <= b
    normal = statistics.NormalDist(mean, std)
    low, high = normal.cdf(a), normal.cdf(b)
    for place in (0.1, 0.5, 0.9):
        expected = normal.inv_cdf(low + place * (high - low))
        assert values[int(place * 4000)] == pytest.approx(expected, abs=0.06 * std)


@pytest.mark.parametrize("shape", [(4, 7), (7, 4), (5, 5), (3, 2, 2, 2), (20, 2, 2), (1, 1)])
def test_orthogonal_rows_or_columns(shape):
    norch.manual_seed(0)
    t = orthogonal_(norch.empty(*shape, dtype=norch.float64, requires_grad=True), gain=2)
    assert t.requires_grad and t.is_leaf
    matrix = t.detach().reshape(shape[0], -1)
    small = matrix @ matrix.t() if matrix.shape[0] <= matrix.shape[1] else matrix.t() @ matrix
    assert norch.allclose(small, 4 * norch.eye(small.shape[0], dtype=norch.float64), atol=1e-12)


def test_orthogonal_differs_from_draw_to_draw_and_follows_its_generator():
    first, second = (
        orthogonal_(norch.empty(3, 3), generator=norch.Generator().manual_seed(seed))
        for seed in (1, 1)
    )
    assert norch.equal(first, second) and not norch.equal(first, orthogonal_(norch.empty(3, 3)))
    assert orthogonal_(norch.empty(0, 3)).shape == (0, 3)


def test_eye_and_dirac():
    assert eye_(norch.empty(3, 2).t()).tolist() == [[1, 0, 0], [0, 1, 0]]
    kernel = dirac_(norch.empty(4, 2, 3, 3, requires_grad=True), groups=2)
    assert norch.nonzero(kernel.detach()).tolist() == [
        [0, 0, 1, 1],
        [1, 1, 1, 1],
        [2, 0, 1, 1],
        [3, 1, 1, 1],
    ]
    assert dirac_(norch.empty(3, 1, 4)).sum().item() == 1  # two outputs stay 0
    assert dirac_(norch.empty(0, 1, 4), groups=2**31).shape == (0, 1, 4)  # at once


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (
            lambda: orthogonal_(norch.empty(3)),
            r"2 or more dimensions are expected, not \(3,\)",
        ),
        (lambda: eye_(norch.empty(3)), r"\[eye_\] 2 dimensions are expected"),
        (lambda: dirac_(norch.empty(3, 3)), r"3, 4 or 5 dimensions are expected"),
        (lambda: dirac_(norch.empty(3, 3, 3), groups=2), "3 output channels do not make 2"),
    ],
)
def test_bad_arguments(action, message):
    with pytest.raises(ValueError, match=message):
        action()


@pytest.mark.parametrize("fill", [orthogonal_, trunc_normal_])
def test_whole_numbers_are_no_first_weights(fill):
    """They were cut to 0 in silence."""
    with pytest.raises(TypeError, match=rf"\[{fill.__name__}\] expected a floating dtype"):
        fill(norch.zeros(3, 3, dtype=norch.int64))
