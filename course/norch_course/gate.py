"""The gate: what the judge asks of every Python answer besides its cases.

Arguments, and what `self` keeps, are after each call what they were, but for those that the task
says are changed; the same call gives the same again; and a call takes steps in the order of the
reference's (`wrong/steps.json` has these, a number a case). `judge.py` hands in each call, and
writes the three records down; `watching.py` looks.
"""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from norch_course.testing import Outcome, outcome_of
from norch_course.watching import Watch

TIMES_OURS = 4
AN_ELEMENT = 8  # steps that are granted for each element that came in: a loop instead of a call
SOME = 200
KEPT, SAME, FEW = "as they were", "the same again", "in the order of ours"
RULES = (KEPT, SAME, FEW)  # what is expected of the gate's own records
STEPS_FILE = "steps.json"


class Rule(NamedTuple):
    """One thing that is asked: of what, what came of it, and what should have."""

    shown: str
    got: str
    wanted: str

    @property
    def outcome(self) -> Outcome:
        """The record's own outcome, as if a call had given a text."""
        return Outcome(self.got, repr(self.got), None)


class Gate:
    """Makes the calls of an exercise once more, and says in the end what it saw."""

    def __init__(self, watch: Watch, changes: Collection[str], ours: Sequence[int]) -> None:
        self.watch, self.changes, self.ours = watch, changes, ours
        self.differs, self.slow = "", ""
        self.steps: list[int] = []

    def again(self, shown: str, call: Callable[[], object], first: Outcome) -> None:
        """Make a call a second time, and count its steps."""
        watch = self.watch
        watch.steps = watch.size = 0
        if not first.error:
            watch.forget()
            watch.is_counting = True
            second = outcome_of(call)
            watch.is_counting = False
            if second.data != first.data and not self.differs:
                self.differs = f"{shown}: {first.text}, then {second.text}"
        self._look_at_steps(shown)
        self.steps.append(watch.steps)

    def _look_at_steps(self, shown: str) -> None:
        if len(self.steps) < len(self.ours) and not self.slow:
            ours, mine = self.ours[len(self.steps)], self.watch.steps
            if mine > TIMES_OURS * ours + AN_ELEMENT * self.watch.size + SOME:
                self.slow = f"{shown}: {mine} steps, and {ours} in ours"

    def rules(self) -> Iterator[Rule]:
        """Yield what is asked, in the same words each time; nothing where there was no case."""
        if not self.steps:
            return
        found = self.watch.changed.items()
        changed = [said for name, said in found if not may_change(name, self.changes)]
        yield Rule("arguments, after each call", next(iter(changed), KEPT), KEPT)
        yield Rule("each call once more", self.differs or SAME, SAME)
        yield Rule("lines run and calls made", self.slow or FEW, FEW)

    def told(self) -> dict[str, object]:
        """Return all that was seen, for those who write exercises."""
        return {
            "steps": self.steps,
            "changed": sorted(self.watch.changed),
            "seen": sorted(self.watch.seen),
        }


def may_change(name: str, changes: Collection[str]) -> bool:
    """Tell whether the task says that an argument is changed; `self` stands for all it keeps."""
    return name in changes or (name.startswith("self.") and "self" in changes)


def read_steps(file: Path, id: str) -> list[int]:
    """Return the reference's steps, a number a case; none where they are not written down yet."""
    if not file.exists():
        return []
    return [int(word) for word in json.loads(file.read_text("utf-8")).get(id, "").split()]
