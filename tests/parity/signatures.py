"""The parameters of PyTorch's functions and classes, and of norch's, in one form.

PyTorch's compiled functions have no signature that Python can read: theirs is the first line of
their docstring.
"""

import ast
import inspect
import re

# What an eager library on plain memory has no use for; norch leaves these words out everywhere.
UNUSED = {"out", "layout", "memory_format", "pin_memory", "names"}
# What PyTorch itself warns about: `reduction` and `correction` say the same.
DEPRECATED = {"size_average", "reduce"}
PLACES = {
    "": ("norch", "torch"),
    "Tensor": ("norch.Tensor", "torch.Tensor"),
    "nn": ("norch.nn", "torch.nn"),
    "F": ("norch.nn.functional", "torch.nn.functional"),
    "init": ("norch.nn.init", "torch.nn.init"),
    "utils": ("norch.nn.utils", "torch.nn.utils"),
    "optim": ("norch.optim", "torch.optim"),
    "sched": ("norch.optim.lr_scheduler", "torch.optim.lr_scheduler"),
    "data": ("norch.utils.data", "torch.utils.data"),
    "autograd": ("norch.autograd", "torch.autograd"),
    "amp": ("norch.amp", "torch.amp"),
}


def found(path):
    """Return what stands at a dotted path."""
    head, *rest = path.split(".")
    value = __import__(head)
    for i, name in enumerate(rest):
        if not hasattr(value, name):
            __import__(".".join([head, *rest[: i + 1]]))
        value = getattr(value, name)
    return value


def public(place):
    """Return the public names of one place of norch."""
    module = found(PLACES[place][0])
    names = getattr(module, "__all__", None) or dir(module)
    return sorted(name for name in names if not name.startswith("_"))


def shared():
    """Return (place, name) of every callable that both libraries have under one name."""
    pairs = []
    for place, (ours, theirs) in PLACES.items():
        a, b = found(ours), found(theirs)
        for name in public(place):
            if callable(getattr(a, name)) and callable(getattr(b, name, None)):
                pairs.append((place, name))
    return pairs


def parameters_of(value):
    """Return [(name, kind, default)] of a function or of a class's constructor, None if unknown."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return documented(value)
    left_out = {"self", *UNUSED}
    if "size_average" in signature.parameters:
        left_out |= DEPRECATED
    return [
        (p.name, p.kind.name, None if p.default is p.empty else default_of(p.default))
        for p in signature.parameters.values()
        if p.name not in left_out
    ]


def default_of(value):
    """Return a default as text; a function or an object by its name."""
    if callable(value) or "object at" in repr(value):
        return getattr(value, "__name__", type(value).__name__)
    return repr(value)


def documented(value):
    """Return the parameters that the first line of a docstring names."""
    line = re.match(r"\s*\w+(\([^\n]*?\))(?:\s*->.*)?\n", (value.__doc__ or "") + "\n")
    if line is None or "..." in line[1] or "or " in line[1] or line[1] == "()":
        return None
    try:
        tree = ast.parse(f"def f{line[1]}: pass").body[0].args
    except SyntaxError:
        return None
    return [entry for entry in read(tree) if entry[0] not in UNUSED]


def read(tree):
    """Return the parameters of a parsed list of arguments."""
    blank = [None] * (len(tree.args) - len(tree.defaults))
    entries = [
        (a.arg, "POSITIONAL_OR_KEYWORD", None if d is None else ast.unparse(d))
        for a, d in zip(tree.args, blank + tree.defaults, strict=True)
    ]
    if tree.vararg:
        entries.append((tree.vararg.arg, "VAR_POSITIONAL", None))
    entries += [
        (a.arg, "KEYWORD_ONLY", None if d is None else ast.unparse(d))
        for a, d in zip(tree.kwonlyargs, tree.kw_defaults, strict=True)
    ]
    return entries


def plain(default):
    """Return a default in a form that both libraries share."""
    if default is None:
        return None
    default = default.replace("torch.", "").replace("norch.", "").strip("'\"")
    over, slash, under = default.partition(" / ")
    try:
        return float(over) / float(under) if slash else float(default)
    except ValueError:
        return "int64" if default == "long" else default
