"""Every way to cut a model, and every pair of ways, with every one and two of what goes with them.

Started by test_rank_programs.py. Each combination trains two steps of SGD, the first of which an
overflow leaves out where there is a scaler. It must move the parameters as one process does. A pair
goes along two sides of a mesh, among the same ranks where it can (TOGETHER), and is refused where
it cannot (REFUSED).
"""

from functools import partial
from itertools import chain, combinations

from cases import run_all
from parallel_models import LETTERS, PLAN, TIME, Deep, Recomputing, letters_loss, text

import norch_ddp as dist
from norch_autograd import arange, bfloat16, zeros
from norch_autograd.autograd import checkpoint as recompute
from norch_ddp.groups.device_mesh import lines_along
from norch_ddp.groups.process_group import current_group
from norch_ddp.model_parallel import (
    ColwiseParallel,
    PipelineStage,
    PrepareModuleInput,
    PrepareModuleOutput,
    Replicate,
    RowwiseParallel,
    Schedule1F1B,
    SequenceParallel,
    ShardedGradScaler,
    ShardedParameter,
    ZeroRedundancyOptimizer,
    average_gradients,
    clip_grad_norm_ as clip_in_stages,
    fully_shard,
    parallelize_module,
    ring_attention,
)
from norch_ddp.model_parallel.layouts import Shard
from norch_nn import functional as F
from norch_nn.amp import GradScaler, autocast
from norch_nn.optim import SGD
from norch_nn.utils import clip_grad_norm_

DATA = ("ddp", "zero1", "zero2", "zero3")  # each rank has some of the rows of a batch
WAYS = (*DATA, "tensor", "sequence", "pipeline", "context")
EXTRAS = ("accumulate", "clip", "amp", "checkpoint", "shared")
STEPS, OVERFLOWS, CLIP, SGD_OPTIONS = 2, 0, 0.5, {"lr": 0.5, "momentum": 0.9}

TOGETHER = [{"ddp", "zero1"}, {"zero2", "zero3"}, {"tensor", "sequence"}]
TOGETHER += [{way, "context"} for way in DATA]  # one mean over rows, or over positions
"""Ways that go together among the same ranks; the second and third line go no other way."""

REFUSED = [{way, "zero2"} for way in ("ddp", "zero1", "tensor", "sequence")]
REFUSED += [{way, "zero3"} for way in ("ddp", "zero1", "tensor", "sequence")]
REFUSED += [{way, other} for way in ("ddp", "zero1") for other in ("tensor", "sequence")]
"""Ways that are refused among the same ranks, of which each has another part already."""


def all_of(names, counts):
    """Every choice of so many of the names."""
    return [frozenset(c) for c in chain(*(combinations(names, n) for n in counts))]


# ---- one process ---------------------------------------------------------------------------------


class Words(Deep):
    """`Deep` that may compute again what blocks keep, and may see some of the positions."""

    def __init__(self, extras, stages):
        super().__init__(max(2, stages))
        self.first_position, self.recomputed = 0, []
        if "checkpoint" in extras:  # some blocks as a whole, some inside
            self.recomputed = list(self.blocks)[::2]
            for name in list(self.blocks)[1::2]:
                self.blocks[name].__class__ = Recomputing
        if "shared" in extras:
            self.head.weight = self.letters.weight

    def forward(self, x):
        if self.letters is not None:
            x = self.letters(x) + self.positions(self.first_position + arange(x.shape[1]))
        for name, block in self.blocks.items():
            x = recompute(block, x) if name in self.recomputed else block(x)
        return x if self.head is None else self.head(self.norm(x))


def overflow(model):
    """Put an infinity into the gradient of one number; a rank that has not got it puts none."""
    parameter = dict(model.named_parameters()).get("blocks.0.norm1.weight")
    if parameter is None:
        return
    whole = zeros(16)
    whole[0] = float("inf")
    is_part = isinstance(parameter, ShardedParameter)
    parameter.grad.add_(parameter.shard.take_of_whole(whole) if is_part else whole)


def all_names(model):
    """The parameters by name; a shared one has two."""
    return model.named_parameters(remove_duplicate=False)


references = {}


def reference(extras, stages):
    """The model after training in this process, how far each parameter moved, and the scale."""
    key = extras, max(2, stages)
    if key not in references:
        model = Words(extras, stages)
        before = {name: p.detach().clone() for name, p in all_names(model)}
        optimizer, scaler = SGD(model.parameters(), **SGD_OPTIONS), GradScaler("cpu", 4.0)
        for step in range(STEPS):
            optimizer.zero_grad()
            for x, y in halves(step, extras):
                with precision(extras):
                    loss = letters_loss(model, x, y)
                backward(loss, scaler, extras)
            finish(model, optimizer, scaler, step, extras, partial(clip_grad_norm_))
        after = {name: p.detach() for name, p in all_names(model)}
        moved = {name: (after[name] - before[name]).norm().item() for name in after}
        references[key] = after, moved, scaler.get_scale()
    return references[key]


def halves(step, extras):
    """The batch, or both halves of it."""
    x, y = text(step)
    return [(x[i::2], y[i::2]) for i in range(2)] if "accumulate" in extras else [(x, y)]


def precision(extras):
    return autocast("cpu", dtype=bfloat16, enabled="amp" in extras)


def backward(loss, scaler, extras):
    loss = loss / 2 if "accumulate" in extras else loss
    (scaler.scale(loss) if "amp" in extras else loss).backward()


def finish(model, optimizer, scaler, step, extras, clip):
    """What comes between backward and the next step."""
    if "amp" in extras:
        if step == OVERFLOWS:
            overflow(model)
        scaler.unscale_(optimizer)
    if "clip" in extras:
        clip(model.parameters(), CLIP)
    if "amp" not in extras:
        optimizer.step()
        return
    scaler.step(optimizer)
    scaler.update()


# ---- many ----------------------------------------------------------------------------------------


class Run:
    """A model that is cut in some ways, each among the ranks of a group."""

    def __init__(self, ways, groups, extras):
        self.ways, self.groups, self.extras = ways, groups, extras
        self.stages = groups["pipeline"].size if "pipeline" in ways else 1
        self.model = self.whole = Words(extras, self.stages)
        for cut in (self.cut_stages, self.cut_context, self.cut_tensors, self.deal_out, self.wrap):
            cut()
        self.optimizer = self.make_optimizer()
        kind = ShardedGradScaler if "pipeline" in ways else GradScaler
        self.scaler = kind("cpu", 4.0)

    def cut_stages(self):
        if "pipeline" in self.ways:
            self.model.stage(self.groups["pipeline"].rank, self.stages)

    def cut_context(self):
        group = self.groups.get("context")
        if group is not None:
            self.model.first_position = group.rank * (TIME // group.size)
            for block in self.model.blocks.values():
                block.attend = partial(ring_attention, group=group)

    def cut_tensors(self):
        """Blocks in one way, or, if there are both, in turn."""
        kinds = [kind for kind in ("tensor", "sequence") if kind in self.ways]
        if not kinds:
            return
        plans = {"tensor": TENSOR, "sequence": SEQUENCE}
        names = ["letters", "positions", "norm", "head"]
        plan = {name: plans[kinds[0]].get(name) for name in names}
        for number in self.model.blocks:
            kind = kinds[int(number) % len(kinds)]
            plan |= {f"blocks.{number}.{name}": style for name, style in block_plan(kind).items()}
        there, mesh = dict(self.model.named_modules()), mesh_of(self.groups[kinds[0]])
        plan = {path: style for path, style in plan.items() if style and path in there}
        parallelize_module(self.model, mesh, plan)
        if len(kinds) == 2:  # between whole positions
            for number in list(self.model.blocks)[1::2]:
                for style in (TO_PARTS, TO_WHOLE):
                    parallelize_module(self.model, mesh, {f"blocks.{number}": style})

    def deal_out(self):
        """Units of blocks, in one way or in turn, and one of the rest."""
        kinds = [kind for kind in ("zero2", "zero3") if kind in self.ways]
        for number, part in enumerate([*self.model.blocks.values(), self.model]):
            for kind in kinds[number % len(kinds or [0]) :][:1]:
                mesh = mesh_of(self.groups[kind])
                fully_shard(part, mesh=mesh, reshard_after_forward=kind == "zero3")

    def wrap(self):
        if "ddp" in self.ways:
            group = self.groups["ddp"]
            self.model = dist.DistributedDataParallel(self.model, process_group=group)

    @property
    def averages_early(self):
        """Whether ZeRO-1 must find the means: they are measured before its step."""
        return bool({"clip", "amp"} & self.extras) or self.groups["zero1"] is self.groups.get("ddp")

    def make_optimizer(self):
        parameters = list(self.model.parameters())
        if "zero1" not in self.ways:
            return SGD(parameters, **SGD_OPTIONS)
        return ZeroRedundancyOptimizer(
            parameters,
            SGD,
            self.groups["zero1"],
            average_gradients=not self.averages_early,
            **SGD_OPTIONS,
        )

    def part(self, x):
        """This rank's rows and positions of a batch."""
        context = self.groups.get("context")
        groups = {id(self.groups[way]): self.groups[way] for way in DATA if way in self.ways}
        for group in groups.values():
            x = x if group is context else x[group.rank :: group.size]
        return x if context is None else x.chunk(context.size, 1)[context.rank]

    def train(self):
        pipe = self.make_pipe() if "pipeline" in self.ways else None
        for step in range(STEPS):
            self.optimizer.zero_grad()
            for x, y in halves(step, self.extras):
                self.one_batch(pipe, self.part(x), self.part(y))
            self.average()
            finish(self.whole, self.optimizer, self.scaler, step, self.extras, self.clip)

    def one_batch(self, pipe, x, y):
        if pipe is None:
            with precision(self.extras):
                loss = letters_loss(self.model, x, y)
            backward(loss, self.scaler, self.extras)
            return
        stage = pipe.stage
        with precision(self.extras):
            pipe.step(*([x] if stage.is_first else []), target=y if stage.is_last else None)

    def make_pipe(self):
        def loss(scores, y):
            found = F.cross_entropy(scores.reshape(-1, LETTERS), y.reshape(-1))
            found = found / 2 if "accumulate" in self.extras else found
            return self.scaler.scale(found) if "amp" in self.extras else found

        group = self.groups["pipeline"]
        stage = PipelineStage(self.model, group.rank, group.size, group=group)
        return Schedule1F1B(stage, 2, loss)

    def average(self):
        """What neither a wrapper nor an optimizer averages, or adds up."""
        parameters, groups = list(self.whole.parameters()), self.groups
        averaged = [groups[way] for way in ("ddp", "zero2", "zero3") if way in self.ways]
        if "zero1" in self.ways and not self.averages_early:
            averaged.append(groups["zero1"])
        for way in ("zero1", "context"):
            if way in self.ways and groups[way] not in averaged:
                average_gradients(parameters, groups[way])
                averaged.append(groups[way])
        if self.tied():
            average_gradients(self.tied(), self.ends(), "sum")

    def tied(self):
        """The table of letters, where it is on the first stage and on the last."""
        if self.stages == 1 or "shared" not in self.extras:
            return []
        ends = (self.whole.letters, self.whole.head)
        return [end.weight for end in ends if end is not None]

    def ends(self):
        return ends_of(self.groups["pipeline"])

    def clip(self, parameters, max_norm):
        if "pipeline" not in self.ways:
            return clip_grad_norm_(parameters, max_norm)
        cut = [way for way in ("tensor", "sequence", "zero2", "zero3") if way in self.ways]
        return clip_in_stages(
            parameters,
            max_norm,
            shards=self.groups[cut[0]] if cut else None,
            stages=self.groups["pipeline"],
            counted_elsewhere=[] if self.whole.letters is not None else self.tied(),
        )


def block_plan(kind):
    """The styles of one block's layers."""
    names = ("norm1", "qkv", "out", "norm2", "expand", "shrink")
    plan = TENSOR if kind == "tensor" else SEQUENCE
    return {name: plan[name] for name in names if name in plan}


PARTS = Shard(1)  # (B, T / N, W)
TO_PARTS = PrepareModuleInput(input_layouts=Replicate(), desired_input_layouts=PARTS)
TO_WHOLE = PrepareModuleOutput(output_layouts=PARTS, desired_output_layouts=Replicate())
TENSOR = {path.removeprefix("blocks.0."): style for path, style in PLAN.items()}
TENSOR |= {"head": ColwiseParallel(output_layouts=Replicate())}
SEQUENCE = {
    "letters": RowwiseParallel(output_layouts=PARTS),
    "positions": PrepareModuleOutput(output_layouts=Replicate(), desired_output_layouts=Shard(0)),
    "norm": SequenceParallel(),
    "head": ColwiseParallel(input_layouts=PARTS, output_layouts=Replicate()),
    "norm1": SequenceParallel(),
    "qkv": ColwiseParallel(blocks=3, input_layouts=PARTS),
    "out": RowwiseParallel(output_layouts=PARTS),
    "norm2": SequenceParallel(),
    "expand": ColwiseParallel(input_layouts=PARTS),
    "shrink": RowwiseParallel(output_layouts=PARTS),
}


meshes, end_groups = {}, {}


def mesh_of(group):
    """A mesh of one side, of a group that there is."""
    return dist.DeviceMesh("cpu", [group])


def side_groups(shape):
    """The groups along the sides of a grid, made once."""
    if shape not in meshes:
        meshes[shape] = dist.init_device_mesh("cpu", shape).get_all_groups()
    return meshes[shape]


def ends_of(group):
    """The first and the last stage of a pipeline: all ranks have made the groups before."""
    return end_groups[group.ranks]


def make_end_groups(shape, side):
    """For every pipeline along a side of a grid, the group of its first and last stage."""
    for line in lines_along(shape, side):
        if tuple(line) not in end_groups:
            end_groups[tuple(line)] = dist.new_group({line[0], line[-1]})


def grids(ways, size):
    """Where the ways go: one group for each way, by the sides of grids of all ranks."""
    names = sorted(ways, key=WAYS.index)
    if len(names) == 1 or ways in TOGETHER:
        yield (size,), dict.fromkeys(names, 0)
    if len(names) == 2 and ways not in TOGETHER[1:3]:
        half = size // 2
        for shape in [(2, half)] if half > 1 else [(1, 2), (2, 1)]:
            yield shape, {name: side for side, name in enumerate(names)}


def check(ways, extras, shape, sides):
    """Train, and compare."""
    if "pipeline" in ways:
        make_end_groups(shape, sides["pipeline"])
    groups = {way: side_groups(shape)[side] for way, side in sides.items()}
    run = Run(ways, groups, extras)
    run.train()
    expected, moved, scale = reference(extras, run.stages)
    assert "amp" not in extras or run.scaler.get_scale() == scale, run.scaler.get_scale()
    bound = 0.1 if "amp" in extras else 1e-4
    for name, parameter in all_names(run.whole):
        whole = expected[name]
        is_part = isinstance(parameter, ShardedParameter)
        part = parameter.shard.take_of_whole(whole) if is_part else whole
        far = (parameter.detach() - part).norm().item()
        assert far <= bound * moved[name] + 1e-7, f"{name}: {far} away after a way of {moved[name]}"


def failures(ways_chosen, extras_chosen, size):
    """What is not equal to one process, with its error."""
    for ways in ways_chosen:
        for extras in extras_chosen:
            for shape, sides in grids(ways, size):
                try:
                    check(ways, extras, shape, sides)
                except Exception as error:
                    yield f"{sorted(ways)} x {sorted(extras)} on {shape}: {error!r}"


def case_every_way_of_cutting(rank, size):
    found = list(failures(all_of(WAYS, [1]), all_of(EXTRAS, (0, 1, 2)), size))
    assert not found, "\n".join(found)


def case_every_pair_of_ways(rank, size):
    found = list(failures(all_of(WAYS, [2]), all_of(EXTRAS, (0, 1, 2)), size))
    assert not found, "\n".join(found)


def case_pairs_that_are_refused_among_the_same_ranks(rank, size):
    group = current_group()
    for ways in REFUSED:
        try:
            Run(ways, dict.fromkeys(ways, group), frozenset())
        except ValueError as error:
            assert f"is cut among ranks {list(range(size))}" in str(error), (ways, error)
        else:
            raise AssertionError(f"{ways} is not refused")


if __name__ == "__main__":
    run_all(globals())
