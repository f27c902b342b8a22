"""Ranks that no launcher started: they meet at an address, and end together."""

import re
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from importlib.metadata import version

import pytest
from rank_programs import environment, free_port

from norch_ddp.launch import guests, pmi, rendezvous
from norch_ddp.launch.supervisor import fnv
from norch_ddp.transports.mpi import VERSION

WORK = """
import multiprocessing, os, sys
import norch_autograd as norch
import norch_ddp as dist
from norch_ddp.launch.spawn import spawn

def work(rank, size, method, text):
    dist.init_process_group("gloo", method, rank=rank, world_size=size, timeout=300)
    total = norch.ones(3) * rank
    dist.all_reduce(total)
    assert total.tolist() == [sum(range(size))] * 3
    if rank == 1:
        exec(text)
    dist.barrier()
    if rank == 0:
        left = {"PMI_FD", "PMI_RANK", "PMI_SIZE"} & set(os.environ)  # what it starts is no rank
        print("passed", dist.get_world_size(), *left, flush=True)
    dist.destroy_process_group()

if __name__ == "__main__":
    how, method, text = sys.argv[1:]
    if how == "spawn":
        spawn(work, args=(3, method, text), nprocs=3)
    else:
        multiprocessing.set_start_method(how)
        start = multiprocessing.Process
        ranks = [start(target=work, args=(rank, 3, method, text)) for rank in range(3)]
        for rank in ranks:
            rank.start()
        for rank in ranks:
            rank.join()
        print(*(rank.exitcode for rank in ranks))
"""


@pytest.fixture
def port():
    return free_port()


def test_spawned_functions_become_a_group(command, script, port):
    path = script(WORK)
    ended = command([sys.executable, path, "spawn", f"tcp://127.0.0.1:{port}", "pass"])
    assert (ended.code, ended.out) == (0, "passed 3\n"), ended.err


def test_forked_processes_become_a_group_at_the_address_of_the_environment(command, script, port):
    place = {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port)}
    ended = command([sys.executable, script(WORK), "fork", "env://", "pass"], **place)
    assert (ended.code, ended.out) == (0, "passed 3\n0 0 0\n"), ended.err


def test_a_spawned_rank_that_raises_ends_the_others(command, script, port):
    path = script(WORK)
    ended = command([sys.executable, path, "spawn", f"tcp://127.0.0.1:{port}", "1 / 0"])
    assert ended.code == 1 and "passed" not in ended.out
    assert "process 1 raised" in ended.err and "ZeroDivisionError" in ended.err


@pytest.mark.parametrize(
    ("text", "codes", "message"),
    [
        ("1 / 0", "1 1 1", "rank 1: ended: this rank's script is over"),
        ("os._exit(0)", "1 0 1", "rank 1 of 3 has gone without a word"),
        ("os.kill(os.getpid(), 9)", "1 -9 1", "rank 1 of 3 has gone without a word"),
    ],
)
def test_one_that_goes_ends_the_others(command, script, port, text, codes, message):
    ended = command([sys.executable, script(WORK), "fork", f"tcp://127.0.0.1:{port}", text])
    assert ended.out == f"{codes}\n"
    assert message in ended.err


def by_hand(script, size, *numbers, timeout=300, between=lambda: None, **names):
    """Start ranks as a person would in terminals; return how each ended.

    `between` is called when all but the last have been started.
    """
    begin = f"dist.init_process_group(timeout={timeout})"
    path = script(f"import datetime, math\nimport norch_ddp as dist\n{begin}\ndist.barrier()")
    started = []
    for rank in numbers:
        if rank == numbers[-1]:
            between()
        env = environment(RANK=str(rank), WORLD_SIZE=str(size), **names)
        line = [sys.executable, path]
        started.append(subprocess.Popen(line, env=env, stderr=subprocess.PIPE, text=True))
    return [(process.communicate(timeout=600)[1], process.returncode) for process in started]


def test_ranks_started_by_hand_meet_in_any_order(script, port):
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    assert by_hand(script, 2, 1, 0, **place) == [("", 0)] * 2


@pytest.mark.parametrize("timeout", ["datetime.timedelta(days=365)", "math.inf"])
def test_a_timeout_may_be_longer_than_the_systems(script, port, timeout):
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    assert by_hand(script, 2, 0, 1, timeout=timeout, **place) == [("", 0)] * 2


@pytest.mark.parametrize(
    ("numbers", "timeout", "message"),
    [
        ((0, 1), 5, "rank (1, )?2 of 3 did not come within 5 s"),  # rank 1 may be late
        ((1,), 1, "nobody answered at 127.0.0.1:"),
        ((0, 1, 1), 300, "rank 1 of 3 came where each of 3 must come once"),
    ],
)
def test_a_world_that_does_not_meet_says_who_is_missing(script, port, numbers, timeout, message):
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    found = by_hand(script, 3, *numbers, timeout=timeout, **place)
    assert [code for _, code in found] == [1] * len(numbers)
    # One that comes late finds nobody any more.
    assert any(re.search(message, error) for error, _ in found), found


def test_a_port_in_use_is_named(port):
    with (
        socket.create_server(("127.0.0.1", port)),
        pytest.raises(RuntimeError, match=f"rank 0 cannot open port {port}.*another MASTER_PORT"),
    ):
        rendezvous.join(0, 2, "127.0.0.1", [port], 1.0)


@pytest.mark.parametrize(
    ("method", "place"),
    [
        ("tcp://a:80", ("a", [80])),
        ("tcp://[::1]:80?x=1", ("::1", [80])),
        (None, ("b", [5])),
        ("env://", ("b", [5])),
    ],
)
def test_where_ranks_meet(monkeypatch, method, place):
    monkeypatch.setenv("MASTER_ADDR", "b")
    monkeypatch.setenv("MASTER_PORT", "5")
    assert rendezvous.meeting_place(method) == place


@pytest.mark.parametrize("method", ["tcp://a", "tcp://:5", "file://x", "a:5", None])
def test_no_address_is_refused(monkeypatch, method):
    monkeypatch.setenv("MASTER_ADDR", "b")
    monkeypatch.delenv("MASTER_PORT", raising=False)
    with pytest.raises(ValueError, match="ranks meet at "):
        rendezvous.meeting_place(method)


@contextmanager
def stranger(words):
    """Another program that holds a port: it says something to whoever comes, or nothing; with None
    it hangs up.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        came = []

        def answer():
            while True:
                try:
                    came.append(server.accept()[0])
                except OSError:
                    return
                if words is None:
                    came.pop().close()
                    continue
                with suppress(OSError):
                    came[-1].sendall(words)

        threading.Thread(target=answer, daemon=True).start()
        yield str(server.getsockname()[1])
        server.shutdown(socket.SHUT_RDWR)
        for each in came:
            each.close()


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        (b"", "is silent for"),
        (b"SSH-2.0-x\r\n", "begins with b'S'"),
        (b"norch 5.0\n", "norch 5.0"),
        (None, "hangs up after b''"),
    ],
)
def test_every_rank_says_that_another_program_holds_the_port(script, words, seen):
    with stranger(words) as port:
        place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        found = by_hand(script, 3, 0, 1, 2, timeout=3, **place)
    assert [code for _, code in found] == [1] * 3
    assert all("choose another MASTER_PORT for all ranks" in error for error, _ in found), found
    assert seen in found[1][0] and seen in found[2][0]


def test_one_who_only_hangs_up_is_not_asked_for_ever(monkeypatch):
    """Here the time limit is none."""
    monkeypatch.setattr(rendezvous, "HANG_UPS", 3)
    me = guests.Hello(VERSION, "", 1, 2, "h", "1@x")
    with stranger(None) as port, pytest.raises(rendezvous.Stranger, match="hangs up after b''"):
        rendezvous._enter(me, "127.0.0.1", [int(port)], 1e9)


def test_two_jobs_at_one_port_are_told_apart(script, port):
    """The second says so on every rank, and does not disturb the first."""
    path = script(
        "import sys, norch_ddp as dist\n"
        "dist.init_process_group(timeout=float(sys.argv[1]))\ndist.barrier()"
    )

    def start(job, rank, timeout):
        names = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "SLURM_JOB_ID": job}
        names |= {"RANK": str(rank), "WORLD_SIZE": "2"}
        line = [sys.executable, path, timeout]
        return subprocess.Popen(line, env=environment(**names), stderr=subprocess.PIPE, text=True)

    first = start("1", 0, "300")
    connect_when_open(port).close()
    second = [start("2", 0, "3"), start("2", 1, "3")]
    errors = [process.communicate(timeout=600)[1] for process in second]
    assert [process.returncode for process in second] == [1, 1], errors
    assert all("another program or job holds" in error for error in errors), errors
    last = start("1", 1, "300")
    assert [process.communicate(timeout=600)[1] for process in (first, last)] == ["", ""]


def connect_when_open(port):
    """Return a connection to the port, once somebody listens there."""
    return rendezvous.connect("test", "127.0.0.1", port, 300.0)


VERSIONS = """
import os, norch_ddp as dist
from norch_ddp.launch import rendezvous
from norch_ddp.transports import mpi
if os.environ["RANK"] == "1":
    rendezvous.VERSION = mpi.VERSION = "9.9"
dist.init_process_group(timeout=300)
"""


def test_another_version_on_one_rank_is_said_by_every_rank(script, port):
    path = script(VERSIONS)
    names = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "3"}
    started = [
        subprocess.Popen(
            [sys.executable, path],
            env=environment(RANK=str(rank), **names),
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(3)
    ]
    errors = [process.communicate(timeout=600)[1] for process in started]
    assert [process.returncode for process in started] == [1] * 3
    assert all("has norch 9.9, rank 0 on" in error for error in errors), errors


def test_another_version_under_the_launcher_is_said(launch, script):
    ended = launch(2, script(VERSIONS))
    assert ended.code == 1
    assert "rank 1 on " in ended.err and "has norch 9.9, rank 0 on" in ended.err


def test_the_version_is_the_packages():
    assert version("norch-ddp") == VERSION


def test_strangers_who_connect_keep_nobody_waiting(script, port):
    """They say nothing, or nonsense; one says it without an end. All come before rank 1."""
    silent = []

    def disturb():
        for words in (b"", b"", b"GET / HTTP/1.0\r\n\r\n", b"1 2\n", b"x" * 100_000):
            silent.append(connect_when_open(port))
            with suppress(OSError):
                silent[-1].sendall(words)

    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    try:
        assert by_hand(script, 2, 0, 1, between=disturb, **place) == [("", 0)] * 2
    finally:
        for each in silent:
            each.close()


CLOCK = """
import os, time
if os.environ["RANK"] == "1":
    now = time.time
    time.time = lambda: now() + 3600
import norch_ddp as dist
dist.init_process_group(timeout=30)
dist.barrier()
"""


def test_a_clock_that_is_an_hour_off_does_no_harm(script, port):
    path = script(CLOCK)
    names = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
    started = [
        subprocess.Popen([sys.executable, path], env=environment(RANK=str(rank), **names))
        for rank in (1, 0)
    ]
    assert [process.wait(600) for process in started] == [0, 0]


def test_a_rank_does_not_wait_for_ever_for_the_others(monkeypatch):
    """Rank 0's process greets, and says nothing more."""
    monkeypatch.setattr(rendezvous, "LAST_WORDS_SECONDS", 0.1)
    me = guests.Hello(VERSION, "", 1, 2, "h", "1@x")
    with (
        stranger(guests.greeting(me)) as port,
        pytest.raises(RuntimeError, match="does not say that all have come"),
    ):
        rendezvous._enter(me, "127.0.0.1", [int(port)], 0.1)


COUNTS = """
import os, sys, norch_ddp as dist
from norch_ddp.launch import pmi
asked, files, answer_line = [], [], pmi.Answers.answer_line

def count(self, guest, line):
    asked.append(line)
    files.append(len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0)
    open(sys.argv[1], "w").write(f"{len(asked)} {max(files)}")
    answer_line(self, guest, line)

pmi.Answers.answer_line = count
dist.init_process_group(timeout=300)
dist.barrier()
if dist.get_rank() == 0 and sys.platform == "linux":
    print(len(os.listdir("/proc/self/fd")))
"""


def test_what_a_rendezvous_costs_grows_with_the_ranks_and_a_rank_has_one_socket(
    script, port, tmp_path
):
    """Questions to the process at the port, its open files, and those of rank 0, for 2 and 6."""
    path, found = script(COUNTS), {}
    for size in (2, 6):
        names = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(size)}
        started = [
            subprocess.Popen(
                [sys.executable, path, tmp_path / "counts"],
                env=environment(RANK=str(rank), **names),
                stdout=subprocess.PIPE,
                text=True,
            )
            for rank in range(size)
        ]
        outputs = [process.communicate(timeout=600)[0] for process in started]
        assert [process.returncode for process in started] == [0] * size
        asked, files = map(int, (tmp_path / "counts").read_text().split())
        found[size] = (asked / size, files - size, outputs[0])
    assert found[2] == found[6], found


CROWD = """
import resource, socket, sys
from norch_ddp.launch import guests, meeting

def hello(rank, size):
    return guests.Hello("1", "", rank, size, f"host{rank // 8}", "1@x")

def line(connection):
    text = b""
    while not text.endswith(b"\\n"):
        text += connection.recv(1)
    return text

_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
size = 1100 if most > 1200 else 100
resource.setrlimit(resource.RLIMIT_NOFILE, (64, most))
listener = socket.create_server(("127.0.0.1", 0), backlog=2000)
place = listener.getsockname()
meeting.fork_meeting(listener, hello(0, size), 300)
meeting.allow_many_sockets()
ranks = [socket.create_connection(place) for _ in range(size)]
for rank, each in enumerate(ranks):
    each.sendall(hello(rank, size).line())
assert {line(each) for each in ranks} == {b"norch \\n"}
assert {line(each) for each in ranks} == {guests.READY}
for question in (b"cmd=get key=PMI_process_mapping\\n", b"cmd=up\\ncmd=barrier_in\\n"):
    for each in ranks:
        each.sendall(question)
    print(*{line(each).decode().strip() for each in ranks})
ranks[3].close()
print(line(ranks[-1]).decode().strip())
"""


def test_a_thousand_ranks_meet_where_a_process_may_open_64_files(command, script):
    """They are sockets without MPI; the process at the port may open as many as its user."""
    ended = command([sys.executable, script(CROWD)])
    assert ended.code == 0, ended.err
    mapping, barrier, news = ended.out.splitlines()
    assert mapping.startswith("cmd=get_result rc=0 value=(vector,(0,1")
    assert barrier == "cmd=barrier_out rc=0"
    assert news.startswith("alarm rank 3 of 1")


MEETING_AT_ONCE = """
import sys
import norch_autograd as norch, norch_ddp as dist
dist.init_process_group(timeout=300)
total = norch.ones(3) * (dist.get_rank() + int(sys.argv[1]))
dist.all_reduce(total)
assert total.tolist() == [2.0 * int(sys.argv[1]) + 1] * 3
"""


def test_jobs_that_start_at_once_on_one_host_do_not_share_memory(script):
    """All mixed up their messages while mpich's file had one name in every job."""
    path, started = script(MEETING_AT_ONCE), []
    for job in range(4):
        place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
        for rank in (0, 1):
            names = environment(RANK=str(rank), WORLD_SIZE="2", **place)
            started.append(subprocess.Popen([sys.executable, path, str(10 * job)], env=names))
    assert [process.wait(600) for process in started] == [0] * 8


def test_each_job_has_shared_memory_of_its_own():
    """mpich names its file after the name of the job's table."""
    with socket.socket() as connection:
        guest = guests.Guest(connection)
        guest.hello = guests.Hello(VERSION, "", 0, 1, "h", "1@x")
        one, two = pmi.Answers([guest]), pmi.Answers([guest])
    assert fnv(one.name) != fnv(two.name)
    assert f"{fnv('norch'):x}" == "d5145a6b"  # seen in /dev/shm


@pytest.mark.parametrize(
    ("hosts", "mapping"),
    [
        ("a", "(0,1,1)"),
        ("aabb", "(0,2,2)"),
        ("aabbb", "(0,1,2),(1,1,3)"),
        ("abab", "(0,2,1),(0,2,1)"),
        ("abcaabbcc", "(0,3,1),(0,3,2)"),
    ],
)
def test_which_rank_is_on_which_host(hosts, mapping):
    assert pmi.process_mapping(hosts) == f"(vector,{mapping})"
