"""Convolution, pooling and layer_norm: value against NumPy, first and second gradients against
differences, on permuted float64 inputs. Heights and widths differ on purpose. One line a case.
"""

import inspect
import pickle
import typing

import numpy as np
import pytest
from autograd_checks import check, draw, permuted

import norch_autograd as norch
from norch_autograd import more, ops
from norch_autograd.more import im2col

# x, weight, stride, padding, dilation, groups
CONVOLUTIONS = [
    ((2, 2, 4, 5), (3, 2, 3, 2), (1, 1), (0, 0), (1, 1), 1),
    ((1, 2, 5, 4), (2, 2, 3, 2), (2, 3), (1, 2), (1, 1), 1),
    ((1, 2, 6, 5), (2, 2, 2, 3), (3, 1), (1, 0), (2, 1), 1),
    ((2, 4, 3, 4), (4, 2, 2, 3), (1, 2), (0, 1), (1, 1), 2),
    ((1, 3, 4, 3), (6, 1, 3, 2), (2, 1), (1, 1), (1, 2), 3),
    ((2, 2, 3, 2), (3, 2, 1, 1), (1, 1), (0, 0), (1, 1), 1),
]


def conv2d(x, weight, bias, stride, padding, dilation, groups):
    """The sum over the places of the kernel, one group at a time; padding (top, bottom), ..."""
    (kh, kw), (sh, sw), (dh, dw) = weight.shape[2:], stride, dilation
    padded = np.pad(x, ((0, 0), (0, 0), *padding))
    oh = (padded.shape[2] - (kh - 1) * dh - 1) // sh + 1
    ow = (padded.shape[3] - (kw - 1) * dw - 1) // sw + 1
    o, c = weight.shape[:2]
    out = np.zeros((len(x), o, oh, ow)) + bias[:, None, None]
    for i, j, g in np.ndindex(kh, kw, groups):
        rows, cols = slice(i * dh, i * dh + sh * oh, sh), slice(j * dw, j * dw + sw * ow, sw)
        ins, outs = slice(g * c, (g + 1) * c), slice(g * o // groups, (g + 1) * o // groups)
        patch = padded[:, ins, rows, cols]
        out[:, outs] += np.einsum("ncij,oc->noij", patch, weight[outs, :, i, j])
    return out


@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_conv2d(case):
    x, weight, stride, padding, dilation, groups = case
    both = [(p, p) for p in padding]
    check(
        lambda *t: norch.conv2d(*t, stride, padding, dilation, groups),
        lambda *a: conv2d(*a, stride, both, dilation, groups),
        *(x, weight, weight[:1]),
    )


@pytest.mark.parametrize(
    ("kernel", "dilation"), [((3, 3), (1, 1)), ((2, 4), (1, 1)), ((4, 2), (1, 3)), ((3, 4), (2, 1))]
)
def test_padding_same_keeps_the_size(kernel, dilation):
    totals = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    ends = [(total // 2, total - total // 2) for total in totals]  # the odd one at the end
    check(
        lambda *t: norch.conv2d(*t, padding="same", dilation=dilation),
        lambda *a: conv2d(*a, (1, 1), ends, dilation, 1),
        *((1, 2, 5, 6), (2, 2, *kernel), (2,)),
        second=False,
    )


def test_conv2d_of_one_image_and_by_one_number():
    x, weight = norch.tensor(draw((2, 6, 7))), norch.tensor(draw((3, 2, 3, 3)))
    one = norch.conv2d(x, weight, None, 2, 1, 2)
    many = norch.conv2d(x.unsqueeze(0), weight, None, (2, 2), (1, 1), (2, 2))
    assert one.tolist() == many[0].tolist()
    assert norch.conv2d(x, weight, padding="valid").shape == (3, 4, 5)


def windows(x, kernel, stride, padding, fill, ceil_mode=False, dilation=(1, 1)):
    """Yield (output place, elements) of every window; `fill` where there is nothing."""
    sizes = []
    for d in range(2):
        rest = x.shape[d - 2] + 2 * padding[d] - (kernel[d] - 1) * dilation[d] - 1
        count = (-(-rest // stride[d]) if ceil_mode else rest // stride[d]) + 1
        sizes.append(count - (ceil_mode and (count - 1) * stride[d] >= x.shape[d - 2] + padding[d]))
    far = [(p, p + k * d + s) for p, k, d, s in zip(padding, kernel, dilation, stride, strict=True)]
    padded = np.pad(x, [(0, 0)] * (x.ndim - 2) + far, constant_values=fill)
    out = np.zeros((*x.shape[:-2], *sizes, kernel[0] * kernel[1]))
    for i, j in np.ndindex(*sizes):
        rows = i * stride[0] + dilation[0] * np.arange(kernel[0])
        cols = j * stride[1] + dilation[1] * np.arange(kernel[1])
        out[..., i, j, :] = padded[..., rows[:, None], cols].reshape(*x.shape[:-2], -1)
    return out


# x, kernel, stride, padding, ceil_mode, dilation
POOLS = [
    ((1, 2, 4, 6), (2, 3), (2, 3), (0, 0), False, (1, 1)),
    ((2, 5, 4), (3, 2), (2, 1), (1, 1), False, (1, 1)),
    ((1, 1, 5, 6), (2, 2), (2, 3), (0, 1), True, (1, 1)),
    ((1, 6, 5), (2, 3), (1, 2), (1, 1), False, (2, 1)),
    ((1, 3, 4), (2, 2), (3, 3), (0, 0), True, (1, 1)),
]


@pytest.mark.parametrize("case", POOLS, ids=str)
def test_max_pool2d(case):
    shape, kernel, stride, padding, ceil_mode, dilation = case
    check(
        lambda x: norch.max_pool2d(x, kernel, stride, padding, dilation, ceil_mode),
        lambda x: windows(x, kernel, stride, padding, -np.inf, ceil_mode, dilation).max(-1),
        shape,
        second=False,
    )


def test_max_pool2d_has_a_second_gradient():
    x = permuted(draw((1, 2, 3, 4), 0.3, 3.0))
    assert norch.gradgradcheck(lambda x: norch.max_pool2d(x * x, 2, 1), [x], atol=1e-4)


@pytest.mark.parametrize("divisor", [None, 3])
@pytest.mark.parametrize("count_include_pad", [True, False])
@pytest.mark.parametrize("case", [c for c in POOLS if c[-1] == (1, 1)], ids=str)
def test_avg_pool2d(case, count_include_pad, divisor):
    shape, kernel, stride, padding, ceil_mode, _ = case
    options = (kernel, stride, padding, ceil_mode, count_include_pad, divisor)

    def expected(x):
        options = (kernel, stride, padding)
        total = windows(x, *options, 0.0, ceil_mode).sum(-1)
        inside = np.ones_like(x)
        if count_include_pad:  # what lies beyond the padding never counts
            widths = [(0, 0)] * (x.ndim - 2) + [(p, p) for p in padding]
            inside, options = np.pad(inside, widths, constant_values=1.0), (kernel, stride, (0, 0))
        counts = windows(inside, *options, 0.0, ceil_mode).sum(-1)
        return total / (divisor or counts[..., : total.shape[-2], : total.shape[-1]])

    check(
        lambda x: norch.ops.avg_pool2d(x, *options),
        expected,
        shape,
        second=not ceil_mode,  # linear: its second gradient is tested once in each mode
    )


def test_pooling_without_a_stride_does_not_overlap():
    x = norch.arange(36.0).reshape(1, 6, 6)
    assert norch.max_pool2d(x, (2, 3)).tolist() == norch.max_pool2d(x, (2, 3), (2, 3)).tolist()
    assert norch.ops.avg_pool2d(x, 3).shape == (1, 2, 2)
    assert norch.ops.max_pool2d_with_indices(x, 3)[1].tolist() == [[[14, 17], [32, 35]]]


def test_overlapping_max_pool_windows_add_up_their_gradients():
    x = norch.tensor([[[1.0, 9.0, 2.0, 3.0]]], requires_grad=True)
    norch.max_pool2d(x, (1, 2), (1, 1)).sum().backward()
    assert x.grad.tolist() == [[[0.0, 2.0, 0.0, 1.0]]]


def standardized(x, axes, eps):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4)])
@pytest.mark.parametrize("dims", [1, 2])
def test_layer_norm(shape, dims):
    if dims > len(shape):
        return
    last, axes = shape[-dims:], tuple(range(-dims, 0))
    check(
        lambda x, w, b: norch.layer_norm(x, last, w, b, 0.1),
        lambda x, w, b: standardized(x, axes, 0.1) * w + b,
        *(shape, last, last),
    )
    check(
        lambda x: norch.layer_norm(x, last, eps=0.1) ** 2,
        lambda x: standardized(x, axes, 0.1) ** 2,
        shape,
    )


def test_layer_norm_fused_and_composite_backward_agree():
    def gradients(create_graph):
        leaves = [permuted(draw(s)) for s in ((3, 5), (5,), (5,))]
        out = norch.layer_norm(leaves[0], 5, *leaves[1:])
        return norch.autograd.grad((out**3).sum(), leaves, create_graph=create_graph)

    for fused, composite in zip(gradients(False), gradients(True), strict=True):
        assert norch.allclose(fused, composite.detach(), atol=1e-12)


def small_network(x, weight, scale):
    hidden = norch.max_pool2d(norch.conv2d(x, weight, None, 1, 1).relu(), 2)
    return norch.layer_norm(norch.ops.avg_pool2d(hidden, (2, 1), 1), scale.shape, scale).sum()


def test_cuda_sim_gives_the_cpus_gradients():
    pytest.importorskip("norch_cuda")
    grads = []
    for device in ("cpu", "cuda-sim"):
        shapes = ((2, 3, 5, 6), (2, 3, 3, 2), (3,))
        leaves = [norch.tensor(draw(s), dtype=norch.float32, requires_grad=True) for s in shapes]
        small_network(*(leaf.to(device) for leaf in leaves)).backward()
        grads.append([leaf.grad.reshape(-1).tolist() for leaf in leaves])
    for on_cpu, on_sim in zip(*grads, strict=True):
        assert on_sim == pytest.approx(on_cpu, abs=1e-4)


X, W = norch.zeros(1, 2, 5, 5), norch.zeros(4, 2, 3, 3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: norch.conv2d(X, W, padding="some"), RuntimeError, "invalid padding string 'some'"),
        (lambda: norch.conv2d(X, W, stride=2, padding="same"), RuntimeError, "strided"),
        (lambda: norch.conv2d(X, W, groups=3), RuntimeError, r"\[conv2d\] x .* has 2 channels"),
        (lambda: norch.conv2d(X, W.double()), RuntimeError, "float32 and float64"),
        (lambda: norch.conv2d(X[0, 0], W), RuntimeError, r"expected input \(N, C, H, W\)"),
        (lambda: norch.max_pool2d(X, 2, padding=2), RuntimeError, "more than half of kernel 2"),
        (lambda: norch.max_pool2d(X, 9), RuntimeError, "does not fit"),
        (lambda: norch.ops.avg_pool2d(X, 2, divisor_override=0), RuntimeError, "must not be 0"),
        (lambda: norch.layer_norm(X, [4]), RuntimeError, "must be the end of the input's shape"),
        (lambda: norch.layer_norm(X, []), RuntimeError, "must be the end"),
        (lambda: norch.layer_norm(X, 5, W[0, 0, 0]), RuntimeError, r"weight has shape \(3,\)"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_an_edited_input_of_conv2d_is_refused():
    x, weight = permuted(draw((1, 2, 4, 4))), permuted(draw((1, 2, 2, 2)))
    hidden = x * 1
    out = norch.conv2d(hidden, weight)
    hidden.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


@pytest.mark.parametrize("name", ["conv2d", "conv_transpose2d"])
def test_convolutions_run_in_the_lower_precision_of_an_autocast(name):
    x, weight = norch.randn(1, 3, 5, 5), norch.randn(3, 3, 3, 3, requires_grad=True)
    function = getattr(norch, name)
    with norch.autocast("cpu"):
        out = function(x, weight)
    assert out.dtype == norch.bfloat16
    np.testing.assert_allclose(out.float().detach().numpy(), function(x, weight).detach().numpy(),
                               atol=0.2)  # fmt: skip
    out.float().sum().backward()
    assert weight.grad.dtype == norch.float32


@pytest.mark.parametrize(
    "options",
    [(5,), (2, -1), (2, 0), (2, 1, 2), (2, 1, -1), (0,), (2**40,), (2, 2**40), ((2, 2, 2, 2),)],
)
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_windows_over_whole_numbers_are_refused_as_over_others(dims, options):
    pool = (norch.avg_pool1d, norch.ops.avg_pool2d, norch.ops.avg_pool3d)[dims - 1]
    for shape in ((1,) + (4,) * (dims + 1), (4,) * (dims - 1), ()):
        said = []
        for dtype in (norch.float32, norch.int64):
            with pytest.raises(RuntimeError) as refused:
                pool(norch.ones(shape, dtype=dtype), *options)
            said.append(str(refused.value))
        assert said[0] == said[1]


def test_patches_of_bools_are_those_of_numbers():
    x = norch.tensor([[[True, False, True], [False, False, True]]])
    assert im2col(x, 2, 1, 1).tolist() == im2col(x.float(), 2, 1, 1).bool().tolist()
    with pytest.raises(RuntimeError, match=r"none above 2\^31"):
        im2col(x, 2**40)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("name", ["max_pool{}d", "max_pool{}d_with_indices", "conv_transpose{}d"])
def test_a_member_of_a_family_is_a_function_of_its_own(name, dims):
    name = name.format(dims)
    function = getattr(more if "transpose" in name else ops, name)
    parameters = list(inspect.signature(function).parameters)
    assert (function.__name__, function.__qualname__) == (name, name)
    assert parameters[0] == "input" and "dims" not in function.__annotations__
    assert set(typing.get_type_hints(function)) >= set(parameters)
    assert f"{name}(" in function.__doc__  # its own example
    assert pickle.loads(pickle.dumps(function)) is function
    with pytest.raises(TypeError, match=rf"^\[{name}\] expected a Tensor, got str"):
        function("x", "x")


def test_a_member_that_is_given_too_little_says_so_in_its_own_name():
    with pytest.raises(TypeError, match=r"^max_pool2d\(\) missing 1 required .*'kernel_size'"):
        ops.max_pool2d(norch.ones(1, 2, 2))


@pytest.mark.parametrize("device", ["cpu", "cuda-sim"])
@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2])
def test_a_convolution_of_no_channels_makes_none(device, dims, groups):
    """PyTorch's shape: not that of the weight; gradients are empty, or zero for the bias."""
    convolve = getattr(norch, f"conv{dims}d")
    shapes = (2, 0, *[7] * dims), (4, 0, *[3] * dims), (4,)
    leaves = [norch.ones(*shape, device=device).requires_grad_() for shape in shapes]
    out = convolve(*leaves, groups=groups)
    out.sum().backward()
    assert tuple(out.shape) == (2, 0, *[5] * dims)
    assert [tuple(x.grad.shape) for x in leaves] == [*shapes]
    assert not leaves[2].grad.any()
    spread = getattr(norch, f"conv_transpose{dims}d")
    with pytest.raises(RuntimeError, match="at least one output for each"):
        spread(leaves[0], norch.ones(0, 4, *[3] * dims, device=device), groups=groups)
