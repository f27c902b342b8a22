"""Temporary files: a writer that is killed leaves one, and the next save removes exactly that."""

import fcntl
import os
import subprocess
import sys

import pytest

import norch_autograd as norch
from norch_nn import load, save
from norch_nn.serialization import temporary
from norch_nn.serialization.files import replacing

KILLED = """
import os, random, signal, sys, time
import norch_autograd as norch
from norch_nn import load, save

folder, kills = sys.argv[1], int(sys.argv[2])
path, dice, left = os.path.join(folder, "c.st"), random.Random(0), 0
save({"x": norch.zeros(50_000), "turn": -1}, path)
for turn in range(kills):
    child = os.fork()
    if child == 0:
        while True:
            save({"x": norch.full((50_000,), float(turn)), "turn": turn}, path)
    time.sleep(dice.random() * 0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found = load(path)
    assert found["x"].tolist() == [max(0.0, float(found["turn"]))] * 50_000
    left += len(os.listdir(folder)) > 1
save({}, path)
print(left, os.listdir(folder))
"""


def kill(folder, kills):
    """Kill so many writers, each at a random moment; return how often a file was left, and what."""
    words = [sys.executable, "-c", KILLED, folder, str(kills)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=500)
    assert ended.returncode == 0, ended.stderr
    left, names = ended.stdout.split(maxsplit=1)
    return int(left), names.strip()


def test_a_killed_save_leaves_a_whole_file_and_the_next_save_nothing_else(tmp_path):
    left, names = kill(tmp_path, 30)
    assert left > 3, "no writer was killed while it wrote"
    assert names == "['c.st']"


@pytest.mark.slow
@pytest.mark.drill
def test_a_thousand_killed_saves(tmp_path):
    left, names = kill(tmp_path, 1000)
    assert left > 100 and names == "['c.st']"


def test_a_file_that_is_being_written_stays(tmp_path):
    with replacing(tmp_path / "a") as file:
        file.write(b"new")
        save({"x": 1}, tmp_path / "b")
        assert len(os.listdir(tmp_path)) == 2
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_file_that_is_about_to_get_its_name_stays(tmp_path, monkeypatch):
    """Several ranks save into one folder: none may take another's whole file for a stale one."""
    replace = os.replace

    def late(source, target):
        temporary.remove_stale(tmp_path)  # what another process's save does first
        return replace(source, target)

    monkeypatch.setattr(os, "replace", late)
    save({"x": 1}, tmp_path / "a")
    assert load(tmp_path / "a") == {"x": 1}


def old_file(folder, host, age=0.0):
    path = folder / f"{temporary.START}{host}-0123456789abcdef{temporary.END}"
    path.write_bytes(b"half")
    os.utime(path, (path.stat().st_mtime - age,) * 2)
    return path


def test_a_file_of_another_machine_must_be_old(tmp_path):
    fresh = old_file(tmp_path, "0000abcd")
    old = old_file(tmp_path, "0000abce", age=100_000.0)
    save({}, tmp_path / "a")
    assert fresh.exists() and not old.exists()


def test_nothing_else_is_removed(tmp_path):
    name = old_file(tmp_path, temporary._host()).name
    (tmp_path / name).unlink()
    (tmp_path / "target").write_text("mine")
    (tmp_path / name).symlink_to("target")
    (tmp_path / f"{temporary.START}folder{temporary.END}").mkdir()
    os.mkfifo(tmp_path / f"{temporary.START}{temporary._host()}-pipe{temporary.END}")
    others = [".a.0123abcd.tmp", ".norch-notes", "norch-x.tmp", "tmp"]
    for other in others:
        (tmp_path / other).touch()
    before = set(os.listdir(tmp_path))
    save({}, tmp_path / "a")
    assert set(os.listdir(tmp_path)) == before | {"a"}


def test_a_file_that_is_removed_before_its_lock_is_made_again(tmp_path, monkeypatch):
    flock, removed = fcntl.flock, []

    def late(file, how):
        if not removed:
            removed.extend(tmp_path.glob(".norch-*"))
            removed[0].unlink()
        return flock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    save({"x": norch.ones(2)}, tmp_path / "a")
    assert len(removed) == 1
    assert load(tmp_path / "a")["x"].tolist() == [1.0, 1.0]


def test_without_locks_files_are_saved_and_none_is_removed(tmp_path, monkeypatch):
    def refuse(file, how):
        raise OSError("no locks here")

    monkeypatch.setattr(fcntl, "flock", refuse)
    left = old_file(tmp_path, temporary._host())
    save({"x": 1}, tmp_path / "a")
    assert load(tmp_path / "a") == {"x": 1} and left.exists()


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path):
    save({"x": 1}, tmp_path / ("a" * 255))
    assert load(tmp_path / ("a" * 255)) == {"x": 1}
