"""Schedules as lists: every rank gets what it waits for, and idles and keeps what is promised.

No rank is started: an action of one chunk takes one tick, and a message nothing.
"""

import pytest

from norch_ddp.model_parallel import Schedule1F1B, ScheduleGPipe, interleaved as module
from norch_ddp.model_parallel.interleaved import interleaved
from norch_ddp.model_parallel.pipeline import ChunkAction


def played(lists, ticks=1):
    """Return each rank's row of (action, or None where it is idle), tick by tick."""
    ranks, stages = len(lists), len(lists) * (1 + max(a.chunk for a in lists[0]))
    ends, rows, places = {}, [[] for _ in lists], [0] * ranks
    while any(place < len(actions) for place, actions in zip(places, lists, strict=True)):
        before = list(places)
        for rank, actions in enumerate(lists):
            while places[rank] < len(actions):
                action = actions[places[rank]]
                stage = rank + ranks * action.chunk
                needed = [ends.get(one) for one in needs(action, stage, stages)]
                if None in needed:
                    break
                row = rows[rank]
                row += [None] * (max([len(row), *needed]) - len(row)) + [action] * ticks
                ends[action.kind, action.micro_batch, stage] = len(row)
                places[rank] += 1
        assert places != before, f"ranks wait for ever: {lists}"
    return [row + [None] * (max(map(len, rows)) - len(row)) for row in rows]


def needs(action, stage, stages):
    kind, i, _ = action
    if kind == "F":
        return [("F", i, stage - 1)] if stage else []
    return [("F", i, stage), *([("B", i, stage + 1)] if stage < stages - 1 else [])]


def most_kept(actions):
    count, most = 0, 0
    for action in actions:
        count += 1 if action.kind == "F" else -1
        most = max(most, count)
    return most


@pytest.mark.parametrize("ranks", [2, 3, 4, 8])
@pytest.mark.parametrize("chunks", [1, 2, 3])
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_the_bubble_is_divided_by_the_chunks(ranks, chunks, rounds):
    micro = rounds * ranks
    lists = [interleaved(rank, ranks, micro, chunks) for rank in range(ranks)]
    for rank, (actions, row) in enumerate(zip(lists, played(lists), strict=True)):
        work = 2 * chunks * micro
        assert len(actions) == len(set(actions)) == work
        assert (len(row) - work) * chunks * micro == (ranks - 1) * work  # (p - 1) / (v m)
        ahead = 2 * (ranks - rank - 1) + (chunks - 1) * ranks
        assert most_kept(actions) == min(ahead + 1, chunks * micro)


@pytest.mark.parametrize(("micro", "in_round"), [(1, 1), (3, 3), (5, 5), (7, 7), (8, 4), (10, 5)])
def test_rounds_of_more_or_fewer_than_the_ranks_keep_what_is_promised(micro, in_round):
    for chunks in (2, 3):
        lists = [interleaved(rank, 4, micro, chunks) for rank in range(4)]
        waits = 4 - 1 + (chunks - 1) * max(0, 4 - micro)
        assert {len(row) for row in played(lists)} == {2 * (chunks * micro + waits)}
        for rank, actions in enumerate(lists):
            ahead = 2 * (4 - rank - 1) + (chunks - 1) * in_round
            assert most_kept(actions) == min(ahead + 1, chunks * micro)


@pytest.mark.parametrize("micro", [9, 11, 13])
def test_rounds_that_are_not_equal_are_refused(micro):
    """Of 4 ranks; each way out that the message names is one."""
    rounds = micro // 4
    words = f"{micro} micro-batches are not {rounds} equal.*ranks, 4, or of the rounds, {rounds}"
    with pytest.raises(ValueError, match=words):
        interleaved(0, 4, micro, 2)
    assert interleaved(0, 4, micro // 4 * 4, 2) and interleaved(0, 4, micro - micro % rounds, 2)


def drawn(rows):
    """The rows as text: small letters are the second chunk."""
    return [
        "".join(
            ". " if one is None else (one.kind.lower() if one.chunk else one.kind) + f"{one[1]}"
            for one in row
        ).rstrip()
        for row in rows
    ]


def test_the_picture_of_the_file_is_drawn_from_the_lists():
    plain = [[ChunkAction(*a) for a in Schedule1F1B.actions(rank, 2, 2)] for rank in range(2)]
    twice = [interleaved(rank, 2, 2, 2) for rank in range(2)]
    for line in drawn(played(plain, ticks=2)) + drawn(played(twice)):
        assert any(line in found for found in module.__doc__.splitlines()), line


def test_gpipe_and_1f1b_take_as_long_and_keep_m_and_n():
    for schedule, kept in ((ScheduleGPipe, [6] * 4), (Schedule1F1B, [4, 3, 2, 1])):
        lists = [[ChunkAction(*a) for a in schedule.actions(r, 4, 6)] for r in range(4)]
        assert {len(row) for row in played(lists)} == {2 * (6 + 4 - 1)}
        assert [most_kept(actions) for actions in lists] == kept
