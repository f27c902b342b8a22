"""Train a convolutional network on CIFAR-10: `python examples/cifar10.py --model resnet`.

`convnet`: plain convolutions with batch norm and dropout. `resnet`: a small pre-activation ResNet
(He et al., 2016). Images are flipped and shifted anew each time they are seen.
"""

import argparse
import sys
import time
from itertools import pairwise
from pathlib import Path

import mnist
from tqdm import tqdm

import norch
from norch import nn, optim
from norch.utils.data import DataLoader, TensorDataset
from norchvision import datasets

MEAN = norch.tensor([0.4914, 0.4822, 0.4465]).reshape(3, 1, 1)
STD = norch.tensor([0.2470, 0.2435, 0.2616]).reshape(3, 1, 1)


def convolution(inputs, outputs, stride=1):
    """Return a 3 x 3 convolution that leaves the size to its stride."""
    return nn.Conv2d(inputs, outputs, kernel_size=3, stride=stride, padding=1, bias=False)


class ConvNet(nn.Sequential):
    """Four convolutions, each halving the image, then a linear layer."""

    def __init__(self, width=32, classes=10):
        """Make the layers."""
        sizes = [3, width, 2 * width, 4 * width, 4 * width]
        layers = []
        for inputs, outputs in pairwise(sizes):
            layers += [convolution(inputs, outputs, stride=2), nn.BatchNorm2d(outputs), nn.ReLU()]
        layers += [nn.Flatten(), nn.Dropout(0.1), nn.Linear(sizes[-1] * 4, classes)]
        super().__init__(*layers)


class Residual(nn.Module):
    """x plus what two convolutions make of it, norm and activation before each."""

    def __init__(self, inputs, outputs, stride):
        """Make the layers; a 1 x 1 convolution carries x where its shape changes."""
        super().__init__()
        self.norm1, self.conv1 = nn.BatchNorm2d(inputs), convolution(inputs, outputs, stride)
        self.norm2, self.conv2 = nn.BatchNorm2d(outputs), convolution(outputs, outputs)
        same = inputs == outputs and stride == 1
        self.carry = None if same else nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False)
        self.relu = nn.ReLU()

    def forward(self, x):
        """Map (N, inputs, H, W) to (N, outputs, H / stride, W / stride)."""
        active = self.relu(self.norm1(x))
        carried = x if self.carry is None else self.carry(active)
        return carried + self.conv2(self.relu(self.norm2(self.conv1(active))))


class ResNet(nn.Module):
    """Three stages of residual blocks; each stage halves the image and doubles the channels."""

    def __init__(self, width=16, blocks=1, classes=10):
        """Make the layers."""
        super().__init__()
        self.stem = convolution(3, width)
        stages, inputs = [], width
        for stage in range(3):
            for block in range(blocks):
                outputs, stride = width << stage, 2 if stage and not block else 1
                stages.append(Residual(inputs, outputs, stride))
                inputs = outputs
        self.stages = nn.Sequential(*stages)
        self.norm, self.relu, self.head = (
            nn.BatchNorm2d(inputs),
            nn.ReLU(),
            nn.Linear(inputs, classes),
        )

    def forward(self, x):
        """Turn images (N, 3, H, W) into scores (N, classes)."""
        x = self.relu(self.norm(self.stages(self.stem(x))))
        return self.head(x.mean((2, 3)))


MODELS = {"convnet": ConvNet, "resnet": ResNet}


def to_tensors(dataset):
    """All images as normalized floats (N, 3, 32, 32), all labels."""
    images = dataset.data.permute(0, 3, 1, 2).float() / 255
    return TensorDataset((images - MEAN) / STD, dataset.targets)


def augment(images):
    """Flip half of the images; shift them all by up to four places."""
    flipped = norch.rand(len(images), 1, 1, 1) < 0.5
    images = norch.where(flipped, images.flip(3), images)
    down, right = norch.randint(-4, 5, (2,)).tolist()
    return nn.functional.pad(images, (4, 4, 4, 4))[
        :, :, 4 + down : 36 + down, 4 + right : 36 + right
    ]


def train(model, loader, criterion, optimizer, device, title):
    """Show the model every image once; return mean loss and accuracy."""
    model.train()
    total = correct = 0
    for images, labels in tqdm(loader, desc=title, ascii=True, leave=False, disable=None):
        outputs = model(augment(images).to(device))
        loss = criterion(outputs, labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
        correct += (outputs.argmax(1).cpu() == labels).sum().item()
    return total / len(loader.dataset), correct / len(loader.dataset)


@norch.no_grad()
def evaluate(model, loader, device):
    """Return the share of images that the model names correctly."""
    model.eval()
    pairs = ((model(images.to(device)).argmax(1).cpu(), labels) for images, labels in loader)
    return sum((guess == labels).sum().item() for guess, labels in pairs) / len(loader.dataset)


def main():
    """Train, test, save."""
    parser = argparse.ArgumentParser(description="Train a network on CIFAR-10.")
    parser.add_argument("--data", help="folder with the .bin files (default: find or download)")
    parser.add_argument("--model", default="resnet", choices=MODELS)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--epochs", type=mnist.above_zero(int), default=10)
    parser.add_argument("--batch-size", type=mnist.above_zero(int), default=64)
    parser.add_argument("--lr", type=mnist.above_zero(float), default=0.1)
    parser.add_argument("--out", type=Path, default=Path("runs/cifar10"))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    norch.manual_seed(args.seed)
    try:
        sets = [datasets.CIFAR10(args.data, train=part, download=True) for part in (True, False)]
    except (RuntimeError, OSError) as error:
        sys.exit(f"cifar10.py: {error}")
    train_loader = DataLoader(to_tensors(sets[0]), args.batch_size, shuffle=True, drop_last=True)
    test_loader = DataLoader(to_tensors(sets[1]), 250)

    model = MODELS[args.model]().to(args.device)
    optimizer = optim.SGD(
        model.parameters(), lr=args.lr, momentum=0.9, weight_decay=5e-4, nesterov=True
    )
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    criterion = nn.CrossEntropyLoss()
    start = time.perf_counter()
    for epoch in range(1, args.epochs + 1):
        title = f"epoch {epoch}/{args.epochs}"
        loss, accuracy = train(model, train_loader, criterion, optimizer, args.device, title)
        schedule.step()
        print(f"{title}: loss {loss:.4f}, accuracy {accuracy:.2%}", flush=True)
    print(f"training took {time.perf_counter() - start:.1f} s")
    args.out.mkdir(parents=True, exist_ok=True)
    norch.save(model.state_dict(), args.out / f"{args.model}.safetensors")
    print(f"test accuracy: {evaluate(model, test_loader, args.device) * 100:.2f} %")


if __name__ == "__main__":
    main()
