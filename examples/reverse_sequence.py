"""Teach a transformer encoder to read backwards: `python examples/reverse_sequence.py`.

Sixteen random digits in, the same digits in reverse out. Nothing but attention can move a digit,
so what the heads look at is a mirror. The task of PyTortto's quick start.
"""

import argparse
import time

import mnist

import norch
from norch import nn, optim
from norch.nn import functional as F
from norch.utils.data import DataLoader, TensorDataset


class Reverser(nn.Module):
    """Digits and their places as vectors, one encoder layer, ten scores a place."""

    def __init__(self, length=16, kinds=10, width=32):
        """Make the layers."""
        super().__init__()
        self.digits = nn.Embedding(kinds, width)
        self.places = nn.Parameter(norch.randn(length, width) * 0.5)
        layer = nn.TransformerEncoderLayer(width, 1, 2 * width, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(width, kinds)

    def forward(self, digits):
        """Map digits (N, length) to scores (N, length, kinds)."""
        return self.head(self.encoder(self.digits(digits) + self.places))


def make_data(count, length):
    """Return random digits and what they are in reverse."""
    digits = norch.randint(0, 10, (count, length))
    return TensorDataset(digits, digits.flip(1))


def train(model, loader, optimizer):
    """Show the model every sequence once; return the mean loss."""
    model.train()
    total = 0.0
    for digits, wanted in loader:
        loss = F.cross_entropy(model(digits).reshape(-1, 10), wanted.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        total += loss.item()
    return total / len(loader)


@norch.no_grad()
def evaluate(model, loader):
    """Return the share of places that are right."""
    model.eval()
    right = sum((model(digits).argmax(-1) == wanted).sum().item() for digits, wanted in loader)
    return right / sum(wanted.numel() for _, wanted in loader)


def main():
    """Train until every place is right, or the epochs are over."""
    parser = argparse.ArgumentParser(description="Teach a transformer to read backwards.")
    parser.add_argument("--epochs", type=mnist.above_zero(int), default=6)
    parser.add_argument("--train-size", type=mnist.above_zero(int), default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    norch.manual_seed(args.seed)
    train_loader = DataLoader(make_data(args.train_size, 16), 128, shuffle=True, drop_last=True)
    test_loader = DataLoader(make_data(2_000, 16), 1_000)
    model = Reverser()
    optimizer = optim.Adam(model.parameters(), lr=3e-3)
    start = time.perf_counter()
    for epoch in range(1, args.epochs + 1):
        loss = train(model, train_loader, optimizer)
        accuracy = evaluate(model, test_loader)
        print(f"epoch {epoch}: loss {loss:.4f}, test accuracy {accuracy:.2%}", flush=True)
        if accuracy == 1:
            break
    print(f"{time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
