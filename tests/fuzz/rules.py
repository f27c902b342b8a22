"""Who refuses what: every kind of refusal that differs from PyTorch's, with its reason.

explained.py asks whether a rule fits a finding, and holds what is norch's own. Rules are added when
a finding was looked into, and taken out when a long run says that they fit nothing.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

WRITES = re.compile(
    r"\w_(_)?\(|_scatter|inplace|True|__setitem__|hardsigmoid"
    r"|nn\.(\w*LU6?|Hard\w+|Mish|Threshold|\w*Dropout\w*)\(.*\w\)"
    r"|F\.(\w*lu6?|hard\w+|mish|threshold|\w*dropout\w*)\(\w+, "
)
LAYOUT = r"\b(view|view_as|as_strided\w*|stride|is_contiguous|storage_offset|contiguous|detach_)\b"

LINALG = re.compile(
    r"\b(linalg|qr|svd\w*|eigh|eigvalsh|lu|lu_\w+|cholesky\w*|inverse|det|logdet|slogdet|pinverse"
    r"|lstsq|triangular_solve|matrix_rank|nuc)\b"
)


class Rule(NamedTuple):
    """Findings of these kinds, whose call, words and inputs match patterns, have this reason."""

    kinds: str
    call: str
    seen: str
    reason: str
    inputs: str = ""  # searched in what the inputs are: "float32 flipped ties nan inf huge empty"
    mistaken: bool = False  # only of calls that were not made to be right
    writes: bool = False  # only of calls that write into an input
    when: Callable | None = None  # of the call and of norch's side: whether the cause is there


ELEMENTWISE = "threshold|hreshold|shrink|softplus|oftplus|elu|ELU|hardtanh|hinge|isclose|nan_to_num"
ELEMENTWISE += "|eLU|relu|subtract|pairwise_distance|PairwiseDistance|gumbel|margin|normalize"
ELEMENTWISE += "|huber|smooth|scalar_tensor"

REFUSALS = [
    Rule(
        "accepted",
        ELEMENTWISE,
        r"must be (Number|float|int)( or None)?, not Tensor|must be Tensor, not (int|float)"
        r"|got \((Tensor, )?(int|float), Tensor\)",
        "an option of an elementwise function may be a tensor, one number for each element",
        mistaken=True,
    ),
    Rule(
        "accepted",
        r"\b(max|min|mode|prod|argmax|argmin|(nan)?median|any|all)\b",
        "NoneType",
        "a dim that is None stands for every dimension",
        mistaken=True,
    ),
    Rule(
        "accepted",
        r"\b(flip|tile|permute|repeat|movedim|reshape|view)\b",
        "missing 1 required positional",
        "no dims are an empty list of them",
        mistaken=True,
    ),
    Rule(
        "accepted",
        r"softm(ax|in)|sum|mean|prod|nansum",
        r"must be (torch\.)?dtype, not Tensor",
        "a tensor stands for its dtype, as in to()",
        mistaken=True,
    ),
    Rule("accepted", "numpy", "ScalarType BFloat16", "an array of bfloat16 is one of float32"),
    Rule(
        "accepted",
        r"fill|full|where|clamp|clip|Tensor\(|add[rbmc]|r?sub|[hH]ardtanh|[hH]inge",
        "without overflow",
        "a number that a floating dtype cannot hold is infinite",
        "float",
    ),
    Rule(
        "accepted",
        r"\btri[lu]|\brot90\b",
        r"must be int, not (Tensor|float)|invalid combination",
        "a triangle's diagonal may lie between two, or be one for each element; a turn is counted",
        mistaken=True,
    ),
    Rule(
        "accepted",
        r"^t\.\w*dropout\(",
        "missing [12] required positional|takes 3 positional",
        "torch.dropout has defaults here, and inplace",
        mistaken=True,
    ),
    Rule(
        "accepted",
        "og_?[sS]igmoid|soft_margin|SoftMargin|ardswish|ardsigmoid|ardshrink|oftshrink|elu_?"
        "|nll_loss|NLL|kl_div|[CS]?ELU|[hH]uber|[sS]mooth_?[lL]1|[mM]ish",
        "not implemented for '(Byte|Char|Int|Long|Bool)'|Integral inputs not supported"
        "|result type Float can't be cast",
        "activations and losses of whole numbers are computed in their dtype, which may wrap",
    ),
    Rule("accepted", "cumsum|cumprod|sum|prod", "for 'Bool'|not bool", "sums in bools: any"),
    Rule(
        "accepted",
        "ulti_margin|ultiMargin|ultilabel|ultiLabel",
        "not implemented for '(Half|BFloat16)'",
        "PyTorch has no margin losses of halves",
    ),
    Rule(
        "accepted",
        r"^t\.(selu|celu|rrelu|relu|threshold)\(",
        r"takes (from \d to )?\d positional",
        "inplace may be given to the functions of the library, too",
        mistaken=True,
    ),
    Rule("accepted", "Norm", "mixed dtype", "a layer's statistics are promoted as in an addition"),
    Rule(
        "accepted",
        "unique",
        "must be bool, not",
        "a flag of unique is what is true or false; PyTorch's inverse of one number is empty",
        mistaken=True,
    ),
    Rule(
        "refused",
        "^compiled",
        r"\[compile\] a view of an argument is returned",
        "a compiled function computes: it returns no view of what it is given",
    ),
    Rule(
        "refused",
        r"optim\.|LR\(",
        "not nan|must lie in|must be above 0|must be 0 or more",
        "an option that is nan or out of its range; PyTorch's comparisons let nan pass",
        mistaken=True,
    ),
    Rule(
        "accepted",
        r"\b(max|min)\b",
        r"got \((Tensor, )?Tensor, (bool|tuple|int)\)|must be int, not Tensor",
        "beside another tensor keepdim is not read",
        mistaken=True,
    ),
    Rule(
        "accepted",
        "binary_cross_entropy|soft_margin",
        "not differentiable with respect",
        "weights and targets have derivatives here",
    ),
    Rule("refused", "unfold", "reach further than", "a step that no memory has is refused"),
    Rule("accepted", "trap", "bool is not supported", "bools count as 0 and 1"),
    Rule("accepted", "gaussian_nll", r"any\(\) received", "one number as the variance of all"),
    Rule(
        "accepted",
        r"\bdiff\(",
        "'(prepend|append)'",
        "a number stands for a line of it; none is read where no difference is taken",
        mistaken=True,
    ),
    Rule("accepted", "aminmax", "must be int, not tuple", "several dims, as amin and amax take"),
    Rule("refused", "trap", "places for", "places are as many as values; PyTorch stretches one"),
    Rule(
        "accepted",
        "nan_to_num",
        r"argument '(nan|posinf|neginf)'",
        "whole numbers have no nan: what would replace it is not looked at",
        "int|bool",
    ),
    Rule(
        "refused",
        "",
        r"whole numbers must fit 64 bits|does not fit (int32|uint8|int64)",
        "a number that the dtype cannot hold is refused; PyTorch wraps or rounds it",
    ),
    Rule(
        "refused",
        "",
        r"expected (a floating dtype|floating-point numbers)|of float32 or float64"
        r"|\[(uniform|normal|exponential_)\]",
        "layers take floating numbers; PyTorch also pools and normalises whole ones",
    ),
    Rule(
        "refused",
        r"__i\w+__",
        "TypeError",
        "norch raises where PyTorch's method, called by its own name, answers NotImplemented",
    ),
    Rule(
        "refused",
        r"\b(sub|add|rsub)\w*\(|addc|split|bernoulli|count_nonzero",
        r"takes \d positional|beside the input, and alpha=",
        "PyTorch's forms with alpha before other, which it deprecates",
    ),
    Rule(
        "refused",
        "",
        r"bools have no minus",
        "bools have no minus anywhere; PyTorch lets some functions subtract them",
    ),
    Rule(
        "refused",
        "Norm|norm|ropout",
        r"channels|dimensions are expected",
        "the channels are checked; PyTorch does not look where there are no elements, or warns",
    ),
    Rule(
        "class",
        r"index|put|gather|scatter|embedding|take|tensor|\[|cross_entropy|nll|CrossE|Embedding|Loss"
        r"|norm|Norm|pad|narrow",
        r"(Index|Runtime|Value|DType)Error not (Index|Runtime|Value)Error",
        "a bad index and a bad shape in one call: either is told first",
    ),
    Rule(
        "refused",
        "",
        r"cast one of them|expected an index of int64 or int32|expected indices of int64",
        "norch wants one dtype here, and one of indices; PyTorch converts",
    ),
    Rule(
        "refused",
        "",
        r"not nan|must lie in|must not exceed|must be above 0|must be 0 or more",
        "options that are nan, out of their range, or bounds in the wrong order",
        mistaken=True,
    ),
    Rule(
        "refused",
        "",
        r"must be integers, got bool|expected bool, got|nesterov|or sizes as whole numbers",
        "a size is no truth value, and a flag no tensor and no dtype",
        mistaken=True,
    ),
    Rule("refused", "", "one of the two may be a number", "two numbers are no tensor"),
    Rule("refused", "seed", "must be a whole number", "a seed is whole; PyTorch cuts it"),
    Rule("refused", "Pad", r"\d are expected, not", "a layer's widths are one, or one a side"),
    Rule("refused", "broadcast_shapes", "expected numbers", "what is no size is refused"),
    Rule("refused", "Unpool|unpool", "lies outside", "an index beyond the output is refused"),
    Rule("refused", "hook", "must be callable", "a hook is called: here it is asked at once"),
    Rule(
        "accepted",
        "[Dd]ropout[123]d",
        "leaf Variable",
        "PyTorch reshapes the input in place; norch edits nothing where p is 0",
    ),
    Rule(
        "refused",
        r"^(?!.*(einsum|tensordot|inner|matmul|@|\bmm\b|bmm))",
        r": \[",
        "shapes and indices are checked also where there are no elements",
        "empty",
    ),
    Rule("refused", r"// ?y\.|tensor\([\[(]", "", "a list of tensors is stacked by stack()"),
    Rule(
        "accepted",
        "",
        "allocate memory",
        "norch asks for memory that PyTorch's limit does not give",
    ),
    Rule(
        "refused",
        "multinomial",
        "positive weights",
        "a draw without replacement that runs out of weights is refused",
    ),
    Rule("accepted", "Lazy", "", "a lazy layer whose weights are filled before its first input"),
    Rule("class", "view", "divisible|aligned", "memory that is not aligned is refused at its door"),
    Rule(
        "refused",
        "view",
        "cannot be cast|memoryview|whole number of",
        "expanded rows have no bits that can be seen as another dtype",
    ),
    Rule(
        "accepted refused class",
        "pool|Pool|conv|Conv|fill_diagonal_|embedding_bag|take_along_dim|gather|Flatten|flatten",
        "",
        "PyTorch's limits of windows, sizes and indices without elements, or its own slip",
        "empty",
    ),
    Rule(
        "accepted",
        r"logsumexp|avg_pool|AvgPool|MaxPool|max_pool|bilinear|matrix_power|Flatten|flatten|view",
        "",
        "forms that PyTorch documents and then refuses, or the other way round",
    ),
    Rule(
        "accepted",
        "",
        "INTERNAL ASSERT|isIntegral|unpacking long",
        "PyTorch's slip: a number of a tensor, or above 64 bits",
    ),
    Rule("refused", "view", "no other dtype", "bfloat16 has no bits that can be seen otherwise"),
    Rule(
        "refused",
        "split|count_nonzero|round",
        "",
        "odd sections, dims and decimals are refused",
        mistaken=True,
    ),
    Rule("refused", LINALG.pattern, "float32 or float64", "LAPACK has no half precision"),
    Rule(
        "accepted",
        "clamp|clip",
        r"\(Tensor, (Tensor, (int|float)|(int|float), Tensor)",
        "a bound may be a number where the other one is a tensor",
    ),
    Rule("accepted", r"\[", "step must be greater than zero", "norch has negative strides"),
    Rule(
        "refused",
        "take_along_dim",
        "out of range",
        "PyTorch takes an index beyond the end modulo the size; norch refuses it",
    ),
    Rule("accepted class", r"\dj\b", "", "no complex numbers: NotImplemented, or a TypeError"),
    Rule("class", "", "MemoryError not RuntimeError", "what has no room is a MemoryError"),
    Rule(
        "accepted",
        "entropy|BCELoss",
        "should be between 0 and 1",
        "norch does not look at every value of a target that should be a probability",
    ),
    Rule("accepted", "Adafactor", "division by zero", "a parameter without elements", "empty"),
    Rule(
        "accepted",
        "renorm|vecdot",
        "Expected a floating point",
        "norch computes it of whole numbers, too",
    ),
    Rule(
        "accepted",
        "take_along_dim",
        "out of bounds for dimension 0",
        "negative indices count from the end of the flattened input, too",
    ),
    Rule(
        "accepted",
        r"optim\.",
        "either both floats or both Tensors",
        "bools count as 0 and 1",
        mistaken=True,
    ),
    Rule(
        "accepted",
        "Transformer",
        "index 0 is out of range",
        "a stack of no layers gives back what it is given",
        mistaken=True,
    ),
    Rule(
        "accepted",
        "mvlgamma|multigammaln",
        "may not be a boolean",
        "bools count as 0 and 1",
    ),
    Rule("accepted", r"index_put_?\(\[\]", "undefined Tensor", "no index names every element"),
    Rule("edit", r"nn\.ParameterList", "refused", "the weights that are filled are the input"),
    Rule("accepted", "unique_consecutive", "zero sized", "no rows of no elements", "empty"),
    Rule("accepted", "cond", "invalid norm type", "a matrix without elements", "empty"),
    Rule(
        "accepted",
        "lp_pool|LPPool",
        "smaller than kernel|too small",
        "a window larger than the image has no place: nothing is pooled",
    ),
    Rule("accepted", "multi_dot", "must be 1D or 2D", "products of batches, as in matmul"),
    Rule(
        "words",
        r"(max|min|median)\((x, )?None.*\)\.",
        "no attribute",
        "None stands for every dimension, so the result is one tensor, which has no values",
        mistaken=True,
    ),
    Rule("accepted", "trap", "dx as a real number", "bools count as 0 and 1"),
    Rule("accepted", r"device\(", "Cannot access accelerator", "a number is the name of a GPU"),
    Rule(
        "accepted",
        "fill_diagonal_|as_strided",
        "setStorage",
        "PyTorch's fill_diagonal_ wraps by strides; a view of nothing has no offset here",
    ),
    Rule(
        "accepted",
        "lp_pool|LPPool",
        "Dimension out of range",
        "an image without channels is pooled, too",
    ),
    Rule(
        "accepted",
        "norm|distance|Distance",
        "cannot compute the -",
        "a norm of nothing, whatever its power",
        "empty",
    ),
    Rule(
        "accepted",
        "nfold|FeatureAlphaDropout|feature_alpha_dropout",
        "calculated shape|at least 2 dimensions",
        "a window larger than the image has no place; a line has one channel an element",
    ),
    Rule("accepted", "", "MemoryError|bad_alloc", "PyTorch asks for memory that norch does not"),
    Rule("accepted", "norm|Norm", r"select\(\): index 0", "statistics of no channels", "empty"),
    Rule(
        "refused",
        "conv_transpose|ConvTranspose",
        "empty or less",
        "PyTorch's float32 kernel gives an image of size 0, its float64 kernel refuses it",
    ),
    Rule(
        "accepted",
        "[Ff]old",
        r"equals to 2, but got size 1",
        "one number in a list stands for both sides, as in a convolution",
        mistaken=True,
    ),
    Rule("class", "xavier", "not ZeroDivisionError", "the bound of a matrix of nothing", "empty"),
    Rule(
        "accepted",
        "huber|mse",
        "Weights and input must",
        "weights are one for each loss, also where the target is stretched",
        mistaken=True,
    ),
    Rule(
        "accepted",
        "gumbel",
        "same number of dimensions|no larger than self",
        "a tensor as the temperature broadcasts",
        mistaken=True,
    ),
    Rule("accepted", "vecdot", "inconsistent tensor size", "lines broadcast as rows do"),
    Rule("accepted", "repeat_interleave", "0-dim or 1-dim", "counts of nothing", "empty"),
    Rule("accepted", "[Pp]ad", "too small. Calculated output", "a pad may take everything away"),
    Rule("refused", r"\.to\(", r"\[(to|device)\]", "PyTorch takes True and 1.5 for their dtypes"),
    Rule("accepted", "b'x'", "", "bytes are a list of whole numbers", mistaken=True),
    Rule("gradient", "heaviside", "no derivative", "a step has none, whatever reaches it"),
    Rule(
        "refused",
        r"\[\[|\[(x|:), \[|\[\(\(",
        r"from_list\] (the lists are ragged|expected numbers)",
        "a list in brackets is one index; PyTorch takes some for a tuple, and warns",
        mistaken=True,
    ),
    Rule(
        "refused",
        r"\wTensor\(\[(\[\]|\(\)|x), ",
        "ragged",
        "PyTorch's old types read a ragged list as far as the first row says",
    ),
    Rule(
        "accepted",
        "softm(ax|in)",
        "cannot be interpreted as an integer",
        "where in PyTorch's code a warning points is no argument here",
        mistaken=True,
    ),
    Rule(
        "refused",
        "adjoint|m[TH]",
        "at least 2 dimensions, got 0",
        "a number has no last two dimensions; PyTorch warns, and gives it back",
    ),
    Rule(
        "refused",
        "tensordot",
        "must be a number or two lists",
        "a tensor of one float is no number of dims",
        mistaken=True,
    ),
    Rule("refused", "tensordot", "no kernel for bool", "bools have no product; here PyTorch has"),
    Rule(
        "refused",
        r"[-+*/%@&|^<>] ?y\.detach\(\)\.numpy",
        "",
        "beside an array PyTorch leaves the answer to NumPy, norch answers as beside a tensor",
    ),
    Rule(
        "refused",
        r"optim\.",
        "listed twice",
        "PyTorch warns that a parameter twice will be an error; here it is one",
    ),
    Rule("refused", "ParameterList", "must be a Parameter", "only parameters go into it"),
    Rule("refused", "dirac", "do not make -", "groups are counted from 1", mistaken=True),
    Rule(
        "refused",
        "daptive_?[aA]vg_?[pP]ool",
        r"expected \(N",
        "PyTorch's mean over the whole image takes images without channels, its other sizes do not",
    ),
    Rule(
        "refused",
        "nfold|[pP]ool|[cC]onv",
        r"none above 2\^31",
        "sizes above 2^31 are refused; PyTorch's wrap, or are not looked at",
        mistaken=True,
    ),
    Rule(
        "refused",
        "addc(div|mul)",
        "expected a Tensor, got",
        "PyTorch's forms with alpha before other, which it deprecates",
        mistaken=True,
    ),
    Rule(
        "refused",
        "embedding_bag",
        "indices are int64 or int32",
        "PyTorch exchanges the first two arguments, and warns",
    ),
    Rule(
        "refused",
        "[mM]ax_?[pP]ool",
        "nothing but padding",
        "of a window of padding alone PyTorch gives the lowest number",
    ),
    Rule(
        "accepted",
        "Upsampl",
        r"float\(\) argument",
        "scales may be a list, as sizes may",
        mistaken=True,
    ),
    Rule(
        "accepted",
        "Norm|norm",
        r"'momentum' \(position \d\) must be float",
        "momentum is looked at where statistics move",
        mistaken=True,
    ),
    Rule("refused", "Upsampl", "not both or neither", "a size and a scale", mistaken=True),
    Rule("refused", r"PReLU\(\(\)", "whole numbers", "a number of weights is no list"),
    Rule(
        "refused", "orthogonal", "does not hold|do not match", "a gain is one number", mistaken=True
    ),
    Rule(
        "class accepted",
        "matrix_rank",
        "atol=dict",
        "a tolerance that is none is told after the shape, and not at all of no elements",
    ),
    Rule("accepted", r"Sequential\(\{", "", "a dict keeps its order", mistaken=True),
    Rule(
        "refused",
        "broadcast_to|expand",
        "-1 keeps a size",
        "PyTorch's slip: a shape with a size of -1",
        mistaken=True,
    ),
    Rule(
        "refused",
        "AlphaDropout",
        "leaf Variable",
        "PyTorch's layers do not read the word inplace; norch's do",
        mistaken=True,
    ),
    Rule(
        "refused",
        r"SGD\(\[",
        "nesterov needs a momentum",
        "SGD looks at nesterov of each group; PyTorch at the defaults alone",
    ),
    Rule(
        "refused",
        r"@|\b(matmul|mm|mv|bmm|dot|vdot|inner|linear|tensordot|einsum|bilinear|addr|outer)\b",
        "no kernel for int8: cast to int32, where sums fit",
        "products of int8 are refused: their sums would not fit",
    ),
    Rule(
        "refused",
        r"LBFGS\(.*max_iter",
        "cannot be interpreted as an integer",
        "a number of iterations is a whole number",
        mistaken=True,
    ),
    Rule(
        "refused",
        LINALG.pattern,
        "has NaN or infinity among its elements",
        "a matrix with nan or infinity is refused, whatever LAPACK would make of it",
    ),
    Rule(
        "refused",
        r"optim\.\w+\(.*=('a'|None|\[\]|\(0\.1,\))",
        "TypeError",
        "an option that is no number; PyTorch does not look at one that no step reads",
        mistaken=True,
    ),
    Rule(
        "accepted",
        "repeat_interleave",
        "only accept 1D",
        "one number of repeats stands for a list of one",
    ),
    Rule(
        "refused",
        "kthvalue|topk|median",
        "no kernel for bool",
        "PyTorch looks at no dtype where a row has one element",
    ),
    Rule(
        "refused",
        "MultiStepLR",
        "NoneType|not supported between",
        "milestones that are no whole numbers; PyTorch counts whatever it is given",
        mistaken=True,
    ),
    Rule(
        "accepted", "DataLoader", r"sys\.maxsize|index-sized", "a batch may be longer than any data"
    ),
]
