"""Programs: a title, some lines, and a last line whose value both libraries must give alike.

Those of distributions: what they say of themselves, of values and of each other.
"""

MODULES = """
# load_state_dict says what did not fit
m = nn.Linear(2, 1)
r = m.load_state_dict({"weight": t.ones(1, 2), "x": t.ones(1)}, strict=False)
[repr(r)[1:], r.missing_keys, r.unexpected_keys, repr(m.load_state_dict(m.state_dict()))]

# load_state_dict refuses
m = nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1))
own = m.state_dict()
wrong = [{}, {"a": t.ones(1)}, {**own, "0.weight": t.ones(3, 3)}, {**own, "z": t.ones(1)}, 3]
[refusal(m.load_state_dict, state) for state in wrong]

# load_state_dict with assign
m = nn.Linear(2, 1)
given = {"weight": t.ones(1, 2, dtype=t.float64), "bias": t.zeros(1, dtype=t.float64)}
m.load_state_dict(given, assign=True)
[m.weight, type(m.weight).__name__, m.weight.data_ptr() == given["weight"].data_ptr()]

# state_dict in every form
m = nn.Sequential(nn.Linear(2, 1))
kept = m.state_dict(keep_vars=True)["0.weight"].requires_grad
names = [list(m.state_dict(prefix="a.")), list(m.state_dict(destination=dict(z=1)))]
[type(m.state_dict()).__name__, m.state_dict()["0.weight"].requires_grad, kept, names]

# extra state
class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.v = 3
    def get_extra_state(self):
        return {"v": self.v}
    def set_extra_state(self, state):
        self.v = state["v"] + 1
m = Kept()
m.load_state_dict(m.state_dict())
[m.v, list(m.state_dict()), refusal(m.load_state_dict, {})]

# deepcopy keeps ties and drops gradients
m = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
m.tie = m[0]
m[0].weight.grad = t.ones(3, 2)
n = copy.deepcopy(m)
[n.tie is n[0], n[0].weight.grad, len(list(n.parameters())), t.equal(n[0].weight, m[0].weight)]

# pickled modules
m = nn.LSTM(2, 3)
n = pickle.loads(pickle.dumps(m))
[list(n.state_dict()), repr(n), t.equal(m.weight_ih_l0, n.weight_ih_l0)]

# the order of hooks
log = []
m = nn.Identity()
m.register_forward_pre_hook(lambda *a: log.append("pre 1"))
m.register_forward_pre_hook(lambda *a: log.append("pre 2"), prepend=True)
m.register_forward_hook(lambda *a: log.append("1"))
m.register_forward_hook(lambda *a: log.append("2"), prepend=True)
m.register_forward_hook(lambda m, a, k, o: log.append(sorted(k)), with_kwargs=True)
m(t.ones(1))
log

# hooks that always run
log = []
def burst(*given):
    raise KeyError("x")
m = nn.Identity()
m.register_forward_hook(lambda *a: log.append("first"))
m.register_forward_hook(burst)
m.register_forward_hook(lambda *a: log.append("always"), always_call=True)
m.register_forward_hook(lambda *a: log.append("never"))
[refusal(m, 1), log]

# backward hooks change the gradients
log = []
m, x = filled(nn.Linear(2, 3)), row(4, 2).requires_grad_()
m.register_full_backward_hook(lambda m, gi, go: log.extend([*gi, *go]))
m.register_full_backward_pre_hook(lambda m, go: (go[0] * 2,))
m.register_full_backward_hook(lambda m, gi, go: (gi[0] * 3,))
m(x).sum().backward()
[log, x.grad, m.weight.grad]

# one module under two names
m = nn.Module()
m.a = nn.Linear(2, 2)
m.b, m.p = m.a, m.a.weight
both = [[n for n, _ in m.named_parameters(remove_duplicate=d)] for d in (True, False)]
both += [[n for n, _ in m.named_modules(remove_duplicate=d)] for d in (True, False)]
[both, [n for n, _ in m.named_children()], list(m.state_dict())]

# parts by path
m = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.BatchNorm1d(2)))
m.set_submodule("1.0", nn.Tanh())
found = [repr(m.get_submodule("1.0")), m.get_submodule("") is m, m.get_parameter("0.weight").shape]
bad = [(m.get_submodule, "1.5"), (m.get_parameter, "0.nope"), (m.get_buffer, "0.weight")]
[found, [refusal(call, path) for call, path in bad], refusal(m.set_submodule, "", nn.Tanh())]

# parts as dicts
m = nn.Sequential(nn.Linear(2, 1))
m._modules["0"] = nn.ReLU()
n = nn.Linear(1, 1)
n._parameters["weight"] = nn.Parameter(t.ones(1, 1) * 5)
del n._parameters["bias"]
n.register_parameter("bias", None)
[repr(m), n(t.ones(1, 1)), list(n._parameters), list(m._modules), len(n._buffers)]

# buffers
m = nn.Module()
m.b, m.c = nn.Buffer(t.ones(2)), nn.Buffer(t.ones(2), persistent=False)
names = [n for n, _ in m.named_buffers()]
[list(m.state_dict()), names, isinstance(m.b, nn.Buffer), isinstance(t.ones(1), nn.Buffer)]

# names that change their kind
m = nn.Module()
m.x = 3
m.x = nn.Parameter(t.ones(1))
first = [n for n, _ in m.named_parameters()], refusal(setattr, m, "x", 3)
m.x = None
m.l = nn.Linear(1, 1)
second = refusal(setattr, m, "l", t.ones(1))
m.l = None
[first, second, repr(m), list(m._parameters)]

# zero_grad keeps the tensor
m = nn.Linear(2, 1)
g = m.weight.grad = t.ones(1, 2)
m.zero_grad(set_to_none=False)
same = m.weight.grad is g
m.zero_grad()
[g, same, m.weight.grad]

# to_empty keeps parameters
m = nn.Linear(2, 3)
[m.to_empty(device="cpu") is m, m.weight.shape, m.weight.requires_grad]

# Sequential as a list
s = nn.Sequential(nn.Linear(1, 2), nn.ReLU())
s.append(nn.Linear(2, 3)).insert(1, nn.Tanh())
s.extend([nn.ReLU(), nn.Sigmoid()])
out = [repr(s), repr(s[1:3]), repr(s[-1]), repr(s.pop(1)), repr(s + nn.Sequential(nn.ELU()))]
s += nn.Sequential(nn.CELU())
s *= 2
[out, repr(s), len(s), repr(2 * nn.Sequential(nn.ReLU()))]

# Sequential refuses
s = nn.Sequential(nn.ReLU())
[refusal(s.insert, 9, nn.ReLU()), refusal(s.__mul__, 0), refusal(s.__add__, 3), refusal(s, 1, 2)]

# ModuleList as a list
l = nn.ModuleList([nn.ReLU() for _ in range(4)])
l.append(nn.Tanh())
l.insert(0, nn.ELU())
l[1] = nn.CELU()
del l[0]
out = [repr(l), repr(l[1:3]), repr(l.pop(-1))]
l += [nn.ReLU()]
del l[1:3]
[out, repr(l), len(l), refusal(l.extend, 3), refusal(l.append, None)]

# ParameterDict as a dict
d = nn.ParameterDict({"b": nn.Parameter(t.ones(2)), "a": t.zeros(1)})
d.update({"e": nn.Parameter(t.ones(1))})
d.setdefault("z", nn.Parameter(t.ones(4)))
q = d.copy()
last, other = q.popitem()[0], nn.ParameterDict().fromkeys(["u", "v"])
both = d | nn.ParameterDict({"w": nn.Parameter(t.ones(1))})
[list(d), list(q), last, list(other), list(both), list(reversed(both)), d.get("nope")]

# in-place activations
x, out = row(2, 3), []
for f in (F.relu_, F.elu_, F.leaky_relu_, F.selu_, F.celu_, F.hardtanh_, F.rrelu_):
    y = x.clone()
    out += [f(y) is y, y]
out + [F.threshold_(x.clone(), 0.1, 1.0)]

# packed sequences
p = nn.utils.rnn.pack_sequence([row(3, 2), row(2, 2), row(1, 2)])
back = nn.utils.rnn.invert_permutation(t.tensor([2, 0, 1]))
kinds = [p.double().data, p.float().data.dtype == t.float32, p.is_cuda]
[nn.utils.rnn.unpack_sequence(p), back, kinds, nn.utils.rnn.invert_permutation(None)]

# the length of gradients
ps = [nn.Parameter(row(3)), nn.Parameter(row(2, 2))]
ps[0].grad, ps[1].grad = row(3) * 3, row(2, 2)
total = nn.utils.get_total_norm([p.grad for p in ps])
nn.utils.clip_grads_with_norm_(ps, 0.1, total)
[total, ps[0].grad, nn.utils.get_total_norm(row(4), 1.0), nn.utils.get_total_norm([])]

# a module without first values
repr(nn.utils.skip_init(nn.Linear, 2, 3))

# initial values
w = nn.init.sparse_(t.empty(10, 4), 0.35)
shapes = [nn.init._calculate_fan_in_and_fan_out(t.zeros(3, 4, 5))]
[(w == 0).sum(0), shapes, refusal(nn.init.sparse_, t.zeros(3), 0.1)]

# dropout2d of other shapes
x = t.ones(4, 5, dtype=t.float64)
seen = [warned(F.dropout2d, x), warned(F.dropout2d, x[None]), warned(F.dropout2d, x[None, None])]
[F.dropout2d(x, 1.0), F.dropout2d(x[None], 0.0), seen, refusal(F.dropout2d, x[0])]

# a backward hook under its older name
log = []
m = filled(nn.Linear(2, 3))
m.register_backward_hook(lambda m, gi, go: log.append(go[0].clone()))
m(row(4, 2).requires_grad_()).sum().backward()
log
"""
PROGRAMS = MODULES.strip().split("\n\n")

DISTRIBUTIONS = """
# distributions describe themselves
d = t.distributions
loc, scale = row(2, 3), row(3).exp()
made = [d.Normal(loc, scale), d.Normal(0.5, 2.0), d.Normal(loc, 2), d.Uniform(loc, loc + scale)]
made += [d.Uniform(-1, 3.0), d.Bernoulli(row(4).sigmoid()), d.Bernoulli(logits=row(2, 2))]
made += [d.Bernoulli(0.25), d.Bernoulli(t.tensor([0.5, 0.0, 1.0])), d.Categorical(row(2, 3).exp())]
made += [d.Categorical(logits=row(5)), d.Categorical(t.tensor([[0.0, 1.0], [0.5, 0.5]]))]
out = []
for m in made:
    out += [m.batch_shape, m.event_shape, m.mean, m.variance, m.stddev, m.mode, m.entropy()]
    out += [m.perplexity(), m.has_rsample, m.sample().shape, m.sample((2, 1)).shape]
    out += [m.sample([3]).dtype == m.mean.dtype]
    out += [(m.probs, m.logits) if hasattr(m, "probs") else None]
out += [repr(made[1]), repr(d.Bernoulli(0.25))]
[out, repr(d.Normal(t.zeros(2), 1.0)).replace("torch", "norch")]

# probabilities of values
d, x = t.distributions, row(4, 3)
near = d.Normal(row(3), row(3).exp())
flat = d.Uniform(t.full((3,), -2.0), 2.0, validate_args=False)
coin = d.Bernoulli(logits=row(3))
one = d.Categorical(row(4, 3).exp())
out = [near.log_prob(x), near.cdf(x), near.icdf(x.sigmoid()), flat.log_prob(x * 3)]
out += [flat.cdf(x * 3), flat.icdf(x), coin.log_prob((x > 0).double())]
out += [one.log_prob(t.tensor([0, 2, 1, 1])), one.log_prob(t.tensor([[0], [2]]))]
out += [one.log_prob(t.tensor(1.0))]
out

# gradients of probabilities
d, leaves = t.distributions, [row(3).requires_grad_(), row(3).exp().requires_grad_()]
near = d.Normal(*leaves)
out = list(slopes(near.log_prob(row(2, 3)) + near.entropy(), *leaves))
out += slopes(d.Bernoulli(logits=leaves[0]).log_prob(t.ones(3, dtype=t.float64)), leaves[0])
out += slopes(d.Bernoulli(leaves[0].sigmoid()).entropy(), leaves[0])
out += slopes(d.Categorical(logits=leaves[0]).log_prob(t.tensor([0, 2])), leaves[0])
out += slopes(d.Categorical(leaves[1]).entropy(), leaves[1])
out += slopes(d.kl_divergence(near, d.Normal(0.0, t.tensor(2.0))), *leaves)
t.manual_seed(0)
draw = near.rsample((5,))
noise = ((draw - leaves[0]) / leaves[1]).detach()
grads = t.autograd.grad(draw.sum(), leaves)
[out, t.allclose(grads[1], noise.sum(0)), grads[0], near.sample().requires_grad]

# divergences
d, kl = t.distributions, t.distributions.kl_divergence
a, b = row(3), row(2, 3).exp()
pairs = [(d.Normal(a, a.exp()), d.Normal(0.3, b)), (d.Uniform(0.0, b), d.Uniform(-1.0, b + a))]
ends = t.tensor([0.0, 1.0, 0.5])
pairs += [(d.Bernoulli(logits=a), d.Bernoulli(b[0] / 3))]
pairs += [(d.Bernoulli(ends), d.Bernoulli(ends[list(order)])) for order in ((1, 2, 0), (2, 0, 1))]
c = d.Categorical
pairs += [(c(b), c(logits=a)), (c(logits=b), c(ends)), (c(ends), c(logits=a))]
[[kl(p, q) for p, q in pairs], refusal(kl, pairs[0][0], pairs[2][0])]

# draws are those of the functions
d, shape = t.distributions, (4, 3)
p = row(3).sigmoid()
def twice(make, draw):
    t.manual_seed(5)
    first = make()
    t.manual_seed(5)
    return t.equal(first, draw())
two = t.full(shape, 2.0)
same = [twice(lambda: d.Normal(p, 2.0).sample((4,)), lambda: t.normal(p.expand(shape), two))]
same += [twice(lambda: d.Bernoulli(p).sample((4,)), lambda: t.bernoulli(p.expand(shape)))]
same += [twice(lambda: d.Categorical(p).sample((4,)), lambda: t.multinomial(p / p.sum(), 4, True))]
u = d.Uniform(p, p + 1)
same += [t.allclose(u.low, p) and twice(lambda: u.sample((4,)), lambda: u.rsample((4,)))]
same

# distributions refuse
d, n, c = t.distributions, t.distributions.Normal, t.distributions.Categorical
bad = [refusal(n, 0.0, 0.0), refusal(n, t.tensor([float("nan")]), 1.0)]
bad += [refusal(d.Uniform, 1.0, 1.0)]
bad += [refusal(d.Bernoulli, 1.5), refusal(d.Bernoulli, 0.5, 0.5), refusal(d.Bernoulli), refusal(c)]
bad += [refusal(c, t.tensor([-1.0, 2.0])), refusal(c, t.zeros(2)), refusal(c, t.tensor(1.0))]
bad += [refusal(c, logits=t.tensor([float("nan"), 1.0])), refusal(n(0.0, 1.0).log_prob, 1.0)]
bad += [refusal(n(t.zeros(3), 1.0).log_prob, t.zeros(2))]
bad += [refusal(d.Bernoulli(0.5).log_prob, t.tensor(0.5))]
bad += [refusal(d.Uniform(0.0, 1.0).log_prob, t.tensor(3.0))]
bad += [refusal(c(t.ones(3)).log_prob, t.tensor(3))]
bad += [refusal(c(t.ones(3)).rsample), refusal(d.Uniform(0.0, 1.0).log_prob, t.tensor(1.0))]
bad += [refusal(d.Normal, 0.0, -1.0, validate_args=False), refusal(n(0.0, 1.0).sample, 3)]
bad
"""

DISTRIBUTION_PROGRAMS = DISTRIBUTIONS.strip().split("\n\n")
