"""Layers that learn their sizes from the first batch, as torch.nn.Lazy* do; modules without values.

Until the first batch their parameters are `UninitializedParameter`s; then the layer becomes the
ordinary one, its class included. Give the parameters to an optimizer before or after, they stay the
same objects. The page book/library/nn.md names them.
"""

from __future__ import annotations

from typing import Any, TypeVar

from norch_autograd import Tensor, empty, int64, ones, tensor, zeros
from norch_nn.core.convert import take_over
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter
from norch_nn.core.sizes import Sizes
from norch_nn.modules.batchnorm import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    ChannelNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from norch_nn.modules.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    Convolution,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    TransposedConvolution,
)
from norch_nn.modules.linear import Linear


class UninitializedParameter(Parameter):
    """A Parameter whose shape is not known yet; `materialize(shape)` gives it one.

    >>> weight = UninitializedParameter()
    >>> weight.materialize((2, 3)); type(weight).__name__, tuple(weight.shape)
    ('Parameter', (2, 3))
    """

    __slots__ = ()

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        """Remember device and dtype, in a tensor of no elements."""
        super().__init__(empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> UninitializedParameter:
        """Copy what is known: whether it learns, its device and its dtype."""
        copy = type(self)(self.requires_grad, self.device, self.dtype)
        memo[id(self)] = copy
        return copy

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become a Parameter of `shape`, its values uninitialized."""
        device = self.device if device is None else device
        dtype = self.dtype if dtype is None else dtype
        take_over(self, empty(*shape, device=device, dtype=dtype))
        self.__class__ = Parameter  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<UninitializedParameter>"


def is_lazy(param: Any) -> bool:
    """Whether a parameter has no shape yet.

    >>> is_lazy(UninitializedParameter())
    True
    """
    return isinstance(param, UninitializedParameter)


def _measure_file(module: Any, state_dict: dict[str, Any], prefix: str, *_: Any) -> None:
    """Let a lazy layer take its size from a state_dict: a hook, called before it is loaded."""
    if isinstance(module, Lazy) and not getattr(module, module.unknown):
        saved = {name: state_dict.get(prefix + name) for name in ("weight", "running_mean")}
        if size := module._size_from_saved(saved):
            module._grow(size)


class Lazy(Module):
    """What lazy layers share: the first call measures the input, then the class is exchanged."""

    unknown = ""  # the attribute that holds the size of the input
    grown: type[Module] = Module  # the class it becomes

    def _wait(self, names: tuple[str, ...], device: Any, dtype: Any) -> None:
        """Put parameters without a shape in place of `names`, until the first input is measured."""
        self.register_load_state_dict_pre_hook(_measure_file)
        for name in names:
            self.register_parameter(name, UninitializedParameter(device=device, dtype=dtype))

    def has_uninitialized_params(self) -> bool:
        """Whether the first batch has not come yet."""
        return any(is_lazy(p) for p in self.parameters(recurse=False))

    def reset_parameters(self) -> None:
        """Draw a lazy layer's initial values anew, once there are any."""
        if getattr(self, self.unknown) and not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor) -> None:
        """Measure the first input and make the parameters, unless a state_dict told the size."""
        if not getattr(self, self.unknown):
            self._grow(self._size_from_input(input))

    def _grow(self, size: int) -> None:
        """Make a lazy layer's parameters for an input of this size."""
        setattr(self, self.unknown, size)
        for name, shape in self._param_shapes().items():
            parameter = getattr(self, name)
            if is_lazy(parameter):
                parameter.materialize(shape)
        self.reset_parameters()

    def _size_from_input(self, input: Tensor) -> int:
        """Return the size that a lazy layer did not know: the number of channels."""
        name = type(self).__name__
        if input.ndim < 2:
            raise RuntimeError(f"[{name}] channels are expected, not shape {tuple(input.shape)}")
        return int(input.shape[1])

    def _size_from_saved(self, saved: dict[str, Any]) -> int:
        """Return the size that a state_dict tells a lazy layer; 0 if it does not."""
        weight = saved["weight"]
        is_known = weight is not None and weight.ndim >= 2
        return self._size_of_weight(tuple(weight.shape)) if is_known else 0

    def _size_of_weight(self, weight: tuple[int, ...]) -> int:
        """Return the size of a lazy layer for which a weight has this shape."""
        raise NotImplementedError(f"[{type(self).__name__}] has no _size_of_weight: return an int")

    def _param_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of a lazy layer's parameters, now that the size is known."""
        raise NotImplementedError(f"[{type(self).__name__}] has no _param_shapes: return a dict")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Measure the first input, become an ordinary layer, and run it."""
        first = args[0] if args else kwargs["input"]
        self.initialize_parameters(first)
        self.__class__ = self.grown  # type: ignore[assignment]
        return self(*args, **kwargs)


class LazyLinear(Lazy, Linear):
    """Linear, whose in_features is the last size of the first input.

    >>> layer = LazyLinear(2)
    >>> layer
    LazyLinear(in_features=0, out_features=2, bias=True)
    >>> layer(ones(1, 5)).shape, layer
    (norch.Size([1, 2]), Linear(in_features=5, out_features=2, bias=True))
    """

    unknown, grown = "in_features", Linear

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(0, 0, bias=False)
        self.out_features = out_features
        self._wait(("weight", "bias") if bias else ("weight",), device, dtype)

    def _size_from_input(self, input: Tensor) -> int:
        return int(input.shape[-1])

    def _size_of_weight(self, weight: tuple[int, ...]) -> int:
        return weight[1]

    def _param_shapes(self) -> dict[str, tuple[int, ...]]:
        return {"weight": (self.out_features, self.in_features), "bias": (self.out_features,)}


class LazyImages(Lazy, Convolution):
    """What lazy convolutions of both kinds share."""

    unknown = "in_channels"

    def _size_from_input(self, input: Tensor) -> int:
        return int(input.shape[-1 - self.dims])

    def _param_shapes(self) -> dict[str, tuple[int, ...]]:
        self._check()  # the groups must divide the channels
        return {"weight": self._weight_shape(), "bias": (self.out_channels,)}


class LazyConvolution(LazyImages):
    """What lazy convolutions share."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        moves = (stride, padding, dilation, groups)
        super().__init__(0, 0, kernel_size, *moves, False, padding_mode)
        self.out_channels = out_channels
        self._wait(("weight", "bias") if bias else ("weight",), device, dtype)

    def _size_of_weight(self, weight: tuple[int, ...]) -> int:
        return weight[1] * self.groups


class LazyConv1d(LazyConvolution, Conv1d):
    """Conv1d with in_channels taken from the first input.

    >>> tuple(LazyConv1d(4, 3)(zeros(2, 3, 8)).shape)
    (2, 4, 6)
    """

    grown = Conv1d


class LazyConv2d(LazyConvolution, Conv2d):
    """Conv2d with in_channels taken from the first input.

    >>> tuple(LazyConv2d(4, 3)(zeros(2, 3, 8, 8)).shape)
    (2, 4, 6, 6)
    """

    grown = Conv2d


class LazyConv3d(LazyConvolution, Conv3d):
    """Conv3d with in_channels taken from the first input.

    >>> tuple(LazyConv3d(4, 3)(zeros(1, 3, 4, 4, 4)).shape)
    (1, 4, 2, 2, 2)
    """

    grown = Conv3d


class LazyTransposedConvolution(LazyImages, TransposedConvolution):
    """What lazy transposed convolutions share."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        moves = (stride, padding, output_padding, groups)
        super().__init__(0, 0, kernel_size, *moves, False, dilation, padding_mode)
        self.out_channels = out_channels
        self._wait(("weight", "bias") if bias else ("weight",), device, dtype)

    def _size_of_weight(self, weight: tuple[int, ...]) -> int:
        return weight[0]


class LazyConvTranspose1d(LazyTransposedConvolution, ConvTranspose1d):
    """ConvTranspose1d with in_channels taken from the first input.

    >>> tuple(LazyConvTranspose1d(4, 3)(zeros(2, 3, 8)).shape)
    (2, 4, 10)
    """

    grown = ConvTranspose1d


class LazyConvTranspose2d(LazyTransposedConvolution, ConvTranspose2d):
    """ConvTranspose2d with in_channels taken from the first input.

    >>> tuple(LazyConvTranspose2d(4, 3)(zeros(2, 3, 8, 8)).shape)
    (2, 4, 10, 10)
    """

    grown = ConvTranspose2d


class LazyConvTranspose3d(LazyTransposedConvolution, ConvTranspose3d):
    """ConvTranspose3d with in_channels taken from the first input.

    >>> tuple(LazyConvTranspose3d(4, 3)(zeros(1, 3, 2, 2, 2)).shape)
    (1, 4, 4, 4, 4)
    """

    grown = ConvTranspose3d


class LazyNorm(Lazy, ChannelNorm):
    """What lazy norms share."""

    unknown = "num_features"

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.where = {"device": device, "dtype": dtype}
        names = ("weight", "bias") if bias else ("weight",)
        self._wait(names if affine else (), device, dtype)
        if track_running_stats:
            self.num_batches_tracked = tensor(0, dtype=int64, device=device)

    def _size_from_saved(self, saved: dict[str, Any]) -> int:
        return max((len(x) for x in saved.values() if x is not None), default=0)

    def _param_shapes(self) -> dict[str, tuple[int, ...]]:
        size = self.num_features
        if self.track_running_stats:
            self.running_mean = zeros(size, **self.where)
            self.running_var = ones(size, **self.where)
        return {"weight": (size,), "bias": (size,)}


class LazyBatchNorm1d(LazyNorm, BatchNorm1d):
    """BatchNorm1d with num_features taken from the first input.

    >>> tuple(LazyBatchNorm1d()(zeros(2, 3)).shape)
    (2, 3)
    """

    grown = BatchNorm1d


class LazyBatchNorm2d(LazyNorm, BatchNorm2d):
    """BatchNorm2d with num_features taken from the first input.

    >>> tuple(LazyBatchNorm2d()(zeros(2, 3, 2, 2)).shape)
    (2, 3, 2, 2)
    """

    grown = BatchNorm2d


class LazyBatchNorm3d(LazyNorm, BatchNorm3d):
    """BatchNorm3d with num_features taken from the first input.

    >>> tuple(LazyBatchNorm3d()(zeros(2, 3, 2, 2, 2)).shape)
    (2, 3, 2, 2, 2)
    """

    grown = BatchNorm3d


class LazyInstanceNorm1d(LazyNorm, InstanceNorm1d):
    """InstanceNorm1d with num_features taken from the first input.

    >>> tuple(LazyInstanceNorm1d()(zeros(2, 3, 4)).shape)
    (2, 3, 4)
    """

    grown = InstanceNorm1d


class LazyInstanceNorm2d(LazyNorm, InstanceNorm2d):
    """InstanceNorm2d with num_features taken from the first input.

    >>> tuple(LazyInstanceNorm2d()(zeros(2, 3, 4, 4)).shape)
    (2, 3, 4, 4)
    """

    grown = InstanceNorm2d


class LazyInstanceNorm3d(LazyNorm, InstanceNorm3d):
    """InstanceNorm3d with num_features taken from the first input.

    >>> tuple(LazyInstanceNorm3d()(zeros(2, 3, 2, 2, 2)).shape)
    (2, 3, 2, 2, 2)
    """

    grown = InstanceNorm3d


M = TypeVar("M", bound=Module)


def skip_init(module_cls: type[M], *args: Any, **kwargs: Any) -> M:
    """Make a module without values yet: its parameters and buffers are uninitialized.

    >>> tuple(skip_init(nn.Linear, 2, 3).weight.shape)
    (3, 2)
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise RuntimeError(f"[skip_init] a class of modules is expected, not {module_cls!r}")
    device = kwargs.get("device", "cpu")
    module: M = module_cls(*args, **kwargs)
    return module.to_empty(device=device)
