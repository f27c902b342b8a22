"""Find the digit in the noise: `python examples/unet.py`.

A U-Net (Ronneberger et al., 2015) says of each pixel whether it belongs to the thing: here to an
MNIST digit that lies somewhere on a larger, noisy field with stripes as bright as itself. Measured
is the overlap of what it found with what is there.
"""

import argparse
import time
from itertools import pairwise
from pathlib import Path

import mnist
from tqdm import tqdm

import norch
from norch import nn, optim
from norch.utils.data import DataLoader, TensorDataset
from norchvision import datasets

SIDE = 48


class Double(nn.Sequential):
    """Two convolutions that keep the size."""

    def __init__(self, inputs, outputs):
        """Make the layers."""
        layers = []
        for channels in (inputs, outputs):
            layers += [nn.Conv2d(channels, outputs, 3, padding=1, bias=False)]
            layers += [nn.BatchNorm2d(outputs), nn.ReLU()]
        super().__init__(*layers)


class UNet(nn.Module):
    """Down with pooling, up with transposed convolutions, and a bridge at every size.

    The way down learns *what* is there; over the bridges the way up remembers *where*.
    """

    def __init__(self, inputs=1, outputs=1, width=16, depth=3):
        """Make the layers; the channels double where the image halves."""
        super().__init__()
        sizes = [width << level for level in range(depth + 1)]
        self.first = Double(inputs, width)
        self.pool = nn.MaxPool2d(2)
        pairs = list(pairwise(sizes))
        self.down = nn.ModuleList(Double(small, large) for small, large in pairs)
        back = pairs[::-1]
        self.grow = nn.ModuleList(nn.ConvTranspose2d(lg, sm, 2, stride=2) for sm, lg in back)
        self.up = nn.ModuleList(Double(2 * small, small) for small, _ in back)
        self.last = nn.Conv2d(width, outputs, 1)

    def forward(self, x):
        """Turn images (N, inputs, H, W) into scores (N, outputs, H, W); 2^depth divides H, W."""
        kept = [self.first(x)]
        for down in self.down:
            kept.append(down(self.pool(kept[-1])))
        x = kept.pop()
        for grow, up in zip(self.grow, self.up, strict=True):
            x = up(norch.cat([kept.pop(), grow(x)], 1))
        return self.last(x)


def scatter(digits):
    """Put each digit (28 x 28) somewhere on a field of noise and stripes; return field and mask."""
    count = len(digits)
    fields = 0.4 * norch.rand(count, 1, SIDE, SIDE)
    phase = norch.rand(count, 1, 1, 1) * 6
    stripes = norch.arange(SIDE).reshape(1, 1, SIDE, 1) + norch.arange(SIDE).reshape(1, 1, 1, SIDE)
    fields = fields + 0.6 * ((stripes * 0.7 + phase).sin() > 0.6).float()
    masks = norch.zeros(count, 1, SIDE, SIDE)
    places = norch.randint(0, SIDE - 28 + 1, (count, 2)).tolist()
    for field, mask, digit, (top, left) in zip(fields, masks, digits, places, strict=True):
        spot = (0, slice(top, top + 28), slice(left, left + 28))
        field[spot] = norch.maximum(field[spot], digit)
        mask[spot] = (digit > 0.5).float()
    return fields, masks


def overlap(scores, masks):
    """Return Dice's coefficient: twice the common pixels over the pixels of both."""
    found = (scores > 0).float()
    return (2 * (found * masks).sum() / (found.sum() + masks.sum())).item()


def train(model, loader, optimizer, title):
    """Show the model every field once; return the mean loss."""
    model.train()
    total = 0
    for fields, masks in tqdm(loader, desc=title, ascii=True, leave=False, disable=None):
        loss = nn.functional.binary_cross_entropy_with_logits(model(fields), masks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(fields)
    return total / len(loader.dataset)


def draw(fields, scores, path):
    """Draw six fields, and below each what was found in it."""
    figure, axes = mnist.new_figure(9, 3.2, rows=2, columns=6)
    for column, (field, score) in enumerate(zip(fields[:6], scores[:6], strict=True)):
        for row, image in enumerate((field[0], score[0].sigmoid())):
            axes[row][column].imshow(image.tolist(), cmap="gray_r", vmin=0, vmax=1)
            axes[row][column].axis("off")
    mnist.save_figure(figure, path)


def main():
    """Train, test, draw."""
    parser = argparse.ArgumentParser(description="Find digits in noise with a U-Net.")
    parser.add_argument("--data", help="folder with the MNIST files (default: find or download)")
    parser.add_argument(
        "--train-size",
        type=mnist.above_zero(int),
        default=2000,
        help="how many fields to learn from",
    )
    parser.add_argument("--epochs", type=mnist.above_zero(int), default=3)
    parser.add_argument("--batch-size", type=mnist.above_zero(int), default=32)
    parser.add_argument("--lr", type=mnist.above_zero(float), default=2e-3)
    parser.add_argument("--out", type=Path, default=Path("runs/unet"))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    norch.manual_seed(args.seed)
    parts = datasets.MNIST.splits(args.data, download=args.data is None)
    images = [part.data.float() / 255 for part in parts]
    loader = DataLoader(
        TensorDataset(*scatter(images[0][: args.train_size])), args.batch_size, shuffle=True
    )
    fields, masks = scatter(images[1][:500])

    model = UNet()
    optimizer = optim.Adam(model.parameters(), lr=args.lr)
    start = time.perf_counter()
    for epoch in range(1, args.epochs + 1):
        loss = train(model, loader, optimizer, f"epoch {epoch}/{args.epochs}")
        print(f"epoch {epoch}/{args.epochs}: loss {loss:.4f}", flush=True)
    print(f"training took {time.perf_counter() - start:.1f} s")

    model.eval()
    with norch.no_grad():
        scores = norch.cat([model(part) for part in fields.split(100)])
    args.out.mkdir(parents=True, exist_ok=True)
    norch.save(model.state_dict(), args.out / "unet.safetensors")
    draw(fields, scores, args.out / "found.svg")
    bright = overlap(fields - 0.5, masks)
    print(f"test overlap: {overlap(scores, masks):.2%}; of all bright pixels: {bright:.2%}")


if __name__ == "__main__":
    main()
