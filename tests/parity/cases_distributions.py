"""Distributions, as programs: what they say of themselves, of values and of each other."""

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

PROGRAMS = DISTRIBUTIONS.strip().split("\n\n")
