"""Processes that are killed outside a rank's script: before it starts, around it, and at its end.

Each is killed at a fixed point of the job. What is seen must name a rank or a host, the job must
end by itself, and leave no process and no file in /dev/shm. `kills.py` kills at random.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import kills
import pytest
from rank_programs import environment, free_port

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

BEGIN = """
import os, sys, time
import norch_autograd as norch, norch_ddp as dist
from norch_ddp.launch import meeting, pmi, rendezvous

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
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(size)}
    with tempfile.TemporaryFile("w+") as log:
        started = [
            subprocess.Popen(
                [sys.executable, path],
                env=environment(RANK=str(r), **{**place, **names}),
                stdout=log,
                stderr=log,
            )
            for r in range(size)
        ]
        codes = [process.wait(600) for process in started]
        log.seek(0)
        return codes, log.read()


BY_HAND = {  # what is patched, the time limit, and what is seen: rank 2 may be late for a short one
    "before MPI": ("rendezvous._start_mpi = lambda *args: kill()", 5, "rank 1(, 2)? of 3 did not"),
    "before all have come": (
        "rendezvous._wait_for_all = lambda *args: kill()",
        *(300, "rank 1 of 3 has gone (before all had come|without a word)"),
    ),
    "while MPI starts": ("rendezvous.load_mpi = kill", 300, "rank 1 of 3 has gone without a word"),
}


@pytest.mark.parametrize("fault", BY_HAND)
def test_a_rank_that_meets_is_killed_before_its_group_is_there(script, nothing_left, fault):
    patch, timeout, message = BY_HAND[fault]
    begin = f"dist.init_process_group(timeout={timeout})"
    text = f"if os.environ['RANK'] == '1':\n    {patch}\n{begin}"
    codes, text = start_by_hand(script(BEGIN + text), 3, **nothing_left)
    assert 0 not in codes
    assert re.search(message, text), text


HEARS = """
import signal
os.setsid()  # a group of processes for each rank: of rank 0's is the process that it leaves
me = os.getpid()

def say(text):
    os.write(1, f"{text} in {'a rank' if os.getpid() == me else 'a copy'}\\n".encode())

NUMBERS = [signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2]
NUMBERS += [signal.SIGALRM, signal.SIGWINCH]  # SIGHUP is a library's of MPI
for number in NUMBERS:
    signal.signal(number, lambda number, _: say(f"heard {number:d}"))
try:
    dist.init_process_group("gloo", timeout=300)
    dist.barrier()
    for number in NUMBERS if dist.get_rank() == 0 else ():
        os.killpg(0, number)
    dist.barrier()
finally:
    say("over")
"""


def test_signals_that_ranks_handle_do_not_reach_the_copy_that_rank_0_left(script, nothing_left):
    codes, text = start_by_hand(script(BEGIN + HEARS), 2, **nothing_left)
    assert codes == [0, 0], text
    assert (text.count("heard"), text.count("over in a rank")) == (6, 2), text
    assert "a copy" not in text


TOLD = """
def end(*_):
    raise SystemExit("told to end")

import signal
signal.signal(signal.SIGTERM, end)
me = os.getpid()
try:
    dist.init_process_group("gloo", timeout=300)
    dist.barrier()
    if dist.get_rank() == 0:
        sys.path.insert(0, TESTS)
        import kills
        for each in kills.processes(os.environ["NORCH_KILL_MARK"]):
            os.kill(each, signal.SIGTERM)
        os.kill(me, signal.SIGTERM)
    time.sleep(600)
finally:
    os.write(1, f"saving in {'a rank' if os.getpid() == me else 'a copy'}\\n".encode())
"""


def test_a_job_that_is_told_to_end_saves_once_on_each_rank(script, nothing_left):
    """A handler of SIGTERM and `finally` are the user's; nothing stays afterwards."""
    text = BEGIN + TOLD.replace("TESTS", repr(str(Path(__file__).parent)))
    codes, text = start_by_hand(script(text), 2, **nothing_left)
    assert 0 not in codes
    assert (text.count("saving in a rank"), text.count("a copy")) == (2, 0), text


FAILING = """
meeting.gather = lambda *args: 1 / 0
me = os.getpid()
try:
    dist.init_process_group("gloo", timeout=5)
finally:
    os.write(1, f"over in {'a rank' if os.getpid() == me else 'a copy'}\\n".encode())
"""


def test_what_fails_in_the_copy_that_rank_0_left_runs_no_user_code(script, nothing_left):
    codes, text = start_by_hand(script(BEGIN + FAILING), 2, **nothing_left)
    assert codes == [1, 1]
    assert "rank 0's meeting has failed: ZeroDivisionError: division by zero" in text
    assert (text.count("over in a rank"), text.count("a copy")) == (2, 0), text


def test_nothing_waits_for_others_once_rank_0_has_gone(script, nothing_left):
    """The fixture looks whether the process that it left has ended; its time limit is a year."""
    text = "rendezvous._wait_for_all = lambda *args: kill()\n"
    codes, _ = start_by_hand(
        script(f"{BEGIN}{text}dist.init_process_group(timeout=365 * 86400)"),
        1,
        WORLD_SIZE="2",
        **nothing_left,
    )
    assert codes == [-9]


RESULT = kills.Result(0, "port", "rank 1", 0.0, 1.0, 1, "", [], 3)


@pytest.mark.parametrize(
    ("victim", "text", "is_named"),
    [
        ("rank 1", "rank 1 of 3 has gone without a word", True),
        ("rank 1", "rank 1 of 3 was ended: Killed", True),
        ("rank 1", "rank 0, 1 of 3 did not come within 10 s", True),
        ("rank 1", "rank 2 of 3 has gone without a word", False),
        ("rank 1", "rank 11 of 30 has gone without a word", False),
        ("rank 1", "rank 1 says something\nrank 2 has gone", False),
        ("meeting", "was it killed, or is rank 0's host down", True),
        ("supervisor", "nothing of use", False),
    ],
)
def test_a_kill_counts_only_where_its_victim_is_named(victim, text, is_named):
    assert RESULT._replace(victim=victim, text=text).is_named() == is_named
    assert (RESULT._replace(victim=victim, text=text).problem() == "") == is_named


@pytest.mark.parametrize("victim", ["launcher", "nobody"])
def test_a_kill_that_nobody_is_left_to_name_is_counted_apart(victim):
    assert RESULT._replace(victim=victim).is_silent() and not RESULT.is_silent()
    assert RESULT._replace(text="done\n" * 3).is_silent(), "all was over"


def test_the_mark_of_a_job_is_a_whole_entry_of_an_environment():
    """Another program's may hold the same digits: it must not be killed."""
    line = [sys.executable, "-c", "print(1, flush=True); input()"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    mark = f"96.{os.getpid()}"
    for name, is_ours in (("NORCH_KILL_MARK", True), ("SERVICE_HOST", False)):
        value = mark if is_ours else f"10.{mark}"
        with subprocess.Popen(line, env=environment(**{name: value}), **pipes) as other:
            assert other.stdout.readline()  # it runs, under its own environment
            assert kills.processes(mark) == [other.pid] * is_ours
            other.communicate(b"\n")


@pytest.mark.parametrize("asked", ["init", "get_maxes", "get", "barrier_in", "up"])
def test_the_process_that_rank_0_left_is_killed_while_mpi_asks(asked, script, nothing_left):
    """MPI may have made its file by then, and may crash without a word."""
    text = (
        "first = pmi.Answers.answer_line\n"
        "def answer_line(self, guest, line):\n"
        f"    if b'cmd={asked}' in line:\n"
        "        kill()\n"
        "    first(self, guest, line)\n"
        "pmi.Answers.answer_line = answer_line\n"
        "from norch_ddp.launch import leftovers\n"
        "leftovers.unlink_shared_memory = lambda: None\n"
    )
    seconds = 0 if asked == "barrier_in" else 60  # that is asked at the end
    work = f"dist.init_process_group('gloo', timeout=20)\ntime.sleep({seconds})\n"
    codes, text = start_by_hand(script(BEGIN + text + work), 3, **nothing_left)
    assert 0 not in codes
    assert "the process that rank 0 left" in text


def test_the_process_that_rank_0_left_is_killed_before_it_answers(script, nothing_left):
    text = "pmi.Answers.answer = lambda self: kill()\n"
    codes, text = start_by_hand(
        script(BEGIN + text + LOOP.replace("VICTIM", "pass")), 3, **nothing_left
    )
    assert 0 not in codes
    assert "the process that rank 0 left" in text


def test_the_cleaner_is_killed(script, nothing_left):
    """Nothing is lost but the cleaner's own work, and nobody says that something failed."""
    text = (
        "def fork_cleaner(*args, first=meeting.fork_cleaner):\n"
        "    over = first(*args)\n"
        "    children = open('/proc/self/task/%d/children' % os.getpid()).read()\n"
        "    os.kill(int(children), 9)\n"
        "    os.waitpid(int(children), 0)\n"
        "    return over\n"
        "meeting.fork_cleaner = fork_cleaner\n"
    )
    end = "dist.init_process_group('gloo', timeout=30)\ndist.destroy_process_group()\n"
    codes, text = start_by_hand(script(BEGIN + text + end), 3, **nothing_left)
    assert (codes, text) == ([0, 0, 0], "")


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
        place = f"MASTER_ADDR=127.0.0.1 MASTER_PORT={free_port()} WORLD_SIZE=2"
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
