"""MyTorch's MNIST classifier: four linear layers, sigmoids, two loading processes, Adam."""

import argparse

import numpy as np
from tqdm import tqdm

import norch as mytorch
import norch.nn as nn
import norch.optim as optim
from norch.norchvision.datasets import MNIST
from norch.utils.data import DataLoader


class MyTorchMNIST(nn.Module):
    """784 pixels, three hidden layers, 10 digits."""

    def __init__(self):
        """Make the layers."""
        super().__init__()
        self.fc1 = nn.Linear(784, 128)
        self.fc2 = nn.Linear(128, 64)
        self.fc3 = nn.Linear(64, 32)
        self.fc4 = nn.Linear(32, 10)

        self.activation = nn.Sigmoid()

    def forward(self, x):
        """Turn pictures (N, 784) into scores (N, 10)."""
        x = self.activation(self.fc1(x))
        x = self.activation(self.fc2(x))
        x = self.activation(self.fc3(x))
        x = self.fc4(x)

        return x


def collate_fn(batch):
    """Stack pictures as float rows between 0 and 1, and their labels."""
    ### Prep and Scale Images ###
    images = np.stack([np.array(i[0]).reshape(28*28) for i in batch]) / 255

    labels = [i[1] for i in batch]

    images = mytorch.Tensor(images).to(mytorch.float32)
    labels = mytorch.tensor(labels)

    return images, labels


def main():
    """Train and report, epoch by epoch."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=0.001)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()

    model = MyTorchMNIST()
    print(model)

    ### Prep Dataset ###
    train = MNIST(None, train=True, download=True)
    test = MNIST(None, train=False, download=True)

    trainloader = DataLoader(
        train, batch_size=args.batch_size, collate_fn=collate_fn, num_workers=2
    )
    testloader = DataLoader(test, batch_size=args.batch_size, collate_fn=collate_fn, num_workers=2)

    optimizer = optim.Adam(model.parameters(), lr=args.lr)

    loss_fn = nn.CrossEntropyLoss()

    for epoch in range(args.epochs):

        print(f"Training Epoch {epoch}")

        train_loss, train_acc = [], []
        eval_loss, eval_acc = [], []

        model.train()
        for images, labels in tqdm(trainloader):

            pred = model(images)

            loss = loss_fn(pred, labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            train_loss.append(loss.item())
            train_acc.append((pred.argmax(dim=-1) == labels).float().mean().item())

        model.eval()  # Supported Eval
        for images, labels in tqdm(testloader):

            with mytorch.no_grad():  # Supported Context Manager
                pred = model(images)

            loss = loss_fn(pred, labels)
            eval_loss.append(loss.item())
            eval_acc.append((pred.argmax(dim=-1) == labels).float().mean().item())

        print(f"Training Loss: {np.mean(train_loss):.4f}, Accuracy: {np.mean(train_acc):.4f}")
        print(f"Testing Loss: {np.mean(eval_loss):.4f}, Accuracy: {np.mean(eval_acc):.4f}")


if __name__ == "__main__":
    main()
