"""Optimizer: parameters in groups, what is remembered about each, and how both are saved.

SGD, Adam and AdamW derive from it and write one method, `update`: the step of one group. The base
finds the parameters that have a gradient, so a step before any backward changes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from norch_autograd import Tensor, enable_grad
from norch_nn.core.parameter import ParameterPart, forget_gradient
from norch_nn.optim.hooks import Hooked

Group = dict[str, Any]
FLAGS = {"nesterov", "amsgrad", "maximize", "centered", "decoupled_weight_decay"}


class Optimizer(Hooked):
    """Base of optimizers: give it parameters, or groups of them with options of their own.

    `maximize` walks uphill. `foreach` and `fused` choose between PyTorch's implementations and
    change nothing here, nor does `capturable` but in Adam; `differentiable` steps do not exist.

    >>> w = nn.Parameter(norch.ones(2))
    >>> optimizer = nn.optim.SGD([w], lr=0.5)
    >>> w.sum().backward(); optimizer.step(); w.tolist()
    [0.5, 0.5]
    """

    not_negative: tuple[str, ...] = ()  # options that must be 0 or more, as lr is
    elementwise = True  # the step of a number needs no other numbers of the parameter

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        """Sort `params` into groups; `defaults` are the options a group does not set."""
        if isinstance(params, Tensor):
            raise TypeError("[Optimizer] params must be an iterable of Tensors: write [tensor]")
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        given = list(params)
        if not given:
            raise ValueError("[Optimizer] the parameter list is empty: there is nothing to learn")
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: Group) -> None:
        """Add one group {"params": tensors, option: value, ...}."""
        if not isinstance(param_group, dict):
            given = type(param_group).__name__
            raise TypeError(f"[Optimizer] a group is a dict with the key 'params', not a {given}")
        if "params" not in param_group:
            raise KeyError("[Optimizer] a group needs the key 'params'")
        names, params = as_list(param_group["params"])
        if self.param_groups and ("param_names" in self.param_groups[0]) != (names is not None):
            raise ValueError("[Optimizer] name the parameters of every group, or of none")
        for p in params:
            _check_parameter(p)
            if not self.elementwise and isinstance(p, ParameterPart):
                raise ValueError(
                    f"[{type(self).__name__}] its step looks at whole parameters, and other "
                    f"processes have the rest of this one, of shape {tuple(p.shape)} here: use "
                    "Adam, AdamW or SGD, which look at one number at a time"
                )
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if len({id(p) for p in params} - known) < len(params):
            raise ValueError("[Optimizer] a parameter is listed twice: it would be updated twice")
        group = {**self.defaults, **param_group, "params": params}
        if names is not None:
            group["param_names"] = names
        group |= {name: bool(group[name]) for name in FLAGS & group.keys()}
        self.check_options(group)
        self.param_groups.append(group)

    def check_options(self, group: Group) -> None:
        """Raise ValueError for an option of a parameter group out of its range."""
        name, lr = type(self).__name__, group.get("lr", 0)
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError(f"[{name}] lr must be one number, not {lr.numel()}")
        for option in ("lr", "weight_decay", *self.not_negative):
            if not group.get(option, 0) >= 0:
                raise ValueError(f"[{name}] {option} must be 0 or more, not {group[option]}")
        for option in ("betas", "etas", "step_sizes"):
            if option in group and len(group[option]) != 2:
                raise ValueError(f"[{name}] {option} must be two numbers, not {group[option]}")
        for i, beta in enumerate(group.get("betas", ())):
            if not 0 <= beta < 1:
                raise ValueError(f"[{name}] betas[{i}] must lie in [0, 1), not {beta}")
        if group.get("fused") and (group.get("foreach") or group.get("differentiable")):
            raise RuntimeError(f"[{name}] fused=True excludes foreach and differentiable")
        if group.get("differentiable"):
            raise NotImplementedError(
                f"[{name}] a step is not part of the graph: leave differentiable=False"
            )

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradient of every parameter, or fill it with zeros."""
        for group in self.param_groups:
            for p in group["params"]:
                forget_gradient(p, set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take one step; `closure` recomputes the loss first, and its value is returned."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for params in _by_device([p for p in group["params"] if p.grad is not None]):
                if not params[0].is_cpu:
                    self._check_capture(params, group)
                self.update(params, group)
        return loss

    def _check_capture(self, params: list[Tensor], group: Group) -> None:
        """Refuse a step inside a CUDA graph: its replays would use the numbers of this one."""
        import norch_cuda  # here because it is slow

        if norch_cuda.is_current_stream_capturing() and not self.is_repeatable(params, group):
            name = type(self).__name__
            raise RuntimeError(
                f"[{name}] this step cannot be captured in a CUDA graph: it makes its state, or "
                "counts steps on the host, and every replay would do the same; take a first step "
                "before (SGD with momentum; Adam and AdamW with capturable=True), or take the step "
                f"of {name} outside of the graph"
            )

    def is_repeatable(self, params: list[Tensor], group: Group) -> bool:
        """Whether the next step does exactly what every later one does."""
        return False

    def update(self, params: list[Tensor], group: Group) -> None:
        """Change `params`, which all have gradients and live on one device."""
        name = type(self).__name__
        raise NotImplementedError(f"[{name}] has no update: write the step of one group")

    def found_anywhere(self, found: bool) -> bool:
        """Return whether an overflow was found, here or where others have parts of parameters.

        `GradScaler` asks, so that either all processes leave out a step or none does.
        """
        groups = {p.groups: p for p in self._all() if isinstance(p, ParameterPart)}
        for p in groups.values():  # one of each: they share an answer
            found = p.on_any_part(found)
        return found

    # ---- state -----------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return {"state": {number: ...}, "param_groups": [...]} with parameters as numbers."""
        for hook in self._hooks_of("state_dict_pre"):
            hook(self)
        numbers = {p: i for i, p in enumerate(self._all())}
        groups = [
            {k: v for k, v in group.items() if k != "params"}
            | {"params": [numbers[p] for p in group["params"]]}
            for group in self.param_groups
        ]
        state = {numbers[p]: _as_parts(entry, p) for p, entry in self.state.items()}
        made: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._hooks_of("state_dict_post"):
            changed = hook(self, made)
            made = made if changed is None else changed
        return made

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a `state_dict`; raises ValueError, unharmed, when the groups do not match."""
        for hook in self._hooks_of("load_pre"):
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups = state_dict["param_groups"]
        sizes = [len(group["params"]) for group in groups]
        own = [len(group["params"]) for group in self.param_groups]
        if sizes != own:
            raise ValueError(
                f"[Optimizer] the state_dict has groups of {sizes} parameters, this one {own}"
            )
        order = [number for group in groups for number in group["params"]]
        tensors = dict(zip(order, self._all(), strict=True))
        # A number may have become a string on its way through a file.
        saved = {int(number): entry for number, entry in state_dict["state"].items()}
        state = {p: self.restore(saved[n], p) for n, p in tensors.items() if n in saved}
        self.state = defaultdict(dict, state)
        for group, loaded in zip(self.param_groups, groups, strict=True):
            group.update({k: v for k, v in loaded.items() if k != "params"})
        for hook in self._hooks_of("load_post"):
            hook(self)

    def restore(self, entry: dict[str, Any], p: Tensor) -> dict[str, Any]:
        """Return what a state_dict holds for one parameter as the optimizer's state of it."""
        return restore_state(entry, p)

    def _all(self) -> Iterator[Tensor]:
        """Go through the parameters of every parameter group."""
        return (p for group in self.param_groups for p in group["params"])

    def __repr__(self) -> str:
        """List the groups and their options."""
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join([*lines, ")"])


def _as_parts(entry: dict[str, Any], p: Tensor) -> dict[str, Any]:
    """Return what is remembered of a parameter; of a part of one as parts, which know whose."""
    if not isinstance(p, ParameterPart):
        return dict(entry)
    return {
        key: p.with_values(v) if isinstance(v, Tensor) and v.shape == p.shape else v
        for key, v in entry.items()
    }


def options(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the options among the `locals()` of an optimizer's `__init__`: all but `params`."""
    others = ("self", "__class__", "params")
    return {name: value for name, value in arguments.items() if name not in others}


def as_list(params: Any) -> tuple[list[str] | None, list[Any]]:
    """Return names and tensors of a group: one tensor, several, or (name, tensor) pairs."""
    if isinstance(params, set):
        raise TypeError("[Optimizer] params are a set, which has no order: give a list")
    given = [params] if isinstance(params, Tensor) else list(params)
    if not any(isinstance(p, tuple) for p in given):
        return None, given
    if not all(isinstance(p, tuple) for p in given):
        raise TypeError("[Optimizer] name every parameter of a group, or none")
    return [name for name, _ in given], [p for _, p in given]


def _check_parameter(p: Any) -> None:
    """Refuse a tensor that an optimizer cannot learn."""
    if not isinstance(p, Tensor):
        raise TypeError(f"[Optimizer] only Tensors can be optimized, not {type(p).__name__}")
    if not p.is_leaf:
        raise ValueError("[Optimizer] a result of an operation cannot be optimized: give its leaf")


def gradients(params: list[Tensor], maximize: bool) -> list[Any]:
    """Return the arrays of the gradients of `params`, which all have one; negated to maximize."""
    arrays = [p.grad.array for p in params if p.grad is not None]
    return [array.ops.neg(array) for array in arrays] if maximize else arrays


def _by_device(params: list[Tensor]) -> Iterable[list[Tensor]]:
    """Sort parameters by device and dtype: one fused call works on one of each."""
    lists: dict[Any, list[Tensor]] = {}
    for p in params:
        lists.setdefault((p.array.device, p.array.dtype), []).append(p)
    return lists.values()


def restore_state(entry: dict[str, Any], p: Tensor) -> dict[str, Any]:
    """Copy one parameter's saved state: tensors of its own shape and kind, the step as an int."""
    for key, value in entry.items():
        if isinstance(value, Tensor) and key != "step" and tuple(value.shape) != tuple(p.shape):
            raise ValueError(
                f"[Optimizer] the saved {key} has shape {tuple(value.shape)}, "
                f"its parameter {tuple(p.shape)}"
            )
    # ex 5.22 begin
    state: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "step":
            state[key] = int(value)
        elif isinstance(value, Tensor):
            state[key] = value.detach().to(p.device, p.dtype).clone()
        else:
            state[key] = value
    return state
    # ex 5.22 end
