"""Cases of order, counting, running results and indexed writing: ties, NaN, empties, refusals."""

ORDERED = """
t.argsort(x.float(), descending=True, stable=True)  # t3,6
x.sort(dim=0, descending=True, stable=True)    # t5,3
x.sort()                                       # e12
t.sort(x, descending=True)                     # e12
t.sort(x)                                      # b6
t.sort(x)                                      # f0,3
t.sort(x).values                               # f2,700
x.sort(2)                                      # f2,3
t.topk(x, 4)                                   # g2,9
t.topk(x, 2, 0, False)                         # g4,3
t.topk(x, 3).values                            # i3,6
t.topk(x, 5)[0]                                # e12
t.topk(x, 0)                                   # f2,3
t.topk(x, 4)                                   # f2,3
t.topk(x, 1)                                   # b3
t.kthvalue(x, 3)                               # g2,7
t.kthvalue(x, 2, 0, True)                      # g4,3
t.kthvalue(x, 7).values                        # i9
t.kthvalue(x, 12).values                       # e12
t.kthvalue(x, 8)                               # f7
t.kthvalue(x, 0)                               # f7
t.kthvalue(x, 1)                               # f2,0
t.median(x)                                    # e12
t.median(x, 0)                                 # e12
t.median(x, 1).values                          # t4,6
t.median(x, 1)                                 # f2,0
t.median(x)                                    # b3
t.median(x)                                    # j7
t.nanmedian(x)                                 # e12
t.nanmedian(x, 0)                              # e12
t.nanmedian(x, 1, True).values                 # t3,6
t.mode(x).values                               # t4,9
t.mode(x, 0, True)                             # i6,2
t.quantile(x, t.tensor([0.0, 0.25, 1.0]).to(x.dtype), dim=0)  # f5,3
t.quantile(x, 0.37, keepdim=True)              # f5,3
t.quantile(x, 0.5, dim=1, interpolation="lower")     # f2,6
t.quantile(x, 0.5, dim=1, interpolation="higher")    # f2,6
t.quantile(x, 0.3, dim=1, interpolation="midpoint")  # f2,6
t.quantile(x, 0.3, dim=1, interpolation="nearest")   # f2,6
t.quantile(x, 0.4)                             # e12
t.nanquantile(x, 0.25)                         # f9
t.nanquantile(x.masked_fill(x > 0.5, float("nan")), 0.6, dim=1)  # f3,8
t.quantile(x, 2.0)                             # f3
t.quantile(x, 0.5, interpolation="odd")        # f3
t.unique(x)                                    # e12
t.unique(x, return_inverse=True, return_counts=True)  # i3,5
t.unique(x, dim=0, return_inverse=True, return_counts=True)  # i9,2
t.unique(x, dim=1)                             # i2,9
t.unique(x)                                    # i0
t.unique_consecutive(x, return_inverse=True, return_counts=True)  # i12
t.unique_consecutive(x, dim=0, return_counts=True)    # i9,1
t.unique_consecutive(x)                        # i0
t.searchsorted(x.sort().values, y, side="right")      # t7 t3,2
t.searchsorted(x.sort().values, 0.5)           # f5
t.searchsorted(x.sort().values, y, out_int32=True)    # f5 f3
t.searchsorted(x, y, sorter=x.argsort())       # g5 f3
t.searchsorted(x.sort().values, y)             # i5 f3
t.searchsorted(x, y)                           # f2,3 f3,2
t.searchsorted(x, y, side="middle")            # f3 f3
t.searchsorted(x, y, side="left", right=True)  # f3 f3
t.bucketize(x, t.tensor([0.0, 1.0]), right=True)      # t2,3
t.bucketize(x, y)                              # f3 f2,2
t.bincount(x)                                  # i9
t.bincount(x, minlength=7)                     # i9
t.bincount(x, t.tensor([1, 2, 3]))             # i3
t.bincount(x)                                  # j20
t.bincount(x)                                  # f3
t.bincount(x)                                  # i2,2
t.histc(x, 5)                                  # f30
t.histc(x, 4, -1, 1)                           # f30
t.histc(x, 7, min=0, max=2)                    # t4,5
t.histc(x, 0)                                  # f3
t.histc(x, 3, 2, 1)                            # f3
t.cumprod(x, 1)                                # t2,3,4
t.cumprod(x, 0)                                # e12
t.cumprod(x, 0)                                # b5
t.cumprod(x, 0, dtype=t.float32)               # i5
t.cummax(x, 1)                                 # t3,6
t.cummax(x, 0)                                 # e12
t.cummin(x, 0)                                 # t6,3
t.cummin(x, 0)                                 # e12
t.cummax(x, 0)                                 # b5
t.cummax(x, 2)                                 # f2,3
t.logcumsumexp(x, 1)                           # f3,5
t.logcumsumexp(x * 300, 0)                     # f6
t.logcumsumexp(x, 0)                           # i5
t.scatter(x, 0, y, z)                          # f4,3 i2,3 f4,3
t.scatter(x, 1, t.tensor([[1], [0]]), value=2) # f2,3
x.scatter(0, t.tensor([0, 2]), y, reduce="multiply")  # f3 f2
x.scatter(0, t.tensor([0, 0]), 2.0, reduce="add")     # f3
x.scatter(0, t.tensor([3]), 1.0)               # f3
x.scatter(0, t.tensor([-1]), 1.0)              # f3
x.scatter(0, t.tensor([0]), 1.0, reduce="max") # f3
x.scatter(0, t.tensor([0, 1]), y)              # f3 f1
x.gather(0, t.tensor([3]))                     # f3
x.gather(0, t.tensor([[0]]))                   # f3
x.scatter_add(0, t.tensor([3]), y)             # f3 f1
x.scatter_reduce(1, y, z, "prod", include_self=False)  # f3,4 i3,5 t3,5
x.scatter_reduce(0, y, z, "amax")              # t3 i6 t6
x.scatter_reduce(0, y, z, "amin", include_self=False)  # t3 i6 t6
x.scatter_reduce(0, y, z, "mean", include_self=False)  # f3 i6 f6
x.scatter_reduce(0, y, t.tensor([-3, -4, 5, 1]), "mean")  # j3 i4
x.index_copy(1, t.tensor([2, 0]), y)           # f2,3 f2,2
x.index_copy(0, t.tensor([2]), y)              # f2,3 f1,3
x.index_fill(1, t.tensor([-1, 0]), 3)          # f2,3
x.index_fill(0, t.tensor([1]), 2.7)            # j3
x.index_fill(0, t.tensor([3]), 2)              # f3
x.masked_scatter(y, z)                         # f2,3 b3 f9
x.masked_scatter(x > -9, y)                    # f2,3 f5
x.masked_scatter(x > 99, y)                    # f2,3 f5
t.masked_scatter(x, x, y)                      # f2,3 f6
t.fill(x, 3)                                   # f2,3
t.fill(x, y)                                   # f2,3 f
t.fill(x, y)                                   # f2,3 f3
t.special.ndtr(x)                              # f2,3
t.special.entr(x)                              # p2,3
t.special.xlog1py(x, y)                        # f2,3 p3
x.take(t.tensor([[-1, 0], [5, 5]]))            # f2,3
x.take(t.tensor([6]))                          # f2,3
x.nonzero()                                    # t3,4
x.nonzero(as_tuple=True)                       # b2,3
t.nonzero(x)                                   # f
t.nonzero(x, as_tuple=True)                    # f
t.argwhere(x > 0)                              # f3,4
t.where(x > 0)                                 # f3,4
t.where(x)                                     # b5
t.any(x, dim=())                               # t2,3
t.all(x, ())                                   # t2,3
t.nansum(x, 0)                                 # e12
t.nanmean(x.masked_fill(x > 0.2, float("nan")), 1)    # f3,6
t.nanmean(x)                                   # i3
t.var_mean(x, dim=(0, 2), keepdim=True)        # f2,3,4
t.std_mean(x, unbiased=False)                  # f2,3
t.var_mean(x, 1, correction=0)                 # f2,3
t.count_nonzero(x, dim=(0, 1))                 # t2,3,4
t.cdist(x, y, p=1.0)                           # f2,3,4 f2,5,4
t.cdist(x, y, p=float("inf"))                  # f3,4 f5,4
t.cdist(x, y, 3)                               # f3,4 f5,4
t.cdist(x, y)                                  # f3,4 f5,3
t.cdist(x, y)                                  # f3 f5,3
t.diff(x, 2, 0, append=y)                      # f4,3 f1,3
t.diff(x)                                      # b2,5
t.diff(x, 7)                                   # f2,5
t.diff(x)                                      # f
t.corrcoef(x)                                  # f3,6
t.corrcoef(x)                                  # f6
t.cov(x, correction=0, fweights=t.tensor([1, 2]), aweights=t.tensor([0.5, 2.0]))  # f2,2
t.cov(x)                                       # f2,2,2
t.cov(x, aweights=t.tensor([1.0, -1.0]))       # f2,2
t.aminmax(x, dim=1)                            # t3,4
t.aminmax(x)                                   # f0
x.as_strided((3, 2), (1, 1))                   # f6
(x * 1).as_strided((2, 2), (0, 2), 1)          # f6
(x * 1)[1:4].as_strided((2, 2), (1, 2), 0)     # f6
x.as_strided((2,), (1, 1))                     # f6
x.as_strided((7,), (1,), 1)                    # f6
x << t.tensor([0, 1, 70])                      # j3
x >> 2                                         # j9
3 << x                                         # i4
x << 1                                         # f3
t.bitwise_right_shift(x, y)                    # j3 i3
t.tensor([1, 2], dtype=float)                  # f1
t.zeros(2, dtype=int)                          # f1
x.to(bool)                                     # t4
t.one_hot(x) if hasattr(t, "one_hot") else F.one_hot(x)  # i2,3
F.one_hot(t.tensor([-1]))                      # f1
F.one_hot(t.tensor([3]), 3)                    # f1
t.linspace(0, 1, -1)                           # f1
t.linspace(-2, 5, 7, dtype=t.int64)            # f1
F.embedding_bag(x, y, t.tensor([0, 2, 2]))     # i6 f3,4
F.embedding_bag(x, y, t.tensor([0, 4, 6]), mode="sum", include_last_offset=True)  # i6 f3,4
F.embedding_bag(x, y, t.tensor([0, 2]), mode="max", padding_idx=1)  # i6 f3,4
F.embedding_bag(x, y, t.tensor([0, 2]), mode="sum", per_sample_weights=z)  # i6 f3,4 f6
F.embedding_bag(x, y, t.tensor([1, 2]))        # i6 f3,4
F.embedding_bag(x, y)                          # i6 f3,4
F.embedding_bag(x, y, mode="first")            # i2,3 f3,4
x.index_add_(0, t.tensor([1, 1]), y)           # j3 j2
(x * 1).scatter_(1, t.tensor([[0], [2]]), y)   # f2,3 f2,1
(x * 1).scatter_add_(0, t.tensor([1, 1]), y)   # f3 f2
(x * 1).scatter_reduce_(0, t.tensor([1, 1]), y, "amax")  # f3 f2
(x * 1).index_copy_(0, t.tensor([1]), y)       # f3 f1
(x * 1).index_fill_(0, t.tensor([1]), 7)       # f3
(x * 1).masked_scatter_(x > 0, y)              # f3 f3
(x * 1).cumsum_(0)                             # f3,2
(x * 1).cumprod_(1)                            # f3,2
"""
