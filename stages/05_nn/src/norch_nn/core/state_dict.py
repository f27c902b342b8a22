"""state_dict: the flat {dotted name: tensor} of a module, given and taken.

Called by Module's two methods. `load` compares every name and shape before it copies the first
number, so a model is never left half-loaded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from norch_autograd import Tensor, no_grad
from norch_nn.core.call import Hooked
from norch_nn.core.convert import take_over

EXTRA = "_extra_state"  # what get_extra_state returns is saved under this name


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict(strict=False)` could not match."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        """Print what a notebook shows below the cell."""
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return (
            f"_IncompatibleKeys(missing_keys={self.missing_keys}, "
            f"unexpected_keys={self.unexpected_keys})"
        )


def _members(module: Hooked, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
    """Yield what is saved: parameters, then persistent buffers, module by module, ties twice."""
    for path, part in module.named_modules(remove_duplicate=False):
        dot = f"{prefix}{path}." if path else prefix
        for name, tensor in _own_members(part):
            yield dot + name, tensor


def _own_members(module: Hooked) -> list[tuple[str, Tensor]]:
    """Return what one module adds to a state_dict itself."""
    parts = module.__dict__
    saved = [name for name, is_saved in parts["_buffer_names"].items() if is_saved]
    names = (*parts["_parameter_names"], *saved)
    return [(name, parts[name]) for name in names if parts[name] is not None]


def _extras(module: Hooked, prefix: str = "") -> dict[str, Any]:
    """Return {name: module} of those that save something of their own beside tensors."""
    return {
        (f"{prefix}{path}." if path else prefix) + EXTRA: part
        for path, part in module.named_modules(remove_duplicate=False)
        if part.saves_extra_state()
    }


def collect(
    module: Hooked, destination: dict[str, Any], prefix: str, keep_vars: bool
) -> dict[str, Any]:
    """Fill `destination` with the tensors of `module`, detached unless `keep_vars`."""
    hooks = module._hooks or {}
    for hook in hooks["state_dict_pre"].values() if "state_dict_pre" in hooks else ():
        hook.call(module, prefix, keep_vars)
    for name, tensor in _own_members(module):
        destination[prefix + name] = tensor if keep_vars else tensor.detach()
    if module.saves_extra_state():
        destination[prefix + EXTRA] = module.get_extra_state()
    for name, child in module._named_children():
        child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    hooks = module._hooks or {}  # a hook may have added one
    for hook in hooks["state_dict_post"].values() if "state_dict_post" in hooks else ():
        hook.call(module, destination, prefix, {})
    return destination


def load(
    module: Hooked, state_dict: Mapping[str, Any], strict: bool, assign: bool
) -> IncompatibleKeys:
    """Check a state_dict whole, then copy all of it into the module."""
    if not isinstance(state_dict, Mapping):
        given = type(state_dict).__name__
        raise TypeError(f"[load_state_dict] a dict of tensors is expected, not a {given}")
    hooked = [(path, part) for path, part in module.named_modules() if part._hooks]
    state_dict, complaints = run_load_hooks(hooked, state_dict, strict)
    own, extra = dict(_members(module)), _extras(module)
    keys = _compare({**own, **extra}, state_dict)
    problems = [*complaints, *_mismatches(own, state_dict)]
    if strict:
        problems = [*_strict_problems(keys), *problems]
    # ex 5.6 begin
    if problems:
        listed = "".join(f"\n\t{problem}" for problem in problems)
        raise RuntimeError(
            f"[load_state_dict] {type(module).__name__} cannot take this state_dict "
            f"and is unchanged:{listed}"
        )
    with no_grad():
        for name, tensor in own.items():
            if name in state_dict:
                take_over(tensor, state_dict[name]) if assign else tensor.copy_(state_dict[name])
    # ex 5.6 end
    _give_extras(extra, state_dict)
    for _, part in reversed(hooked):
        for hook in part._hooks_of("load_post").values():
            hook.call(part, keys)
    return keys


def _compare(own: Mapping[str, Any], given: Mapping[str, Any]) -> IncompatibleKeys:
    """Say which names of a state_dict are missing and which are too many."""
    return IncompatibleKeys(
        [name for name in own if name not in given and not _may_lack(name)],
        [name for name in given if name not in own],
    )


def _give_extras(extra: Mapping[str, Any], state_dict: Mapping[str, Any]) -> None:
    """Hand back to modules what they saved of their own."""
    for name, part in extra.items():
        if name in state_dict:
            part.set_extra_state(state_dict[name])


def _may_lack(name: str) -> bool:
    """Whether a state_dict may be without `name`: files older than the count of batches are."""
    return name.rpartition(".")[2] == "num_batches_tracked"


def run_load_hooks(
    hooked: list[tuple[str, Any]], state_dict: Mapping[str, Any], strict: bool
) -> tuple[Mapping[str, Any], list[str]]:
    """Let the hooks of modules edit a copy of the state_dict; return it and their complaints."""
    complaints: list[str] = []
    if not hooked:
        return state_dict, complaints
    copied = dict(state_dict)
    for path, part in hooked:
        for hook in part._hooks_of("load_pre").values():
            dot = f"{path}." if path else ""
            hook.call(part, copied, dot, {}, strict, [], [], complaints)
    return copied, complaints


def _strict_problems(keys: IncompatibleKeys) -> Iterator[str]:
    """Say which keys of a state_dict are missing and which are too many."""
    for what, names in zip(("Missing", "Unexpected"), keys, strict=True):
        if names:
            listed = ", ".join(f'"{name}"' for name in names)
            yield f"{what} key(s) in state_dict: {listed}."


def _mismatches(own: Mapping[str, Tensor], given: Mapping[str, Any]) -> list[str]:
    """Say what in a state_dict is not a tensor or has another shape."""
    problems = []
    for name, tensor in own.items():
        if name not in given:
            continue
        value = given[name]
        if not isinstance(value, Tensor):
            problems.append(f"{name}: expected a Tensor but the state_dict holds {value!r:.60}.")
        elif tuple(value.shape) != tuple(tensor.shape):
            problems.append(
                f"size mismatch for {name}: the state_dict holds {tuple(value.shape)}, "
                f"the model {tuple(tensor.shape)}."
            )
    return problems
