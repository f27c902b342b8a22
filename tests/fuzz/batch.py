"""Runs calls in child processes with limits on time and memory, so that nothing ends the run.

A child is a fork of this process, in which the libraries are loaded. It notes the call it is at in
shared memory: where it dies or stands still, that call is the finding, and the next child goes on
behind it.
"""

import functools
import io
import mmap
import os
import pickle
import resource
import select
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fuzz.judge import Finding

MEMORY = 4 * 2**30  # bytes of address space beyond what the libraries take
FAILED = "[fuzz] the fuzzer itself failed"
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


@dataclass
class Counts:
    """What a run did, in calls."""

    calls: int = 0
    returned: int = 0
    refused: int = 0
    explained: dict = field(default_factory=dict)

    def add(self, other):
        """Add what another one counted."""
        self.calls += other.calls
        self.returned += other.returned
        self.refused += other.refused
        for reason, count in other.explained.items():
            self.explained[reason] = self.explained.get(reason, 0) + count

    def explain(self, reason):
        """Count a call that is explained; one with two causes counts for both."""
        for cause in reason.split("; and "):
            self.explained[cause] = self.explained.get(cause, 0) + 1


def limit_process(seconds):
    """Give this process its limits on memory, and on processor time from now."""
    if not SANITIZED:  # whose shadow memory takes terabytes of addresses
        with open("/proc/self/statm") as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    more_time(seconds)


def more_time(seconds):
    """Let this process compute for so many seconds from now, on every core."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    limit = int(time.process_time() + 2 * seconds * (os.cpu_count() or 1)) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


class Progress:
    """Where a child is, in memory that it shares with its parent: the call, and which side."""

    def __init__(self, at):
        self.memory = mmap.mmap(-1, 16)
        self.now(at)

    def now(self, at, side=0):
        """Note the call, and the side that runs it: 0 is norch."""
        self.memory[:16] = struct.pack("qq", at, side)

    def read(self):
        """Return the call and the side."""
        return struct.unpack("qq", self.memory[:16])


class Ending(NamedTuple):
    """How a child ended: "" for well, "hang", the name of a signal or an exit code; and where."""

    word: str
    at: int
    side: int
    said: str


def child(work, progress, pipe, seconds):
    """Run `work` in this fork and leave; what it yields goes through the pipe."""
    limit_process(seconds)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 0), os.dup2(quiet, 1)
    code = 1
    try:
        with os.fdopen(pipe, "wb") as out:
            for message in work(progress):
                pickle.dump(message, out)
                out.flush()
        code = 0
    except BaseException as error:
        os.write(2, f"{FAILED}: {error!r}\n".encode())
        traceback.print_exc()
    os._exit(code)


def forked(work, seconds, start=0):
    """Yield what `work(progress)` yields in a child; at last ("end", ...), the parts of Ending."""
    progress = Progress(start)
    sys.stdout.flush(), sys.stderr.flush()
    with tempfile.TemporaryFile() as errors:
        inlet, outlet = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(inlet)
            os.dup2(errors.fileno(), 2)
            child(work, progress, outlet, seconds)
        os.close(outlet)
        data, hung = listen(inlet, pid, progress, seconds)
        word = ending(os.waitpid(pid, 0)[1])
        errors.seek(0)
        said = errors.read().decode(errors="replace")
    yield from unpickle(data)
    yield "end", "hang" if hung else word, *progress.read(), said


def listen(inlet, pid, progress, seconds):
    """Return what a child writes until it closes its pipe, and whether it stood still.

    It stands still if one call takes `seconds` of processor time, or ten times as long by the
    clock: a busy machine is no hang.
    """
    seen, since, data, hung = progress.read(), used(pid), b"", False
    while True:
        if select.select([inlet], [], [], 0.2)[0]:
            piece = os.read(inlet, 1 << 16)
            if not piece:
                break
            data += piece
        if progress.read() != seen:
            seen, since = progress.read(), used(pid)
        elif not hung and any(n - old > seconds for n, old in zip(used(pid), since, strict=True)):
            os.kill(pid, signal.SIGKILL)
            hung = True
    os.close(inlet)
    return data, hung


def used(pid):
    """Return a process's processor time, where the system tells it, and a tenth of the clock's."""
    clock = time.monotonic() / 10
    try:
        with open(f"/proc/{pid}/stat") as file:
            ticks = file.read().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0.0, clock
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), clock


def unpickle(data):
    """Yield the whole messages in some bytes."""
    stream = io.BytesIO(data)
    while stream.tell() < len(data):
        try:
            yield pickle.load(stream)
        except (EOFError, pickle.UnpicklingError):
            return


def ending(status):
    """Return how a process ended, as a word; nothing if it ended well."""
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit {os.WEXITSTATUS(status)}" if os.WEXITSTATUS(status) else ""


def run_calls(generator, judge, first, count):
    """Run calls `first` and the following in children; return the counts and [(n, finding)]."""
    counts, found, n, stop = Counts(), [], first, first + count
    while n < stop:
        work = functools.partial(judge_calls, generator, judge, n, stop)
        for kind, *message in forked(work, judge.patience, n):
            if kind == "found":
                found.append(message)
            elif kind == "counts":
                counts.add(message[0])
            else:
                end = Ending(*message)
        if end.word:
            call = generator.call(end.at)
            finding = deadly(call, end)
            reason = judge.explain(call, finding) if finding else "PyTorch crashes or hangs"
            if reason:
                counts.explain(reason)
            else:
                found.append((end.at, finding))
        n = end.at + 1
    counts.calls = count
    return counts, found


def deadly(call, end):
    """Return the finding of a call that ended its process; None if the other side did."""
    if FAILED in end.said:
        return Finding("fuzzer", call.name, "", end.said.splitlines()[-1])
    if end.side:
        return None
    if end.word in ("hang", "SIGXCPU"):
        return Finding("hang", call.name, "", "it does not end")
    if end.word == "SIGKILL":  # by the system, which had no memory left
        return Finding("memory", call.name, "", "it was killed")
    report = [line for line in end.said.splitlines() if "ERROR" in line or "runtime error" in line]
    seen = "\n".join(report[:1] or end.said.splitlines()[-3:])
    return Finding("crash", call.name, end.word, f"{end.word} {seen}".strip())


def judge_calls(generator, judge, n, stop, progress):
    """Yield the findings among calls n to stop, then what was counted."""
    counts = Counts()
    for i in range(n, stop):
        progress.now(i)
        if i % 100 == 0:
            more_time(judge.patience)
            yield "counts", counts  # what was done so far, should a call end this process
            counts = Counts()
        call = generator.call(i)
        happened, finding = judge.findings(call, lambda i=i: progress.now(i, side=1))
        setattr(counts, happened, getattr(counts, happened) + 1)
        reason = judge.explain(call, finding) if finding else judge.excuse
        if finding is None and not reason:
            continue
        if reason:
            counts.explain(reason)
        else:
            yield "found", i, finding
        if finding and finding.kind == "memory":
            break  # the mark of the most memory hides the next one
    yield "counts", counts
