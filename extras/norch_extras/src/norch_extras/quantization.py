"""Linear layers with weights of int8, as torch.ao.quantization makes them.

The page book/quantization.ipynb is its chapter.
"""

from __future__ import annotations

import copy
from collections.abc import Set
from typing import Any, Self

from norch_autograd import Tensor, int8, ones, zeros
from norch_autograd.more.nn.quantized import linear_int8, quantize_rows
from norch_cpu_ops import DType
from norch_nn.core.module import Module
from norch_nn.modules.linear import Linear

# PyTorch's dtype of tensors that carry a scale; here the scale lies beside them, in a buffer.
qint8 = int8
# Inputs of a layer with weights of int8: sums of more products might not fit 32 bits.
_MOST_FEATURES = 66311


class DynamicQuantizedLinear(Module):
    """Compute y = x Wᵀ + b, W as whole numbers of int8 and one scale for each of its rows.

    `weight` (out_features, in_features) of int8, `scale` and `bias` (out_features,) of float32 are
    buffers. Each row of x is rounded to int8 when it comes, by its own largest magnitude (which is
    what "dynamic" means). `from_float` makes one of a trained Linear; a state_dict of a Linear is
    rounded when it is loaded. A cast of the model leaves the buffers as they are.

    >>> layer = DynamicQuantizedLinear.from_float(Linear(3, 2))
    >>> layer
    DynamicQuantizedLinear(in_features=3, out_features=2, bias=True, dtype=qint8)
    >>> layer(norch.zeros(5, 3)).shape, layer.weight.dtype
    (norch.Size([5, 2]), norch.int8)
    """

    weight: Tensor
    scale: Tensor
    bias: Tensor | None
    _keeps_dtypes = True

    def __init__(
        self, in_features: int, out_features: int, bias_: bool = True, dtype: DType = qint8
    ) -> None:
        """Make the buffers, weights of 0: `from_float` or a state_dict fills them."""
        super().__init__()
        _check_dtype("DynamicQuantizedLinear", dtype)
        if in_features > _MOST_FEATURES:
            raise ValueError(f"[DynamicQuantizedLinear] {_too_long(in_features)}")
        self.in_features = in_features
        self.out_features = out_features
        self.register_buffer("weight", zeros(out_features, in_features, dtype=qint8))
        self.register_buffer("scale", ones(out_features))
        self.register_buffer("bias", zeros(out_features) if bias_ else None)
        self.register_load_state_dict_pre_hook(_round_floats)

    @classmethod
    def from_float(cls, mod: Linear) -> Self:
        """The layer that computes what `mod` does, rounded, between the same forward hooks; `mod`
        stays as it is.
        """
        _check_class("from_float", mod, Linear)
        reason = _why_not(mod)
        if reason:
            raise ValueError(f"[from_float] {reason}")
        layer = cls(mod.in_features, mod.out_features, mod.bias is not None)
        layer.weight, layer.scale = quantize_rows(mod.weight)
        layer.bias = None if mod.bias is None else mod.bias.detach().float().clone()
        for kind in ("forward_pre", "forward"):
            for hook in mod._hooks_of(kind).values():
                layer._register_hook(kind, hook)
        return layer.train(mod.training)

    def forward(self, input: Tensor) -> Tensor:
        return linear_int8(input, self.weight, self.scale, self.bias)

    def extra_repr(self) -> str:
        sizes = f"in_features={self.in_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}, dtype=qint8"


def _round_floats(layer: Module, state_dict: dict[str, Any], prefix: str, *others: Any) -> None:
    """Round the weights of a state_dict to int8 before a quantized layer loads them: floats, copied
    into int8, would all be 0 or 1; and `assign` would take a bias of any dtype over.
    """
    weight = state_dict.get(f"{prefix}weight")
    if isinstance(weight, Tensor) and weight.is_floating_point() and weight.ndim == 2:
        state_dict[f"{prefix}weight"], state_dict[f"{prefix}scale"] = quantize_rows(weight)
    for name in (f"{prefix}scale", f"{prefix}bias"):
        if isinstance(state_dict.get(name), Tensor):
            state_dict[name] = state_dict[name].detach().float()


def quantize_dynamic(
    model: Module,
    qconfig_spec: Set[type[Module] | str] | None = None,
    dtype: DType = qint8,
    *,
    inplace: bool = False,
) -> Module:
    """A copy of `model` whose Linear layers have weights of int8.

    `qconfig_spec` holds the class Linear, or dotted names of layers and of parts of the model; None
    means all. As in PyTorch, subclasses of Linear stay, an attention's `out_proj` among them, and
    so does a `model` that is itself a Linear.

    >>> model = nn.Sequential(Linear(4, 8), nn.ReLU(), Linear(8, 2))
    >>> quantize_dynamic(model, {Linear}, dtype=qint8)
    Sequential(
      (0): DynamicQuantizedLinear(in_features=4, out_features=8, bias=True, dtype=qint8)
      (1): ReLU()
      (2): DynamicQuantizedLinear(in_features=8, out_features=2, bias=True, dtype=qint8)
    )
    """
    _check_class("quantize_dynamic", model, Module)
    _check_dtype("quantize_dynamic", dtype)
    modules = list(model.named_modules(remove_duplicate=False))
    spec = {Linear} if qconfig_spec is None else qconfig_spec
    _check_spec(spec, dict(modules))
    paths = [path for path, layer in modules if _is_meant(path, layer, spec)]
    for path in paths:
        reason = _why_not(model.get_submodule(path))
        if reason:
            others = "to leave it out, name the other layers in qconfig_spec"
            raise ValueError(f"[quantize_dynamic] {path}: {reason}; {others}")
    model = model if inplace else copy.deepcopy(model)
    meant = {path: model.get_submodule(path) for path in paths}
    unlike = {id(layer): layer for layer in meant.values()}  # a layer with two names stays one
    made = {key: DynamicQuantizedLinear.from_float(layer) for key, layer in unlike.items()}
    for path, layer in meant.items():
        model.set_submodule(path, made[id(layer)])
    return model


def _is_meant(path: str, layer: Module, spec: Set[type[Module] | str]) -> bool:
    """Whether a layer is a Linear to quantize: `spec` names it, or all, or what it is in."""
    if not path or _class_before(layer) is not Linear:
        return False
    parts = path.split(".")
    return Linear in spec or any(".".join(parts[: i + 1]) in spec for i in range(len(parts)))


def _class_before(layer: Module) -> type[Module]:
    """The class of a layer to quantize, also of a parametrized one, which keeps it as `base`."""
    found: type[Module] = getattr(type(layer), "base", type(layer))
    return found


def _why_not(layer: Module) -> str | None:
    """Why a Linear cannot have weights of int8; None if it can."""
    weight = layer._parameters.get("weight")
    if weight is None:
        return (
            "its weight is computed, by a hook or a parametrization: remove that first "
            "(remove_weight_norm, remove_spectral_norm, remove_parametrizations)"
        )
    features = weight.shape[1]
    return _too_long(features) if features > _MOST_FEATURES else None


def _too_long(features: int) -> str:
    """Say that a layer has too many in_features for products of int8."""
    return f"its in_features are {features}, and sums fit 32 bits for at most 66311"


def _check_spec(spec: Set[type[Module] | str], modules: dict[str, Module]) -> None:
    """Refuse a `qconfig_spec` that is no set of Linear and of names of layers to quantize."""
    if not isinstance(spec, Set):
        raise TypeError(
            "[quantize_dynamic] qconfig_spec is a set of classes and names of layers, not "
            f"{type(spec).__name__}"
        )
    for entry in spec:
        if isinstance(entry, str) and entry not in modules:
            raise ValueError(f"[quantize_dynamic] the model has no part with the name {entry!r}")
        if not isinstance(entry, str) and entry is not Linear:
            name = getattr(entry, "__name__", entry)
            raise NotImplementedError(
                f"[quantize_dynamic] of all layers, Linear alone has int8 weights: take {name} "
                "out of qconfig_spec"
            )


def _check_class(op: str, given: Any, expected: type[Module]) -> None:
    """Refuse what is no module of the class that quantization expects."""
    if not isinstance(given, expected):
        raise TypeError(f"[{op}] expected a {expected.__name__}, got {type(given).__name__}")


def _check_dtype(op: str, dtype: DType) -> None:
    """Refuse another dtype of quantized weights than int8."""
    if dtype is not qint8:
        raise NotImplementedError(f"[{op}] weights can be of norch.qint8, not {dtype}")
