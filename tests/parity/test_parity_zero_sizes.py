"""Every call of the tables with dimensions of size 0, beside PyTorch: about 9,400 calls.

A call is right with the inputs that stand beside it. Here each of their dimensions in turn is set
to 0, and all together; compared are the value or the class of the exception, whether there is a
graph, and the gradients. What differs stands in one table with its reason. A new difference fails,
and so does an entry that nothing needs any more.
"""

import re

from cases_forms import FORMS
from cases_functional import FUNCTIONAL
from cases_modules import MODULES
from cases_pointwise import POINTWISE
from cases_shapes import SHAPE_CASES
from checks import copy_state
from compare import (
    arrays_of,
    evaluate,
    filled,
    gradients,
    is_tensor,
    learnable,
    outcome,
    parts_of,
    same,
    same_error,
    tensor_in,
)
from fuzz.generate import DRAWN

import norch


def emptied(inputs):
    """Return the inputs "f3,4 i3" with each dimension in turn as 0, and all of them."""
    words = [(word[0], word[1:].split(",")) for word in inputs.split()]
    places = [(i, d) for i, (_, sizes) in enumerate(words) for d, n in enumerate(sizes) if n]
    found = [_written(words, {place}) for place in places] + [_written(words, set(places))]
    return [text for text in dict.fromkeys(found) if text != inputs]


def _written(words, zeros):
    """Return words with the sizes at `zeros`, pairs (input, dimension), as 0."""
    return " ".join(
        kind + ",".join("0" if (i, d) in zeros else size for d, size in enumerate(sizes))
        for i, (kind, sizes) in enumerate(words)
    )


def _call(library, text, inputs, with_gradient):
    """Return (value, error) of an expression, and the leaves that have a gradient."""
    tensors = [tensor_in(library, a) for a in arrays_of(inputs, text)]
    leaves = [x.requires_grad_() for x in learnable(tensors)] if with_gradient else []
    return outcome(library, text, tensors), leaves


def check_calls(text, inputs):
    """Yield (emptied inputs, what differs) of one expression that PyTorch takes as it stands."""
    import torch

    accepted = (g for g in (True, False) if _call(torch, text, inputs, g)[0][1] is None)
    with_gradient = next(accepted, None)  # some arguments of PyTorch have no derivative
    if with_gradient is None:
        return
    for empty in emptied(inputs):
        sides = [_call(library, text, empty, with_gradient) for library in (norch, torch)]
        yield empty, difference(*sides, text)


def check_module(text, inputs):
    """Yield the same of one module, parameters and buffers included."""
    import torch

    for empty in emptied(inputs):
        ours, theirs = (evaluate(library, text, []).double() for library in (norch, torch))
        copy_state(ours, theirs)
        sides = []
        for library, module in ((norch, ours), (torch, theirs)):
            tensors = [tensor_in(library, a) for a in arrays_of(empty, text)]
            leaves = [x.requires_grad_() for x in learnable(tensors)]
            leaves += [p for p in module.parameters() if p.requires_grad]
            sides.append((outcome(library, "x(*y)", [module, tensors]), leaves))
        states = [((dict(m.state_dict()), None), []) for m in (ours, theirs)]
        yield empty, difference(*sides, text) or difference(*states, "state_dict")


def difference(ours, theirs, what):
    """Return in a line how two sides ((value, error), leaves) differ; None if they do not."""
    try:
        _compare(*ours[0], ours[1], *theirs[0], theirs[1], what)
    except AssertionError as error:
        return " ".join(str(error).split())
    except Exception as error:  # norch refuses what PyTorch takes, or in its backward pass
        return f"{type(error).__name__}: {error}"
    return None


def _compare(value, refused, leaves, expected, error, their_leaves, what):
    """Compare values or errors, then gradients."""
    import torch

    if error is not None:
        return same_error(refused, error, what)
    if refused is not None:
        raise refused
    if DRAWN.search(what):  # the numbers are nobody's promise
        value, expected = (
            [p.detach() * 0 if is_tensor(p) else p for p in parts_of(side)]
            for side in (value, expected)
        )
        return same(value, expected, what)
    same(value, expected, what)
    if not leaves:
        return None
    wanted = [is_tensor(p) and p.requires_grad for p in parts_of(expected)]
    given = [is_tensor(p) and p.requires_grad for p in parts_of(value)]
    assert given == wanted, f"graph: {given}, PyTorch: {wanted}"
    try:
        known = filled(gradients(torch, expected, their_leaves), their_leaves)
    except (NotImplementedError, RuntimeError):
        return None  # PyTorch has no derivative here
    return same(filled(gradients(norch, value, leaves), leaves), known, "gradient")


CASES = list(dict.fromkeys(POINTWISE + SHAPE_CASES + FUNCTIONAL + FORMS))
CRASHES = ('driver="gelss"',)  # ends PyTorch's process for right-hand sides of no columns

OUT_OF_RANGE = "an index into a dimension of size 0 is an IndexError, as into every other; PyTorch "
OUT_OF_RANGE += "speaks of storage, steps or sizes, or lets it pass"
NO_CHANNELS = "of no channels (or no width) norch makes a result of none; PyTorch refuses"
STRICT = "sizes that do not fit are refused as for every other size; PyTorch stops looking at 0"
SELECTS = "PyTorch selects row 0 of an empty batch for its answer and fails there"
GRAPH = "PyTorch answers with a new tensor, out of reach of backward"
LAYERS = (
    r"avg_pool|AvgPool|adaptive_max|AdaptiveMax|interpolate|Upsampl|pad\(x|Pad|[Ff]old|conv|Conv"
)

# (what the call says, what the difference says): why it differs.
DIFFERENT = {
    (
        LAYERS,
        r"PyTorch raises RuntimeError: .*([Nn]on-empty|non-zero|Only zero|0 dim|positive)",
    ): NO_CHANNELS,
    (
        r"adaptive_avg_pool2d\(x, 1\)|AdaptiveAvgPool2d\(1\)",
        r"image with elements",
    ): "PyTorch gives the mean of nothing, nan, for an output of size 1 alone, and refuses others",
    (
        r"index_|embedding|cross_entropy|nll_loss|margin_loss",
        r"IndexError|target .* out of",
    ): OUT_OF_RANGE,
    (
        r"embedding_bag|EmbeddingBag",
        r"step must be nonzero",
    ): "bags of no names give zeros, as without names after an offset; PyTorch counts in steps",
    (r"[Bb]atch_?[Nn]orm|[Ii]nstance_?[Nn]orm", r"PyTorch raises IndexError: select"): SELECTS,
    (
        r"[Bb]atch_?[Nn]orm|[Ii]nstance_?[Nn]orm",
        r"does not match|do not match|channels are exp",
    ): STRICT,
    (
        r"scaled_dot_product|bincount|trapezoid\(x, y|matrix_rank",
        r"do not match|do not broadcast|does not broadcast|differ|places for 0",
    ): STRICT,
    (r"conv", r"got kernel 0"): STRICT,
    (r"bincount", r"float64 not torch.int64"): "weighted counts have the dtype of the weights",
    (r"gaussian_nll", r"does not fit"): "a ValueError as for every wrong var",
    (
        r"label_smoothing",
        r"\[0.\], PyTorch gives \[nan\]",
    ): "the sum over no rows is 0; PyTorch divides by no classes first",
    (
        r"pixel_unshuffle|PixelUnshuffle",
        r"not torch.Size",
    ): "PyTorch returns an empty image as it is, its sizes not divided",
    (r"bilinear\(x, y, z", r"can be any value"): "PyTorch reshapes 0 elements to a size of -1",
    (r"memory_format", r"PyTorch gives"): "strides of no elements address nothing: norch's are "
    "those of a contiguous tensor",
    (r"view\(t.float", r"stride\(-1\) must be 1"): "PyTorch's from_numpy makes strides of 0 here",
    (r"trapezoid|trapz|linalg.norm|matrix_norm", r"graph: \[True\]"): GRAPH,
    (r"trapezoid\(x\)", r"float32 not torch.int64"): "an area of integers is a float, as PyTorch's "
    "of more than none",
    (
        r"scaled_dot_product",
        r"norch.Size\(\[0, 3, 8\]\) not",
    ): "batches of 1 and 0 broadcast to 0, as in matmul; PyTorch's result keeps the query's batch",
    (r"addmv", r"norch.Size\(\[0\]\)"): "a broadcast bias; PyTorch returns it in its own shape",
    (r"numpy\(\)", r"True|PyTorch raises ValueError"): "NumPy's refusal, or its answer",
    (r"x != y.detach\(\).numpy\(\)", r"do not match"): "element by element, as ==",
    (r"lstsq", r"PyTorch gives \[0. 0.\]"): "without columns the residual is the right-hand side",
    (r"lstsq", r"INTERNAL ASSERT"): "a fault of PyTorch's by its own words",
    (r"linalg.cond", r"square matrices"): "of no elements every condition is 0, as for p = 2",
    (r"median\(x\)", r"no elements"): "there is no nan for integers; PyTorch gives a number",
    (r"unique_consecutive", r"0 sized|zero sized"): "no slices that differ; PyTorch refuses",
    (r"xavier_", r"ZeroDivisionError"): "a RuntimeError in norch's words",
}


def trouble():
    """Return a line for each difference."""
    for check, cases in ((check_calls, CASES), (check_module, list(dict.fromkeys(MODULES)))):
        for text, inputs in cases:
            if not any(part in text for part in CRASHES):
                for empty, what in check(text, inputs):
                    if what is not None:
                        yield f"{text} # {empty}", what


def test_only_what_is_explained_differs():
    new, used = [], set()
    for call, what in trouble():
        reasons = [k for k in DIFFERENT if re.search(k[0], call) and re.search(k[1], what)]
        used.update(reasons)
        if not reasons:
            new.append(f"{call}: {what[:300]}")
    assert not new, f"{len(new)} of them:\n" + "\n".join(new[:20])
    stale = set(DIFFERENT) - used
    assert not stale, f"nothing says {stale} any more: take the entry out"
