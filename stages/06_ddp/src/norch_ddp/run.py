"""The launcher: `python -m norch.distributed.run --nproc_per_node N script.py args...`.

Checks what it can, then *becomes* mpich's mpiexec (one process less to lose a signal or an exit
code), which starts N times `norch_ddp.bootstrap`. It never runs user code itself.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from .leftovers import remove_stale

INSTALL = "pip install mpi4py mpich"
PYTHON = (sys.executable, "-m")


def main(argv: Sequence[str] | None = None) -> int:
    """Start the ranks; return an exit code only when something is missing."""
    options = parse(argv)
    try:
        command = build_command(options)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    remove_stale()
    sys.stdout.flush()
    os.execve(command[0], command, environment())


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; everything after the script's name belongs to the script."""
    parser = argparse.ArgumentParser(
        prog="python -m norch.distributed.run",
        description="Start a script once per process; each finds RANK, LOCAL_RANK and WORLD_SIZE.",
    )
    add = parser.add_argument
    add(
        "--nproc_per_node",
        "--nproc-per-node",
        type=int,
        default=1,
        metavar="N",
        help="processes on each machine (1)",
    )
    add("--nnodes", type=int, default=None, metavar="M", help="machines (as many as --hosts)")
    add("--hosts", default=None, metavar="A,B", help="names of the machines, reached by ssh")
    add("-m", "--module", action="store_true", help="the script is a module name, as in python -m")
    add("script", help="the program each process runs")
    add("args", nargs=argparse.REMAINDER, help="its arguments")
    return parser.parse_args(argv)


def build_command(options: argparse.Namespace, python: Sequence[str] = PYTHON) -> list[str]:
    """Return the mpiexec command line, or raise with what is missing.

    `python` are the words that start a module in each rank.
    """
    hosts = check_hosts(options.nnodes, options.hosts)
    if options.nproc_per_node < 1:
        raise ValueError(f"[run] --nproc_per_node {options.nproc_per_node} must be at least 1")
    if not options.module and not Path(options.script).is_file():
        raise FileNotFoundError(f"[run] there is no script {options.script}")
    place = ["-hosts", ",".join(hosts), "-ppn", str(options.nproc_per_node)] if hosts else []
    count = str(options.nproc_per_node * max(1, len(hosts)))
    kind = "module" if options.module else "path"
    rank = [*python, "norch_ddp.bootstrap", kind, options.script, *options.args]
    return [find_mpiexec(), "-n", count, *place, *rank]


def check_hosts(nnodes: int | None, hosts: str | None) -> list[str]:
    """Return the host names; none for this machine alone."""
    names = [name for name in (hosts or "").split(",") if name]
    if nnodes is not None and nnodes != max(1, len(names)):
        raise ValueError(f"[run] --nnodes {nnodes} needs as many names in --hosts, got {names}")
    return names


def find_mpiexec() -> str:
    """Return the mpiexec beside this Python, else the one on PATH."""
    scripts = sysconfig.get_path("scripts")
    found = shutil.which("mpiexec", path=scripts) or shutil.which("mpiexec")
    if importlib.util.find_spec("mpi4py") is None:
        raise FileNotFoundError(f"[run] several processes need mpi4py: {INSTALL}")
    if found is None:
        raise FileNotFoundError(f"[run] there is no mpiexec in {scripts} or on PATH: {INSTALL}")
    return found


def environment() -> dict[str, str]:
    """Our environment; mpich stays quiet about an abort, the failing rank has said why.

    Without a file name here, hydra writes the machine's topology to /tmp and forgets it there when
    ranks are ended.
    """
    quiet = {"MPIR_CVAR_SUPPRESS_ABORT_MESSAGE": "1", "HWLOC_XMLFILE": os.devnull}
    return {**quiet, **os.environ}


if __name__ == "__main__":
    raise SystemExit(main())
