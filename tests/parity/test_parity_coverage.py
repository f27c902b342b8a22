"""Every public name of norch has a case in the tables, or stands here with the reason why not; and
names, order and defaults of its parameters are PyTorch's, but for the differences listed here.

PyTorch's compiled functions have no signature that Python can read: theirs is the first line of
their docstring.
"""

import ast
import inspect
import re

import cases_arguments
import cases_forms
import cases_functional
import cases_layers
import cases_modules
import cases_optim
import cases_pointwise
import cases_programs
import cases_refused
import cases_shapes
import cases_training
import pytest

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


ELSEWHERE = {
    "its own tests": {
        "": (
            "Tensor Function autograd load save return_types draw_graph dtype "
            "memory_stats get_num_threads set_num_threads get_rng_state set_rng_state seed "
            "default_generator set_default_dtype set_printoptions no_grad enable_grad "
            "set_grad_enabled inference_mode grad gradcheck gradgradcheck autocast "
            "get_autocast_dtype is_autocast_enabled initial_seed "
            "from_dlpack is_anomaly_enabled is_anomaly_check_nan_enabled "
            "get_default_device set_default_device use_deterministic_algorithms "
            "are_deterministic_algorithms_enabled get_float32_matmul_precision "
            "set_float32_matmul_precision compile "
            "as_torch qint8"
        ),
        "Tensor": (
            "backward register_hook register_post_accumulate_grad_hook retain_grad retains_grad "
            "untyped_storage is_mps "
            "requires_grad_ detach_ data_ptr storage_offset stride grad grad_fn is_leaf output_nr "
            "requires_grad data device dtype cuda is_cuda numpy refresh_view pin_memory "
            "record_stream"
        ),
        "nn": "RNNBase RNNCellBase SyncBatchNorm",
        "utils": "summary remove_weight_norm rnn clip_grad_value_",
        "optim": "Optimizer",
        "sched": "LRScheduler",
        "data": "Dataset IterableDataset Sampler WorkerInfo DistributedSampler",
        "amp": "GradScaler autocast get_autocast_dtype is_autocast_enabled",
    },
    "norch's own, PyTorch has nothing of the name": {
        "": """
            cross_entropy linear one_hot double float half int long
        """,
        "Tensor": """
            array base hooks node views
        """,
        "optim": "Lion",
        "utils": "KVCache sample_token",
    },
}
PLACE_OF = {"nn": "nn", "F": "F", "t": "", "L": "sched"}


def texts():
    """Return every expression of the tables."""
    for cases in (
        cases_pointwise.POINTWISE,
        cases_pointwise.EDGE_CASES,
        cases_shapes.SHAPE_CASES,
        cases_shapes.CREATION,
        cases_functional.FUNCTIONAL,
        cases_modules.MODULES,
        cases_forms.FORMS,
        cases_refused.REFUSED,
        cases_arguments.ARGUMENTS,
    ):
        yield from (text for text, _ in cases)
    yield from cases_programs.PROGRAMS + cases_layers.PROGRAMS + cases_training.PROGRAMS
    yield from (f"t.optim.{text}" for text in cases_optim.OPTIMIZER_CASES)
    yield from (f"t.optim.lr_scheduler.{text}" for text in cases_optim.SCHEDULER_CASES)


def names_in(text):
    """Return the dotted names that an expression uses: ("F.relu"), and ".add" for a method."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            chain = [node.attr]
            while isinstance(node.value, ast.Attribute):
                node = node.value
                chain.append(node.attr)
            head = node.value.id if isinstance(node.value, ast.Name) else ""
            yield ".".join([head, *reversed(chain)])


@pytest.fixture(scope="module")
def used():
    return {name for text in texts() for name in names_in(text)}


WHERE = {
    "": ("t",),
    "Tensor": ("", *"xyzwvc"),
    "nn": ("nn", "t.nn"),
    "F": ("F",),
    "init": ("nn.init",),
    "utils": ("nn.utils",),
    "optim": ("t.optim",),
    "sched": ("t.optim.lr_scheduler", "L"),
    "data": ("t.utils.data",),
    "amp": ("t.amp",),
}


@pytest.mark.parametrize("place", WHERE)
def test_every_public_name_has_a_case(place, used):
    excused = {name for group in ELSEWHERE.values() for name in group.get(place, "").split()}
    heads = ("t.", "nn.", "F.", "L.")
    methods = {name.rpartition(".")[2] for name in used if not name.startswith(heads)}
    known = {f"{head}.{name}" for head in WHERE[place] for name in public(place)} & used
    covered = {name.rpartition(".")[2] for name in known} | (
        methods if place == "Tensor" else set()
    )
    module = found(PLACES[place][0])
    missing = [
        name
        for name in public(place)
        if name not in covered | excused and not is_module(getattr(module, name))
    ]
    assert not missing, f"no case for {' '.join(missing)}"


def is_module(value):
    return type(value).__name__ == "module"


DOCUMENTED = "the name in the docstring; the code takes norch's"
OVERLOADS = "PyTorch hides an overload in *args, **kwargs"
NUMPY = "PyTorch's page repeats NumPy's word; its code takes norch's"
UNBIASED = "both overloads in one signature: `unbiased` and `correction`"
DECORATOR = "the function that a decorator without parentheses is given"
DISPATCHED = (  # with return_indices or without: two functions of (*args, **kwargs) in PyTorch
    *("max_pool1d", "max_pool2d", "max_pool3d"),
    *("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"),
)

DIFFERENT = {
    "broadcast_to": DOCUMENTED,
    "concatenate": NUMPY,
    "einsum": OVERLOADS,
    "enable_grad": DECORATOR,
    "no_grad": DECORATOR,
    "autograd.enable_grad": DECORATOR,
    "autograd.no_grad": DECORATOR,
    "kthvalue": "dim=-1 is what PyTorch's None means",
    "Tensor.kthvalue": "dim=-1 is what PyTorch's None means",
    "Tensor.mode": "dim=-1 is what PyTorch's None means",
    "topk": "dim=-1 is what PyTorch's None means",
    "Tensor.topk": "dim=-1 is what PyTorch's None means",
    "sort": "stable=None: every sort of norch is stable",
    "load": "safetensors files, no pickles: nothing to choose",
    "save": "safetensors files, no pickles: nothing to choose",
    "lu": "PyTorch's takes *args and **kwargs: these are those of the method",
    "memory_format": "a class nobody calls",
    "meshgrid": "'ij' is what PyTorch's None means, which it warns about",
    "promote_types": DOCUMENTED,
    "searchsorted": DOCUMENTED,
    "set_num_threads": DOCUMENTED,
    "swapaxes": NUMPY,
    "true_divide": DOCUMENTED,
    "std": UNBIASED,
    "std_mean": UNBIASED,
    "var": UNBIASED,
    "var_mean": UNBIASED,
    "Tensor.std": UNBIASED,
    "Tensor.var": UNBIASED,
    "unique": OVERLOADS,
    "unique_consecutive": OVERLOADS,
    "nn.RNN": OVERLOADS,
    "nn.LSTM": OVERLOADS,
    "nn.GRU": OVERLOADS,
    "nn.Hardtanh": "min_value and max_value are PyTorch's deprecated words",
    **{f"F.{name}": OVERLOADS for name in DISPATCHED},
    "autograd.backward": "grad_variables is PyTorch's deprecated word",
    "compile": "PyTorch's default backend is inductor, and its other options are **others",
    "data.random_split": "generator=None is the default generator",
}


@pytest.mark.parametrize(("place", "name"), shared(), ids=lambda part: part)
def test_signature(place, name):
    key = f"{place}.{name}".strip(".")
    if key in DIFFERENT:
        return
    ours, theirs = (parameters_of(getattr(found(side), name)) for side in PLACES[place])
    if theirs is None:
        return
    if place == "Tensor" and ours and ours[0][0] in ("input", "tensor"):
        ours = ours[1:]  # a method is the function itself: its first argument is the tensor
    reference = getattr(found(PLACES[place][1]), name)
    if not inspectable(reference):
        check_documented(ours, theirs, key)
    elif "size_average" in inspect.signature(reference).parameters:
        assert compared(ours, True) == compared(theirs, True), key
    else:
        assert compared(ours) == compared(theirs), key


def inspectable(value):
    """Whether Python can read the signature; what a docstring says is one overload of several."""
    try:
        inspect.signature(value)
    except (TypeError, ValueError):
        return False
    return True


def compared(parameters, any_kind=False):
    """Positional ones in order; those by keyword alone in any order; with their defaults."""
    if any_kind:  # behind the deprecated words ours are by keyword, so that none is mistaken
        return [(name, plain(default)) for name, _, default in parameters]
    positional = [(n, plain(d)) for n, kind, d in parameters if kind.startswith("POSITIONAL")]
    keyword = {(n, plain(d)) for n, kind, d in parameters if kind == "KEYWORD_ONLY"}
    return positional, sorted(keyword, key=str)


def check_documented(ours, theirs, key):
    """What PyTorch documents exists, in its order, with its default if it has one."""
    known = {name: default for name, _, default in ours}
    rest = any(kind == "VAR_POSITIONAL" for _, kind, _ in ours)
    order = [name for name, kind, _ in ours if kind == "POSITIONAL_OR_KEYWORD"]
    wanted = [name for name, kind, _ in theirs if kind == "POSITIONAL_OR_KEYWORD"]
    if key.startswith("Tensor."):
        wanted = order[: len(wanted)]  # the docstrings of methods have names of their own
    if not rest:
        assert order[: len(wanted)] == wanted, f"{key}: parameters {order}, PyTorch has {wanted}"
    for name, kind, default in theirs:
        if kind == "VAR_POSITIONAL" or (rest and name not in known):
            continue
        if key.startswith("Tensor.") and kind != "KEYWORD_ONLY" and name not in known:
            continue
        assert name in known, f"{key}: no parameter {name}, PyTorch has {theirs}"
        if default is not None and known[name] is not None:
            assert plain(known[name]) == plain(default), f"{key}: {name}={known[name]}, {default}"
