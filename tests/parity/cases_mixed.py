"""Cases of mixed dtypes, factors, numbers on the left, arrays of NumPy and corners of small
functions: what a search with random calls once found different.
"""

MIXED = """
t.add(x.to(t.bfloat16), y.to(t.uint8), alpha=-1)   # p3,4 i4
t.sub(x, y.to(t.uint8), alpha=-1)              # f3,4 i4
t.add(x, y, alpha=2)                           # b3 b3
t.clamp(x, 1, t.tensor(2.0, dtype=t.float64))  # i3
t.clamp(x, t.tensor(0, dtype=t.int64), 2)      # b3
t.clamp(x, t.tensor(0.5, dtype=t.float64))     # b3
t.logit(x, t.tensor(0.25, dtype=t.float64))    # q3
t.logit(x.float(), t.tensor(0.25, dtype=t.float64))  # q
t.nan_to_num(x.to(t.bfloat16), t.tensor(2.0))  # f
t.nan_to_num(x.to(t.bfloat16), 0, t.tensor(2.0), t.tensor(1.0))  # f
t.add(x, y.to(t.int32), alpha=3)               # b3 i3
t.add(x, y, alpha=0.5)                         # i3 i3
t.rsub(x, y, alpha=2)                          # f3 f3
t.rsub(x, 1, alpha=2)                          # i3
x.__rsub__(y)                                  # f3 f3
x.__radd__(2)                                  # f3
x.__rpow__(2)                                  # i3
x.__rfloordiv__(7)                             # p3
x.__rmod__(7)                                  # p3
7.5 % x                                        # p3
x ** 2.0                                       # i3
x ** 2.0                                       # b3
x ** False                                     # b3
x ** True                                      # b3
x ** y                                         # f4,1 f3
t.result_type(x, 1.5)                          # i3
t.result_type(x, y)                            # i3 f
t.result_type(x, 1)                            # b3
t.result_type(x.to(t.int32), y)                # i i3
t.result_type(1, 2.0)                          # f1
t.result_type(x.to(t.float16), y)              # f3 f
t.can_cast(t.float32, t.int64)                 # f1
t.can_cast(t.int64, t.bool)                    # f1
t.can_cast(t.int64, t.float16)                 # f1
t.finfo(t.float32)                             # f1
t.finfo(t.bfloat16).max                        # f1
t.finfo(t.float16).resolution                  # f1
t.finfo(t.float64).tiny                        # f1
t.finfo().eps                                  # f1
t.finfo(t.int64)                               # f1
t.iinfo(t.int64)                               # f1
t.iinfo(t.uint8).max                           # f1
t.iinfo(t.int32).min                           # f1
t.iinfo(t.float32)                             # f1
t.addcmul(x, y, z, value=0.5)                  # i3 i3 i3
t.addcmul(x, y, 2)                             # f3 f3
t.addcdiv(x, y, z)                             # i3 i3 i3
t.addcdiv(x, y, z)                             # f3 i3 p3
t.lerp(x, y, z)                                # f3 f3 q3
t.lerp(x, y, 0.9)                              # f3 f3
t.lerp(x, y, 1)                                # f3 f3
t.logaddexp(x, y)                              # e12 e12
t.logaddexp(x, y.float())                      # f3 f3
t.logaddexp2(x, y)                             # e12 f12
t.hypot(x.float(), y)                          # f f3
t.nan_to_num(x, None, 3.0, -3.0)               # e12
t.nan_to_num(x.to(t.bfloat16))                 # e12
t.nan_to_num(x, neginf=float("inf"))           # e12
t.xlogy(x, y)                                  # t9 p9
t.xlogy(x, 2.0)                                # t9
t.xlogy(0.0, x)                                # p4
t.xlogy(x, y)                                  # i3 i3
t.copysign(x, y)                               # f9 f9
t.copysign(x, y)                               # h12 f12
t.copysign(x, -1)                              # i3
t.copysign(x, y)                               # i3 f3
t.copysign(x, -2.0)                            # f3,4
t.heaviside(x, y)                              # e12 f12
t.heaviside(x, y)                              # f3 i3
t.isclose(x, y, 2)                             # b3 b3
t.isclose(x, y)                                # e12 e12
t.isclose(x, y, rtol=-1)                       # f3 f3
t.allclose(x, x * (1 + 1e-6))                  # f9
t.clamp(x, y, z)                               # e12 f1 p1
t.clamp(x.to(t.bfloat16), y.float(), 3)        # f3 f
t.where(x.to(t.uint8), y, z)                   # i3 f3 f3
t.where(x, y.to(t.bfloat16), z.to(t.float16))  # b3 f3 f
t.masked_fill(x, y, -1)                        # b3 b3
t.masked_fill(x, y, 2.7)                       # i3 b3
t.masked_fill(x, y, z)                         # i3 b3 f
t.masked_fill(x, y, float("inf"))              # i3 b3
t.masked_fill(x, x, 1)                         # i3
(x * 1).masked_fill_(y, 2.7)                   # i3 b3
t.tril(x)                                      # b3,3
t.triu(x, 1)                                   # b3,3
t.sum(x, dtype=t.uint8)                        # j3,4
t.sum(x, 0, dtype=t.int32)                     # f3,4
t.cumsum(x, 0, dtype=t.bool)                   # b5
t.cumprod(x, 0, dtype=t.uint8)                 # i5
t.prod(x, dtype=t.int32)                       # i5
t.nansum(x, dtype=t.int32)                     # i5
t.div(x, y, rounding_mode="trunc")             # b3 p3
t.div(x, y, rounding_mode="trunc")             # e12 f12
t.div(x, 2, rounding_mode="trunc")             # j9
t.fmod(x, y)                                   # f3,4 f4
t.remainder(x, y)                              # f3,4 f4
t.atan2(x * 0, y * 0)                          # f3 f3
t.masked_scatter(x, x > 99, y)                 # f3 f0
x.to(t.float32, True, True)                    # f3
x.to(x, True)                                  # f3
x.to("cpu", t.float16, False, True)            # f3
t.diff(x, 0)                                   # f3
t.roll(x, 3)                                   # f
t.roll(x, 0)                                   # f3
t.roll(x, 1, ())                               # f2,3
t.roll(x, (1, 2))                              # f2,3
t.unbind(x)                                    # f0
t.unbind(x, 1)                                 # f2,0
t.unbind(x)                                    # f
list(x)                                        # f0,2
t.block_diag()                                 # f1
t.block_diag(x, y.float())                     # f f1
t.cartesian_prod(x, y)                         # f2 i2
t.cartesian_prod(x, y)                         # f2,2 f2
t.diag(x)                                      # f2,2,2
t.diag(x)                                      # f
t.meshgrid(x, y, indexing=None)                # f2 f3
t.meshgrid(x, indexing="ij")                   # f2,2
t.cross(x, y)                                  # f3 i3
t.cross(x, y)                                  # f3 f2,3
t.cdist(x, y)                                  # i2,2 i2,2
t.cdist(x, y, compute_mode="quickly")          # f2,2 f2,2
t.logical_and(x, 1)                            # f3
t.index_fill(x, 0, y, 1)                       # f3 f2
t.index_fill(x, 0, y, 1)                       # f3 i1,1
t.index_copy(x, 0, y, z)                       # f3,2 i1 f2
t.argmax(x)                                    # b3
t.addmm(x, y, z)                               # f2,3 f3,4 f4,2
t.addmm(x, y, z, beta=0.5)                     # i3,3 i3,4 i4,3
t.addmm(x, y, z, beta=0)                       # e2 f2,3 f3,2
t.addr(x, y, z, alpha=3)                       # b3,3 b3 b3
t.addmv(x, y, z)                               # f1 f3,4 f4
t.addmm(x.half(), y.half(), z.half(), alpha=0.3).detach()  # f2 f3,400 f400,2
t.addbmm(x.half(), y.half(), z.half(), beta=0.3).detach()  # f3,2 f50,3,40 f50,40,2
t.baddbmm(x.bfloat16(), y.bfloat16(), z.bfloat16()).detach()  # f2 f2,3,400 f2,400,2
t.addmv(x.bfloat16(), y.bfloat16(), z.bfloat16()).detach()  # f3 f3,400 f400
t.addr(x.half(), y.half(), z.half(), beta=0.3, alpha=3).detach()  # f9,8 f9 f8
t.bmm(x.half(), y.half()).detach()  # f2,3,400 f2,400,2
F.linear(x.bfloat16(), y.bfloat16(), z.bfloat16()).detach()  # f2,400 f3,400 f3
t.matmul(x.bfloat16(), y.bfloat16()).detach()  # f3,400 f400
F.scaled_dot_product_attention(x.half(), y.half(), y.half()).detach()  # f1,3,8 f1,200,8
t.norm(x)                                      # i3
t.dist(x, y)                                   # i3 i3
t.round(x.to(t.float16), decimals=6)           # q3
t.round(x, decimals=2)                         # f9
t.arange(x.max().long())                       # p9
t.arange(t.tensor(1), t.tensor(5.0))           # f1
t.arange(-1, 0.5, dtype=t.int64)               # f1
t.full((2,), t.tensor(3.0))                    # f1
t.full((2,), t.tensor(True))                   # f1
x.split(t.tensor(2))                           # f5
(x * 1).copy_(3)                               # f2,3
x == y.detach().numpy()                        # i3 i3
y.detach().numpy() == x                        # i3 i3
x != y.detach().numpy()                        # i3 i3
x + y.detach().numpy()                         # f3 f3
y.detach().numpy() + x                         # f3 f3
y.detach().numpy() * x                         # f3 f3
y.detach().numpy() / x                         # f3 f3
x // y.detach().numpy()                        # p3 p3
x % y.detach().numpy()                         # p3 p3
x ** y.detach().numpy()                        # p3 f3
x @ y.detach().numpy()                         # f3 f3
x < y.detach().numpy()                         # f3 f3
x == [1, 2, 3]                                 # i3
x + [1, 2, 3]                                  # f3
[1, 2, 3] * x                                  # f3
"a" + x                                        # f3
None - x                                       # f3
x[(0, 1),]                                     # f3,2
x[y, z]                                        # f3,4 i2 i3
x[[0, 1], [0, 1, 2]]                           # f3,4
t.reshape(3, (1,))                             # f1
t.transpose("a", 0, 1)                         # f1
t.unsqueeze([1.0], 0)                          # f1
t.flatten(None)                                # f1
t.select(3, 0, 0)                              # f1
t.count_nonzero([1.0])                         # f1
t.bmm(x, 3)                                    # f2,2,2
t.clamp(3, 0, 1)                               # f1
t.rand_like(3)                                 # f1
t.equal(x, 3)                                  # f1
t.gather(x, 0, 3)                              # f3
t.take_along_dim(x, 3)                         # f3
t.hstack(x)                                    # f3
t.vstack(x)                                    # f3
t.stack(x)                                     # f3
F.cosine_similarity(x, y)                      # f3,4 f1,1
F.cosine_similarity(x, y)                      # f3,4 f4
F.cosine_similarity(x, y)                      # i3,4 f3,4
F.cosine_similarity(x, y, dim=0)               # f3 f2,3
"""
