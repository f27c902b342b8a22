"""Uses norch as its users do, so that every place that an exercise fills is passed.

`test_mine.py` runs it on a library whose regions say so when they run.
"""

import subprocess
from tempfile import TemporaryDirectory

import norch
import norch.cpu
import norch.distributed as dist
import norch.nn.functional as F
from norch import nn
from norch.distributed import checkpoint as dcp, parallel, simulate
from norch.nn.parallel import DistributedDataParallel
from norch.utils.checkpoint import checkpoint
from norch.utils.data import DataLoader, TensorDataset
from norch.utils.data.distributed import DistributedSampler
from norch_cuda.lessons import transpose
from norch_cuda.programs.build import Program, build
from norch_cuda.runtime.sources import source_directory
from norch_ddp.data_parallel.sync_batchnorm import moments

SIM = "cuda-sim"


def shapes() -> None:
    """Views: stage 1 decides them."""
    x = norch.randn(4, 6)
    x.reshape(3, 8), x.T.unfold(0, 3, 2)[1:].reshape(1, 2, 2, 3), x.permute(1, 0), x.flip(0, 1)
    x[1, 2].item(), x[1:3], (x[:, :1] + x).contiguous()


def kernels() -> None:
    """Numbers on the processor: stage 2."""
    x = norch.randn(40, 5, 6)
    (x.permute(2, 0, 1)[::2, :, ::2] * 2).contiguous()  # no two dimensions make one
    norch.randn(8, 40) @ norch.randn(40, 40)
    (
        F.softmax(x, dim=-1),
        F.layer_norm(x, (6,)),
        norch.searchsorted(norch.arange(5), norch.arange(3)),
    )
    F.fold(F.unfold(norch.randn(1, 2, 5, 5), 3), (5, 5), 3)


def devices() -> None:
    """Numbers on the simulated GPU: stage 3."""
    x = norch.randn(20, 30).to(SIM)
    places = norch.zeros(2, 2, dtype=norch.int64).to(SIM)
    x @ x.T, x @ x[0], x.sum(), x.cumsum(0), F.softmax(x, dim=-1), x.logsumexp(1)
    norch.randn(5, 40).to(SIM).sum(0), norch.histc(x, 8, -1.0, 1.0)
    F.scaled_dot_product_attention(x, x, x)
    transpose(x.array)  # a lesson: three kernels side by side
    x.sort(), F.embedding(places, x.clone().requires_grad_()).sum().backward()
    x.gather(1, places), x.scatter_add(1, places, x[:2, :2].contiguous())
    for name, words in {"vector_add": ["5", "2"], "last_digits": ["9"], "smooth": ["9"]}.items():
        program = source_directory().parent / "programs" / f"{name}.cu"
        subprocess.run([build(Program((program,))), *words], check=True)


def training() -> None:
    """A model that learns: stages 4 and 5."""
    model = nn.Sequential(nn.Linear(8, 6), nn.Dropout(0.5), nn.ReLU(), nn.Linear(6, 3))
    scale = nn.Parameter(norch.ones(1))
    optimizer = norch.optim.SGD([*model.parameters(), scale], lr=0.1, momentum=0.9)
    pairs = TensorDataset(norch.randn(10, 8), norch.randint(0, 3, (10,)))
    for x, target in DataLoader(pairs, batch_size=4, shuffle=True):
        loss = nn.CrossEntropyLoss()(model(x), target) - F.logsigmoid(model(x) * scale).sum()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.load_state_dict(model.state_dict())
    model.eval()
    recipes()
    x = norch.randn(3, dtype=norch.float64, requires_grad=True)
    norch.autograd.gradcheck(lambda x: (x * x).exp(), x)
    language()
    graphs()


def recipes() -> None:
    """Adam by its formula, a schedule, a checkpoint, worker processes, batch norm: stage 5."""
    norm = nn.BatchNorm1d(3)
    optimizer = norch.optim.Adam(norm.parameters())
    schedule = norch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2)
    for (x,) in DataLoader(TensorDataset(norch.randn(4, 3)), batch_size=2, num_workers=1):
        norm(x).square().sum().backward()
        with norch.autograd.composite():
            optimizer.step()
        schedule.step()
    optimizer.load_state_dict(optimizer.state_dict())


def language() -> None:
    """Sequences: attention in half precision, a memory, a draw; stages 4 and 5."""
    table, norm = nn.Embedding(6, 8), nn.LayerNorm(8)
    attend, scaler = nn.MultiheadAttention(8, 2), norch.amp.GradScaler("cpu", growth_interval=1)
    optimizer = norch.optim.SGD([*table.parameters(), *attend.parameters()], lr=0.1)
    x = norm(table(norch.tensor([[0, 3, 3]])))
    y, _ = attend(x, x, x)
    scaler.scale(y.softmax(-1).square().sum()).backward(create_graph=True)
    scaler.step(optimizer)
    scaler.update()
    F.scaled_dot_product_attention(x, x, x, dropout_p=0.5, is_causal=True)
    nn.Transformer.generate_square_subsequent_mask(3)
    nn.LSTM(8, 4, proj_size=2)(x)
    nn.utils.KVCache(4).extend(x, x), nn.utils.sample_token(x[0], top_k=2)


class Square(norch.autograd.Function):
    """An operation of the user's own."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


def graphs() -> None:
    """Images and signals, functions that run twice, gradients that are asked for: stage 4."""
    image = norch.randn(2, 3, 5, 5, requires_grad=True)
    layer = nn.Conv2d(3, 4, 3)
    loss = checkpoint(lambda x: Square.apply(layer(x)).exp(), image, use_reentrant=False).sum()
    norch.autograd.grad(loss, image)
    steps = norch.ones(1, 2, 4, dtype=norch.int64)
    F.conv_transpose1d(steps, norch.ones(2, 1, 3, dtype=norch.int64))


def several() -> None:
    """As one of several processes would: stage 6."""
    dist.init_process_group()
    model = DistributedDataParallel(nn.Linear(8, 3))
    list(DistributedSampler(list(range(5))))
    model(norch.randn(4, 8)).sum().backward()
    dist.ring_all_reduce(norch.ones(10))
    moments(norch.randn(4, 2), None)  # of SyncBatchNorm, which in a process alone is BatchNorm


def large() -> None:
    """As one of several processes that share a model, and on paper: stage 6."""
    group = dist.init_device_mesh("cpu", (1,))
    column, row = parallel.ColwiseParallel(), parallel.RowwiseParallel()
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 4))
    parallel.parallelize_module(model, group, {"0": column, "2": row})
    optimizer = parallel.ZeroRedundancyOptimizer(model.parameters(), norch.optim.Adam, lr=0.1)
    schedule = parallel.Schedule1F1B(parallel.PipelineStage(model, 0, 1), 2, nn.MSELoss())
    schedule.step(norch.randn(4, 4), target=norch.randn(4, 4))
    parallel.clip_grad_norm_(model.parameters(), 1.0, group.get_group())
    optimizer.step()
    with TemporaryDirectory() as folder:
        dcp.save({"model": model}, checkpoint_id=folder)
        dcp.load({"model": model}, checkpoint_id=folder)
    x = norch.randn(1, 2, 3, 4)
    parallel.ring_attention(x, x, x)
    topology = simulate.Topology(simulate.Level("cores", 2, 1e-4, 1e9))
    layers = [simulate.Layer("one", 100, 0.01, 0.02, 400, 800)]
    plan = simulate.Plan(data=2, bucket_bytes=None)
    simulate.simulate(simulate.Compute(layers, 2), topology, plan, 2)


if __name__ == "__main__":
    norch.cpu.set_instruction_set(norch.cpu.instruction_sets()[0])
    shapes(), kernels(), devices(), training(), several(), large()
