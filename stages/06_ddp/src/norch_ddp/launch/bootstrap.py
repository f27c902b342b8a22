"""What each rank does before and after the user's script; started by `run`, by way of `supervisor`.

Joins MPI, tells the script its rank by every usual environment name, shares out the cores, runs
the script as `__main__`, and ends all ranks at once if it fails: a rank that raises must not leave
the others waiting.
"""

from __future__ import annotations

import os
import runpy
import sys
import time
import traceback
from types import TracebackType
from typing import Any, NoReturn

from norch_ddp.launch.abort import FirstToFail, abort_all_ranks
from norch_ddp.launch.rendezvous import share_host
from norch_ddp.launch.supervisor import say_when_over
from norch_ddp.transports.mpi import load_mpi

SILENT_SECONDS = 5.0
"""How long a rank that failed after another waits to be ended by it."""


def main() -> None:
    """Run `bootstrap path|module NAME ARGS...` as one rank."""
    kind, name, *args = sys.argv[1:]
    say_when_over()
    world = load_mpi().COMM_WORLD
    node = world.Split_type(load_mpi().COMM_TYPE_SHARED)
    first = FirstToFail(node)
    if world.rank != 0:
        close_input()
    os.environ.pop("HWLOC_XMLFILE", None)  # meant for MPI's start alone: see `run.environment`
    os.environ.update(rank_environment(world.rank, world.size, node.rank, node.size))
    try:
        share_host(node)
        output: Any = sys.stdout
        output.reconfigure(line_buffering=True, write_through=False)  # whole lines, at once
        run_script(kind, name, args)
    except SystemExit as error:
        if error.code not in (None, 0):
            end_all(first, *exit_code(error))
    except KeyboardInterrupt:
        end_all(first, 130, "")
    except BaseException as error:
        end_all(first, 1, f"rank {world.rank} of {world.size} failed:\n{describe(error)}")


def close_input() -> None:
    """Let a rank above 0 that reads its input find the end of it: mpiexec feeds rank 0 alone."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def rank_environment(rank: int, size: int, local_rank: int, local_size: int) -> dict[str, str]:
    """Return the environment by which scripts find their place: torchrun's and Open MPI's names."""
    node = rank // local_size
    return {
        "GROUP_RANK": str(node),
        "ROLE_RANK": str(rank),
        "ROLE_WORLD_SIZE": str(size),
        "RANK": str(rank),
        "WORLD_SIZE": str(size),
        "LOCAL_RANK": str(local_rank),
        "LOCAL_WORLD_SIZE": str(local_size),
        "OMPI_COMM_WORLD_RANK": str(rank),
        "OMPI_COMM_WORLD_SIZE": str(size),
        "OMPI_COMM_WORLD_LOCAL_RANK": str(local_rank),
        "OMPI_COMM_WORLD_LOCAL_SIZE": str(local_size),
    }


def run_script(kind: str, name: str, args: list[str]) -> None:
    """Run the script as Python itself would: same `sys.argv`, same first entry of `sys.path`."""
    sys.argv = [name, *args]
    if kind == "module":
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(name))
        runpy.run_path(name, run_name="__main__")


def exit_code(error: SystemExit) -> tuple[int, str]:
    """Return the exit code and the message of a script's `sys.exit(code or message)`."""
    return (error.code, "") if isinstance(error.code, int) else (1, f"{error.code}\n")


def describe(error: BaseException) -> str:
    """Return the traceback of the script's error, from the user's first line on."""
    ours = (__file__, runpy.__file__, "<frozen runpy>")
    frames: TracebackType | None = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename in ours:
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames))


def end_all(first: FirstToFail, code: int, message: str) -> NoReturn:
    """Stop every rank with this exit code; the first to fail says why.

    Nothing is said at exit: the others would report that this rank's script is over as its failure.
    """
    if first.claim():
        sys.stderr.write(message)
    else:
        time.sleep(SILENT_SECONDS)
    try:
        abort_all_ranks(code)
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
