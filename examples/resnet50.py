"""ResNet-50, which reads PyTorch's weights: `python examples/resnet50.py --weights FILE photo.png`.

The layers of He et al. (2015), the stride in the 3 x 3 convolutions, named as torchvision names
them: a .pth or safetensors file of its `resnet50` loads as it is. Without an image it counts its
parameters and times one pass. On a CPU this is for looking, not for training from scratch.
"""

import argparse
import sys
import time
from pathlib import Path

import norch
from norch import nn

MEAN = norch.tensor([0.485, 0.456, 0.406]).reshape(3, 1, 1)
STD = norch.tensor([0.229, 0.224, 0.225]).reshape(3, 1, 1)


def carry(inputs, outputs, stride):
    """Return what brings x to a new shape, or None where it keeps its own."""
    if stride == 1 and inputs == outputs:
        return None
    convolution = nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs))


class Basic(nn.Module):
    """x plus what two 3 x 3 convolutions make of it: the block of the smaller ResNets."""

    expansion = 1

    def __init__(self, inputs, width, stride=1):
        """Make the layers; a 1 x 1 convolution carries x where its shape changes."""
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, width, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU()
        self.downsample = carry(inputs, width, stride)

    def forward(self, x):
        """Map (N, inputs, H, W) to (N, width, H / stride, W / stride)."""
        carried = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(x)) + carried)


class Bottleneck(nn.Module):
    """x plus what three convolutions make of it: to few channels, across space, to many."""

    expansion = 4

    def __init__(self, inputs, width, stride=1):
        """Make the layers; a 1 x 1 convolution carries x where its shape changes."""
        super().__init__()
        outputs = width * self.expansion
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, outputs, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU()
        self.downsample = carry(inputs, outputs, stride)

    def forward(self, x):
        """Map (N, inputs, H, W) to (N, 4 width, H / stride, W / stride)."""
        carried = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        return self.relu(self.bn3(self.conv3(x)) + carried)


class ResNet(nn.Module):
    """A stem, four stages of blocks, a mean over the image, a linear layer."""

    def __init__(self, blocks=(3, 4, 6, 3), width=64, classes=1000, kind=Bottleneck):
        """Make the layers; `blocks` says how many blocks of a kind each stage has."""
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2d(3, stride=2, padding=1)
        outputs = kind.expansion * width
        self.layer1 = stage(kind, width, width, blocks[0], stride=1)
        self.layer2 = stage(kind, outputs, 2 * width, blocks[1], stride=2)
        self.layer3 = stage(kind, 2 * outputs, 4 * width, blocks[2], stride=2)
        self.layer4 = stage(kind, 4 * outputs, 8 * width, blocks[3], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(8 * outputs, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def features(self, x):
        """Turn images (N, 3, H, W) into features (N, C, H / 32, W / 32): 2048 in ResNet-50."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        return self.layer4(self.layer3(self.layer2(self.layer1(x))))

    def forward(self, x):
        """Turn images (N, 3, H, W) into scores (N, classes)."""
        return self.fc(self.avgpool(self.features(x)).flatten(1))


def stage(kind, inputs, width, blocks, stride):
    """Return the blocks of one stage; the first of them changes the shape."""
    rest = [kind(width * kind.expansion, width) for _ in range(blocks - 1)]
    return nn.Sequential(kind(inputs, width, stride), *rest)


def resnet18(classes=1000):
    """Return ResNet-18; its state_dict, too, has torchvision's keys."""
    return ResNet((2, 2, 2, 2), classes=classes, kind=Basic)


def read_image(path, size=224):
    """Read an image file as (1, 3, size, size): scaled, cut to its middle, normalized."""
    from matplotlib.image import imread

    pixels = norch.tensor(imread(path))[..., :3]  # (H, W, 3), without transparency
    whole = 1 if pixels.dtype.is_floating_point else 255
    image = (pixels.float() / whole).permute(2, 0, 1).unsqueeze(0)
    height, width = image.shape[2:]
    scale = size * 8 / 7 / min(height, width)  # torchvision: 256 for a cut of 224
    shape = (round(height * scale), round(width * scale))
    image = nn.functional.interpolate(image, shape, mode="bilinear", align_corners=False)
    top, left = (shape[0] - size) // 2, (shape[1] - size) // 2
    return (image[:, :, top : top + size, left : left + size] - MEAN) / STD


def main():
    """Load weights, name the image, or time a pass."""
    parser = argparse.ArgumentParser(description="Name what an image shows, with ResNet-50.")
    parser.add_argument("image", nargs="?", type=Path, help="a .png or .jpg file")
    parser.add_argument("--weights", type=Path, help="torchvision's resnet50, .pth or safetensors")
    args = parser.parse_args()
    model = ResNet().eval()
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters")
    try:
        if args.weights:
            model.load_state_dict(norch.load(args.weights))
        image = norch.randn(1, 3, 224, 224) if args.image is None else read_image(args.image)
    except (RuntimeError, OSError) as error:
        sys.exit(f"resnet50.py: {error}")
    start = time.perf_counter()
    with norch.no_grad():
        chances, classes = model(image).softmax(1).topk(5)
    print(f"one pass took {time.perf_counter() - start:.2f} s")
    if args.image:
        for number, chance in zip(classes[0].tolist(), chances[0].tolist(), strict=True):
            print(f"class {number}: {chance:.2%}")


if __name__ == "__main__":
    main()
