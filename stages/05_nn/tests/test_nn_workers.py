"""DataLoader with worker processes: order, errors, deaths, randomness, and going on later."""

import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import time
from multiprocessing import forkserver

import pytest
from processes import alive, gone
from worker_data import Items, Shared, drawn, ends, fails_at_5

import norch_autograd as norch
from norch_nn.data import DataLoader, TensorDataset, get_worker_info, workers
from norch_nn.data.start import start
from norch_nn.data.worker import dumps, loads

pytestmark = pytest.mark.usefixtures("forked_workers")

WAYS = ["fork", "forkserver", "spawn"]


@pytest.fixture(scope="module", autouse=True)
def _short_paths():
    """A fork server listens at a path of at most 107 characters, and TMPDIR may be longer."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", folder)
        patch.setitem(multiprocessing.current_process()._config, "tempdir", folder)
        yield
        forkserver._forkserver._stop()


def numbers(loader):
    return [batch.tolist() for batch in loader]


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 3},
        {"batch_size": 3, "shuffle": True},
        {"batch_size": 3, "drop_last": True, "prefetch_factor": 1},
        {"batch_size": None},
        {"batch_sampler": [[5, 1], [0], [9, 9, 9]]},
        {"batch_size": 2, "collate_fn": norch.tensor},
        {"batch_size": 4, "prefetch_factor": 7},
    ],
)
def test_workers_that_lose_order(options):
    def slow_first(index):
        time.sleep(0.02 * (index % 4 == 0))
        return index

    def order(num_workers):
        norch.manual_seed(3)
        own = {k: v for k, v in options.items() if k != "prefetch_factor" or num_workers}
        loader = DataLoader(Items(slow_first), num_workers=num_workers, **own)
        return [batch if isinstance(batch, int) else batch.tolist() for batch in loader]

    assert order(2) == order(0) != []


def test_tensors_of_every_kind_arrive_whole():
    x = norch.arange(20).reshape(4, 5).t()
    loader = DataLoader(TensorDataset(x, x.float()), batch_size=2, num_workers=1)
    found = [norch.cat(parts) for parts in zip(*loader, strict=True)]
    assert norch.equal(found[0], x) and norch.equal(found[1], x.float())
    for dtype in (
        norch.float64,
        norch.float16,
        norch.bfloat16,
        norch.uint8,
        norch.bool,
        norch.int32,
    ):
        sent = norch.tensor([[1, 0], [1, 1]]).to(dtype).t()
        back = loads(dumps({"a": (sent, "b", None)}))["a"][0]
        assert back.dtype == dtype and back.tolist() == sent.tolist()
    assert loads(dumps(norch.zeros(0, 3))).shape == (0, 3)


def test_large_batches_both_ways_do_not_block():
    """Index lists and batches far above what a pipe holds."""
    indices = [list(range(50_000)) for _ in range(6)]
    data = TensorDataset(norch.arange(50_000))
    loader = DataLoader(data, batch_sampler=indices, num_workers=2, prefetch_factor=3)
    assert [len(batch[0]) for batch in loader] == [50_000] * 6


@pytest.mark.parametrize("way", WAYS)
def test_an_exception_surfaces_with_the_workers_traceback(way):
    loader = DataLoader(Items(fails_at_5), 2, num_workers=1, multiprocessing_context=way)
    batches = iter(loader)
    assert [next(batches).tolist() for _ in range(2)] == [[0, 1], [2, 3]]
    with pytest.raises(KeyError) as caught:
        next(batches)
    text = str(caught.value)
    assert "[DataLoader] KeyError in worker 0" in text and "what went wrong" in text
    assert "in fails_at_5\n" in text and 'raise KeyError("what went wrong")' in text


@pytest.mark.parametrize("place", ["local class", "strange constructor", "no pickle", "init"])
def test_errors_that_cannot_travel_come_as_runtime_errors(place):
    class Local(Exception):
        pass

    def function(index):
        if place == "local class":
            raise Local("text of the error")
        if place == "strange constructor":
            raise UnicodeDecodeError("utf-8", b"x", 0, 1, "text of the error")
        return lambda: "no pickle"

    def init(number):
        if place == "init":
            raise OSError("text of the error")

    loader = DataLoader(
        Items(function), num_workers=1, collate_fn=lambda batch: batch, worker_init_fn=init
    )
    kinds = (RuntimeError, OSError, AttributeError, TypeError, pickle.PicklingError)
    with pytest.raises(kinds, match=r"text of the error|pickle|local object"):
        list(loader)


@linux
def test_a_killed_worker_gives_a_clear_error_and_the_others_end():
    def function(index):
        if index == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    pids, loader = set(), DataLoader(Items(function), batch_size=1, num_workers=2)
    with pytest.raises(
        RuntimeError, match=r"worker 0 \(pid \d+\) was killed by SIGKILL: .* memory"
    ):
        for batch in loader:
            pids.add(batch.item())
    assert len(pids) == 2 and gone(pids)


@pytest.mark.parametrize("way", WAYS)
def test_a_worker_that_exits_gives_a_clear_error(way):
    loader = DataLoader([3], num_workers=1, collate_fn=ends, multiprocessing_context=way)
    with pytest.raises(RuntimeError, match=r"worker 0 \(pid \d+\) ended with exit code 3"):
        list(loader)


def test_timeout(monkeypatch):
    """The worker is killed at once: it would not hear that its connection was closed."""
    monkeypatch.setattr(workers, "GRACE", 60)  # for those that end by themselves
    batches = iter(DataLoader(Items(lambda index: time.sleep(600)), num_workers=1, timeout=0.2))
    (worker,) = multiprocessing.active_children()
    with pytest.raises(RuntimeError, match=r"worker 0 .* did not answer in 0\.2 seconds"):
        next(batches)
    assert worker.exitcode == -signal.SIGKILL


@linux
def test_no_orphan_after_break_nor_after_an_unused_iterator():
    loader = DataLoader(Items(lambda index: os.getpid(), 100), num_workers=2)
    for number, batch in enumerate(loader):
        last = batch.item()
        if number == 3:
            break
    assert gone([last])
    iterator = iter(loader)
    pids = {next(iterator).item() for _ in range(2)}
    del iterator
    assert len(pids) == 2 and gone(pids)


SLOW = """
import os, signal, sys, time
from norch_nn.data import DataLoader, Dataset

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it

class Slow(Dataset):
    def __len__(self):
        return 100
    def __getitem__(self, index):
        time.sleep(0.01 if index < 2 else 600)
        return os.getpid()

if __name__ == "__main__":
    way, keep = sys.argv[1], len(sys.argv) > 2
    loader = DataLoader(
        Slow(), num_workers=2, persistent_workers=keep, multiprocessing_context=way
    )
    for batch in loader:
        print(batch.item(), flush=True)
"""


@linux
@pytest.mark.parametrize("way", ["fork", "forkserver"])
@pytest.mark.parametrize(("stop", "keep"), [(signal.SIGINT, []), (signal.SIGKILL, ["keep"])])
def test_no_orphan_after_an_interrupt(stop, keep, way, tmp_path):
    """Ctrl-C reaches the whole group, a kill only the main process; both end the workers."""
    program = tmp_path / "slow.py"
    program.write_text(SLOW)
    process = subprocess.Popen(
        [sys.executable, program, way, *keep],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    pids = [int(process.stdout.readline()) for _ in range(2)]
    assert all(map(alive, pids))
    if stop == signal.SIGINT:
        os.killpg(process.pid, stop)
    else:
        process.kill()
    _, errors = process.communicate(timeout=120)  # ends only a hang
    assert gone(pids)
    if stop == signal.SIGINT:
        assert errors.count("KeyboardInterrupt") == 1  # the workers stay silent


def test_persistent_workers_live_on_and_survive_an_early_end():
    loader = DataLoader(Items(lambda index: os.getpid()), num_workers=2, persistent_workers=True)
    first = {batch.item() for batch in loader}
    for _ in loader:
        break
    assert {batch.item() for batch in loader} == first and len(first) == 2
    shuffled = DataLoader(Items(), 5, num_workers=1, persistent_workers=True)
    for _ in shuffled:
        break
    assert numbers(shuffled) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]  # nothing left of the first loop
    older = iter(shuffled)
    next(older)
    next(iter(shuffled))
    with pytest.raises(RuntimeError, match="persistent workers serve one loop at a time"):
        next(older)


def test_a_second_loader_does_not_keep_the_workers_of_the_first(monkeypatch):
    """A process forked later must not hold the connections of the earlier ones.

    If it does, the first worker never hears that its connection was closed, and is killed.
    """
    monkeypatch.setattr(workers, "GRACE", 30)  # a busy worker ends late, but by itself
    first = DataLoader(Items(lambda index: b"x" * 1_000_000), num_workers=1, collate_fn=list)
    batches = iter(first)
    next(batches)
    (worker,) = multiprocessing.active_children()
    second = iter(DataLoader(Items(), num_workers=1))
    next(second)
    batches.close()
    assert worker.exitcode == 0


def test_two_loops_at_once():
    loader = DataLoader(Items(count=2), num_workers=1)
    assert [(a.item(), b.item()) for a in loader for b in loader] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
    ]


def test_streams_are_shared_out():
    pairs = numbers(DataLoader(Shared(), 2, num_workers=2))
    assert sorted(number for pair in pairs for number in pair) == list(range(10))
    loader = DataLoader(Shared(), batch_size=2, num_workers=2, drop_last=True)
    assert numbers(loader) == [[0, 2], [1, 3], [4, 6], [5, 7]]
    assert list(DataLoader(Shared(), batch_size=None, num_workers=2)) == list(range(10))
    kept = DataLoader(Shared(), batch_size=5, num_workers=2, persistent_workers=True)
    assert numbers(kept) == numbers(kept) == [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]


def test_worker_init_fn_and_worker_info():
    seen = []

    def function(index):
        info = get_worker_info()
        return (*seen, info.id, info.num_workers, len(info.dataset))

    loader = DataLoader(
        Items(function, 2),
        batch_size=None,
        num_workers=2,
        worker_init_fn=lambda number: seen.append(number + 10),
    )
    assert [list(map(int, sample)) for sample in loader] == [[10, 0, 2, 2], [11, 1, 2, 2]]
    assert get_worker_info() is None and seen == []


def test_every_worker_and_every_epoch_draws_other_numbers_and_a_seed_repeats_them():
    def drawn(index):
        numpy = sys.modules.get("numpy")
        third = 0.0 if numpy is None else float(numpy.random.rand())
        return norch.rand(1), random.random(), third

    def epochs():
        norch.manual_seed(7)
        loader = DataLoader(Items(drawn, 4), batch_size=2, num_workers=2)
        return [[t.flatten().tolist() for t in batch] for _ in range(2) for batch in loader]

    first = epochs()
    assert epochs() == first
    flat = [value for batch in first for value in batch[0] + batch[1]]
    assert len(set(flat)) == len(flat) == 16


# ---- the three ways to start --------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_workers_start_as_multiprocessing_does_by_default(way):
    """Each way gives the batches of the others, and other numbers in the next epoch."""

    def epochs():
        norch.manual_seed(7)
        loader = DataLoader(Items(drawn, 4), 2, num_workers=2, persistent_workers=True)
        first = [[part.tolist() for part in batch] for batch in loader]
        return first, [[part.tolist() for part in batch] for batch in loader], kinds()

    def kinds():
        return {type(process).__name__ for process in multiprocessing.active_children()}

    *expected, _ = epochs()
    multiprocessing.set_start_method(way, force=True)
    *found, names = epochs()
    assert found == expected and expected[0] != expected[1]
    assert [batch[:2] for batch in found[0]] == [[[0, 1], [0, 0]], [[2, 3], [1, 1]]]
    own = {"fork": "Fork", "forkserver": "ForkServer", "spawn": "Spawn"}[way]
    assert names == {f"{own}Process"}


def test_a_context_of_multiprocessing_itself():
    data, context = TensorDataset(norch.arange(6)), multiprocessing.get_context("spawn")
    loader = DataLoader(data, batch_size=4, num_workers=1, multiprocessing_context=context)
    assert [batch[0].tolist() for batch in loader] == [[0, 1, 2, 3], [4, 5]]


MEND = 'put the loop under if __name__ == "__main__":, or pass multiprocessing_context="fork"'
PROGRAM = """
import multiprocessing, sys
from norch_nn.data import DataLoader

def nothing():
    pass

if __name__ == "__main__" and "other" in sys.argv:
    process = multiprocessing.get_context("spawn").Process(target=nothing)
    process.start()
    process.join()
    sys.exit(process.exitcode)
count = int(sys.argv[2])
multiprocessing.set_start_method(sys.argv[1], force=True)
for batch in DataLoader(list(range(count)), batch_size=count // 2, num_workers=2):
    print(len(batch))
"""
# Less and more bytes than a pipe holds: a new process that has ended reads none of them.
COUNTS = ["6", "100000"]


def run(*command):
    """A program's exit code, output and errors; the limit only ends a hang."""
    found = subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=300, check=False
    )
    return found.returncode, found.stdout, found.stderr


def is_one_error(errors):
    return errors.count("Traceback") == 1 and f"{os.sep}multiprocessing{os.sep}" not in errors


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("way", WAYS)
def test_a_program_without_a_main_guard_gets_one_sentence(way, count, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    code, out, errors = run(program, way, count)
    if way == "fork":
        assert (code, out, errors) == (0, f"{int(count) // 2}\n" * 2, "")
    else:
        assert (code, out) == (1, "") and errors.endswith(f": {MEND}\n"), errors
        assert is_one_error(errors), errors


ENDS = """
import os, sys
from norch_nn.data import DataLoader

if __name__ == "__main__":
    way, count = sys.argv[1], int(sys.argv[2])
    next(iter(DataLoader(list(range(count)), num_workers=2, multiprocessing_context=way)))
else:
    print("not here", file=sys.stderr, flush=True)
    os._exit(3)
"""


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("way", ["forkserver", "spawn"])
def test_a_program_that_ends_where_it_is_imported_is_told_so(way, count, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(ENDS)
    code, out, errors = run(program, way, count)
    # Whether the fork server or the worker imports it hangs on Python's version.
    said = "what it printed" if way == "forkserver" else "exit code 3: what it printed may say why"
    assert (code, out) == (1, "") and said in errors and "not here" in errors, errors
    assert is_one_error(errors), errors


def test_a_process_of_the_programs_own_that_meets_the_loop_gets_it_too(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    code, out, errors = run(program, "spawn", "6", "other")
    assert code != 0 and out == "" and errors.count("\n") == 1 and errors.endswith(f"{MEND}\n")


def test_what_cannot_be_pickled_says_so():
    loader = DataLoader([1], num_workers=1, collate_fn=lambda b: b, multiprocessing_context="spawn")
    with pytest.raises(RuntimeError, match=r"under spawn .* cannot be .* or pass .*=\"fork\""):
        iter(loader)


@pytest.mark.parametrize("way", ["forkserver", "spawn"])
def test_what_a_new_process_does_not_find_is_named(way):
    """As in a notebook: a class of a program that is no file."""
    text = (
        "from norch_nn.data import DataLoader, Dataset\n"
        "class Cell(Dataset):\n    __len__ = lambda self: 1\n"
        f"next(iter(DataLoader(Cell(), num_workers=1, multiprocessing_context='{way}')))"
    )
    code, _, errors = run("-c", text)
    last = errors.strip().splitlines()[-1]
    assert code == 1 and "does not find the dataset" in last and "'Cell'" in last
    assert last.endswith('in a file that it can import, or pass multiprocessing_context="fork"')


def test_kernels_still_use_their_threads_afterwards():
    import norch_cpu_ops

    before = norch_cpu_ops.get_num_threads()
    x = norch.randn(300, 300)
    expected = x @ x
    loader = DataLoader(
        Items(lambda index: (norch.ones(200, 200) @ norch.ones(200, 200))[0, 0]), 5, num_workers=2
    )
    assert numbers(loader) == [[200.0] * 5] * 2
    assert norch_cpu_ops.get_num_threads() == before and norch.equal(x @ x, expected)


# ---- going on where another process stopped -----------------------------------------------------


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("stop_after", [0, 1, 3, 4])
def test_resumable_state(num_workers, own, stop_after):
    """Broken off and resumed in another loader, two epochs are those of an unbroken run."""

    def loader():
        generator = norch.Generator().manual_seed(5) if own else None
        return DataLoader(Items(), 3, shuffle=True, num_workers=num_workers, generator=generator)

    norch.manual_seed(1)
    unbroken = loader()
    expected = [numbers(unbroken), numbers(unbroken)]
    norch.manual_seed(1)
    first = loader()
    found = []
    batches = iter(first)
    for _ in range(stop_after):
        found.append(next(batches).tolist())
    state, default = first.state_dict(), norch.get_rng_state()
    norch.manual_seed(99)
    second = loader()
    second.load_state_dict(state)
    norch.set_rng_state(default)
    assert found + numbers(second) == expected[0]
    assert numbers(second) == expected[1]


def test_state_after_a_whole_pass_begins_the_next():
    loader = DataLoader(Items(), 5)
    list(loader)
    state = loader.state_dict()
    assert state["batches"] == 0
    loader.load_state_dict(state)
    assert len(numbers(loader)) == 2


def test_state_of_a_stream_and_through_a_file(tmp_path):
    from norch_nn import load, save

    loader = DataLoader(Shared(), 4)
    next(iter(loader))
    save(loader.state_dict(), tmp_path / "state.safetensors")
    resumed = DataLoader(Shared(), 4)
    resumed.load_state_dict(load(tmp_path / "state.safetensors"))
    assert numbers(resumed) == [[4, 5, 6, 7], [8, 9]] and len(numbers(resumed)) == 3


def test_skipping_loads_nothing():
    def function(index):
        assert index >= 8
        return index

    loader = DataLoader(Items(function), 4)
    loader.load_state_dict({"passes": 1, "batches": 2, "order": (0, 0), "generator": None})
    assert numbers(loader) == [[8, 9]]


def test_a_path_too_long_for_a_fork_server_is_named():
    class Failing:
        def __init__(self, error):
            self.error = error

        def start(self):
            raise self.error

    with pytest.raises(
        RuntimeError, match=r"\[DataLoader\] AF_UNIX path too long: set TMPDIR to a "
    ):
        start(Failing(OSError("AF_UNIX path too long")))
    with pytest.raises(BlockingIOError):
        start(Failing(BlockingIOError()))
