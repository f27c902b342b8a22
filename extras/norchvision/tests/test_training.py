"""Networks learn to read digits: MNIST, and the small set that norchvision carries."""

from layer_checks import train

import norch_autograd as norch
import norch_nn as nn
from norch_nn.data import TensorDataset
from norchvision.datasets import MNIST


def accuracy(model, images, labels):
    model.eval()
    with norch.no_grad():
        return (model(images).argmax(1) == labels).float().mean().item()


def pixels(dataset):
    return (dataset.data.float().reshape(-1, 784) / 255 - 0.1307) / 0.3081


def test_mnist_in_one_epoch(mnist_folder):
    """CuPyTorch's example network reads 92.5 % of the test digits after one epoch."""
    norch.manual_seed(0)
    digits, test = MNIST.splits(mnist_folder, download=False)
    model = nn.Sequential(
        nn.Linear(784, 256),
        nn.ReLU(),
        nn.Dropout(0.1),
        nn.Linear(256, 64),
        nn.ReLU(),
        nn.Dropout(0.1),
        nn.Linear(64, 10),
    )
    optimizer = nn.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    train(model, TensorDataset(pixels(digits), digits.targets), optimizer)
    assert accuracy(model, pixels(test), test.targets) >= 0.925


def test_the_embedded_digits_can_be_learned(monkeypatch, tmp_path):
    monkeypatch.delenv("NORCH_DATA", raising=False)
    monkeypatch.setenv("NORCH_CACHE", str(tmp_path))
    norch.manual_seed(0)
    digits, test = MNIST.splits(download=False)
    model = nn.Sequential(nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = nn.optim.Adam(model.parameters(), lr=0.005)
    for _ in range(10):
        train(model, TensorDataset(pixels(digits), digits.targets), optimizer, batch_size=50)
    assert accuracy(model, pixels(test), test.targets) >= 0.85
