"""Distributed programs of other projects train on norch in two processes.

nanoGPT's train.py, PyTorch's examples (`distributed/ddp`, `distributed/ddp-tutorial-series`) and an
example of Accelerate are others' work: their checkouts lie in $NORCH_PROGRAMS or in
../shared/programs, under their repositories' names, or the tests are skipped. Programs are copied
when a test runs, with `torch` replaced by `norch`; `SLIPS` are the only other changes: no GPU.
"""

import gzip
import os
import pickle
import re
import struct
import subprocess
import sys
from array import array
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLACES = [os.environ.get("NORCH_PROGRAMS", ""), ROOT.parent / "shared" / "programs"]
LAUNCHER = ["-m", "norch.distributed.run", "--standalone", "--nproc_per_node=2"]
NAMES = [(r"\btorch\b", "norch"), (r"\btorchvision\b", "norchvision")]
SLIPS = [
    (r"^ *norch\.cuda\.set_device\(.*\)$", ""),
    (r"norch\.cuda\.device_count\(\)", "2"),
    (r"\.to\((self\.gpu_id|gpu_id|rank|device_ids\[0\]|dev[01]|self\.dev[01])\)", '.to("cpu")'),
    (r"\.cuda\(device_ids\[0\]\)", ""),
    (r"f\"cuda:\{self\.gpu_id\}\"|f'cuda:\{ddp_local_rank\}'", '"cpu"'),
    (r"from accelerate import", "from norch.accelerate import"),
]


def source(folder):
    """Where a project's files lie; the test is skipped where they do not."""
    found = [Path(place) / folder for place in PLACES if place and (Path(place) / folder).is_dir()]
    if not found:
        pytest.skip(f"{folder} is neither in $NORCH_PROGRAMS nor in ../shared/programs")
    return found[0]


@pytest.fixture
def run(tmp_path):
    """Give the test `run(folder, program, *arguments)`; it returns what the program printed."""

    def start(folder, program, *arguments, launcher=LAUNCHER, slips=(), **names):
        for path in source(folder).glob("*.py"):
            text = path.read_text(encoding="utf-8")
            for pattern, new in [*NAMES, *SLIPS, *slips]:
                text = re.sub(pattern, new, text, flags=re.MULTILINE)
            (tmp_path / path.name).write_text(text)
        done = subprocess.run(
            [sys.executable, *launcher, str(tmp_path / program), *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=180,
            env={**os.environ, "NORCH_NUM_THREADS": "1", **names},
        )
        assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
        return done.stdout

    return start


SERIES = "examples/distributed/ddp-tutorial-series"


def test_the_tutorial_series_by_the_launcher_goes_on_from_its_snapshot(run):
    slips = [(r"MyTrainDataset\(2048\)", "MyTrainDataset(256)")]  # seconds
    out = run(SERIES, "multigpu_torchrun.py", 2, 1, slips=slips)
    assert out.count("Steps: 4") == 4 and "Training snapshot saved at snapshot.pt" in out
    out = run(SERIES, "multigpu_torchrun.py", 3, 1, slips=slips)
    assert out.count("Resuming training from snapshot at Epoch 1") == 2
    assert "Epoch 0" not in out and out.count("Epoch 2 | ") == 3


def test_the_tutorial_series_with_spawn(run):
    slips = [
        (r"MyTrainDataset\(2048\)", "MyTrainDataset(256)"),
        (r"^.*\bicecream\b.*$|^ *ic\(.*", ""),
    ]
    out = run(SERIES, "multigpu.py", 2, 1, launcher=[], slips=slips)
    assert out.count("Steps: 4") == 4 and "checkpoint saved at checkpoint.pt" in out


def test_the_example_of_ddp_by_the_launcher(run):
    out = run("examples/distributed/ddp", "example.py", "--local_world_size=2")
    assert out.count("world_size = 2, n = 1, device_ids = [") == 2


def test_the_demos_of_ddp_with_spawn(run):
    slips = [
        (r"n_gpus < 8", "n_gpus < 2"),
        (r"(?<=demo_basic, )8|(?<=demo_checkpoint, )8|(?<=demo_model_parallel, )4", "2"),
    ]
    out = run("examples/distributed/ddp", "main.py", launcher=[], slips=slips)
    for demo in ("basic DDP", "DDP checkpoint", "DDP with model parallel"):
        assert out.count(f"Running {demo} example on rank") == 2


GPT = [
    *("--dataset=letters", "--n_layer=1", "--n_head=2", "--n_embd=16", "--block_size=16"),
    *("--batch_size=4", "--gradient_accumulation_steps=4", "--eval_interval=20", "--eval_iters=2"),
    *("--learning_rate=1e-2", "--warmup_iters=2", "--lr_decay_iters=60", "--compile=False"),
    *("--wandb_log=False", "--backend=gloo", "--dtype=float32"),
]


def test_nanogpt_learns_and_resumes(run, tmp_path):
    """The text repeats eight letters; the loss of guessing is ln 8 = 2.08."""
    folder = tmp_path / "data" / "letters"
    folder.mkdir(parents=True)
    for part in ("train", "val"):
        (folder / f"{part}.bin").write_bytes(array("H", [i % 8 for i in range(2000)]).tobytes())
    (folder / "meta.pkl").write_bytes(pickle.dumps({"vocab_size": 8}))
    out = run("nanoGPT", "train.py", *GPT, "--max_iters=40")
    first, *_, last = map(float, re.findall(r"val loss (\d+\.\d+)", out))
    assert first > 1.9 and last < 0.5 * first and "saving checkpoint to out" in out
    out = run("nanoGPT", "train.py", *GPT, "--max_iters=45", "--init_from=resume")
    assert out.count("Resuming training from out") == 2
    numbers = [int(number) for number in re.findall(r"^iter (\d+):", out, re.MULTILINE)]
    assert numbers == list(range(40, 46))


def idx(path, shape, numbers):
    header = struct.pack(f">HBB{len(shape)}I", 0, 8, len(shape), *shape)
    path.write_bytes(gzip.compress(header + bytes(numbers), 1))


def test_accelerates_example_with_digits(run, tmp_path):
    """Images of one bright row each, which is the label."""
    raw = tmp_path / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for part, count in (("train", 256), ("t10k", 64)):
        images = b"".join(
            bytes(28 * 2 * (i % 10)) + b"\xff" * 56 + bytes(28 * (26 - 2 * (i % 10)))
            for i in range(count)
        )
        idx(raw / f"{part}-images-idx3-ubyte.gz", (count, 28, 28), images)
        idx(raw / f"{part}-labels-idx1-ubyte.gz", (count,), [i % 10 for i in range(count)])
    out = run("accelerate/examples", "mnist_example.py", "--epochs=2", DSDIR=str(tmp_path))
    accuracies = re.findall(r"Epoch 0[12] / Eval accuracy = (\d\.\d+)", out)
    assert len(accuracies) == 2 and float(accuracies[-1]) > 0.5
