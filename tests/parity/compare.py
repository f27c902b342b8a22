"""Runs one expression in norch and in PyTorch and compares what comes out, gradients included.

An expression is Python text over `t` (the library), `nn`, `F` and the inputs x, y, z, w. An input
is a kind and a shape: `f3,4` are 12 normal float64 numbers in a (3, 4). Both libraries get the same
numbers in the same memory layout. The tests of this folder call it; it knows no operation.
"""

import zlib

import numpy as np

NAMES = "xyzwv"
KINDS = {
    "f": lambda rng, shape: rng.standard_normal(shape),
    "p": lambda rng, shape: rng.uniform(0.5, 2.0, shape),  # positive
    "u": lambda rng, shape: rng.uniform(-0.9, 0.9, shape),  # within the unit interval
    "q": lambda rng, shape: rng.uniform(0.05, 0.95, shape),  # probabilities
    "g": lambda rng, shape: rng.permutation(int(np.prod(shape))).reshape(shape) / 4 - 1.1,  # no tie
    "t": lambda rng, shape: rng.integers(0, 3, shape).astype(float),  # many ties
    "i": lambda rng, shape: rng.integers(0, 3, shape),
    "j": lambda rng, shape: rng.integers(-5, 6, shape),
    "b": lambda rng, shape: rng.integers(0, 2, shape).astype(bool),
    "s": lambda rng, shape: rng.integers(0, 2, shape) * 2 - 1,  # signs
    "e": lambda rng, shape: np.resize(np.array(EDGES), shape),
    "h": lambda rng, shape: np.resize(np.array(EDGES)[np.isfinite(EDGES)], shape),
}
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 200.0, -200.0, np.inf, -np.inf, np.nan, 1e-8]
LAYOUTS = ("plain", "permuted", "stepped")


def arrays_of(inputs, text):
    """Return the NumPy arrays that a list of inputs like "f3,4 i3" describes."""
    rng = np.random.default_rng(zlib.crc32(text.encode()))
    found = []
    for word in inputs.split():
        shape = tuple(int(n) for n in word[1:].split(",") if n)
        found.append(np.asarray(KINDS[word[0]](rng, shape)))
    return found


def tensor_in(library, array, layout="plain", dtype=None):
    """Return a leaf tensor of `array`, its elements in memory as the layout says."""
    if layout == "permuted" and array.ndim > 1:
        base = np.ascontiguousarray(array.transpose())
        made = library.from_numpy(base).permute(*reversed(range(array.ndim)))
    elif layout == "stepped" and array.ndim > 0:
        made = library.from_numpy(np.repeat(array, 2, axis=-1))[..., ::2]
    else:
        made = library.from_numpy(np.array(array))
    return made if dtype is None else made.to(getattr(library, dtype))


class Slicer:
    """`slicer[1:, None]` is the key itself."""

    def __getitem__(self, key):
        return key


def evaluate(library, text, tensors):
    """Return the value of the expression in one library."""
    names = {"t": library, "nn": library.nn, "F": library.nn.functional, "slicer": Slicer()}
    names.update(zip(NAMES, tensors, strict=False))
    return eval(text, names)


def is_tensor(value):
    return type(value).__name__ in ("Tensor", "Parameter", "Buffer")


def parts_of(value):
    """Flatten lists, tuples and dictionaries into a list of leaves."""
    if isinstance(value, dict):
        return [part for key in value for part in (key, *parts_of(value[key]))]
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in parts_of(item)]
    return [value]


def numpy_of(tensor):
    """Return a tensor's numbers; half precision as float32."""
    tensor = tensor.detach()
    tensor = tensor.float() if "float16" in str(tensor.dtype) else tensor
    lazy = {"force": True} if hasattr(tensor, "_is_zerotensor") else {}  # PyTorch's zeros
    return tensor.numpy(**lazy)


def name_of(dtype):
    return str(dtype).partition(".")[2]


TOLERANCES = {"float64": (1e-7, 1e-9), "float32": (3e-5, 3e-6), "float16": (4e-3, 2e-3)}


def near(ours, theirs, what, loose=1.0):
    """Compare two leaves: class, shape, dtype and numbers."""
    if not is_tensor(theirs):
        assert not is_tensor(ours), f"{what}: a Tensor, PyTorch gives {theirs!r}"
        same = ours == theirs or (isinstance(ours, float) and np.isclose(ours, theirs, 1e-5))
        assert same or str(ours) == str(theirs).replace("torch", "norch"), (
            f"{what}: {ours!r}, PyTorch gives {theirs!r}"
        )
        return
    assert is_tensor(ours), f"{what}: {ours!r}, PyTorch gives a tensor {theirs!r}"
    assert tuple(ours.shape) == tuple(theirs.shape), f"{what}: {ours.shape} not {theirs.shape}"
    kind = name_of(theirs.dtype)
    assert name_of(ours.dtype) == kind, f"{what}: {ours.dtype} not {theirs.dtype}"
    rtol, atol = TOLERANCES.get("float16" if kind == "bfloat16" else kind, (0, 0))
    rtol, atol = (rtol * 8, atol * 8) if kind == "bfloat16" else (rtol, atol)
    a, b = (numpy_of(side).astype(float) for side in (ours, theirs))
    close = np.isclose(a, b, rtol * loose, atol * loose, equal_nan=True)
    assert close.all(), f"{what}: {a[~close][:4]}, PyTorch gives {b[~close][:4]}"


def same(ours, theirs, what, loose=1.0):
    """Compare two results of any structure, leaf by leaf."""
    ours, theirs = parts_of(ours), parts_of(theirs)
    assert len(ours) == len(theirs), f"{what}: {len(ours)} parts, PyTorch gives {len(theirs)}"
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        near(a, b, f"{what} {i}" if len(theirs) > 1 else what, loose)


def outcome(library, text, tensors):
    """Return (value, None), or (None, error) where the library refuses."""
    try:
        return evaluate(library, text, tensors), None
    except Exception as error:  # its class is what is compared
        return None, error


def same_error(ours, theirs, text):
    """PyTorch refuses: norch must raise that class of exception (of one of PyTorch's own, the class
    of Python that it is), and say which operation.
    """
    if isinstance(theirs, NotImplementedError) and ours is None:
        return  # a kernel PyTorch has not written for this dtype; norch may have it
    assert ours is not None, f"{text}: PyTorch raises {type(theirs).__name__}: {theirs}"
    expected = next(kind for kind in type(theirs).__mro__ if kind.__module__ == "builtins")
    assert isinstance(ours, expected), (
        f"{text}: {type(ours).__name__} ({ours}), PyTorch raises {type(theirs).__name__}: {theirs}"
    )


def learnable(tensors):
    return [x for x in tensors if x.is_floating_point()]


def cotangents(library, value):
    """Return the outputs that have a gradient, and one fixed cotangent for each."""
    rng = np.random.default_rng(5)
    tensors = [p for p in parts_of(value) if is_tensor(p)]
    weights = [rng.standard_normal(tuple(p.shape)) for p in tensors]  # one for each, wanted or not
    chosen = [(p, w) for p, w in zip(tensors, weights, strict=True) if p.requires_grad]
    return [p for p, _ in chosen], [
        library.from_numpy(np.asarray(w)).to(p.dtype) for p, w in chosen
    ]


def gradients(library, value, leaves, create_graph=False):
    """Return the gradients of the leaves, None where nothing arrives; None if none is wanted."""
    outputs, weights = cotangents(library, value)
    if not outputs or not leaves:
        return None
    return library.autograd.grad(
        outputs, leaves, weights, create_graph=create_graph, allow_unused=True
    )


def filled(found, leaves):
    """Return the gradients with zeros where nothing arrives."""
    found = found or [None] * len(leaves)
    return [x.detach() * 0 if g is None else g for x, g in zip(leaves, found, strict=True)]


def second(library, firsts, leaves):
    """Return the gradients of the gradients, zeros where nothing arrives."""
    known = [x.detach() * 0 if g is None else g for x, g in zip(leaves, firsts, strict=True)]
    return filled(gradients(library, known, leaves), leaves)
