"""The larger examples, each on data small enough for seconds.

That they learn is tested where seconds are enough for it.
"""

import gzip
import importlib
import json
import os
import random
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import norch
from norchvision import models

EXAMPLES = Path(__file__).parents[1] / "examples"


def idx(shape, values):
    header = bytes([0, 0, 8, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
    return gzip.compress(header + bytes(values), 1)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """MNIST, CIFAR-10, NN5 and a text, all small and easy, under the names of the real ones."""
    folder, dice = tmp_path_factory.mktemp("data"), random.Random(0)
    for name in ("mnist", "cifar10", "nn5", "tinyshakespeare"):
        (folder / name).mkdir()
    for part, count in (("train", 320), ("t10k", 40)):
        labels = [dice.randrange(10) for _ in range(count)]
        pixels = bytearray(count * 784)
        for i, label in enumerate(labels):
            start = i * 784 + 2 * label * 28
            pixels[start : start + 56] = b"\xff" * 56
        images, names = idx((count, 28, 28), pixels), idx((count,), labels)
        (folder / "mnist" / f"{part}-images-idx3-ubyte.gz").write_bytes(images)
        (folder / "mnist" / f"{part}-labels-idx1-ubyte.gz").write_bytes(names)
    for name, count in (("data_batch_1", 128), ("test_batch", 32)):
        rows = [bytes([i % 10]) + bytes([25 * (i % 10)]) * 3072 for i in range(count)]
        (folder / "cifar10" / f"{name}.bin").write_bytes(b"".join(rows))
    week = [1.0, 2.0, 3.0, 4.0, 5.0, 3.0, 2.0]
    for name, days, start in (("train", 70, 0), ("test", 14, 70)):
        rows = [
            ",".join(str((1 + k) * week[(start + day) % 7]) for day in range(days))
            for k in range(6)
        ]
        (folder / "nn5" / f"{name}.csv.gz").write_bytes(gzip.compress("\n".join(rows).encode()))
    text = "to be or not to be. " * 200
    (folder / "tinyshakespeare" / "input.txt.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def run(script, *options, data, cwd, launcher=()):
    """Run an example; return what it printed."""
    command = [sys.executable, *launcher, str(EXAMPLES / script), *map(str, options)]
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,  # ends only a hang
        env={**os.environ, "NORCH_DATA": str(data), "NORCH_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def numbers(text, pattern):
    return [float(found) for found in re.findall(pattern, text, re.MULTILINE)]


def test_gpt2_learns_a_sentence_and_its_cache_changes_nothing(data, tmp_path):
    model = ["--layers", "2", "--width", "32", "--heads", "2", "--context", "16"]
    small = [*model, "--batch-size", "16", "--write", "20"]
    shown = run("gpt2.py", *small, "--steps", 60, "--lr", "1e-2", data=data, cwd=tmp_path)
    losses = numbers(shown, r"validation (\d\.\d+)")
    assert len(losses) == 10 and losses[-1] < losses[0] / 2
    assert "with the cache" in shown and "without the cache" in shown
    weights = tmp_path / "runs" / "gpt2" / "gpt2.safetensors"
    again = run(
        "gpt2.py",
        *small,
        "--steps",
        10,
        "--start",
        weights,
        "--checkpoint",
        data=data,
        cwd=tmp_path,
    )
    assert numbers(again, r"validation (\d\.\d+)")[0] < losses[0] / 1.5


EVERY_WAY = """
import json, sys
sys.path.insert(0, sys.argv.pop(1))
import gpt2
from norch import distributed as dist
dist.init_process_group()
for name in gpt2.PARALLEL:
    losses = gpt2.main([*sys.argv[1:], "--parallel", name])
    if dist.get_rank() == 0:
        print("LOSSES", json.dumps([name, losses]))
"""


@pytest.mark.long
def test_gpt2_trains_alike_in_every_way_to_share_it_among_four_processes(data, tmp_path):
    program = tmp_path / "every_way.py"
    program.write_text(EVERY_WAY)
    model = ["--layers", 4, "--width", 16, "--heads", 4, "--context", 16, "--dropout", 0]
    few = [*model, "--batch-size", 16, "--steps", 6, "--lr", "1e-2", "--write", 0]
    launcher = ("-m", "norch.distributed.run", "--nproc_per_node", "4")
    shown = run(program, EXAMPLES, *few, data=data, cwd=tmp_path, launcher=launcher)
    curves = dict(json.loads(line) for line in re.findall(r"^LOSSES (.*)$", shown, re.MULTILINE))
    alone = curves.pop("none")
    assert alone[-1] < alone[0] - 0.1 and len(curves) == 8
    for name, losses in curves.items():
        worst = max(abs(a - b) for a, b in zip(losses, alone, strict=True))
        assert worst < 1e-4, f"{name}: {worst}"
    last = numbers(shown, r"^validation (.*)$")
    assert len(last) == 8 and max(last) - min(last) < 2e-3  # saved by four, loaded by one


def test_a_cached_step_of_gpt2_scores_as_a_whole_pass(monkeypatch):
    import importlib.util

    monkeypatch.syspath_prepend(str(EXAMPLES))  # where it finds mnist.py
    spec = importlib.util.spec_from_file_location("gpt2_example", EXAMPLES / "gpt2.py")
    gpt2 = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gpt2)
    norch.manual_seed(0)
    model = gpt2.GPT(7, context=8, width=16, layers=2, heads=2).eval()
    tokens = norch.tensor([[1, 2, 3, 4, 5]])
    caches = [norch.nn.utils.KVCache(model.context) for _ in model.blocks]
    with norch.no_grad():
        whole = model(tokens)
        model(tokens[:, :3], caches)
        steps = [model(tokens[:, i : i + 1], caches, past=i) for i in (3, 4)]
    assert norch.allclose(norch.cat(steps, 1), whole[:, 3:], atol=1e-5)


def test_reverse_sequence_learns_to_mirror(tmp_path):
    shown = run(
        "reverse_sequence.py", "--train-size", 12800, "--epochs", 4, data=tmp_path, cwd=tmp_path
    )
    assert numbers(shown, r"test accuracy (\d+\.\d+)%")[-1] > 99


def test_the_forecaster_beats_nothing_it_has_not_seen(data, tmp_path):
    options = ["--epochs", 10, "--window", 28]
    shown = run("time_series.py", *options, data=data, cwd=tmp_path)
    losses = numbers(shown, r"loss (\d\.\d+)")
    assert losses[-1] < losses[0]
    assert len(numbers(shown, r"(\d+\.\d+) %")) == 2


@pytest.mark.parametrize("model", ["convnet", "resnet"])
def test_cifar10_trains_and_saves(model, data, tmp_path):
    options = ["--model", model, "--epochs", 2, "--batch-size", 32]
    shown = run("cifar10.py", *options, data=data, cwd=tmp_path)
    losses = numbers(shown, r"loss (\d\.\d+)")
    assert losses[1] < losses[0]
    assert f"{model}.safetensors" in os.listdir(tmp_path / "runs" / "cifar10")


@pytest.mark.long
def test_the_autoencoder_draws_better_than_the_mean(data, tmp_path):
    shown = run("mnist_autoencoder.py", "--epochs", 60, data=data, cwd=tmp_path)
    drawn, mean = numbers(shown.splitlines()[-1], r"(\d\.\d{4})")
    assert drawn < mean


def example(name):
    """Import an example as a module of its own."""
    return importlib.import_module(name)


@pytest.fixture
def examples(monkeypatch):
    """The folder of the examples, on the path as for a script that lies there."""
    monkeypatch.syspath_prepend(str(EXAMPLES))


@pytest.mark.long
def test_resnet50_names_an_image_and_shows_where_it_looked(examples, tmp_path):
    from matplotlib.image import imsave

    resnet50 = example("resnet50")
    norch.manual_seed(0)
    norch.save(models.resnet50().state_dict(), tmp_path / "weights.safetensors")
    image = norch.rand(40, 60, 3)
    imsave(tmp_path / "a.png", image.numpy())
    read = resnet50.read_image(tmp_path / "a.png", size=28)
    assert tuple(read.shape) == (1, 3, 28, 28)
    weights = ("--weights", tmp_path / "weights.safetensors")
    shown = run("resnet50.py", *weights, tmp_path / "a.png", data=tmp_path, cwd=tmp_path)
    assert "25,557,032 parameters" in shown and len(numbers(shown, r"(\d+\.\d+)%")) == 5
    out = tmp_path / "cam.svg"
    words = (*weights, "--image", tmp_path / "a.png", "--out", out)
    run("class_activation_map.py", *words, data=tmp_path, cwd=tmp_path)
    assert out.read_text().startswith("<?xml")


def test_the_shares_of_an_activation_map_add_up_to_the_score(examples):
    cam, cifar10 = example("class_activation_map"), example("cifar10")
    norch.manual_seed(0)
    model = cifar10.ResNet(width=4).eval()
    images = norch.randn(3, 3, 16, 16)
    with norch.no_grad():
        scores = model(images)
    classes, shares = cam.activation_map(cam.small_features(model), model.head, images)
    assert classes.tolist() == scores.argmax(1).tolist()
    assert norch.allclose(shares.sum((1, 2)) + model.head.bias[classes], scores.amax(1), atol=1e-5)


@pytest.mark.long
def test_the_activation_map_of_a_trained_net(data, tmp_path):
    small = ("--epochs", 1, "--batch-size", 32)
    run("cifar10.py", "--model", "resnet", *small, data=data, cwd=tmp_path)
    shown = run("class_activation_map.py", "--count", 3, data=data, cwd=tmp_path)
    assert "of 3 images named correctly" in shown
    assert (tmp_path / "runs" / "cam.svg").exists()


@pytest.mark.long
def test_a_small_vision_transformer_learns_and_shows_where_it_looked(data, tmp_path):
    shown = run("vit.py", "--epochs", 6, "--batch-size", 32, data=data, cwd=tmp_path)
    losses = numbers(shown, r"loss (\d\.\d+)")
    assert losses[-1] < losses[0] / 2
    assert sorted(os.listdir(tmp_path / "runs" / "vit")) == ["rollout.svg", "vit.safetensors"]


def test_a_rollout_of_layers_that_look_nowhere_stays_at_home(examples):
    vit = example("vit")
    norch.manual_seed(0)
    model = models.VisionTransformer(8, 4, 2, 2, hidden_dim=8, mlp_dim=8).eval()
    seen = vit.rollout(model, norch.randn(2, 3, 8, 8))
    assert tuple(seen.shape) == (2, 2, 2) and seen.amax().item() == 1.0
    with norch.no_grad():
        for block in model.encoder.layers:  # equal keys: every place is looked at alike
            block.self_attention.in_proj_weight.zero_()
    assert norch.allclose(vit.rollout(model, norch.randn(2, 3, 8, 8)), norch.ones(2, 2, 2))


@pytest.mark.long
def test_the_unet_finds_what_is_bright_and_is_no_stripe(data, tmp_path):
    small = ("--train-size", 160)
    shown = run("unet.py", "--epochs", 2, "--batch-size", 8, *small, data=data, cwd=tmp_path)
    found, bright = numbers(shown.splitlines()[-1], r"(\d+\.\d+)%")
    assert found > 60 > bright
    assert sorted(os.listdir(tmp_path / "runs" / "unet")) == ["found.svg", "unet.safetensors"]


@pytest.mark.long
def test_the_two_networks_of_a_gan_play(data, tmp_path):
    shown = run("dcgan.py", "--epochs", 2, "--batch-size", 32, data=data, cwd=tmp_path)
    assert shown.count("the judge is right in") == 2
    written = ["digits_1.svg", "digits_2.svg", "draw.safetensors", "walk.svg"]
    assert sorted(os.listdir(tmp_path / "runs" / "dcgan")) == written


@pytest.mark.parametrize("processes", [1, 2])
def test_the_accelerator_trains_with_loader_processes(processes, data, tmp_path):
    launcher = ("-m", "norch.distributed.run", "--nproc_per_node", str(processes))
    options = ["--epochs", 3, "--batch-size", 32 // processes, "--lr", "1e-2", "--workers", 1]
    shown = run("mnist_accelerate.py", *options, data=data, cwd=tmp_path, launcher=launcher)
    lines = shown.splitlines()
    assert lines[0] == f"{processes} processes, loaders in each: 1"
    losses = numbers(shown, r"loss (\d\.\d+)")
    assert len(losses) == 3 and losses[-1] < losses[0] / 2
    assert len(lines) == 5 and lines[-1].endswith("% of 40"), "each digit is counted once"
    assert float(lines[-1].split()[2]) > 90
