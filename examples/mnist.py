"""Train a network on handwritten digits: `python examples/mnist.py`, or `make mnist`.

Writes checkpoint.safetensors, loss.svg and digits.svg to the folder --out. Needs only norch and
tqdm; the figures need matplotlib.
"""

import argparse
import fcntl
import os
import sys
import time
from pathlib import Path

from tqdm import tqdm

import norch
from norch import nn, optim
from norch.utils.data import DataLoader, TensorDataset
from norchvision import datasets


class MLP(nn.Module):
    """784 pixels, two hidden layers, 10 digits."""

    def __init__(self):
        """Make the layers."""
        super().__init__()
        self.flatten = nn.Flatten()
        self.fc1 = nn.Linear(784, 256)
        self.fc2 = nn.Linear(256, 128)
        self.fc3 = nn.Linear(128, 10)
        self.relu = nn.ReLU()

    def forward(self, x):
        """Turn images (N, 28, 28) into scores (N, 10)."""
        x = self.relu(self.fc1(self.flatten(x)))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


class CNN(nn.Module):
    """Two layers of 3 x 3 kernels, each halved by pooling, two linear layers, 10 digits."""

    def __init__(self):
        """Make the layers."""
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.flatten = nn.Flatten()
        self.dropout = nn.Dropout(0.25)
        self.fc1 = nn.Linear(32 * 7 * 7, 128)
        self.fc2 = nn.Linear(128, 10)
        self.relu = nn.ReLU()

    def forward(self, x):
        """Turn images (N, 28, 28) into scores (N, 10)."""
        x = x.unsqueeze(1)  # (N, 1, 28, 28): one channel
        x = self.pool(self.relu(self.conv1(x)))  # (N, 16, 14, 14)
        x = self.pool(self.relu(self.conv2(x)))  # (N, 32, 7, 7)
        x = self.relu(self.fc1(self.dropout(self.flatten(x))))
        return self.fc2(self.dropout(x))


MODELS = {"mlp": MLP, "cnn": CNN}


def train(model, loader, criterion, optimizer, device, title):
    """Show the model every image once; return mean loss, accuracy and images a second."""
    model.train()
    total_loss = correct = seen = 0
    start = time.perf_counter()
    bar = tqdm(
        total=len(loader.dataset), desc=title, unit="img", ascii=True, leave=False, disable=None
    )
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        outputs = model(images)
        loss = criterion(outputs, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

        seen += len(labels)
        total_loss += loss.item() * len(labels)
        correct += (outputs.argmax(1) == labels).sum().item()
        bar.set_postfix(loss=f"{total_loss / seen:.4f}", acc=f"{correct / seen:.2%}", refresh=False)
        bar.update(len(labels))
    bar.close()
    return total_loss / seen, correct / seen, seen / (time.perf_counter() - start)


def evaluate(model, loader, device):
    """Return the share of images that the model reads correctly."""
    model.eval()
    correct = 0
    with norch.no_grad():
        for images, labels in loader:
            outputs = model(images.to(device))
            correct += (outputs.argmax(1) == labels.to(device)).sum().item()
    return correct / len(loader.dataset)


def normalized(images):
    """Turn bytes into floats whose mean over MNIST is 0, and whose deviation is 1."""
    return (images.float() / 255 - 0.1307) / 0.3081


class Digits(TensorDataset):
    """Images as bytes, and labels; a batch's become floats, so that 47 MB are held, not 188."""

    def __init__(self, dataset):
        """Take the two tensors of a dataset of images."""
        super().__init__(dataset.data, dataset.targets)

    def __getitem__(self, index):
        """Return one image, or several, and the label."""
        images, labels = super().__getitem__(index)
        return normalized(images), labels

    def __getbatch__(self, indices):
        """Return the images of a batch, and their labels, with one gather each."""
        images, labels = super().__getbatch__(indices)
        return normalized(images), labels


def draw(model, history, dataset, args):
    """Draw both figures, where matplotlib is installed."""
    try:
        draw_losses(history, args.out / "loss.svg")
        draw_digits(model, dataset, args.device, args.out / "digits.svg")
        print(f"figures: {args.out / 'loss.svg'}, {args.out / 'digits.svg'}")
    except ImportError as error:
        print(f"no figures without matplotlib: {error}")


def draw_losses(history, path):
    """Draw the loss of each epoch."""
    figure, axes = new_figure(6, 3.5)
    axes.plot(range(1, len(history) + 1), [epoch["loss"] for epoch in history], marker="o")
    axes.set(xlabel="epoch", ylabel="training loss", ylim=(0, None))
    save_figure(figure, path)


def draw_digits(model, dataset, device, path):
    """Draw the first sixteen test digits with what the model takes them for."""
    model.eval()
    with norch.no_grad():
        predictions = model(normalized(dataset.data[:16]).to(device)).argmax(1).tolist()
    figure, axes = new_figure(6, 6.5, rows=4, columns=4)
    digits, labels = dataset.data[:16].tolist(), dataset.targets[:16].tolist()
    for axis, digit, label, guess in zip(axes.flat, digits, labels, predictions, strict=True):
        axis.imshow(digit, cmap="gray_r")
        right = guess == label
        axis.set_title(
            f"{guess}" if right else f"{guess}, is {label}", color="green" if right else "red"
        )
        axis.axis("off")
    save_figure(figure, path)


def new_figure(width, height, rows=1, columns=1):
    """Return a figure that is the same file each time it is saved."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams["svg.hashsalt"] = "norch"
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns)


def save_figure(figure, path):
    """Write the figure beside its target, then rename it."""
    temporary = path.with_suffix(".tmp")
    figure.savefig(temporary, format="svg", metadata={"Date": None})
    temporary.replace(path)


class Parser(argparse.ArgumentParser):
    """A parser that reports a mistake in one line."""

    def error(self, message):
        """Print the line and leave with exit code 2."""
        self.exit(2, f"mnist.py: {' '.join(message.split())}\n")


def above_zero(kind, most=2**31 - 1):
    """Return a function that reads a number above 0, for argparse."""

    def read(text):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not 0 < value <= most:
            what = "a whole number" if kind is int else "a number"
            bound = f"of {most} at most" if value > most else "above 0"
            raise argparse.ArgumentTypeError(f"{what} {bound} is expected, not {text!r}")
        return value

    return read


def zero_or_more(text):
    """Read a whole number that may be 0, for argparse."""
    return 0 if text.strip() == "0" else above_zero(int)(text)


def parse_arguments():
    """Read the command line."""
    parser = Parser(description="Train a network on handwritten digits.")
    parser.add_argument("--data", help="folder with the MNIST files (default: find or download)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda-sim (default: cpu)")
    parser.add_argument("--epochs", type=above_zero(int), help="default: 8, or 60 on a small set")
    parser.add_argument("--model", default="mlp", choices=MODELS)
    parser.add_argument("--batch-size", type=above_zero(int), default=128)
    parser.add_argument("--lr", type=above_zero(float), default=0.002, help="default: 0.002")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=above_zero(int, 1024), help="default: one a core")
    parser.add_argument("--out", type=Path, default=Path("runs/mnist"), help="default: runs/mnist")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    return parser, parser.parse_args()


def claim(folder):
    """Make the folder; keep other runs out until what is returned is closed, or this run ends."""
    folder.mkdir(parents=True, exist_ok=True)
    holder = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(holder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RuntimeError(
            f"another run writes to {folder}: wait for its end, or name another folder with --out "
            "(make mnist OUT=folder)"
        ) from None
    except OSError:
        pass  # a file system without locks
    return holder


def resume(checkpoint, model, optimizer, parser):
    """Load what `save` wrote, or say why not; return the history of the epochs done."""
    if not checkpoint.exists():
        print(f"nothing to resume in {checkpoint.parent}: starting with epoch 1")
        return []
    try:
        return load(checkpoint, model, optimizer)
    except Exception as error:  # a file may hold anything
        return parser.error(
            f"cannot resume from {checkpoint}: {error}: put another one there, or leave --resume "
            "(RESUME=1) out, which begins again and replaces it"
        )


def load(checkpoint, model, optimizer):
    """Fill model and optimizer from the file."""
    saved = norch.load(checkpoint)
    kinds = {"model": dict, "optimizer": dict, "history": list}
    given = saved if isinstance(saved, dict) else {}
    if missing := [name for name, kind in kinds.items() if not isinstance(given.get(name), kind)]:
        raise ValueError(f"it has no {', '.join(missing)} of a training run")
    if any(
        not isinstance(one, dict) or {"loss", "accuracy"} - set(one) for one in saved["history"]
    ):
        raise ValueError("its history is not one of losses and accuracies")
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    print(f"resuming after epoch {len(saved['history'])}")
    return saved["history"]


def save(checkpoint, model, optimizer, history):
    """Write all that is needed to go on; the file is replaced at once, never half."""
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "history": history,
    }
    norch.save(state, checkpoint)


def fit(model, loader, optimizer, history, epochs, args, checkpoint):
    """Train the epochs that `history` lacks, saving after each."""
    if len(history) >= epochs:
        print(f"all {len(history)} epochs are done: nothing left to train")
    criterion = nn.CrossEntropyLoss()
    # The learning rate falls in a straight line, to 0 after the last epoch.
    scheduler = optim.lr_scheduler.LambdaLR(
        optimizer, lambda epoch: max(0.0, 1 - epoch / epochs), last_epoch=len(history) - 1
    )
    start = time.perf_counter()
    for epoch in range(len(history), epochs):
        norch.manual_seed(args.seed + epoch)  # a resumed run shuffles as an unbroken one
        title = f"epoch {epoch + 1}/{epochs}"
        loss, accuracy, speed = train(model, loader, criterion, optimizer, args.device, title)
        scheduler.step()
        print(f"{title}: loss {loss:.4f}, accuracy {accuracy:.2%}, {speed:,.0f} images/s")
        history.append({"loss": loss, "accuracy": accuracy})
        save(checkpoint, model, optimizer, history)
    print(f"training took {time.perf_counter() - start:.1f} s")


def learn(model, train_data, test_data, args, parser):
    """Train, save after every epoch, test; return each epoch's loss, and the test accuracy."""
    train_set, test_set = Digits(train_data), Digits(test_data)
    epochs = args.epochs or (8 if len(train_set) > 10_000 else 60)
    train_loader = DataLoader(train_set, args.batch_size, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=1000)
    optimizer = optim.Adam(model.parameters(), lr=args.lr)

    checkpoint = args.out / "checkpoint.safetensors"
    history = resume(checkpoint, model, optimizer, parser) if args.resume else []
    fit(model, train_loader, optimizer, history, epochs, args, checkpoint)

    return history, evaluate(model, test_loader, args.device)


def run(model, train_data, test_data, args, parser):
    """Train and test, draw, and say how well it reads."""
    history, accuracy = learn(model, train_data, test_data, args, parser)
    draw(model, history, test_data, args)
    print(f"test accuracy: {accuracy * 100:.2f} %")


def main():
    """Make the model, find the data, and run in a folder that is this run's alone."""
    parser, args = parse_arguments()
    if args.threads:
        norch.set_num_threads(args.threads)
    norch.manual_seed(args.seed)
    try:
        model = MODELS[args.model]().to(args.device)
        train_data, test_data = datasets.MNIST.splits(args.data, download=args.data is None)
        holder = claim(args.out)
    except (RuntimeError, OSError) as error:
        parser.error(str(error))
    print(f"{len(train_data)} training digits, {len(test_data)} test digits: {train_data.source}")
    try:
        run(model, train_data, test_data, args, parser)
    finally:
        os.close(holder)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("\ninterrupted: --resume goes on after the last whole epoch", file=sys.stderr)
        sys.exit(130)
