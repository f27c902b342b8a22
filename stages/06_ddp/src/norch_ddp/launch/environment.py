"""What the environment tells this process of how it was started, and of its place on its machine.

One table says under which names each launcher tells a process its rank. `process_group` asks it
before there is a group, `rendezvous` for a job's name and port, `bootstrap` for a rank's cores.
Nothing here starts anything.
"""

from __future__ import annotations

import os
import re
import sys
from typing import NamedTuple

SPARE_PORTS = 8
"""From so many ports rank 0 takes the first free one, where the environment names none."""


class Launcher(NamedTuple):
    """A launcher, and the names by which its processes find rank, size, local rank and job."""

    name: str
    rank: str
    size: str
    local_rank: str
    job: str
    starts_mpi: bool


LAUNCHERS = (  # who stands first is believed: mpiexec and torchrun may run inside SLURM's job
    Launcher("mpiexec", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "", True),
    Launcher(
        "Open MPI's mpirun",
        *("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
        *("PMIX_NAMESPACE", True),
    ),
    Launcher("torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC_RUN_ID", False),
    Launcher(  # set by srun alone; the next line's are set in the whole job, and in its shell:
        # in a script of sbatch too, whose SLURM_PROCID is 0 (see `_rank`)
        "srun",
        "SLURM_PROCID",
        "SLURM_STEP_NUM_TASKS",
        "SLURM_LOCALID",
        "SLURM_JOB_ID",
        False,
    ),
    Launcher("srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_JOB_ID", False),
)


class Start(NamedTuple):
    """How many processes a launcher has started, and which of them this one is, if it says so."""

    launcher: Launcher
    rank: int | None
    size: int


def number(name: str) -> int | None:
    """Return a whole number of the environment; None where there is none."""
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else None


def find_start() -> Start | None:
    """Return what the environment says of this process's launcher; None where it names none."""
    for launcher in LAUNCHERS:
        size = number(launcher.size)
        if size is not None and _is_of(launcher):
            return Start(launcher, _rank(launcher), size)
    return None


def _rank(launcher: Launcher) -> int | None:
    """Return this process's number among a launcher's; a script of sbatch is no task of srun's."""
    if launcher.size == "SLURM_NTASKS" and number("SLURM_STEP_ID") is None:
        return None
    return number(launcher.rank)


def _is_of(launcher: Launcher) -> bool:
    """Return whether this launcher's names are its own: srun sets mpiexec's, without its socket."""
    return launcher.size != "PMI_SIZE" or "SLURM_PROCID" not in os.environ or _has_pmi()


def _has_pmi() -> bool:
    """Return whether the launcher answers what mpich's MPI asks it."""
    return "PMI_FD" in os.environ or "PMI_PORT" in os.environ


def has_launcher() -> bool:
    """Return whether an MPI launcher started this process: mpich's, Open MPI's, or of PMIx."""
    names = ["OMPI_COMM_WORLD_RANK"]
    if "SLURM_PROCID" not in os.environ or _has_pmi():
        names += ["PMI_RANK", "PMIX_RANK", "MPI_LOCALRANKID"]
    return any(name in os.environ for name in names)


def started_by_mpi() -> bool:
    """Return whether an MPI launcher started this process (or MPI is running already)."""
    return "mpi4py.MPI" in sys.modules or has_launcher()


def job_name() -> str:
    """Return by what this job differs from others on the same hosts; "" where nobody says it."""
    for launcher in LAUNCHERS:
        if name := os.environ.get(launcher.job, ""):
            part = os.environ.get("TORCHELASTIC_RESTART_COUNT") or os.environ.get("SLURM_STEP_ID")
            return "_".join(f"{name}.{part or 0}".split())
    return ""


def master() -> tuple[str, list[int]] | None:
    """Return where the environment says that ranks meet: a host, and the ports to try in turn.

    MASTER_ADDR and MASTER_PORT say it. In torchrun's processes its agent holds that port, so those
    after it are taken. In SLURM's, the first host of the job and a port made of its number will do.
    """
    host, port = os.environ.get("MASTER_ADDR", ""), number("MASTER_PORT")
    start = find_start()
    if start is not None and start.launcher.name == "srun" and start.rank is not None:
        host = host or _first_host()
        if port is None:
            first = 15000 + (number("SLURM_JOB_ID") or 0) % 20000
            return host, list(range(first, first + SPARE_PORTS))
    if not host and port is None:
        return None
    if not host or port is None:
        raise ValueError(
            "[init_process_group] ranks meet at MASTER_ADDR and MASTER_PORT of the environment: "
            f"set both, not only {'MASTER_ADDR' if host else 'MASTER_PORT'}; or give init_method, "
            "tcp://host:port or file:///path"
        )
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True":
        step = 1 if port + SPARE_PORTS < 1 << 16 else -1
        return host, [port + step * i for i in range(1, SPARE_PORTS + 1)]
    return host, [port]


def _first_host() -> str:
    """Return the first host of SLURM's job: this one, where it is alone."""
    hosts = os.environ.get("SLURM_STEP_NODELIST") or os.environ.get("SLURM_JOB_NODELIST", "")
    names = expand_hosts(hosts)
    return names[0] if len(names) > 1 else "127.0.0.1"


def expand_hosts(text: str) -> list[str]:
    """Return the hosts of a list as SLURM writes it.

    >>> expand_hosts("gpu[08-10,12],login")
    ['gpu08', 'gpu09', 'gpu10', 'gpu12', 'login']
    """
    names = []
    for word in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", text):
        head, bracket, rest = word.partition("[")
        if not bracket:
            names.append(word)
            continue
        numbers, _, tail = rest.partition("]")
        for piece in numbers.split(","):
            first, _, last = piece.partition("-")
            each = range(int(first), int(last or first) + 1)
            ends = expand_hosts(tail) or [""]
            names += [head + str(n).zfill(len(first)) + end for n in each for end in ends]
    return names


def is_torchelastic_launched() -> bool:
    """Return whether the launcher, `norch.distributed.run` or torchrun, started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return the number of this process on its machine: LOCAL_RANK, else `fallback_rank`."""
    start = find_start()
    found = number("LOCAL_RANK")
    if found is None and start is not None:
        found = number(start.launcher.local_rank)
    if found is not None or fallback_rank is not None:
        return int(found if found is not None else fallback_rank or 0)
    raise RuntimeError(
        "[get_node_local_rank] LOCAL_RANK is not set: start the script with "
        "python -m norch.distributed.run, or give a fallback_rank"
    )


def threads_per_rank(local_size: int) -> int:
    """Return NORCH_NUM_THREADS, or this rank's share of the machine's cores, at least 1."""
    text = os.environ.get("NORCH_NUM_THREADS")
    if text is None:
        return max(1, _cores() // local_size)
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"[run] NORCH_NUM_THREADS={text} must be a whole number, at least 1")
    return int(text)


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
