"""Oracle: four processes that share each batch train as one process does on the joined batch.

Also a script that reads Open MPI's names from the environment itself, as PyNorch's does, and hands
them on by place: `init_process_group(rank, world_size)`.
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

BY_HAND = """
import os
from norch import distributed as dist, nn, optim, tensor
from norch.nn.parallel import DistributedDataParallel
from norch.utils.data import DataLoader, Dataset

rank, size = (int(os.environ.get(f"OMPI_COMM_WORLD_{name}", -1)) for name in ("RANK", "SIZE"))
dist.init_process_group(rank, size)


class Stripes(Dataset):
    def __len__(self):
        return 30

    def __getitem__(self, i):
        return tensor([float(i % 3 == place % 3) for place in range(12)]), i % 3


mine = dist.DistributedSampler(Stripes(), num_replicas=size, rank=rank)
network = nn.Sequential(nn.Linear(12, 8), nn.Tanh(), nn.Linear(8, 3))
network = DistributedDataParallel(network)
sgd = optim.SGD(network.parameters(), lr=0.1)
print(f"rank {rank} of {size} sees {len(mine)}")
for epoch in (1, 2):
    for stripes, kinds in DataLoader(Stripes(), batch_size=4, sampler=mine):
        sgd.zero_grad()
        loss = nn.functional.cross_entropy(network(stripes), kinds)
        loss.backward()
        sgd.step()
    if rank <= 0:
        print(f"epoch {epoch}: {loss.item():.4f}")
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


@pytest.fixture
def by_hand(tmp_path):
    script = tmp_path / "by_hand.py"
    script.write_text(BY_HAND)
    return script


def test_a_script_that_reads_the_environment_itself_finds_its_rank(by_hand):
    lines = launch(3, by_hand).splitlines()
    starts = [line for line in lines if line.startswith("rank")]
    assert sorted(starts) == [f"rank {r} of 3 sees 10" for r in range(3)]
    assert [line.split(":")[0] for line in lines if "epoch" in line] == ["epoch 1", "epoch 2"]


def test_without_a_launcher_minus_one_stands_for_no_rank(by_hand):
    assert run([by_hand]).splitlines()[0] == "rank -1 of -1 sees 30"
