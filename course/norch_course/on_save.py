"""`make watch`: after a save the check of what was edited; when it is right, the next exercise.

`commands.py` calls `watch`; the package watchfiles says what was saved. A check is `make check` in
a process of its own, which a newer save ends: who wrote an endless loop saves again. This file
reads the learner's files, and never judges and never writes one.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from norch_course.catalog import Course, CourseError, Exercise, load
from norch_course.holes import MarkError, find_hole
from norch_course.running import need_packages
from norch_course.workbook import read_text

BEAT = 200  # milliseconds after which it is looked whether a check has ended
PATIENCE = 10  # seconds for a check that is told to stop
NO_WATCHFILES = (
    "[course] make watch hears of saves from the package watchfiles, which this Python cannot "
    "import ({}): type make check after a save, or set up another Python: "
    "make watch VENV=.venv313 PYTHON=python3.13"
)
Saves = Iterable[set[Path]]
# Given the exercise that came last, says which comes now, unless it is the same; None: all is done.
GoOn = Callable[[Course, "Exercise | None"], "Exercise | None"]


def watch(course: Course, go_on: GoOn, saves: Saves | None = None) -> int:
    """Check after every save until all is done, or Ctrl-C; return the exit code."""
    if threading.current_thread() is threading.main_thread():
        # Where a shell started this beside itself, Ctrl-C is ignored, here and in the checks.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    heard = iter(saves_in(course.root / "workbook") if saves is None else saves)
    session = Session(course, go_on)
    try:
        next(heard)  # from now on nothing is missed
        if session.go_on():
            for saved in heard:
                if not session.hear(saved):
                    break
    except KeyboardInterrupt:
        print("\n[watch] ended")
    finally:
        session.stop()
    return 0


def saves_in(folder: Path) -> Iterator[set[Path]]:
    """Return the files of a folder as they are saved, and nothing a few times a second."""
    try:
        from watchfiles import watch as changes_in  # no other command needs it
    except ImportError as error:
        raise CourseError(NO_WATCHFILES.format(error)) from None

    def saves() -> Iterator[set[Path]]:
        while True:
            folder.mkdir(parents=True, exist_ok=True)
            for changes in changes_in(
                folder, watch_filter=None, rust_timeout=BEAT, yield_on_timeout=True
            ):
                yield {Path(name) for _, name in changes}
                if not folder.is_dir():  # it was removed, and nothing is heard of a new one
                    break

    return saves()


class Session:
    """What is known between two saves: what stood in each hole, and which exercise comes now."""

    def __init__(self, course: Course, go_on: GoOn) -> None:
        self.root = course.root
        self.say_next = go_on
        self.now: Exercise | None = None
        self.check: subprocess.Popen[bytes] | None = None
        self.sets_up = False  # the check that runs installs what its stage runs on, before
        self.bodies: dict[str, str] = {}
        self.edited(one.stub for one in course.exercises.values())

    def go_on(self) -> bool:
        """Say which exercise comes now, if it is not the same, and wait; tell whether one does."""
        self.now = self.say_next(load(self.root), self.now)
        if self.now:
            self.edited([self.now.stub])  # its file may be new
            self.wait()
        return self.now is not None

    def wait(self) -> None:
        """Say that a save is waited for: an editor's task reads this line, too."""
        print("[watch] waits for a save; Ctrl-C ends it", flush=True)

    def hear(self, saved: set[Path]) -> bool:
        """Act on the end of a check, and on what was saved; tell whether anything is left to do."""
        if self.check and self.check.poll() is not None and not self.end(self.check.returncode):
            return False
        if saved and not self.sets_up and (chosen := self.edited(saved)):
            self.begin(chosen)
        return True

    def end(self, code: int) -> bool:
        """Go on after a check that has ended; tell whether anything is left to do."""
        self.check = None
        if self.sets_up:  # a Python that is started anew finds what was installed
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
        if code == 0:
            return self.go_on()
        self.wait()
        return True

    def edited(self, saved: Iterable[Path]) -> list[Exercise]:
        """Return the exercises whose holes are not what they were when they were read last.

        Where a file was saved and no hole differs, that is the exercise that comes now.
        """
        places = {os.path.realpath(path) for path in saved}
        mine = [
            one
            for one in load(self.root).exercises.values()
            if os.path.realpath(one.stub) in places and one.stub.exists()
        ]
        changed = [one for one in mine if self.differs(one)]
        return changed or ([self.now] if mine and self.now else [])

    def differs(self, exercise: Exercise) -> bool:
        """Tell whether a hole is not what it was when it was read last, and keep what it is."""
        try:
            body = find_hole(read_text(exercise.stub), exercise.suffix, exercise.id).body
        except (CourseError, MarkError) as error:  # its check says so, too
            body = str(error)
        before = self.bodies.get(exercise.id)
        self.bodies[exercise.id] = body
        return body != before

    def begin(self, exercises: list[Exercise]) -> None:
        """Check some exercises, in place of the check that runs."""
        self.stop()
        ids = [one.id for one in exercises]
        print(f"\n[watch] checks {' '.join(ids)}", flush=True)
        words = [sys.executable, str(self.root / "course" / "exercises.py"), "check", *ids]
        try:
            for one in exercises:
                need_packages(one.stage)
        except CourseError:  # make knows what to install
            self.sets_up = True
            print(
                "[watch] installs first what that runs on; a save meanwhile is not checked",
                flush=True,
            )
            words = ["make", "--no-print-directory", "check", *ids]
        self.check = subprocess.Popen(words, cwd=self.root)

    def stop(self) -> None:
        """End the check that runs, if one does; it ends its judge."""
        if self.check and self.check.poll() is None:
            self.check.send_signal(signal.SIGINT)
            try:
                self.check.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.check.kill()
                self.check.wait()
        self.check = None
