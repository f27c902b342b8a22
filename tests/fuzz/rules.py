"""The table of what differs from PyTorch by its own limits: every kind with its reason.

explained.py asks whether a rule fits a finding, and holds what is norch's own. Rules are added when
a finding was looked into, and taken out when a long run says that they fit nothing.
"""

import re
from typing import NamedTuple

ORDERED = "sort|argsort|topk|kthvalue|median|nanmedian|mode|msort|cummax|cummin|aminmax|quantile"
ORDERED += "|nanquantile|max|min|amax|amin|unique"
WRITES = re.compile(r"\w_(_)?\(|_scatter|inplace|True|__setitem__|hardsigmoid")
LAYOUT = r"\b(view|view_as|as_strided\w*|stride|is_contiguous|storage_offset|contiguous|detach_)\b"

LINALG = r"qr|svd|eig|lu\b|lu_|solve|inv|det|cholesky|lstsq|cond|matrix_rank|matrix_norm|nuc"


class Rule(NamedTuple):
    """Findings of these kinds, whose call, words and inputs match patterns, have this reason."""

    kinds: str
    call: str
    seen: str
    reason: str
    inputs: str = ""  # searched in what the inputs are: "float32 flipped ties nan inf huge empty"
    mistaken: bool = False  # only of calls that were not made to be right
    writes: bool = False  # only of calls that write into an input


BESIDE = [
    Rule(
        "accepted class",
        "",
        r"not implemented for|nsupported|ot support|nly supports|only implemented|is not currently",
        "PyTorch has no kernel for this dtype; norch has one, or refuses in its own class of error",
    ),
    Rule(
        "accepted",
        "",
        r"dtype|scalar type|be cast to the desired|of type \w*Long|Got: ?\w+",
        "norch promotes or converts dtypes that PyTorch wants equal or exact",
    ),
    Rule(
        "accepted class",
        "",
        r"not differentiable with respect|erivative for|Autograd not support",
        "a derivative that PyTorch does not have",
    ),
    Rule(
        "accepted",
        "",
        r"TypeError|without overflow|Boolean value of Tensor|Boolean alpha",
        "norch takes what behaves like the argument, and does not look at one that it does not "
        "need; PyTorch's parser asks for exact types",
    ),
    Rule(
        "accepted class",
        "",
        r"on-empty|non-batch dim|batch size|positive length|at least one element|non-zero size"
        r"|to have non-zero|non empty|0 sized dim|no dimensions|step must be nonzero",
        "norch answers for inputs without elements or dimensions",
    ),
    Rule("accepted", "numpy", "", "an operator of norch takes an array beside a tensor"),
    Rule(
        "accepted",
        "",
        r"view size is not compatible|single memory location|nternal overlap|emory overlap"
        r"|primitive descriptor",
        "PyTorch's way would need a copy or write twice; norch's does not",
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
        r"expected a floating dtype|of float32 or float64|\[(uniform|normal|exponential_)\]",
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
        "takes \d positional",
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
        "value",
        rf"\b({ORDERED})\b",
        r"^int(64|32)",
        "which of several equal elements is named is not promised",
        "ties",
    ),
    Rule(
        "gradient",
        rf"\b({ORDERED})\b",
        "",
        "which of several equal elements gets the gradient is not promised",
        "ties",
    ),
    Rule("refused value gradient words", "", r"complex|j[,)\]]", "no complex numbers"),
    Rule(
        "value refused accepted edit gradient",
        LAYOUT,
        "",
        "norch has negative strides; PyTorch was given a copy instead",
        "flipped",
    ),
    Rule(
        "value",
        "NAdam|ASGD",
        r"\d",
        "PyTorch keeps a factor of NAdam and ASGD in single precision",
        "float64",
    ),
    Rule("gradient", "oisson|softmax|logsumexp", "nan", "norch's where lets no nan through"),
    Rule("value", "copysign", "", "the sign of a nan", ""),
    Rule(
        "value",
        "group_norm|GroupNorm",
        "",
        "PyTorch multiplies before it subtracts the mean, and cancels where weights are huge",
    ),
    Rule(
        "class",
        r"index|put|gather|scatter|embedding|take|tensor|\[|cross_entropy|nll|CrossE|Embedding|Loss"
        r"|norm|Norm|pad|narrow",
        r"(Index|Runtime|Value|DType)Error not (Index|Runtime|Value)Error",
        "a bad index and a bad shape in one call: either is told first",
    ),
    Rule(
        "value gradient",
        "fmod|remainder|floor_divide|//|%",
        "nan|inf",
        "PyTorch's vector code divides by a denormal as by zero",
        "tiny",
    ),
    Rule(
        "value",
        r"ldexp",
        "",
        "PyTorch takes 2 to an int64 power, which overflows; norch's is exact",
    ),
    Rule(
        "value",
        r"\b(eq|ne|lt|le|gt|ge|less|greater|not_equal)\w*|[<>=]=|[<>]",
        "",
        "norch compares with the number as given; PyTorch rounds it to the dtype first",
    ),
    Rule(
        "value gradient",
        "attention|Attention|Transformer",
        "",
        "a masked place is left out; PyTorch adds -inf to it, which is nan beside inf",
        "inf|nan|huge",
    ),
    Rule(
        "value gradient",
        "ardswish|gelu|GELU|ilu|elu|ELU|ish\b",
        "",
        "at the infinities norch gives the limit; PyTorch's half-precision kernels give nan",
        "inf|nan|huge",
    ),
    Rule("value", "logit", "", "a nan as eps clamps nothing in PyTorch, everything here"),
    Rule(
        "refused",
        "",
        r": \[",
        "nonsense that PyTorch lets through, and norch refuses with a sentence",
        mistaken=True,
    ),
    Rule(
        "refused",
        r"^(?!.*(einsum|tensordot|inner|matmul|@|\bmm\b|bmm))",
        r": \[",
        "shapes and indices are checked also where there are no elements",
        "empty",
    ),
    Rule(
        "dtype refused",
        r"oss|entropy|[Nn]orm",
        "",
        "losses promote dtypes as operators do, and layers ask for one dtype; PyTorch's take the "
        "first or compute in a wider one",
    ),
    Rule("refused", r"// ?y\.|tensor\(\[", "", "a list of tensors is stacked by stack()"),
    Rule("dtype", "numpy|bincount", "", "an array of NumPy counts as a tensor of its dtype"),
    Rule(
        "value gradient", "soft_margin|SoftMargin", "", "PyTorch negates targets of uint8", "uint8"
    ),
    Rule(
        "gradient",
        r"(eq|ne|lt|le|gt|ge|less|greater|not_equal|equal)_\(",
        "",
        "a comparison in place has no derivative, and no graph",
    ),
    Rule("value", "signbit", "bool", "the sign of a nan", "nan"),
    Rule(
        "value gradient",
        r"norm|cdist|dist",
        "",
        "powers above 1e6 under- or overflow first",
        mistaken=True,
    ),
    Rule(
        "value gradient",
        r"digamma|polygamma|lgamma|gamma",
        "",
        "PyTorch's gamma functions are right to 5e-10 and wrong near their poles; norch computes "
        "in float64 to the last digit",
    ),
    Rule(
        "value gradient",
        r"matrix_power|multi_dot|chain_matmul|einsum",
        "nan|inf",
        "where products overflow depends on their order",
        "inf|nan|huge",
    ),
    Rule("value", r"stride\(\)", "object", "strides of dimensions of size 1 or 0 mean nothing"),
    Rule(
        "value gradient",
        r"oss|entropy|kl_div|Div",
        "nan|inf",
        "where nan, inf - inf and 0 * inf arise depends on the order of a loss's terms",
        "inf|nan|huge",
    ),
    Rule("gradient", r"oss|entropy|kl_div|Div", "", "a mean over a nan has any derivative", "nan"),
    Rule(
        "gradient",
        "kl_div|KLDiv|oisson",
        "nan",
        "the logarithm of a target that is no probability: norch's where lets no nan through",
    ),
    Rule(
        "value gradient",
        r"index_put|scatter|put_|index_copy|\] = ",
        "",
        "several writes to one place, in the index or in the memory: any may win",
        "int64|bool|overlapping|expanded",
    ),
    Rule("gradient", "ardsigmoid", "", "PyTorch's 1 / 6 is a float32 here", "float64"),
    Rule("value", r"psampl|interpolate", "nan", "0 times inf, where a weight is 0", "inf|nan|huge"),
    Rule(
        "value gradient",
        "median|mode|kthvalue",
        "",
        "PyTorch's median, mode and kthvalue of a row without a stride read memory beside it",
        "expanded|overlapping",
    ),
    Rule("dtype", "ropout", "", "dropout keeps the dtype that its multiplication gives"),
    Rule(
        "shape",
        "unshuffle|Unshuffle",
        "",
        "PyTorch returns an image without elements as it came",
        "empty",
    ),
    Rule(
        "accepted",
        "",
        "allocate memory",
        "norch asks for memory that PyTorch's limit does not give",
    ),
    Rule(
        "value",
        "cdist|batch_norm|BatchNorm",
        "nan|inf",
        "where inf - inf arises depends on the order of terms",
        "inf|nan|huge",
    ),
    Rule(
        "refused",
        "multinomial",
        "positive weights",
        "a draw without replacement that runs out of weights is refused",
    ),
    Rule("accepted", "Lazy", "", "a lazy layer whose weights are filled before its first input"),
    Rule(
        "gradient",
        "osine_similarity|osineSimilarity|osine_embedding",
        "",
        "PyTorch lets a norm below eps, which it clamps, have a derivative",
    ),
    Rule("gradient", "atan2|arctan2", "", "PyTorch negates whole numbers of uint8", "uint8"),
    Rule(
        "value gradient",
        "mm|mv|matmul|@|linear|conv|avg_pool|AvgPool|dot|trap|cross|cum|sum|mean|ger|addr|bilinear",
        "",
        "what is left where huge terms cancel or overflow depends on their order",
        "huge",
    ),
    Rule("gradient", "norm", "", "a norm of power 0 has derivative 0 everywhere", "inf|nan|huge"),
    Rule(
        "gradient", "trapz|trapezoid", "graph", "of one point or none there is no area and no graph"
    ),
    Rule("value gradient", "ldexp|LeakyReLU|leaky_relu", "nan|inf", "0 times inf"),
    Rule(
        "value",
        "is_contiguous",
        "object",
        "a tensor without elements is contiguous in every format",
        "empty",
    ),
    Rule("class", "view", "divisible|aligned", "memory that is not aligned is refused at its door"),
    Rule(
        "refused",
        "view",
        "cannot be cast|memoryview|whole number of",
        "expanded rows have no bits that can be seen as another dtype",
    ),
    Rule(
        "value",
        "ulti_margin|ultiMargin",
        "nan",
        "the mean of no losses is nan; PyTorch returns what the memory held",
        "empty",
    ),
    Rule("gradient", r"clamp|clip|hardtanh", "", "which bound a nan meets", "nan"),
    Rule(
        "accepted refused class",
        "pool|Pool|conv|Conv|fill_diagonal_|embedding_bag|take_along_dim|gather|Flatten|flatten",
        "",
        "PyTorch's limits of windows, sizes and indices without elements, or its own slip",
        "empty",
    ),
    Rule(
        "shape value",
        r"loss|kl_div",
        "",
        "the third argument of a loss is size_average in PyTorch; here a word there is a reduction",
        mistaken=True,
    ),
    Rule("value", "untyped_storage|Sampler", "object", "objects that print otherwise"),
    Rule(
        "shape refused", r"tensor\(\[", "", "tensors in a list of tensor() are numbers in PyTorch"
    ),
    Rule(
        "value", "MaxPool|max_pool", "int64", "the place of a largest element among padding alone"
    ),
    Rule(
        "gradient",
        r"\*\* ?(False|0)|pow|lerp",
        "nan|inf",
        "0 times inf, where a power is 0",
        "inf|nan|huge|ties",
    ),
    Rule("gradient", "cross_entropy|CrossEntropy", "nan", "the mean of no targets", mistaken=False),
    Rule(
        "gradient", "bernoulli|repeat_interleave", "", "what is drawn or counted has no derivative"
    ),
    Rule("dtype", "repeat_interleave", "", "counts and places are int64, also of int32"),
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
    Rule("refused", LINALG, "float32 or float64", "LAPACK has no half precision"),
    Rule("value dtype", "trap", "", "whole numbers are halved before they are multiplied", "int"),
    Rule("shape", "addmv", "", "PyTorch does not stretch the input over an empty sum", "empty"),
    Rule("value", "corrcoef", "nan", "equal elements have no correlation: 0 / 0"),
    Rule("gradient", "npool", "graph", "what has no elements has no graph", "empty"),
]
