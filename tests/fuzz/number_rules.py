"""Which numbers, dtypes, shapes and gradients differ from PyTorch's, each kind with its reason.

explained.py asks whether a rule fits a finding. Rules are added when a finding was looked into, and
taken out when a long run says that they fit nothing.
"""

from fuzz.laws import is_not_finite, is_singular
from fuzz.layer_rules import LAYERS
from fuzz.rules import LAYOUT, LINALG, Rule
from fuzz.training_rules import TRAININGS

ORDERED = "sort|argsort|topk|kthvalue|median|nanmedian|mode|msort|cummax|cummin|aminmax|quantile"
ORDERED += "|nanquantile|max|min|amax|amin|unique"

OTHERS = [
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
    Rule("refused value gradient words dtype", "", r"complex|j[,)\]]", "no complex numbers"),
    Rule(
        "value refused accepted edit gradient",
        LAYOUT,
        "",
        "norch has negative strides; PyTorch was given a copy instead",
        "flipped",
    ),
    Rule("gradient", "oisson|softmax|logsumexp", "nan", "norch's where lets no nan through"),
    Rule("value", r"copysign|\.view\(", "", "the sign and the bits of a nan", "nan"),
    Rule(
        "value gradient",
        r"\.(__[ir]?mod__|fmod|remainder|floor_divide)_?\(|//|%",
        "nan|inf",
        "PyTorch's vector code divides by a denormal as by zero",
        "tiny",
    ),
    Rule(
        "value gradient",
        r"ldexp",
        "",
        "PyTorch takes 2 to an int64 power, which overflows; norch's is exact",
    ),
    Rule(
        "value",
        r"\.(eq|ne|lt|le|gt|ge|less|less_equal|greater|greater_equal|not_equal)\(|[!<>=]=|[<>]",
        "^bool ",
        "norch compares with the number as given; PyTorch rounds it to the dtype first",
    ),
    Rule("value", "logit", "", "a nan as eps clamps nothing in PyTorch, everything here"),
    Rule("dtype", "numpy|bincount", "", "an array of NumPy counts as a tensor of its dtype"),
    Rule(
        "gradient",
        r"(eq|ne|lt|le|gt|ge|less|greater|not_equal|equal)_\(",
        "",
        "a comparison in place has no derivative, and no graph",
    ),
    Rule(
        "value",
        r"\b(gcd|lcm)_?\(",
        "int",
        "PyTorch's lowest whole number has no magnitude",
        "lowest",
    ),
    Rule(
        "value gradient",
        r"__setitem__\(\w+\[t\.tensor\(\[",
        "",
        "several writes to one place, in the index or in the memory: any may win",
    ),
    Rule(
        "value", "norm", r"expected \[0\.0", "a norm of nothing, whatever its power", "empty", True
    ),
    Rule("value", "signbit", "bool", "the sign of a nan", "nan"),
    Rule(
        "value gradient",
        r"\.(digamma|polygamma|lgamma|mvlgamma|multigammaln|gammaln|psi|igamma|igammac)_?\(",
        "",
        "PyTorch's gamma functions are right to 5e-10 and wrong near their poles; norch computes "
        "in float64 to the last digit",
    ),
    Rule(
        "value gradient",
        r"matrix_power|multi_dot|chain_matmul|tensordot|einsum|prod",
        "nan|inf",
        "where products overflow depends on their order",
        "inf|nan|huge",
    ),
    Rule("value", r"stride\(\)", "object", "strides of dimensions of size 1 or 0 mean nothing"),
    Rule(
        "value gradient",
        r"index_put|scatter|put\b|put_|index_copy|\] = ",
        "",
        "several writes to one place, in the index or in the memory: any may win",
        "int64|bool|overlapping|expanded",
    ),
    Rule("gradient", r"\b[Hh]ardsigmoid\(", "", "PyTorch's 1 / 6 is a float32 here", "float64"),
    Rule(
        "value gradient",
        r"\b(nanmedian|median|mode|kthvalue)\(",
        "",
        "PyTorch's median, mode and kthvalue of a row without a stride read memory beside it",
        "expanded|overlapping",
    ),
    Rule(
        "gradient",
        "atan2|arctan2",
        "",
        "PyTorch squares whole numbers in their own dtype, which wraps",
        "int",
    ),
    Rule(
        "value",
        r"\.addm[mv]_?\(",
        "nan|inf",
        "PyTorch's addmm and addmv do not read a product times 0; its baddbmm does",
        mistaken=True,
    ),
    Rule(
        "gradient", "trapz|trapezoid", "graph", "of one point or none there is no area and no graph"
    ),
    Rule(
        "value",
        "is_contiguous",
        "object",
        "a tensor without elements is contiguous in every format",
        "empty",
    ),
    Rule("value", "untyped_storage|Sampler", "object", "objects that print otherwise"),
    Rule(
        "shape refused accepted",
        r"(tensor|asarray|new)\([\[(]",
        "",
        "tensors in a list of tensor() are numbers in PyTorch",
    ),
    Rule(
        "gradient",
        r"\*\* ?(False|0)|pow|lerp",
        "nan|inf",
        "0 times inf, where a power is 0",
    ),
    Rule(
        "gradient",
        r"bernoulli|repeat_interleave|\bnormal\(|poisson\(",
        "",
        "what is drawn or counted has no derivative",
    ),
    Rule("dtype", "repeat_interleave", "", "counts and places are int64, also of int32"),
    Rule("value dtype", "trap", "", "whole numbers are halved, not cut", "int|bool"),
    Rule("value", r"unique\(", "nan", "rows with a nan have no order", "nan"),
    Rule("value gradient", r"add(bmm|mm|mv|r)\b.*inf", "nan", "inf times a 0, or times their sum"),
    Rule("shape", "addmv", "", "PyTorch does not stretch the input over an empty sum", "empty"),
    Rule("value", "corrcoef", "nan", "equal elements have no correlation: 0 / 0"),
    Rule("refused value gradient words shape", r"\dj\b", "", "no complex numbers"),
    Rule(
        "value", r"nansum.*dtype=t\.(int|uint|bool)", "", "infinity as a whole number", "inf|huge"
    ),
    Rule(
        "value",
        r"\bmode\b",
        "",
        "PyTorch's mode of [nan, 1] is nan, and of [1, nan] it is 1",
        "nan",
    ),
    Rule(
        "value",
        "trapz|trapezoid",
        "nan",
        "PyTorch takes half the ends off the sum: inf - inf",
        "inf|huge",
    ),
    Rule(
        "gradient",
        "addcdiv|addcmul",
        "",
        "PyTorch multiplies whole numbers by value in their own dtype, which wraps",
        "int|uint8",
    ),
    Rule(
        "gradient",
        r"\(x \* .*(inf|e30|\d{9}|nan)\)\.\w+_\(",
        r"expected \[-?0\.0",
        "PyTorch's zero gradients stay zero times infinity",
    ),
    Rule(
        "gradient",
        r"math\.(inf|nan)",
        "nan|inf",
        "whether an infinite factor meets the terms or their sum depends on the order",
        mistaken=True,
    ),
    Rule("shape", r"unique_consecutive\([xyzwv], True", "", "PyTorch's inverse is empty here"),
    Rule("shape", r"::9223372036854775808", "", "PyTorch's step of 2^63 wraps"),
    Rule("dtype", "char|int8", "int16", "int16 is for storage: int8 with uint8 make int32"),
    Rule(
        "gradient",
        r"cl(amp|ip)_?\((x, )?(\w), \3\)",
        "",
        "between two equal bounds PyTorch gives the lower no gradient",
    ),
    Rule("value gradient", r"(ardtanh|shrink)\w*\(.*nan", "", "a bound that is nan bounds nothing"),
    Rule(
        "value gradient",
        r"(ardtanh|shrink)\w*\(.*\b[yzw]\b",
        "",
        "a bound that is nan bounds nothing",
        "nan",
    ),
    Rule(
        "value",
        "var_mean|std_mean",
        "nan",
        "PyTorch's mean beside a variance: inf - inf",
        "inf|huge",
    ),
    Rule(
        "gradient",
        "cholesky_(inverse|solve)",
        "",
        "PyTorch's derivative reads the triangle that the function ignores",
    ),
    Rule("gradient", "sinc", "", "PyTorch's derivative of sinc cancels near 0", "small"),
    Rule(
        "gradient",
        r"\b(var|std)\w*\(.*(\(\)|\[\])",
        "",
        "PyTorch's derivative of a variance over no dims, which are all, counts one element",
    ),
    Rule(
        "gradient",
        "hypot",
        "",
        "lengths among the smallest numbers have one bit or two",
        "float16.*small|tiny",
    ),
    Rule("value", "cov", "", "PyTorch keeps weights of float32 in single precision", "float64"),
    Rule(
        "value gradient",
        r"\.put_?\(",
        "",
        "several writes to one place, in the index or in the memory: any may win",
        mistaken=True,
    ),
    Rule("dtype", "trap", "", "PyTorch's area of nothing has y's dtype alone", "empty"),
    Rule(
        "gradient",
        "cdist",
        r"expected .*nan",
        "PyTorch looks for the largest difference by a subtraction: inf - inf",
        "inf",
    ),
    Rule(
        "value",
        "corrcoef|cov",
        "",
        "PyTorch sums whole numbers for the mean in their dtype, which wraps",
        "lowest",
    ),
    Rule("gradient", r"\.new\(", "graph", "what a constructor makes of a tensor has no graph"),
    Rule(
        "value gradient",
        r"matrix_power\(x, -?\d{3,}",
        "nan|inf",
        "where products overflow depends on their order",
    ),
    Rule(
        "value gradient",
        r"trap.*math\.",
        "nan",
        "PyTorch multiplies the sum by the step, which is infinite: 0 * inf",
        mistaken=True,
    ),
    Rule("value", "as_strided", "", "a view of nothing begins at no offset", "empty"),
    Rule("dtype", "einsum", "int64", "PyTorch sums whole numbers where a size is stretched"),
    Rule("value", "histc", "", "equal numbers whose neighbours are farther than 1 off", "huge"),
    Rule("value", "addcdiv", "nan", "a value of 0 times an infinite quotient", "tiny"),
    Rule(
        "value",
        "addcdiv",
        "nan",
        "a quotient of halves overflows before it is added; PyTorch adds in float32",
        "float16.*(small|tiny)",
    ),
    Rule(
        "gradient",
        r"\b(var|std)\w*\(.*correction",
        "nan|inf",
        "without a degree of freedom a slope is infinite, or 0 / 0",
        "huge|nan|inf",
        mistaken=True,
    ),
    Rule(
        "value gradient edit",
        LINALG.pattern,
        "",
        "LAPACK promises nothing for elements that are infinite or nan",
        when=is_not_finite,
    ),
    Rule(
        "value gradient",
        LINALG.pattern + "|matrix_power",
        "",
        "a matrix is singular but for rounding: its inverse and its derivatives are rounding's",
        when=is_singular,
    ),
]
NUMBERS = OTHERS + LAYERS + TRAININGS
