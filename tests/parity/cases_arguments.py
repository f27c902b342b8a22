"""Cases of what programs give: `size=`, a number as a tensor without dimensions, iterables for
`autograd.grad`, a bias that is broadcast; and programs that failed for one of these.
"""

from cases_pointwise import lines

ARGUMENTS = lines("""
t.zeros(size=(2, 3))                               # f1
t.ones(size=[2, 3], dtype=t.int64)                 # f1
t.empty(size=(2, 3)).shape                         # f1
t.rand(size=(2, 3)).shape                          # f1
t.randn(size=t.Size([2, 3])).shape                 # f1
t.randint(3, size=(2, 3)).shape                    # f1
t.randint(high=1, size=(2, 3))                     # f1
t.full(size=(2,), fill_value=2.5)                  # f1
t.arange(end=3)                                    # f1
x.new_zeros(size=(2, 3))                           # f3
x.new_ones(size=(2, 3))                            # i3
x.new_empty(size=(2, 3)).shape                     # f3
x.new_full(size=(2, 3), fill_value=7)              # f3
x.sum_to_size(size=(1, 3))                         # f2,3
t.add(x, y, alpha=t.tensor(2))                     # f3,4 f4
(x * 1).add_(y, alpha=t.tensor(3))                 # f3,4 f4
t.sub(x, y, alpha=t.tensor(0.5))                   # f3,4 f4
t.lerp(x, y, t.tensor(0.25))                       # f3,4 f4
t.addcmul(x, y, z, value=t.tensor(0.5))            # f3,4 f4 f3,1
t.addcdiv(x, y, z, value=t.tensor(2))              # f3,4 f4 p3,1
t.addmm(x, y, z, beta=t.tensor(2), alpha=t.tensor(0.5))  # f2 f3,4 f4,2
t.addr(x, y, z, alpha=t.tensor(3))                 # f3,3 f3 f3
t.polygamma(t.tensor(1), x)                        # p3,4
t.combinations(x, t.tensor(2), True)               # f3
t.linalg.norm(x, t.tensor(3), dim=0)               # p3,4
t.cdist(x, y, t.tensor(3))                         # f3,4 f5,4
t.dist(x, y, t.tensor(1))                          # f3 f3
t.scatter(x, 1, t.tensor([[1], [0]]), value=t.tensor(2))  # f2,3
F.conv1d(x, y, z, stride=t.tensor(2), padding=t.tensor(1))  # f2,3,9 f4,3,3 f4
F.conv_transpose2d(x, y, stride=t.tensor(2))       # f2,4,4,5 f4,2,3,2
F.max_pool1d(x, t.tensor(2))                       # g2,3,8
F.adaptive_avg_pool1d(x, t.tensor(3))              # f2,3,8
F.interpolate(x, size=t.tensor(9))                 # f2,3,4
F.one_hot(x, t.tensor(4))                          # i2,3
t.tril_indices(t.tensor(3), 3)                     # f1
F.linear(x, y, z)                                  # f2,3 f4,3 f1
F.linear(x, y, z)                                  # f2,3 f4,3 f
F.linear(x, y, z)                                  # f3 f4,3 f1
F.linear(x, y, z)                                  # f2,3 f4,3 f2,1
F.linear(x, y, z)                                  # f2,2,3 f4,3 f2,4
x.adjoint()                                        # f
x.mT                                               # f
t.matrix_power(x, 1)                               # f3,3
x.t()                                              # f3
x.t()                                              # f
t.ones(1).expand(3).zero_()                        # f1
t.ones(1, 3).expand(2, 3).fill_(2)                 # f1
t.index_put(x, (t.tensor([0, 0]),), y)             # f3 f2
t.put(x, t.tensor([0, 0]), y)                      # f3 f2
t.softmax(x, 0, dtype=t.int64)                     # i0
t.index_add(x, 0, t.tensor([0]), y)                # f0 f1
x.is_xpu                                           # f3
""")
# What is given back where nothing is to be done: the argument itself, or another tensor.
ARGUMENTS += lines("""
x.t() is x                                         # f3
x.t() is x                                         # f
x.contiguous() is x                                # f3,4
x.double() is x                                    # f3
x.float() is x                                     # f3
x.to(x.dtype) is x                                 # f3
x.to(x) is x                                       # f3
x.to("cpu") is x                                   # f3
x.to(x.dtype, copy=True) is x                      # f3
x.cpu() is x                                       # f3
x.type(x.dtype) is x                               # f3
x.type_as(y) is x                                  # f3 f2
x.long() is x                                      # i3
x.positive() is x                                  # f3
(+x) is x                                          # f3
x.sum_to_size(3) is x                              # f3
x.sum_to_size(()) is x                             # f
t.atleast_1d(x) is x                               # f3
t.atleast_2d(x) is x                               # f3,4
t.atleast_3d(x) is x                               # f2,3,4
t.cartesian_prod(x) is x                           # f3
t.asarray(x) is x                                  # f3
t.as_tensor(x) is x                                # f3
F.dropout(x, 0.5, False) is x                      # f3
F.dropout(x, 0.0) is x                             # f3
F.alpha_dropout(x, 0.5) is x                       # f3
nn.Identity()(x) is x                              # f3
nn.Dropout().eval()(x) is x                        # f3
nn.Sequential()(x) is x                            # f3
nn.Flatten()(x) is x                               # f3,4
nn.ReLU()(x) is x                                  # f3
x.expand(3) is x                                   # f3
x.view_as(x) is x                                  # f3
x.view(3) is x                                     # f3
x.reshape(3) is x                                  # f3
x.ravel() is x                                     # f3
x.flatten() is x                                   # f3
x.squeeze() is x                                   # f3
x.narrow(0, 0, 3) is x                             # f3
x.clamp(min=-9) is x                               # f3
x.broadcast_to((3,)) is x                          # f3
t.broadcast_tensors(x, x)[0] is x                  # f3
t.matrix_power(x, 1) is x                          # f3,3
x.T is x                                           # f3,4
x.mT is x                                          # f3,4
x.adjoint() is x                                   # f
x.detach() is x                                    # f3
x.data is x                                        # f3
x.requires_grad_() is x                            # f3
x.roll(0) is x                                     # f3
F.pad(x, (0, 0)) is x                              # f3
x.repeat(1) is x                                   # f3
x.tile(1) is x                                     # f3
x.diff(n=0) is x                                   # f3
t.autograd.grad((x.requires_grad_() // 2).sum(), x) # f3
x.movedim(0, 0) is x                               # f3
x.permute(0) is x                                  # f3
x.transpose(0, 0) is x                             # f3
x[...] is x                                        # f3
x[:] is x                                          # f3
x.nan_to_num() is x                                # f3
F.interpolate(x, 4) is x                           # f1,1,4
x.clone() is x                                     # f3
t.cat([x]) is x                                    # f3
t.hstack([x]) is x                                 # f3
t.block_diag(x) is x                               # f3,4
t.meshgrid(x, indexing="ij")[0] is x               # f3
t.einsum("ij->ij", x) is x                         # f3,4
t.einsum("i", x) is x                              # f3
x.unflatten(0, (3,)) is x                          # f3
x.rot90(0) is x                                    # f3,4
x.flip(()) is x                                    # f3
x.split(3)[0] is x                                 # f3
x.chunk(1)[0] is x                                 # f3
x.masked_fill(x > 99, 0) is x                      # f3
x.index_select(0, t.tensor([0, 1, 2])) is x        # f3
t.where(x < 99, x, y) is x                         # f3 f3
x.sort().values is x                               # f3
x.round() is x                                     # i3
x.ceil() is x                                      # i3
x.trunc() is x                                     # i3
x.sum(()) is x                                     # f
x.mean(()) is x                                    # f
x.max() is x                                       # f
x.cumsum(0) is x                                   # f
x.view(x.dtype) is x                               # f3
x.bernoulli_(0.0) is x                             # f3
x.swapaxes(0, 0) is x                              # f3
t.linalg.multi_dot([x, y]) is x                    # f3,3 f3,3
x.float().half().float() is x                      # f3
x.fix() is x                                       # i3
t.block_diag(x) is x                               # f
t.broadcast_to(x, (3,)) is x                       # f3
F.hardtanh(x, -99, 99) is x                        # f3
F.threshold(x, -99, 0) is x                        # f3
F.normalize(x, p=2, dim=0, eps=1e9) is x           # f3
F.layer_norm(x, (3,)) is x                         # f3
nn.utils.rnn.pad_sequence([x]) is x                # f3
x.tensor_split(1)[0] is x                          # f3
x.select(0, 0) is x                                # f1
x.unsqueeze(0).squeeze(0) is x                     # f3
x.tril(9) is x                                     # f3,3
x.renorm(2, 0, 1e9) is x                           # f3,3
x.remainder(1e9) is x                              # p3
x.pow(1) is x                                      # f3
x.mul(1) is x                                      # f3
x.logical_or(y) is x                               # b3 b3
x.bool() is x                                      # b3
""")
REFUSED_ARGUMENTS = lines("""
F.linear(x, y, z)                                  # f2,3 f4,3 f3
F.linear(x, y, z)                                  # f2,3 f4,3 f5,2,4
t.add(x, y, alpha=z.sum().requires_grad_())        # f3 f3 f3
t.add(x, y, alpha=z)                               # f3 f3 f1
t.zeros(2, size=(3,))                              # f1
x.cuda("cpu")                                      # f3
x.cuda(t.device("cpu"))                            # f3
nn.Linear(2, 2).cuda("cpu")                        # f1
t.autograd.grad(x.requires_grad_().sum(), 3)       # f3
t.autograd.grad(x.requires_grad_().sum(), "a")     # f3
t.unique(x.requires_grad_()).sum().backward()      # f3
t.unique(x.requires_grad_(), dim=0).sum().backward()  # f3,2
t.unique_consecutive(x.requires_grad_()).sum().backward()  # f3
(x * 1).cumsum_(0, dtype=t.float32)                # f3
(x * 1).cumprod_(0, dtype=t.int64)                 # f3
t.isin(x, y)                                       # i3 b3
t.isin(x, y)                                       # b3 i3
t.isin(x, True)                                    # i3
t.dist(x, y, p="fro")                              # f3 f3
""")

PROGRAMS = """
# gradients for a ParameterList
p = nn.ParameterList([nn.Parameter(t.ones(2)), nn.Parameter(t.ones(3))])
loss = (p[0] * 2).sum() + (p[1] * 3).sum()
t.autograd.grad(loss, p)

# gradients for dict.values(), for a generator, and of several outputs
p = {"a": t.ones(2, requires_grad=True), "b": t.ones(2, requires_grad=True)}
out = {"u": p["a"] * p["b"], "v": p["a"] * 3}
g = t.autograd.grad(out.values(), p.values(), (t.ones(2) for _ in out), retain_graph=True)
[g, t.autograd.grad((o.sum() for o in out.values()), (q for q in p.values()))]

# a batch of gradients from generators
x = t.ones(2, requires_grad=True)
t.autograd.grad((y for y in [x * 2]), (y for y in [x]), iter([t.eye(2)]), is_grads_batched=True)

# backward of iterables into iterables
p = {"a": t.ones(2, requires_grad=True), "b": t.ones(2, requires_grad=True)}
out = (q * 2 for q in p.values())
t.autograd.backward(out, (t.ones(2) for _ in p), inputs=(q for q in [p["a"]]))
[p["a"].grad, p["b"].grad]

# MAML: an inner step by autograd.grad over the values of a dict, and its derivative
w = {"weight": t.ones(1, 2, requires_grad=True), "bias": t.zeros(1, requires_grad=True)}
x, y = t.arange(6.0).reshape(3, 2), t.ones(3, 1)
inner = F.mse_loss(F.linear(x, w["weight"], w["bias"]), y)
grads = t.autograd.grad(inner, w.values(), create_graph=True)
fast = {name: p - 0.1 * g for (name, p), g in zip(w.items(), grads)}
outer = F.mse_loss(F.linear(x, fast["weight"], fast["bias"]), y)
[outer, t.autograd.grad(outer, w.values())]

# pyGAT: an attention layer whose parts are made by size=
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = nn.Parameter(t.ones(size=(3, 2)))
        self.a = nn.Parameter(t.full(size=(4, 1), fill_value=0.5))
    def forward(self, h, adjacent):
        h = t.mm(h, self.W)
        score = F.leaky_relu(h @ self.a[:2] + (h @ self.a[2:]).T, t.tensor(0.2))
        masked = t.where(adjacent > 0, score, -9e15 * t.ones_like(score))
        return F.elu(F.softmax(masked, dim=1) @ h)
net = Attention()
out = net(t.arange(12.0).reshape(4, 3) / 10, t.eye(4) + t.ones(4, 4).tril())
out.sum().backward()
[out, net.W.grad, net.a.grad]

# pykan: sizes by name, and a number that is a tensor
grid = t.arange(end=4)[None].expand(size=(2, 4)) * t.tensor(0.5)
noise = t.zeros(size=(2, 3)) + t.lerp(t.zeros(2, 3), t.ones(2, 3), t.tensor(0.1))
scale = t.add(noise, t.ones(size=(2, 3)), alpha=t.tensor(2.0))
[grid, noise, scale, F.linear(scale, noise, t.ones(1))]

# hooks of a vector's transpose are its own
a = t.ones(3, requires_grad=True)
y = a.t()
handle = y.register_hook(lambda g: g * 10)
(a + y).sum().backward()
b = t.ones(3)
c = b.t().unsqueeze_(0)
[a.grad, b.shape, c.shape, y is a]

# the logarithm of a determinant that is 0 has a gradient, which is no number
x = t.ones(2, 2, dtype=t.float64, requires_grad=True)
t.logdet(x).backward()
[bool(t.isfinite(x.grad).any()), tuple(x.grad.shape)]
""".strip().split("\n\n")
