"""Chapter 6's commands for notebooks, and its pictures of what ranks have recorded."""

import re
import sys

import pytest
from prose import BOOK, cells

if str(BOOK) not in sys.path:
    sys.path.insert(0, str(BOOK))

from figures import ranks, shards
from lessons import processes

FIRST_PART = BOOK / "chapters" / "06_ddp.ipynb"
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


def test_a_schedule_counts_its_empty_time_slots():
    drawn = shards.schedule(GPIPE)
    assert "2 stages, 6 ticks, of 12 time slots 4 are empty" in drawn.alt
    assert drawn.svg().count("<rect") == 12 + 8 + 4  # of which a box for each that is kept


def seen(drawn, frame):
    """Return the texts and the number of boxes that a frame of a figure shows."""
    svg = "\n".join(drawn.parts)
    for first, last, inside in re.findall(
        r'<g data-first="(\d+)" data-last="(\d+)"[^>]*>(.*?)</g>', svg, re.DOTALL
    ):
        if not int(first) <= frame <= int(last):
            svg = svg.replace(inside, "", 1)
    return re.findall(r">([^<>\n]+)</text>", svg), svg.count("<rect")


def test_a_schedule_shows_tick_by_tick_what_is_done_and_kept():
    drawn = shards.schedule(GPIPE)
    assert drawn.says[3] == "tick 3: rank 1 forward 1"
    texts, boxes = seen(drawn, 3)
    assert [one for one in texts if one[0] in "FB" and one[1:].isdigit()] == ["F0", "F1"] * 2
    assert boxes == 12 + 4 + 4
    assert seen(drawn, 6)[1] == 12 + 8  # nothing is kept at the end


RING = [
    "rank 0: 0001 0001 0001 0001 | 0001 0001 0001 1001 True",
    "rank 1: 0010 0010 0010 0010 | 0011 0010 0010 0010 True",
    "rank 2: 0100 0100 0100 0100 | 0100 0110 0100 0100 True",
    "rank 3: 1000 1000 1000 1000 | 1000 1000 1100 1000 True",
]


def test_a_ring_shows_whose_numbers_each_chunk_holds_and_what_arrives():
    drawn = ranks.ring_run(RING)
    texts, boxes = seen(drawn, 0)
    assert (texts.count("2"), boxes) == (4, 16)
    texts, boxes = seen(drawn, 1)
    assert [one for one in texts if len(one) == 2] == ["03", "01", "12", "23"]
    assert boxes == 16 + 4  # what has arrived is framed


def test_what_ranks_recorded_of_a_ring_is_the_ring_drawn_by_hand():
    found = [one for one in cells(FIRST_PART, "code") if "ring.pass_on" in one["text"]]
    said = "".join(found[0]["outputs"][0]["text"]).splitlines()
    frames = zip(*(re.findall(r"\d{4}", line.split(": ")[1]) for line in said), strict=True)
    chunks = [[{r for r in range(4) if who[3 - r] == "1"} for who in frame] for frame in frames]
    states = [held for held, _ in ranks._ring_states(4)]  # after each step, of each rank
    assert chunks == [[held[r][c] for r in range(4)] for held in states for c in range(4)]


def test_units_show_when_a_weight_is_whole():
    told = "gather0 forward0 gather1 forward1 gather1 back1 scatter1 back0 scatter0"
    drawn = shards.units([f"rank {rank}: {told}" for rank in range(4)])
    boxes = [seen(drawn, frame)[1] - 4 * 4 * 4 for frame in range(10)]
    # Own parts of two weights; the three parts of others; gradients, whole and then own parts.
    assert boxes == [8, 20, 8, 20, 8, 20, 36, 12, 28, 16]


def test_a_figure_without_its_script_shows_the_last_frame():
    drawn = shards.schedule(GPIPE)
    groups = re.findall(r'data-last="(\d+)"( visibility="hidden")?', drawn.svg())
    assert all((int(last) < len(drawn.says) - 1) == bool(hidden) for last, hidden in groups)


def test_the_order_of_events_has_a_bar_for_each_message_until_the_end():
    lines = ["rank 0: b is ready", "rank 0:     sends ['b']", "rank 0: this.a is ready"]
    drawn = ranks.order([*lines, "rank 0:     sends ['this.a']"])
    widths = [part.split('width="')[1].split('"')[0] for part in drawn.parts if "<rect" in part]
    assert widths == ["32", "32", "96", "32"]  # two gradients; from event 1 to 4, from 3 to 4
