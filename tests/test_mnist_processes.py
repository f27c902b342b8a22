"""`make mnist PROCESSES=N`: several processes train together, with a learner's code in the line."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import norch
from norch_course import commands, mine
from norch_course.catalog import load
from norch_course.holes import find_hole
from norch_course.workbook import Answer

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "examples" / "mnist_ddp.py"
WRITTEN = ["checkpoint.safetensors", "digits.svg", "loss.svg"]
LAUNCHER = ("-m", "norch.distributed.run", "--nproc_per_node")


def run(*words, data, **names):
    """Run Python with these words; return exit code, stdout and stderr."""
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=600,  # ends only a hang
        env={**os.environ, "NORCH_DATA": str(data), **names},
    )
    return done.returncode, done.stdout, done.stderr


def losses(shown):
    return [float(found) for found in re.findall(r"loss (\d\.\d+)", shown)]


def test_processes_learn_what_one_does_and_speak_once(data, tmp_path):
    options = ("--epochs", 3, "--batch-size", 32)
    shown = {}
    for ranks in (1, 2):
        code, shown[ranks], problems = run(
            *LAUNCHER, ranks, SCRIPT, *options, "--out", tmp_path / str(ranks), data=data
        )
        assert (code, problems) == (0, "")
        assert sorted(os.listdir(tmp_path / str(ranks))) == WRITTEN
    assert shown[2].startswith("2 processes, threads in each: ") and shown[2].count("epoch 1") == 1
    assert losses(shown[1]) == pytest.approx(losses(shown[2]), abs=2e-3)
    ends = [norch.load(tmp_path / name / WRITTEN[0])["model"] for name in "12"]
    assert all(norch.allclose(ends[0][key], ends[1][key], atol=1e-2) for key in ends[0])


def test_one_process_goes_on_with_what_two_began(data, tmp_path):
    options = ("--model", "cnn", "--out", tmp_path)
    code, _, problems = run(*LAUNCHER, 2, SCRIPT, "--epochs", 2, *options, data=data)
    assert (code, problems) == (0, "")
    alone = ROOT / "examples" / "mnist.py"
    code, shown, _ = run(alone, "--epochs", 3, "--resume", *options, data=data)
    assert code == 0 and "resuming after epoch 2" in shown and shown.count("images/s") == 1
    code, shown, _ = run(
        *LAUNCHER, 2, SCRIPT, "--epochs", 3, "--resume", *options, "--threads", 1, data=data
    )
    assert code == 0 and "all 3 epochs are done" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--epochs", "0"], "--epochs: a whole number above 0"),
        (["--data", "/nowhere"], "there is no folder /nowhere"),
        (["--batch-size", "1"], "--batch-size 1 cannot be shared by 2 processes"),
    ],
)
def test_a_mistake_is_told_once(options, message, data, tmp_path):
    words = (*LAUNCHER, 2, SCRIPT, "--out", tmp_path / "out", *options)
    code, shown, problems = run(*words, data=data)
    assert code == 2 and shown == ""
    assert problems.count(message) == 1 and not (tmp_path / "out").exists()


def marked(exercise):
    """The library's own answer, which also leaves a file when it runs."""
    hole = find_hole(exercise.reference, exercise.suffix, exercise.id)
    mark = f"__import__('pathlib').Path(__import__('os').environ['SEEN'], '{exercise.id}').touch()"
    return Answer(hole._replace(body=f"{hole.indent}{mark}\n{hole.body}"), False, None)


def test_every_exercise_of_data_parallel_training_is_in_the_line(data, tmp_path):
    course = replace(load(ROOT), root=tmp_path)
    # Further ways to train, and layers, that make mnist does not take.
    others = {"model_parallel", "simulate", "sync_batchnorm.py"}
    answers = {
        id: marked(one)
        for id, one in course.exercises.items()
        if id.startswith("6.") and not others & set(one.source.parts)
    }
    seen = tmp_path / "seen"
    seen.mkdir()
    folder = mine.build(course, answers)
    launch = ("launch", "--nproc_per_node", 2, SCRIPT, "--epochs", 1, "--out", tmp_path / "out")
    words = ("-m", "norch_course.start", folder, "norch_ddp", *launch)
    code, shown, problems = run(*words, data=data, SEEN=str(seen), PYTHONPATH=str(ROOT / "course"))
    assert (code, problems) == (0, "")
    assert "2 processes" in shown
    assert sorted(os.listdir(seen)) == sorted(answers) and len(answers) >= 7


def test_mine_hands_the_processes_to_the_launcher(monkeypatch):
    handed = []
    monkeypatch.setattr(commands, "passing", lambda course: {})
    monkeypatch.setattr(mine, "run", lambda *given: handed.extend(given[2]) or 0)
    assert commands.main(ROOT, ["mine", "--processes", "4", "a.py", "--epochs", "1"]) == 0
    assert handed == ["launch", "--nproc_per_node", "4", "a.py", "--epochs", "1"]
