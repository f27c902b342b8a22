"""Chapter 6's commands for notebooks, and its pictures of what ranks have recorded."""

import sys

import pytest
from prose import BOOK

if str(BOOK) not in sys.path:
    sys.path.insert(0, str(BOOK))

from figures import ranks, shards
from lessons import processes

GPIPE = ["rank 0: F0@1 F1@2 B0@5 B1@6", "rank 0: kept 2", "rank 1: F0@2 F1@3 B0@4 B1@5"]


class Notebook:
    """Stands for the notebook: keeps the commands that it is taught."""

    def register_magic_function(self, function, kind):
        assert kind == "cell"
        setattr(self, function.__name__, function)


def test_lines_are_sorted_by_rank_and_those_of_a_rank_keep_their_order():
    said = ["rank 10: a", "rank 2: b", "rank 10: c", "a word of nobody", "rank 2: d"]
    assert processes.by_rank(said) == [said[3], said[1], said[4], said[0], said[2]]


def test_a_cell_is_started_behind_the_latest_text_of_each_beginning(monkeypatch, capsys):
    started = []

    def start(count, program):
        started.append((count, program))
        return [f"rank {rank}: of {count}" for rank in reversed(range(int(count)))]

    monkeypatch.setattr(processes, "start", start)
    notebook = Notebook()
    said = processes.teach(notebook)
    notebook.every_rank("names", "x = 1")
    notebook.every_rank("more", "y = 2")
    notebook.every_rank("names", "x = 3")
    notebook.ranks("1 2", "print(x + y)")
    assert started == [(count, "x = 3\ny = 2\nprint(x + y)") for count in "12"]
    assert said == ["rank 0: of 1", "rank 0: of 2", "rank 1: of 2"]
    assert capsys.readouterr().out.splitlines() == said


def test_a_script_that_fails_says_why():
    with pytest.raises(RuntimeError, match="no such thing"):
        processes.start("1", "raise ValueError('no such thing')")


def test_a_schedule_counts_its_empty_places():
    drawn = shards.schedule(GPIPE)
    assert "2 stages, 6 ticks, of 12 places 4 are empty" in drawn.alt
    assert drawn.svg().count("<rect") == 12 + 8


def test_the_order_of_events_has_a_bar_for_each_message_until_the_end():
    lines = ["rank 0: b is ready", "rank 0:     sends ['b']", "rank 0: this.a is ready"]
    drawn = ranks.order([*lines, "rank 0:     sends ['this.a']"])
    widths = [part.split('width="')[1].split('"')[0] for part in drawn.parts if "<rect" in part]
    assert widths == ["32", "32", "96", "32"]  # two gradients; from event 1 to 4, from 3 to 4
