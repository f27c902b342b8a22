"""Programs over layers: as cases_programs.py, with outputs, gradients and repr."""

LAYERS = """
# lazy layers
m = nn.Sequential(nn.LazyLinear(3), nn.ReLU(), nn.LazyBatchNorm1d(), nn.LazyConv2d(4, 3))
before = repr(m)
m[:3](t.ones(4, 5))
c = m[3](t.ones(1, 2, 5, 5)).shape
[before, repr(m), list(m.state_dict()), c, type(m[0]).__name__, [p.shape for p in m.parameters()]]

# every lazy layer
kinds = [nn.LazyConv1d(4, 2), nn.LazyConv3d(4, 2), nn.LazyConvTranspose1d(4, 2)]
kinds += [nn.LazyConvTranspose2d(4, 2), nn.LazyConvTranspose3d(4, 2), nn.LazyBatchNorm2d()]
kinds += [nn.LazyBatchNorm3d(), nn.LazyInstanceNorm1d(), nn.LazyInstanceNorm2d()]
kinds += [nn.LazyInstanceNorm3d()]
before = [repr(m) for m in kinds]
dims = [3, 5, 3, 4, 5, 4, 5, 3, 4, 5]
shapes = [m(row(2, 3, 4, 5, 4)[(...,) + (0,) * (5 - d)].float()).shape for m, d in zip(kinds, dims)]
[before, shapes, [repr(m) for m in kinds], isinstance(kinds[0].weight, nn.UninitializedParameter)]

# parametrizations
P = nn.utils.parametrize
class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).transpose(-1, -2)
    def right_inverse(self, x):
        return x.triu()
m = filled(nn.Linear(3, 3))
P.register_parametrization(m, "weight", Symmetric())
first = [m.weight, list(m.state_dict()), P.is_parametrized(m), P.is_parametrized(m, "bias")]
m.weight = t.ones(3, 3).double()
with P.cached():
    once = m.weight is m.weight
m(row(1, 3)).sum().backward()
grad = m.parametrizations.weight.original.grad
kind = type(m).__name__, P.type_before_parametrizations(m).__name__, repr(m)
P.remove_parametrizations(m, "weight")
[first, once, grad, kind, list(m.state_dict()), repr(m), m.weight]

# weight norm as a parametrization
m = nn.utils.parametrizations.weight_norm(filled(nn.Linear(3, 2)))
y = m(row(1, 3))
[list(m.state_dict()), y, slopes(y, *m.parameters())]

# spectral norm as a parametrization
m = nn.utils.parametrizations.spectral_norm(filled(nn.Linear(3, 2)), n_power_iterations=60)
[list(m.state_dict()), m(row(1, 3)).abs(), m.weight.abs()]

# spectral norm by a hook
m = nn.utils.spectral_norm(filled(nn.Conv2d(2, 3, 2)), n_power_iterations=60)
m(row(1, 2, 3, 3))
out = [list(m.state_dict()), m(row(1, 2, 3, 3)), m.weight]
nn.utils.remove_spectral_norm(m)
[out, list(m.state_dict())]

# spectral norm by a hook, from a file's u and v
m = nn.utils.spectral_norm(filled(nn.Linear(3, 2)))
m.load_state_dict({**m.state_dict(), "weight_u": row(2), "weight_v": row(3)})
[m(row(1, 3)), m.weight_u, m.weight_v]

# ctc_loss without steps
x, y, n = row(4, 2, 3).log_softmax(2), t.tensor([[1], [2]]), t.tensor([0, 3])
[F.ctc_loss(x, y, n, t.tensor([k, 1]), reduction="none") for k in (0, 1)]

# lazy layers from a file
m, n = nn.LazyConv2d(4, 2, groups=2, dtype=t.float64), filled(nn.Conv2d(6, 4, 2, groups=2))
m.load_state_dict(n.state_dict())
[list(m.state_dict()), m(row(1, 6, 3, 3))]

# whole numbers between bounds
x = t.tensor([7, -3])
[F.relu6(x), F.hardtanh(x, -1.5, 2.5), F.relu6(x[:1].byte())]

# a gradient that is a view
p = nn.Parameter(row(2))
p.grad = t.ones(4, dtype=t.float64)[1:3]
t.optim.SGD([p], lr=0.1).zero_grad(set_to_none=False)
[p.grad, p.grad.is_leaf]

# ctc_loss
x = row(8, 3, 5).log_softmax(2).requires_grad_()
y, n, k = t.tensor([[1, 2, 2], [3, 1, 4], [2, 2, 1]]), t.tensor([8, 7, 8]), t.tensor([3, 2, 1])
out = [F.ctc_loss(x, y, n, k, reduction=r) for r in ("none", "mean", "sum")]
out += [t.autograd.grad(out[1], x), F.ctc_loss(x, t.tensor([1, 2, 2, 3, 1, 2]), n, k)]
out += [nn.CTCLoss(blank=4)(x, y % 4, (8, 8, 8), (3, 3, 3)), repr(nn.CTCLoss())]
out += [nn.CTCLoss(zero_infinity=True, reduction="none")(x, y, (3, 8, 8), (3, 3, 3))]
out + [F.ctc_loss(x[:, 0], y[0], t.tensor(8), t.tensor(3))]

# grid_sample in every mode
x = row(2, 3, 5, 6).requires_grad_()
a = t.tensor([[[0.83, 0.31, 0.13], [-0.27, 1.13, 0.21]]] * 2, dtype=t.float64).requires_grad_()
out = []
for corners in (True, False):
    g = F.affine_grid(a, (2, 3, 4, 5), align_corners=corners)
    for mode in ("bilinear", "nearest", "bicubic"):
        for padding in ("zeros", "border", "reflection"):
            y = F.grid_sample(x, g, mode, padding, align_corners=corners)
            out += [g, y, slopes(y, x, a)]
out

# grid_sample of volumes
x, a = row(1, 2, 3, 4, 5).requires_grad_(), row(1, 3, 4).requires_grad_()
g = F.affine_grid(a, (1, 2, 2, 3, 4), align_corners=False)
y = F.grid_sample(x, g, padding_mode="border", align_corners=False)
[g, y, slopes(y, x, a)]

# pooling by powers
x = row(2, 3, 6, 7).abs().requires_grad_()
y = [nn.LPPool2d(2, 3)(x), F.lp_pool2d(x, 1.5, (2, 3), stride=1)]
y += [nn.LPPool1d(3, 2, ceil_mode=True)(x[0]), F.lp_pool2d(x, float("-inf"), 2)]
y += [nn.LPPool3d(2, 2)(x[None]), F.lp_pool3d(x[None], 2, 2), F.lp_pool1d(x[0], 3, 2)]
[y, slopes(y[0], x), repr(nn.LPPool2d(2, 3)), repr(nn.LPPool1d(2, 3)), repr(nn.LPPool3d(2, 3, 1))]

# local response normalization
x = row(2, 5, 3, 3).requires_grad_()
y = [nn.LocalResponseNorm(3)(x), F.local_response_norm(x, 2, 1e-2, 0.5, 2.0)]
[y, slopes(y[1], x), repr(nn.LocalResponseNorm(3)), F.local_response_norm(x[..., 0], 4)]

# adaptive maxima of volumes
x = row(2, 3, 6, 7, 5).requires_grad_()
y = F.adaptive_max_pool3d(x, (2, None, 3), return_indices=True)
[nn.AdaptiveMaxPool3d(2)(x), y, slopes(y[0], x), repr(nn.AdaptiveMaxPool3d((1, 2, None)))]

# pooling with indices, and older names
x = row(2, 3, 6, 7)
y = [F.max_pool2d_with_indices(x, 2), F.max_pool1d_with_indices(x[0], 2)]
y += [F.max_pool3d_with_indices(x, 2), F.adaptive_max_pool1d_with_indices(x[0], 2)]
y += [F.adaptive_max_pool2d_with_indices(x, 2), F.adaptive_max_pool3d_with_indices(x, 2)]
y += [F.upsample(x, scale_factor=2), F.upsample_nearest(x, scale_factor=2)]
y + [F.upsample_bilinear(x, scale_factor=2), F.pdist(x[0, 0]), F.pdist(x[0, 0], 1.0)]

# functions of torch itself
x = row(2, 4, 6)
y = [t.selu(x), t.celu(x), t.prelu(x, row(4))]
y += [t.rrelu(x), t.threshold(x, 0.1, 1.0), t.hardshrink(x)]
y += [t.dropout(x, 0.0, True), t.alpha_dropout(x, 0.0, True)]
y += [t.feature_alpha_dropout(x, 0.5, False)]
y += [t.relu_(x.clone()), t.selu_(x.clone()), t.celu_(x.clone()), t.rrelu_(x.clone())]
y += [t.threshold_(x.clone(), 0.1, 1.0), t.cosine_similarity(x, x + 1)]
y += [t.pairwise_distance(x, x + 1)]
y += [t.pdist(x[0]), t.pixel_shuffle(row(1, 4, 2, 3), 2), t.pixel_unshuffle(x[None], 2)]
y += [t.channel_shuffle(x[None], 2), t.bilinear(x[0], x[1], row(3, 6, 6), None)]
y + [t.adaptive_avg_pool1d(x, 2), t.max_pool1d_with_indices(x, 2)]

# the old words for a reduction
x, y = row(3, 4), row(3, 4).sin().abs()
out = [nn.MSELoss(size_average=False)(x, y), nn.L1Loss(reduce=False)(x, y)]
out += [F.binary_cross_entropy(y, y, size_average=False), F.kl_div(x, y, size_average=True)]
out += [F.cross_entropy(x, t.tensor([0, 1, 3]), size_average=False)]
out += [F.smooth_l1_loss(x, y, reduce=False)]
out += [nn.CrossEntropyLoss(size_average=False)(x, t.tensor([0, 1, 3]))]
out + [nn.Threshold(0.5, 20)(t.arange(3))]

# half precision and bytes in cross_entropy
x = row(2, 3)
out = [F.cross_entropy(x.half(), t.tensor([0, 1], dtype=t.uint8))]
out += [F.cross_entropy(x.bfloat16(), t.tensor([0, 1]))]
bad = [(F.binary_cross_entropy, t.ones(2), t.tensor([0, 1])), (nn.PReLU(), t.ones(2).double())]
bad += [(nn.LSTM(2, 3), t.ones(2, 1, 2).double())]
bad += [(nn.Bilinear(2, 2, 2), t.ones(1, 2), t.ones(1, 2).double())]
[out, [refusal(*call) for call in bad], refusal(nn.LSTM, 1, 2, 1, True, False, True)]

# resizing by matrices
x = row(1, 2, 5, 6).requires_grad_()
y = [F.interpolate(x, (7, 4), mode="bicubic")]
y += [F.interpolate(x, (3, 4), None, "bilinear", antialias=True)]
y += [F.interpolate(x, (3, 4), mode="bicubic", antialias=True)]
y += [F.interpolate(x, scale_factor=0.4, mode="bicubic")]
options = dict(mode="bilinear", antialias=True, align_corners=True)
y += [F.interpolate(x, scale_factor=(0.5, 2.0), **options)]
[y, [slopes(part, x) for part in y], refusal(F.interpolate, x, 3, mode="nearest", antialias=True)]

# attention as a function: every mask, extra key and way
pad, own = t.tensor([[0, 0, 0, 1], [0, 1, 0, 0]]).bool(), t.tensor([[0, 1, 0, 0]] * 3).bool()
q, k = (row(*size).requires_grad_() for size in ((3, 2, 6), (4, 2, 6)))
w, b, last = (row(*size).requires_grad_() for size in ((18, 6), (18,), (6, 6)))
rows, found = (row(1, 1, 6), row(1, 1, 6) * 2), []
extras = [(None, None, False), (*rows, False), (None, None, True), (*rows, True)]
def call(mask, hidden, extra, need):
    given = (q, k, k * 2, 6, 2, w, b, *extra, 0.0, last, b[:6])
    with warnings.catch_warnings():  # of PyTorch, where one mask is bool and the other is not
        warnings.simplefilter("ignore")
        y, a = F.multi_head_attention_forward(
            *given, key_padding_mask=hidden, need_weights=need, attn_mask=mask)
    return [y, a, slopes(y, q, k, w, b, last), None if a is None else slopes(a, q, k, w, b)]
masks = [None, own, own * -2.0, row(3, 4), own.repeat(4, 1, 1), row(4, 3, 4)]
masks = [m if m is None or m.dtype is t.bool else m.double() for m in masks]
hidings = [None, pad, t.zeros(2, 4).double().masked_fill(pad, -math.inf)]
[call(m, h, e, n) for m in masks for h in hidings for e in extras for n in (True, False)]

# attention as a function: rows that may look at nothing
q, w = row(3, 2, 6).requires_grad_(), row(18, 6).requires_grad_()
nothing = t.tensor([[0, 0, 0], [1, 1, 1], [0, 1, 0]]).bool()
def call(**given):
    return F.multi_head_attention_forward(
        q, q, q, 6, 2, w, None, None, None, False, 0.0, row(6, 6), None, **given)
[call(attn_mask=nothing), call(attn_mask=nothing, need_weights=False),
 call(key_padding_mask=nothing[:2]), call(key_padding_mask=nothing[:2], need_weights=False)]

# attention as a function: its other forms
q, k, three, hidden = row(3, 2, 6).requires_grad_(), row(5, 2, 4), row(5, 2, 6), t.arange(5) > 3
w, b, last, causal = row(18, 6), row(18), row(6, 6), t.ones(3, 3).triu(1).bool()
wq, wk, wv = row(6, 6), row(6, 4) * 2, row(6, 6) * 3
separate = dict(use_separate_proj_weight=True, q_proj_weight=wq, k_proj_weight=wk, v_proj_weight=wv)
def call(q, k, v, weight=None, bias=None, last=last, p=0.0, **given):
    y, a = F.multi_head_attention_forward(
        q, k, v, 6, 3, weight, bias, None, None, False, p, last, None, **given)
    return [y, a, slopes(y, q)]
one, looks = q[:, 0], dict(attn_mask=causal, is_causal=True)
[call(q, k, three, **separate), call(q, k, three, bias=b, need_weights=False, **separate),
 call(q, q, q, w, average_attn_weights=False), call(q, q, q, w, b, p=0.7, training=False),
 call(q, q, q, w, b, **looks), call(q, q, q, w, b, need_weights=False, **looks),
 call(q, q, q, w, b, key_padding_mask=causal[:2], need_weights=False, **looks),
 call(q, three, three, w, static_k=row(6, 5, 2), static_v=row(6, 5, 2) * 2),
 call(q, q, q, w, b, row(4, 6)), call(one, one, one, w, b),
 call(one, three[:, 0], three[:, 0], w, key_padding_mask=hidden, need_weights=False),
 call(one, one, one, w, attn_mask=causal.expand(3, 3, 3), average_attn_weights=False),
 call(q[:, :0], q[:, :0], q[:, :0], w)[:2]]

# attention as a function: what it refuses
q, w, three = row(3, 2, 6), row(18, 6), row(5, 2, 6)
def call(q=q, k=q, v=q, size=6, heads=2, weight=w, rows=(None, None), **given):
    F.multi_head_attention_forward(
        q, k, v, size, heads, weight, None, *rows, False, 0.0, row(6, 6), None, **given)
[refusal(call, *given) for given in [(q, three), (q[0, 0],), (q[None],) * 3, (q, q[:, 0], q[:, 0])]
] + [refusal(call, **given) for given in [
    dict(size=4), dict(heads=4), dict(weight=None), dict(rows=(row(1, 1, 6), None)),
    dict(rows=(None, row(1, 1, 6))), dict(is_causal=True), dict(attn_mask=row(2, 3)),
    dict(attn_mask=row(3, 3, 3)), dict(attn_mask=t.ones(3, 3).long()), dict(attn_mask=row(3)),
    dict(key_padding_mask=row(3, 2)), dict(static_k=row(3, 4, 3)), dict(static_v=row(4, 4, 2)),
    dict(use_separate_proj_weight=True, q_proj_weight=row(6, 6))]]

# a wrapped model
m = nn.DataParallel(filled(nn.Linear(2, 2)))
[list(m.state_dict()), repr(m), m(row(1, 2)), m.module.weight]
"""
PROGRAMS = LAYERS.strip().split("\n\n")
