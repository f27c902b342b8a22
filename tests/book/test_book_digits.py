"""The committed network of the front page: norch computes what it says, and trains it again."""

import pytest
from lessons import digits, network

import norch

FOUND = network.read()


def test_numbers_survive_the_file(tmp_path):
    network.write(FOUND, tmp_path / "again.json")
    assert network.read(tmp_path / "again.json") == FOUND
    assert network.unpacked(network.packed([1.0, -0.5, 2.0**-20])) == [1.0, -0.5, 2.0**-20]


def test_norch_computes_the_recorded_scores():
    (first, second), shown = FOUND["layers"], FOUND["digits"]
    pixels = norch.tensor([one["pixels"] for one in shown]).reshape(-1, 28, 28)
    x = digits.mnist.normalized(pixels.to(norch.uint8)).flatten(1)
    hidden = (x @ norch.tensor(first[0]).T + norch.tensor(first[1])).relu()
    scores = hidden @ norch.tensor(second[0]).T + norch.tensor(second[1])
    for found, one in zip(scores.tolist(), shown, strict=True):
        assert found == pytest.approx(one["scores"], abs=1e-3)


@pytest.mark.slow
def test_training_again_comes_as_far():
    try:
        digits.data()
    except SystemExit as nowhere:
        pytest.skip(f"it trains this network: {nowhere}")
    again = digits.trained()
    assert again["images"] == FOUND["images"] and again["tests"] == FOUND["tests"]
    assert again["accuracy"] == pytest.approx(FOUND["accuracy"], abs=0.01)
    for one, other in zip(again["history"], FOUND["history"], strict=True):
        assert one["loss"] == pytest.approx(other["loss"], rel=0.1)
