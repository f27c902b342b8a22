"""Learn sin(x)² from 51 points: `python examples/sin2.py`.

The example of the article "Recreating PyTorch from Scratch", with its random numbers: parameters
from U(-1, 1) in the order they are made, one point a step, x and y as column vectors, W @ x + b.
It prints the article's ten losses.
"""

import math
import random

import norch
from norch import nn, optim


class ColumnLinear(nn.Module):
    """W @ x + b, as the article writes it."""

    def __init__(self, in_features, out_features):
        """Draw the weights, then the biases, with Python's own generator."""
        super().__init__()
        self.weight = nn.Parameter(norch.tensor(uniform(out_features, in_features)))
        self.bias = nn.Parameter(norch.tensor(uniform(out_features, 1)))

    def forward(self, x):
        """Map a column (in_features, 1) to a column (out_features, 1)."""
        return self.weight @ x + self.bias


def uniform(rows, columns):
    """Return nested lists of numbers between -1 and 1."""
    return [[random.uniform(-1, 1) for _ in range(columns)] for _ in range(rows)]


def train(epochs=10):
    """Train from seed 1 and print the loss of the last point in each epoch."""
    random.seed(1)
    model = nn.Sequential(ColumnLinear(1, 10), nn.Sigmoid(), ColumnLinear(10, 1))
    optimizer = optim.SGD(model.parameters(), lr=0.001)
    points = [0.4 * i for i in range(51)]
    for epoch in range(1, epochs + 1):
        for point in points:
            target = norch.tensor([[math.sin(point) ** 2]])
            loss = nn.functional.mse_loss(model(norch.tensor([[point]])), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}/{epochs}: loss of the last point {loss.item():.4f}")


if __name__ == "__main__":
    train()
