"""A forge: a process that has imported what the answers of a stage stand on, and forks for each.

The gates and `exercises.py behaviour` judge the course's own wrong answers here, some hundreds,
of which each would import the same packages. The package under test, the tests and the answer are
imported in the fork, by the same judge. It never judges a learner's or a stranger's answer.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import IO, Any

from norch_course import judge, running
from norch_course.running import Task

TOOLS = ("numpy", "unittest.mock")  # what most tests import


class Forge:
    """Judges one answer after the other in forks of one process; another stage lights it anew."""

    process: subprocess.Popen[bytes]  # with the line to it, from when `below` is set
    line: "Connection[Any, Any]"

    def __init__(self) -> None:
        self.below: tuple[str, ...] | None = None

    def __call__(self, task: Task, notes: IO[bytes], printed: IO[bytes]) -> str:
        """Judge in a fork; as `running.in_a_process`, which has what is no judge."""
        if task.program != Task._field_defaults["program"]:
            return running.in_a_process(task, notes, printed)
        if task.below != self.below:
            self.close()
            self._light(task)
        self.line.send((task.words, str(task.folder), task.env))
        for file in (notes, printed):
            send_handle(self.line, file.fileno(), self.process.pid)
        group = self.line.recv()
        try:
            is_late = not self.line.poll(task.limit * running.PATIENCE)
        finally:
            running.end(group, task.folder)
        code = self.line.recv()
        return running.went_wrong(None if is_late else code, task.limit)

    def _light(self, task: Task) -> None:
        paths = task.env["PYTHONPATH"].split(os.pathsep)
        # Nothing of the answer's folder: what names it is ended with the answer.
        env = {key: value for key, value in task.env.items() if value != str(task.folder)}
        env["PYTHONPATH"] = os.pathsep.join(paths[1:])
        self.line, theirs = Pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, str(theirs.fileno()), *TOOLS, *task.below],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
        theirs.close()
        self.below = task.below

    def close(self) -> None:
        """End the process."""
        if self.below is not None:
            self.line.close()
            self.process.wait()


@contextmanager
def workers() -> Iterator[ThreadPoolExecutor]:
    """Give threads, one for each processor, each of which judges in a forge of its own."""
    forges = [Forge() for _ in range(os.cpu_count() or 1)]
    unused = forges.copy()

    def take_one() -> None:
        running.judging.set(unused.pop())

    try:
        with ThreadPoolExecutor(len(forges), initializer=take_one) as pool:
            yield pool
    finally:
        for forge in forges:
            forge.close()


def wait_for_a_task(line: Connection) -> None:
    """Fork for each task that comes over the line; return in the fork, which is ready to judge."""
    while True:
        try:
            words, folder, env = line.recv()
        except EOFError:
            sys.exit()
        notes, printed = recv_handle(line), recv_handle(line)
        child = os.fork()
        if not child:
            break
        os.close(notes)
        os.close(printed)
        line.send(child)
        line.send(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    line.close()
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.path.insert(0, folder)
    sys.argv[1:] = [str(notes), *words]
    for stream in (1, 2):
        os.dup2(printed, stream)
    os.close(printed)


def main() -> None:
    """Be a forge: `forge.py LINE PACKAGE...`."""
    for name in sys.argv[2:]:
        import_module(name)
    gc.freeze()  # or a fork that collects garbage copies all of it
    wait_for_a_task(Connection(int(sys.argv[1])))
    judge.main()


if __name__ == "__main__":
    main()
