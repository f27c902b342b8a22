"""The launcher: places, exit codes, and ranks that fail, die or are interrupted."""

import mmap
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest
from processes import alive, gone
from rank_programs import environment as clean_environment, free_port

from norch_ddp.launch import environment, leftovers, nodes, rendezvous, run

BARRIER = """
import os, sys, time
import norch_ddp as dist
dist.init_process_group()
"""


def test_every_rank_finds_its_place(launch, script):
    names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE")
    seeds = ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE")
    path = script(f"import os\nprint(*(os.environ[name] for name in {names + seeds}))")
    ended = launch(3, path)
    assert sorted(ended.out.splitlines()) == [f"{r} {r} 3 3 {r} {r} 3" for r in range(3)]
    assert (ended.code, ended.err) == (0, "")


def test_the_script_sees_its_own_arguments_and_folder(launch, script):
    path = script("import sys, beside; print(sys.argv[1:], sys.path[0], __name__, beside.x)")
    path.with_name("beside.py").write_text("x = 5")
    ended = launch(1, path, "--lr", "0.1", "--nproc_per_node", "9")
    assert ended.out == f"['--lr', '0.1', '--nproc_per_node', '9'] {path.parent} __main__ 5\n"


def test_a_module_can_be_run(command):
    ended = command([sys.executable, "-m", "norch_ddp.run", "-m", "platform"])
    assert (ended.code, ended.err) == (0, "")
    assert ended.out


def test_lines_come_whole_and_at_once(launch, script):
    path = script("for i in range(50):\n    print('a' * 20, 'b' * 20, i)")
    lines = launch(3, path, PYTHONUNBUFFERED="1").out.splitlines()
    assert sorted(lines) == sorted(
        f"{'a' * 20} {'b' * 20} {i}" for i in range(50) for _ in range(3)
    )


def test_threads_are_shared_out(launch, script):
    path = script("import norch_cpu_ops as c; print(c.get_num_threads())")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert launch(2, path).out.split() == [str(max(1, cores // 2))] * 2
    assert launch(2 * cores, path).out.split() == ["1"] * (2 * cores), "more ranks than cores"
    assert launch(2, path, NORCH_NUM_THREADS="3").out.split() == ["3"] * 2


def test_a_bad_number_of_threads_is_refused(launch, script):
    ended = launch(2, script("print('not reached')"), NORCH_NUM_THREADS="many")
    assert (ended.code, ended.out) == (1, "")
    assert "[run] NORCH_NUM_THREADS=many must be a whole number" in ended.err


@pytest.mark.parametrize("waiting", ["dist.barrier()", "time.sleep(600)"])
def test_one_failing_rank_ends_all_with_its_traceback_once(launch, script, waiting):
    text = f"{BARRIER}\nif dist.get_rank() == 1:\n    raise KeyError('lost')\n{waiting}\n"
    ended = launch(3, script(text))
    assert ended.code == 1
    assert ended.err.count("KeyError: 'lost'") == 1
    assert ended.err.count("Traceback") == 1
    assert "rank 1 of 3 failed:" in ended.err
    assert "bootstrap" not in ended.err, "the traceback starts in the user's script"


def test_when_all_fail_alike_the_traceback_comes_once(launch, script):
    ended = launch(4, script("import no_such_module"))
    assert ended.code == 1
    assert ended.err.count("No module named 'no_such_module'") == 1


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("sys.exit(7)", 7, ""),
        ("sys.exit('no data here')", 1, "no data here"),
        ("def f(:", 1, "SyntaxError"),
    ],
)
def test_the_exit_code_is_passed_on(launch, script, text, code, message):
    ended = launch(2, script(f"import os, sys\n{text}"))
    assert ended.code == code
    assert message in ended.err


SILENT = [
    "os._exit(0)",
    "os.execv(sys.executable, [sys.executable, '-c', ''])",
    "import ctypes; ctypes.CDLL(None).exit(0)",
    "import atexit; atexit.register(os._exit, 0); sys.exit()",
]


@pytest.mark.parametrize("text", SILENT)
def test_a_rank_that_ends_without_a_word_is_a_failure(launch, script, text):
    ended = launch(3, script(f"{BARRIER}\nif dist.get_rank() == 1:\n    {text}\ndist.barrier()"))
    assert ended.code == 1
    assert "rank 1 of 3 ended with exit code 0 before its script was over" in ended.err


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("os._exit(4)", 4, ""),
        ("os.kill(os.getpid(), 9)", 137, "rank 1 of 2 was ended: Killed (signal 9)"),
        ("import ctypes; ctypes.string_at(0)", 139, "rank 1 of 2 was ended: Segmentation fault"),
    ],
)
def test_the_exit_code_of_a_rank_that_died_is_passed_on(launch, script, text, code, message):
    ended = launch(2, script(f"{BARRIER}\nif dist.get_rank() == 1:\n    {text}\ndist.barrier()"))
    assert (ended.code, message in ended.err) == (code, True), ended.err
    assert "BAD TERMINATION" not in ended.err + ended.out


def test_only_rank_0_reads_the_input(launch, script):
    text = "print(os.environ['RANK'], repr(sys.stdin.read()))"
    ended = launch(3, script(f"import os, sys\n{text}"), input="words")
    assert sorted(ended.out.splitlines()) == ["0 'words'", "1 ''", "2 ''"]


def test_a_program_that_a_rank_forked_ends_nobody(launch, script):
    text = "if os.fork() == 0:\n    sys.exit()\nos.wait()\n"
    ended = launch(2, script(f"import os, sys\n{text}\nos._exit(0)"))
    assert ended.code == 1
    assert "before its script was over" in ended.err


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/shm is Linux's")
def test_killed_ranks_leave_no_shared_memory(launch, script):
    shown = "print([line.split()[5] for line in open('/proc/self/maps') if 'mpich_shm' in line][0])"
    ended = launch(2, script(f"{BARRIER}\n{shown}\ndist.barrier()\nos.kill(os.getppid(), 9)"))
    names = ended.out.split()[:2]
    assert all(name.startswith(leftovers.SHARED) for name in names)
    assert not any(map(os.path.exists, names))
    assert "HWLOC_XMLFILE" in run.environment(), "without it hydra leaves a file in /tmp"


@pytest.fixture
def stale(tmp_path, monkeypatch):
    """A place of its own for what killed launches leave, with one file."""
    monkeypatch.setattr(leftovers, "SHARED", str(tmp_path / "mpich_shm_"))
    monkeypatch.setattr(leftovers, "GLOBS", (str(tmp_path / "mpich_shm_*"),))
    monkeypatch.setattr(leftovers, "UNSEEN_SECONDS", 0.0)
    monkeypatch.setattr(leftovers, "_launch_times", lambda: [])
    path = tmp_path / "mpich_shm_1_0"
    path.write_bytes(bytes(mmap.PAGESIZE))
    os.utime(path, (1, 1))
    time.sleep(0.05)
    return path


linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@linux
def test_a_stale_file_is_removed(stale):
    leftovers.remove_stale()
    assert not stale.exists()


@linux
def test_a_file_in_use_stays(stale):
    with stale.open("r+b") as file, mmap.mmap(file.fileno(), 0):
        leftovers.remove_stale()
        assert stale.exists()
    leftovers.remove_stale()
    assert not stale.exists()


@linux
def test_a_file_that_a_running_launch_may_have_made_stays(stale, monkeypatch):
    monkeypatch.setattr(leftovers, "_launch_times", lambda: [stale.stat().st_ctime - 1])
    leftovers.remove_stale()
    assert stale.exists()


@linux
def test_other_files_stay(stale, monkeypatch):
    link = stale.with_name("mpich_shm_2_0")
    link.symlink_to("/etc/hostname")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)  # somebody else
    leftovers.remove_stale()
    monkeypatch.undo()
    assert stale.exists() and link.is_symlink()


@linux
def test_in_a_container_a_file_is_old_before_it_is_stale(stale, monkeypatch):
    monkeypatch.setattr(leftovers, "HOST_NAMESPACE", "pid:[1]")
    monkeypatch.setattr(leftovers, "UNSEEN_SECONDS", 600.0)
    leftovers.remove_stale()
    assert stale.exists()


@linux
def test_the_start_of_a_running_launch_is_known(script):
    began = time.time()
    program = script("import time; print(1, flush=True); time.sleep(600)")
    head = [sys.executable, "-m", "norch_ddp.run", program]
    with subprocess.Popen(head, stdout=subprocess.PIPE, env=clean_environment()) as process:
        try:
            assert process.stdout.readline()  # a launcher that only starts may miss a SIGTERM
            until = time.monotonic() + 300
            while not (found := [t for t in leftovers._launch_times() if t > began - 3]):
                assert time.monotonic() < until
                time.sleep(0.05)
        finally:
            process.terminate()
    assert began - 3 < max(found) < time.time() + 1


@pytest.mark.parametrize("heeds", [True, False])
def test_a_rank_that_does_not_end_when_told_is_killed(heeds):
    """The launcher's SIGTERM reaches the rank and its supervisor."""
    how = "SIG_DFL" if heeds else "SIG_IGN"
    rank = f"import signal, time; signal.signal(15, signal.{how}); print(1); time.sleep(600)"
    program = (
        "import os, signal, subprocess, sys, threading\n"
        "from norch_ddp.launch.supervisor import wait_for\n"
        f"rank = subprocess.Popen([sys.executable, '-uc', {rank!r}], stdout=subprocess.PIPE)\n"
        "rank.stdout.readline()\n"
        "def tell():\n"  # once it listens
        "    while not all(map(callable, map(signal.getsignal, (15, signal.SIGALRM)))):\n"
        "        pass\n"
        "    os.killpg(0, 15)\n"
        "threading.Thread(target=tell).start()\n"
        f"print(wait_for(rank.pid, {300 if heeds else 0.5}))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=600,
        start_new_session=True,
        check=False,
    )
    assert ended.stdout == f"({-15 if heeds else -9}, True)\n", ended.stderr


def test_a_rank_that_exits_early_by_itself_ends_the_others(launch, script):
    ended = launch(2, script(f"{BARRIER}\nif dist.get_rank():\n    sys.exit(5)\ndist.barrier()"))
    assert ended.code == 5


@pytest.mark.parametrize("call", ["dist.barrier()", "dist.all_reduce(norch.ones(2))"])
def test_a_rank_that_finished_is_named(launch, script, call):
    text = f"{BARRIER}\nimport norch_autograd as norch\nif dist.get_rank() == 0:\n    {call}\n"
    ended = launch(2, script(text))
    assert ended.code == 1
    assert "rank 1: ended: this rank's script is over" in ended.err


def test_a_rank_that_finished_is_named_to_those_who_wait_in_a_group(launch, script):
    text = (
        f"{BARRIER}\npair, all = dist.new_group([0, 1]), dist.new_group()\n"
        "if dist.get_rank() == 0:\n    dist.barrier(pair)\n"
    )
    ended = launch(3, script(text))
    assert ended.code == 1
    assert "rank 1: ended: this rank's script is over" in ended.err


def test_a_rank_that_outlives_another_can_end_too(launch, script):
    """It caught the error of a call that nobody answered; its own exit notice must not wait."""
    program = script(
        f"{BARRIER}\nimport norch_autograd as norch\n"
        "for _ in range(2 if dist.get_rank() != 1 else 0):\n"
        "    try:\n"
        "        dist.all_reduce(norch.zeros(2))\n"
        "    except RuntimeError as error:\n"
        "        print(error)\n"
    )
    ended = launch(3, program)
    assert ended.code == 0, ended.err
    assert ended.out.count("rank 1: ended: this rank's script is over") == 2
    assert ended.out.count("another rank's script is over, so nobody would answer") == 2


def test_a_killed_rank_ends_the_others(launch, script):
    text = f"{BARRIER}\nif dist.get_rank() == 1:\n    os.kill(os.getpid(), 9)\ndist.barrier()"
    ended = launch(3, script(text))
    assert ended.code != 0
    assert "Killed (signal 9)" in ended.err + ended.out


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_ending_the_launcher_leaves_no_orphan(script, name):
    waits = "if dist.get_rank():\n    dist.barrier()\ntime.sleep(600)"
    text = f"{BARRIER}\nprint(os.getpid())\n{waits}"
    command = [sys.executable, "-m", "norch_ddp.run", "--nproc_per_node", "3", script(text)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, env=clean_environment(), text=True, **pipes)
    ranks = [int(process.stdout.readline()) for _ in range(3)]
    process.send_signal(getattr(signal, name))
    try:
        process.communicate(timeout=600)  # ends only a hang
    finally:
        gone(ranks)
        left = [pid for pid in ranks if alive(pid)]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
    assert process.returncode != 0
    assert left == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_such.py"], "[run] there is no script no_such.py"),
        (
            ["--nproc_per_node", "0", __file__],
            "[run] --nproc_per_node 0 must be at least 1, or one of cpu",
        ),
        (["--nnodes", "2", __file__], "[run] --nnodes 2 needs as many names in --hosts, got []"),
        (["--nnodes", "1", "--hosts", "a,b", __file__], "[run] --nnodes 1 needs as many names"),
        (["--nnodes", "1:4", __file__], "[run] --nnodes 1:4 must be one number"),
        (["--nproc-per-node", "many", __file__], "[run] --nproc_per_node many must be at least 1"),
        (["--nnodes=2", "--node-rank=1", __file__], "[run] --node_rank needs --master_addr"),
        (["--nnodes=2", "--node-rank=2", __file__], "[run] --node_rank 2 counts the 2 of --nnodes"),
        (["--max-restarts=-1", __file__], "[run] --max_restarts -1 must be 0 or more"),
        (["--rdzv-endpoint=a:b", __file__], "[run] --rdzv_endpoint a:b must be address:port"),
    ],
)
def test_a_wrong_command_line_is_refused(capsys, arguments, message):
    assert run.main(arguments) == 2
    assert message in capsys.readouterr().err


def test_without_a_script_the_usage_is_shown(capsys):
    with pytest.raises(SystemExit) as error:
        run.main([])
    assert error.value.code == 2
    assert "--nproc_per_node" in capsys.readouterr().err


def test_missing_mpi_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr(run.importlib.util, "find_spec", lambda name: None)
    assert run.main([__file__]) == 2
    assert (
        "[run] several processes need mpi4py: pip install mpi4py mpich" in capsys.readouterr().err
    )


def test_missing_mpiexec_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr(run.shutil, "which", lambda name, path=None: None)
    assert run.main([__file__]) == 2
    assert "no mpiexec" in capsys.readouterr().err


def test_several_machines_share_out_the_ranks():
    options = run.parse(["--nproc_per_node", "4", "--nnodes", "2", "--hosts", "a,b", __file__, "x"])
    line = run.build_command(options)
    assert line[1:7] == ["-n", "8", "-hosts", "a,b", "-ppn", "4"]
    assert line[-3:] == ["path", __file__, "x"]


@pytest.mark.parametrize("dash", ["-", "_"])
def test_torchruns_options_are_understood(dash):
    line = (
        "--standalone --nnodes=1:1 --nproc-per-node 3 --max-restarts=0 --rdzv-backend=c10d "
        "--rdzv-endpoint=localhost:0 --rdzv-id=7 --rdzv-conf=timeout=5 --master-port 123"
    )
    names = {"--nproc-per-node", "--max-restarts", "--rdzv-backend", "--rdzv-id", "--master-port"}
    for name in names:
        line = line.replace(name, "--" + name[2:].replace("-", dash))
    words = line.split()
    options = run.parse([*words, __file__, "--nproc_per_node", "9"])
    assert run.build_command(options)[1:3] == ["-n", "3"]
    assert run.environment(options)["MASTER_PORT"] == "123"
    assert run.environment(options)["TORCHELASTIC_RUN_ID"] == "7"


def test_as_many_processes_as_gpus_or_cores(monkeypatch):
    import norch_cuda

    monkeypatch.setattr(norch_cuda, "device_count", lambda: 4)
    assert [run.processes(word) for word in ("gpu", "auto")] == [4, 4]
    monkeypatch.setattr(norch_cuda, "device_count", lambda: 0)
    assert run.processes("auto") == run.processes("cpu") == os.cpu_count()
    with pytest.raises(ValueError, match="there is no GPU here"):
        run.processes("gpu")


def test_every_rank_finds_where_rank_0_is(command, script):
    path = script("import os; print(os.environ['MASTER_ADDR'], os.environ['MASTER_PORT'])")
    head = [sys.executable, "-m", "norch_ddp.run"]
    assert command([*head, path]).out == "127.0.0.1 29500\n"
    place = ["--master_addr", "a", "--master_port", "77"]
    assert command([*head, *place, path], MASTER_ADDR="b").out == "a 77\n"
    assert command([*head, path], MASTER_ADDR="b").out == "b 29500\n"


RESUMING = """
import os, sys, norch_ddp as dist
from pathlib import Path
dist.init_process_group()
done = Path(sys.argv[1])  # the checkpoint: how many steps are done
first = int(done.read_text()) if done.exists() else 0
for step in range(first, 4):
    dist.barrier()
    if step == int(sys.argv[2]) and dist.get_rank() == 1:
        os._exit(7)
    if dist.get_rank() == 0:
        print("step", step, "attempt", os.environ["TORCHELASTIC_RESTART_COUNT"], flush=True)
        done.write_text(str(step + 1))
    dist.barrier()
    if step == 1 and first == 0:
        raise KeyError("lost")
"""


def test_after_a_failure_all_start_again_from_the_last_checkpoint(command, script, tmp_path):
    head = [sys.executable, "-m", "norch_ddp.run", "--nproc_per_node=2", "--max_restarts=1"]
    ended = command([*head, script(RESUMING), tmp_path / "done", -1])
    assert (ended.code, ended.err.count("KeyError: 'lost'")) == (0, 1)
    assert ended.out.splitlines() == [f"step {i} attempt {int(i > 1)}" for i in range(4)]
    assert "[run] failed (1): restart 1 of 1" in ended.err


def test_when_no_restart_is_left_the_exit_code_is_the_last_failures(command, script, tmp_path):
    head = [sys.executable, "-m", "norch_ddp.run", "--nproc_per_node=2", "--max_restarts=1"]
    ended = command([*head, script(RESUMING), tmp_path / "done", 2])
    assert ended.code == 7
    assert ended.err.count("[run] failed") == 1


@contextmanager
def following(words):
    """The launcher of machine 1, which ends with the test, also where machine 0's never came."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    line = [str(word) for word in words]
    with subprocess.Popen(line, env=clean_environment(), **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def test_machines_meet_without_ssh(command, script, tmp_path):
    """Both are this one: what makes them two is the number."""
    port = free_port()
    path = script(f"{BARRIER}\nprint(*(os.environ[n] for n in ('RANK', 'GROUP_RANK')))")
    head = [sys.executable, "-m", "norch_ddp.run", "--nnodes=2", "--nproc_per_node=2"]
    place = ["--master_addr=127.0.0.1", f"--master_port={port}"]
    with following([*head, *place, "--node_rank=1", path]) as other:
        ended = command([*head, *place, "--node_rank=0", path])
        assert other.wait(600) == 0
    assert (ended.code, sorted(ended.out.splitlines())) == (0, ["0 0", "1 0", "2 1", "3 1"])


@pytest.mark.parametrize(("step", "code", "restarts"), [(-1, 0, 1), (2, 7, 1)])
def test_machines_start_again_together_and_end_alike(
    command, script, tmp_path, step, code, restarts
):
    port = free_port()
    words = [script(RESUMING), tmp_path / "done", step]
    head = [sys.executable, "-m", "norch_ddp.run", "--nnodes=2", "--max_restarts=1"]
    place = ["--master_addr=127.0.0.1", f"--master_port={port}"]
    follower = [*head, *place, "--node_rank=1", *words]
    with following(follower) as other:
        ended = command([*head, *place, "--node_rank=0", *words])
        other.communicate(timeout=600)
        assert (ended.code, other.returncode) == (code, code), ended.err
    assert ended.err.count("[run] failed") == restarts
    attempts = [f"step {i} attempt {int(i > 1)}" for i in range(4 if code == 0 else 2)]
    assert ended.out.splitlines()[: len(attempts)] == attempts


def test_a_machine_that_never_hears_how_it_ended_says_so():
    """A dead link: here one that is closed."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        came = threading.Thread(target=lambda: server.accept()[0].close())
        came.start()
        with pytest.raises(OSError, match="does not say how the launch has ended"):
            nodes.follow(*server.getsockname(), nodes.introduction("a job", 2, 1), {})
        came.join()


def test_a_stranger_at_the_port_does_not_keep_the_machines_waiting(monkeypatch):
    """One speaks otherwise, and one says nothing."""
    monkeypatch.setattr(nodes, "STRANGER_SECONDS", 0.2)
    port = free_port()

    def come():
        with (
            rendezvous.connect("test", "127.0.0.1", port, 300.0) as other,
            socket.create_connection(("127.0.0.1", port)),
            nodes.connect_to_first("127.0.0.1", port, nodes.introduction("a job", 2, 1)) as machine,
        ):
            other.sendall(b"x\n")
            machine.recv(1)

    thread = threading.Thread(target=come)
    thread.start()
    found = nodes.accept_machines(port, nodes.introduction("a job", 2, 0))
    assert list(found) == [1]
    found[1].close()
    thread.join()


def test_a_port_that_another_program_holds_is_named():
    with socket.create_server(("", 0)) as server, pytest.raises(OSError, match="--master_port"):
        nodes.accept_machines(server.getsockname()[1], nodes.introduction("a job", 2, 0))


ONE = nodes.introduction("a job", 3, 1)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (ONE, "machine 1 of 3 came twice, from"),
        (ONE._replace(number=2, version="9.9"), "machine 2 on .* (norch 9.9, .* is none of"),
        (ONE._replace(number=2, job="b"), "--rdzv_id b, --nnodes 3.* is none of machine 0's"),
        (ONE._replace(number=2, machines=4), "--nnodes 4.* is none of machine 0's launch"),
        (ONE._replace(number=7), "machine 7 on .* is none of machine 0's launch"),
    ],
)
def test_a_machine_that_does_not_belong_to_the_launch_is_named_on_all(monkeypatch, second, message):
    """On the first, on machine 0, and on one that comes when all is lost already."""
    port, said, all_are_there, hear = free_port(), [], threading.Event(), nodes.hear
    monkeypatch.setattr(nodes, "hear", lambda it: all_are_there.wait(600) and hear(it))
    monkeypatch.setattr(nodes, "LINGER_SECONDS", 0.0)

    def lead():
        try:
            nodes.accept_machines(port, ONE._replace(number=0))
        except OSError as error:
            said.append(str(error))

    leader = threading.Thread(target=lead)
    leader.start()
    each = [ONE, second, ONE._replace(number=2)]
    came = [nodes.connect_to_first("127.0.0.1", port, me) for me in each]
    all_are_there.set()
    leader.join()
    for connection in came:
        with connection, connection.makefile() as lines:
            said.append(lines.readline().removeprefix(nodes.REFUSED).strip())
    assert len(said) == 4 and len(set(said)) == 1, said
    assert re.search(message.replace("(", r"\("), said[0])


def test_a_machine_that_is_refused_ends_with_the_reason():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            with server.accept()[0] as machine:
                machine.sendall(b"refused [run] machine 1 came twice\n")
                machine.recv(nodes.LINE_BYTES)

        came = threading.Thread(target=answer)
        came.start()
        with pytest.raises(OSError, match=r"^\[run\] machine 1 came twice$"):
            nodes.follow(*server.getsockname(), ONE, {})
        came.join()


def test_a_machine_that_has_gone_again_leaves_its_number_to_another():
    with socket.create_server(("127.0.0.1", 0)) as server:
        gone = socket.create_connection(server.getsockname())
        first = server.accept()[0]
        assert not nodes.has_gone(first)
        gone.close()
        assert nodes.has_gone(first)
        first.close()


def test_what_a_machine_says_of_itself_is_read_back():
    me = nodes.Hello("0.2", "a job, of mine", 2, 1, "")
    assert nodes.read_hello(me.line().decode()) == me
    for line in ("", "1\n", "norch 1 2 3 4 5 6", "norch 0.2 j x 1 h", "GET / HTTP/1.0"):
        assert nodes.read_hello(line) is None


@pytest.mark.parametrize(("local", "cores", "expected"), [(1, 8, 8), (3, 8, 2), (16, 8, 1)])
def test_threads_per_rank(monkeypatch, local, cores, expected):
    monkeypatch.delenv("NORCH_NUM_THREADS", raising=False)
    monkeypatch.setattr(
        environment.os, "sched_getaffinity", lambda pid: range(cores), raising=False
    )
    assert environment.threads_per_rank(local) == expected
