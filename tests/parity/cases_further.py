"""Cases of the names that scripts use beside the usual ones: the gamma family, linear algebra,
writing by index, old constructors, memory formats, NumPy's words.
"""

FURTHER = """
t.lgamma(x)                                    # p3,4
t.lgamma(x * 3)                                # f3,4
t.lgamma(x)                                    # e12
t.lgamma(x)                                    # i3
t.digamma(x)                                   # p3,4
t.digamma(x)                                   # u9
t.digamma(x)                                   # e12
t.polygamma(1, x)                              # p3,4
t.polygamma(25, x * 3 + 1)                     # p3,4
t.polygamma(2, x)                              # p3,4
t.polygamma(0, x)                              # p3
t.polygamma(-1, x)                             # p3
t.polygamma(1, x * 9 - 30.3)                   # p3,4
t.polygamma(4, x * 9 - 30.3)                   # p3,4
t.digamma(x * 9 - 30.3)                        # p3,4
t.polygamma(2, t.tensor([0.0, -1.0, -30.0]))   # f1
x.polygamma(1)                                 # p3
(x + 2).mvlgamma(2)                            # p3
t.mvlgamma(x + 2, 3)                           # p3
t.gcd(x, y)                                    # j3,4 j4
t.lcm(x, y)                                    # j3,4 j4
t.gcd(x, y)                                    # f3 f3
t.fix(x)                                       # f3
x.arcsin()                                     # u3
x.arccos()                                     # u3
x.arctan()                                     # f3
x.fix()                                        # f3
(x * 1).arcsin_()                              # u3
(x * 1).arccos_()                              # u3
(x * 1).arctan_()                              # f3
(x * 1).asinh_()                               # f3
(x + 1).acosh_()                               # p3
(x * 1).atanh_()                               # u3
(x * 1).arcsinh_()                             # f3
(x + 1).arccosh_()                             # p3
(x * 1).arctanh_()                             # u3
(x * 1).erfinv_()                              # u3
(x * 1).lgamma_()                              # p3
(x * 1).digamma_()                             # p3
(x * 1).gcd_(y)                                # j3 j3
(x * 1).lcm_(y)                                # j3 j3
(x * 1).fix_()                                 # f3
(x * 1).greater_(y)                            # i3 i3
(x * 1).greater_equal_(y)                      # i3 i3
(x * 1).less_(y)                               # i3 i3
(x * 1).less_equal_(y)                         # i3 i3
(x * 1).not_equal_(y)                          # i3 i3
t.select_scatter(x, y, 0, 1)                   # f2,3 f3
t.select_scatter(x, y, 0, 1)                   # f2,3 f2
t.slice_scatter(x, y, 0, 1, 4, 2)              # f4,2 f2,2
t.slice_scatter(x, y, -1, -2)                  # f2,4 f2,2
t.diagonal_scatter(x, y, 1)                    # f3,3 f2
t.diagflat(x, 1)                               # f2,2
(x * 1).fill_diagonal_(2.0)                    # f3,4
(x * 1).fill_diagonal_(2.0, wrap=True)         # f7,3
(x * 1).fill_diagonal_(2.0)                    # f2,2,2
(x * 1).fill_diagonal_(2.0)                    # f2,3,2
(x * 1).index_put_((y, z), w)                  # f3,4 i1 i1 f1
t.index_put(x, (y, z), w)                      # f3,4 i1 i1 f1
x.index_put((y,), z, accumulate=True)          # f3,4 i5 f5,4
x.index_put((y, z), w, True)                   # f3,4 i5 i5 f1
x.index_put((y > 0,), z)                       # f3 f3 f
x.index_put((y,), z)                           # f3 i1 i1
t.put(x, t.tensor([0, -1]), y)                 # f2,3 f2
t.put(x, t.tensor([1, 1]), y, accumulate=True) # f2,3 f2
(x * 1).put_(t.tensor([0, -1]), y)             # f2,3 f2
t.put(x, t.tensor([0, 9]), y)                  # f2,3 f2
t.renorm(x, 2, 0, 1.0)                         # f3,4
t.renorm(x, 1, -1, 0.5)                        # f3,4
t.renorm(x, 2, 0, 1.0)                         # f3
(x * 1).renorm_(2, 0, 1.0)                     # f3,4
t.combinations(x)                              # f4
t.combinations(x, 3)                           # f4
t.combinations(x, 2, True)                     # f3
t.combinations(x, 5)                           # f3
t.combinations(x)                              # f2,2
t.combinations(x, 3, True)                     # f4
t.combinations(x, 0)                           # f4
t.combinations(x, 4)                           # f4
t.vander(x)                                    # f3
t.vander(x)                                    # u9
t.vander(x)                                    # b4
t.vander(x, 1)                                 # f3
t.vander(x, 4, increasing=True)                # f3
t.vander(x, 0)                                 # f3
t.unravel_index(x, (2, 3))                     # i4
t.unravel_index(x.int(), (2, 3))               # i4
t.einsum("ij,jk", x, y)                        # f0,0 f0,0
t.einsum("bij,bjk->bik", x, y)                 # f0,1,1 f0,1,0
t.einsum("ij,jk->ik", x, y)                    # f2,0 f1,3
t.unravel_index(x, (2, 3))                     # f4
t.isin(x, y)                                   # j3,4 j5
t.isin(x, 1)                                   # j3,4
t.isin(2, x)                                   # j9
t.isin(x, y, invert=True)                      # t3,4 t2,2
t.isin(x, y)                                   # e12 e7
t.isin(x, y)                                   # b3 b1
t.trapezoid(x)                                 # f3,5
t.trapezoid(x, dx=0.5, dim=0)                  # f3,5
t.trapezoid(x, y)                              # f3,5 f5
t.trapz(x)                                     # f5
t.trapezoid(x)                                 # j5
t.cumulative_trapezoid(x)                      # f3,5
t.cumulative_trapezoid(x, y, dim=0)            # f3,5 f3
t.logspace(0, 3, 4)                            # f1
t.logspace(0, 3, 4, base=2, dtype=t.float64)   # f1
t.logspace(0, 1, 0)                            # f1
t.scalar_tensor(3)                             # f1
t.asarray([1, 2])                              # f1
t.asarray(x, dtype=t.float32)                  # f3
t.asarray(x, copy=True)                        # f3
t.asarray(x, requires_grad=False)              # f3
t.asarray(x, requires_grad=True)               # f3
t.asarray([1.0], requires_grad=True)           # f3
t.newaxis                                      # f1
x[t.newaxis].shape                             # f3
t.FloatTensor([1, 2])                          # f1
t.DoubleTensor([1, 2])                         # f1
t.HalfTensor([1, 2])                           # f1
t.LongTensor([1, 2])                           # f1
t.IntTensor([1, 2])                            # f1
t.ByteTensor([1, 2])                           # f1
t.CharTensor([1, -2])                          # f1
x.char() + x.char()                            # i3,4
x.char() * t.tensor(100, dtype=t.int8)         # i3,4
(x * 60).char() // t.full((4,), 7, dtype=t.int8)  # i3,4
x.char().sum(1), x.char().amax(), x.char().sort(1)  # i3,4
x.char() + x, x.char() * 0.5, x.char() > 1     # i3,4
x.short()                                      # i3,4
x.to(t.int16)[1:].to(t.int64)                  # i3,4
t.ShortTensor([1, -2])                         # f1
t.tensor([1, -2], dtype=t.short).tolist()      # f1
t.tensor([200.0, -1.5, 127.9]).to(t.int8)      # f1
t.BoolTensor([1, 0])                           # f1
t.FloatTensor(2, 3).shape                      # f1
x.type()                                       # i3
x.type(t.float32)                              # i3
x.type(t.FloatTensor)                          # i3
x.view(t.int64)                                # f3,4
x.view(t.float32).shape                        # f3,4
x.float().view(t.float64).shape                # f3,4
x.float().view(t.float64)                      # f3,3
x.view(t.uint8).shape                          # f
x.contiguous(memory_format=t.channels_last).stride()  # f2,3,4,5
x.contiguous(memory_format=t.channels_last_3d).stride()  # f2,3,2,4,5
x.contiguous(memory_format=t.contiguous_format)  # f2,3
x.clone(memory_format=t.preserve_format)       # f2,3
x.to(memory_format=t.channels_last) * 2        # f2,3,4,5
x.is_contiguous(memory_format=t.channels_last) # f2,3,4,5
x.contiguous(memory_format=t.channels_last)    # f2,3
t.zeros_like(x, memory_format=t.preserve_format)  # f2,3
t.zeros_like(x, memory_format=t.channels_last).stride()  # f2,3,4,5
str(t.channels_last)                           # f1
isinstance(t.channels_last, t.memory_format)   # f1
x.is_cpu                                       # f3
x.is_sparse                                    # f3
x.is_quantized                                 # f3
x.is_meta                                      # f3
x.is_pinned()                                  # f3
x.is_shared()                                  # f3
x.get_device()                                 # f3
x.is_nonzero()                                 # f1
t.is_nonzero(x)                                # f3
t.is_nonzero(x)                                # f0
t.is_complex(x)                                # f3
t.is_same_size(x, y)                           # f3 f3
x.H                                            # f2,3
x.mH                                           # f2,2,3
t.adjoint(x)                                   # f2,3
x.adjoint()                                    # f2,3
(x * 1).random_(3, 4)                          # f3
(x * 1).random_(5, 4)                          # f3
(x * 1).random_().shape                        # i3
(x * 1).exponential_().shape                   # f3
(x * 1).exponential_(-1)                       # f3
(x * 1).exponential_()                         # i3
(x * 1).geometric_(0.999999999)                # f3
(x * 1).geometric_(1.5)                        # f3
(x * 1).log_normal_().shape                    # f3
(x * 1).log_normal_(0, -1)                     # f3
(x * 1).cauchy_().shape                        # f3
(x * 1).cauchy_(0, -1)                         # f3
t.repeat_interleave(x)                         # i4
t.repeat_interleave(x)                         # f4
t.einsum(x, [0, 1], y, [1, 2], [0, 2])         # f2,3 f3,2
t.einsum(x, [0, 0])                            # f3,3
t.einsum(x, [Ellipsis, 1], [Ellipsis])         # f2,3,4
t.einsum(x, [0, 60])                           # f2,3
t.det(x)                                       # f3,3
t.det(x)                                       # f2,3,3
t.det(x * 0)                                   # i2,2
x.float().det().shape                          # f2,2,2
t.inverse(x)                                   # f3,3
x.inverse()                                    # f2,3,3
t.linalg.inv(x)                                # f2,3
t.linalg.inv(t.zeros(2, 2))                    # f1
t.linalg.solve(x, y)                           # f3,3 f3
t.linalg.solve(x, y)                           # f2,3,3 f2,3,4
t.linalg.solve(x, y)                           # f3,3 f2,3,1
t.linalg.solve(x, y, left=False)               # f3,3 f2,3
t.linalg.solve(x, y)                           # f3,3 f2
t.slogdet(x)[1]                                # f3,3
t.linalg.slogdet(x).sign                       # f3,3
x.slogdet()[1]                                 # f2,3,3
t.logdet(x @ x.mT)                             # f3,3
x.logdet()                                     # f2,2
t.linalg.cholesky(x @ x.mT)                    # f3,3
t.linalg.cholesky(x @ x.mT, upper=True)        # f2,3,4
t.linalg.cholesky(-x @ x.mT)                   # f3,3
t.linalg.cholesky(x * 0.1 + 3 * t.eye(3).to(x))  # f3,3
t.det(t.tensor([[float("nan"), 1.0], [1.0, 2.0]]))  # f1
t.linalg.slogdet(t.tensor([[float("nan"), 1.0], [1.0, 2.0]]))[1]  # f1
t.linalg.slogdet(t.zeros(2, 2))                # f1
t.linalg.matrix_norm(x, 1, dim=(5, 0))         # f2,3
t.linalg.matrix_norm(x, 1, dim=(0, -2))        # f2,3
t.renorm(x, 2, 5, 1.0)                         # f2,3
t.isclose(t.tensor([2**53 + 1]), t.tensor([2**53]), rtol=0.0, atol=0.0)  # f1
t.zeros(3, dtype=t.uint8).random_(300)         # f1
t.zeros(3, dtype=t.int32).random_(-(2**40), 0)  # f1
t.trapezoid(x, y, dx=2.0)                      # f3 f3
t.linalg.qr(x)                                 # f4,3
t.linalg.qr(x)                                 # f2,3,3
t.linalg.qr(x).R                               # f2,4
t.linalg.qr(x, mode="complete").Q.shape        # f4,2
t.linalg.qr(x, mode="half")                    # f4,2
t.linalg.norm(x)                               # f3,4
t.linalg.norm(x, 1)                            # f3,4
t.linalg.norm(x, float("inf"))                 # f3,4
t.linalg.norm(x, 3, dim=0)                     # f3,4
t.linalg.norm(x, "fro", dim=(0, 1))            # f3,4,2
t.linalg.norm(x, axis=1)                       # f3,4
t.linalg.norm(x, 2)                            # f3
t.linalg.norm(x, 1)                            # f2,3,4
t.linalg.vector_norm(x, 3, dim=(0, 2))         # f2,3,4
t.linalg.vector_norm(x, 0)                     # t9
t.linalg.vector_norm(x, "fro")                 # f3
t.linalg.matrix_norm(x)                        # f2,3,4
t.linalg.matrix_norm(x, -1, keepdim=True)      # f2,3,4
t.linalg.matrix_norm(x, float("inf"), dim=(0, 2))  # f2,3,4
t.linalg.matrix_power(x, 3)                    # f3,3
t.linalg.matrix_power(x, -2)                   # f3,3
t.matrix_power(x, 0)                           # i3,3
x.matrix_power(5)                              # i2,2
t.linalg.multi_dot([x, y, z])                  # f2,3 f3,4 f4,2
t.linalg.multi_dot([x])                        # f2,3
t.linalg.vecdot(x, y)                          # f2,3 f3
t.linalg.cross(x, y)                           # f2,3 f2,3
t.linalg.diagonal(x)                           # f2,3,3
x.sum(axis=1, keepdims=True)                   # f3,4
t.mean(x, axis=0)                              # f3,4
x.max(axis=1)                                  # g3,4
t.argmax(x, axis=0)                            # g3,4
t.cat([x, y], axis=1)                          # f3,4 f3,2
t.stack([x, x], axis=1)                        # f3,4
t.softmax(x, axis=0)                           # f3,4
x.std(axis=0, keepdims=True)                   # f3,4
x.sort(axis=0)                                 # g3,4
x.unsqueeze(axis=0)                            # f3
x.cumsum(axis=1)                               # f3,4
x.sum(axis=1, dim=1)                           # f3,4
x.split(2, axis=0)                             # f4,3
x.exp(axis=0)                                  # f3
t.linspace(0, float("-inf"), 1)                # f1
(x.detach().half() * 300).std(0)               # f4,3
x.detach().std(0, correction=9)                # f4,3
x.var(1, correction=4)                         # f2,3
x.std(1, correction=5)                         # f2,3
x.var(correction=9)                            # f2,3
t.addr(x > 0, x > 1, x > -9, alpha=-1)         # f3
x.detach().logit(-1)                           # f5
x.logit(-1)                                    # q5
t.round(x, decimals=400)                       # f3
t.det(x * 0 + 1)                               # f2,2
t.det(x.mT @ x * t.tensor([[1.0, 0], [0, 0]], dtype=x.dtype))  # f2,2
(x.detach().half() * 300).norm(dim=0)          # f4,3
(x.detach().float() * 1e30).norm(dim=0)        # f1,3
F.cosine_similarity(x.detach().half() * 300, y.detach().half() * 300, 0)  # f4,3 f4,3
t.tensor([[0.84765625, 0.251953125, -0.4765625]]).bfloat16().renorm(2, 0, 1.0)  # f1
F.huber_loss(x, y, delta=float("inf"))         # f3 f3
F.multi_margin_loss(x * 0 + t.tensor([1.0, 0, 2], dtype=x.dtype), t.tensor([0, 0]))  # f2,3
F.multilabel_margin_loss(x * 0 + t.tensor([1.0, 0, 2], dtype=x.dtype), y)  # f2,3 i2,3
F.cosine_embedding_loss(x * 1e-8, y, t.tensor([1, -1]), reduction="none")  # f2,3 f2,3
F.elu(x.float(), t.tensor(2.0, dtype=t.float64))  # f3
F.celu(x.half(), t.tensor(2))                  # f3
F.hardshrink(x, t.tensor(1, dtype=t.uint8))    # f9
F.softplus(x, t.tensor(2))                     # f3
"""
