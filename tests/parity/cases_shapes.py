"""Cases of reductions, shapes, indexing, products and creation."""

from itertools import product

from cases_further import FURTHER
from cases_linalg import LINALG
from cases_mixed import MIXED
from cases_order import ORDERED
from cases_pointwise import lines

REDUCED = (
    "sum mean prod amax amin var std logsumexp argmax argmin any all norm nansum nanmean median"
)
DIMS = ("", "0", "1", "-1", "1, keepdim=True", "0, keepdim=True")
SEVERAL = ("(0, 2)", "(0, 2), keepdim=True", "dim=(1,)", "(-1, 0)")
ONE_DIM_ONLY = ("prod", "argmax", "argmin", "median")
REDUCTIONS = [
    (f"x.{name}({dims})", inputs)
    for name, dims, inputs in product(REDUCED.split(), DIMS, ("g2,3,4", "t4,5"))
    if not (name == "logsumexp" and not dims) and not (name == "norm" and dims == "-1")
] + [
    (f"t.{name}(x, {dims})", "g2,3,4")
    for name, dims in product(REDUCED.split(), SEVERAL)
    if name not in ONE_DIM_ONLY
]
EMPTY = [
    (f"x.{name}({dims})", "f0,3")
    for name, dims in product(REDUCED.split(), ("", "0", "1"))
    if not (name == "logsumexp" and not dims)
]

EMPTY.append(("x.var()", "f1"))

WRITTEN_REDUCTIONS = """
x.sum()                                        # j3,4
x.sum(0)                                       # b3,4
x.sum(dtype=t.float32)                         # j3,4
x.sum(0, dtype=t.float32)                      # f3,4
x.mean(dtype=t.float32)                        # f3,4
x.prod()                                       # j3
x.prod(0, dtype=t.float32)                     # f3,4
x.mean(dim=(), keepdim=True)                   # f3,4
x.sum(())                                      # f3,4
x.sum([])                                      # f3,4
x.sum()                                        # f
x.sum(0)                                       # f
x.mean(-1)                                     # f
x.max()                                        # g3,4
x.min()                                        # g3,4
x.max(0)                                       # g3,4
x.min(1, keepdim=True)                         # g3,4
x.max(-1)                                      # g2,3,4
x.max()                                        # t3,4
x.min()                                        # t3,4
x.max(0).values                                # t3,4
t.max(x, y)                                    # f3,4 f4
t.min(x, y)                                    # f3,4 f4
t.max(x, 1)[1]                                 # g3,4
x.amax((0, 1))                                 # t3,4
x.amin()                                       # t3,4
x.max(0)                                       # e12
x.amax()                                       # e12
x.argmax()                                     # e12
x.var(correction=0)                            # f3,4
x.var(0, unbiased=False)                       # f3,4
x.var(unbiased=False)                          # f3,4
x.var(1, correction=2)                         # f3,4
x.std(0, correction=0, keepdim=True)           # f3,4
t.std(x, dim=(0, 1))                           # f3,4
t.var_mean(x)                                  # f3,4
t.var_mean(x, 1)                               # f3,4
t.std_mean(x, 0, keepdim=True)                 # f3,4
x.var(0)                                       # f1,3
t.aminmax(x)                                   # g3,4
t.aminmax(x, dim=0, keepdim=True)              # g3,4
x.norm()                                       # f3,4
x.norm(1)                                      # f3,4
x.norm(3, 1)                                   # p3,4
x.norm(float("inf"))                           # g3,4
x.norm(-float("inf"), 0)                       # g3,4
x.norm(0, 1)                                   # t3,4
x.norm(2, (0, 1), keepdim=True)                # f3,4
x.norm("fro")                                  # f3,4
x.norm()                                       # t1
(x * 0).norm()                                 # f3
(x.detach().float() * 1e13).norm(3, 1)          # f3,1
(x.detach().float() * 1e20).norm(1.5)           # f1
t.linalg.vector_norm(x.detach().float() * 1e-15, 3, 0)  # f1,4
(x * 0).norm(1, 0)                             # f3,4
t.norm(x, p=2, dim=0)                          # f3,4
t.norm(x, dim=1, dtype=t.float32)              # f3,4
x.cumsum(0)                                    # f3,4
x.cumsum(-1)                                   # f2,3,4
x.cumsum(0)                                    # j3,4
x.cumsum(0, dtype=t.float32)                   # j3,4
t.cumsum(x, dim=1)                             # f3,4
t.cumprod(x, 1)                                # f3,4
t.cumprod(x, 0)                                # t3,4
t.cummax(x, 1)                                 # g3,4
t.cummin(x, 0)                                 # g3,4
t.logcumsumexp(x, 1)                           # f3,4
x.count_nonzero()                              # t3,4
x.count_nonzero(0)                             # t3,4
t.count_nonzero(x, dim=(0, 1))                 # t3,4
x.any()                                        # b3,4
x.all(1)                                       # b3,4
x.all(0, keepdim=True)                         # t3,4
t.any(x, dim=1)                                # t3,4
x.softmax(0)                                   # f3,4
x.softmax(-1)                                  # f2,3,4
x.softmax(1, dtype=t.float32)                  # f3,4
t.softmax(x, 1)                                # f2,3,4
t.log_softmax(x, 1)                            # f3,4
x.log_softmax(0)                               # f2,3,4
(x * 200).softmax(1)                           # f3,4
(x * 200).log_softmax(1)                       # f3,4
(x * 200).logsumexp(1)                         # f3,4
x.logsumexp(dim=(0, 1), keepdim=True)          # f3,4
x.softmax(0)                                   # f
t.logsumexp(x, 0)                              # e12
t.trace(x)                                     # f3,3
t.trace(x)                                     # f2,4
x.trace()                                      # j3,3
x.median()                                     # g3,4
x.median(1)                                    # g3,5
t.nanmedian(x)                                 # g3,4
t.mode(x, 1)                                   # t3,5
x.kthvalue(2, 1)                               # g3,4
x.topk(2)                                      # g3,4
x.topk(2, 0)                                   # g3,4
x.topk(3, largest=False)                       # g3,4
x.sort()                                       # g3,4
x.sort(0, descending=True)                     # g3,4
t.sort(x, dim=1, stable=True)                  # t3,4
t.sort(x, stable=True)                         # e12
x.argsort()                                    # g3,4
t.argsort(x, 0, True)                          # g3,4
t.argsort(x, dim=0, stable=True)               # t3,4
t.unique(x)                                    # i3,4
t.unique(x, return_inverse=True)               # i3,4
t.unique(x, True, True, True)                  # i3,4
t.unique_consecutive(x)                        # i8
t.msort(x)                                     # g3,4
t.bincount(x)                                  # i6
t.bincount(x, y.detach())                      # i6 f6
t.bincount(x, minlength=9)                     # i6
t.histc(x, 4, -1, 1)                           # f10
t.histc(x, bins=5)                             # f10
t.searchsorted(x.sort().values, y)             # f5 f3
t.searchsorted(x.sort().values, y, right=True) # t5 t3
t.searchsorted(x.sort(-1).values, y)           # f2,5 f2,3
t.bucketize(y, x.sort().values)                # f5 f3
t.cdist(x, y)                                  # f3,4 f5,4
t.cdist(x, y, p=1)                             # f2,3,4 f2,5,4
t.quantile(x, 0.3)                             # f7
t.quantile(x, 0.5, dim=1)                      # f3,4
t.dist(x, y)                                   # f3,4 f3,4
t.dist(x, y, 1)                                # f3,4 f3,4
t.diff(x)                                      # f3,4
t.cov(x)                                       # f3,4
"""

SHAPED = """
x.reshape(4, 3)                       # f3,4
x.reshape(-1)                         # f3,4
x.reshape((2, -1))                    # f3,4
t.reshape(x, (12,))                   # f3,4
x.reshape(0, 5)                       # f0,3
x.reshape(())                         # f1
x.view(-1, 2)                         # f3,4
x.view(3, 2, 2)                       # f3,4
x.view_as(y)                          # f3,4 f4,3
x.reshape_as(y)                       # f3,4 f4,3
x.flatten()                           # f2,3,4
x.flatten(1)                          # f2,3,4
t.flatten(x, 0, 1)                    # f2,3,4
x.flatten()                           # f
x.unflatten(1, (2, 2))                # f3,4
t.unflatten(x, -1, (-1, 2))           # f3,4
x.squeeze()                           # f1,3,1
x.squeeze(0)                          # f1,3,1
x.squeeze((0, 2))                     # f1,3,1
x.squeeze(1)                          # f1,3,1
t.squeeze(x, -1)                      # f1,3,1
x.unsqueeze(0)                        # f3,4
t.unsqueeze(x, -1)                    # f3,4
x.transpose(0, 1)                     # f3,4
t.transpose(x, -1, 0)                 # f2,3,4
t.swapaxes(x, 0, 1)                   # f3,4
t.swapdims(x, 0, 1)                   # f3,4
x.T                                   # f3,4
x.mT                                  # f2,3,4
x.t()                                 # f3,4
x.t()                                 # f3
x.permute(2, 0, 1)                    # f2,3,4
x.permute((1, 0, 2))                  # f2,3,4
t.permute(x, (0, 2, 1))               # f2,3,4
t.movedim(x, 0, 2)                    # f2,3,4
t.movedim(x, (0, 1), (2, 0))          # f2,3,4
t.moveaxis(x, 0, -1)                  # f2,3,4
x.expand(2, 3, 4)                     # f3,4
x.expand(-1, 4)                       # f3,1
x.expand(5, -1, -1)                   # f3,4
x.expand_as(y)                        # f3,1 f3,4
t.broadcast_to(x, (2, 3))             # f3
x.broadcast_to((2, 3))                # f3
x.broadcast_to(2, 3)                  # f3
(x * 1).squeeze_(-1, 0)               # f1,2,1
x.squeeze(-1, 0)                      # f1,2,1
t.broadcast_tensors(x, y)             # f3,1 f4
t.broadcast_shapes((3, 1), (4,))      # f1
x.sum_to_size(3, 1)                   # f3,4
x.repeat(2, 3)                        # f3,4
x.repeat(2, 1, 1)                     # f3,4
x.tile(2)                             # f3,4
t.tile(x, (2, 1, 2))                  # f3,4
x.repeat_interleave(2)                # f3,4
x.repeat_interleave(2, 1)             # f3,4
t.repeat_interleave(x, y, dim=0)      # f3,4 i3
t.cat([x, y])                         # f3,4 f2,4
t.cat((x, y), 1)                      # f3,4 f3,2
t.cat([x, y], dim=-1)                 # f3,4 f3,4
t.cat([x, y])                         # f3,4 j2,4
t.cat([x, y])                         # f0 f3,4
t.concat([x, y])                      # f3 f2
t.concatenate([x, y])                 # f3 f2
t.stack([x, y])                       # f3,4 f3,4
t.stack([x, y], 2)                    # f3,4 f3,4
t.stack((x, y), -1)                   # f3,4 f3,4
t.vstack([x, y])                      # f3,4 f4
t.row_stack([x, y])                   # f3,4 f4
t.hstack([x, y])                      # f3,4 f3,1
t.hstack([x, y])                      # f3 f2
t.dstack([x, y])                      # f3,4 f3,4
t.column_stack([x, y])                # f3 f3,2
t.atleast_1d(x)                       # f
t.atleast_2d(x)                       # f3
t.atleast_3d(x)                       # f3,4
t.atleast_1d([x, y])                  # f f3
t.atleast_2d(x, y)                    # f f3
t.atleast_3d((x, y))                  # f3 f2,3,4
x.split(2)                            # f5,3
x.split([1, 4])                       # f5,3
t.split(x, 2, dim=1)                  # f5,3
x.chunk(2)                            # f5,3
t.chunk(x, 4, 1)                      # f2,6
x.unbind()                            # f3,4
t.unbind(x, 1)                        # f3,4
t.tensor_split(x, 3)                  # f5,3
t.hsplit(x, 2)                        # f4,4
x.flip(0)                             # f3,4
x.flip(0, 1)                          # f3,4
t.flip(x, (1,))                       # f3,4
t.fliplr(x)                           # f3,4
t.flipud(x)                           # f3,4
x.roll(1)                             # f3,4
x.roll((1, -1), (0, 1))               # f3,4
t.roll(x, 2, 1)                       # f3,4
t.rot90(x)                            # f3,4
x.diagonal()                          # f3,4
x.diagonal(1, 1, 2)                   # f2,3,4
t.diagonal(x, -1)                     # f3,4
t.diag(x)                             # f3
t.diag(x, 1)                          # f3,4
x.diag(-1)                            # f3
t.diag_embed(x)                       # f2,3
t.diag_embed(x, 1)                    # f2,3
t.diag_embed(x, -1, 0, 2)             # f2,3
t.diag_embed(x, 1, 2, 0)              # f2,3
t.repeat_interleave(x, 2, 0, output_size=6)  # f3,4
(x * 1).div_(y, rounding_mode="trunc")  # f3,4 p3,4
(x * 1).div_(y, rounding_mode="floor")  # f3,4 p3,4
x.split(split_size=2)                 # f5,3
t.split(x, split_size_or_sections=2)  # f5,3
x.numpy(force=True).tolist()          # f3,4
t.gather(x, 1, y, sparse_grad=False)  # f3,3 i3,2
t.tril(x)                             # f3,4
t.triu(x, 1)                          # f3,4
x.tril(-1)                            # f2,3,4
x.triu()                              # f3,4
t.meshgrid(x, y, indexing="ij")       # f3 f4
t.meshgrid(x, y, indexing="xy")       # f3 f4
x.narrow(0, 1, 2)                     # f3,4
t.narrow(x, 1, 0, 3)                  # f3,4
x.select(0, 1)                        # f3,4
t.select(x, -1, 0)                    # f3,4
x.unfold(0, 2, 1)                     # f5,3
x.unfold(1, 3, 2)                     # f2,7
t.as_strided(x, (2, 2), (1, 2))       # f3,4
t.as_strided(x, (2, 3), (4, 1), 4)    # f3,4
x.contiguous()                        # f3,4
x.is_contiguous()                     # f3,4
x.shape                               # f3,4
x.size()                              # f3,4
x.size(1)                             # f3,4
x.dim()                               # f3,4
x.ndim                                # f3,4
x.numel()                             # f3,4
len(x)                                # f3,4
x.tolist()                            # f3,4
x.item()                              # f1
bool(x)                               # f1
int(x)                                # g1
float(x)                              # f1
x.nonzero()                           # t3,4
t.nonzero(x, as_tuple=True)           # t3,4
t.argwhere(x)                         # t3,4
t.numel(x)                            # f3,4
"""

INDEXED = """
x[0]                                            # f3,4
x[-1]                                           # f3,4
x[1, 2]                                         # f3,4
x[1:]                                           # f3,4
x[:, ::2]                                       # f3,4
x[..., 0]                                       # f2,3,4
x[None]                                         # f3,4
x[:, None, 1]                                   # f3,4
x[5:2]                                          # f3,4
x[t.tensor([0, 2, 0])]                          # f3,4
x[[0, 2]]                                       # f3,4
x[:, [0, 0, 3]]                                 # f3,4
x[[0, 1], [2, 3]]                               # f3,4
x[t.tensor([[0, 1], [2, 0]])]                   # f3,4
x[t.tensor([0, 1]), :, t.tensor([1, 1])]        # f2,3,4
x[t.tensor([-1])]                               # f3,4
x[y]                                            # f3,4 b3,4
x[y]                                            # f3,4 b3
x[:, y]                                         # f3,4 b4
x[x > 0]                                        # f3,4
x[t.tensor([], dtype=t.int64)]                  # f3,4
x[True]                                         # f3
x[t.tensor(1)]                                  # f3,4
x[1:, t.tensor([0, 1])]                         # f3,4
x.index_select(0, y)                            # f3,4 i5
t.index_select(x, 1, y)                         # f2,3 i4
x.index_add(0, y, z)                            # f3,4 i5 f5,4
t.index_add(x, 1, y, z, alpha=2)                # f2,3 i4 f2,4
x.index_copy(0, t.tensor([2, 0]), z)            # f3,4 i1 f2,4
x.index_fill(0, t.tensor([2, 0]), 5.0)          # f3,4
x.gather(1, y)                                  # f3,4 i3,2
t.gather(x, 0, y)                               # f3,4 i2,4
x.scatter(1, t.tensor([[0, 1], [2, 0]]), y)     # f2,3 f2,2
x.scatter(0, t.tensor([[0, 1]]), 7.0)           # f2,3
x.scatter_add(1, y, z)                          # f3,4 i3,2 f3,2
t.scatter_add(x, 0, y, z)                       # f3,4 i5,4 f5,4
x.scatter_reduce(0, y, z, "sum")                # f3 i5 f5
x.scatter_reduce(0, y, z, "mean")               # f3 i5 f5
x.scatter_reduce(0, y, z, "amax")               # f3 i5 f5
x.scatter_reduce(0, y, z, "prod")               # f3 i5 f5
x.scatter_reduce(0, y, z, "amin", include_self=False)  # f3 i5 f5
t.take_along_dim(x, x.argmax(1, keepdim=True), 1)      # g3,4
x.take_along_dim(y, 0)                          # f3,4 i2,4
t.take(x, y)                                    # f3,4 i5
x.masked_select(y)                              # f3,4 b3,4
t.masked_select(x, y)                           # f3,4 b4
t.masked_scatter(x, y, z)                       # f3,4 b3,4 f12
"""

WRITTEN_INTO = """
[0] = 5.0                               # f3,4
[:, 1] = y                              # f3,4 f3
[1:] = y                                # f3,4 f4
[t.tensor([0, 2])] = y                  # f3,4 f2,4
[[0, 2], [1, 3]] = y                    # f3,4 f2
[t.tensor([0, 0])] = 1                  # f3,4
[y] = 0                                 # f3,4 b3,4
[y] = 2.5                               # f3,4 b3
[..., 0] = y                            # f2,3,4 f2,3
[None, 0] = 1                           # f3,4
"""

PRODUCTS = """
x @ y                                     # f3,4 f4,2
x @ y                                     # f4 f4
x @ y                                     # f3,4 f4
x @ y                                     # f3 f3,4
x @ y                                     # f2,3,4 f4,5
x @ y                                     # f2,3,4 f2,4,5
x @ y                                     # f2,1,3,4 f5,4,2
x @ y                                     # f4 f2,4,3
x @ y                                     # f0,4 f4,2
x @ y                                     # f3,0 f0,2
x @ y                                     # j3,4 j4,2
t.matmul(x, y)                            # f3,4 f4,2
t.mm(x, y)                                # f3,4 f4,2
t.mv(x, y)                                # f3,4 f4
t.bmm(x, y)                               # f2,3,4 f2,4,5
t.dot(x, y)                               # f4 f4
t.vdot(x, y)                              # f4 f4
t.inner(x, y)                             # f3,4 f2,4
t.inner(x, y)                             # f4 f4
t.outer(x, y)                             # f3 f4
t.ger(x, y)                               # f3 f4
t.kron(x, y)                              # f2,3 f3,2
t.addmm(x, y, z)                          # f3,2 f3,4 f4,2
t.addmm(x, y, z, beta=2, alpha=0.5)       # f2 f3,4 f4,2
t.addmm(x, y, z, beta=0)                  # f2 f3,4 f4,2
x.addmm(y, z)                             # f3,2 f3,4 f4,2
t.addmv(x, y, z)                          # f3 f3,4 f4
t.addmv(x, y, z, beta=0.5, alpha=2)       # f3 f3,4 f4
t.addr(x, y, z)                           # f3,4 f3 f4
t.addbmm(x, y, z)                         # f3,5 f2,3,4 f2,4,5
t.baddbmm(x, y, z)                        # f2,3,5 f2,3,4 f2,4,5
t.baddbmm(x, y, z, beta=0, alpha=3)       # f2,3,5 f2,3,4 f2,4,5
t.cross(x, y, dim=1)                      # f2,3 f2,3
t.einsum("ij,jk->ik", x, y)               # f3,4 f4,2
t.einsum("bij,bjk", x, y)                 # f2,3,4 f2,4,2
t.einsum("ij->ji", x)                     # f3,4
t.einsum("ii", x)                         # f3,3
t.einsum("ii->i", x)                      # f3,3
t.einsum("...ij,...j->...i", x, y)        # f2,3,4 f4
t.einsum("i,j", x, y)                     # f3 f4
t.einsum("ij,ij,ij->", x, y, z)           # f3,4 f3,4 f3,4
t.einsum("ij,j", [x, y])                  # f3,4 f4
t.tensordot(x, y, 1)                      # f3,4 f4,2
t.tensordot(x, y, 2)                      # f2,3,4 f3,4,2
t.tensordot(x, y, ([0], [1]))             # f3,4 f2,3
t.tensordot(x, y, dims=([0, 1], [1, 0]))  # f3,4 f4,3
"""

CREATED = """
t.tensor([1, 2, 3])                            # f1
t.tensor([[1.0, 2.0], [3.0, 4.0]])             # f1
t.tensor(3)                                    # f1
t.tensor(2.5, dtype=t.float64)                 # f1
t.tensor([True, False])                        # f1
t.tensor([])                                   # f1
t.tensor([1, 2.5])                             # f1
t.tensor([[]])                                 # f1
t.tensor([16777217, 2**53 + 1])                # f1
t.as_tensor([1, 2])                            # f1
t.as_tensor(x)                                 # f3
t.zeros(2, 3)                                  # f1
t.zeros((2, 3), dtype=t.int64)                 # f1
t.zeros(())                                    # f1
t.zeros(0)                                     # f1
t.ones(2, 3)                                   # f1
t.ones([2], dtype=t.bool)                      # f1
t.full((2, 3), 7)                              # f1
t.full((2,), 1.5)                              # f1
t.full((2,), True)                             # f1
t.full((2,), 3, dtype=t.float32)               # f1
t.eye(3)                                       # f1
t.eye(2, 4, dtype=t.int64)                     # f1
t.arange(5)                                    # f1
t.arange(1, 7, 2)                              # f1
t.arange(0.0, 1.0, 0.3)                        # f1
t.arange(5, 0, -2)                             # f1
t.arange(3, dtype=t.float64)                   # f1
t.linspace(0, 1, 5)                            # f1
t.linspace(3, -2, 4, dtype=t.float64)          # f1
t.linspace(0, 1, 1)                            # f1
t.zeros_like(x)                                # f3,4
t.zeros_like(x, dtype=t.int64)                 # f3,4
t.ones_like(x)                                 # i3,4
t.full_like(x, 2)                              # f3,4
t.full_like(x, 2.5, dtype=t.float32)           # i3
t.empty(2, 3).shape                            # f1
t.empty_like(x).shape                          # f3,4
t.rand(2, 3).shape                             # f1
t.randn((2, 3)).shape                          # f1
t.randint(0, 5, (2, 3)).dtype                  # f1
t.randint(5, (3,)).shape                       # f1
t.randperm(5).sort().values                    # f1
t.randperm(5).dtype                            # f1
t.rand_like(x).dtype                           # f3,4
t.randn_like(x).shape                          # f3,4
t.randint_like(x, 5).shape                     # f3,4
t.randint_like(x, 3, 4)                        # f3,4
t.normal(0.0, 1.0, (2, 3)).shape               # f1
t.normal(x, 1.0).shape                         # f3,4
t.normal(x, y).shape                           # f3,4 p3,4
[t.normal(x.half(), y.to(b)).dtype for b in (t.bfloat16, t.float64)]  # f3 p3
[t.normal(x.double(), y).dtype, t.normal(x, y.double()).dtype, t.normal(x, y.long()).dtype]  # f3 p3
[t.normal(0.5, x.double().abs()).dtype, t.normal(x.bfloat16(), 2.0).dtype]  # f3
t.bernoulli(x).dtype                           # q3,4
t.multinomial(x, 2).shape                      # q3,4
t.multinomial(x, 9, replacement=True).dtype    # q4
x.clone().normal_().shape                      # f3
x.clone().uniform_(2, 3).floor()               # f3
x.clone().bernoulli_(1.0)                      # f3
x.new_tensor([1, 2])                           # f3
x.new_zeros(2, 3)                              # f3
x.new_zeros((2,), dtype=t.int64)               # f3
x.new_ones((2, 3))                             # i3
x.new_full((2,), 5)                            # f3
x.new_full((2,), 5, dtype=t.int32, device="cpu")  # f3
x.new_tensor([1, 2], device="cpu")             # f3
t.randperm(5, dtype=t.int32).dtype             # f1
t.triu_indices(3, 4, 1, dtype=t.int32)         # f1
t.rand_like(x, generator=t.Generator()).shape  # f3
x.new_empty((2, 3)).shape                      # f3
t.from_numpy(x.detach().numpy())               # f3,4
t.frombuffer(b"\\x01\\x00\\x02\\x00", dtype=t.uint8)  # f1
t.tril_indices(3, 3)                           # f1
t.triu_indices(3, 4, 1)                        # f1
t.cartesian_prod(x, y)                         # f2 f3
t.Size([2, 3])                                 # f1
t.get_default_dtype()                          # f1
t.is_grad_enabled()                            # f1
t.is_inference_mode_enabled()                  # f1
t.manual_seed(5).initial_seed()                # f1
t.Generator().manual_seed(3).initial_seed()    # f1
t.device("cpu").type                           # f1
repr(x)                                        # f3,4
repr(x)                                        # j3,4
repr(x)                                        # e12
repr(x)                                        # b3
repr(x > 0)                                    # f2,2
repr(x * 1000)                                 # f4
repr(x)                                        # f0,3
repr(x)                                        # f
repr(x.float())                                # f2,3
str(t.float32)                                 # f1
repr(t.arange(2000))                           # f1
format(x[0], ".3f")                            # f3
"""


def written(text, inputs):
    """Return the expression that writes into a copy and gives the copy."""
    key, value = text.split(" = ")
    key = key.removeprefix("[").removesuffix("]")
    return f"(lambda c: (c.__setitem__({as_key(key)}, {value}), c)[1])(x * 1)", inputs


def as_key(key):
    """Return the text of a key as an expression."""
    return f"slicer[{key}]"


SHAPE_CASES = REDUCTIONS + lines(WRITTEN_REDUCTIONS) + lines(SHAPED) + lines(INDEXED)
SHAPE_CASES += (
    lines(MIXED)
    + lines(FURTHER)
    + lines(LINALG)
    + lines(ORDERED)
    + lines(PRODUCTS)
    + [written(*line) for line in lines(WRITTEN_INTO)]
)
CREATION = lines(CREATED)
