"""The tests of exercises 3.15 to 3.17: whole CUDA programs, built once and started again and again.

`make check 3.15` runs those marked 3.15 on the reader's program; pytest runs all of them on the
reference. What is compared is what a program printed, how it ended, and what was found in it: every
access is watched, and work waits until somebody waits for it. All that it said is shown.
"""

import functools
import os
import re
import signal
import subprocess
import textwrap
from pathlib import Path

from norch_course.testing import exercise, expect
from norch_cuda.programs.build import Program, build
from norch_cuda.runtime.compiler import CompilationError
from norch_cuda.runtime.sources import source_directory

# A check's copy of the package has the reader's programs; a wheel has none.
COPIED = source_directory().parent / "programs"
BESIDE = Path(__file__).parent.parent / "programs"
FOLDER = COPIED if (COPIED / "watched_calls.h").is_file() else BESIDE
WATCHED = {"NORCH_CHECK": "1", "NORCH_ASYNC": "1", "NORCH_SUMMARY": "1"}
BEFORE = ("-include", str(FOLDER / "watched_calls.h"))
WRAPPED = ("-Wl,--wrap=_ZN9norch_sim9configureE4dim3S0_mP11CUstream_stNS_5PlaceE",)
MARK = "========= "
KINDS = {  # what a report calls a finding, by words of it; the rest differs between programs
    "is never freed": "memory that is never freed",
    "the program did not look at": "an error that the program did not look at",
    "has written in this block": "a read of shared memory that nobody has written",
    "that nobody has written": "a read of memory that nobody has written",
    "which a GPU cannot reach": "host memory in a kernel",
    "`extern __shared__` array": "an access outside shared memory",
    "bytes past the end of": "an access past the end of an array",
    "bytes before the start of": "an access before the start of an array",
    "outside every array": "an access outside every array",
    "may still run": "work that nobody has waited for",
    "host code reads or writes": "device memory that the host touches",
    "race in shared memory": "a race in shared memory",
    "race in global memory": "a race in global memory",
    "__syncthreads()": "a barrier that not all threads reach",
}


@functools.lru_cache
def built(name):
    """Return the program of a file, or what the compiler says against it."""
    try:
        return build(Program((FOLDER / f"{name}.cu",), BEFORE, WRAPPED, checked=True))
    except CompilationError as error:
        return error


def start(name, arguments, settings):
    """Run a program to its end; one that finds none ends this process as if it were its own."""
    program = built(name)
    if isinstance(program, CompilationError):
        raise program
    kept = {key: value for key, value in os.environ.items() if key not in WATCHED}
    words = [str(program), *map(str, arguments)]
    done = subprocess.run(
        words, env=kept | settings, stdin=subprocess.DEVNULL, capture_output=True, errors="replace"
    )
    if done.returncode == -signal.SIGXCPU:
        signal.raise_signal(signal.SIGXCPU)
    return done


def number_of(word):
    """Return a word of the output as a number, if it is one."""
    try:
        return float(word)
    except ValueError:
        return word


def ending(code):
    """Return how a program ended: its exit status, or the signal that ended it."""
    return code if code >= 0 else signal.Signals(-code).name


def own_words(said):
    """Return what a program itself wrote to stderr."""
    return " ".join(line for line in said.splitlines() if not line.startswith(MARK))


def findings(said, file):
    """Return what was found in a program, each kind once, with its first line in the file."""
    found = {}
    for text in re.findall(rf"^{MARK}(?! |Program hit|ERROR SUMMARY)(.*)", said, re.MULTILINE):
        known = (kind for words, kind in KINDS.items() if words in text)
        kind = next(known, re.sub(r"\d+", "", text))
        outside = re.sub(r"\([^()]*\)", "", text)  # where it was done, not where memory was made
        line = re.search(rf"{re.escape(file)}:\d+", outside + text)
        found.setdefault(kind, kind + (f", at {line[0]}" if line else ""))
    return list(found.values())


SHOWN = []  # what a program was told where one was wrong: a report shows the first


def show(said):
    """Print what a program was told, unless something was printed before."""
    SHOWN.append(said)
    for line in said.splitlines() if len(SHOWN) == 1 else ():
        if line.startswith(MARK) and "ERROR SUMMARY" not in line:
            print(textwrap.fill(line, 98, subsequent_indent=MARK + "    "))


def outcome(name, arguments, settings=WATCHED, ends=0):
    """Run a program that is to end in this way; return what it printed, what was found in it."""
    done = start(name, arguments, settings)
    found = findings(done.stderr, f"{name}.cu")
    if found or done.returncode != ends:
        show(done.stderr)
    printed = [number_of(word) for word in done.stdout.split()]
    status = {} if found else {"status": ending(done.returncode)}
    return {"found": found, "printed": printed, **status}, done.stderr


def expect_run(name, arguments, printed):
    """Expect a program to print these numbers, and nothing to be found in it."""
    shown = " ".join(map(str, (name, *arguments)))
    right = {"found": [], "printed": [float(number) for number in printed], "status": 0}
    expect(shown, lambda: outcome(name, arguments)[0], right)


def launches(said):
    """Count the launches that a program's summary lists."""
    table = said.partition(" Kernels ")[2].partition(" Copies ")[0]
    return sum(int(row.split()[2]) for row in table.splitlines()[2:])


# ---- 3.15: two rows, every error looked at -------------------------------------------------------


def sums(n):
    return [3 * i for i in range(n)]


@exercise("3.15", forms=("N = 1",))
def test_adding_two_rows():
    for n, threads in ((1, 1), (4, 2), (5, 2), (3, 64), (1000, 64)):
        expect_run("vector_add", (n, threads), sums(n))


@exercise("3.15")
def test_the_device_adds():
    def launched():
        return launches(outcome("vector_add", (5, 2))[1]) > 0

    expect("vector_add 5 2: is there a launch?", launched, True)


@exercise("3.15", forms=("no elements",))
def test_nothing_to_add():
    expect_run("vector_add", (0, 2), [])

    def launched():
        return launches(outcome("vector_add", (0, 2))[1])

    expect("launches of vector_add 0 2", launched, 0)


@exercise("3.15")
def test_a_launch_that_fails():
    def refused():
        result, said = outcome("vector_add", (5, 2000), {}, ends=1)
        return result | {"on stderr": "invalid configuration argument" in own_words(said)}

    right = {"found": [], "printed": [], "status": 1, "on stderr": True}
    expect("vector_add 5 2000: a block has 1024 threads at most", refused, right)


MOST_CALLS = 40


@exercise("3.15")
def test_any_call_may_fail():
    """Each call in its turn finds no memory; the program is to end with 1 and say so."""

    def unheeded():
        for number in range(1, MOST_CALLS):
            done = start("vector_add", (5, 2), {"NORCH_REFUSED": str(number)})
            call = re.search(r"on (\w+ at \S+:\d+):\n.*\b18446744073709551615 bytes", done.stderr)
            if not call:
                break
            if done.returncode != 1 or "out of memory" not in own_words(done.stderr):
                show(done.stderr)
                return f"{call[1]} fails, and the program ends with {ending(done.returncode)}"
        return "each ends it with 1, and is named on stderr"

    shown = "vector_add 5 2, one call after the other fails: out of memory"
    expect(shown, unheeded, "each ends it with 1, and is named on stderr")


# ---- 3.16: a histogram with streams --------------------------------------------------------------


def last_digits(n):
    digits = [i * i % 10 for i in range(n)]
    return [digits.count(digit) for digit in range(10)]


@exercise("3.16", forms=("N = 1",))
def test_counting_digits():
    for n in (1, 2, 7, 100, 1003, 5000):
        expect_run("last_digits", (n,), last_digits(n))


@exercise("3.16", forms=("no elements",))
def test_no_digits():
    expect_run("last_digits", (0,), last_digits(0))


@exercise("3.16")
def test_streams_work_side_by_side():
    def noted():
        said = outcome("last_digits", (1003,))[1]
        streams, pinned, waited, left_out = map(int, re.search(r"calls: (.*)", said)[1].split())
        return {
            "streams that copy": ("none", "one", "several")[min(streams, 2)],
            "from pinned memory": bool(pinned),
            "each launch names a stream": not left_out,
            "something waits before the last piece is sent": bool(waited),
        }

    right = {
        "streams that copy": "several",
        "from pinned memory": True,
        "each launch names a stream": True,
        "something waits before the last piece is sent": False,
    }
    expect("last_digits 1003: how it copies", noted, right)

    def launched():
        return launches(outcome("last_digits", (1003,))[1]) > 3

    expect("last_digits 1003: are there four launches, or more?", launched, True)


# ---- 3.17: debug this ----------------------------------------------------------------------------


def means(n):
    row = [0, *(3 * (i % 10) for i in range(n)), 0]
    return [sum(row[i : i + 3]) / 3 for i in range(n)]


@exercise("3.17", forms=("N = 1",))
def test_the_means_of_a_row():
    for n in (1, 2, 40, 64, 65, 128, 300):
        expect_run("smooth", (n,), means(n))
