"""Small models that the cases of model_parallel.py train, batches, and the same in one process."""

import norch_ddp as dist
from norch_autograd import Tensor, arange, manual_seed, randint, randn, tensor
from norch_autograd.autograd import checkpoint as recompute
from norch_ddp.model_parallel import (
    ColwiseParallel,
    RowwiseParallel,
    ShardedParameter,
    average_gradients,
)
from norch_nn import (
    Embedding,
    LayerNorm,
    Linear,
    Module,
    ModuleDict,
    ModuleList,
    Parameter,
    Sequential,
    Tanh,
    functional as F,
)
from norch_nn.optim import Adam
from norch_nn.utils import clip_grad_norm_

STEPS, BATCH = 10, 16
HEADS, WIDTH, TIME, LETTERS = 8, 16, 16, 24


class Block(Module):
    """A transformer's block; `attend` may be `ring_attention`."""

    def __init__(self, attend=F.scaled_dot_product_attention):
        super().__init__()
        self.norm1, self.norm2 = LayerNorm(WIDTH), LayerNorm(WIDTH)
        self.qkv, self.out = Linear(WIDTH, 3 * WIDTH), Linear(WIDTH, WIDTH)
        self.expand, self.shrink = Linear(WIDTH, 4 * WIDTH), Linear(4 * WIDTH, WIDTH)
        self.attend = attend

    def forward(self, x):
        qkv = self.qkv(self.norm1(x))
        batch, time, _ = qkv.shape  # with sequence parallelism x has some of the positions
        qkv = qkv.view(batch, time, 3, -1, WIDTH // HEADS)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        y = self.attend(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, time, -1))
        return x + self.shrink(F.gelu(self.expand(self.norm2(x))))


class Recomputing(Block):
    """A block that keeps its input alone, and computes the rest again."""

    def forward(self, x):
        return recompute(super().forward, x)


class Language(Module):
    """Letters in, scores of letters out; the head is tied to the table of letters."""

    def __init__(self, blocks=2):
        super().__init__()
        manual_seed(0)
        self.letters, self.positions = Embedding(LETTERS, WIDTH), Embedding(TIME, WIDTH)
        self.blocks = ModuleList([Block() for _ in range(blocks)])
        self.norm, self.head = LayerNorm(WIDTH), Linear(WIDTH, LETTERS, bias=False)
        self.head.weight = self.letters.weight

    def forward(self, letters, past=0):
        x = self.letters(letters) + self.positions(arange(past, past + letters.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Deep(Language):
    """`Language` with a head of its own, which can be cut in stages; names stay."""

    def __init__(self, blocks=2):
        super().__init__(blocks)
        self.head.weight = Parameter(self.head.weight.detach().clone())
        self.blocks = ModuleDict({str(i): block for i, block in enumerate(self.blocks)})

    def stage(self, i, stages):
        """Drop what other stages have; return what is left."""
        each = len(self.blocks) // stages
        mine = [str(number) for number in range(i * each, (i + 1) * each)]
        self.blocks = ModuleDict({name: self.blocks[name] for name in mine})
        if i > 0:
            self.letters = self.positions = None
        if i < stages - 1:
            self.norm = self.head = None
        return self

    def forward(self, x):
        if self.letters is not None:
            x = self.letters(x) + self.positions(arange(TIME))
        for block in self.blocks.values():
            x = block(x)
        return x if self.head is None else self.head(self.norm(x))


def mlp():
    """Three layers of one shape: 16 rows each."""
    manual_seed(0)
    return Sequential(Linear(16, 16), Tanh(), Linear(16, 16), Tanh(), Linear(16, 16))


def mlp8():
    """Eight layers, to be cut in 2, 4 or 8 stages."""
    manual_seed(0)
    return Sequential(*(Sequential(Linear(16, 16), Tanh()) for _ in range(8)))


def batch(step):
    manual_seed(100 + step)
    return randn(BATCH, 16), randn(BATCH, 16)


def text(step):
    manual_seed(100 + step)
    letters = randint(0, LETTERS, (BATCH, TIME + 1))
    return letters[:, :-1], letters[:, 1:]


def mse(model, x, y):
    return F.mse_loss(model(x), y)


def letters_loss(model, x, y):
    return F.cross_entropy(model(x).reshape(-1, LETTERS), y.reshape(-1))


def adam(parameters):
    """A large eps: the bias of keys has no gradient but rounding, which Adam would blow up."""
    return Adam(parameters, lr=0.01, eps=1e-4)


def train(model, loss_at, optimizer=None, clip=None, average=False, steps=range(STEPS)):
    """Train by the losses of each step, whose gradients may be averaged; return the losses."""
    optimizer, losses = optimizer or adam(model.parameters()), []
    for step in steps:
        loss = loss_at(step)
        optimizer.zero_grad()
        loss.backward()
        if average:
            average_gradients(model.parameters())
        if clip:
            clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        losses.append(loss.item())
    return losses


def mean_of_ranks(losses, group=None):
    losses = tensor(losses)
    dist.all_reduce(losses, "mean", group)
    return losses.tolist()


def alone(model, data, loss_of, clip=None):
    """Train in this process; return the losses."""
    return train(model, lambda step: loss_of(model, *data(step)), clip=clip)


def data_parallel(model, optimizer, data, loss_of, group=None, **options):
    """Train on this rank's rows; return the means of the losses."""
    rank, size = dist.get_rank(group), dist.get_world_size(group)

    def loss_at(step):
        return loss_of(model, *(part[rank::size] for part in data(step)))

    return mean_of_ranks(train(model, loss_at, optimizer, **options), group)


def close(losses, expected):
    worst = max(abs(a - b) for a, b in zip(losses, expected, strict=True))
    assert worst < 1e-5, (worst, losses, expected)


def same_parameters(model, reference):
    """Every parameter, or this rank's part of it, as in the reference."""
    expected = dict(reference.named_parameters())
    for name, parameter in model.named_parameters():
        whole = expected[name].detach()
        part = whole
        if isinstance(parameter, ShardedParameter):
            part = parameter.shard.take_of_whole(whole)
        worst = (parameter.detach() - part).abs().max().item() if part.numel() else 0.0
        assert worst < 1e-5, f"{name} differs by {worst}"


def bytes_of(tensors):
    return sum(t.nbytes for t in tensors)


def kept(optimizer):
    """Bytes of an optimizer's state on this rank."""
    entries = [value for state in optimizer.state.values() for value in state.values()]
    return bytes_of(value for value in entries if isinstance(value, Tensor))


PLAN = {"letters": RowwiseParallel(), "head": ColwiseParallel()} | {
    f"blocks.{i}.{name}": style
    for i in range(2)
    for name, style in {
        "qkv": ColwiseParallel(blocks=3),
        "out": RowwiseParallel(),
        "expand": ColwiseParallel(),
        "shrink": RowwiseParallel(),
    }.items()
}
