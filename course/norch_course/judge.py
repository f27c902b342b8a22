"""The judge: runs the tests of exercises and writes down what it saw, one JSON line a thing.

It runs in a process of its own (`grading.py` starts it), because the answer under test may crash,
loop or exit: whatever happens, the lines written so far tell how far it came.
"""

import argparse
import gc
import importlib.util
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from norch_course.finder import AnswerFinder, OverlayFinder
from norch_course.gate import Gate, read_steps
from norch_course.kernels import lend
from norch_course.seal import limit_resources, seal, without
from norch_course.testing import Outcome, error_text, outcome_of, recorder
from norch_course.watching import AnswerLoader, Watch

ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # of an object: it says nothing, and is never the same
COMPILER = re.compile(r":\d+(?::\d+)?: (?:fatal )?error: (.*)")
LONGEST = 200  # characters of a value that are worth showing


class Notes:
    """Makes each call and writes down what came of it, at once, so that a crash loses nothing."""

    def __init__(self, file: TextIO, answer: Path, gate: Gate | None = None) -> None:
        self.file = file
        self.answer = str(answer)
        self.exercise = ""
        self.gate = gate
        self.forms: Collection[str] = ()  # that the test says it has
        self.seen: set[str] = set()  # forms of input that came in so far

    def write(self, **line: object) -> None:
        """Write one line."""
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def expectation(
        self, shown: str, call: Callable[[], object], wanted: str, expected: str
    ) -> None:
        """Make the call that comes now, between two lines."""
        self.write(asked=shown)
        outcome = outcome_of(call)
        self.write_outcome(shown, outcome, wanted, expected, self._new_forms())
        if self.gate:
            self.gate.again(shown, call, outcome)

    def _new_forms(self) -> list[str]:
        """Return the forms of input that the last call was the first to have."""
        watched = self.gate.watch.seen if self.gate else ()
        forms = {form for _, form in watched if form} | {*self.forms}
        fresh = sorted(forms - self.seen)
        self.seen |= forms
        return fresh

    def close(self, count: int, forms: Collection[str]) -> None:
        """Write what the gate asks of all calls, what was seen, and that the tests are through."""
        seen: dict[str, object] = {"seen": [("array", form) for form in sorted({"", *forms})]}
        if self.gate:
            for rule in self.gate.rules():
                self.write_outcome(rule.shown, rule.outcome, repr(rule.wanted), rule.wanted)
            seen = self.gate.told()
        self.write(watched=seen)
        self.write(done=count)

    def write_outcome(
        self, shown: str, outcome: Outcome, wanted: str, expected: str, forms: Sequence[str] = ()
    ) -> None:
        """Note what came of a call, and the line of the answer where an error arose."""
        error = outcome.error
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(error.__traceback__ if error else None)
            if frame.filename == self.answer
        ]
        if not lines:  # a compiler or the simulator names the line, in an error or a finding
            pattern = rf"\b{re.escape(Path(self.answer).name)}:(\d+)"
            said = str(error) if error else outcome.text
            lines = [int(number) for number in re.findall(pattern, said)[:1]]
        refused = COMPILER.search(str(error)) if error else None
        got = f"does not compile: {refused[1]}" if refused else ADDRESS.sub("", outcome.text)
        texts = [
            text if len(text) <= LONGEST else text[:LONGEST] + " ..." for text in (got, expected)
        ]
        self.write(
            exercise=self.exercise,
            shown=shown,
            got=texts[0],
            data=outcome.data,
            wanted=wanted,
            expected=texts[1],
            line=lines[-1] if lines else None,
            forms=forms,
        )


class BlindNotes(Notes):
    """Keeps the calls until the tests are through, and nothing of what is expected of them.

    An answer that looks around in its process then finds its inputs, and no results.
    """

    def __init__(self, file: TextIO, answer: Path, gate: Gate | None = None) -> None:
        super().__init__(file, answer, gate)
        self.kept: list[tuple[str, Collection[str], str, Callable[[], object]]] = []

    def expectation(
        self, shown: str, call: Callable[[], object], wanted: str, expected: str
    ) -> None:
        """Keep the call."""
        self.kept.append((self.exercise, self.forms, shown, call))

    def make_calls(self) -> None:
        """Make all calls that were kept."""
        for exercise, forms, shown, call in self.kept:
            self.exercise, self.forms = exercise, forms
            super().expectation(shown, call, "", "")


def import_tests(path: Path) -> list[Callable[[], None]]:
    """Import a test file and return its tests of exercises, in their order."""
    spec: Any = importlib.util.spec_from_file_location(f"judged_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return [item for item in vars(module).values() if hasattr(item, "exercise")]


def forget(files: list[Path], tests: list[Callable[[], None]]) -> None:
    """Drop the tests, whose texts hold what is expected, from this process."""
    for path in files:
        names = vars(sys.modules.pop(f"judged_{path.stem}"))
        for name in [name for name, item in names.items() if hasattr(item, "exercise")]:
            del names[name]
    tests.clear()
    gc.collect()


def refuse_processes(event: str, arguments: tuple[Any, ...]) -> None:
    """Let no answer in Python multiply, nor end itself as if somebody else had.

    A hook for `sys.addaudithook`, which nothing removes.
    """
    if event in ("os.fork", "os.forkpty", "os.kill", "os.killpg"):
        raise PermissionError("[judge] an answer starts and ends no process")


def run(test: Callable[[], None], notes: Notes) -> None:
    """Run one test; an error outside its expectations counts as one that was not met."""
    notes.exercise, notes.forms = test.exercise, test.forms  # type: ignore[attr-defined]
    try:
        test()
    except (Exception, SystemExit) as error:
        notes.write_outcome(
            test.__name__, Outcome(error_text(error), None, error), "None", "no error"
        )


def finder(
    arguments: argparse.Namespace, folder: Path
) -> tuple[AnswerFinder | OverlayFinder, Gate | None]:
    """Return what finds the answer (a module of Python, or a package with other sources).

    One exercise in Python is watched, and has a gate.
    """
    module, answer, ids = arguments.module, arguments.answer, arguments.ids
    if answer.suffix != ".py":
        return OverlayFinder(module, folder), None
    if "," in ids:
        return AnswerFinder(module, answer), None
    watch = Watch(str(answer))
    gate = Gate(watch, arguments.changes.split(","), read_steps(arguments.steps, ids))
    loader = partial(AnswerLoader, watch=watch, id=ids)
    return AnswerFinder(module, answer, loader), gate


def parse(words: list[str]) -> argparse.Namespace:
    """Read the words of a command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notes", type=int, help="the open file to write to")
    parser.add_argument("answer", type=Path)
    parser.add_argument("module")
    parser.add_argument("seconds", type=int)
    parser.add_argument("ids")
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument(
        "--blind", type=Path, nargs="+", help="hide all results and this file; leave these folders"
    )
    parser.add_argument("--changes", default="", help="arguments that the task says are changed")
    parser.add_argument("--steps", type=Path, default=Path(), help="the reference's, a file")
    return parser.parse_args(words)


def judge(arguments: argparse.Namespace, file: TextIO) -> None:
    """Run the tests of some exercises on an answer in this folder, and note what comes of them."""
    folder = Path.cwd()
    found_by, gate = finder(arguments, folder)
    if arguments.blind:
        packages = list(without(arguments.blind[0], arguments.blind[1:]))
        compiles = arguments.answer.suffix == ".cu"
        seal([*packages, *arguments.files], folder, compiles)
    sys.meta_path.insert(0, found_by)
    if arguments.blind and compiles:
        lend()
    kind = BlindNotes if arguments.blind else Notes
    notes = kind(file, arguments.answer, gate)
    recorder.set(notes)
    wanted = arguments.ids.split(",")
    found = [test for path in arguments.files for test in import_tests(path)]
    tests = [test for test in found if test.exercise in wanted]  # type: ignore[attr-defined]
    count, forms = len(tests), {form for test in tests for form in test.forms}  # type: ignore[attr-defined]
    for test in tests:
        run(test, notes)
    if isinstance(notes, BlindNotes):
        test = None  # type: ignore[assignment]  # no name for a test is left
        found.clear()
        forget(arguments.files, tests)
        seal(packages, folder, compiles)
        if not compiles:
            sys.addaudithook(refuse_processes)
        notes.make_calls()
    notes.close(count, forms)


def main() -> None:
    """Judge in this process: `judge.py 5 ANSWER MODULE 10 1.5,1.6 TEST_FILE...`."""
    arguments = parse(sys.argv[1:])
    limit_resources(arguments.seconds)
    file = os.fdopen(arguments.notes, "w", encoding="utf-8")
    os.set_inheritable(arguments.notes, False)
    judge(arguments, file)
    with suppress(Exception):
        sys.stdout.flush()
    os._exit(0)  # whatever an answer has left running, or for the end


if __name__ == "__main__":
    main()
