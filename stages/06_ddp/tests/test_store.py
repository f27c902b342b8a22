"""Stores: a table that processes share, in a thread, in a file, behind a port."""

import math
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

import norch_ddp as dist
from norch_ddp.launch import store as stores


@pytest.fixture(params=["hash", "file", "tcp", "prefix"])
def store(request, tmp_path):
    """One of each kind, whose waits are short."""
    kinds = {
        "hash": dist.HashStore,
        "file": lambda: dist.FileStore(tmp_path / "store"),
        "tcp": lambda: dist.TCPStore("127.0.0.1", 0, is_master=True),
        "prefix": lambda: dist.PrefixStore("part", dist.HashStore()),
    }
    made = kinds[request.param]()
    made.set_timeout(0.05)
    return made


def test_values_are_bytes(store):
    store.set("word", "a line\nand ü")
    store.set("bytes", bytes(range(256)))
    assert store.get("word") == "a line\nand ü".encode()
    assert store.get("bytes") == bytes(range(256))
    store.set("word", "")
    assert store.get("word") == b"" and store.check(["word", "bytes"])


def test_numbers_add_up(store):
    assert [store.add("n", 2), store.add("n", -5), store.add("n", 0)] == [2, -3, -3]
    assert store.get("n") == b"-3"
    store.set("n", "40")
    assert store.add("n", 2) == 42
    store.set("n", "word")
    with pytest.raises(RuntimeError, match="'n' is b'word', no whole number"):
        store.add("n", 1)


def test_compare_set_answers_as_pytorch_does(store):
    assert store.compare_set("key", "other", "new") == b"other"
    assert not store.check(["key"])
    assert store.compare_set("key", "", "first") == b"first"
    assert store.compare_set("key", "first", "second") == b"second"
    assert store.compare_set("key", "first", "third") == b"second"


def test_keys_go_and_are_counted(store):
    before = store.num_keys()
    store.set("a", "1")
    store.set("b", "2")
    assert store.num_keys() == before + 2
    assert [store.delete_key("a"), store.delete_key("a")] == [True, False]
    assert store.num_keys() == before + 1 and not store.check(["a", "b"])


def test_a_key_that_nobody_sets_is_named(store):
    for wait in (lambda: store.get("key"), lambda: store.wait(["key"], 0.01)):
        with pytest.raises(dist.DistStoreError, match="nobody set the key 'key' within 0"):
            wait()
    assert store.timeout.total_seconds() == 0.05
    with pytest.raises(ValueError, match="must be positive"):
        store.set_timeout(0)


@pytest.mark.parametrize("seconds", [365 * 86400.0, math.inf])
def test_a_timeout_may_be_longer_than_the_systems(store, seconds):
    store.set_timeout(seconds)
    store.set("key", "1")
    assert store.get("key") == b"1"
    assert store.timeout.days >= 365


def test_who_waits_gets_what_another_sets(store):
    store.set_timeout(60)
    found = []
    waiting = threading.Thread(target=lambda: found.append(store.get("late")))
    waiting.start()
    store.set("late", "now")
    waiting.join()
    store.wait(["late"])
    assert found == [b"now"]


def test_nobody_is_lost_among_threads_that_add(store):
    store.set_timeout(60)

    def add():
        for _ in range(20):
            store.add("n", 1)

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.add("n", 0) == 80


def test_a_prefix_keeps_the_keys_of_two_apart():
    whole = dist.HashStore()
    one, two = dist.PrefixStore("one", whole), dist.PrefixStore("two", whole)
    one.set("key", "1")
    two.set("key", "2")
    assert (one.get("key"), whole.get("two/key")) == (b"1", b"2")
    assert one.underlying_store is whole and two.num_keys() == 2


OTHER = """
import sys, norch_ddp as dist
kind, place = sys.argv[1:]
store = dist.TCPStore("127.0.0.1", int(place), 2) if kind == "tcp" else dist.FileStore(place, 2)
for _ in range(50):
    store.add("n", 1)
store.set("done", "yes")
store.wait(["end"])
"""


@pytest.mark.parametrize("kind", ["tcp", "file"])
def test_two_processes_share_a_table(kind, tmp_path):
    if kind == "tcp":
        store = dist.TCPStore("127.0.0.1", 0, 2, True, wait_for_workers=False, timeout=60)
        place = store.port
    else:
        place = tmp_path / "store"
        store = dist.FileStore(place)
        store.set_timeout(60)
    other = subprocess.Popen([sys.executable, "-c", OTHER, kind, str(place)])
    try:
        for _ in range(50):
            store.add("n", 1)
        assert store.get("done") == b"yes"
        assert store.add("n", 0) == 100
        store.set("end", "")
        assert other.wait(60) == 0
    finally:
        other.kill()
        other.wait()
    assert kind == "tcp" or os.listdir(tmp_path) == ["store"]


def test_a_master_that_answers_no_more_is_named(monkeypatch):
    """It has been stopped, say: here a port that answers once. A late answer is never read."""
    monkeypatch.setattr(stores, "ANSWER_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        links = []

        def answer_once():
            links.append(listener.accept()[0])
            links[0].recv(1024)
            links[0].sendall(b'"1"\n')

        answering = threading.Thread(target=answer_once)
        answering.start()
        store = dist.TCPStore("127.0.0.1", port, wait_for_workers=False, timeout=60)
        answering.join()
        part = dist.PrefixStore("part", store)
        for wait in (lambda: part.wait(["key"], 0.01), lambda: store.set("key", "1")):
            with pytest.raises(dist.DistStoreError, match=f"127.0.0.1:{port} answers no more"):
                wait()
        links[0].close()


def test_a_process_killed_while_it_writes_leaves_the_table_whole(tmp_path, monkeypatch):
    """Here its end is an error, at each step that changes a file."""
    store = dist.FileStore(tmp_path / "store")
    store.set("kept", "1")
    store.set_timeout(0.05)
    for step in ("replace", "ftruncate", "pwrite"):
        with monkeypatch.context() as patch, suppress(InterruptedError):
            patch.setattr(os, step, interrupted)
            store.set("lost", "2")
        assert store.get("kept") == b"1", step


def interrupted(*_):
    raise InterruptedError


@pytest.mark.parametrize("text", [b'{"a": "11', b"\xff", b"[1]", b'{"a": 1}'])
def test_a_file_that_holds_no_table_is_named(tmp_path, text):
    path = tmp_path / "store"
    path.write_bytes(text)
    with pytest.raises(dist.DistStoreError, match=f"{path} holds no store's table"):
        dist.FileStore(path).set("key", "1")
    assert path.read_bytes() == text


def test_a_master_waits_for_its_workers():
    with pytest.raises(dist.DistStoreError, match="1 of 2 processes came to"):
        dist.TCPStore("127.0.0.1", 0, 2, True, timeout=0.05)


def test_a_port_in_use_or_without_a_master_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(dist.DistStoreError, match=f"port {port} cannot be opened"):
            dist.TCPStore("127.0.0.1", port, is_master=True)
    with pytest.raises(RuntimeError, match=r"\[TCPStore\] nobody answered .* the store's master"):
        dist.TCPStore("127.0.0.1", port, timeout=0.05)


RANK = """
import os, sys
import norch_autograd as norch, norch_ddp as dist
kind, place, rank = sys.argv[1], sys.argv[2], int(sys.argv[3])
given = {"init_method": f"file://{place}"}
if kind == "tcp":
    table = dist.TCPStore("127.0.0.1", int(place), 2, rank == 0, timeout=60)
    given = {"store": dist.PrefixStore("group", table)}
elif kind == "file":
    given = {"store": dist.FileStore(place, 2)}
dist.init_process_group("gloo", rank=rank, world_size=2, timeout=60, **given)
total = norch.ones(1) * (rank + 1)
dist.all_reduce(total)
assert total.item() == 3.0 and dist.get_world_size() == 2
dist.destroy_process_group()
assert kind != "method" or not os.path.exists(place)
"""


@pytest.mark.parametrize("kind", ["tcp", "file", "method"])
def test_ranks_meet_by_a_store(script, tmp_path, kind):
    place = str(tmp_path / "store")
    if kind == "tcp":
        with socket.create_server(("127.0.0.1", 0)) as free:
            place = str(free.getsockname()[1])
    path = script(RANK)
    ranks = [
        subprocess.Popen(
            [sys.executable, path, kind, place, str(rank)], stderr=subprocess.PIPE, text=True
        )
        for rank in (1, 0)
    ]
    assert [(rank.communicate(timeout=90)[1], rank.returncode) for rank in ranks] == [("", 0)] * 2


def test_one_way_to_meet(tmp_path):
    store = dist.FileStore(tmp_path / "store")
    with pytest.raises(ValueError, match="by init_method or by a store"):
        dist.init_process_group("gloo", "tcp://127.0.0.1:1", rank=0, world_size=2, store=store)
    with pytest.raises(ValueError, match="by init_method or by a store"):
        dist.init_process_group("gloo", rank=0, world_size=2, store="store")
    with pytest.raises(RuntimeError, match="rank 0 left no address in the store for 0 s"):
        dist.init_process_group("gloo", rank=1, world_size=2, store=store, timeout=0.05)
    assert not dist.is_initialized()
