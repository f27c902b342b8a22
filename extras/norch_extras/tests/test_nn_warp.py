"""grid_sample and ctc_loss against finite differences and by counting; pdist of few rows."""

import itertools
import math

import pytest

import norch_autograd as norch
from norch_extras.nn import (
    CTCLoss,
    affine_grid,
    ctc_loss,
    grid_sample,
    pdist,
)

THETA = [[[0.83, 0.31, 0.13], [-0.27, 1.13, 0.21]]]


def test_grid_sample_of_no_images():
    image, grid = norch.ones(0, 1, 4, 4, requires_grad=True), norch.ones(0, 2, 3, 2)
    assert grid_sample(image, grid, align_corners=False).shape == (0, 1, 2, 3)


@pytest.mark.parametrize("align_corners", [True, False])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_gradients_of_grid_sample(mode, padding, align_corners):
    norch.manual_seed(0)
    image = norch.randn(2, 5, 4, 1, dtype=norch.float64).permute(3, 0, 1, 2).requires_grad_()
    theta = norch.tensor(THETA, dtype=norch.float64, requires_grad=True)

    def bent(image, theta):
        grid = affine_grid(theta, (1, 2, 3, 3), align_corners)
        return grid_sample(image, grid, mode, padding, align_corners)

    assert norch.autograd.gradcheck(bent, (image, theta))


def test_the_identity_gives_the_image_back():
    image = norch.randn(2, 3, 4, 5)
    theta = norch.tensor([[[1.0, 0, 0], [0, 1, 0]]]).expand(2, 2, 3)
    for corners, mode in itertools.product((True, False), ("bilinear", "nearest", "bicubic")):
        grid = affine_grid(theta, image.shape, corners)
        assert norch.allclose(grid_sample(image, grid, mode, align_corners=corners), image,
                              atol=1e-5)  # fmt: skip
    volume = norch.randn(1, 2, 2, 3, 4)
    theta = norch.eye(4)[:3].unsqueeze(0)
    grid = affine_grid(theta, volume.shape, False)
    assert norch.allclose(grid_sample(volume, grid, align_corners=False), volume, atol=1e-5)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x, g: grid_sample(x, g, "cubic"), ValueError, "mode must be one of"),
        (lambda x, g: grid_sample(x, g, padding_mode="x"), ValueError, "padding_mode must be"),
        (lambda x, g: grid_sample(x, g[..., :1]), RuntimeError, "do not fit"),
        (lambda x, g: grid_sample(x, g[:1]), RuntimeError, "2 images and 1 grids"),
        (lambda x, g: grid_sample(x[:, :0], g), RuntimeError, "has no pixels"),
        (lambda x, g: grid_sample(x, g.double()), RuntimeError, "cast one of them"),
        (lambda x, g: affine_grid(g, (2, 3, 4, 4)), ValueError, "do not fit"),
        (lambda x, g: affine_grid(g.long(), (2, 3, 4, 4)), ValueError, "must be floating-point"),
    ],
)
def test_refusals_of_grid_sample(call, error, message):
    with pytest.raises(error, match=message):
        call(norch.ones(2, 3, 4, 4), norch.ones(2, 2, 2, 2))


def test_pixels_are_counted_in_whole_numbers():
    # Number 4093 of 4096 is none of float16's numbers; a float32 fails so in images of 4097 x 4097.
    image = norch.zeros(1, 1, 64, 64, dtype=norch.float16)
    image[0, 0, 63, 61] = 7
    place = norch.tensor([[[[61 / 63 * 2 - 1, 1.0]]]], dtype=norch.float16)
    assert grid_sample(image, place, "nearest", align_corners=True).item() == 7


def test_left_out_corners_are_named():
    with pytest.warns(UserWarning, match="align_corners is False when left out"):
        affine_grid(norch.ones(1, 2, 3), (1, 1, 2, 2))


# ---- ctc_loss ------------------------------------------------------------------------------------


def counted(probabilities, labels, blank=0):
    """-log P by trying every row of classes."""
    total = 0.0
    for way in itertools.product(range(len(probabilities[0])), repeat=len(probabilities)):
        kept = [c for c, _ in itertools.groupby(way) if c != blank]
        if kept == labels:
            total += math.prod(row[c] for row, c in zip(probabilities, way, strict=True))
    return -math.log(total)


@pytest.mark.parametrize("labels", [[1, 2], [2, 2], [1], [], [1, 2, 1]])
def test_ctc_counts_every_way(labels):
    norch.manual_seed(2)
    log_probs = norch.randn(5, 3, dtype=norch.float64).log_softmax(1)
    expected = counted(log_probs.exp().tolist(), labels)
    target = norch.tensor(labels, dtype=norch.int64)
    loss = ctc_loss(log_probs, target, [5], [len(labels)], reduction="none")
    assert loss.item() == pytest.approx(expected)


def test_gradients_of_ctc():
    norch.manual_seed(3)
    logits = norch.randn(3, 6, 4, dtype=norch.float64).transpose(0, 1).requires_grad_()
    targets = norch.tensor([[1, 2, 2], [3, 1, 0], [2, 0, 0]])

    def loss(logits):
        rows = logits.log_softmax(2)
        return ctc_loss(rows, targets, [6, 5, 4], [3, 2, 1], reduction="none")

    assert norch.autograd.gradcheck(loss, (logits,))


def test_a_target_that_does_not_fit():
    log_probs = norch.zeros(2, 1, 3, requires_grad=True).log_softmax(2)
    long = (norch.tensor([[1, 2, 1]]), [2], [3])
    assert ctc_loss(log_probs, *long, reduction="sum").item() == math.inf
    assert CTCLoss(zero_infinity=True)(log_probs, *long).item() == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"input_lengths": [9, 9]}, "between 0 and 4"),
        ({"input_lengths": [4]}, "2 samples need as many lengths"),
        ({"target_lengths": [2, -1]}, "target_lengths must be 0 or more"),
        ({"target_lengths": [3, 3]}, "shorter than their lengths"),
        ({"blank": 3}, "one of 3 classes, not 3"),
        ({"targets": norch.tensor([1, 2, 1])}, "add up to 4, there are 3"),
    ],
)
def test_refusals_of_ctc(change, message):
    given = {"targets": norch.ones(2, 2, dtype=norch.int64), "input_lengths": [4, 4]}
    given = {"log_probs": norch.zeros(4, 2, 3), "target_lengths": [2, 2], **given, **change}
    with pytest.raises(RuntimeError, match=message):
        ctc_loss(**given)


def test_ctc_of_no_steps():
    log_probs = norch.zeros(3, 2, 3).log_softmax(2)
    labels = norch.tensor([[1], [1]])
    found = ctc_loss(log_probs, labels, [0, 0], [0, 1], reduction="none")
    assert found.tolist() == [0, math.inf]


# ---- pdist ---------------------------------------------------------------------------------------


def test_distances_of_rows_that_are_not_there():
    with pytest.raises(RuntimeError, match="rows"):
        pdist(norch.ones(3))
    with pytest.raises(RuntimeError, match="expected 0 or more"):
        pdist(norch.ones(3, 2), -1.0)
    assert pdist(norch.ones(1, 3)).tolist() == []
