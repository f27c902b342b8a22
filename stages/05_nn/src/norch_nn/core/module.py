"""Module: parameters, buffers and smaller modules, with one `forward`.

Every layer, loss and model derives from it. It switches between training and evaluation, moves its
tensors, and gives and takes a `state_dict`; `Hooked` calls its forward. It never computes:
`forward` does, in the subclass.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Self

from norch_autograd import DType, Tensor, bfloat16, empty_like, float16, float32, float64
from norch_nn.core import state_dict as state
from norch_nn.core.call import Hooked
from norch_nn.core.convert import conversion_to, convert
from norch_nn.core.parameter import forget_gradient


class Module(Hooked):
    """Base of all layers and models: assign parts as attributes and write `forward`.

    >>> class Net(Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.fc = nn.Linear(2, 1)
    >>> Net()
    Net(
      (fc): Linear(in_features=2, out_features=1, bias=True)
    )
    """

    training: bool
    _keeps_dtypes = False  # whether a cast leaves the buffers of such a layer as they are

    def __init__(self) -> None:
        """Start with nothing registered, in training mode."""
        super().__init__()
        self.training = True

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output; every subclass writes its own."""
        name = type(self).__name__
        raise NotImplementedError(f"[{name}] has no forward: write `def forward(self, x)` in it")

    # ---- modes -----------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Self:
        """Set training mode here and in everything below (dropout on)."""
        if not isinstance(mode, bool):
            given = type(mode).__name__
            raise ValueError(f"[train] mode must be True or False, not a {given}: use .train()")
        # ex 5.20 begin
        for module in self.modules():
            module.training = mode
        return self
        # ex 5.20 end

    def eval(self) -> Self:
        """Set evaluation mode: `train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freeze (False) or unfreeze every parameter."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradient of every parameter, or fill it with zeros."""
        for parameter in self.parameters():
            forget_gradient(parameter, set_to_none)

    def apply(self, fn: Callable[[Any], object]) -> Self:
        """Call `fn` on every module below and on this one, children first."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    # ---- moving and casting ----------------------------------------------------------------------

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Self:
        """Replace the data of every parameter, gradient and buffer; all of it or nothing."""
        fixed = [part for part in self.modules() if part._keeps_dtypes]
        uncast = {id(buffer) for part in fixed for buffer in part.buffers(recurse=False)}
        convert([*self.parameters(), *self.buffers()], fn, uncast)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move and cast in place: `to(device)`, `to(dtype)`, `to(device, dtype)`, `to(tensor)`.

        Only floating-point tensors are cast; the Parameter objects stay the same.
        """
        return self._apply(conversion_to(*args, **kwargs))

    def cpu(self) -> Self:
        """Move this module to the CPU."""
        return self.to("cpu")

    def cuda(self, device: int | str | None = None) -> Self:
        """Move this module to a GPU; RuntimeError where `device` is none."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def float(self) -> Self:
        """Cast this module's floating-point tensors to float32."""
        return self.to(float32)

    def double(self) -> Self:
        """Cast this module's floating-point tensors to float64."""
        return self.to(float64)

    def half(self) -> Self:
        """Cast this module's floating-point tensors to float16."""
        return self.to(float16)

    def bfloat16(self) -> Self:
        """Cast this module's floating-point tensors to bfloat16."""
        return self.to(bfloat16)

    def type(self, dst_type: DType) -> Self:
        """Cast every tensor of this module, whole numbers too."""
        return self._apply(lambda tensor: tensor.to(dst_type))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Move to `device` without the values: parameters and buffers are uninitialized there."""
        tensors = [*self.parameters(recurse), *self.buffers(recurse)]
        convert(tensors, lambda tensor: empty_like(tensor, device=device))
        return self

    # ---- state -----------------------------------------------------------------------------------

    def state_dict(
        self, destination: dict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Return {dotted name: tensor} of parameters and persistent buffers, sharing storage.

        >>> list(nn.Linear(2, 1).state_dict())
        ['weight', 'bias']
        """
        destination = OrderedDict() if destination is None else destination
        return state.collect(self, destination, prefix, keep_vars)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> state.IncompatibleKeys:
        """Copy `state_dict` into the tensors of this module; on any mismatch change nothing.

        Raises RuntimeError that lists missing and unexpected keys (when `strict`) and every wrong
        shape. `assign=True` takes the given tensors over instead of copying from them.
        """
        return state.load(self, state_dict, strict, assign)

    # ---- printing --------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """The text between the parentheses; layers write their own."""
        return ""

    def __repr__(self) -> str:
        """Print the tree, two blanks deeper for every level."""
        lines = [f"({name}): {child!r}" for name, child in self._modules.items()]
        return layout_repr(type(self).__name__, self.extra_repr(), lines)


def layout_repr(name: str, extra: str, lines: list[str]) -> str:
    """Put the parts of a repr on one line or, with children, one below the other."""
    if not lines:
        return f"{name}({extra})"
    body = "\n".join([extra, *lines] if extra else lines)
    return f"{name}(\n  " + body.replace("\n", "\n  ") + "\n)"


class ScriptModule(Module):
    """A `Module` like any other; `norch.jit.script` makes none, it returns what it is given."""
