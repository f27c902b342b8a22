"""Sealing: what a process that runs a stranger's answer may still touch, by Linux's Landlock.

For `make grade`: `judge.py` seals itself, `compiling.py` its compilers. Afterwards the process, and
whatever it starts, reads Python, the system, and the packages without the reference of its
exercise; it writes nowhere (what compiles: in its folder), starts no program (but a compiler),
reaches no network and no process but its own. It never gets a right back. `course/README.md` says
what that leaves open.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

MEMORY = 4 << 30  # bytes of address space: an endless list ends in a MemoryError
OUTPUT = 64 << 20  # bytes a file may grow to: an endless print ends in an OSError
COMPILE_SECONDS = 60  # of a processor's time; one file takes two to five

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = (1 << bit for bit in range(4))
TRUNCATE, DEVICE = 1 << 14, 1 << 15
READ = READ_FILE | READ_DIR
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE
RIGHTS = (0, 13, 14, 15, 15, 16)  # how many rights on files each version of Landlock knows
NETWORK, SCOPES = 0b11, 0b11  # TCP both ways (version 4); abstract sockets, signals (version 6)
CREATE, ADD, RESTRICT = 444, 445, 446  # the numbers of its calls, on every processor
NO_NEW_PRIVILEGES, CAPSET_VERSION = 38, 0x20080522
CAPSET = {"x86_64": 126, "aarch64": 91}

SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc", "/opt", "/nix", "/proc")
BUILT = "NORCH_BUILT_KERNELS"  # the variable that names the folder of kernels, only to be read
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/sys/devices/system/cpu")


def version() -> int:
    """Return which version of Landlock this system has; 0 for none."""
    if sys.platform != "linux":
        return 0
    return max(0, _call(CREATE, None, 0, 1))


def seal(read: Iterable[Path], folder: Path, compiles: bool) -> None:
    """Give up all rights but to read the system, Python, `folder` and each of `read`.

    What compiles may also start programs, and write in `folder`. Where the system has no Landlock,
    nothing happens: `classroom.py` says so.
    """
    known = version()
    if not known:
        return
    rights = (1 << RIGHTS[min(known, len(RIGHTS) - 1)]) - 1
    network, scopes = NETWORK if known >= 4 else 0, SCOPES if known >= 6 else 0
    size = 8 if known < 4 else 16 if known < 6 else 24
    ruleset = _call(CREATE, struct.pack("QQQ", rights, network, scopes)[:size], size, 0)
    run = EXECUTE if compiles else 0
    for place in (*SYSTEM, *DEVICES, sys.prefix, sys.base_prefix, os.environ.get(BUILT)):
        _allow(ruleset, rights & (READ | run), place)
    _allow(ruleset, rights & (READ | WRITE_FILE | TRUNCATE), "/dev/null")
    _allow(ruleset, rights if compiles else READ, folder)
    for path in read:
        _allow(ruleset, READ_DIR if path.is_dir() else READ_FILE, path)
    _drop_capabilities()
    if ruleset < 0 or _call(RESTRICT, ruleset, 0):
        raise OSError("[judge] this system's Landlock refuses its own rules")
    os.close(ruleset)


def without(hidden: Path, folders: Sequence[Path]) -> Iterator[Path]:
    """List folders and all in them, without one file and its bytecode."""
    for root in folders:
        yield root
        for path in root.rglob("*"):
            if path != hidden and not path.name.startswith(f"{hidden.stem}.cpython"):
                yield path


def limit_resources(seconds: int) -> None:
    """Bound memory, file size and a processor's time where the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT, OUTPUT))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _allow(ruleset: int, rights: int, path: Any) -> None:
    """Add a right on a file, or on all below a folder; what is not there needs none."""
    with suppress(OSError, TypeError):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rights &= -1 if os.path.isdir(path) else OF_A_FILE
        _call(ADD, ruleset, 1, struct.pack("=Qi", rights, place), 0)
        os.close(place)


def _drop_capabilities() -> None:
    """Let not even the system's administrator do more than own files."""
    libc = ctypes.CDLL(None)
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    number = CAPSET.get(os.uname().machine)
    if number:
        _call(number, struct.pack("Ii", CAPSET_VERSION, 0), bytes(24))


def _call(number: int, *arguments: object) -> int:
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    answer: int = ctypes.CDLL(None).syscall(ctypes.c_long(number), *words)
    return answer


def main() -> None:
    """Become a compiler that is sealed: `seal.py FOLDER HIDDEN READ... -- PROGRAM ARGUMENT...`."""
    end = sys.argv.index("--")
    folder, hidden, *folders = map(Path, sys.argv[1:end])
    limit_resources(COMPILE_SECONDS)
    seal(without(hidden, folders), folder, compiles=True)
    os.execvp(sys.argv[end + 1], sys.argv[end + 1 :])


if __name__ == "__main__":
    main()
