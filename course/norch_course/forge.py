"""A forge: a process that has imported what the answers of a stage stand on, and forks for each.

The gates and `exercises.py behaviour` judge the course's own wrong answers here, some hundreds, and
`make grade` a class's, of which each would import the same packages. The package under test, the
tests and the answer are imported in the fork, by the same judge, which seals itself. A forge for
strangers is lit with nothing of this user's environment, and never sees a task that is not sealed.
"""

import ctypes
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from pathlib import Path
from typing import IO, Any

from norch_course import judge, running
from norch_course.running import Task

CHILD_SUBREAPER = 36  # the number of Linux's option: orphans below it become its children
ROUNDS = 1000  # of ending orphans: what multiplies faster is not caught
TOOLS = ("numpy", "unittest.mock")  # what most tests import


class Forge:
    """Judges one answer after the other in forks of one process; another stage lights it anew."""

    process: subprocess.Popen[bytes]  # with the line to it, from when `below` is set
    line: "Connection[Any, Any]"

    def __init__(self, for_strangers: bool = False) -> None:
        self.below: tuple[str, ...] | None = None
        self.for_strangers = for_strangers

    def __call__(self, task: Task, notes: IO[bytes], printed: IO[bytes]) -> str:
        """Judge in a fork; as `running.in_a_process`, which has what is no judge."""
        is_judge = task.program == Task._field_defaults["program"]
        if not is_judge or task.is_sealed != self.for_strangers:
            return running.in_a_process(task, notes, printed)
        try:
            return self._judge(task, notes, printed)
        except EOFError:  # the forge itself was ended, or cannot fork
            self.close()
            for file in (notes, printed):
                file.seek(0)
                file.truncate()
            return running.in_a_process(task, notes, printed)

    def _judge(self, task: Task, notes: IO[bytes], printed: IO[bytes]) -> str:
        if task.below != self.below:
            self.close()
            self._light(task)
        with as_end_of_file():
            self.line.send((task.words, str(task.folder), task.env))
            for file in (notes, printed):
                send_handle(self.line, file.fileno(), self.process.pid)
        group = self.line.recv()
        late = ""
        try:
            if not self.line.poll(task.limit * running.PATIENCE):
                late = running.too_long(group, task.limit)
        finally:
            running.end(group, task.folder)
            code, seconds = self.line.recv()
        return late or running.went_wrong(code, seconds, task.limit)

    def _light(self, task: Task) -> None:
        paths = task.env["PYTHONPATH"].split(os.pathsep)
        # Nothing of the answer's folder: what names it is ended with the answer.
        env = {key: value for key, value in task.env.items() if str(task.folder) not in value}
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
            self.below = None


@contextmanager
def as_end_of_file() -> Iterator[None]:
    """Let a line that nobody reads any more count as one whose end was read."""
    try:
        yield
    except ConnectionError as error:
        raise EOFError from error


@contextmanager
def workers(for_strangers: bool = False) -> Iterator[ThreadPoolExecutor]:
    """Give threads, one for each processor, each of which judges in a forge of its own."""
    forges = [Forge(for_strangers) for _ in range(os.cpu_count() or 1)]
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
        _, status, used = os.wait4(child, 0)
        end_orphans()
        line.send((os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime))
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


def end_orphans() -> None:
    """End what an answer has left running, whatever group it went to: it is this process's now."""
    for _ in range(ROUNDS):
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError, ValueError, IndexError):
                if int(path.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                    os.kill(int(path.parent.name), signal.SIGKILL)


def main() -> None:
    """Be a forge: `forge.py LINE PACKAGE...`."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(CHILD_SUBREAPER, 1, 0, 0, 0)
    for name in sys.argv[2:]:
        import_module(name)
    gc.freeze()  # or a fork that collects garbage copies all of it
    wait_for_a_task(Connection(int(sys.argv[1])))
    judge.main()


if __name__ == "__main__":
    main()
