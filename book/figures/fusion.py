"""The page on fusion: a chain of operations, each through memory, and the one loop they become.

The lines are those of a kernel that `norch.compile` has written; what each reads is read off them.
Nothing here is timed.
"""

import re
from typing import NamedTuple

from lessons.frames import enumerated

from figures.player import Player

LEFT, ROW, TOP = 14, 30, 62
WORDS = 124  # width of the lines of the loop
BOX = 46  # width of a trip to memory
BYTES = 4  # of a float32


class Operation(NamedTuple):
    """A line of the loop: the variable that it makes, and the arrays that it reads."""

    name: str
    words: str
    reads: list[str]  # of the other lines (t0) and of the inputs (x0), each once

    @property
    def moved(self) -> int:
        """Bytes for each element, if inputs and result lie in memory."""
        return BYTES * (len(self.reads) + 1)


def operations(loop: str) -> list[Operation]:
    """Read the operations off the lines of a kernel: `const float t1 = t0 * x0;`."""
    found = re.findall(r"const float (t\d+) = (.*);", loop)
    return [
        Operation(name, re.sub(r"float\((c\d+)\)", r"\1", words), _each(r"\b[tx]\d+", words))
        for name, words in found
    ]


def _each(pattern: str, words: str) -> list[str]:
    return list(dict.fromkeys(re.findall(pattern, words)))


def chain_and_loop(loop: str) -> Player:
    """Draw each operation with its trips to memory, in their order; then the same in a loop."""
    chain = operations(loop)
    if not chain:
        raise ValueError("no operation is in this loop: give it the lines of a kernel")
    inputs = _each(r"\bx\d+", loop)
    before = sum(one.moved for one in chain)
    after = BYTES * (len(inputs) + 1)
    ends = f"One loop: {enumerated(inputs)} in, {chain[-1].name} out, the rest in registers"
    says = [*_sentences(chain), f"{ends}: {after} bytes for each element instead of {before}."]
    alt = (
        f"{len(chain)} operations one after the other move {before} bytes for each element; as "
        f"one loop they move {after}"
    )
    width = _beside(chain) + max(156, BOX * (len(inputs) + 2) + LEFT)
    player = Player(width, TOP + ROW * len(chain) + 40, alt, says, "operation")
    _chain(player, chain)
    with player.during(len(chain)):
        _loop(player, chain, inputs, after)
    return player


def _trips(chain: list[Operation]) -> int:
    """Return how many reads have room before what is written."""
    return max(2, *(len(one.reads) for one in chain))


def _beside(chain: list[Operation]) -> int:
    """Return where the loop stands: right of the chain."""
    return LEFT + WORDS + BOX * (_trips(chain) + 1) + 24


def _sentences(chain: list[Operation]) -> list[str]:
    said, total = [], 0
    for number, one in enumerate(chain, start=1):
        total += one.moved
        trips = f"reads {enumerated(one.reads)} from memory and writes {one.name}"
        moved = f"{one.moved} bytes for each element, {total} so far"
        said.append(f"Operation {number} of {len(chain)}, {one.words}: {trips}. {moved}.")
    return said


def _chain(player: Player, chain: list[Operation]) -> None:
    """Draw the operations, each from its own frame on, with its trips; the bytes below them."""
    player.text(LEFT, 22, "one operation after the other", 15, anchor="start", weight="bold")
    player.text(
        LEFT, 46, "orange: read from memory, green: written to it", 13, "soft", anchor="start"
    )
    total = 0
    for number, one in enumerate(chain):
        y, total = TOP + ROW * number, total + one.moved
        player.text(LEFT, y + 18, f"{one.name} = {one.words}", 14, anchor="start")
        with player.during(number):
            for trip, name in enumerate([*one.reads, one.name]):
                is_read = trip < len(one.reads)
                x = LEFT + WORDS + BOX * (trip if is_read else _trips(chain))
                player.box(x, y, BOX - 6, ROW - 6, "c1" if is_read else "c2")
                player.text(x + BOX / 2 - 3, y + 17, name, 14)
        with player.during(number, number if number < len(chain) - 1 else None):
            words = f"{total} bytes for each element"
            player.text(LEFT, TOP + ROW * len(chain) + 22, words, 15, anchor="start")


def _loop(player: Player, chain: list[Operation], inputs: list[str], moved: int) -> None:
    """Draw the same operations beside it: inputs at the first line, the result at the last."""
    x, foot = _beside(chain), TOP + ROW * len(chain)
    player.text(x, 22, "one loop", 15, anchor="start", weight="bold")
    player.text(x, 46, "plain: kept in a register", 13, "soft", anchor="start")
    for place, name in enumerate(inputs):
        player.box(x + BOX * place, TOP, BOX - 6, ROW - 6, "c1")
        player.text(x + BOX * place + BOX / 2 - 3, TOP + 17, name, 14)
    column = x + BOX * len(inputs)
    for number, one in enumerate(chain):
        y = TOP + ROW * number
        player.box(column, y, BOX - 6, ROW - 6, "empty")
        player.text(column + BOX / 2 - 3, y + 17, one.name, 14)
    player.box(column + BOX, foot - ROW, BOX - 6, ROW - 6, "c2")
    player.text(column + BOX + BOX / 2 - 3, foot - ROW + 17, chain[-1].name, 14)
    player.text(x, foot + 22, f"{moved} bytes", 15, anchor="start")
