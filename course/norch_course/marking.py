"""Marking: judges the answers of a class side by side, each text once, and says how fast.

`classroom.py` asks what is known of an answer, and hands in what is not. Each answer is a
stranger's: it is judged under seal, in forks of a process that has imported the library once, and
this process compares. What could not be judged is a word too: the machine's fault, nobody's answer.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from norch_course import seal
from norch_course.catalog import Course, CourseError, Exercise
from norch_course.forge import workers
from norch_course.grading import basis_of, cache_folder, grade, key_of
from norch_course.running import Record
from norch_course.workbook import Answer


class Word(NamedTuple):
    """What a table says of one exercise of a learner, and why, where that needs words."""

    word: str
    why: str = ""


class Task(NamedTuple):
    """One learner's answer to one exercise."""

    exercise: Exercise
    answer: Answer


Submit = Callable[[Task], Future[Word]]


class Unknown(Exception):
    """Nothing is remembered of an answer."""


class Marking:
    """What all learners of a class share: the keys, what is remembered, and the processes."""

    def __init__(self, course: Course) -> None:
        self.course = course
        is_sealed = seal.version() > 0
        self.cache = cache_folder(course) / "grades" if is_sealed else None
        self.keys: dict[str, Sequence[Record]] = {}
        read: dict[Path, str] = {}
        self.bases = {one.id: basis_of(one, read) for one in course.exercises.values()}

    def remembered(self, task: Task) -> Word | None:
        """Return what can be said of an answer without running anything; None for nothing."""

        def need() -> Sequence[Record]:
            raise Unknown

        try:
            return self._word(task, need)
        except Unknown:
            return None

    def judge(self, task: Task) -> Word:
        """Judge an answer, or remember what came of it."""
        try:
            return self._word(task, lambda: self._key(task.exercise))
        except CourseError as error:
            return Word(error.status, str(error))

    def _word(self, task: Task, key: Callable[[], Sequence[Record]]) -> Word:
        exercise, answer = task
        basis = self.bases[exercise.id]
        return Word(grade(exercise, answer, self.cache, basis=basis, key=key).status)

    def _key(self, exercise: Exercise) -> Sequence[Record]:
        """Return what is expected, found once for all learners."""
        if exercise.id not in self.keys:
            self.keys[exercise.id] = key_of(exercise)
        return self.keys[exercise.id]

    @contextmanager
    def pool(self) -> Iterator[Submit]:
        """Give a function that lets an answer be judged; the same text twice is judged once."""
        futures: dict[tuple[str, str], Future[Word]] = {}
        count = os.cpu_count()
        with workers(for_strangers=True) if self.cache else ThreadPoolExecutor(count) as pool:

            def submit(task: Task) -> Future[Word]:
                text = (task.exercise.id, task.answer.hole.body)
                if text not in futures:
                    futures[text] = pool.submit(self.judge, task)
                return futures[text]

            try:
                yield submit
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


class Pace:
    """How many answers are judged in a minute, and how long those take that are left."""

    def __init__(self, futures: Sequence[Future[Word]]) -> None:
        self.futures = {id(one): one for one in futures}.values()  # each once
        self.began = time.monotonic()

    def said(self) -> str:
        """Return it as the end of a line, or nothing when nothing is left."""
        judged = sum(one.done() for one in self.futures)
        return told(judged, len(self.futures) - judged, time.monotonic() - self.began)


def told(judged: int, left: int, seconds: float) -> str:
    """Say how fast it goes and how long still, where something is left."""
    if not (left and judged):
        return ""
    minutes = left * seconds / judged / 60
    still = f"about {minutes:.0f} minutes" if minutes >= 1.5 else "about a minute"
    rate = 60 * judged / max(seconds, 1e-3)
    return f" ({rate:.0f} exercises a minute, {still} still)"
