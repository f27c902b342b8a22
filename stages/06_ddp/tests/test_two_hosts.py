"""Two hosts: two network namespaces with a cable between them, over TCP.

Each launcher runs in its namespace under a host name of its own; they meet without ssh. The cable
is slowed down, pulled for some seconds, and pulled for good.
"""

import shutil
import sys
import time

import pytest
from cable import A, Cable, tool


@pytest.fixture
def cable():
    if not shutil.which("ip") or not shutil.which("unshare"):
        pytest.skip("network namespaces need the programs ip and unshare")
    made = Cable()
    try:
        problem = made.lay()
        if problem:
            pytest.skip(f"no right to make network namespaces: {problem.strip()}")
        yield made
    finally:
        made.take_away()


def ended(first, second):
    """Return what the ranks wrote, when both launchers have ended."""
    out, _ = first.communicate(timeout=600)
    return out + second.communicate(timeout=600)[0]


MEASURE = """
import time
import norch_autograd as norch, norch_ddp as dist
dist.init_process_group("gloo", timeout=60)

def sent():
    return int(open("/sys/class/net/cable/statistics/tx_bytes").read())

tensor = norch.ones(1 << 20)
for _ in range(4):
    dist.all_reduce(tensor, "max")
dist.barrier()
before, start = sent(), time.monotonic()
dist.all_reduce(tensor)
dist.barrier()
seconds = time.monotonic() - start
assert tensor[0].item() == 2.0
if dist.get_rank() == 0:
    print(sent() - before, seconds)
"""


@pytest.mark.slow
@pytest.mark.parametrize("rate", [None, "100mbit"])
def test_the_bytes_on_the_wire_are_those_of_the_tensor(cable, script, rate):
    """4 MB: each of two ranks sends as much in an all-reduce; headers are a few per cent."""
    if rate:
        cable.slow_down(rate)
    first, second = cable.launch(script(MEASURE))
    out = ended(first, second)
    assert (first.returncode, second.returncode) == (0, 0), out
    sent, seconds = map(float, out.split())
    assert 4 << 20 <= sent < 1.1 * (4 << 20)
    if rate:
        assert seconds > 0.9 * sent * 8 / 100e6  # less a burst


STEPS = """
import sys, time
import norch_autograd as norch, norch_ddp as dist
dist.init_process_group(timeout=float(sys.argv[1]))
tensor = norch.ones(100_000)
until = time.monotonic() + float(sys.argv[2])
dist.barrier()
print("started", flush=True)
go_on = norch.ones(1)
while go_on.item():
    dist.all_reduce(tensor, "mean")
    go_on.fill_(float(time.monotonic() < until))
    dist.broadcast(go_on, 0)
print("done", tensor[0].item(), flush=True)
"""


@pytest.mark.slow  # half a minute each where others work too
def test_a_cable_pulled_for_three_seconds_is_survived(cable, script):
    first, second = cable.launch(script(STEPS), 60, 5)
    assert first.stdout.readline() == "started\n"
    cable.pull("down")
    time.sleep(3)
    cable.pull("up")
    out = ended(first, second)
    assert (first.returncode, second.returncode) == (0, 0), out
    assert out.count("done 1.0") == 2


@pytest.mark.slow
def test_a_cable_pulled_for_good_ends_all_and_the_silent_host_is_named(cable, script):
    """Each side waits for its time limit, and for a sign of life; then all its processes end."""
    first, second = cable.launch(script(STEPS), 4, 600)
    assert first.stdout.readline() == "started\n"
    cable.pull("down")
    out = ended(first, second)
    assert (first.returncode, second.returncode) == (1, 2)
    assert "no sign of life from rank 1 on host-b" in out
    assert "does not say how the launch has ended" in out  # machine 1's launcher
    until = time.monotonic() + 300
    while any(left := [tool("ip", "netns", "pids", s).stdout for s in cable.spaces]):
        assert time.monotonic() < until, left
        time.sleep(0.2)


def tasks(cable, script, *args):
    """Start a task of SLURM on each host, as srun does."""
    return [
        cable.start(
            *(number, sys.executable, script, *args),
            **{"SLURM_PROCID": str(number), "SLURM_NTASKS": "2", "SLURM_LOCALID": "0"},
            **{
                "SLURM_JOB_ID": "7",
                "SLURM_STEP_ID": "0",
                "SLURM_JOB_NODELIST": "host-[a-b]",
                "MASTER_ADDR": A,
            },
        )
        for number in (0, 1)
    ]


def test_tasks_of_slurm_on_two_hosts_meet(cable, script):
    first, second = tasks(cable, script(STEPS), 60, 0)
    out = ended(first, second)
    assert (first.returncode, second.returncode) == (0, 0), out
    assert out.count("done 1.0") == 2


def test_a_rank_killed_on_another_host_is_named_with_its_host(cable, script):
    killed = STEPS.replace(
        "    dist.all_reduce",
        "    import os; dist.get_rank() and os.kill(os.getpid(), 9)\n    dist.all_reduce",
    )
    first, second = tasks(cable, script(killed), 60, 600)
    out = ended(first, second)
    assert (first.returncode, second.returncode) == (1, -9), out
    assert "rank 1 of 2 has gone without a word (it was on host-b)" in out
