"""A vision transformer, and what it looks at: `python examples/vit.py`.

An image is cut into patches, which a transformer reads like words (Dosovitskiy et al., 2020).
`vit_b_16()` is ViT-B/16 with torchvision's names: a safetensors file of its weights loads as
it is. The script trains a small one on MNIST and draws its attention rollout (Abnar and Zuidema,
2020): how much of each patch has reached the answer.
"""

import argparse
import time
from collections import OrderedDict
from pathlib import Path

import mnist
from tqdm import tqdm

import norch
from norch import nn, optim
from norch.norchvision import datasets
from norch.utils.data import DataLoader, TensorDataset


class Block(nn.Module):
    """Attention, then a two-layer network; each reads a normed x and adds to x."""

    def __init__(self, width, heads, hidden):
        """Make the layers; in `mlp` only numbers 0 and 3 have weights, as in torchvision."""
        super().__init__()
        self.ln_1 = nn.LayerNorm(width, eps=1e-6)
        self.self_attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.ln_2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(
            nn.Linear(width, hidden), nn.GELU(), nn.Identity(), nn.Linear(hidden, width)
        )

    def forward(self, x, looks=None):
        """Map (N, T, width) to the same; append the attention (N, T, T) to `looks`."""
        normed = self.ln_1(x)
        read, look = self.self_attention(normed, normed, normed, need_weights=looks is not None)
        if looks is not None:
            looks.append(look)
        x = x + read
        return x + self.mlp(self.ln_2(x))


class Encoder(nn.Module):
    """Adds to each patch where it stands, and runs the blocks."""

    def __init__(self, length, layers, width, heads, hidden):
        """Make the blocks."""
        super().__init__()
        self.pos_embedding = nn.Parameter(norch.randn(1, length, width) * 0.02)
        blocks = [(f"encoder_layer_{i}", Block(width, heads, hidden)) for i in range(layers)]
        self.layers = nn.Sequential(OrderedDict(blocks))
        self.ln = nn.LayerNorm(width, eps=1e-6)

    def forward(self, x, looks=None):
        """Map (N, T, width) to the same."""
        x = x + self.pos_embedding
        for block in self.layers:
            x = block(x, looks)
        return self.ln(x)


class VisionTransformer(nn.Module):
    """Patches, a class token that collects the answer, an encoder, a linear layer."""

    def __init__(self, size, patch, layers, width, heads, hidden, classes, channels=3):
        """Make the layers for images of size x size."""
        super().__init__()
        self.conv_proj = nn.Conv2d(channels, width, patch, stride=patch)
        self.class_token = nn.Parameter(norch.zeros(1, 1, width))
        self.encoder = Encoder((size // patch) ** 2 + 1, layers, width, heads, hidden)
        self.heads = nn.Sequential(OrderedDict(head=nn.Linear(width, classes)))

    def forward(self, x, looks=None):
        """Turn images (N, channels, size, size) into scores (N, classes)."""
        patches = self.conv_proj(x).flatten(2).transpose(1, 2)  # (N, patches, width)
        token = self.class_token.expand(len(x), -1, -1)
        return self.heads(self.encoder(norch.cat([token, patches], 1), looks)[:, 0])


def vit_b_16(classes=1000):
    """Return ViT-B/16 for images of 224 x 224; its state_dict has torchvision's keys."""
    return VisionTransformer(224, 16, 12, 768, 12, 3072, classes)


def small():
    """Return one for digits: sixteen patches of 7 x 7, four layers."""
    return VisionTransformer(28, 7, layers=4, width=64, heads=4, hidden=128, classes=10, channels=1)


@norch.no_grad()
def rollout(model, images):
    """Return (N, side, side): how much of each patch reached the class token.

    Attention mixes the places and the residual path keeps them: a layer passes on half of each, and
    the layers follow one another.
    """
    looks = []
    model(images, looks)
    reached = norch.eye(looks[0].shape[-1])
    for look in looks:  # (N, T, T): row i says where place i looked
        reached = (0.5 * look + 0.5 * norch.eye(look.shape[-1])) @ reached
    patches = reached[:, 0, 1:]
    side = round(patches.shape[1] ** 0.5)
    return patches.reshape(-1, side, side) / patches.amax(1).reshape(-1, 1, 1)


def train(model, loader, optimizer, schedule, title):
    """Show the model every image once; return the mean loss."""
    model.train()
    total = 0
    for images, labels in tqdm(loader, desc=title, ascii=True, leave=False, disable=None):
        loss = nn.functional.cross_entropy(model(images.unsqueeze(1)), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        total += loss.item() * len(labels)
    return total / len(loader.dataset)


def draw_rollout(model, images, path):
    """Draw eight digits, and over each, in red, what reached the answer."""
    figure, axes = mnist.new_figure(8, 4.4, rows=2, columns=4)
    seen = rollout(model, images[:8].unsqueeze(1))
    large = nn.functional.interpolate(seen.unsqueeze(1), images.shape[1:], mode="bilinear")
    guesses = model(images[:8].unsqueeze(1)).argmax(1).tolist()
    for axis, image, heat, guess in zip(axes.flat, images, large, guesses, strict=False):
        axis.imshow(image.tolist(), cmap="gray_r")
        axis.imshow(heat[0].tolist(), cmap="Reds", alpha=0.5, vmin=0, vmax=1.5)
        axis.set_title(str(guess))
        axis.axis("off")
    mnist.save_figure(figure, path)


def main():
    """Train a small vision transformer on MNIST, test it, draw where it looked."""
    parser = argparse.ArgumentParser(description="Train a small vision transformer on MNIST.")
    parser.add_argument("--data", help="folder with the MNIST files (default: find or download)")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--out", type=Path, default=Path("runs/vit"))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    norch.manual_seed(args.seed)
    data = datasets.MNIST.splits(args.data, download=args.data is None)
    train_set, test_set = (mnist.to_tensors(part) for part in data)
    loader = DataLoader(train_set, args.batch_size, shuffle=True)
    model = small()
    optimizer = optim.AdamW(model.parameters(), lr=args.lr)
    steps = args.epochs * len(loader)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=steps)
    start = time.perf_counter()
    for epoch in range(1, args.epochs + 1):
        loss = train(model, loader, optimizer, schedule, f"epoch {epoch}/{args.epochs}")
        print(f"epoch {epoch}/{args.epochs}: loss {loss:.4f}", flush=True)
    print(f"training took {time.perf_counter() - start:.1f} s")

    images, labels = test_set.tensors
    channel = TensorDataset(images.unsqueeze(1), labels)
    accuracy = mnist.evaluate(model, DataLoader(channel, 1000), "cpu")
    args.out.mkdir(parents=True, exist_ok=True)
    norch.save(model.state_dict(), args.out / "vit.safetensors")
    draw_rollout(model, images, args.out / "rollout.svg")
    print(f"test accuracy: {accuracy * 100:.2f} %")


if __name__ == "__main__":
    main()
