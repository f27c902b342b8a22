"""Cases made of others: a function as a method, a method as a function; and what was left over."""

import re

from cases_pointwise import POINTWISE, lines
from cases_shapes import SHAPE_CASES

import norch

LEFT = lines("""
t.conv1d(x, y)                                     # f2,3,8 f4,3,3
t.conv2d(x, y)                                     # f2,3,6,7 f4,3,3,2
t.conv3d(x, y)                                     # f1,2,3,3,3 f2,2,2,2,2
t.conv_transpose1d(x, y)                           # f2,3,5 f3,4,3
t.conv_transpose2d(x, y)                           # f2,3,4,5 f3,2,3,2
t.conv_transpose3d(x, y)                           # f1,2,3,2,3 f2,2,2,2,2
t.max_pool1d(x, 2)                                 # g2,3,8
t.max_pool2d(x, 2)                                 # g2,3,6,7
t.max_pool3d(x, 2)                                 # g1,2,4,4,4
t.avg_pool1d(x, 2)                                 # f2,3,8
t.layer_norm(x, (4,), y, z)                        # f3,4 f4 f4
t.rms_norm(x, (4,), y)                             # f3,4 f4
t.group_norm(x, 2, y, z)                           # f2,4,3 f4 f4
t.embedding(x, y)                                  # f3,4 i2,3
t.gru_cell(x, y, z, w)                             # f3,4 f3,5 f15,4 f15,5
t.lstm_cell(x, (y, y), z, w)                       # f3,4 f3,5 f20,4 f20,5
t.rnn_tanh_cell(x, y, z, w)                        # f3,4 f3,5 f5,4 f5,5
t.rnn_relu_cell(x, y, z, w)                        # f3,4 f3,5 f5,4 f5,5
t.bitwise_left_shift(x, y)                         # i3,4 i4
t.bitwise_right_shift(x, y)                        # j3,4 i4
t.cov(x)                                           # f3,4
t.cov(x, correction=0)                             # f3,4
t.corrcoef(x)                                      # f3,4
t.quantile(x, 0.3)                                 # f7
t.quantile(x, 0.5, dim=1, keepdim=True)            # f3,4
t.nanquantile(x, 0.5)                              # f7
t.mode(x, 1)                                       # t3,5
t.frac(x)                                          # f3,4
t.equal(x, y)                                      # f3 f3
t.fix(x)                                           # f3,4
x[:, True]                                         # f3,4
x[1, True]                                         # f3,4
x[..., False]                                      # f3,4
x[True, [0, 1], None]                              # f3,4
x[:, t.tensor(True), 1]                            # f3,4
x[[0, 1], :, True]                                 # f3,4
x[t.tensor(1, dtype=t.uint8)]                      # f3,4
x.sum(t.tensor(1))                                 # f3,4
x.amax(t.tensor([0]))                              # f3,4
x.squeeze(t.tensor(0))                             # f1,4
x.movedim(t.tensor(1), 0)                          # f3,4
x.roll(t.tensor(2), t.tensor(1))                   # f3,4
t.tensordot(x, y, t.tensor(1))                     # f3,4 f4,3
x.repeat_interleave(t.tensor(2))                   # f3,4
t.full_like(x, t.tensor(2.5))                      # f3
t.bitwise_and(6, x)                                # i3,4
t.bitwise_or(1, x > 0)                             # f3
t.bitwise_xor(True, x)                             # i3,4
t.Size([t.tensor(2), True]) * 2                    # f3
t.exp2(x)                                          # f3,4
t.erfc(x)                                          # f3,4
t.isneginf(x)                                      # e12
t.isposinf(x)                                      # e12
t.copysign(x, y)                                   # f3,4 f4
t.fmax(x, y)                                       # f3,4 f4
t.fmin(x, y)                                       # f3,4 f4
t.arctan2(x, y)                                    # f3,4 f4
t.ldexp(x, y)                                      # f3,4 i4
t.heaviside(x, y)                                  # t3,4 f4
t.less(x, y)                                       # i3,4 i4
t.less_equal(x, y)                                 # i3,4 i4
t.greater_equal(x, y)                              # i3,4 i4
t.not_equal(x, y)                                  # i3,4 i4
t.block_diag(x, y)                                 # f2,3 f3,2
t.dsplit(x, 2)                                     # f2,3,4
t.e + t.pi                                         # f1
t.inf                                              # f1
t.nan != t.nan                                     # f1
t.logaddexp2(x, y)                                 # f3,4 f4
t.sgn(x)                                           # t3,4
t.signbit(x)                                       # f3,4
t.sinc(x)                                          # f3,4
t.split_with_sizes(x, [1, 2])                      # f3,4
t.vsplit(x, 2)                                     # f4,4
t.xlogy(x, y)                                      # f3,4 p4
x.is_complex()                                     # f3
x.is_signed()                                      # f3
x.is_same_size(y)                                  # f3 f4
x.ndimension()                                     # f3,4
x.nelement()                                       # f3,4
x.bernoulli().dtype                                # q3
x.multinomial(2).shape                             # q3
F.adaptive_avg_pool3d(x, 2)                        # f1,2,4,5,4
F.max_unpool1d(*F.max_pool1d(x, 2, return_indices=True), 2)  # g2,3,8
F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2)  # g2,3,4,6
F.max_unpool3d(*F.max_pool3d(x, 2, return_indices=True), 2)  # g1,2,4,4,4
nn.AdaptiveAvgPool3d(2)(x)                         # f1,2,4,5,4
nn.MaxUnpool1d(2)(*F.max_pool1d(x, 2, return_indices=True))  # g2,3,8
nn.MaxUnpool2d(2)(*F.max_pool2d(x, 2, return_indices=True))  # g2,3,4,6
nn.MaxUnpool3d(2)(*F.max_pool3d(x, 2, return_indices=True))  # g1,2,4,4,4
nn.init.constant_(x, 3.0)                          # f3,4
nn.init.ones_(x)                                   # f3,4
nn.init.zeros_(x)                                  # f3,4
nn.init.eye_(x)                                    # f3,4
nn.init.dirac_(x)                                  # f3,2,3
nn.init.dirac_(x, 2)                               # f4,2,3,3
nn.init.uniform_(x, 2, 2)                          # f3,4
nn.init.normal_(x, 2.0, 0.0)                       # f3,4
nn.init.trunc_normal_(x).abs() <= 2                # f30,4
nn.init.xavier_uniform_(x).abs() <= (6 / 34) ** 0.5   # f30,4
nn.init.xavier_normal_(x).shape                    # f3,4
nn.init.kaiming_uniform_(x).abs() <= (6 / 4) ** 0.5   # f30,4
nn.init.kaiming_uniform_(x, a=5**0.5).abs() <= 0.5    # f30,4
nn.init.kaiming_normal_(x, mode="fan_out").shape   # f3,4
nn.init.orthogonal_(x).t().mm(x).round()           # f9,4
nn.init.calculate_gain("tanh")                     # f1
nn.init.calculate_gain("leaky_relu", 0.3)          # f1
nn.init.calculate_gain("relu")                     # f1
nn.init.calculate_gain("selu")                     # f1
nn.init.calculate_gain("linear")                   # f1
nn.utils.parameters_to_vector([x, y])              # f3,4 f2
t.utils.data.default_collate([x, x])               # f3
t.utils.data.default_collate([1, 2])               # f3
t.utils.data.default_collate([1.5, 2])             # f3
t.utils.data.default_collate([(x, 1), (x, 2)])     # f3
t.utils.data.default_collate([{"a": 1}, {"a": 2}]) # f3
t.utils.data.default_collate(["a", "b"])           # f3
t.utils.data.default_convert([x.detach().numpy(), 1])  # f3
t.utils.data.get_worker_info()                     # f3
list(t.utils.data.SequentialSampler([4, 5]))       # f3
sorted(t.utils.data.SubsetRandomSampler([4, 5]))   # f3
list(t.utils.data.BatchSampler([1, 2, 3], 2, False))  # f3
len(t.utils.data.DataLoader(x, batch_size=2))      # f3
list(t.utils.data.DataLoader(x, batch_size=2))     # f3,4
list(t.utils.data.DataLoader(x, 2, drop_last=True))  # f3,4
nn.Parameter(x)                                    # f3
repr(nn.ParameterList([nn.Parameter(x)]))          # f3,4
list(nn.ParameterDict({"a": nn.Parameter(x)}))     # f3
""")
IN_PLACE = lines("""
index_add_(0, y, z)                                # f3,4 i5 f5,4
index_copy_(0, t.tensor([2, 0]), z)                # f3,4 i1 f2,4
index_fill_(0, t.tensor([2, 0]), 5.0)              # f3,4
scatter_(1, t.tensor([[0, 1], [2, 0]]), y)         # f2,3 f2,2
scatter_add_(1, y, z)                              # f3,4 i3,2 f3,2
scatter_reduce_(0, y, z, "sum")                    # f3 i5 f5
masked_scatter_(y, z)                              # f3,4 b3,4 f12
cumsum_(1)                                         # f3,4
cumprod_(1)                                        # p3,4
bitwise_left_shift_(y)                             # i3,4 i4
bitwise_right_shift_(y)                            # j3,4 i4
""")


def other_forms(cases):
    """Return one case for each name in the form in which no table has it yet."""
    text = "\n".join(case[0] for case in cases)
    made = {}
    for expression, inputs in cases:
        function = re.match(r"^t\.(\w+)\(x(?:, |(?=\)))", expression)
        method = re.match(r"^x\.(\w+)\(", expression)
        if function and hasattr(norch.Tensor, function[1]) and f"x.{function[1]}(" not in text:
            called = f"x.{function[1]}({expression[len(function[0]) :]}"
            made.setdefault(f".{function[1]}", (called, inputs))
        if method and hasattr(norch, method[1]) and f"t.{method[1]}(x" not in text:
            rest = expression[len(method[0]) :]
            comma = "" if rest.startswith(")") else ", "
            made.setdefault(method[1], (f"t.{method[1]}(x{comma}{rest}", inputs))
        name = function or method
        if name and hasattr(norch.Tensor, f"{name[1]}_") and f".{name[1]}_(" not in text:
            rest = expression[len(name[0]) :]
            made.setdefault(f"{name[1]}_", (f"(x * 1).{name[1]}_({rest}", inputs))
    return list(made.values())


FORMS = LEFT + [(f"(x * 1).{call}", inputs) for call, inputs in IN_PLACE]
FORMS += other_forms(POINTWISE + SHAPE_CASES + LEFT)
