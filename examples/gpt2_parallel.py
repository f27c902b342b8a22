"""How `gpt2.py --parallel NAME` shares the work among processes; each way trains the same model.

    python -m norch.distributed.run --nproc_per_node 4 examples/gpt2.py --parallel zero3

All ranks draw the same batch, and each takes its part of it: rows, positions or layers. What each
way keeps in memory and sends stands at the top of its file in `norch_ddp/model_parallel`.
"""

import functools
import sys

from gpt2 import Alone, cross_entropy

import norch
from norch import distributed as dist, nn, optim
from norch.distributed import parallel

MICRO_BATCHES = 4


class Rows(Alone):
    """Each rank has some rows of the batch: ddp, and ZeRO 1 to 3."""

    def __init__(self, model, name):
        """Wrap the model, or deal out its parameters."""
        super().__init__(model, name)
        self.clip_among = {}
        if name in ("ddp", "zero1"):
            self.averaging = nn.parallel.DistributedDataParallel(model)
        else:
            for part in [*model.blocks, model]:
                parallel.fully_shard(part, reshard_after_forward=name == "zero3")
            self.averaging = model
            self.clip_among = {"shards": dist.new_group()}
        if name == "zero1":
            sharded = parallel.ZeroRedundancyOptimizer
            self.make_optimizer = functools.partial(sharded, optimizer_class=optim.AdamW)

    def backward(self, seen, wanted):
        """Learn from every N-th row; the loss is the mean over the ranks."""
        mine = slice(dist.get_rank(), None, dist.get_world_size())
        loss = cross_entropy(self.averaging(seen[mine]), wanted[mine])
        loss.backward()
        return mean_of_ranks(loss.item())

    def clip(self, most):
        """Where gradients are dealt out, the norm is that of all parts."""
        parallel.clip_grad_norm_(self.model.parameters(), most, **self.clip_among)


class Positions(Alone):
    """Each rank has some positions of every row, and attention goes round a ring: context."""

    def __init__(self, model, name):
        """Put ring attention in the place of attention."""
        super().__init__(model, name)
        for block in model.blocks:
            block.attention.attend = self.attend

    @staticmethod
    def attend(q, k, v, dropout_p=0.0, is_causal=True):
        """Look at the positions of all ranks."""
        return parallel.ring_attention(q, k, v, is_causal=True)

    def backward(self, seen, wanted):
        """Learn from one run of positions."""
        length = seen.shape[1] // dist.get_world_size()
        start = dist.get_rank() * length
        mine = slice(start, start + length)
        loss = cross_entropy(self.model(seen[:, mine], past=start), wanted[:, mine])
        loss.backward()
        parallel.average_gradients(self.model.parameters())
        return mean_of_ranks(loss.item())


class Stage(nn.Module):
    """The layers of one stage of a pipeline, under the names that they have in the whole model."""

    def __init__(self, model, index, stages):
        """Take the blocks of this stage, and what stands at either end."""
        super().__init__()
        each = len(model.blocks) // stages
        mine = range(index * each, (index + 1) * each)
        self.blocks = nn.ModuleDict({str(i): model.blocks[i] for i in mine})
        self.is_first, self.is_last = index == 0, index == stages - 1
        if self.is_first:
            self.characters, self.positions = model.characters, model.positions
            self.drop = model.drop
        if self.is_last:
            self.norm, self.head = model.norm, model.head

    def forward(self, x):
        """Map numbers, or the vectors of the stage before, to vectors or to scores."""
        if self.is_first:
            x = self.drop(self.characters(x) + self.positions(norch.arange(x.shape[1])))
        for block in self.blocks.values():
            x = block(x)
        return self.head(self.norm(x)) if self.is_last else x


class Grid(Alone):
    """Data x pipeline x tensor on a mesh: tensor, pipeline, and 3d, which is all of them."""

    def __init__(self, model, name):
        """Cut the layers among stages, and their matrices among the ranks of a stage."""
        shape = grid(name, dist.get_world_size())
        mesh = dist.init_device_mesh("cpu", shape, mesh_dim_names=("dp", "pp", "tp"))
        self.copies, self.pipe, self.cut = (mesh.get_group(side) for side in ("dp", "pp", "tp"))
        super().__init__(Stage(model, self.pipe.rank, self.pipe.size), name)
        here = dict(self.model.named_modules())
        plan = {path: style for path, style in cuts(len(model.blocks)).items() if path in here}
        parallel.parallelize_module(self.model, mesh["tp"], plan)
        self.vocabulary = model.characters.num_embeddings
        stage = parallel.PipelineStage(self.model, self.pipe.rank, self.pipe.size, group=self.pipe)
        self.schedule = parallel.Schedule1F1B(stage, MICRO_BATCHES, self.loss)

    def loss(self, scores, wanted):
        """Cross-entropy of scores of which this rank has some columns."""
        scores, wanted = scores.reshape(-1, scores.shape[-1]), wanted.reshape(-1)
        return parallel.vocab_parallel_cross_entropy(scores, wanted, self.vocabulary, self.cut)

    def backward(self, seen, wanted):
        """Send micro-batches of this copy's rows through the stages."""
        mine = slice(self.copies.rank, None, self.copies.size)
        losses = []
        self.schedule.step(
            *([seen[mine]] if self.model.is_first else []),
            target=wanted[mine] if self.model.is_last else None,
            losses=losses,
        )
        self.add_tied()
        parallel.average_gradients(self.model.parameters(), self.copies)
        loss = sum(loss.item() for loss in losses) / MICRO_BATCHES  # 0 but on the last stage
        return mean_of_ranks(loss) * self.pipe.size

    def add_tied(self):
        """The first and the last stage have the same weight: add up what each found for it."""
        if self.pipe.size == 1 or not (self.model.is_first or self.model.is_last):
            return
        first, last = self.pipe.ranks[0], self.pipe.ranks[-1]
        mine, other = (
            (self.model.characters, last) if self.model.is_first else (self.model.head, first)
        )
        theirs = norch.empty_like(mine.weight.grad)
        sent = dist.isend(mine.weight.grad, other, self.pipe)
        dist.recv(theirs, other, self.pipe)
        sent.wait()
        mine.weight.grad += theirs

    def clip(self, most):
        """Add up the norms of stages and parts; the tied weight counts on the first stage."""
        tied = [self.model.head.weight] if self.model.is_last and self.pipe.size > 1 else []
        parallel.clip_grad_norm_(self.model.parameters(), most, self.cut, self.pipe, tied)


def grid(name, ranks):
    """How many copies of the model there are, stages of a copy, and ranks of a stage."""
    shapes = {"tensor": (1, 1, ranks), "pipeline": (1, ranks, 1), "3d": (ranks // 4, 2, 2)}
    return shapes[name]


def cuts(layers):
    """How tensor parallelism cuts GPT: columns, then rows, in attention and perceptron."""
    plan = {"characters": parallel.RowwiseParallel(), "head": parallel.ColwiseParallel()}
    for block in (f"blocks.{i}" for i in range(layers)):
        plan[f"{block}.attention.qkv"] = parallel.ColwiseParallel(blocks=3)
        plan[f"{block}.attention.out"] = parallel.RowwiseParallel()
        plan[f"{block}.expand"] = parallel.ColwiseParallel()
        plan[f"{block}.shrink"] = parallel.RowwiseParallel()
    return plan


def mean_of_ranks(number):
    """Return the mean over all ranks."""
    number = norch.tensor(number)
    dist.all_reduce(number, dist.ReduceOp.MEAN)
    return number.item()


WAYS = {
    **dict.fromkeys(("ddp", "zero1", "zero2", "zero3"), Rows),
    "context": Positions,
    **dict.fromkeys(("tensor", "pipeline", "3d"), Grid),
}


def start(args):
    """Join the other processes; return how to share the work, and whether this one prints."""
    if not dist.is_initialized():
        dist.init_process_group()
    check(args)
    return WAYS[args.parallel], dist.get_rank() == 0


def check(args):
    """End the program where the model or the batch cannot be shared out so."""
    ranks, way = dist.get_world_size(), WAYS[args.parallel]
    if args.parallel == "3d" and ranks % 4:
        sys.exit(f"gpt2.py: 3d needs 4 processes or a multiple of them, not {ranks}")
    needs = {"--batch-size": (args.batch_size, ranks)} if way is Rows else {}
    if way is Positions:
        needs = {"--context": (args.context, ranks)}
    if way is Grid:
        copies, stages, cut = grid(args.parallel, ranks)
        needs = {
            "--layers": (args.layers, stages),
            "--heads": (args.heads, cut),
            "--batch-size": (args.batch_size, MICRO_BATCHES * copies),
        }
    for option, (given, parts) in needs.items():
        if given % parts:
            sys.exit(f"gpt2.py: {option} {given} must be a multiple of {parts}")
    if args.parallel == "context" and args.dropout:
        sys.exit("gpt2.py: ring attention has no dropout: give --dropout 0")
    if args.checkpoint or args.device != "cpu":
        sys.exit("gpt2.py: --checkpoint and --device go with one process")
