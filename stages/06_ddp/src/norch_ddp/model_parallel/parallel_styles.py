"""Plans: which part of a model is cut in which style, as PyTorch's `parallelize_module` reads them.

A style puts a layer of `tensor_parallel.py` in the place of a whole one, or has a module do what
its layouts need: a norm between two cut layers sees some of the positions, (B, T / N, W), so its
weights' gradients are summed over the ranks. In a block with sequence parallelism:

    norm      SequenceParallel()                          Shard(1)
    qkv       ColwiseParallel(input_layouts=Shard(1))     all_gather, then this rank's heads
    out       RowwiseParallel(output_layouts=Shard(1))    this rank's heads, then reduce_scatter

Each Colwise layer behind one `PrepareModuleInput` adds its input's gradients up by itself: a single
layer with `blocks=3` and `Shard(1)`, as above, sends less.

There is no DTensor here: what a module returns is always this rank's part. `use_local_output=False`
changes nothing where the next style knows the layout, and joins the columns of `ColwiseParallel`,
whose reader would count on all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from norch_ddp.collectives.composed import broadcast_coalesced
from norch_ddp.groups.device_mesh import DeviceMesh
from norch_ddp.groups.process_group import ProcessGroup, collective_check, current_group
from norch_ddp.model_parallel.layouts import Layout, Replicate, Shard, redistribute
from norch_ddp.model_parallel.per_position import PerPosition, SequenceDropout, is_by_position
from norch_ddp.model_parallel.sharding import ShardedParameter, shard_of
from norch_ddp.model_parallel.tensor_parallel import (
    COLUMNS,
    WHOLE,
    ColumnParallelLinear,
    RowParallelLinear,
    VocabParallelEmbedding,
)
from norch_nn import Dropout, Embedding, Linear, Module


class ParallelStyle:
    """What a plan says of one part of a module."""

    def check(self, module: Module, group: ProcessGroup) -> Module:
        """Refuse what the style cannot cut; change nothing."""
        return module

    def apply(self, module: Module, group: ProcessGroup) -> Module:
        """Return what takes the place of `module`: perhaps itself, changed."""
        raise NotImplementedError


def check_layouts(style: ParallelStyle, *layouts: Any) -> None:
    """Refuse what is no layout, such as a tuple or a Partial()."""
    for layout in layouts:
        if not isinstance(layout, Replicate | Shard | None):
            raise TypeError(
                f"[{type(style).__name__}] {layout!r} is no layout: write Shard(dim) or "
                "Replicate(), of norch.distributed.tensor"
            )


class ColwiseParallel(ParallelStyle):
    """Cut a Linear by columns of its result."""

    def __init__(
        self,
        *,
        input_layouts: Layout | None = None,
        output_layouts: Layout | None = None,
        use_local_output: bool = True,
        blocks: int = 1,
    ) -> None:
        """Take a whole x and give some columns, or as the layouts say."""
        check_layouts(self, input_layouts, output_layouts)
        self.given = input_layouts or WHOLE
        self.wanted = output_layouts or (COLUMNS if use_local_output else WHOLE)
        self.blocks = blocks

    def apply(self, module: Module, group: ProcessGroup) -> Module:
        """Return a `ColumnParallelLinear`."""
        if not isinstance(module, Linear):
            raise TypeError(f"[ColwiseParallel] cuts a Linear, not a {type(module).__name__}")
        joins = self.wanted != COLUMNS
        if joins and (self.blocks > 1 or module.out_features % group.size):
            raise ValueError(
                f"[ColwiseParallel] {module.out_features} columns in {self.blocks} blocks on "
                f"{group.size} ranks cannot be joined to {self.wanted}: that takes one block, of a "
                "multiple of the ranks"
            )
        layer = ColumnParallelLinear(module, group, self.blocks)
        layer.given, layer.wanted = self.given, self.wanted
        return layer

    check = apply  # the layer is made, and dropped


class RowwiseParallel(ParallelStyle):
    """Cut a Linear by columns of what it is given, an Embedding by vocabulary."""

    def __init__(
        self,
        *,
        input_layouts: Layout | None = None,
        output_layouts: Layout | None = None,
        use_local_output: bool = True,
    ) -> None:
        """Take some columns and give a whole z, or as the layouts say."""
        check_layouts(self, input_layouts, output_layouts)
        self.given = input_layouts
        self.wanted = output_layouts or WHOLE

    def apply(self, module: Module, group: ProcessGroup) -> Module:
        """Return a `RowParallelLinear` or a `VocabParallelEmbedding`."""
        layer: RowParallelLinear | VocabParallelEmbedding
        if isinstance(module, Linear):
            layer = RowParallelLinear(module, group)
            layer.given = self.given or COLUMNS
        elif isinstance(module, Embedding) and self.given in (None, WHOLE):
            layer = VocabParallelEmbedding(module, group)
        else:
            raise TypeError(
                f"[RowwiseParallel] cuts a Linear or an Embedding, not a {type(module).__name__}; "
                f"an Embedding is given all words, Replicate(), not {self.given}"
            )
        layer.wanted = self.wanted
        return layer

    check = apply


class SequenceParallel(ParallelStyle):
    """Let a norm, a dropout, or what treats positions alike, work on this rank's positions.

    Its weights stay whole; their gradients are summed over the ranks. Of a module of one's own the
    parts are looked at, and not its code: that it treats each position by itself is the caller's
    word. So is the plan: a norm between two layers with Shard(1) that no style names computes the
    right output, and gradients of this rank's positions alone.
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False) -> None:
        """Positions lie along `sequence_dim`: (B, T / N, W)."""
        self.dim = sequence_dim

    def check(self, module: Module, group: ProcessGroup) -> Module:
        """Refuse what looks at several positions, or draws random numbers out of sight."""
        for name, part in module.named_modules():
            is_dropout = not name and type(part) is Dropout
            if not is_dropout and not is_by_position(part):
                raise TypeError(
                    f"[SequenceParallel] {name or 'the module'} is a {type(part).__name__}: only "
                    "what treats each position by itself can work on some of them: LayerNorm, "
                    "RMSNorm, Linear, activations, or a Dropout named in the plan"
                )
        return module

    def apply(self, module: Module, group: ProcessGroup) -> Module:
        """Return `module`, whose class is changed."""
        kind = type(module)
        way = SequenceDropout if kind is Dropout else PerPosition
        module.__class__ = type(f"Sequence{kind.__name__}", (way, kind), {})
        object.__setattr__(module, "_positions", (self.dim, group))
        return module


Layouts = Layout | Sequence[Layout | None] | None


class PrepareModule(ParallelStyle):
    """Bring what a module is given, or returns, from one layout to another, tensor by tensor."""

    def __init__(self, given: Layouts, wanted: Layouts) -> None:
        """Say what comes and what is wanted; None leaves a tensor as it is."""
        comes, goes = (s if isinstance(s, Sequence) else [s] for s in (given, wanted))
        if len(comes) != len(goes):
            raise ValueError(
                f"[{type(self).__name__}] {len(comes)} layouts come and {len(goes)} are wanted: "
                "each tensor needs both"
            )
        check_layouts(self, *comes, *goes)
        self.moves = list(zip(comes, goes, strict=True))

    def moved(self, tensors: tuple[Any, ...], group: ProcessGroup) -> tuple[Any, ...]:
        """Return tensors in the layouts that are wanted of them."""
        if len(tensors) != len(self.moves):
            raise ValueError(
                f"[{type(self).__name__}] the plan has layouts for {len(self.moves)} tensors, and "
                f"there are {len(tensors)}: give one for each, None for what stays"
            )
        return tuple(
            x if given is None or wanted is None else redistribute(x, given, wanted, group)
            for x, (given, wanted) in zip(tensors, self.moves, strict=True)
        )


class PrepareModuleInput(PrepareModule):
    """Bring what a module is given, by position, from one layout to another."""

    def __init__(
        self,
        *,
        input_layouts: Layouts,
        desired_input_layouts: Layouts,
        use_local_output: bool = False,
    ) -> None:
        """Say what comes and what is wanted, input by input."""
        super().__init__(input_layouts, desired_input_layouts)

    def apply(self, module: Module, group: ProcessGroup) -> Module:
        """Return `module`, with a hook before its forward."""
        module.register_forward_pre_hook(lambda _, args: self.moved(args, group))
        return module


class PrepareModuleOutput(PrepareModule):
    """Bring what a module returns from one layout to another."""

    def __init__(
        self,
        *,
        output_layouts: Layouts,
        desired_output_layouts: Layouts,
        use_local_output: bool = True,
    ) -> None:
        """Say what comes and what is wanted, output by output."""
        super().__init__(output_layouts, desired_output_layouts)

    def apply(self, module: Module, group: ProcessGroup) -> Module:
        """Return `module`, with a hook behind its forward."""
        module.register_forward_hook(
            lambda _, args, output: (
                self.moved(output, group)
                if isinstance(output, tuple)
                else self.moved((output,), group)[0]
            )
        )
        return module


Plan = dict[str, ParallelStyle]
"""Which part of a module, by its path, is cut in which style."""


def parallelize_module(
    module: Module, device_mesh: DeviceMesh | None = None, parallelize_plan: Plan | None = None
) -> Module:
    """Put the parallel layer that the plan names in the place of each part; return `module`.

    All ranks start from the values of the group's first, also where nothing is cut. Parts that
    share a weight share it afterwards. Without a mesh the group is that of all ranks.

    >>> dist.init_process_group()
    >>> mlp = nn.Sequential(nn.Linear(2, 8), nn.GELU(), nn.Linear(8, 2))
    >>> mesh = dist.init_device_mesh("cpu", (1,))
    >>> plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    >>> parallelize_module(mlp, mesh, plan)[0].weight.shape
    norch.Size([8, 2])
    """
    group = current_group(None if device_mesh is None else device_mesh.get_group())
    with collective_check("parallelize_module", group) as call:
        if not isinstance(parallelize_plan, dict):
            raise TypeError(
                "[parallelize_module] parallelize_plan must be a dict of paths in the module and "
                f'styles, {{"0": ColwiseParallel()}}, not {parallelize_plan!r}'
            )
        shards = {}
        for path, style in parallelize_plan.items():  # refuses before anything has changed
            part = style.check(module.get_submodule(path), group)
            shards[path] = shard_of(getattr(part, "weight", None))
        check_shared(module, parallelize_plan, shards)
        whole = [
            tensor
            for tensor in module.state_dict(keep_vars=True).values()
            if not isinstance(tensor, ShardedParameter)
        ]
        styles = {path: type(style).__name__ for path, style in parallelize_plan.items()}
        call.detail = f" by {styles} of {[tuple(tensor.shape) for tensor in whole]}"
    distinct = {id(tensor): tensor for tensor in whole}.values()
    broadcast_coalesced(distinct, group.ranks[0], group)
    for path, part in parallel_parts(module, parallelize_plan, group).items():
        module.set_submodule(path, part)
    return module


def parallel_parts(module: Module, plan: Plan, group: ProcessGroup) -> dict[str, Module]:
    """Return what takes the place of each part that the plan names."""
    weights: dict[int, Any] = {}
    parts = {}
    for path, style in plan.items():
        whole: Any = module.get_submodule(path)
        part: Any = style.apply(whole, group)
        if part is not whole:
            part.weight = weights.setdefault(id(whole.weight), part.weight)
        parts[path] = part
    return parts


def check_shared(module: Module, plan: Plan, shards: dict[str, Any]) -> None:
    """Refuse a weight that is cut in one part, and stays whole or is cut otherwise in another."""
    owners = {path: getattr(part, "weight", None) for path, part in module.named_modules()}
    cuts = (ColwiseParallel, RowwiseParallel)
    cut = {id(owners[path]): path for path, style in plan.items() if isinstance(style, cuts)}
    for path, weight in owners.items():
        if weight is not None and id(weight) in cut and not isinstance(plan.get(path), cuts):
            raise ValueError(
                f"[parallelize_module] {path} shares the weight of {cut[id(weight)]}, which the "
                "plan cuts: cut both"
            )
    first: dict[int, str] = {}
    for path in (path for path, style in plan.items() if isinstance(style, cuts)):
        other = first.setdefault(id(owners[path]), path)
        if shards[path] != shards[other]:
            raise ValueError(
                f"[parallelize_module] {path} shares the weight of {other}, and the plan cuts it "
                "in two ways: give both one style, with the same blocks"
            )
