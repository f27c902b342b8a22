"""Datasets that are split, and weighted draws."""

import pytest

import norch_autograd as norch
from norch_extras.data import SubsetRandomSampler, WeightedRandomSampler, random_split


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: random_split(range(5), [2, 2]), ValueError, "add up to 4, but .* 5 samples"),
        (lambda: random_split(range(5), [1.5, -0.5]), ValueError, "fractions between 0 and 1"),
        (lambda: WeightedRandomSampler([1], 0), ValueError, "num_samples must be .* not 0"),
        (lambda: WeightedRandomSampler([1], 1, 2), ValueError, "replacement must be True"),
        (lambda: list(WeightedRandomSampler([1], 2, False)), RuntimeError, "2"),
    ],
)
def test_bad_datasets_and_samplers(action, error, message):
    with pytest.raises(error, match=message):
        action()


def test_random_split_is_a_partition_and_follows_its_generator():
    def split():
        return random_split(range(10), [0.75, 0.25], norch.Generator().manual_seed(5))

    first, second = split()
    assert (len(first), len(second)) == (8, 2)
    assert sorted([*first, *second]) == list(range(10))
    assert [list(part) for part in split()] == [list(first), list(second)]
    assert [len(p) for p in random_split(range(10), [3, 7])] == [3, 7]


def test_a_subset_is_drawn_whole():
    assert sorted(SubsetRandomSampler([5, 9, 7])) == [5, 7, 9]


def test_weighted_sampler_draws_in_proportion():
    norch.manual_seed(0)
    sampler = WeightedRandomSampler([1.0, 0.0, 3.0], 2000)
    drawn = list(sampler)
    assert len(drawn) == len(sampler) == 2000 and set(drawn) == {0, 2}
    assert 1400 < drawn.count(2) < 1600
    once = WeightedRandomSampler(norch.tensor([1.0, 5.0, 2.0]), 3, replacement=False)
    assert sorted(once) == [0, 1, 2]
    first, second = (
        list(WeightedRandomSampler([1, 2], 20, generator=norch.Generator().manual_seed(4)))
        for _ in range(2)
    )
    assert first == second


def test_lengths_that_are_no_whole_numbers_and_no_fractions_of_1_are_refused():
    for lengths in ([0.5, 2], [0.5, 1.5]):
        with pytest.raises(ValueError, match=r"^\[random_split\] whole numbers, or fractions of 1"):
            random_split([1, 2], lengths)
