"""Oracle: four processes that share each batch train as one process does on the joined batch.

Also the shape of PyNorch's multi-process script: the names it reads from the environment, the
positional `init_process_group(rank, world_size)`, its sampler and its loader.
"""

import os
import subprocess
import sys

import pytest

import norch

TRAIN = """
import sys
import norch
import norch.distributed as dist
import norch.nn as nn
import norch.optim as optim
from norch.nn.parallel import DistributedDataParallel
from norch.utils.data import DataLoader, TensorDataset
from norch.utils.data.distributed import DistributedSampler

out, optimizer_name, joined = sys.argv[1], sys.argv[2], 24
dist.init_process_group()
norch.manual_seed(0)
images = norch.randn(96, 20)
labels = norch.randint(0, 4, (96,))
layers = [nn.Linear(20, 16), nn.Sigmoid(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4)]
model = nn.Sequential(*layers)
model = DistributedDataParallel(model, bucket_cap_mb=0.001)
options = {"SGD": {"lr": 0.1, "momentum": 0.9}, "Adam": {"lr": 0.01}}[optimizer_name]
optimizer = getattr(optim, optimizer_name)(model.parameters(), **options)
sampler = DistributedSampler(TensorDataset(images, labels), shuffle=True, seed=5)
loader = DataLoader(
    TensorDataset(images, labels), batch_size=joined // dist.get_world_size(), sampler=sampler
)
for epoch in range(2):
    sampler.set_epoch(epoch)
    for inputs, targets in loader:
        optimizer.zero_grad()
        nn.CrossEntropyLoss()(model(inputs), targets).backward()
        optimizer.step()
norch.save(model.module.state_dict(), f"{out}/rank{dist.get_rank()}.safetensors")
"""

PYNORCH = """
import os
import norch
import norch.distributed as dist
import norch.distributed
import norch.nn as nn
import norch.optim as optim
from norch.nn.parallel import DistributedDataParallel
from norch.utils.data.distributed import DistributedSampler
from norch.norchvision import transforms as T
import random
random.seed(1)

local_rank = int(os.getenv('OMPI_COMM_WORLD_LOCAL_RANK', -1))
rank = int(os.getenv('OMPI_COMM_WORLD_RANK', -1))
world_size = int(os.getenv('OMPI_COMM_WORLD_SIZE', -1))

dist.init_process_group(
    rank,
    world_size
)

BATCH_SIZE = 4
device = "cpu"
epochs = 2


class Stripes(norch.utils.data.Dataset):
    def __len__(self):
        return 30

    def __getitem__(self, i):
        return norch.tensor([float(i % 3 == j % 3) for j in range(12)]), i % 3


train_data = Stripes()
distributed_sampler = DistributedSampler(dataset=train_data, num_replicas=world_size, rank=rank)
train_loader = norch.utils.data.DataLoader(
    train_data, batch_size=BATCH_SIZE, sampler=distributed_sampler
)

class MyModel(nn.Module):
    def __init__(self):
        super(MyModel, self).__init__()
        self.fc1 = nn.Linear(12, 8)
        self.sigmoid1 = nn.Sigmoid()
        self.fc2 = nn.Linear(8, 3)
        self.sigmoid2 = nn.Sigmoid()

    def forward(self, x):
        out = self.fc1(x)
        out = self.sigmoid1(out)
        out = self.fc2(out)
        out = self.sigmoid2(out)

        return out

model = MyModel().to(device)
model = DistributedDataParallel(model)
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(model.parameters(), lr=0.01)
loss_list = []

print(f"Starting training on Rank {rank}/{world_size}")

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

    if rank <= 0:
        print(f'Epoch [{epoch + 1}/{epochs}], Loss: {loss.item():.4f}')
        loss_list.append(loss.item())
"""


def environment():
    """The environment without the names an outer launcher may have set."""
    return {
        k: v for k, v in os.environ.items() if "MPI" not in k and k not in ("RANK", "WORLD_SIZE")
    }


def run(command):
    """Run a command; it must succeed quietly."""
    ended = subprocess.run(
        [sys.executable, *map(str, command)],
        capture_output=True,
        text=True,
        timeout=600,  # ends only a hang
        env=environment(),
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout + ended.stderr
    return ended.stdout


def launch(ranks, *command):
    """Run a script under the launcher of the assembled package."""
    return run(["-m", "norch.distributed.run", "--nproc_per_node", ranks, *command])


def parameters(path):
    """All numbers of a checkpoint, by name."""
    return {name: t.reshape(-1).tolist() for name, t in norch.load(path).items()}


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_four_processes_equal_one_on_the_joined_batch(tmp_path, optimizer):
    script = tmp_path / "train.py"
    script.write_text(TRAIN)
    (tmp_path / "one").mkdir()
    (tmp_path / "four").mkdir()
    run([script, tmp_path / "one", optimizer])
    launch(4, script, tmp_path / "four", optimizer)
    one = parameters(tmp_path / "one" / "rank0.safetensors")
    ranks = [parameters(tmp_path / "four" / f"rank{rank}.safetensors") for rank in range(4)]
    assert all(rank == ranks[0] for rank in ranks), "the ranks have drifted apart"
    for name, expected in one.items():
        assert ranks[0][name] == pytest.approx(expected, abs=1e-6, rel=0), name


def test_the_script_of_pynorch_finds_its_rank(tmp_path):
    script = tmp_path / "train_multi.py"
    script.write_text(PYNORCH)
    lines = launch(3, script).splitlines()
    starts = [line for line in lines if line.startswith("Starting")]
    assert sorted(starts) == [f"Starting training on Rank {r}/3" for r in range(3)]
    assert [line[:11] for line in lines if line.startswith("Epoch")] == [
        "Epoch [1/2]",
        "Epoch [2/2]",
    ]


def test_the_script_of_pynorch_runs_alone(tmp_path):
    script = tmp_path / "train_multi.py"
    script.write_text(PYNORCH)
    assert run([script]).splitlines()[0] == "Starting training on Rank -1/-1"
