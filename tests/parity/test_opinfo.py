"""PyTorch's own table of operations, OpInfo: its sample inputs and bad inputs of every operation
that norch has, in both libraries.

A sample is one call: `op(input, *args, **kwargs)`. Here it is made again of norch's tensors, and
run in each form that both libraries have: function, method, in place, and under every other name.
What differs on purpose stands in one table with its reason. A new difference fails, and so does an
entry that nothing needs any more.
"""

import functools
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from compare import cotangents, is_tensor, numpy_of, parts_of, same

import norch

try:
    import torch
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.opinfo.core import _getattr_qual
except ImportError as missing:  # PyTorch, or what its test suite imports
    pytest.skip(f"PyTorch's table of operations: {missing}", allow_module_level=True)

DTYPES = (torch.float64, torch.float32, torch.int64, torch.bool)
KINDS = {kind: getattr(norch, str(kind)[6:]) for kind in (*DTYPES, torch.float16, torch.bfloat16)}
KINDS |= {kind: getattr(norch, str(kind)[6:]) for kind in (torch.int32, torch.uint8)}


class OutOfScope(Exception):
    """A sample speaks of what norch leaves out: complex numbers, sparse tensors, `out=`."""


def here(value: Any) -> Any:
    """Return what PyTorch's value is in norch: tensors with the same numbers, dtypes by name."""
    if isinstance(value, torch.Tensor):
        return _tensor_here(value)
    if isinstance(value, torch.Size):
        return norch.Size(value)
    if isinstance(value, (list, tuple)):
        items = [here(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: here(item) for key, item in value.items()}
    if isinstance(value, torch.dtype):
        return _dtype_here(value)
    if isinstance(value, torch.memory_format):
        return getattr(norch, str(value).partition(".")[2])
    if isinstance(value, torch.device):
        return norch.device(str(value))
    if isinstance(value, slice):
        return slice(*(here(part) for part in (value.start, value.stop, value.step)))
    if isinstance(value, (complex, torch.layout, torch.Generator)):
        raise OutOfScope(repr(value))
    if isinstance(value, torch.nn.Module):
        return getattr(norch.nn, type(value).__name__)()
    if callable(value) and (ours := _function_here(value)) is not None:
        return ours
    return value


def _function_here(function: Callable[..., Any]) -> Any:
    """Return norch's function of the same name, or one of PyTorch's test suite, in norch."""
    name = getattr(function, "__name__", "")
    if name != "<lambda>" and hasattr(norch.nn.functional, name):
        return getattr(norch.nn.functional, name)
    return in_norch(function) if isinstance(function, types.FunctionType) else None


def _dtype_here(dtype: torch.dtype) -> Any:
    if dtype not in KINDS:
        raise OutOfScope(str(dtype))
    return KINDS[dtype]


def _tensor_here(tensor: torch.Tensor) -> Any:
    if tensor.layout is not torch.strided or tensor.device.type != "cpu" or tensor.ndim > 16:
        raise OutOfScope(f"{tensor.layout} {tensor.device} {tensor.ndim} dimensions")
    dtype = _dtype_here(tensor.dtype)
    seen = tensor.detach()
    count = seen.untyped_storage().nbytes() // seen.element_size()
    if dtype is norch.bfloat16 or not seen.numel():
        made = norch.from_numpy(np.array(seen.float().numpy())).to(dtype)
    else:
        whole = np.array(seen.as_strided((count,), (1,), 0).numpy())  # the storage around it too
        made = norch.from_numpy(whole).as_strided(seen.shape, seen.stride(), seen.storage_offset())
    return made.requires_grad_() if tensor.requires_grad else made


def in_norch(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of PyTorch's test suite with the word `torch` meaning norch."""
    names = {**function.__globals__, "torch": norch}
    again = types.FunctionType(
        function.__code__, names, function.__name__, function.__defaults__, function.__closure__
    )
    again.__kwdefaults__ = function.__kwdefaults__
    return again


@dataclass
class Form:
    """One way to call an operation: what it is called, PyTorch's function and norch's."""

    op: str
    name: str
    theirs: Callable[..., Any]
    ours: Callable[..., Any]
    in_place: bool = False

    @property
    def is_seeded(self) -> bool:
        """Whether PyTorch's test suite seeds the generator around it: it draws numbers."""
        code = getattr(self.theirs, "__code__", None)
        return code is not None and "wrapper_set_seed" in code.co_names


def _ours(path: str) -> Any:
    return _getattr_qual(norch, path, None)


def is_ours(op: Any) -> bool:
    """Whether norch has the operation, as function or as method."""
    return _ours(op.name) is not None or hasattr(norch.Tensor, op.name)


def forms(op: Any) -> list[Form]:
    """Return every form of an operation that both libraries have."""
    found = []
    written = getattr(op.op, "__module__", None) or ""
    if isinstance(op.op, types.FunctionType) and written.startswith("torch.testing"):
        found.append(Form(op.name, "function", op.op, in_norch(op.op)))
    elif (ours := _ours(op.name)) is not None:
        found.append(Form(op.name, "function", op.op, ours))
    for alias in (op, *op.aliases):
        name = alias.name
        if alias is not op and (ours := _ours(name)) is not None:
            found.append(Form(op.name, name, alias.op, ours))
        if alias.method_variant is not None and hasattr(norch.Tensor, name):
            theirs, ours = alias.method_variant, getattr(norch.Tensor, name)
            found.append(Form(op.name, f"Tensor.{name}", theirs, ours))
        if alias.inplace_variant is not None and hasattr(norch.Tensor, f"{name}_"):
            theirs, ours = alias.inplace_variant, getattr(norch.Tensor, f"{name}_")
            found.append(Form(op.name, f"Tensor.{name}_", theirs, ours, in_place=True))
    return found


def leaves_of(value: Any) -> list[Any]:
    """Return the tensors in a sample that gradients are wanted for."""
    return [part for part in parts_of(value) if is_tensor(part) and part.requires_grad]


def run(function: Callable[..., Any], sample: tuple[Any, ...], in_place: bool) -> tuple[Any, Any]:
    """Return (value, None), or (None, error) where the library refuses."""
    first, args, kwargs = sample
    try:
        if in_place:
            first = first.clone()
        return function(first, *args, **kwargs), None
    except Exception as error:  # its class is what is compared
        return None, error


def is_random(form: Form, sample: tuple[Any, ...]) -> bool:
    """Whether the numbers are nobody's to compare: PyTorch draws them, or leaves them as found."""
    if form.is_seeded or "empty" in form.op:
        return True
    first, again = (_numbers(run(form.theirs, sample, form.in_place)[0]) for _ in range(2))
    return any(not np.array_equal(a, b, equal_nan=True) for a, b in zip(first, again, strict=True))


def _numbers(value: Any) -> list[Any]:
    return [numpy_of(part).copy() for part in parts_of(value) if is_tensor(part)]


def check_sample(form: Form, sample: Any, dtype: torch.dtype) -> None:
    """Run one sample in both libraries and compare values, dtypes, shapes and gradients."""
    loose = 8.0 if dtype is torch.float32 else 1.0
    theirs = (sample.input, sample.args, sample.kwargs)
    ours = here(theirs)
    leaves = leaves_of(theirs), leaves_of(ours)
    their_value, their_error = run(form.theirs, theirs, form.in_place)
    our_value, our_error = run(form.ours, ours, form.in_place)
    if isinstance(our_error, AttributeError) and "module 'norch" in str(our_error):
        raise OutOfScope(str(our_error))  # a name that only PyTorch has
    if their_error is not None:
        check_refusal(our_error, type(their_error), str(their_error))
        return
    assert our_error is None, f"{type(our_error).__name__}: {our_error}"
    if any(is_tensor(p) and p.is_complex() for p in parts_of(their_value)):
        raise OutOfScope("a complex result")
    if is_random(form, theirs):
        their_value, our_value = blank(their_value), blank(our_value)
        leaves = [], []
    shown = sample.output_process_fn_grad  # without what is nobody's promise: signs of vectors
    their_value, our_value = shown(their_value), in_norch(shown)(our_value)
    same(our_value, their_value, "value", loose)
    check_gradients(our_value, their_value, leaves, loose)


def blank(value: Any) -> Any:
    """Return zeros in the place of the numbers: shape and dtype stay."""
    if isinstance(value, (list, tuple)):
        return [blank(item) for item in value]
    return value.new_zeros(tuple(value.shape)) if is_tensor(value) else 0


def check_gradients(ours: Any, theirs: Any, leaves: tuple[list[Any], list[Any]], loose: float):
    """Compare the gradients of every leaf, with one fixed cotangent for every output."""
    outputs, weights = cotangents(torch, theirs)
    wanted, _ = cotangents(norch, ours)
    assert len(outputs) == len(wanted), f"{len(wanted)} outputs require grad, not {len(outputs)}"
    if not outputs or not leaves[0]:
        return
    try:
        expected = torch.autograd.grad(outputs, leaves[0], weights, allow_unused=True)
    except (NotImplementedError, RuntimeError):
        return  # PyTorch has no derivative here
    found = norch.autograd.grad(wanted, leaves[1], cotangents(norch, ours)[1], allow_unused=True)
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        a = leaves[1][i].detach() * 0 if a is None else a
        b = leaves[0][i].detach() * 0 if b is None else b
        same(a, b, f"gradient {i}", loose * 10)


def check_refusal(error: Exception | None, kind: type, theirs: str) -> None:
    """norch must raise PyTorch's class of exception, or a class below it, in its own words."""
    kind = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    if kind is NotImplementedError:
        kind = RuntimeError  # a kernel that PyTorch has not written
    assert error is not None, f"accepted; PyTorch raises {kind.__name__}: {theirs}"
    assert isinstance(error, kind), (
        f"{type(error).__name__} ({error}); PyTorch raises {kind.__name__}: {theirs}"
    )


def check_bad_input(form: Form, bad: Any) -> None:
    """Run one of PyTorch's bad inputs: both libraries must refuse it."""
    theirs = (bad.sample_input.input, bad.sample_input.args, bad.sample_input.kwargs)
    if "out" in bad.sample_input.kwargs:
        raise OutOfScope("out=")
    ours = here(theirs)
    _, error = run(form.theirs, theirs, False)
    if error is None:
        return  # this build of PyTorch takes it
    _, our_error = run(form.ours, ours, False)
    check_refusal(our_error, type(error), str(error))
    assert str(our_error).startswith("["), f"not our words: {our_error!r}"


OURS = [op for op in op_db if is_ours(op)]


def checks_of(op: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield every check of one operation: its name, and the call that raises where it differs."""
    every = forms(op)
    for dtype in DTYPES:
        if dtype not in op.dtypes:
            continue
        wanted = dtype.is_floating_point and op.supports_autograd
        for i, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=wanted)):
            for form in every:
                what = f"{form.name}, {str(dtype)[6:]} {i}"
                yield what, functools.partial(check_sample, form, sample, dtype)
    if op.error_inputs_func is not None:
        for i, bad in enumerate(op.error_inputs("cpu")):
            yield f"bad input {i}", functools.partial(check_bad_input, every[0], bad)


TIES = "which of equal elements an index names is nobody's promise"
UNREAD = "PyTorch gives elements that are not read, outside the triangle, a gradient too"

# (operation, what the message says): why it differs.
DIFFERENT = {
    ("addbmm", "does not fit into shape ("): "PyTorch gives the edited tensor another "
    "shape, here alone; norch refuses, as both do for every other edit in place",
    ("cov", "PyTorch gives"): "weights of float32 beside float64: PyTorch sums them in float32",
    ("kthvalue", "value 1: ["): TIES,
    ("topk", "value 1: ["): TIES,
    ("mode", "value 1: ["): TIES,
    ("sort", "value 1: ["): TIES,
    ("argsort", "value: ["): TIES,
    ("__rdiv__", "raises AttributeError"): "PyTorch calls a method of whatever it is given; norch "
    "says TypeError, as for every wrong operand",
    ("cholesky_solve", "gradient 1: ["): UNREAD,
    ("cholesky_inverse", "gradient 0: ["): UNREAD,
}


def name_of(op):
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def trouble(op):
    """Return, in a line each, what differs from PyTorch in any sample or bad input of `op`."""
    found = []
    for what, check in checks_of(op):
        try:
            check()
        except OutOfScope:
            continue
        except Exception as error:
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            found.append(f"{what}: {kind}{error}")
    return found


@pytest.mark.parametrize("op", OURS, ids=name_of)
def test_samples(op):
    known = [part for name, part in DIFFERENT if name == name_of(op)]
    lines = trouble(op)
    new = [line for line in lines if not any(part in line for part in known)]
    assert not new, f"{len(new)} of them:\n" + "\n".join(new[:8])
    stale = [part for part in known if not any(part in line for line in lines)]
    assert not stale, f"nothing says {stale} any more: take the entry out"


def test_the_table_speaks_of_operations():
    assert {name for name, _ in DIFFERENT} <= set(map(name_of, OURS))
