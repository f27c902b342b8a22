"""Squeeze a digit into a few numbers and draw it again: `python examples/mnist_autoencoder.py`.

Convolutions halve the image twice, a linear layer keeps `--code` numbers; transposed convolutions
draw it again. Prints the error beside that of always drawing the mean digit.
"""

import argparse
import sys
import time
from pathlib import Path

import mnist

import norch
from norch import nn, optim
from norch.nn import functional as F
from norch.utils.data import DataLoader, TensorDataset
from norchvision import datasets


class Autoencoder(nn.Module):
    """784 pixels to `code` numbers and back."""

    def __init__(self, code=16):
        """Make both halves; the second mirrors the first."""
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, 3, stride=2, padding=1),  # (N, 16, 14, 14)
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1),  # (N, 32, 7, 7)
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * 7 * 7, code),
        )
        self.decoder = nn.Sequential(
            nn.Linear(code, 32 * 7 * 7),
            nn.ReLU(),
            nn.Unflatten(1, (32, 7, 7)),
            nn.ConvTranspose2d(32, 16, 3, stride=2, padding=1, output_padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(16, 1, 3, stride=2, padding=1, output_padding=1),
            nn.Sigmoid(),
        )

    def forward(self, images):
        """Map images (N, 1, 28, 28) to what is left of them."""
        return self.decoder(self.encoder(images))


def to_tensors(dataset):
    """All images as floats from 0 to 1, (N, 1, 28, 28)."""
    return TensorDataset(dataset.data.unsqueeze(1).float() / 255)


def train(model, loader, optimizer):
    """Show the model every image once; return the mean error of a pixel."""
    model.train()
    total = 0.0
    for (images,) in loader:
        loss = F.mse_loss(model(images), images)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(images)
    return total / len(loader.dataset)


@norch.no_grad()
def evaluate(model, images):
    """Return the mean error of a pixel, of the model and of the mean image."""
    model.eval()
    drawn = F.mse_loss(model(images), images).item()
    return drawn, F.mse_loss(images.mean(0).expand_as(images), images).item()


def main():
    """Train, test, save."""
    parser = argparse.ArgumentParser(description="Train an autoencoder on digits.")
    parser.add_argument("--data", help="folder with the MNIST files (default: find or download)")
    parser.add_argument("--epochs", type=mnist.above_zero(int), default=2)
    parser.add_argument(
        "--code", type=mnist.above_zero(int), default=16, help="numbers an image is squeezed into"
    )
    parser.add_argument("--out", type=Path, default=Path("runs/autoencoder"))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    norch.manual_seed(args.seed)
    try:
        sets = datasets.MNIST.splits(args.data, download=args.data is None)
    except (RuntimeError, OSError) as error:
        sys.exit(f"mnist_autoencoder.py: {error}")
    train_set, test_set = map(to_tensors, sets)
    model = Autoencoder(args.code)
    optimizer = optim.Adam(model.parameters(), lr=2e-3)
    start = time.perf_counter()
    for epoch in range(1, args.epochs + 1):
        loss = train(model, DataLoader(train_set, 128, shuffle=True), optimizer)
        print(f"epoch {epoch}/{args.epochs}: squared error of a pixel {loss:.4f}", flush=True)
    print(f"training took {time.perf_counter() - start:.1f} s")
    args.out.mkdir(parents=True, exist_ok=True)
    norch.save(model.state_dict(), args.out / "autoencoder.safetensors")
    drawn, mean = evaluate(model, test_set.tensors[0][:2000])
    print(f"test error: {drawn:.4f} from {args.code} numbers; the mean digit's {mean:.4f}")


if __name__ == "__main__":
    main()
