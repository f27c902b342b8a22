"""Every call of the tables with dimensions of size 0, beside PyTorch: about 9,400 calls.

What differs stands in one table with its reason. A new difference fails, and so does an entry that
nothing needs any more.
"""

import re

from cases_forms import FORMS
from cases_functional import FUNCTIONAL
from cases_modules import MODULES
from cases_pointwise import POINTWISE
from cases_shapes import SHAPE_CASES
from zero_sizes import check_calls, check_module

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
    (r"t.unique\(", r"graph: \[False\]"): "unique has no derivative, of nothing either",
    (r"trapezoid\(x\)", r"float32 not torch.int64"): "an area of integers is a float, as PyTorch's "
    "of more than none",
    (r"addmv", r"norch.Size\(\[0\]\)"): "a broadcast bias; PyTorch returns it in its own shape",
    (r"numpy\(\)", r"True|PyTorch raises ValueError"): "NumPy's refusal, or its answer",
    (r"x != y.detach\(\).numpy\(\)", r"do not match"): "element by element, as ==",
    (r"logdet", r"LinAlgError"): "the inverse of a singular matrix is refused in its gradient too",
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
