"""Trains the network of the front page: `python -m lessons.digits`, in the folder `book`.

784 pixels, 30 hidden numbers, 10 scores, by the loop that chapter 5 shows. What a page needs of it
is committed (`network.json`, by `network.py`; `_static/preview.png`), so that building the book
needs no norch; a slow test trains again and compares. It wants MNIST, and stops without it.
"""

import os
import sys
from pathlib import Path

import norch
from lessons import network
from norch import nn, optim
from norch.utils.data import DataLoader
from norchvision import datasets
from norchvision.datasets.sources import EMBEDDED

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "examples"))
import mnist  # noqa: E402

HIDDEN, EPOCHS, SHOWN = 30, 6, 16
PREVIEW = ROOT / "book" / "_static" / "preview.png"


def data() -> tuple[datasets.MNIST, datasets.MNIST]:
    """Return MNIST's training set and test set."""
    beside = ROOT.parent / "shared" / "data"
    place = beside if "NORCH_DATA" not in os.environ and beside.is_dir() else None
    train_set, test_set = datasets.MNIST.splits(place, download=place is None)
    if train_set.source == EMBEDDED:
        raise SystemExit("[digits] MNIST is nowhere: NORCH_DATA=folder says where it lies")
    return train_set, test_set


def train(train_set: mnist.Digits, epochs: int) -> tuple[nn.Module, list[dict]]:
    """Train as chapter 5 does; return the model and each epoch's loss and accuracy."""
    norch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(784, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 10))
    loader = DataLoader(train_set, 64, shuffle=True)
    optimizer = optim.Adam(model.parameters(), lr=0.002)
    history = []
    for epoch in range(epochs):
        title = f"epoch {epoch + 1}/{epochs}"
        criterion = nn.CrossEntropyLoss()
        loss, accuracy, _ = mnist.train(model, loader, criterion, optimizer, "cpu", title)
        history.append({"loss": loss, "accuracy": accuracy})
    return model, history


def shorten(model: nn.Module) -> list[list]:
    """Round the weights to two bytes, in the model too; return each layer as lists."""
    layers = []
    for one in (model[1], model[3]):
        rows = one.weight.flatten().tolist()
        rounded = network.layer(network.packed(rows), network.packed(one.bias.tolist()))
        with norch.no_grad():
            one.weight.copy_(norch.tensor(rounded[0]))
            one.bias.copy_(norch.tensor(rounded[1]))
        layers.append(rounded)
    return layers


def shown(model: nn.Module, test_data: datasets.MNIST) -> list[dict]:
    """Return the first test digits: bytes of their pixels, what they are, the model's scores."""
    with norch.no_grad():
        scores = model(mnist.normalized(test_data.data[:SHOWN])).tolist()
    pixels, labels = test_data.data[:SHOWN].flatten(1).tolist(), test_data.targets[:SHOWN].tolist()
    keys = ("pixels", "label", "scores")
    return [dict(zip(keys, one, strict=True)) for one in zip(pixels, labels, scores, strict=True)]


def preview(found: dict, path: Path) -> None:
    """Draw what a host shows when somebody shares a link to the book."""
    figure = mnist.new_figure(12, 6.3, rows=2, columns=8)[0]
    figure.suptitle("norch: PyTorch rebuilt from scratch, small enough to read", fontsize=26)
    for axis, one in zip(figure.axes, found["digits"], strict=True):
        rows = [one["pixels"][28 * row : 28 * row + 28] for row in range(28)]
        axis.imshow(rows, cmap="gray_r")
        axis.set_title(one["scores"].index(max(one["scores"])), fontsize=24)
        axis.axis("off")
    words = f"a small network of norch reads {found['accuracy']:.1%} of {found['tests']:,} digits"
    figure.supxlabel(words, fontsize=22)
    figure.savefig(path, dpi=100, metadata={"Software": None})


def trained() -> dict:
    """Train, and return all that the page needs."""
    train_data, test_data = data()
    train_set, test_set = mnist.Digits(train_data), mnist.Digits(test_data)
    model, history = train(train_set, EPOCHS)
    layers = shorten(model)
    return {
        "images": len(train_set),
        "tests": len(test_set),
        "accuracy": mnist.evaluate(model, DataLoader(test_set, batch_size=1000), "cpu"),
        "history": history,
        "layers": layers,
        "digits": shown(model, test_data),
    }


def main() -> None:
    """Train, and write both files."""
    found = trained()
    preview(found, PREVIEW)
    network.write(found, network.PATH)
    print(f"it reads {found['accuracy']:.1%} of {found['tests']:,} test digits")


if __name__ == "__main__":
    main()
