"""The examples: what they print, write and refuse. Small data, so that each run takes seconds.

With `make mnist PROCESSES=N` several processes train together, with a learner's code in the line.
"""

import importlib.util
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

EXAMPLES = Path(__file__).parents[1] / "examples"
WRITTEN = ["checkpoint.safetensors", "digits.svg", "loss.svg"]


def run(out, *options, data, script="mnist.py"):
    """Run an example; return exit code, stdout and stderr."""
    command = [sys.executable, str(EXAMPLES / script), "--out", str(out), *map(str, options)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=600,  # ends only a hang
        env={**os.environ, "NORCH_DATA": str(data)},
    )
    return done.returncode, done.stdout, done.stderr


def test_the_program_of_the_readme_runs_as_it_stands_there(tmp_path):
    text = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "first.py").write_text(program, encoding="utf-8")
    command = [sys.executable, tmp_path / "first.py"]
    # Beside the folder `norch/`, as it is for who writes it into the clone.
    done = subprocess.run(command, cwd=EXAMPLES.parent, capture_output=True, text=True)
    assert re.fullmatch(r"loss \d+\.\d{4}\n", done.stdout), done.stderr
    assert (
        text.index("make mnist` ends like") < text.index("make next ") < text.index("make mnist ")
    )


def load_mnist():
    """Import examples/mnist.py as a module of its own."""
    spec = importlib.util.spec_from_file_location("mnist_example", EXAMPLES / "mnist.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mnist_trains_saves_draws_and_resumes(data, tmp_path):
    out = tmp_path / "runs" / "mnist"
    code, shown, problems = run(out, "--epochs", 12, "--batch-size", 32, data=data)
    assert (code, problems) == (0, "")
    last = shown.splitlines()[-1]
    assert re.fullmatch(r"test accuracy: \d+\.\d\d %", last) and float(last.split()[2]) > 95
    assert shown.count("images/s") == 12 and sorted(os.listdir(out)) == WRITTEN
    assert f"figures: {out / 'loss.svg'}, {out / 'digits.svg'}\n" in shown
    figure = (out / "digits.svg").read_bytes()

    code, shown, _ = run(out, "--epochs", 12, "--resume", data=data)
    assert code == 0 and "all 12 epochs are done" in shown and shown.splitlines()[-1] == last
    assert (out / "digits.svg").read_bytes() == figure

    code, shown, _ = run(out, "--epochs", 13, "--resume", data=data)
    assert code == 0 and "resuming after epoch 12" in shown and shown.count("images/s") == 1


def test_a_resumed_run_ends_as_an_unbroken_one(data, tmp_path, monkeypatch):
    monkeypatch.setenv("NORCH_DATA", str(data))

    def main(out, *options, stop_at=None):
        mnist = load_mnist()
        train, calls = mnist.train, []

        def counted(*args):
            calls.append(args)
            if len(calls) == stop_at:
                raise KeyboardInterrupt
            return train(*args)

        monkeypatch.setattr(mnist, "train", counted)
        monkeypatch.setattr(sys, "argv", ["mnist.py", "--epochs", "3", "--out", str(out), *options])
        mnist.main()

    main(tmp_path / "unbroken")
    with pytest.raises(KeyboardInterrupt):
        main(tmp_path / "broken", stop_at=2)
    main(tmp_path / "broken", "--resume")
    ends = [norch.load(tmp_path / name / WRITTEN[0])["model"] for name in ("unbroken", "broken")]
    assert all(norch.equal(ends[0][key], ends[1][key]) for key in ends[0])


def test_mnist_trains_a_cnn(data, tmp_path):
    code, shown, problems = run(tmp_path, "--model", "cnn", "--epochs", 3, data=data)
    assert (code, problems) == (0, "") and sorted(os.listdir(tmp_path)) == WRITTEN
    assert float(shown.splitlines()[-1].split()[2]) > 90
    code, _, problems = run(tmp_path, "--resume", data=data)  # an MLP
    assert code == 2 and "cannot resume from" in problems and problems.count("\n") == 1


def test_bytes_teach_what_floats_taught(data):
    mnist = load_mnist()
    digits, _ = mnist.datasets.MNIST.splits(data, download=False)
    floats = mnist.TensorDataset((digits.data.float() / 255 - 0.1307) / 0.3081, digits.targets)

    def losses(dataset):
        norch.manual_seed(0)
        model = mnist.MLP()
        optimizer = mnist.optim.Adam(model.parameters(), lr=0.002)
        loader = mnist.DataLoader(dataset, 128, shuffle=True)
        loss = mnist.nn.CrossEntropyLoss()
        return [
            mnist.train(model, loader, loss, optimizer, "cpu", "")[:2] for _ in range(2)
        ], model.fc1.weight

    (seen, weight), (expected, same) = losses(mnist.Digits(digits)), losses(floats)
    assert seen == expected and norch.equal(weight, same)
    image, label = mnist.Digits(digits)[3]
    assert norch.equal(image, floats[3][0]) and label.item() == floats[3][1].item()


def test_a_cnn_reads_the_digits_that_norch_carries(tmp_path, monkeypatch):
    monkeypatch.delenv("NORCH_DATA", raising=False)
    monkeypatch.setenv("NORCH_CACHE", str(tmp_path))
    mnist = load_mnist()
    digits = mnist.datasets.MNIST.splits(download=False)
    assert digits[0].source == "embedded"
    train, test = (mnist.DataLoader(mnist.Digits(part), 32, shuffle=True) for part in digits)
    norch.manual_seed(0)
    model = mnist.CNN()
    optimizer = mnist.optim.Adam(model.parameters(), lr=0.002)
    mnist.train(model, train, mnist.nn.CrossEntropyLoss(), optimizer, "cpu", "epoch 1/1")
    assert mnist.evaluate(model, test, "cpu") > 0.8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "gpt"], "invalid choice: 'gpt'"),
        (["--device", "tpu"], "tpu"),
        (["--epochs", "0"], "--epochs: a whole number above 0"),
        (["--epochs", "two"], "--epochs: a whole number above 0"),
        (["--lr", "nan"], "--lr: a number above 0 is expected, not 'nan'"),
        (["--batch-size", "-1"], "--batch-size: a whole number above 0 is expected, not '-1'"),
        (["--data", "/nowhere"], "there is no folder /nowhere"),
        (["--frobnicate"], "unrecognized arguments: --frobnicate"),
    ],
)
def test_mnist_refuses_in_one_line_and_writes_nothing(options, message, data, tmp_path):
    code, shown, problems = run(tmp_path / "out", *options, data=data)
    assert (code, shown) == (2, "") and problems.count("\n") == 1
    assert problems.startswith("mnist.py: ") and message in problems
    assert not (tmp_path / "out").exists()


def test_mnist_names_a_corrupt_checkpoint_and_an_unwritable_folder(data, tmp_path):
    (tmp_path / WRITTEN[0]).write_bytes(b"not a checkpoint")
    code, _, problems = run(tmp_path, "--resume", data=data)
    assert code == 2 and "cannot resume from" in problems and problems.count("\n") == 1
    assert (tmp_path / WRITTEN[0]).read_bytes() == b"not a checkpoint"
    norch.save({"other": 1}, tmp_path / WRITTEN[0])
    code, _, problems = run(tmp_path, "--resume", data=data)
    assert code == 2 and "cannot resume from" in problems
    code, _, problems = run(tmp_path / WRITTEN[0] / "below", data=data)
    assert code == 2 and problems.count("\n") == 1


def shown_by(script):
    """Run a script without options; return the lines it printed."""
    command = [sys.executable, str(EXAMPLES / script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_sin2_prints_the_articles_losses():
    printed = "1.7035 0.7193 0.3068 0.1742 0.1342 0.1232 0.1220 0.1241 0.1270 0.1297"
    assert [line.split()[-1] for line in shown_by("sin2.py")] == printed.split()


FIRST_STEPS = """\
--- products
totals [[25.0, 22.0]]
by price [[1.0, 6.0, 7.0]]
by count [[3.0, 3.0], [5.0, 5.0], [2.0, 2.0]]
--- views
table: shape (3, 4), stride (4, 1)
turned: shape (4, 3), stride (1, 4)
every other: shape (3, 2), stride (4, 2)
wide: shape (3, 5), stride (4, 0)
shared 100 contiguous True False
the copy (3, 1) lies elsewhere: True
in memory [0, 4, 8, 1, 5, 9, 2, 6, 10, 100, 7, 11]
--- slopes
value 1.0374
gradients on the diagonal add up to 0.4414, steps say 0.4414
--- functions
composed tensor([0.4338, 0.0000, 1.3250,    inf]) gradient tensor([-0.7616,  0.0000,  0.9640,     nan])
its own tensor([  0.4338,   0.0000,   1.3250, 199.3069]) gradient tensor([-0.7616,  0.0000,  0.9640,  1.0000])
--- convolution
convolved to (2, 9, 7, 10) formula [7, 10]
weights (9, 2, 2, 5) each group reads 2 of 6 channels
"""  # noqa: E501 - lines as they are printed


def test_first_steps_print_what_they_show():
    assert shown_by("first_steps.py") == FIRST_STEPS.splitlines()


NUMBERS = [
    (path.name, option)
    for path in sorted(EXAMPLES.glob("*.py"))
    for option in re.findall(
        r'"(--[\w-]+)",\s*type=(?:int|float|\w*\.?above|\w*\.?zero)', path.read_text()
    )
]


@pytest.mark.parametrize(("name", "option"), NUMBERS)
def test_a_number_that_cannot_be_is_refused_in_one_line(name, option, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    spec = importlib.util.spec_from_file_location(f"refusing_{name[:-3]}", EXAMPLES / name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    bad = ["x", "1e99999", "nan", ""]
    bad += [] if option == "--seed" else ["-1", "99999999999999999999"]
    bad += ["99999"] if option == "--threads" else []
    bad += [] if option in ("--seed", "--write", "--workers") else ["0"]
    for value in bad:
        monkeypatch.setattr(sys, "argv", [name, f"{option}={value}"])
        with pytest.raises(SystemExit) as ended:
            module.main()
        assert ended.value.code == 2, value
        assert f"argument {option}: " in capsys.readouterr().err.splitlines()[-1]


ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "examples" / "mnist_ddp.py"
LAUNCHER = ("-m", "norch.distributed.run", "--nproc_per_node")


def run_python(*words, data, **names):
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
        code, shown[ranks], problems = run_python(
            *LAUNCHER, ranks, SCRIPT, *options, "--out", tmp_path / str(ranks), data=data
        )
        assert (code, problems) == (0, "")
        assert sorted(os.listdir(tmp_path / str(ranks))) == WRITTEN
    assert shown[2].startswith("2 processes, threads in each: ") and shown[2].count("epoch 1") == 1
    assert losses(shown[1]) == pytest.approx(losses(shown[2]), abs=2e-3)
    ends = [norch.load(tmp_path / name / WRITTEN[0])["model"] for name in "12"]
    assert all(norch.allclose(ends[0][key], ends[1][key], atol=1e-2) for key in ends[0])


@pytest.mark.long
def test_one_process_goes_on_with_what_two_began(data, tmp_path):
    options = ("--model", "cnn", "--out", tmp_path)
    code, _, problems = run_python(*LAUNCHER, 2, SCRIPT, "--epochs", 2, *options, data=data)
    assert (code, problems) == (0, "")
    alone = ROOT / "examples" / "mnist.py"
    code, shown, _ = run_python(alone, "--epochs", 3, "--resume", *options, data=data)
    assert code == 0 and "resuming after epoch 2" in shown and shown.count("images/s") == 1
    code, shown, _ = run_python(
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
    code, shown, problems = run_python(*words, data=data)
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
    code, shown, problems = run_python(
        *words, data=data, SEEN=str(seen), PYTHONPATH=str(ROOT / "course")
    )
    assert (code, problems) == (0, "")
    assert "2 processes" in shown
    assert sorted(os.listdir(seen)) == sorted(answers) and len(answers) >= 7


def test_mine_hands_the_processes_to_the_launcher(monkeypatch):
    handed = []
    monkeypatch.setattr(commands, "passing", lambda course: {})
    monkeypatch.setattr(mine, "run", lambda *given: handed.extend(given[2]) or 0)
    assert commands.main(ROOT, ["mine", "--processes", "4", "a.py", "--epochs", "1"]) == 0
    assert handed == ["launch", "--nproc_per_node", "4", "a.py", "--epochs", "1"]


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs ray: pip install ray")
def test_four_ranks_as_tasks_of_ray():
    command = [sys.executable, EXAMPLES / "ray_ranks.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert re.findall(r"^rank (\d) of 4: y = 3\.000 x$", done.stdout, re.MULTILINE) == list(
        "0123"
    ), done.stderr
