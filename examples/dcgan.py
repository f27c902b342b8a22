"""Draw digits that nobody wrote: `python examples/dcgan.py`.

Two networks play against each other (Goodfellow et al., 2014; as convolutions: Radford et al.,
2015): one turns noise into images, the other tells them from real ones. Each learns from the
other's mistakes. Written are sheets of drawn digits, one after each epoch, and a walk from one
digit to another.
"""

import argparse
import time
from pathlib import Path

import mnist
from tqdm import tqdm

import norch
from norch import nn, optim
from norch.utils.data import DataLoader, TensorDataset
from norchvision import datasets

NOISE = 64


def generator(width=32):
    """Noise (N, 64, 1, 1) to images (N, 1, 28, 28) between -1 and 1."""
    return nn.Sequential(
        nn.ConvTranspose2d(NOISE, 2 * width, 7, bias=False),  # 7 x 7
        nn.BatchNorm2d(2 * width),
        nn.ReLU(),
        nn.ConvTranspose2d(2 * width, width, 4, stride=2, padding=1, bias=False),  # 14 x 14
        nn.BatchNorm2d(width),
        nn.ReLU(),
        nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1),  # 28 x 28
        nn.Tanh(),
    )


def discriminator(width=32):
    """Images (N, 1, 28, 28) to scores (N, 1): above 0 for real ones."""
    return nn.Sequential(
        nn.Conv2d(1, width, 4, stride=2, padding=1),  # 14 x 14
        nn.LeakyReLU(0.2),
        nn.Conv2d(width, 2 * width, 4, stride=2, padding=1, bias=False),  # 7 x 7
        nn.BatchNorm2d(2 * width),
        nn.LeakyReLU(0.2),
        nn.Flatten(),
        nn.Linear(2 * width * 49, 1),
    )


def start_as_dcgan(model):
    """Draw the weights as the paper does: from N(0, 0.02)."""
    for module in model.modules():
        if isinstance(module, nn.Conv2d | nn.ConvTranspose2d):
            nn.init.normal_(module.weight, 0.0, 0.02)
    return model


def train(draw, judge, optimizers, loader, title):
    """Play with every real image; return how often the judge was right, and both losses."""
    draw.train()
    judge.train()
    losses, right = [0.0, 0.0], 0
    for (real,) in tqdm(loader, desc=title, ascii=True, leave=False, disable=None):
        fake = draw(norch.randn(len(real), NOISE, 1, 1))

        # The judge's turn: real images are 1, drawn ones 0; `detach`: no lesson for `draw`.
        scores_real, scores_fake = judge(real), judge(fake.detach())
        loss_judge = against(scores_real, 1.0) + against(scores_fake, 0.0)
        step(optimizers[1], loss_judge)

        # The drawer's turn: it wants its images to be taken for real ones.
        loss_draw = against(judge(fake), 1.0)
        step(optimizers[0], loss_draw)

        losses = [a + b.item() for a, b in zip(losses, (loss_draw, loss_judge), strict=True)]
        right += ((scores_real > 0).sum() + (scores_fake < 0).sum()).item()
    return right / (2 * len(loader) * loader.batch_size), *(loss / len(loader) for loss in losses)


def against(scores, truth):
    """Return the cross-entropy of the scores with one truth for all."""
    return nn.functional.binary_cross_entropy_with_logits(scores, norch.full_like(scores, truth))


def step(optimizer, loss):
    """Let one of the two learn."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


@norch.no_grad()
def sheet(draw, noise, columns, path):
    """Draw the images of these noises, row by row."""
    draw.eval()
    rows = len(noise) // columns
    images = draw(noise).reshape(rows, columns, 28, 28)
    table = images.transpose(1, 2).reshape(rows * 28, columns * 28)
    figure, axes = mnist.new_figure(0.7 * columns, 0.7 * rows)
    axes.imshow(table.tolist(), cmap="gray_r", vmin=-1, vmax=1)
    axes.axis("off")
    mnist.save_figure(figure, path)


def walk(columns):
    """Return noises that go, in each of three rows, from one point to another in equal steps."""
    starts, ends = norch.randn(3, 1, NOISE), norch.randn(3, 1, NOISE)
    share = norch.linspace(0, 1, columns).reshape(1, columns, 1)
    return (starts + (ends - starts) * share).reshape(-1, NOISE, 1, 1)


def main():
    """Train both, drawing the same noises after each epoch."""
    parser = argparse.ArgumentParser(description="Learn to draw digits with two networks.")
    parser.add_argument("--data", help="folder with the MNIST files (default: find or download)")
    parser.add_argument("--epochs", type=mnist.above_zero(int), default=5)
    parser.add_argument(
        "--train-size", type=mnist.above_zero(int), default=20000, help="how many digits to look at"
    )
    parser.add_argument("--batch-size", type=mnist.above_zero(int), default=64)
    parser.add_argument("--lr", type=mnist.above_zero(float), default=2e-4)
    parser.add_argument("--out", type=Path, default=Path("runs/dcgan"))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    norch.manual_seed(args.seed)
    digits = datasets.MNIST.splits(args.data, download=args.data is None)[0].data[: args.train_size]
    images = digits.unsqueeze(1).float() / 127.5 - 1
    loader = DataLoader(TensorDataset(images), args.batch_size, shuffle=True, drop_last=True)
    draw, judge = start_as_dcgan(generator()), start_as_dcgan(discriminator())
    optimizers = [optim.Adam(m.parameters(), lr=args.lr, betas=(0.5, 0.999)) for m in (draw, judge)]
    args.out.mkdir(parents=True, exist_ok=True)
    noise = norch.randn(40, NOISE, 1, 1)
    start = time.perf_counter()
    for epoch in range(1, args.epochs + 1):
        title = f"epoch {epoch}/{args.epochs}"
        right, loss_draw, loss_judge = train(draw, judge, optimizers, loader, title)
        print(
            f"{title}: the judge is right in {right:.1%}, losses {loss_draw:.3f} {loss_judge:.3f}"
        )
        sheet(draw, noise, 10, args.out / f"digits_{epoch}.svg")
    print(f"training took {time.perf_counter() - start:.1f} s")
    sheet(draw, walk(10), 10, args.out / "walk.svg")
    norch.save(draw.state_dict(), args.out / "draw.safetensors")


if __name__ == "__main__":
    main()
