"""The tests of exercise 6.17, blocks of a checkpoint: from small cases to large."""

from itertools import product

from norch_autograd import arange, zeros
from norch_course.testing import exercise, expect
from norch_ddp.model_parallel.named_state import Box


def met(first, second):
    """Return what two blocks have in common, in plain numbers."""
    common = Box(*first).meet(Box(*second))
    if common is None:
        return None
    return (common.starts, common.lengths) if type(common) is Box else f"a {type(common).__name__}"


@exercise("6.17")
def test_what_two_blocks_have_in_common():
    for first, second, expected in [
        (((0,), (4,)), ((0,), (4,)), ((0,), (4,))),
        (((0,), (4,)), ((2,), (4,)), ((2,), (2,))),
        (((2,), (4,)), ((0,), (4,)), ((2,), (2,))),
        (((3,), (2,)), ((1,), (9,)), ((3,), (2,))),
        (((0,), (2,)), ((5,), (2,)), None),
        (((0,), (2,)), ((2,), (2,)), None),
        (((2, 0), (3, 6)), ((0, 4), (4, 4)), ((2, 4), (2, 2))),
        (((0, 0), (2, 6)), ((2, 0), (2, 6)), None),
        (((0, 0), (4, 2)), ((1, 2), (2, 2)), None),
        (((0, 0), (2, 2)), ((5, 7), (2, 2)), None),
        (((1, 0, 2), (2, 3, 2)), ((0, 1, 0), (2, 9, 3)), ((1, 1, 2), (1, 2, 1))),
        (((), ()), ((), ()), ((), ())),
        (((2,), (0,)), ((0,), (4,)), None),
        (((2,), (0,)), ((2,), (0,)), None),
        (((0, 1), (2, 0)), ((0, 0), (2, 3)), None),
        (((7,), (1,)), ((0,), (8,)), ((7,), (1,))),
        (((1, 1, 1, 1), (2, 2, 2, 2)), ((0, 2, 0, 2), (9, 9, 2, 9)), ((1, 2, 1, 2), (2, 1, 1, 1))),
    ]:
        shown = f"Box{first}.meet(Box{second})"
        expect(shown, lambda args=(first, second): met(*args), expected)


def cut(shape, parts):
    """Return the blocks of a whole that is cut into so many parts along each dimension."""
    sides = []
    for length, count in zip(shape, parts, strict=True):
        each = -(-length // count)
        starts = range(0, length, each)
        sides.append([(start, min(each, length - start)) for start in starts])
    return [Box(*map(tuple, zip(*block, strict=True))) for block in product(*sides)]


def read_again(shape, written, wanted):
    """Return the numbers of each block that is read, from the blocks that were written."""
    whole = arange(shape[0] * shape[1]).reshape(*shape)
    origin = Box((0,) * len(shape), shape)
    files = [(box, box.within(whole, origin).clone()) for box in cut(shape, written)]
    found = []
    for mine in cut(shape, wanted):
        part = zeros(*mine.lengths) - 1
        for box, kept in files:
            common = mine.meet(box)
            if common is not None:
                common.within(part, mine).copy_(common.within(kept, box))
        found.append(part.long().tolist())
    return found


@exercise("6.17")
def test_other_ranks_read_what_some_have_written():
    for shape, written, wanted in [
        ((4, 2), (2, 1), (4, 1)),
        ((4, 6), (4, 1), (1, 3)),
        ((5, 3), (2, 1), (3, 2)),
    ]:
        numbers = [list(range(r * shape[1], (r + 1) * shape[1])) for r in range(shape[0])]
        expected = [
            [row[b.starts[1] :][: b.lengths[1]] for row in numbers[b.starts[0] :][: b.lengths[0]]]
            for b in cut(shape, wanted)
        ]
        shown = (
            f"a matrix {shape} of 0, 1, ..., written in {written[0]} x {written[1]} blocks, "
            f"read in {wanted[0]} x {wanted[1]}: the numbers of each block"
        )
        args = (shape, written, wanted)
        expect(shown, lambda args=args: read_again(*args), expected)
