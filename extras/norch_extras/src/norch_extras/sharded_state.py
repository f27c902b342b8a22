"""torch.distributed.checkpoint.state_dict: state_dicts of models and optimizers that are cut.

With `full_state_dict=True` tensors are whole, as one process has them, one at a time on their way;
else they are this rank's parts, which `norch.distributed.checkpoint` saves. Optimizers' state goes
by the names of parameters. The page book/library/distributed.md names it; nothing here cuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from norch_autograd import Tensor, zeros_like
from norch_ddp import broadcast, broadcast_object_list, get_rank, is_initialized
from norch_ddp.data_parallel.data_parallel import DistributedDataParallel
from norch_ddp.groups.device_mesh import DeviceMesh
from norch_ddp.model_parallel.layouts import Shard
from norch_ddp.model_parallel.sharding import ShardedParameter, ShardMetadata, cut
from norch_nn import Module
from norch_nn.core.state_dict import IncompatibleKeys
from norch_nn.optim import Optimizer


@dataclass(frozen=True, slots=True)
class StateDictOptions:
    """How to collect or load: whole tensors, on rank 0's CPU alone, from rank 0 alone."""

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    strict: bool = True
    broadcast_from_rank0: bool = False


def get_model_state_dict(
    model: Module, *, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """Return a model's parameters and buffers by name; all ranks call it.

    >>> list(get_model_state_dict(nn.Linear(2, 1)))
    ['weight', 'bias']
    """
    options, model = options or StateDictOptions(), unwrapped(model)
    frozen = {name for name, p in named(model) if not p.requires_grad}
    skipped = frozen if options.ignore_frozen_params else set()
    found = {k: collected(v, options) for k, v in model.state_dict().items() if k not in skipped}
    return found if keeps(options) else {}


def set_model_state_dict(
    model: Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> IncompatibleKeys:
    """Load what `get_model_state_dict` returned; each rank takes its parts of whole tensors.

    >>> layer = nn.Linear(2, 1)
    >>> set_model_state_dict(layer, {"weight": norch.ones(1, 2), "bias": norch.zeros(1)})
    <All keys matched successfully>
    """
    options, model = options or StateDictOptions(), unwrapped(model)
    own = model.state_dict()
    parts = {k: part_of(v, own.get(k)) for k, v in entries(model_state_dict, options)}
    return model.load_state_dict(parts, strict=options.strict)


def get_optimizer_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    *,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:
    """Return {"state": {name: ...}, "param_groups": [...]} with parameters by their names."""
    options = options or StateDictOptions()
    names = {id(p): name for name, p in named(unwrapped(model))}
    state: dict[str, Any] = {}
    groups = []
    for optimizer in as_list(optimizers):
        order = [names[id(p)] for group in optimizer.param_groups for p in group["params"]]
        found = optimizer.state_dict()
        for number, entry in found["state"].items():
            state[order[number]] = {k: collected(v, options) for k, v in entry.items()}
        for group in found["param_groups"]:
            groups.append({**group, "params": [order[number] for number in group["params"]]})
    return {"state": state, "param_groups": groups} if keeps(options) else {}


def set_optimizer_state_dict(
    model: Module,
    optimizers: Optimizer | Iterable[Optimizer],
    optim_state_dict: dict[str, Any],
    *,
    options: StateDictOptions | None = None,
) -> None:
    """Load what `get_optimizer_state_dict` returned; each rank takes its parts of whole tensors."""
    options = options or StateDictOptions()
    names = {id(p): name for name, p in named(unwrapped(model))}
    groups = dict(entries({"": optim_state_dict.get("param_groups", [])}, options))[""]
    saved = {name: group for group in groups for name in group["params"]}
    state = dict(entries(optim_state_dict.get("state", {}), options))
    for optimizer in as_list(optimizers):
        order = [p for group in optimizer.param_groups for p in group["params"]]
        numbers = {id(p): number for number, p in enumerate(order)}
        loaded = {
            numbers[id(p)]: {k: part_of(v, p) for k, v in state[names[id(p)]].items()}
            for p in order
            if names[id(p)] in state
        }
        own = []
        for group in optimizer.param_groups:
            options_of = saved[names[id(group["params"][0])]]
            own.append({**options_of, "params": [numbers[id(p)] for p in group["params"]]})
        optimizer.load_state_dict({"state": loaded, "param_groups": own})


def init_optimizer_state(optimizer: Optimizer) -> None:
    """Let an optimizer make its state, by a step that changes no parameter.

    That step is counted, so the state is there to be loaded into, and not to train with. Where
    there is a state, or a gradient, nothing is done.
    """
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    if optimizer.state or any(p.grad is not None for p in parameters):
        return
    rates = [group["lr"] for group in optimizer.param_groups]
    for group in optimizer.param_groups:
        group["lr"] = 0.0
        for p in group["params"]:
            p.grad = zeros_like(p).detach() if p.requires_grad else None
    optimizer.step()
    optimizer.zero_grad()
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate


def distribute_tensor(
    tensor: Tensor, device_mesh: DeviceMesh, placements: Iterable[Any]
) -> ShardedParameter | Tensor:
    """Return this rank's part of the mesh's first rank's `tensor`, cut as `placements` say.

    There is one placement for each side of the mesh. Nothing is written to `tensor`.
    """
    part, shard = tensor.detach().clone(), None
    pairs = list(zip(device_mesh.get_all_groups(), placements, strict=True))
    for group, _ in pairs:  # the first rank's come to the first of each row, and so to all
        broadcast(part, group.ranks[0], group)
    for group, place in reversed(pairs):
        if isinstance(place, Shard):
            mine = cut(part.shape[place.dim], group.rank, group.size)
            shard = ShardMetadata(tuple(part.shape), place.dim, (mine,), shard)
            part = shard.take(part)
    groups = tuple(group for group, place in reversed(pairs) if isinstance(place, Shard))
    return part if shard is None else ShardedParameter(part.clone(), shard, False, groups)


def collected(value: Any, options: StateDictOptions) -> Any:
    """Return a tensor of a state_dict as the options want it; what is no tensor stays."""
    if not isinstance(value, Tensor):
        return value
    if options.full_state_dict and isinstance(value, ShardedParameter):
        value = value.full_tensor()
    return value.cpu() if options.cpu_offload and keeps(options) else value


def keeps(options: StateDictOptions) -> bool:
    """Whether this rank is to have what is collected: of whole tensors on the CPU, rank 0 alone."""
    is_first = not is_initialized() or get_rank() == 0
    return is_first or not (options.full_state_dict and options.cpu_offload)


def entries(state: dict[str, Any], options: StateDictOptions) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a state_dict, of rank 0's if the options say so, one after another."""
    if not options.broadcast_from_rank0:
        yield from state.items()
        return
    for key in from_rank_0(list(state)):
        yield key, from_rank_0(state.get(key))


def from_rank_0(value: Any) -> Any:
    """Return rank 0's value on every rank."""
    box = [value]
    broadcast_object_list(box, 0)
    return box[0]


def part_of(value: Any, own: Any) -> Any:
    """Return this rank's part of a whole tensor, where `own` is a part; else the value."""
    is_whole = isinstance(value, Tensor) and not isinstance(value, ShardedParameter)
    if not is_whole or not isinstance(own, ShardedParameter):
        return value
    if tuple(value.shape) != own.shard.whole_shape:
        return value
    return own.shard.take_of_whole(value)


def unwrapped(model: Module) -> Module:
    """Return the module in a DistributedDataParallel, so that names have no "module." before."""
    return model.module if isinstance(model, DistributedDataParallel) else model


def named(model: Module) -> Iterator[tuple[str, Any]]:
    """Yield the parameters by name; the first of two names is that of a shared one."""
    yield from model.named_parameters()


def as_list(optimizers: Optimizer | Iterable[Optimizer]) -> list[Optimizer]:
    """Return one optimizer, or several, as a list."""
    return [optimizers] if isinstance(optimizers, Optimizer) else list(optimizers)
