"""The launcher: `python -m norch.distributed.run --nproc_per_node N script.py args...`.

Checks what it can, then *becomes* mpich's mpiexec (one process less to lose a signal or an exit
code), which starts N times `supervisor`, and that `bootstrap`. With `--max_restarts` it stays, and
starts all ranks again after a failure. torchrun's options mean what they mean there. It never runs
user code.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from norch_ddp.launch import nodes, supervisor
from norch_ddp.launch.leftovers import remove_stale
from norch_ddp.launch.nodes import wait_and_pass_signals

INSTALL = "pip install mpi4py mpich"
PYTHON = (sys.executable, "-m")
PORT = 29500
"""torchrun's port for machines to meet at."""


def main(argv: Sequence[str] | None = None) -> int:
    """Start the ranks; return an exit code only when something is missing, or after restarts."""
    options = parse(argv)
    try:
        command = build_command(options)
        names = environment(options) | supervisor.share_stderr()
        remove_stale()
        sys.stdout.flush()
        if options.node_rank:
            return nodes.follow(*master(options), introduction(options), names)
        if options.node_rank is not None and machines(options) > 1:
            return lead(command, names, options)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.max_restarts:
        return run_with_restarts(partial(start_mpiexec, command), names, options.max_restarts)
    os.execve(command[0], command, names)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; everything after the script's name belongs to the script."""
    parser = argparse.ArgumentParser(
        prog="python -m norch.distributed.run",
        description="Start a script once per process; each finds RANK, LOCAL_RANK and WORLD_SIZE.",
        allow_abbrev=False,
    )

    def add(name: str, text: str, **options: Any) -> None:
        """Add one option, with dashes and with underscores."""
        spellings = dict.fromkeys((name.replace("-", "_"), name))
        parser.add_argument(*(f"--{each}" for each in spellings), help=text, **options)

    add(
        "nproc-per-node",
        "processes on each machine: a number, cpu, gpu or auto (1)",
        default="1",
        metavar="N",
    )
    add("nnodes", "machines (as many as --hosts)", metavar="M")
    add("hosts", "names of the machines, reached by ssh", metavar="A,B")
    add("node-rank", "this machine's number; each is started by hand", type=int, metavar="K")
    add("master-addr", "with --node-rank: where machine 0 is", metavar="A")
    add("master-port", f"with --node-rank: a free port there ({PORT})", type=int, metavar="P")
    add("rdzv-endpoint", "A:P, the same in one word", metavar="A:P")
    add("standalone", "this machine alone (so it is without it)", action="store_true")
    add("max-restarts", "start all again after so many failures (0)", type=int, default=0)
    add("rdzv-backend", "static or c10d: machines meet in one way here", metavar="NAME")
    add("rdzv-id", "a name for the run, for scripts that ask", default="none", metavar="ID")
    add("rdzv-conf", "settings of torchrun's backends, of which none applies", metavar="K=V")
    add("module", "the script is a module name, as in python -m", action="store_true")
    parser.add_argument("-m", dest="module", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("script", help="the program each process runs")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="its arguments")
    return parser.parse_args(argv)


def build_command(options: argparse.Namespace, python: Sequence[str] = PYTHON) -> list[str]:
    """Return the mpiexec command line, or raise with what is missing.

    `python` are the words that start a module in each rank.
    """
    count, hosts = processes(options.nproc_per_node), check_hosts(options)
    if options.max_restarts < 0:
        raise ValueError(f"[run] --max_restarts {options.max_restarts} must be 0 or more")
    if not options.module and not Path(options.script).is_file():
        raise FileNotFoundError(f"[run] there is no script {options.script}")
    # By itself mpiexec would start them by srun, and anywhere, inside a job of SLURM's.
    here = ["-rmk", "user", "-launcher", "fork"]
    place = ["-hosts", ",".join(hosts), "-ppn", str(count)] if hosts else here
    total = str(count * max(1, len(hosts)))
    kind = "module" if options.module else "path"
    watch = [sys.executable, "-IS", supervisor.__file__]
    rank = [*watch, *python, "norch_ddp.launch.bootstrap", kind, options.script, *options.args]
    return [find_mpiexec(), "-n", total, *place, *rank]


def processes(text: str) -> int:
    """Return how many processes a machine gets; "gpu" is one for each GPU, "cpu" for each core."""
    if text in ("gpu", "auto"):
        from norch_cuda import device_count

        if text == "gpu" and not device_count():
            raise ValueError(
                "[run] --nproc_per_node gpu: there is no GPU here; use cpu or a number"
            )
        if device_count():
            return device_count()
    if text in ("cpu", "auto"):
        return os.cpu_count() or 1
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(
            f"[run] --nproc_per_node {text} must be at least 1, or one of cpu, gpu, auto"
        )
    return int(text)


def machines(options: argparse.Namespace) -> int:
    """Return --nnodes as a number; torchrun's "2:2" too."""
    least, _, most = (options.nnodes or "1").partition(":")
    if not least.isdecimal() or int(least) < 1 or (most or least) != least:
        raise ValueError(
            f"[run] --nnodes {options.nnodes} must be one number, 1 or more: "
            "a world of MPI does not grow or shrink while it runs"
        )
    return int(least)


def check_hosts(options: argparse.Namespace) -> list[str]:
    """Return the launch's host names; none for this machine alone."""
    count = machines(options)
    if options.node_rank is not None:
        if options.hosts or not 0 <= options.node_rank < count:
            raise ValueError(
                f"[run] --node_rank {options.node_rank} counts the {count} of --nnodes from 0, "
                "and needs no --hosts: --master_addr says where they meet"
            )
        master(options)
        return nodes.labels(count) if count > 1 else []
    names = [name for name in (options.hosts or "").split(",") if name]
    if options.nnodes is not None and count != max(1, len(names)):
        raise ValueError(
            f"[run] --nnodes {count} needs as many names in --hosts, got {names}; without ssh, "
            "start each machine by hand with --node_rank and --master_addr"
        )
    return names


def master(options: argparse.Namespace) -> tuple[str, int]:
    """Return the address and port at which the machines of a launch meet."""
    host, _, port = (options.rdzv_endpoint or "").partition(":")
    host, port = options.master_addr or host, options.master_port or port or PORT
    if not host and options.node_rank is not None and machines(options) > 1:
        raise ValueError("[run] --node_rank needs --master_addr, the address of machine 0")
    if not str(port).isdecimal():
        raise ValueError(f"[run] --rdzv_endpoint {options.rdzv_endpoint} must be address:port")
    return host or "127.0.0.1", int(port)


def introduction(options: argparse.Namespace) -> nodes.Hello:
    """Return what this machine of a launch says of itself to machine 0."""
    return nodes.introduction(options.rdzv_id, machines(options), options.node_rank)


def lead(command: list[str], names: dict[str, str], options: argparse.Namespace) -> int:
    """Run the ranks of several machines from machine 0, and tell the others how it ended."""
    others, code = nodes.accept_machines(master(options)[1], introduction(options)), 1
    try:
        code = run_with_restarts(partial(nodes.start, command, others), names, options.max_restarts)
    finally:
        nodes.send_exit_code(others, code)
    return code


def start_mpiexec(command: list[str], names: dict[str, str]) -> subprocess.Popen[Any]:
    """Start mpiexec, which ends with this process."""
    return subprocess.Popen(
        command, env=names, close_fds=False, preexec_fn=supervisor.end_with_parent
    )


def run_with_restarts(
    start: Callable[[dict[str, str]], subprocess.Popen[Any]], names: dict[str, str], restarts: int
) -> int:
    """Run the ranks, again after each failure; scripts go on from their own last checkpoint."""
    for attempt in range(restarts + 1):
        code, is_signalled = wait_and_pass_signals(
            start({**names, "TORCHELASTIC_RESTART_COUNT": str(attempt)})
        )
        if code == 0 or is_signalled or attempt == restarts:
            break
        print(f"[run] failed ({code}): restart {attempt + 1} of {restarts}", file=sys.stderr)
        time.sleep(RESTART_SECONDS)
    return code


RESTART_SECONDS = 0.5
"""Between a failure and the next start: the ranks' ports and files are free by then."""


def find_mpiexec() -> str:
    """Return the mpiexec beside this Python, else the one on PATH."""
    scripts = sysconfig.get_path("scripts")
    found = shutil.which("mpiexec", path=scripts) or shutil.which("mpiexec")
    if importlib.util.find_spec("mpi4py") is None:
        raise FileNotFoundError(f"[run] several processes need mpi4py: {INSTALL}")
    if found is None:
        raise FileNotFoundError(f"[run] there is no mpiexec in {scripts} or on PATH: {INSTALL}")
    return found


def environment(options: argparse.Namespace | None = None) -> dict[str, str]:
    """Return the ranks' environment: ours, mpich quiet about an abort: the rank has said why.

    Without a file name here, hydra writes the machine's topology to /tmp and forgets it there when
    ranks are ended. With options, torchrun's names too.
    """
    quiet = {"MPIR_CVAR_SUPPRESS_ABORT_MESSAGE": "1", "HWLOC_XMLFILE": os.devnull}
    if options is None:
        return {**quiet, **os.environ}
    address, port = master(options)
    names = {
        "TORCHELASTIC_RUN_ID": options.rdzv_id,
        "TORCHELASTIC_MAX_RESTARTS": str(options.max_restarts),
        "TORCHELASTIC_RESTART_COUNT": "0",
    }
    place = {"MASTER_ADDR": address, "MASTER_PORT": str(port)}
    if options.master_addr or options.master_port or options.rdzv_endpoint:
        names |= place
    return {**quiet, **place, **os.environ, **names}


if __name__ == "__main__":
    raise SystemExit(main())
