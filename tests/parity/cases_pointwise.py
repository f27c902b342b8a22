"""Cases of operations on one element: an expression, then the kinds and shapes of its inputs."""

from itertools import product

UNARY = {
    "f": (
        "abs absolute neg negative positive exp expm1 sin cos tan tanh sigmoid relu sign square "
        "erf sinh cosh atan arctan isnan isinf isfinite frac nan_to_num deg2rad rad2deg asinh "
        "arcsinh logical_not"
    ),
    "p": "log log2 log1p log10 sqrt rsqrt reciprocal acosh arccosh",
    "u": "asin acos arcsin arccos atanh arctanh erfinv logit",
    "g": "floor ceil round trunc clone ravel t",
}
METHODS_ONLY = "double float half long int bool byte bfloat16 contiguous"
BINARY = (
    "add sub subtract mul multiply div divide true_divide maximum minimum atan2 fmod remainder "
    "floor_divide eq ne lt le gt ge greater logical_and logical_or logical_xor hypot logaddexp "
    "isclose"
)
SHAPES = ("3,4", "2,3,4", "1", "", "0,3")
PAIRS = (("3,4", "3,4"), ("3,1", "1,4"), ("2,3,4", "4"), ("", "3"), ("0,3", "3"))

UNARY_CASES = [
    (f"t.{name}(x)", f"{kind}{shape}")
    for kind, names in UNARY.items()
    for name, shape in product(names.split(), SHAPES)
    if name != "t" or shape.count(",") < 2
]
METHOD_CASES = [(f"x.{name}()", f"f{shape}") for name in METHODS_ONLY.split() for shape in SHAPES]
BINARY_CASES = [
    (f"t.{name}(x, y)", f"f{a} p{b}") for name, (a, b) in product(BINARY.split(), PAIRS)
]
EDGE_CASES = [
    (f"t.{name}(x)", "e12") for names in UNARY.values() for name in names.split() if name != "t"
] + [(f"t.{name}(x[:, None], x)", "e12") for name in BINARY.split() if "logical" not in name]
TIES = [(f"t.{name}(x, y)", "t4,5 t4,5") for name in ("maximum", "minimum", "hypot")]

WRITTEN = """
x + 2                                   # f3,4
2 + x                                   # f3,4
x - 2                                   # f3,4
2 - x                                   # f3,4
x * 2.5                                 # f3,4
2.5 * x                                 # f3,4
x / 4                                   # f3,4
4 / x                                   # p3,4
x // 2                                  # f3,4
7 // x                                  # p3,4
x % 2                                   # f3,4
7 % x                                   # p3,4
x ** 2                                  # f3,4
x ** 3                                  # f3,4
x ** 0.5                                # p3,4
x ** -1                                 # p3,4
x ** 0                                  # t3,4
x ** y                                  # p3,4 f3,4
2 ** x                                  # f3,4
0 ** x                                  # t3,4
x ** 2                                  # t3,4
abs(x)                                  # t3,4
-x                                      # f3,4
+x                                      # f3,4
~x                                      # b3,4
~x                                      # j3,4
x & y                                   # b3,4 b4
x | y                                   # b3,4 b4
x ^ y                                   # b3,4 b4
x & y                                   # j3,4 j4
x | y                                   # j3,4 j4
x ^ y                                   # j3,4 j4
x & 3                                   # j3,4
3 & x                                   # j3,4
x | 3                                   # j3,4
3 ^ x                                   # j3,4
x == y                                  # i3,4 i4
x != y                                  # i3,4 i4
x < y                                   # i3,4 i4
x <= 1                                  # i3,4
x > 1                                   # i3,4
x >= y                                  # i3,4 i3,1
x == None                               # i3
x != 1                                  # f3
t.add(x, y, alpha=2)                    # f3,4 f4
t.sub(x, y, alpha=0.5)                  # f3,4 f4
t.rsub(x, y)                            # f3,4 f4
t.rsub(x, 2, alpha=3)                   # f3,4
t.div(x, y, rounding_mode="floor")      # f3,4 p4
t.div(x, y, rounding_mode="trunc")      # f3,4 p4
t.div(x, y, rounding_mode="floor")      # j3,4 s4
t.div(x, y, rounding_mode="trunc")      # j3,4 s4
t.div(x, 2, rounding_mode="trunc")      # j3,4
t.div(x, y)                             # j3,4 s4
t.floor_divide(x, y)                    # j3,4 s4
t.remainder(x, y)                       # j3,4 s4
t.remainder(x, 3)                       # j3,4
t.remainder(7, x)                       # s4
t.fmod(x, 3)                            # j3,4
t.fmod(x, y)                            # j3,4 s4
t.pow(x, 2)                             # f3,4
t.pow(x, y)                             # p3,4 f4
t.pow(2, x)                             # f3,4
t.pow(x, 2)                             # j3,4
t.float_power(x, 2)                     # p3,4
t.float_power(x, y)                     # p3,4 p4
t.clamp(x, -0.5, 0.5)                   # f3,4
t.clamp(x, min=0)                       # f3,4
t.clamp(x, max=0)                       # f3,4
t.clamp(x, min=y)                       # f3,4 f4
t.clamp(x, y, z)                        # f3,4 u4 p4
t.clamp(x, 0, 1)                        # j3,4
t.clamp(x, 0.5, 1)                      # j3,4
t.clamp(x, 1, -1)                       # f3,4
t.clamp(x)                              # f3
t.clip(x, 0, 1)                         # f3,4
t.clamp_min(x, 0.5)                     # f3,4
t.clamp_max(x, 0.5)                     # f3,4
x.clip(max=1)                           # f3,4
t.where(x > 0, x, y)                    # f3,4 f4
t.where(x > 0, x, 0.5)                  # f3,4
t.where(x > 0, 1, 0)                    # f3,4
t.where(x, y, z)                        # b3,1 f1,4 f3,4
t.where(x)                              # b3,4
t.lerp(x, y, 0.3)                       # f3,4 f4
t.lerp(x, y, z)                         # f3,4 f4 q4
t.addcmul(x, y, z)                      # f3,4 f4 f3,1
t.addcmul(x, y, z, value=0.5)           # f3,4 f4 f3,1
t.addcdiv(x, y, z, value=-2)            # f3,4 f4 p3,1
t.addcdiv(x, y, z)                      # f3,4 f4 p3,1
t.nan_to_num(x, nan=1.0)                # e12
t.nan_to_num(x, posinf=9.0, neginf=-9)  # e12
t.round(x, decimals=1)                  # f3,4
t.round(x, decimals=-1)                 # f3,4
x.masked_fill(y, 5.0)                   # f3,4 b3,4
x.masked_fill(y, -1)                    # f3,4 b4
x.masked_fill(y, z)                     # f3,4 b4 f
t.masked_fill(x, y, 2)                  # j3,4 b3,4
t.logical_and(x, y)                     # j3,4 b3,4
t.logical_or(x, y)                      # j3,4 b3,4
t.logical_xor(x, y)                     # j3,4 b3,4
t.logical_not(x)                        # j3,4
t.bitwise_and(x, y)                     # j3,4 j3,4
t.bitwise_or(x, y)                      # j3,4 j3,4
t.bitwise_xor(x, y)                     # j3,4 j3,4
t.bitwise_not(x)                        # j3,4
t.isclose(x, y, rtol=0.5, atol=0.1)     # f3,4 f4
t.isclose(x, x, equal_nan=True)         # e12
t.allclose(x, x)                        # f3,4
t.allclose(x, y, rtol=1e-3)             # f3,4 f3,4
t.allclose(x, x, equal_nan=True)        # e12
t.equal(x, x)                           # f3,4
t.equal(x, y)                           # f3,4 f3
x.type_as(y)                            # f3,4 i3
x.to(t.float32)                         # f3,4
x.to(t.int64)                           # f3,4
x.to(y)                                 # f3,4 i2
x.to("cpu")                             # f3,4
x.to("cpu", t.float32)                  # f3,4
x.to(dtype=t.bool)                      # t3,4
x.cpu()                                 # f3,4
x.detach()                              # f3,4
t.detach(x)                             # f3,4
t.gt(x, 0)                              # f3,4
t.promote_types(t.int32, t.uint8)       # f1
t.promote_types(t.float16, t.bfloat16)  # f1
t.promote_types(t.bool, t.int64)        # f1
x.dtype                                 # f3
x.is_floating_point()                   # i3
t.is_floating_point(x)                  # f3
t.is_tensor(x)                          # f3
t.is_tensor(3)                          # f3
x.element_size()                        # f3
x.itemsize                              # i3
x.nbytes                                # i3,2
x.logical_and(y)                        # b3 b3
x.reciprocal()                          # t3,4
x.sqrt()                                # t3,4
x.abs().sqrt()                          # t3,4
(x + 2).log()                           # t3,4
"""

IN_PLACE = """
add_(y)                # f3,4 f4
add_(2)                # f3,4
add_(y, alpha=3)       # f3,4 f4
sub_(y)                # f3,4 f4
sub_(y, alpha=2)       # f3,4 f4
mul_(y)                # f3,4 f4
mul_(3)                # f3,4
div_(y)                # f3,4 p4
pow_(2)                # f3,4
exp_()                 # f3,4
sqrt_()                # p3,4
neg_()                 # f3,4
abs_()                 # f3,4
relu_()                # f3,4
sigmoid_()             # f3,4
tanh_()                # f3,4
clamp_(0, 1)           # f3,4
clamp_(min=0)          # f3,4
masked_fill_(y, 2.0)   # f3,4 b3,4
fill_(3)               # f3,4
zero_()                # f3,4
copy_(y)               # f3,4 f4
log_()                 # p3,4
floor_()               # g3,4
round_()               # g3,4
add_(1)                # j3,4
mul_(2)                # j3,4
add_(1.5)              # j3,4
div_(2)                # j3,4
mul_(y)                # j3,4 f3,4
add_(y)                # f3,4 f2,3,4
squeeze_()             # f3,1
unsqueeze_(0)          # f3,4
t_()                   # f3,4
transpose_(0, 1)       # f3,4
"""


def lines(text):
    """Return the (expression, inputs) of a block of lines."""
    pairs = (line.rsplit("#", 1) for line in text.strip().splitlines())
    return [(expression.strip(), inputs.strip()) for expression, inputs in pairs]


POINTWISE = UNARY_CASES + METHOD_CASES + BINARY_CASES + TIES + lines(WRITTEN)
POINTWISE += [(f"(x * 1).{call}", inputs) for call, inputs in lines(IN_PLACE)]
DTYPE_CASES = [(f"t.{name}(x)", "3") for names in UNARY.values() for name in names.split()]
DTYPE_PAIRS = [f"t.{name}(x, y)" for name in BINARY.split()]
