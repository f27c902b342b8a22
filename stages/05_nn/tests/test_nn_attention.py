"""MultiheadAttention and Transformer against numbers computed once with PyTorch 2.13, in float64.

As in test_nn_recurrent.py, weights and inputs are sines, and two digests of each result are kept.
"""

import math

import numpy as np
import pytest
from layer_checks import digest, fill_with_sines, wave

import norch_autograd as norch
import norch_nn as nn
from norch_nn import functional as F


def filled(module):
    """The module with parameters that are sines, smaller and closer to each other."""
    return fill_with_sines(module, 0.01, 0.5)


def close(values):
    return pytest.approx(values, abs=3e-6)


Q, K, V = wave(3, 2, 6, k=0.9), wave(4, 2, 6, k=0.8), wave(4, 2, 6, k=0.5)
PAD = norch.tensor([[0, 0, 0, 1], [0, 1, 0, 0]]) > 0
BOOL = norch.tensor([[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]]) > 0
CAUSAL = norch.ones(3, 3).triu(1) > 0

# options, inputs, call; output, averaged weights, weights of each head, gradients of parameters
ATTENTION = {
    "self": ({}, "qqq", {}, [2.793913, -1.510274], [6.0, -0.26603], [12.0, -2.707148],
             [2.653434, -8.467818]),
    "cross": ({}, "qkv", {}, [2.640508, -2.977964], [6.0, 0.134795], [12.0, -0.113742],
              [1.510951, -9.912748]),
    "cross, k is v": ({"bias": False}, "qkk", {}, [0.010402, -0.267313], [6.0, 0.116044],
                      [12.0, -0.067119], [-0.25409, 1.582368]),
    "sizes": ({"kdim": 5, "vdim": 4}, "qkv", {}, [1.213618, -3.285953], [6.0, -0.078831],
              [12.0, -0.292249], [6.396245, -17.020417]),
    "extra keys": ({"add_bias_kv": True, "add_zero_attn": True}, "qkv",
                   {"attn_mask": BOOL, "key_padding_mask": PAD}, [1.039696, -2.795761],
                   [6.0, 0.325438], [12.0, -1.748044], [8.165968, -5.077831]),
    "padding": ({}, "qkv", {"key_padding_mask": PAD}, [2.471905, -3.007737], [6.0, 0.980658],
                [12.0, 0.12794], [2.155544, -9.475655]),
    "bool": ({}, "qkv", {"attn_mask": BOOL}, [2.597115, -2.795485], [6.0, 0.452762],
             [12.0, 0.122567], [1.421999, -9.988574]),
    "added and padding": ({}, "qkv", {"attn_mask": wave(3, 4, k=0.4), "key_padding_mask": PAD},
                          [2.506109, -2.942025], [6.0, 0.95978], [12.0, 0.231107],
                          [2.026897, -9.687039]),
    "a mask a head": ({}, "qkv", {"attn_mask": wave(4, 3, 4, k=0.6)}, [2.659554, -2.985951],
                      [6.0, 0.013445], [12.0, -0.12532], [1.378924, -9.908892]),
    "causal": ({}, "qqq", {"attn_mask": CAUSAL, "is_causal": True}, [2.619686, -1.326597],
               [6.0, -0.54943], [12.0, -3.373369], [2.910861, -7.923178]),
}  # fmt: skip


def made(name, batch_first):
    """The module of a case and its inputs; what is one tensor stays one."""
    options, letters, *_ = ATTENTION[name]
    module = filled(nn.MultiheadAttention(6, 2, batch_first=batch_first, **options))
    inputs = {"q": Q, "k": K[..., : module.kdim], "v": V[..., : module.vdim]}
    if batch_first:
        inputs = {letter: x.transpose(0, 1) for letter, x in inputs.items()}
    return module, [inputs[letter] for letter in letters]


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("name", ATTENTION)
def test_attention_against_pytorch(name, batch_first):
    _, _, call, expected, average, each, gradient = ATTENTION[name]
    module, inputs = made(name, batch_first)
    outputs = [
        module(*inputs, **call),
        module(*inputs, **call, average_attn_weights=False),
        module(*inputs, **call, need_weights=False),
    ]
    for output, _ in outputs:
        assert digest(output.transpose(0, 1) if batch_first else output) == close(expected)
    assert digest(outputs[0][1]) == close(average) and digest(outputs[1][1]) == close(each)
    assert outputs[2][1] is None
    for output, _ in (outputs[0], outputs[2]):
        module.zero_grad()
        output = output.transpose(0, 1) if batch_first else output
        (output * wave(*output.shape, k=1.1)).sum().backward()
        found = np.sum([digest(p.grad, 0.3) for p in module.parameters()], 0)
        if batch_first:
            assert found == pytest.approx(gradient, abs=1e-5)


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("batch_first", [False, True])
def test_one_sample_without_a_batch(batch_first, need_weights):
    module = filled(nn.MultiheadAttention(6, 2, batch_first=batch_first))
    call = {"need_weights": need_weights, "attn_mask": BOOL}
    batch = 0 if batch_first else 1
    whole, weights = module(*(x[:, :1].transpose(0, 1 - batch) for x in (Q, K, V)), **call)
    alone, own = module(*(x[:, 0] for x in (Q, K, V)), **call, key_padding_mask=PAD[0] & ~PAD[0])
    assert alone.ndim == 2 and norch.allclose(alone, whole.squeeze(batch))
    assert (own is None) if not need_weights else norch.allclose(own, weights[0])


def test_dropout_acts_on_the_weights_while_training():
    module = nn.MultiheadAttention(6, 2, dropout=0.5).to(norch.float64)
    assert not norch.allclose(module(Q, K, V)[0], module(Q, K, V)[0])
    assert not norch.allclose(*(module(Q, K, V, need_weights=False)[0] for _ in range(2)))
    module.eval()
    assert norch.allclose(module(Q, K, V)[0], module(Q, K, V, need_weights=False)[0])


def test_names_and_first_values():
    module = nn.MultiheadAttention(60, 2, add_bias_kv=True)
    assert list(module.state_dict()) == ["in_proj_weight", "in_proj_bias", "bias_k", "bias_v",
                                         "out_proj.weight", "out_proj.bias"]  # fmt: skip
    bound = math.sqrt(6 / (60 + 180))
    assert 0.98 * bound < module.in_proj_weight.abs().max().item() <= bound
    assert not module.in_proj_bias.any().item() and not module.out_proj.bias.any().item()
    assert "(out_proj): NonDynamicallyQuantizableLinear(in_features=60, " in repr(module)
    names = ["q_proj_weight", "k_proj_weight", "v_proj_weight", "out_proj.weight"]
    assert list(nn.MultiheadAttention(6, 2, kdim=5, bias=False).state_dict()) == names


TRANSFORMER = {
    (False, "relu"): ([14.517222, 3.046064], [22.363137, 13.934659]),
    (False, "gelu"): ([14.408784, 3.033818], [22.081207, 13.560065]),
    (True, "relu"): ([6.783658, 2.478797], [13.652165, 8.94598]),
    (True, "gelu"): ([6.824167, 2.453184], [15.213597, 8.637606]),
}


@pytest.mark.parametrize("case", TRANSFORMER)
@pytest.mark.parametrize("batch_first", [False, True])
def test_transformer_against_pytorch(case, batch_first):
    norm_first, activation = case
    expected, gradient = TRANSFORMER[case]
    model = nn.Transformer(
        6, 2, 2, 2, 8, 0.1, activation, None, None, 1e-5, batch_first, norm_first
    )
    filled(model).eval()
    src, tgt = wave(4, 2, 6, k=0.9), wave(3, 2, 6, k=0.8)
    if batch_first:
        src, tgt = src.transpose(0, 1), tgt.transpose(0, 1)
    call = {
        "tgt_mask": model.generate_square_subsequent_mask(3, dtype=norch.float64),
        "src_key_padding_mask": PAD,
        "memory_key_padding_mask": PAD,
    }
    for hint in (True, None):
        out = model(src, tgt, **call, tgt_is_causal=hint)
        out = out.transpose(0, 1) if batch_first else out
        assert digest(out) == close(expected)
    (out * wave(*out.shape, k=1.1)).sum().backward()
    found = np.sum([digest(p.grad, 0.3) for p in model.parameters()], 0)
    assert found == pytest.approx(gradient, abs=2e-5)


def test_transformer_names_as_pytorch():
    names = list(nn.Transformer(6, 2, 1, 1, 8).state_dict())
    attention = ["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"]
    both = ["weight", "bias"]
    linear = [f"linear{i}.{end}" for i in (1, 2) for end in both]
    encoder = [f"self_attn.{n}" for n in attention] + linear
    encoder += [f"norm{i}.{end}" for i in (1, 2) for end in both]
    decoder = [f"{kind}.{n}" for kind in ("self_attn", "multihead_attn") for n in attention]
    decoder += linear + [f"norm{i}.{end}" for i in (1, 2, 3) for end in both]
    expected = []
    for part, layer in (("encoder", encoder), ("decoder", decoder)):
        expected += [f"{part}.layers.0.{n}" for n in layer] + [f"{part}.norm.{e}" for e in both]
    assert names == expected


def test_layers_are_copies_and_custom_parts_are_used():
    layer = nn.TransformerEncoderLayer(6, 2, 8, activation=F.silu)
    encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(6))
    first, second = encoder.layers
    assert first.linear1.weight is not second.linear1.weight
    assert norch.equal(first.linear1.weight, second.linear1.weight)
    assert first.activation is F.silu and encoder.norm is not None
    model = nn.Transformer(6, 2, 1, 1, 8, custom_encoder=encoder)
    assert model.encoder is encoder
    plain = nn.Transformer(6, 2, 1, 1, 8, bias=False)
    assert not [n for n, _ in plain.named_parameters() if n.endswith("bias")]


def test_dropout_of_a_layer_acts_while_training():
    layer, x = nn.TransformerEncoderLayer(6, 2, 8, dropout=0.5), norch.ones(3, 2, 6)
    assert not norch.allclose(layer(x), layer(x))
    assert norch.allclose(layer.eval()(x), layer(x))


def attend(weight=True, rows=(None, None), **given):
    """The function with weights of ones; a batch of 2, 3 steps, 2 heads of size 3."""
    weight = norch.ones(18, 6, dtype=norch.float64) if weight else None
    last = norch.eye(6, dtype=norch.float64)
    fixed = (6, 2, weight, None, *rows, False, 0.0, last, None)
    return F.multi_head_attention_forward(Q, Q, Q, *fixed, **given)


def test_static_keys_and_values_replace_the_projected_ones():
    k, v = wave(4, 5, 3, k=0.6), wave(4, 5, 3, k=0.8)
    output, weights = attend(static_k=k, static_v=v, average_attn_weights=False)
    assert tuple(weights.shape) == (2, 2, 3, 5)
    whole = (weights @ v.unflatten(0, (2, 2))).permute(2, 0, 1, 3).flatten(-2)
    assert norch.allclose(output, whole)


def test_the_output_lies_in_memory_as_the_query_did():
    module, x = nn.MultiheadAttention(6, 2, batch_first=True), norch.ones(4, 3, 6)
    assert module(x, x, x)[0].is_contiguous()
    module.batch_first = False
    assert module(x, x, x)[0].is_contiguous()


MHA = nn.MultiheadAttention(6, 2).to(norch.float64)
MODEL = nn.Transformer(6, 2, 1, 1, 8).to(norch.float64)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.MultiheadAttention(6, 4), AssertionError, "6 must be divisible by num_heads 4"),
        (lambda: nn.MultiheadAttention(0, 4), ValueError, "above 0, not 0 and 4"),
        (lambda: MHA(Q, K, V[:2]), AssertionError, "as many elements"),
        (lambda: MHA(Q[..., :5], K, V), AssertionError, r"must end in the sizes \(6, 6, 6\)"),
        (lambda: MHA(Q, K[0], V), AssertionError, "must all have 3 dimensions"),
        (lambda: MHA(*(x.unsqueeze(0) for x in (Q, K, V))), AssertionError, "3 dimensions, or 2"),
        (lambda: MHA(Q, K, V, attn_mask=CAUSAL), RuntimeError,
         r"attn_mask has shape \(3, 3\), expected \(3, 4\) or \(4, 3, 4\)"),
        (lambda: MHA(Q, K, V, key_padding_mask=CAUSAL), AssertionError, r"expected \(2, 4\)"),
        (lambda: MHA(Q, K, V, attn_mask=BOOL.long()), AssertionError, "must be bool or floating"),
        (lambda: MHA(Q, K, V, is_causal=True), RuntimeError, "give the mask too"),
        (lambda: attend(weight=False), AssertionError, "give in_proj_weight, or use_separate"),
        (lambda: attend(use_separate_proj_weight=True, q_proj_weight=Q), AssertionError,
         "needs q_proj_weight, k_proj_weight and v_proj_weight"),
        (lambda: attend(rows=(Q[:1, :1], None)), AssertionError, "bias_k and bias_v both, or"),
        (lambda: attend(static_k=wave(2, 5, 6)), AssertionError,
         r"static_k has shape \(2, 5, 6\), expected \(4, any, 3\)"),
        (lambda: MODEL(Q, K[:, :1]), RuntimeError, "batches of one size"),
        (lambda: MODEL(Q[..., :5], K), RuntimeError, "must end in d_model 6"),
        (lambda: nn.TransformerEncoderLayer(6, 2, activation="sin"), RuntimeError,
         "must be 'relu' or 'gelu', not 'sin'"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
