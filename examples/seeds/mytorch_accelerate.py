"""MyTorch's distributed training: the Accelerator deals out the data and averages the gradients.

Run it with `python -m norch.distributed.run --nproc_per_node 2 <this file>`, or alone.
"""

import numpy as np
from tqdm import tqdm

import norch as mytorch
import norch.nn as nn
import norch.optim as optim
from norch.accelerate import Accelerator
from norch.norchvision.datasets import MNIST
from norch.utils.data import DataLoader

accelerator = Accelerator()

NUM_EPOCHS = 1


class MyTorchMNIST(nn.Module):
    """784 pixels, 512 hidden units, 10 digits."""

    def __init__(self):
        """Make the layers."""
        super().__init__()

        self.fc1 = nn.Linear(784, 512)
        self.drop1 = nn.Dropout(0.1)
        self.fc2 = nn.Linear(512, 10)
        self.activation = nn.ReLU()

    def forward(self, x):
        """Turn pictures (N, 784) into scores (N, 10)."""
        x = self.drop1(self.activation(self.fc1(x)))
        x = self.fc2(x)
        return x


model = MyTorchMNIST()
accelerator.print(model)  # Only prints on main rank

train = MNIST(None, train=True, download=False)
test = MNIST(None, train=False, download=False)


def collate_fn(batch):
    """Stack pictures as float rows between 0 and 1, and their labels."""
    images = np.concatenate([np.array(i[0]).astype(np.float32).reshape(1, 784) for i in batch]) / 255
    labels = np.array([i[1] for i in batch])
    return images, labels


trainloader = DataLoader(train, batch_size=16, collate_fn=collate_fn, num_workers=2)
testloader = DataLoader(test, batch_size=16, collate_fn=collate_fn, num_workers=2)
optimizer = optim.Adam(model.parameters(), lr=0.001)
loss_fn = nn.CrossEntropyLoss()

### Prepares everything for DDP ###
model, optimizer, trainloader, testloader = accelerator.prepare(
    model, optimizer, trainloader, testloader
)

train_loss = []

for epoch in range(NUM_EPOCHS):

    model.train()
    for images, labels in tqdm(trainloader, disable=not accelerator.is_main_process()):
        images = mytorch.Tensor(images)
        labels = mytorch.tensor(labels)

        pred = model(images)
        loss = loss_fn(pred, labels)

        # Backward w/ all_gather ops
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()

        train_loss.append(accelerator.gather_for_metrics(loss))

    model.eval()
    right = 0
    for images, labels in testloader:
        with mytorch.no_grad():
            found = model(mytorch.Tensor(images)).argmax(1) == mytorch.tensor(labels)
        right += accelerator.gather_for_metrics(found).sum().item()
    last = mytorch.cat(train_loss[-100:]).mean().item()
    accelerator.print(f"Epoch {epoch}, Loss: {last:.4f}, Test Accuracy: {right / len(test):.4f}")
