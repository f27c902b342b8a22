"""Processes that are killed outside a rank's script: before it starts, around it, and at its end.

Each is killed at a fixed point of the job. What is seen must name a rank or a host, the job must
end by itself, and leave no process and no file in /dev/shm. `kills.py` kills at random.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import kills
import pytest
from rank_programs import environment

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

BEGIN = """
import os, sys, time
import norch_autograd as norch, norch_ddp as dist
from norch_ddp.launch import meeting, rendezvous

def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])

def kill(pid=0):
    os.kill(pid or os.getpid(), 9)
"""
LOOP = """
dist.init_process_group("gloo", timeout=20)
for step in range(1_000_000):
    dist.all_reduce(norch.ones(3))
    if dist.get_rank() == 1 and step == 3:
        VICTIM
"""
CASES = {  # under the launcher: what rank 1 does in its fourth step, and what is seen
    "rank": ("kill()", "rank 1 of 3 was ended: Killed (signal 9)"),
    "supervisor": ("kill(os.getppid())", "RUNNING AT"),
    "proxy": ("kill(parent(os.getppid()))", "hydra_pmi_proxy, the launcher's helper on host"),
    "mpiexec": ("kill(parent(parent(os.getppid())))", ""),  # it is the launcher: nobody is left
}


@pytest.fixture
def nothing_left():
    """Check that the test leaves no file of MPI's and no process."""
    mark, before = f"test.{os.getpid()}", kills.shared_files()
    yield {"NORCH_KILL_MARK": mark}
    found = []
    for _ in range(600):
        found = kills.processes(mark)
        if not found:
            break
        kills.time.sleep(0.1)
    assert [kills.command_line(pid) for pid in found] == []
    assert kills.left_files(before) == []


@pytest.mark.parametrize("fault", CASES)
def test_killed_in_a_collective(launch, script, nothing_left, fault):
    victim, message = CASES[fault]
    ended = launch(3, script(BEGIN + LOOP.replace("VICTIM", victim)), **nothing_left)
    assert ended.code != 0
    assert message in ended.err + ended.out


STARTS = """
import os
if os.environ.get("PMI_RANK") == "1":
    os.kill(os.getpid(), 9)
"""


def test_a_rank_killed_before_anything_is_loaded_is_named(launch, script, tmp_path, nothing_left):
    """Python runs this file when it starts; the supervisor's does not."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(STARTS)
    path = f"{tmp_path / 'site'}{os.pathsep}{Path(__file__).parent}"
    ended = launch(2, script("print('never')"), PYTHONPATH=path, **nothing_left)
    assert ended.code == 137
    assert "rank 1 of 2 was ended: Killed (signal 9)" in ended.err


def test_a_rank_killed_at_its_end_is_named(launch, script, nothing_left):
    text = (
        "import atexit\ndist.init_process_group()\nif dist.get_rank():\n    atexit.register(kill)"
    )
    ended = launch(2, script(BEGIN + text), **nothing_left)
    assert ended.code == 137
    assert "rank 1 of 2 was ended: Killed (signal 9)" in ended.err


def start_by_hand(path, size, **names):
    """Start ranks that meet at a port; return how each ended, and what they wrote together."""
    port = kills.free_port()
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(size), **names}
    with tempfile.TemporaryFile("w+") as log:
        started = [
            subprocess.Popen(
                [sys.executable, path],
                env=environment(RANK=str(r), **place),
                stdout=log,
                stderr=log,
            )
            for r in range(size)
        ]
        codes = [process.wait(600) for process in started]
        log.seek(0)
        return codes, log.read()


BY_HAND = {  # what is patched, and what is seen
    "before MPI": ("rendezvous._start_mpi = lambda *args: kill()", "rank 1 of 3 did not come"),
    "while MPI starts": ("rendezvous.load_mpi = kill", "rank 1 of 3 has gone without a word"),
}


@pytest.mark.parametrize("fault", BY_HAND)
def test_a_rank_that_meets_is_killed_before_its_group_is_there(script, nothing_left, fault):
    patch, message = BY_HAND[fault]
    text = f"if os.environ['RANK'] == '1':\n    {patch}\ndist.init_process_group(timeout=5)"
    codes, text = start_by_hand(script(BEGIN + text), 3, **nothing_left)
    assert 0 not in codes
    assert message in text


def test_the_process_that_rank_0_left_is_killed_while_mpi_starts(script, nothing_left):
    """MPI has made its file by then, and says itself that nobody answers."""
    text = (
        "first = meeting.Answers.answer_line\n"
        "def answer_line(self, guest, line):\n"
        "    if b'cmd=up' in line:\n"
        "        kill()\n"
        "    first(self, guest, line)\n"
        "meeting.Answers.answer_line = answer_line\n"
        "from norch_ddp.launch import leftovers\n"
        "leftovers.unlink_shared_memory = lambda: None\n"
    )
    codes, text = start_by_hand(
        script(BEGIN + text + LOOP.replace("VICTIM", "pass")), 3, **nothing_left
    )
    assert 0 not in codes
    assert "the process that rank 0 left" in text


def test_the_process_that_rank_0_left_is_killed(script, tmp_path, nothing_left):
    note = tmp_path / "pid"
    text = (
        "first = meeting.allow_many_sockets\n"
        f"meeting.allow_many_sockets = lambda: open({str(note)!r}, 'w').write(str(os.getpid()))\n"
    )
    loop = LOOP.replace("VICTIM", f"kill(int(open({str(note)!r}).read()))")
    codes, text = start_by_hand(script(BEGIN + text + loop), 3, **nothing_left)
    assert 0 not in codes
    assert "the process that rank 0 left at the place of the meeting has gone" in text


def can_mount():
    """Return whether a program may have a /dev/shm of its own."""
    line = ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=256k", "none", "/dev/shm"]
    return shutil.which("unshare") and subprocess.run(line, capture_output=True).returncode == 0


CLEANED = 'for i in $(seq 300); do [ -z "$(ls /dev/shm)" ] && break; sleep 0.1; done'


@pytest.mark.parametrize("way", ["run", "port"])
def test_a_full_dev_shm_is_named(command, script, way):
    """In a mount namespace of its own, which ends with the job: so do its files."""
    if not can_mount():
        pytest.skip("no right to mount a small /dev/shm")
    path = script(f"{BEGIN}\ndist.init_process_group(timeout=5)\ndist.barrier()\nprint('done')")
    line = f"{sys.executable} -m norch_ddp.run --nproc_per_node 2 {path}"
    if way == "port":
        place = f"MASTER_ADDR=127.0.0.1 MASTER_PORT={kills.free_port()} WORLD_SIZE=2"
        line = (
            f"{place} RANK=1 {sys.executable} {path} & {place} RANK=0 {sys.executable} {path}; wait"
        )
    mount = "mount -t tmpfs -o size=256k none /dev/shm"
    ended = command(["unshare", "-m", "sh", "-c", f"{mount} && ({line}); {CLEANED}; ls /dev/shm"])
    assert "/dev/shm is full: it holds 256 KB" in ended.err
    assert "mount -o remount,size=1G /dev/shm" in ended.err
    assert ended.out == ""  # no file is left


@pytest.mark.slow
def test_sixty_kills_at_random(tmp_path):
    results = [kills.kill_one(seed, tmp_path) for seed in range(60)]
    assert [(each[:6], each.problem()) for each in results if each.problem()] == []
