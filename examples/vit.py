"""A vision transformer, and what it looks at: `python examples/vit.py`.

An image is cut into patches, which a transformer reads like words (Dosovitskiy et al., 2020): the
network is norchvision's, norchvision/models/vision_transformer.py. The script trains a small one on
MNIST and draws its attention rollout (Abnar and Zuidema, 2020): how much of each patch has reached
the answer.
"""

import argparse
import time
from pathlib import Path

import mnist
from tqdm import tqdm

import norch
from norch import nn, optim
from norch.utils.data import DataLoader, TensorDataset
from norchvision import datasets, models


def small():
    """Return one for digits: sixteen patches of 7 x 7, four layers."""
    model = models.VisionTransformer(28, 7, 4, 4, hidden_dim=64, mlp_dim=128, num_classes=10)
    model.conv_proj = nn.Conv2d(1, 64, 7, stride=7)  # a digit has one channel, a photo three
    return model


def attention_of(model, images):
    """Return the attention (N, T, T) of every layer.

    The blocks do not ask their attention for its weights, so a hook before it asks, and one after
    it keeps the answer.
    """
    looks, hooks = [], []
    for block in model.encoder.layers:
        attention = block.self_attention
        ask = lambda module, args, options: (args, {**options, "need_weights": True})  # noqa: E731
        keep = lambda module, args, output: looks.append(output[1])  # noqa: E731
        hooks.append(attention.register_forward_pre_hook(ask, with_kwargs=True))
        hooks.append(attention.register_forward_hook(keep))
    model(images)
    for hook in hooks:
        hook.remove()
    return looks


@norch.no_grad()
def rollout(model, images):
    """Return (N, side, side): how much of each patch reached the class token.

    Attention mixes the places and the residual path keeps them: a layer passes on half of each, and
    the layers follow one another.
    """
    looks = attention_of(model, images)
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
    parser.add_argument("--epochs", type=mnist.above_zero(int), default=3)
    parser.add_argument("--batch-size", type=mnist.above_zero(int), default=128)
    parser.add_argument("--lr", type=mnist.above_zero(float), default=2e-3)
    parser.add_argument("--out", type=Path, default=Path("runs/vit"))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    norch.manual_seed(args.seed)
    data = datasets.MNIST.splits(args.data, download=args.data is None)
    loader = DataLoader(mnist.Digits(data[0]), args.batch_size, shuffle=True)
    model = small()
    optimizer = optim.AdamW(model.parameters(), lr=args.lr)
    steps = args.epochs * len(loader)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=steps)
    start = time.perf_counter()
    for epoch in range(1, args.epochs + 1):
        loss = train(model, loader, optimizer, schedule, f"epoch {epoch}/{args.epochs}")
        print(f"epoch {epoch}/{args.epochs}: loss {loss:.4f}", flush=True)
    print(f"training took {time.perf_counter() - start:.1f} s")

    images, labels = mnist.normalized(data[1].data), data[1].targets
    channel = TensorDataset(images.unsqueeze(1), labels)
    accuracy = mnist.evaluate(model, DataLoader(channel, 1000), "cpu")
    args.out.mkdir(parents=True, exist_ok=True)
    norch.save(model.state_dict(), args.out / "vit.safetensors")
    draw_rollout(model, images, args.out / "rollout.svg")
    print(f"test accuracy: {accuracy * 100:.2f} %")


if __name__ == "__main__":
    main()
