"""PyNorch's training script for one device: MNIST, 784-30-10 with sigmoids, SGD."""

import random

import norch
import norch.nn as nn
import norch.optim as optim
from norch.norchvision import transforms as T
from norch.utils.data.dataloader import DataLoader

random.seed(1)

BATCH_SIZE = 32
device = "cuda" if norch.cuda.is_available() else "cpu"
epochs = 10

transform = T.Compose(
    [
        T.ToTensor(),
        T.Reshape([784])
    ]
)

target_transform = T.Compose(
    [
        T.ToTensor()
    ]
)

train_data, test_data = norch.norchvision.datasets.MNIST.splits(
    transform=transform, target_transform=target_transform
)
train_loader = DataLoader(train_data, batch_size=BATCH_SIZE)


class MyModel(nn.Module):
    """784 pixels, 30 hidden units, 10 digits, a sigmoid after each layer."""

    def __init__(self):
        """Make the layers."""
        super(MyModel, self).__init__()
        self.fc1 = nn.Linear(784, 30)
        self.sigmoid1 = nn.Sigmoid()
        self.fc2 = nn.Linear(30, 10)
        self.sigmoid2 = nn.Sigmoid()

    def forward(self, x):
        """Turn pictures (N, 784) into scores (N, 10) between 0 and 1."""
        out = self.fc1(x)
        out = self.sigmoid1(out)
        out = self.fc2(out)
        out = self.sigmoid2(out)

        return out


model = MyModel().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.01)
loss_list = []

for epoch in range(epochs):
    for idx, batch in enumerate(train_loader):

        inputs, target = batch

        inputs = inputs.to(device)
        target = target.to(device)

        outputs = model(inputs)

        loss = criterion(outputs, target)

        optimizer.zero_grad()

        loss.backward()

        optimizer.step()

    print(f'Epoch [{epoch + 1}/{epochs}], Loss: {loss.item():.4f}')
    loss_list.append(loss.item())
