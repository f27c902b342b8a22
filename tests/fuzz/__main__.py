"""`python -m fuzz`: random calls of norch for some minutes, beside PyTorch where it is installed.

`make fuzz` calls it (tools/fuzz.py). It prints every new kind of failure once, shrunk to a few
lines, and at last what was tried, which `--record` puts into docs/reliability.md; it leaves with 1
if anything was found.
"""

import argparse
import collections
import importlib
import multiprocessing
import os
import random
import sys
import time
import warnings
from multiprocessing.connection import wait

import numpy as np

from fuzz.accepted_rules import ACCEPTED
from fuzz.batch import Counts, forked, run_calls
from fuzz.explained import BOTH, OPEN, explain
from fuzz.generate import Generator
from fuzz.judge import Judge
from fuzz.number_rules import NUMBERS
from fuzz.record import record
from fuzz.refused_rules import REFUSED
from fuzz.shrink import program, shrunk

BATCH = 2000
ENDED = ("crash", "hang")
LONG = 200_000  # calls after which a rule that fitted nothing is stale


def import_library(name):
    """Return a library, None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def shrink_in_a_child(call, finding, judge):
    """Return the shrunk call and its finding; the shrinking runs in a child, too."""
    if finding.kind in ("crash", "hang", "memory", "slow"):
        return shrunk(call, finding, judge)

    def work(progress):
        yield "found", *shrunk(call, finding, judge)

    for kind, *message in forked(work, 60.0):
        if kind == "found":
            return message
    return call, finding


class Groups:
    """The failures, grouped by signature; the first of each is shrunk and printed."""

    def __init__(self, judge, seed):
        self.judge, self.seed, self.counts = judge, seed, collections.Counter()

    def add(self, n, call, finding):
        """Count a failure; print it if it is the first of its group."""
        known = self.counts[finding.signature]
        self.counts[finding.signature] += 1
        if known:
            return
        call, last = shrink_in_a_child(call, finding, self.judge)
        print(f"\n{' '.join(finding.signature).strip()} (seed {self.seed}, call {n}): {last.seen}")
        print(program(call), flush=True)


def job(generator, judge, starts, stop, end, pipe):
    """Run the batches at `starts` until the time is over; send what each counted and found."""
    for n in starts:
        if time.monotonic() > end:
            break
        pipe.send(run_calls(generator, judge, n, min(BATCH, stop - n)))


def fuzz(judge, generator, seconds, calls, first=0, jobs=1):
    """Run batches, `jobs` at a time, until the time or the calls are over; return the counts and
    the groups.

    Each job is a process, and none has a second thread: a fork beside one would give the child
    the locks that this thread held, of the standard library's too, for ever.
    """
    total, groups = Counts(), Groups(judge, generator.seed)
    end, stop = time.monotonic() + seconds, first + calls
    context, running = multiprocessing.get_context("fork"), {}
    for k in range(jobs):
        inlet, outlet = context.Pipe(duplex=False)
        starts = range(first + k * BATCH, stop, jobs * BATCH)
        process = context.Process(target=job, args=(generator, judge, starts, stop, end, outlet))
        process.start()
        outlet.close()
        running[inlet] = process
    while running:
        for inlet in wait(running):
            try:
                counts, found = inlet.recv()
            except EOFError:
                process = running.pop(inlet)
                process.join()
                if process.exitcode:
                    raise SystemExit(f"[fuzz] a job ended with {process.exitcode}") from None
                continue
            total.add(counts)
            for number, finding in found:
                groups.add(number, generator.call(number), finding)
    return total, groups


def report(total, groups, seconds, other):
    """Print what was tried, what is explained, and how often each failure was met."""
    beside = f"beside PyTorch {other.__version__}" if other else "without PyTorch"
    speed = total.calls / max(seconds, 1e-9)
    print(f"\n[fuzz] {total.calls} calls {beside} in {seconds:.0f} s ({speed:.0f} a second):")
    ended = [sum(n for sign, n in groups.counts.items() if sign[0] == k) for k in ENDED]
    print(f"  {total.returned} returned, {total.refused} were refused", end="")
    print(", {} crashes, {} hangs".format(*ended))
    for reason, count in sorted(total.explained.items(), key=lambda item: -item[1]):
        print(f"  {count} explained: {reason}")
    if total.calls > LONG and other:
        for rule in ACCEPTED + REFUSED + NUMBERS + OPEN + BOTH:
            if rule.reason not in total.explained:
                print(f"  stale, it fitted nothing: {rule.reason}")
    for signature, count in groups.counts.most_common():
        print(f"  {count} x {' '.join(signature).strip()}")
    print(f"[fuzz] {len(groups.counts)} kinds of failure, {groups.counts.total()} in all")


def main():
    """Run, report, and leave with 1 if a failure was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--calls", type=int, default=10**9, help="stop after so many")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--first", type=int, default=0, help="the number of the first call")
    parser.add_argument("--jobs", type=int, default=1, help="so many calls at a time")
    parser.add_argument("--record", metavar="FILE", help="put the counts into this page")
    parser.add_argument("--add", action="store_true", help="to what the page says of other seeds")
    parser.add_argument("--only", default="", help="calls whose text matches this pattern")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    import norch

    if folder := os.environ.get("NORCH_PARITY_TORCH"):
        sys.path.append(folder)  # last: everything else stays this environment's
    other = import_library("torch")
    if other:
        other.set_num_threads(1)
        other.optim.SGD([other.ones(1)], lr=0.1)  # what PyTorch imports late, before the forks
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    print(f"[fuzz] seed {seed}", flush=True)
    judge, start = Judge(norch, other, explain), time.monotonic()
    generator = Generator(norch, seed, options.only)
    words = options.minutes * 60, options.calls, options.first, options.jobs
    total, groups = fuzz(judge, generator, *words)
    report(total, groups, time.monotonic() - start, other)
    if options.record:
        against = f"PyTorch {other.__version__.partition('+')[0]}" if other else "norch itself"
        record(options.record, total, groups.counts, against, seed, options.add)
    sys.exit(1 if groups.counts else 0)


if __name__ == "__main__":
    main()
