"""The network of the front page, trained when the book is built: `python -m lessons.digits OUT`.

784 pixels, 30 hidden numbers, 10 scores, trained by the loop that chapter 5 shows. What a page
needs of it goes to one JSON file, which is never committed: the weights, the losses, some test
digits. MNIST's files go beside it: the book packs them for the page that trains in the browser.
Where MNIST cannot be had, norch's own small digits take its place, and the file says so.
"""

import gzip
import json
import os
import shutil
import sys
from pathlib import Path

import norch
from norch import nn, optim
from norch.utils.data import DataLoader
from norchvision import datasets
from norchvision.datasets.sources import EMBEDDED, SHA256, find_file

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "examples"))
import mnist  # noqa: E402

HIDDEN, EPOCHS, SHOWN = 30, 6, 16
DIGITS = 4  # significant digits of a weight: the pages compute with what they show


def data() -> tuple[datasets.MNIST, datasets.MNIST, bool]:
    """Return training set, test set, and whether they are MNIST's own."""
    beside = ROOT.parent / "shared" / "data"
    place = beside if "NORCH_DATA" not in os.environ and beside.is_dir() else None
    train, test = datasets.MNIST.splits(place, download=place is None)
    return train, test, len(train) > 10_000


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
    """Round the weights, in the model too; return each layer's weight and bias as lists."""
    layers = []
    for layer in (model[1], model[3]):
        rounded = [
            [[float(f"{x:.{DIGITS}g}") for x in row] for row in layer.weight.tolist()],
            [float(f"{x:.{DIGITS}g}") for x in layer.bias.tolist()],
        ]
        with norch.no_grad():
            layer.weight.copy_(norch.tensor(rounded[0]))
            layer.bias.copy_(norch.tensor(rounded[1]))
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


def keep_files(source: str, folder: Path) -> None:
    """Put MNIST's four files there, compressed; where there is no MNIST, leave no folder."""
    shutil.rmtree(folder, ignore_errors=True)
    if source == EMBEDDED:
        return
    folder.mkdir(parents=True)
    for name in SHA256:
        path = find_file(Path(source), name)
        found = path.read_bytes()
        whole = found if path.suffix == ".gz" else gzip.compress(found, mtime=0)
        (folder / f"{name}.gz").write_bytes(whole)


def main(out: Path) -> None:
    """Train, and write the file at once."""
    train_data, test_data, is_mnist = data()
    keep_files(train_data.source, out.parent / "mnist")
    train_set, test_set = mnist.Digits(train_data), mnist.Digits(test_data)
    model, history = train(train_set, EPOCHS if is_mnist else 10 * EPOCHS)
    layers = shorten(model)
    found = {
        "mnist": is_mnist,
        "images": len(train_set),
        "tests": len(test_set),
        "accuracy": mnist.evaluate(model, DataLoader(test_set, batch_size=1000), "cpu"),
        "history": history,
        "layers": layers,
        "digits": shown(model, test_data),
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    temporary = out.with_suffix(".tmp")
    temporary.write_text(json.dumps(found, separators=(",", ":")), encoding="utf-8")
    preview(found, out.with_name("preview.png"))
    temporary.replace(out)
    print(f"the front page's network reads {found['accuracy']:.1%} of {len(test_set)} test digits")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
