"""Train on handwritten digits in several processes: `make mnist PROCESSES=4`.

Every process holds the whole model, learns from its share of the images, and averages gradients
with the others. Models, options, checkpoint and figures are those of mnist.py beside this file:
a run of one may be resumed by several. By hand:

    python -m norch.distributed.run --nproc_per_node 4 examples/mnist_ddp.py --epochs 8
"""

import os
import sys
import time
from contextlib import contextmanager

import mnist

import norch
import norch.distributed as dist
from norch import nn, optim
from norch.nn.parallel import DistributedDataParallel
from norch.utils.data import DataLoader, TensorDataset
from norch.utils.data.distributed import DistributedSampler
from norchvision import datasets


@contextmanager
def rank_0_first():
    """Let rank 0 do it before the others: a download is there then, and a mistake is told once."""
    if dist.get_rank() != 0:
        dist.barrier()
    yield
    if dist.get_rank() == 0:
        dist.barrier()


def summed(*numbers):
    """Return the sums of these numbers over all ranks, on every rank."""
    totals = norch.tensor([float(number) for number in numbers], dtype=norch.float64)
    dist.ring_all_reduce(totals)
    return totals.tolist()


def train(model, loader, criterion, optimizer, device):
    """Learn from this rank's share; return all ranks' mean loss, accuracy and images a second."""
    model.train()
    total_loss = correct = seen = 0
    start = time.perf_counter()
    for images, labels in loader:
        images, labels = mnist.normalized(images.to(device)), labels.to(device)
        outputs = model(images)
        loss = criterion(outputs, labels)
        optimizer.zero_grad()
        loss.backward()  # on its way, DDP averages the gradients of all ranks
        optimizer.step()

        seen += len(labels)
        total_loss += loss.item() * len(labels)
        correct += (outputs.argmax(1) == labels).sum().item()
    total_loss, correct, seen = summed(total_loss, correct, seen)
    return total_loss / seen, correct / seen, seen / (time.perf_counter() - start)


def evaluate(model, dataset, device):
    """Return the share of test images read correctly; each rank reads every N-th."""
    model.eval()
    mine = range(dist.get_rank(), len(dataset), dist.get_world_size())
    correct = 0
    with norch.no_grad():
        for images, labels in DataLoader(dataset, batch_size=1000, sampler=mine):
            outputs = model(mnist.normalized(images.to(device)))
            correct += (outputs.argmax(1) == labels.to(device)).sum().item()
    return summed(correct)[0] / len(dataset)


def fit(model, loader, optimizer, history, epochs, args, checkpoint):
    """Train the epochs that `history` lacks; rank 0 saves after each."""
    if len(history) >= epochs:
        print(f"all {len(history)} epochs are done: nothing left to train")
    criterion = nn.CrossEntropyLoss()
    scheduler = optim.lr_scheduler.LambdaLR(
        optimizer, lambda epoch: max(0.0, 1 - epoch / epochs), last_epoch=len(history) - 1
    )
    start = time.perf_counter()
    for epoch in range(len(history), epochs):
        loader.sampler.set_epoch(args.seed + epoch)  # a new order, the same on every rank
        norch.manual_seed(args.seed + epoch + 1000 * dist.get_rank())  # dropout differs
        loss, accuracy, speed = train(model, loader, criterion, optimizer, args.device)
        scheduler.step()
        title = f"epoch {epoch + 1}/{epochs}"
        print(f"{title}: loss {loss:.4f}, accuracy {accuracy:.2%}, {speed:,.0f} images/s")
        history.append({"loss": loss, "accuracy": accuracy})
        if dist.get_rank() == 0:
            mnist.save(checkpoint, model.module, optimizer, history)
    print(f"training took {time.perf_counter() - start:.1f} s")


def read_options():
    """Read the command line; one batch is shared out among the processes."""
    parser, args = mnist.parse_arguments()
    ranks = dist.get_world_size()
    if args.batch_size < ranks:
        parser.error(f"--batch-size {args.batch_size} cannot be shared by {ranks} processes")
    if args.device == "cuda":
        args.device = f"cuda:{os.environ.get('LOCAL_RANK', 0)}"
    if args.threads:
        norch.set_num_threads(args.threads)
    return parser, args


def set_up(args, parser):
    """Return the data, and model and optimizer as they begin or go on."""
    norch.manual_seed(args.seed)
    try:
        model = mnist.MODELS[args.model]().to(args.device)
        data = datasets.MNIST.splits(args.data, download=args.data is None)
        if dist.get_rank() == 0:
            mnist.claim(args.out)
    except (RuntimeError, OSError) as error:
        parser.error(str(error))
    optimizer = optim.Adam(model.parameters(), lr=args.lr)
    checkpoint = args.out / "checkpoint.safetensors"
    history = mnist.resume(checkpoint, model, optimizer, parser) if args.resume else []
    return data, model, optimizer, checkpoint, history


def main():
    """Train together and test; rank 0 alone speaks, saves and draws."""
    dist.init_process_group()
    rank, ranks = dist.get_rank(), dist.get_world_size()
    if rank != 0:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - until the process ends
    with rank_0_first():
        parser, args = read_options()
        (train_data, test_data), model, optimizer, checkpoint, history = set_up(args, parser)
    print(f"{ranks} processes, threads in each: {norch.get_num_threads()}")
    print(f"{len(train_data)} training digits, {len(test_data)} test digits: {train_data.source}")

    train_set = TensorDataset(train_data.data, train_data.targets)
    test_set = TensorDataset(test_data.data, test_data.targets)
    share = args.batch_size // ranks  # together they see as many as one process would
    loader = DataLoader(train_set, share, sampler=DistributedSampler(train_set))
    epochs = args.epochs or (8 if len(train_set) > 10_000 else 60)
    model = DistributedDataParallel(model)
    fit(model, loader, optimizer, history, epochs, args, checkpoint)

    accuracy = evaluate(model, test_set, args.device)
    if rank == 0:
        mnist.draw(model.module, history, test_data, args)
    print(f"test accuracy: {accuracy * 100:.2f} %")


if __name__ == "__main__":
    main()
