"""Other people's launchers: SLURM's srun, torchrun, mpiexec; and worlds that norch would not see.

What srun and torchrun set is set here by hand; where a real torchrun is on PATH, it is tried too.
"""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from rank_programs import LAUNCHERS, environment as clean_environment, free_port

from norch_ddp.launch import environment

WORK = """
import os
import norch_autograd as norch, norch_ddp as dist
dist.init_process_group("gloo", timeout=300)
total = norch.ones(2) * dist.get_rank()
dist.all_reduce(total)
text = f"rank {dist.get_rank()} of {dist.get_world_size()}: {total.tolist()}"
os.write(1, f"{text} local {dist.get_node_local_rank(9)}\\n".encode())  # a line at once
dist.destroy_process_group()
"""
TWO = ["rank 0 of 2: [1.0, 1.0] local 0", "rank 1 of 2: [1.0, 1.0] local 1"]


def start_each(path, *each):
    """Start a process for each environment; return how they ended, in order: code, out, err."""
    started = [
        subprocess.Popen(
            [sys.executable, path],
            env=clean_environment(**names),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for names in each
    ]
    outputs = [process.communicate(timeout=600) for process in started]
    return [(p.returncode, *texts) for p, texts in zip(started, outputs, strict=True)]


def job_number():
    """A number of a job whose port, which is made of it, is free."""
    return str(free_port() - 15000)


def srun(rank, **names):
    """What srun sets in one of two tasks on this machine."""
    task = {"SLURM_PROCID": str(rank), "SLURM_LOCALID": str(rank), "SLURM_STEP_ID": "0"}
    return {**task, "SLURM_NTASKS": "2", **names}


@pytest.mark.parametrize(
    "names",
    [
        {},
        {"SLURM_JOB_NODELIST": socket.gethostname(), "SLURM_STEP_NUM_TASKS": "2"},
        {"PMIX_RANK": "0", "PMI_RANK": "0", "PMI_SIZE": "2"},  # srun --mpi=pmix: not our MPI's
    ],
)
def test_two_tasks_of_slurm_are_two_ranks(script, names):
    job = job_number()
    tasks = [srun(rank, SLURM_JOB_ID=job, **names) for rank in (0, 1)]
    found = start_each(script(WORK), *tasks)
    assert [(code, out.strip()) for code, out, _ in found] == [(0, line) for line in TWO], found


def test_two_steps_of_one_slurm_job_do_not_meet(script):
    job, path = job_number(), script(WORK)
    tasks = [srun(r, SLURM_JOB_ID=job, SLURM_STEP_ID=str(s)) for s in (0, 1) for r in (0, 1)]
    found = start_each(path, *tasks)
    assert [(code, out.strip()) for code, out, _ in found] == [(0, line) for line in TWO * 2], found


def torchrun(rank, port):
    """What torchrun sets in one of two processes, where its agent keeps the store at the port."""
    return {
        **{"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"},
        **{"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "GROUP_RANK": "0"},
        **{"TORCHELASTIC_RUN_ID": "a run", "TORCHELASTIC_RESTART_COUNT": "0"},
        "TORCHELASTIC_USE_AGENT_STORE": "True",
    }


def test_torchruns_agent_may_hold_the_port(script):
    with socket.create_server(("127.0.0.1", 0)) as agent:
        port = agent.getsockname()[1]
        found = start_each(script(WORK), torchrun(0, port), torchrun(1, port))
    assert [(code, out.strip()) for code, out, _ in found] == [(0, line) for line in TWO], found


@pytest.mark.skipif(shutil.which("torchrun") is None, reason="needs PyTorch's torchrun on PATH")
def test_a_real_torchrun(command, script):
    line = ["torchrun", "--standalone", "--nproc-per-node=2", "--no-python", sys.executable]
    ended = command([*line, script(WORK)])
    assert (ended.code, sorted(ended.out.splitlines())) == (0, TWO), ended.err


@pytest.mark.parametrize("words", [("mpiexec", "-n"), ("mpirun", "-np")])
def test_mpiexec_starts_a_script_directly(command, script, words):
    name, flag = words
    found = Path(sys.executable).with_name(name)
    if not found.exists():
        pytest.skip(f"no {name} beside this Python")
    ended = command([found, flag, "2", sys.executable, script(WORK)])
    assert (ended.code, sorted(ended.out.splitlines())) == (0, TWO), ended.err


def test_our_launcher_inside_a_job_of_slurm_starts_its_ranks_here(launch, script):
    """By itself mpiexec would call srun, and take the job's hosts."""
    job = {"SLURM_JOB_ID": "7", "SLURM_JOBID": "7", "SLURM_NTASKS": "4", "SLURM_NNODES": "2"}
    hosts = {"SLURM_NODELIST": "n[1-2]", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_PROCID": "0"}
    ended = launch(2, script(WORK), SLURM_TASKS_PER_NODE="2(x2)", **job, **hosts)
    assert (ended.code, sorted(ended.out.splitlines())) == (0, TWO), ended.err


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"SLURM_NTASKS": "4"}, "SLURM_NTASKS=4 says that there are more"),
        (  # a script of sbatch
            {"SLURM_NTASKS": "4", "SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_JOB_ID": "7"},
            "start the script with srun",
        ),
        ({"PMI_SIZE": "4"}, "PMI_SIZE=4 says that there are more"),
        ({"OMPI_COMM_WORLD_SIZE": "4"}, "OMPI_COMM_WORLD_SIZE=4 says that there are more"),
        (
            {"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "0"},
            "OMPI_COMM_WORLD_SIZE=2, but MPI says that this process is alone",
        ),
        ({"MASTER_ADDR": "a", "MASTER_PORT": "5"}, "but no RANK and no WORLD_SIZE"),
        ({"MASTER_ADDR": "a", "MASTER_PORT": "5", "RANK": "0"}, "but no WORLD_SIZE"),
        ({"MASTER_ADDR": "a"}, "set both, not only MASTER_ADDR"),
        ({"WORLD_SIZE": "2"}, "world_size 2 was given, but this process was started alone"),
        ({"RANK": "1"}, "rank 1 was given, but this process was started alone"),
    ],
)
def test_a_world_that_norch_would_not_see_is_refused(command, script, names, message):
    ended = command([sys.executable, script(WORK)], **names)
    assert (ended.code, ended.out) == (1, "")
    assert message in ended.err


@pytest.mark.parametrize(
    "names",
    [
        {},
        {"SLURM_NTASKS": "4", "WORLD_SIZE": "1"},
        # the shell of an interactive job is a step of one task
        {"SLURM_NTASKS": "4", "SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"},
        {"SLURM_JOB_ID": "5", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_NTASKS": "1"},
        {"MASTER_ADDR": "a", "MASTER_PORT": "5", "RANK": "0", "WORLD_SIZE": "1"},
    ],
)
def test_a_process_alone_stays_alone(command, script, names):
    ended = command([sys.executable, script(WORK)], **names)
    assert (ended.code, ended.out) == (0, "rank 0 of 1: [0.0, 0.0] local 9\n"), ended.err


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("host", ["host"]),
        ("host[1-3,7]", ["host1", "host2", "host3", "host7"]),
        ("a1,b[09-10],c", ["a1", "b09", "b10", "c"]),
        ("r[1-2]n[1-2]-x", ["r1n1-x", "r1n2-x", "r2n1-x", "r2n2-x"]),
    ],
)
def test_slurms_list_of_hosts(text, names):
    assert environment.expand_hosts(text) == names


def test_where_slurms_tasks_meet(monkeypatch):
    for name in filter(LAUNCHERS.match, list(os.environ)):
        monkeypatch.delenv(name)
    for name, value in srun(1, SLURM_JOB_ID="20003", SLURM_JOB_NODELIST="gpu[07-08]").items():
        monkeypatch.setenv(name, value)
    assert environment.master() == ("gpu07", [*range(15003, 15011)])
    monkeypatch.setenv("MASTER_PORT", "5")
    assert environment.master() == ("gpu07", [5])
    monkeypatch.setenv("MASTER_ADDR", "a")
    assert environment.master() == ("a", [5])
    assert environment.job_name() == "20003.0"
    start = environment.find_start()
    assert (start.launcher.name, start.rank, start.size) == ("srun", 1, 2)


@pytest.mark.parametrize("row", environment.LAUNCHERS, ids=lambda row: row.size)
def test_each_launcher_says_rank_and_size(monkeypatch, row):
    for name in filter(LAUNCHERS.match, list(os.environ)):
        monkeypatch.delenv(name)
    monkeypatch.setenv("SLURM_STEP_ID", "0")
    monkeypatch.setenv(row.rank, "1")
    monkeypatch.setenv(row.size, "2")
    monkeypatch.setenv(row.local_rank, "0")
    assert environment.find_start() == (row, 1, 2)
    assert environment.get_node_local_rank() == 0
    assert environment.has_launcher() == row.starts_mpi
