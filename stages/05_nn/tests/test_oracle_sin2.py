"""Oracle: the ten losses that the article "Recreating PyTorch from Scratch" prints."""

import math
import random

import norch_autograd as norch
import norch_nn as nn
from norch_nn.optim import SGD

PRINTED = [
    "1.7035",
    "0.7193",
    "0.3068",
    "0.1742",
    "0.1342",
    "0.1232",
    "0.1220",
    "0.1241",
    "0.1270",
    "0.1297",
]


class ColumnLinear(nn.Module):
    """W @ x + b on column vectors, from U(-1, 1)."""

    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(norch.tensor(uniform(out_features, in_features)))
        self.bias = nn.Parameter(norch.tensor(uniform(out_features, 1)))

    def forward(self, x):
        return self.weight @ x + self.bias


def uniform(rows, columns):
    return [[random.uniform(-1, 1) for _ in range(columns)] for _ in range(rows)]


def test_the_articles_ten_losses():
    random.seed(1)
    model = nn.Sequential(ColumnLinear(1, 10), nn.Sigmoid(), ColumnLinear(10, 1))
    criterion = nn.MSELoss()
    optimizer = SGD(model.parameters(), lr=0.001)
    losses = []
    for _ in range(10):
        for i in range(51):
            x, target = 0.4 * i, math.sin(0.4 * i) ** 2
            loss = criterion(model(norch.tensor([[x]])), norch.tensor([[target]]))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        losses.append(f"{loss.item():.4f}")
    assert losses == PRINTED
