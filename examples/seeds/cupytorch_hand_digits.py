"""CuPyTorch's digits: an MLP with dropout on MNIST, SGD with momentum, a step schedule."""

import gzip
import os
from pathlib import Path

import numpy as np

import norch as ct
from norch import nn
from norch.optim import SGD
from norch.optim.lr_scheduler import StepLR
from norch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    """Pixels, 256 and 64 hidden units, one score a class."""

    def __init__(self, num_pixel: int, num_class: int):
        """Make the layers."""
        super().__init__()
        self.num_pixel = num_pixel
        self.fc1 = nn.Linear(num_pixel, 256)
        self.fc2 = nn.Linear(256, 64)
        self.fc3 = nn.Linear(64, num_class)
        self.act = nn.ReLU()
        self.drop = nn.Dropout(0.1)

    def forward(self, input: ct.Tensor) -> ct.Tensor:
        """Turn pictures (N, 28, 28) into scores (N, 10)."""
        output = input.view(-1, self.num_pixel)
        output = self.drop(self.act(self.fc1(output)))
        output = self.drop(self.act(self.fc2(output)))
        return self.fc3(output)


def load(path: Path):
    """Read an idx file: pictures as floats between 0 and 1, labels as integers."""
    content = gzip.decompress(path.read_bytes())
    sizes = np.frombuffer(content, '>u4', content[3], 4).astype(int)
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(sizes)
    if len(sizes) == 1:
        return ct.tensor(values).long()
    return ct.tensor(values).float() / 255


path = Path(os.environ.get('NORCH_DATA', '../datasets'))
if (path / 'mnist').is_dir():
    path = path / 'mnist'
train_dl = DataLoader(TensorDataset(load(path / 'train-images-idx3-ubyte.gz'),
                                    load(path / 'train-labels-idx1-ubyte.gz')),
                      batch_size=20, shuffle=True)
test_dl = DataLoader(TensorDataset(load(path / 't10k-images-idx3-ubyte.gz'),
                                   load(path / 't10k-labels-idx1-ubyte.gz')),
                     batch_size=20, shuffle=False)
model = Net(28 * 28, 10)
criterion = nn.CrossEntropyLoss()
optimizer = SGD(model.parameters(), lr=1e-3, momentum=0.9)
scheduler = StepLR(optimizer, 5, 0.5)

print(model)
print(optimizer)
print(criterion)

for epoch in range(10):
    model.train()
    losses = 0
    for step, (x, y) in enumerate(train_dl, 1):
        optimizer.zero_grad()
        z = model(x)
        loss = criterion(z, y)
        loss.backward()
        optimizer.step()
        losses += loss.item()
        if step % 500 == 0:
            losses /= 500
            print(f'Epoch: {epoch}, Train Step: {step}, Train Loss: {losses:.6f}')
            losses = 0
    scheduler.step()

    model.eval()
    with ct.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in test_dl)
    print(f'Epoch: {epoch}, Test Accuracy: {right / len(test_dl.dataset):.4f}')
