"""MyTorch's convolutional net: its layers as they stand in the README, and one pass through them."""

import norch
import norch.nn as nn


class ConvNet(nn.Module):
    """Two convolutions of stride 2, each with a norm and dropout."""

    def __init__(self):
        """Make the layers; the README names the first three twice, the later ones stay."""
        super().__init__()

        self.conv1 = nn.Conv2d(in_channels=3,
                               out_channels=32,
                               kernel_size=3,
                               stride=2,
                               padding=1)

        self.bn1 = nn.BatchNorm2d(32)
        self.drop1 = nn.Dropout(0.1)

        self.conv1 = nn.Conv2d(in_channels=3,
                               out_channels=32,
                               kernel_size=3,
                               stride=2,
                               padding=1)

        self.bn1 = nn.BatchNorm2d(32)
        self.drop1 = nn.Dropout(0.1)

        self.conv2 = nn.Conv2d(in_channels=32,
                               out_channels=32,
                               kernel_size=3,
                               stride=2,
                               padding=1)

        self.bn2 = nn.BatchNorm2d(32)
        self.drop2 = nn.Dropout(0.1)

    def forward(self, x):
        """Turn pictures (N, 3, H, W) into features (N, 32, H / 4, W / 4)."""
        x = self.drop1(norch.relu(self.bn1(self.conv1(x))))
        x = self.drop2(norch.relu(self.bn2(self.conv2(x))))
        return x


norch.manual_seed(0)
model = ConvNet()
print(model)
features = model(norch.randn(4, 3, 32, 32))
features.square().mean().backward()
print(tuple(features.shape))
print(tuple(model.conv1.weight.grad.shape))
