"""Calls that both libraries must refuse, with the same class of exception."""

from cases_pointwise import lines

REFUSED = lines("""
x + y                                          # f3 f4
x @ y                                          # f3,4 f3,4
x @ y                                          # f f3
t.mm(x, y)                                     # f3 f3,4
t.bmm(x, y)                                    # f2,3,4 f3,4,5
t.dot(x, y)                                    # f3 f4
t.dot(x, y)                                    # f3,1 f3
t.mv(x, y)                                     # f3,4 f3
t.addmm(x, y, z)                               # f3 f3,4 f4,2
t.matmul(x, y)                                 # f3,4 i4,2
t.add(x, "a")                                  # f3
t.add(x)                                       # f3
t.exp(3)                                       # f3
t.exp("a")                                     # f3
x + None                                       # f3
x + "a"                                        # f3
x & y                                          # f3 f3
~x                                             # f3
x << 1                                         # f3
x.sum(5)                                       # f3,4
x.sum(-3)                                      # f3,4
x.sum((0, 0))                                  # f3,4
x.sum("a")                                     # f3
x.any({})                                      # f3
x.squeeze({})                                  # f1
x.to(x, "cpu")                                 # f3
x.to("cpu", x)                                 # f3
t.Size([2, "cpu"])                             # f3
t.Size([2.0])                                  # f3
t.linspace(0, slice(None), 1)                  # f3
t.unravel_index(x, (1e30, 3))                  # i3
t.randint(5, "a", (2,))                        # f3
t.randint(5, x, (2,))                          # f3
t.randint_like(x, 3, (1, -1))                  # f3
t.randint_like(x, 3, t.tensor(1))              # f3
t.roll(x[:0], "a")                             # f3
t.linalg.matrix_rank(x, atol={})               # f3,3
t.is_autocast_enabled(3)                       # f3
x[[0, 1], False]                               # f3
F.pad(x, (0.5, 2))                             # f3
F.avg_pool1d(x, 5)                             # i1,2,4
F.avg_pool2d(x, 2, -1)                         # i1,2,4,4
F.avg_pool2d(x, 2, 1, 2)                       # i1,2,4,4
F.avg_pool3d(x, 2, 2**40)                      # i1,2,4,4,4
F.avg_pool3d(x, 5)                             # i1,2,4,4,4
F.batch_norm(x[:0], object, None, training=True)  # f3,4
t.utils.data.random_split([1, 2], [0.5, 2])    # f3
x.mean()                                       # i3
x.mean(0)                                      # b3,4
x.std()                                        # i3
x.max(2)                                       # f3,4
x.max()                                        # f0
x.max(0)                                       # f0,3
x.argmax()                                     # f0
x.amax(0)                                      # f0,3
x.amin()                                       # f0
x.softmax(2)                                   # f3,4
x.softmax(0)                                   # i3
x.log_softmax(0)                               # i3
x.cumsum(2)                                    # f3,4
x.sort(3)                                      # f3
x.topk(5)                                      # f3
x.kthvalue(9)                                  # f3
x.reshape(5, 3)                                # f3,4
x.reshape(-1, -1)                              # f3,4
x.view(7)                                      # f3,4
x.t().view(12)                                 # f3,4
x.squeeze(4)                                   # f3,4
x.unsqueeze(4)                                 # f3,4
x.transpose(0, 2)                              # f3,4
x.permute(0, 0)                                # f3,4
x.permute(0)                                   # f3,4
x.t()                                          # f2,3,4
x.expand(2, 4)                                 # f3,4
x.expand(4)                                    # f3,4
x.flatten(1, 0)                                # f3,4
x.unflatten(1, (3, 2))                         # f3,4
x.repeat(2)                                    # f3,4
x.split(0)                                     # f3,4
x.split([1, 1])                                # f3,4
x.chunk(0)                                     # f3,4
x.narrow(0, 2, 5)                              # f3,4
x.select(0, 3)                                 # f3,4
x.unfold(0, 9, 1)                              # f3
x.diagonal()                                   # f3
x.roll(1, 4)                                   # f3
x.flip(4)                                      # f3
t.cat([])                                      # f3
t.cat([x, y])                                  # f3,4 f3,5
t.cat([x, y], 3)                               # f3,4 f3,4
t.cat(x)                                       # f3
t.stack([x, y])                                # f3 f4
t.stack([])                                    # f3
t.where(x, y, z)                               # f3 f3 f3
t.where(x > 0, y, z)                           # f3 f4 f3
t.where(x > 0, x.byte(), 300)                  # f3
x.byte().masked_fill(y, 2**31)                 # f3 b3
x.int().masked_fill(y, 2**40)                  # f3 b3
F.threshold(x.byte(), 3, 300)                  # f3
F.relu_(x, True)                               # f3
F.relu_(x, inplace=True)                       # f3
F.leaky_relu_(x, 0.1, True)                    # f3
F.elu_(x, inplace=True)                        # f3
F.selu_(x, -1.5)                               # f3
t.selu_(x, False)                              # f3
t.finfo(x.sum())                               # i3
t.finfo(0)                                     # f3
t.zeros(2, dtype=0)                            # f3
t.zeros(2, dtype=x[0])                         # f3
t.zeros_like(x, dtype=0)                       # f3
t.full((2,), 1, dtype=False)                   # f3
t.rand(2, dtype=0)                             # f3
x.new_zeros(2, dtype=0)                        # f3
t.lerp(x, 2, 0.5)                              # f3
t.round(x.int(), decimals=1)                   # f3
x.var(True, unbiased=False)                    # f3
x.std(0, unbiased=True, correction=1)          # f3
t.var_mean(x, False, correction=2)             # f3
x.pinverse(y)                                  # f3,3 f3
F.nll_loss(x, y, ignore_index=1.5)             # f2,3 i2
F.cross_entropy(x, y, ignore_index=-math.inf)  # f2,3 f2,3
x.random_((), 4)                               # f3
F.cosine_similarity(x, y, (0, 1))              # f3,4 f3,4
x[3]                                           # f3
x[0, 0]                                        # f3
x[y]                                           # f3 b4
x[t.tensor([5])]                               # f3
x["a"]                                         # f3
x[1.5]                                         # f3
x[::-1]                                        # f3
x[::0]                                         # f3
x.index_select(0, y)                           # f3 f2
x.index_select(0, t.tensor([7]))               # f3
x.index_select(0, y)                           # f3 i2,2
x.gather(0, y)                                 # f3 i2,2
x.gather(1, y)                                 # f3 i2
x.gather(0, t.tensor([9]))                     # f3
x.scatter_add(0, y, z)                         # f3 i5 f2
x.masked_select(y)                             # f3 i3
x.masked_fill(y, 1)                            # f3 b4
x.masked_fill(y, z)                            # f3 b3 f2
x.item()                                       # f3
bool(x)                                        # f3
bool(x)                                        # f0
float(x)                                       # f3
int(x)                                         # f3
len(x)                                         # f
iter(x)                                        # f
x.numpy()[9]                                   # f3
t.tensor([[1, 2], [3]])                        # f3
t.tensor("a")                                  # f3
t.tensor([None])                               # f3
t.zeros(-1)                                    # f3
t.zeros("a")                                   # f3
t.zeros(2.5)                                   # f3
t.arange(0, 5, 0)                              # f3
t.arange(5, 0, 1)                              # f3
t.linspace(0, 1, -1)                           # f3
t.eye(-1)                                      # f3
t.full((2,), "a")                              # f3
t.randint(5, 2, (2,))                          # f3
t.randperm(-1)                                 # f3
t.diag_embed(x, 0, 1, 1)                       # f2,3
t.diag_embed(x, 0, 0, 3)                       # f2,3
x.repeat_interleave(2, 0, output_size=5)       # f3
t.atleast_1d([3])                              # f3
x.float().float_power_(2)                      # f3
(x * 1).div_(2)                                # i3
t.multinomial(x, 9)                            # q3
t.multinomial(-x, 1)                           # q3
t.bernoulli(x + 3)                             # q3
t.einsum("ij,jk->ik", x, y)                    # f3,4 f3,4
t.einsum("ij", x)                              # f3
t.einsum("ij->k", x)                           # f3,4
t.tensordot(x, y, 1)                           # f3,4 f3,4
t.meshgrid(x, indexing="zz")                   # f3
t.device("nowhere")                            # f1
x.to("nowhere")                                # f3
x.backward()                                   # f3
x.sum().backward()                             # f3
t.div(x, y, rounding_mode="up")                # f3 f3
x.clone().requires_grad_()                     # i3
t.tensor([1], requires_grad=True)              # f1
t.norm(x, p="nope")                            # f3
t.tril(x)                                      # f3
t.trace(x)                                     # f3
t.bincount(x)                                  # f3
t.bincount(-x - 1)                             # i3
F.linear(x, y)                                 # f3,4 f5,3
F.conv2d(x, y)                                 # f1,3,4,4 f0,3,3,3
F.conv_transpose1d(x, y)                       # f1,0,4 f0,3,3
F.conv_transpose2d(x, y, groups=2)             # f1,0,4,4 f0,3,3,3
F.conv_transpose3d(x, y)                       # f1,0,4,4,4 f0,3,3,3,3
F.conv2d(x, y)                                 # f1,3,4,4 f2,2,3,3
F.conv2d(x, y)                                 # f1,3,2,2 f2,3,3,3
F.conv2d(x, y, stride=0)                       # f1,3,4,4 f2,3,3,3
F.conv2d(x, y, groups=2)                       # f1,3,4,4 f2,3,3,3
F.conv2d(x, y, padding="same", stride=2)       # f1,3,4,4 f2,3,3,3
F.max_pool2d(x, 2, padding=2)                  # f1,3,4,4
F.max_pool2d(x, 0)                             # f1,3,4,4
F.max_pool2d(x, 9)                             # f1,3,4,4
F.avg_pool2d(x, 2, divisor_override=0)         # f1,3,4,4
F.batch_norm(x, None, None)                    # f3,4
F.batch_norm(x, None, None, training=True)     # f1,4
F.layer_norm(x, (3,))                          # f3,4
F.group_norm(x, 3)                             # f2,4
F.embedding(t.tensor([9]), y)                  # f1 f3,4
F.embedding(x, y)                              # f2 f3,4
F.cross_entropy(x, y)                          # f5,3 i4
F.cross_entropy(x, t.tensor([7]))              # f1,3
F.cross_entropy(x, y, reduction="avg")         # f5,3 i5
F.cross_entropy(x, y, label_smoothing=2.0)     # f5,3 i5
F.cross_entropy(x, y, weight=z)                # f5,3 i5 p2
F.nll_loss(x, y)                               # f5,3 i4
F.nll_loss(x, t.tensor([9]))                   # f1,3
F.mse_loss(x, y)                               # f3 f4
F.mse_loss(x, y, reduction="avg")              # f3 f3
F.binary_cross_entropy(x * 3, y)               # p3 q3
F.binary_cross_entropy(x, y)                   # q3 q4
F.binary_cross_entropy_with_logits(x, y)       # f3 q4
F.huber_loss(x, y, delta=0)                    # f3 f3
F.smooth_l1_loss(x, y, beta=-1)                # f3 f3
F.cosine_embedding_loss(x, y, z)               # f3,4 f3,4 s3,4
F.cosine_embedding_loss(x, y, z)               # f2,3,4 f2,3,4 s2,3
F.triplet_margin_loss(x, y, z, margin=0)       # f3,4 f3,4 f3,4
F.margin_ranking_loss(x, y, z)                 # f3,4 f3,4 s3
F.multi_margin_loss(x, y, p=3)                 # f3,4 i3
F.gaussian_nll_loss(x, y, -z)                  # f3,4 f3,4 p3,4
F.dropout(x, 1.5)                              # f3
F.dropout(x, -0.1)                             # f3
F.glu(x)                                       # f3,5
F.prelu(x, y)                                  # f2,3,4 f5
F.pad(x, (1,))                                 # f3,4
F.pad(x, (5, 0), mode="reflect")               # f2,3,4
F.pad(x, (1, 1), mode="nope")                  # f2,3,4
F.pad(x, (9, 9), mode="circular")              # f2,3,4
F.pixel_shuffle(x, 2)                          # f1,3,2,2
F.interpolate(x, size=3, scale_factor=2)       # f1,2,3,4
F.interpolate(x)                               # f1,2,3,4
F.interpolate(x, size=3, mode="nope")          # f1,2,3,4
F.one_hot(x)                                   # f3
F.one_hot(x, 1)                                # i5
F.scaled_dot_product_attention(x, y, z)        # f2,3,4 f2,3,5 f2,3,4
F.normalize("a")                               # f3
F.hardtanh(x, 2, 1)                            # f3
F.softshrink(x, -1)                            # f3
nn.Linear("a", 2)                              # f1
nn.Linear(3, 4)(x)                             # f2,5
nn.Conv2d(3, 4, 3, groups=2)                   # f1
nn.Conv2d(3, 4, 3, padding_mode="nope")        # f1
nn.Conv2d(3, 4, 3)(x)                          # f2,5
nn.BatchNorm1d(3)(x)                           # f2,5
nn.BatchNorm1d(3)(x)                           # f3
nn.BatchNorm2d(3)(x)                           # f2,3
nn.GroupNorm(3, 4)                             # f1
nn.LayerNorm(3)(x)                             # f2,4
nn.Dropout(2.0)                                # f1
nn.Embedding(3, 2, padding_idx=5)              # f1
nn.Embedding(3, 2)(t.tensor([3]))              # f1
nn.MaxPool2d(2)(x)                             # f3
nn.LSTM(3, 4)(x.float())                       # f2,5
nn.LSTM(3, 4, proj_size=9)                     # f1
nn.RNN(3, 4, nonlinearity="nope")              # f1
nn.MultiheadAttention(5, 2)                    # f1
nn.Transformer(4, 2)(x, y)                     # f3,2,4 f3,5,4
nn.Softmax2d()(x)                              # f3
nn.Sequential(3)                               # f1
nn.Sequential(nn.Linear(1, 1))[3]              # f1
nn.ModuleList([3])                             # f1
nn.ModuleDict({"a": 3})                        # f1
nn.ParameterList([3])[1]                       # f1
nn.Module()(x)                                 # f1
nn.Module().train("a")                         # f1
nn.Module().register_buffer("a.b", None)       # f1
nn.Module().register_parameter("a", x)         # f1
nn.Module().get_submodule("a")                 # f1
nn.Linear(2, 1).load_state_dict({})            # f1
nn.Linear(2, 1).load_state_dict(3)             # f1
nn.Linear(2, 1).to(t.int64)                    # f1
nn.Linear(2, 1).nothing                        # f1
nn.Unflatten(0, (2, 2))(x)                     # f3
nn.Identity().register_forward_hook(3)         # f1
t.optim.SGD([], lr=0.1)                        # f1
t.optim.SGD([x], lr=-1)                        # f1
t.optim.SGD(x, lr=0.1)                         # f1
t.optim.SGD([3], lr=0.1)                       # f1
t.optim.SGD([x, x], lr=0.1)                    # f1
t.optim.SGD([x * 2], lr=0.1, nesterov=True)    # f1
t.optim.Adam([x], betas=(1.5, 0.9))            # f1
t.optim.Adam([x], eps=-1)                      # f1
t.optim.Adam([x], weight_decay=-1)             # f1
t.optim.RMSprop([x], alpha=-1)                 # f1
t.optim.Adadelta([x], rho=2)                   # f1
t.optim.Adagrad([x], lr_decay=-1)              # f1
t.optim.Rprop([x], etas=(1.5, 2))              # f1
t.optim.lr_scheduler.StepLR(3, 2)              # f1
t.optim.lr_scheduler.OneCycleLR(t.optim.SGD([x]), 0.1)  # f1
t.optim.lr_scheduler.LinearLR(t.optim.SGD([x]), 2.0)    # f1
t.optim.lr_scheduler.ReduceLROnPlateau(t.optim.SGD([x]), "up")  # f1
t.utils.data.DataLoader([1], batch_size=0)     # f1
t.utils.data.DataLoader([1], num_workers=-1)   # f1
t.utils.data.DataLoader([1], shuffle=True, sampler=[0])  # f1
t.utils.data.DataLoader([], shuffle=True)      # f1
t.utils.data.TensorDataset(x, y)               # f3 f4
t.utils.data.TensorDataset(x)[5]               # f3
t.utils.data.random_split([1, 2, 3], [1, 1])   # f1
t.utils.data.random_split([1, 2], [0.5, 0.6])  # f1
t.utils.data.ConcatDataset([])                 # f1
t.utils.data.WeightedRandomSampler([1], 0)     # f1
t.utils.data.BatchSampler([0], 0, False)       # f1
t.utils.data.RandomSampler([1], num_samples=-1)  # f1
t.utils.data.Subset([1, 2], [5])[0]            # f1
nn.init.xavier_uniform_(x)                     # f3
nn.init.kaiming_normal_(x)                     # f3
nn.init.calculate_gain("nope")                 # f3
nn.init.orthogonal_(x)                         # f3
nn.init.eye_(x)                                # f3
nn.init.dirac_(x)                              # f3
nn.utils.clip_grad_norm_([x], 1.0).item()      # f3
nn.utils.vector_to_parameters(3, [x])          # f3
t.renorm(x, float("nan"), 0, 1.0)              # f3,4
t.renorm(x, 2, 0, float("nan"))                # f3,4
(x * 1).exponential_(float("nan"))             # f3
(x * 1).cauchy_(0, float("nan"))               # f3
(x * 1).normal_(0, float("nan"))               # f3
F.softshrink(x, float("nan"))                  # f3
F.smooth_l1_loss(x, y, beta=float("nan"))      # f3 f3
F.huber_loss(x, y, delta=float("nan"))         # f3 f3
F.cosine_similarity(x, y, eps=float("nan"))    # f3,4 f3,4
F.cosine_similarity(x, y, eps=-1.0)            # f3,4 f3,4
t.cdist(x, y, p=float("nan"))                  # f3,4 f3,4
F.interpolate(x, scale_factor=float("inf"))    # f1,1,3
F.interpolate(x, scale_factor=float("nan"))    # f1,1,3
t.take(x, y)                                   # f3,4 f2
t.put(x, y, y)                                 # f3,4 f2
F.max_unpool1d(x, y.int(), 2)                  # f1,2 i1,2
t.searchsorted(x, y, sorter=z)                 # g5 f3 i2
t.unravel_index(x, -3)                         # i4
(x * 1).fill_(y)                               # f3 f3
t.broadcast_shapes((3, 1), -3)                 # f1
t.is_autocast_enabled("a")                     # f1
t.manual_seed(2**70)                           # f1
t.mvlgamma(x, 1)                               # b3
t.linalg.cond(x, 3)                            # f0,0
t.linalg.norm(x, 3, dim=())                    # f3,4
t.randint_like(x, 5)                           # b3
t.scatter(x, 7, y, z)                          # f0 i0 f0
t.flatten(x, 0, 1)                             # f
t.tensordot(x, y, dims={})                     # f3 f3
t.tensordot(x, y, dims=([3], [0]))             # f3 f3
F.linear(x, y, z)                              # f3,4 f4 f3
t.rnn_tanh_cell(x, y, z, y)                    # f1 f1 f1
t.gru_cell(x, y, z, y)                         # f1 f1 f1
F.binary_cross_entropy(x, y, z)                # q3,4 q3,4 p2,3,4
F.binary_cross_entropy_with_logits(x, y, pos_weight=z)  # f3,4 q3,4 p2,3,4
F.soft_margin_loss(x, y)                       # f3,4 s2,3,4
F.embedding_bag(x, y, t.tensor([0]))           # i1 f3
F.instance_norm(x, y, z)                       # f2,3,4 f3,1 f3
t.matrix_power(x, float("nan"))                # f3,3
t.lu_solve(y, *t.linalg.lu_factor(x))          # p1,1 f2,1
t.linalg.lu_solve(*t.linalg.lu_factor(x), y, left=False)  # p1,1 f2,2
F.instance_norm(x, y, z)                       # f1,1,0 f3 f2
F.instance_norm(x, y, z)                       # f0,1,2 f1,1 f1
F.batch_norm(x, y, z, training=True)           # f0,1,2 f3 f1
F.multilabel_margin_loss(x, t.tensor([-2, 0, 1]))  # f3
F.multilabel_margin_loss(x, t.tensor([-2**62, 0, 1]))  # f3
F.multilabel_margin_loss(x, t.tensor([0, -1, -2]))  # f3
F.normalize(x, 0.0, 1, y)                      # f1,1 f2
t.broadcast_shapes(x)                          # i3
t.broadcast_shapes(x, (3,))                    # i3
t.broadcast_shapes(2.0)                        # f1
t.randint_like(x.to(t.uint8), 0, 257)          # i3
t.randint_like(x.to(t.uint8), -3, 3)           # i3
t.randint(0, 300, (2,), dtype=t.uint8)         # f1
t.randint(0, 3, (2,), dtype=t.bool)            # f1
F.huber_loss(x, y, "mean", 1.0, z)             # f1 f1 f1,1
F.huber_loss(x, y, "mean", 1.0, z)             # f3 f3 f1
F.cross_entropy(x, y, z)                       # f1,1,1 q1,1,1 f1,1
F.cross_entropy(x, y, z)                       # f2,3,4 q2,3,4 f3,1
t.embedding(x, t.tensor([0]))                  # i1
t.embedding(x, t.tensor([0]))                  # f2,3,4
nn.GRU(0, 5)                                   # f1
nn.LSTM(-1, 5)                                 # f1
t.arange(1, 0.5)                               # f1
t.arange(0.7, 0.5, dtype=t.int64)              # f1
t.arange(t.tensor(1), t.tensor(0.5))           # f1
F.rrelu(x, float("-inf"))                      # f2
F.rrelu(x, 0.1, float("inf"), training=True)   # f2
F.multilabel_margin_loss(x, t.tensor([[1, -1, 7]]))  # f1,3
t.tensordot(x, x, ([0, 1], [0, -2]))           # f2,2
F.batch_norm(x, None, None, training=True, eps=0) # f3,4
F.batch_norm(x, None, None, training=True, eps=-2) # f3,4,2
F.batch_norm(x, y, z, eps=-2.0)                # f3,4 f4 p4
nn.BatchNorm2d(3, eps=-2)(x)                   # f2,3,4,4
F.cross_entropy(x, y, ignore_index=1)          # f3,4 q3,4
nn.CrossEntropyLoss(ignore_index=0)(x, y)      # f3,4 q3,4
x.to("cpu", True)                              # f3
x.to(True, t.float64)                          # f3
x.to(t.float64, True, t.int64)                 # f3
nn.Linear(2, 2).to(True)                       # f3
""")
