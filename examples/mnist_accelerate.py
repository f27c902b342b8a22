"""Digits in any number of processes, by the Accelerator: `python examples/mnist_accelerate.py`.

The loop is written for one process; `prepare` makes it share the batches and average gradients with
the others that were started. Images are made ready by loader processes beside the training:

    python -m norch.distributed.run --nproc_per_node 2 examples/mnist_accelerate.py --workers 2

`mnist_ddp.py` does by hand what the Accelerator does here.
"""

import argparse

import mnist

import norch
from norch import nn, optim
from norch.accelerate import Accelerator
from norch.utils.data import DataLoader
from norchvision import datasets, transforms


def collate(samples):
    """Join (image, label) pairs to rows of floats (N, 784) and labels (N,)."""
    images, labels = zip(*samples, strict=True)
    return norch.stack(images).reshape(-1, 784), norch.tensor(labels)


def network():
    """Return 784 pixels, one hidden layer, 10 digits."""
    return nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, 10))


def train(accelerator, model, loader, optimizer):
    """Show the model every image once; return the mean loss of all processes."""
    model.train()
    losses = []
    for images, labels in loader:
        loss = nn.functional.cross_entropy(model(images), labels)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(accelerator.gather_for_metrics(loss.detach()).mean().item())
    return sum(losses) / len(losses)


@norch.no_grad()
def evaluate(accelerator, model, loader):
    """Return the share of digits read correctly, and of how many."""
    model.eval()
    correct = seen = 0
    for images, labels in loader:
        # The last step may repeat samples to be even; gather_for_metrics drops them again.
        right = accelerator.gather_for_metrics(model(images).argmax(1) == labels)
        correct += right.sum().item()
        seen += len(right)
    return correct / seen, seen


def main():
    """Train, test; the main process prints."""
    parser = argparse.ArgumentParser(description="Train on MNIST with the Accelerator.")
    parser.add_argument("--data", help="folder with the MNIST files (default: find or download)")
    parser.add_argument("--epochs", type=mnist.above_zero(int), default=2)
    parser.add_argument(
        "--batch-size", type=mnist.above_zero(int), default=64, help="what one process sees at once"
    )
    parser.add_argument("--lr", type=mnist.above_zero(float), default=1e-3)
    parser.add_argument(
        "--workers", type=mnist.zero_or_more, default=2, help="loader processes of each process"
    )
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    accelerator = Accelerator()
    norch.manual_seed(args.seed)
    with accelerator.main_process_first():
        to_tensor = transforms.ToTensor()  # grey from 0 to 1
        parts = datasets.MNIST.splits(args.data, to_tensor, download=args.data is None)
    options = {"collate_fn": collate, "num_workers": args.workers}
    train_loader = DataLoader(parts[0], args.batch_size, shuffle=True, **options)
    test_loader = DataLoader(parts[1], args.batch_size, **options)
    model = network()
    optimizer = optim.Adam(model.parameters(), lr=args.lr)
    prepared = accelerator.prepare(model, optimizer, train_loader, test_loader)
    model, optimizer, train_loader, test_loader = prepared

    accelerator.print(f"{accelerator.num_processes} processes, loaders in each: {args.workers}")
    for epoch in range(1, args.epochs + 1):
        loss = train(accelerator, model, train_loader, optimizer)
        accelerator.print(f"epoch {epoch}/{args.epochs}: loss {loss:.4f}", flush=True)
    accuracy, seen = evaluate(accelerator, model, test_loader)
    accelerator.print(f"test accuracy: {accuracy * 100:.2f} % of {seen}")


if __name__ == "__main__":
    main()
