"""Programs around training: optimizers, schedules, mixed precision, files, data."""

TRAINING = """
# hooks of an optimizer
p, log = nn.Parameter(row(2)), []
o = t.optim.SGD([p], lr=0.1)
h = o.register_step_pre_hook(lambda o, a, k: log.append("pre"))
o.register_step_post_hook(lambda o, a, k: log.append("post"))
o.register_state_dict_post_hook(lambda o, s: log.append(sorted(s)))
o.register_load_state_dict_pre_hook(lambda o, s: log.append("load"))
o.register_load_state_dict_post_hook(lambda o: log.append("loaded"))
p.grad = row(2)
o.step()
h.remove()
o.step()
o.load_state_dict(o.state_dict())
[log, p]

# named parameters in an optimizer
m = nn.Linear(2, 1)
o = t.optim.SGD(m.named_parameters(), lr=0.1)
[o.param_groups[0]["param_names"], sorted(o.state_dict()["param_groups"][0])]

# an optimizer of one's own
class Signs(t.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, dict(lr=lr))
    @t.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                state["n"] = state.get("n", 0) + 1
                p.add_(p.grad.sign(), alpha=-group["lr"] * state["n"])
p = nn.Parameter(row(3))
o = Signs([p])
s = t.optim.lr_scheduler.StepLR(o, 1)
for _ in range(3):
    p.grad = row(3)
    o.step()
    s.step()
[p, o.state_dict(), o.defaults]

# a schedule of one's own
class WarmUp(t.optim.lr_scheduler._LRScheduler):
    def __init__(self, optimizer, steps, last_epoch=-1):
        self.steps = steps
        super().__init__(optimizer, last_epoch)
    def get_lr(self):
        return [base * min(1, (self.last_epoch + 1) / self.steps) for base in self.base_lrs]
o = t.optim.SGD([nn.Parameter(row(2))], lr=0.1)
s, seen = WarmUp(o, 4), []
for _ in range(6):
    seen.append(s.get_last_lr()[0])
    o.step()
    s.step()
[seen, isinstance(s, t.optim.lr_scheduler.LRScheduler), s.base_lrs, s.last_epoch]

# a schedule before its optimizer
o = t.optim.SGD([nn.Parameter(row(2))], lr=0.1)
s = t.optim.lr_scheduler.StepLR(o, 2)
early = warned(s.step)
o.step()
[early, warned(s.step), warned(s.step, 5), o.param_groups[0]["lr"], s.last_epoch, s._step_count]

# optimizers refuse
p, O = [nn.Parameter(row(2))], t.optim
calls = [lambda: O.Adam(p, fused=True, foreach=True), lambda: O.SGD(p, lr=t.tensor([0.1, 0.2]))]
calls += [lambda: O.SGD([{"lr": 1}]), lambda: O.SGD([{"params": set(p)}], lr=0.1)]
[refusal(call) for call in calls]

# files
f = io.BytesIO()
t.save({"a": row(3), "n": [1, "x", (2.5, None)]}, f)
out = []
places = ["cpu", t.device("cpu")]
for given in [dict(weights_only=True), *(dict(map_location=place) for place in places)]:
    f.seek(0)
    out.append(t.load(f, **given))
out

# LBFGS goes the same way
out = []
for given in ({}, dict(line_search_fn="strong_wolfe"), dict(max_iter=4, history_size=3)):
    x = nn.Parameter(t.tensor([-1.2, 1.0], dtype=t.float64))
    o = t.optim.LBFGS([x], **given)
    def closure():
        o.zero_grad()
        loss = (1 - x[0]) ** 2 + 5 * (x[1] - x[0] ** 2) ** 2
        loss.backward()
        return loss
    out += [[o.step(closure) for _ in range(4)], x.detach().clone(), len(o.state_dict()["state"])]
out

# averaged weights
m = filled(nn.Linear(2, 1))
a = t.optim.swa_utils.AveragedModel(m)
e = t.optim.swa_utils.AveragedModel(m, multi_avg_fn=t.optim.swa_utils.get_ema_multi_avg_fn(0.9))
o = t.optim.SGD(m.parameters(), lr=0.5)
s = t.optim.swa_utils.SWALR(o, swa_lr=0.05, anneal_epochs=3)
rates = []
for k in range(4):
    for p in m.parameters():
        p.grad = p.detach() * (k + 1)
    o.step()
    a.update_parameters(m)
    e.update_parameters(m)
    s.step()
    rates.append(s.get_last_lr()[0])
[list(a.state_dict()), a.module.weight, e.module.weight, a.n_averaged, rates]

# averages one by one
u = t.optim.swa_utils
x, y, n = row(3), row(3) * 2, t.tensor(4)
z = x.clone()
u.get_swa_multi_avg_fn()([z], [y], n)
bn = nn.BatchNorm1d(2).double()
u.update_bn([row(4, 2), row(3, 2) + 1], bn)
[u.get_swa_avg_fn()(x, y, n), u.get_ema_avg_fn(0.7)(x, y, n), z, bn.running_mean, bn.momentum]

# dtypes under autocast
x, y = row(2, 3).float(), row(3, 2).float()
with t.autocast("cpu", dtype=t.bfloat16):
    low, part = x @ y, x[:, :2]
    made = [low, t.mm(x, y), F.linear(x, y.T), low + 1, low + part, low.softmax(-1), low.sum()]
    made += [F.mse_loss(low, part), F.cross_entropy(low, t.tensor([0, 1])), low.relu(), low.prod()]
    made += [F.layer_norm(low, (2,)), F.gelu(low), t.cat([low, part]), low.exp(), t.dot(x[0], x[1])]
    made += [t.baddbmm(x[None], x[None], t.ones(1, 3, 3)), t.addmm(low, x, y), t.mv(x, x[0])]
    made += [x @ x[0], x.double() @ y.double(), F.l1_loss(low, low), nn.LSTM(3, 2)(x)[0]]
    made += [nn.TransformerEncoderLayer(2, 1, 4)(part[None]), low.norm()]
[str(m.dtype)[-8:] for m in made]

# autocast inside autocast
x, out = row(2, 3).float(), []
with t.autocast("cpu"):
    out += [(x @ x.T).dtype == t.bfloat16, t.is_autocast_enabled("cpu")]
    with t.autocast("cpu", enabled=False):
        out += [(x @ x.T).dtype == t.float32, t.is_autocast_enabled("cpu")]
    with t.autocast("cpu", dtype=t.float16):
        out.append((x @ x.T).dtype == t.float16)
    out.append((x @ x.T).dtype == t.bfloat16)
out + [t.is_autocast_enabled("cpu"), refusal(t.autocast, "nope")]

# functions under autocast
class Twice(t.autograd.Function):
    @staticmethod
    @t.amp.custom_fwd(device_type="cpu", cast_inputs=t.float32)
    def forward(ctx, x):
        return x * 2
    @staticmethod
    @t.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        return g * 2
x = row(2, 3).float().requires_grad_()
with t.autocast("cpu", dtype=t.bfloat16):
    y = Twice.apply(x @ x.T)
y.sum().backward()
[y.dtype == t.float32, x.grad.dtype == t.float32]

# losses under a scaler
p = nn.Parameter(t.ones(2))
o, s = t.optim.SGD([p], lr=0.1), t.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
out = []
for factor in (1.0, 1.0, float("inf"), 1.0):
    o.zero_grad()
    s.scale((p * factor).sum()).backward()
    s.unscale_(o)
    out.append(refusal(s.unscale_, o))
    s.step(o)
    s.update()
    out += [p.detach().clone(), s.get_scale()]
[out, s.state_dict(), s.is_enabled(), s.get_growth_interval()]

# scalers and autocast for a CUDA that is not here
c = t.cuda.amp
with warnings.catch_warnings(action="ignore"):
    made = [t.amp.GradScaler(), t.amp.GradScaler("cuda"), c.GradScaler(growth_factor=0.5)]
    with c.autocast(True, t.bfloat16, False):
        made += [(t.ones(2, 2) @ t.ones(2, 2)).dtype == t.float32]
seen = [warned(c.autocast), warned(c.custom_bwd, len), warned(t.amp.GradScaler)]
[[m.is_enabled() for m in made[:3]], made[3:], seen[1:], seen[0][0], t.cuda.is_bf16_supported()]

# draws with replacement, 32 at a time
d, g = t.utils.data, t.Generator().manual_seed(3)
want = sum((t.randint(0, 5, (n,), generator=g).tolist() for n in (32, 32, 6)), [])
got = list(d.RandomSampler(range(5), True, 70, generator=t.Generator().manual_seed(3)))
endless = iter(d.RandomSampler(range(5), True, int(1e10)))
[want == got, next(endless) in range(5)]

# what old scripts call: a number before the tensors
x, y, z = (row(3).float() * k for k in (1, 2, 3))
made = [x.add(2, y), x.sub(0.5, y), t.add(x, 2, y), t.sub(x, t.tensor(2), y), x.addcmul(2, y, z)]
made += [x.addcdiv(-2, y, z), t.addcmul(x, 2, y, z), t.addcdiv(x, 0.5, y, z)]
made += [x.clone().add_(2, y), x.clone().sub_(2, y), x.clone().addcmul_(2, y, z)]
made += [x.clone().addcdiv_(-2, y, z), slopes(x.requires_grad_().add(3, y), x)]
wrong = [lambda: x.add(y, 2), lambda: x.addcdiv(y, z, 2), lambda: x.addcmul(y),
         lambda: x.addcmul(2, 3, y), lambda: x.add(1, y, z), lambda: x.add(2, y, alpha=3)]
[made, [refusal(each) for each in wrong]]

# what old scripts call: types that make tensors
x, V = row(2, 3).float(), t.autograd.Variable
made = [t.Tensor(x.size()), t.FloatTensor(x.shape), t.LongTensor(x.size()), t.Tensor((2, 3)),
        t.Tensor(2, 3), t.FloatTensor([1, 2]), t.DoubleTensor(x.size()[:1], device="cpu")]
made += [x.new(4, 5), x.new(x.size()), x.new([1, 2]), x.new((1, 2)), x.new(),
         x.long().new([1.5, 2]), nn.Parameter(x).new(2), x.double().new(3, device="cpu")]
seen = [warned(lambda: V(x, volatile=True)), V(x, requires_grad=True, volatile=False).requires_grad]
t.set_default_dtype(t.float64)
made += [t.Tensor(2), t.Tensor([1.5]), t.FloatTensor([1.5])]
for kind in (t.FloatTensor, "torch.DoubleTensor", t.HalfTensor, t.FloatTensor):
    t.set_default_tensor_type(kind)
    made.append(t.ones(1))
refused = [refusal(t.set_default_tensor_type, each) for each in (t.LongTensor, 3, t.float32)]
[[(m.shape, m.dtype, type(m).__name__) for m in made], seen, refused, t.get_default_dtype()]

# what old scripts call: names before 0.4
x = t.zeros(4, 3)
fills = [nn.init.eye, nn.init.normal, nn.init.uniform, nn.init.xavier_normal]
fills += [nn.init.kaiming_normal, nn.init.xavier_uniform, nn.init.kaiming_uniform]
fills += [lambda x: nn.init.sparse(x, 0.5)]
shown = [(warned(fill, x), fill(x).isfinite().all()) for fill in fills]
p = nn.Parameter(row(2))
p.grad = row(2) * 9
[shown, nn.init.orthogonal(x).shape, nn.init.dirac(t.zeros(2, 2, 3)), nn.init.constant(x, 2.5),
 nn.utils.clip_grad_norm([p], 1.0), p.grad, warned(nn.utils.clip_grad_norm, [p], 1.0)]

# the stream of random numbers by its module
R = t.random
R.manual_seed(3)
with R.fork_rng():
    inside = t.rand(2)
again = t.equal(inside, t.rand(2))
with R.fork_rng(enabled=False):
    t.rand(1)
state, kept = R.get_rng_state(), t.rand(3)
R.set_rng_state(state)
[again, t.equal(kept, t.rand(3)), R.initial_seed(), R.seed() == t.initial_seed(), t.seed() > 0]

# names that change nothing on a CPU
a = t.nn.attention
with a.sdpa_kernel([a.SDPBackend.MATH, a.SDPBackend.FLASH_ATTENTION], set_priority=True):
    y = F.scaled_dot_product_attention(*[row(1, 2, 3, 4)] * 3)
with a.sdpa_kernel(a.SDPBackend.MATH):
    z = F.scaled_dot_product_attention(*[row(1, 2, 3, 4)] * 3)
def enter(value):
    with a.sdpa_kernel(value):
        pass
[y, z, {b.name: int(b) for b in (a.SDPBackend.MATH, a.SDPBackend.EFFICIENT_ATTENTION)},
 [refusal(enter, value) for value in (None, "math")], t.jit.is_scripting(), t.version.cuda,
 t.jit.unused(enter) is enter, t.jit.ignore(enter) is enter, t.jit.export(enter) is enter]

# datasets side by side
d, D = t.utils.data, t.utils.data.StackDataset(t.arange(3), [5, 6, 7])
named = d.StackDataset(x=t.arange(3), y=[5, 6, 7])
class Count(d.IterableDataset):
    def __iter__(self):
        return iter([1, 2, 3])
chain = list(d.DataLoader(t.utils.data.ChainDataset([Count(), Count()]), batch_size=4))
[D[1], named[2], len(D), list(d.DataLoader(named, 3)), chain, refusal(d.StackDataset, [1], [1, 2])]

# loaders refuse, and go on
d = t.utils.data
class Squares(d.Dataset):
    def __len__(self):
        return 7
    def __getitem__(self, i):
        return i * i
rows = Squares()
made = [list(d.DataLoader(rows, 3)), list(d.DataLoader(rows, 3, drop_last=True))]
made += [list(d.DataLoader(rows, batch_size=None))]
made += [list(d.DataLoader(rows, batch_sampler=[[0, 3], [6]]))]
made += [sorted(d.DataLoader(rows, batch_size=None, shuffle=True))]
made += [list(d.DataLoader(rows, 3, num_workers=2, multiprocessing_context="fork"))]
bad = [refusal(setattr, d.DataLoader(rows), "batch_size", 5), refusal(d.DataLoader, rows, 0)]
bad += [refusal(d.RandomSampler, rows, "a"), refusal(d.WeightedRandomSampler, [[1.0]], 1)]
bad += [refusal(d.ConcatDataset([[1], [2]]).__getitem__, i) for i in (-3, 2)]
part = d.Subset(d.TensorDataset(t.arange(5)), [4, 2]).__getitems__([1, 0])
[made, bad, part, d.DataLoader(rows).in_order]

# collating nested samples
c, P = t.utils.data.default_collate, collections.namedtuple("P", "a b")
found = [c([{"a": 1, "b": [t.ones(2), 2.5]}, {"a": 2, "b": [t.zeros(2), 3.5]}])]
found += [c([P(1, "x"), P(2, "y")])]
found += [c([b"a", b"b"]), c([True, False])]
found += [c([(1, 2), (3, 4)]), c([{"x": {"y": 1}}, {"x": {"y": 2}}])]
bad = [[None], [t.ones(2), t.ones(3)], [[1, 2], [3]], [object()], []]
[found, [refusal(c, batch) for batch in bad], type(c([P(1, 2)])).__name__]

# longer names
V, pair = t.autograd.Variable, nn.modules.utils._pair
x = V(row(2) * 2, requires_grad=True)
kinds = [isinstance(x, V), isinstance(nn.BatchNorm2d(2), nn.modules.batchnorm._BatchNorm)]
kinds += [isinstance(nn.Conv1d(1, 1, 1), nn.modules.conv._ConvNd), refusal(V, [1.0]), x.is_leaf]
kinds += [isinstance(nn.MSELoss(), nn.modules.loss._Loss), nn.parameter.Parameter is nn.Parameter]
loss = nn.modules.loss._WeightedLoss(weight=t.ones(2), reduction="sum")
[x, kinds, pair(3), pair([1, 2]), list(loss.state_dict()), loss.reduction]

# assert_close
c, x = t.testing.assert_close, row(3)
good = [(x, x + 1e-9), ([1, x], [1, x]), ({"a": x}, {"a": x}), (1.0, 1.0)]
bad = [(x, x + 1), (x, x.float()), (x, x[:2]), ([1], [1, 2]), ({"a": 1}, {"b": 1}), (1, 2)]
[[refusal(c, *two) for two in good + bad], refusal(c, x, x, rtol=0.1), refusal(c, 1, 2, msg="m")]
"""
PROGRAMS = TRAINING.strip().split("\n\n")
