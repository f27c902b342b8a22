"""Leftovers of killed launches: files of mpich in /dev/shm and /tmp, and processes.

Ranks take the name away from their shared memory once all of them have it (`bootstrap`), so that
no end of theirs leaves any; `run` removes what is left of launches that were killed before that.
Only files that are provably nobody's any more are touched.
"""

from __future__ import annotations

import glob
import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress

SHARED = "/dev/shm/mpich_shm_"
GLOBS = (SHARED + "*", "/tmp/hydra_hwloc_xmlfile_*")
LAUNCHERS = ("mpiexec", "hydra_pmi_proxy", "mpiexec.hydra")
HOST_NAMESPACE = "pid:[4026531836]"  # the kernel's number for the one outside all containers
UNSEEN_SECONDS = 600.0
"""In a container others are invisible: a launch of theirs has read its files by then."""


def unlink_shared_memory() -> None:
    """Leave no leftovers: unlink the launch's shared memory, which all ranks must have open."""
    with suppress(OSError):  # no /proc: not Linux
        for path in _shared_memory_of("self"):
            with suppress(OSError):
                os.unlink(path)


def remove_stale() -> None:
    """Remove this user's files that no launch can need: older than each that runs, and unused.

    A file is made after its launch has started, so one that is older belongs to none of them.
    """
    with suppress(OSError, ValueError):
        limit = min([time.time(), *_launch_times()])
        if os.readlink("/proc/self/ns/pid") != HOST_NAMESPACE:
            limit = min(limit, time.time() - UNSEEN_SECONDS)
        stale = [path for pattern in GLOBS for path in glob.glob(pattern) if _is_older(path, limit)]
        in_use = {path for pid in os.listdir("/proc") if stale for path in _shared_memory_of(pid)}
        for path in stale:
            if path not in in_use:
                with suppress(OSError):  # another launch removes it at the same time
                    os.unlink(path)


def _is_older(path: str, limit: float) -> bool:
    """Return whether a file of mpich is this user's, and older than the first launch that runs."""
    with suppress(OSError):
        found = os.lstat(path)
        mine = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
        return mine and max(found.st_mtime, found.st_ctime) < limit
    return False


def _launch_times() -> Iterator[float]:
    """Return when each launcher that runs on this machine was started, a second early."""
    ticks = os.sysconf("SC_CLK_TCK")
    with open("/proc/uptime") as file:
        boot = time.time() - float(file.read().split()[0])
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{pid}/stat") as file:
            head, _, fields = file.read().rpartition(")")
            if head.partition("(")[2] in LAUNCHERS:
                yield boot + int(fields.split()[19]) / ticks - 1


def _shared_memory_of(pid: str) -> set[str]:
    """Return the shared memory of a launch's mpich that a process has open."""
    with suppress(OSError), open(f"/proc/{pid}/maps") as file:
        return {line.split()[-1] for line in file if SHARED in line and "(deleted)" not in line}
    return set()
