"""DistributedSampler: equal shares, the same indices everywhere, a new order each epoch."""

import pytest

from norch_ddp import DistributedSampler, destroy_process_group, init_process_group


def shares(length, replicas, **options):
    """Each rank's indices."""
    samplers = [
        DistributedSampler(range(length), replicas, rank, **options) for rank in range(replicas)
    ]
    assert [len(sampler) for sampler in samplers] == [len(list(sampler)) for sampler in samplers]
    return [list(sampler) for sampler in samplers]


@pytest.mark.parametrize(
    ("length", "replicas", "drop_last", "expected"),
    [
        (6, 3, False, [[0, 3], [1, 4], [2, 5]]),
        (10, 3, False, [[0, 3, 6, 9], [1, 4, 7, 0], [2, 5, 8, 1]]),
        (10, 3, True, [[0, 3, 6], [1, 4, 7], [2, 5, 8]]),
        (2, 5, False, [[0], [1], [0], [1], [0]]),
        (2, 5, True, [[], [], [], [], []]),
        (0, 2, False, [[], []]),
        (3, 1, False, [[0, 1, 2]]),
    ],
)
def test_deals_like_pytorch(length, replicas, drop_last, expected):
    assert shares(length, replicas, shuffle=False, drop_last=drop_last) == expected


@pytest.mark.parametrize("replicas", [1, 2, 3, 4])
def test_shuffled_shares_cover_everything_once(replicas):
    dealt = shares(12, replicas)
    indices = [index for share in dealt for index in share]
    assert sorted(indices) == list(range(12))
    assert indices != list(range(12))


def test_set_epoch_changes_the_order_and_nothing_else_does():
    sampler = DistributedSampler(range(50), 2, 1)
    first = list(sampler)
    assert list(sampler) == first, "without set_epoch every pass is the same"
    sampler.set_epoch(1)
    assert list(sampler) != first
    sampler.set_epoch(0)
    assert list(sampler) == first
    assert list(DistributedSampler(range(50), 2, 1, seed=1)) != first


@pytest.mark.parametrize(("replicas", "rank"), [(2, 2), (2, -2), (0, 0)])
def test_a_rank_outside_is_refused(replicas, rank):
    with pytest.raises(ValueError, match=r"\[DistributedSampler\] rank -?\d does not exist"):
        DistributedSampler(range(4), replicas, rank)


def test_defaults_to_the_process_group():
    init_process_group()
    try:
        assert list(DistributedSampler(range(3), shuffle=False)) == [0, 1, 2]
        assert list(DistributedSampler(range(3), -1, -1, shuffle=False)) == [0, 1, 2]
    finally:
        destroy_process_group()


def test_without_a_group_it_says_what_to_call():
    with pytest.raises(RuntimeError, match=r"call init_process_group\(\) first"):
        DistributedSampler(range(3))
