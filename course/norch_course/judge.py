"""The judge: runs the tests of exercises and writes down what it saw, one JSON line a thing.

It runs in a process of its own (`grading.py` starts it), because the answer under test may crash,
loop or exit: whatever happens, the lines written so far tell how far it came.
"""

import argparse
import importlib.util
import json
import re
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from norch_course.finder import AnswerFinder, OverlayFinder
from norch_course.testing import Seen, recorder, told

MEMORY = 4 << 30  # bytes of address space: an endless list ends in a MemoryError
OUTPUT = 64 << 20  # bytes a file may grow to: an endless print ends in an OSError
ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # of an object: it says nothing, and is never the same
COMPILER = re.compile(r":\d+:\d+: (?:fatal )?error: (.*)")
LONGEST = 200  # characters of a value that are worth showing


def limit_resources(seconds: int) -> None:
    """Bound memory, file size and a processor's time where the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


class Notes:
    """Writes each expectation to a file, at once, so that a crash loses nothing."""

    def __init__(self, path: Path, answer: Path) -> None:
        self.file = path.open("w", encoding="utf-8")
        self.answer = str(answer)
        self.exercise = ""

    def write(self, **line: object) -> None:
        """Write one line."""
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def asked(self, shown: str) -> None:
        """Note the call that comes now."""
        self.write(asked=shown)

    def seen(self, shown: str, seen: Seen, expected: str) -> None:
        """Note what came of it, and the line of the answer where an error arose."""
        lines = [
            frame.lineno
            for frame in traceback.extract_tb(seen.error.__traceback__ if seen.error else None)
            if frame.filename == self.answer
        ]
        if seen.error and not lines:  # a compiler or the simulator names the line in its message
            pattern = rf"\b{re.escape(Path(self.answer).name)}:(\d+)"
            lines = [int(number) for number in re.findall(pattern, str(seen.error))[:1]]
        refused = COMPILER.search(str(seen.error)) if seen.error else None
        got = f"does not compile: {refused[1]}" if refused else ADDRESS.sub("", seen.text)
        texts = [
            text if len(text) <= LONGEST else text[:LONGEST] + " ..." for text in (got, expected)
        ]
        self.write(
            exercise=self.exercise,
            shown=shown,
            got=texts[0],
            expected=texts[1],
            right=seen.is_right,
            line=lines[-1] if lines else None,
        )


def import_tests(path: Path) -> list[Callable[[], None]]:
    """Import a test file and return its tests of exercises, in their order."""
    spec = importlib.util.spec_from_file_location(f"judged_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return [item for item in vars(module).values() if hasattr(item, "exercise")]


def run(test: Callable[[], None], notes: Notes) -> None:
    """Run one test; an error outside its expectations counts as one that was not met."""
    notes.exercise = test.exercise  # type: ignore[attr-defined]
    try:
        test()
    except (Exception, SystemExit) as error:
        notes.seen(test.__name__, Seen(told(error), error, False), "no error")


def finder(module: str, answer: Path, folder: Path) -> AnswerFinder | OverlayFinder:
    """Return what finds the answer: a module of Python, or a package with other sources."""
    return AnswerFinder(module, answer) if answer.suffix == ".py" else OverlayFinder(module, folder)


def main() -> None:
    """Run the tests of some exercises: `judge.py NOTES ANSWER MODULE 10 1.5,1.6 TEST_FILE...`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notes", type=Path)
    parser.add_argument("answer", type=Path)
    parser.add_argument("module")
    parser.add_argument("seconds", type=int)
    parser.add_argument("ids")
    parser.add_argument("files", type=Path, nargs="*")
    arguments = parser.parse_args()
    limit_resources(arguments.seconds)
    sys.meta_path.insert(0, finder(arguments.module, arguments.answer, arguments.notes.parent))
    notes = Notes(arguments.notes, arguments.answer)
    recorder.set(notes)
    wanted = arguments.ids.split(",")
    found = [test for path in arguments.files for test in import_tests(path)]
    tests = [test for test in found if test.exercise in wanted]  # type: ignore[attr-defined]
    for test in tests:
        run(test, notes)
    notes.write(done=len(tests))


if __name__ == "__main__":
    main()
