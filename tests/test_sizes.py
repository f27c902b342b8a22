"""Every public function that makes a size from a number, called with monstrous numbers: it answers
or refuses at once, in words, and never runs away with time or memory.

The table is called in a process of its own, with little memory; run as a program, this file is it.
"""

import inspect
import resource
import signal
import subprocess
import sys

import pytest

import norch
from norch import linalg, nn
from norch.nn import functional as F

MONSTERS = (2**31, 10**9, 10**12, 2**40 + 1, 2**62, 2**63 - 1, 2**63, 10**30, -(2**31), -(2**62))
SECONDS, MEMORY = 4.0, 3 << 30  # of the processor for one call, of address space for all

x, m, b = norch.ones(5), norch.ones(4, 4), norch.ones(5, dtype=norch.uint8)
line, image, volume = norch.ones(1, 2, 8), norch.ones(1, 4, 8, 8), norch.ones(1, 2, 4, 4, 4)
w1, w2, w3 = norch.ones(2, 2, 3), norch.ones(4, 4, 3, 3), norch.ones(2, 2, 3, 3, 3)
count = norch.arange(3)

CALLS = {
    "adaptive_avg_pool1d": [lambda n: norch.adaptive_avg_pool1d(line, n)],
    "as_strided": [lambda n: norch.as_strided(x, (n,), (1,)), lambda n: x.as_strided((2,), (n,)),
                   lambda n: x.as_strided((2,), (1,), n), lambda n: x.as_strided((n, 2), (0, 0))],
    "bincount": [lambda n: norch.bincount(count, minlength=n),
                 lambda n: norch.bincount(norch.tensor([n]))],
    "broadcast_to": [lambda n: norch.broadcast_to(x, (n, n, 5)).clone(),
                     lambda n: x.expand(n, 5).sum(1).shape if abs(n) > 10**9 else 0],
    "broadcast_shapes": [lambda n: norch.broadcast_shapes((n,), (1,))],
    "channel_shuffle": [lambda n: norch.channel_shuffle(image, n)],
    "chunk": [lambda n: norch.chunk(x, n), lambda n: norch.zeros(0, 3).chunk(n)],
    "combinations": [lambda n: norch.combinations(x, n), lambda n: norch.combinations(x, n, True),
                     lambda n: norch.combinations(norch.ones(10**5)),
                     lambda n: norch.combinations(norch.ones(300), 5),
                     lambda n: norch.combinations(norch.ones(2000), 1000, True)],
    "cov": [lambda n: norch.cov(m, correction=n)],
    "diag": [lambda n: norch.diag(x, n)], "diag_embed": [lambda n: norch.diag_embed(x, n)],
    "diagflat": [lambda n: norch.diagflat(x, n)], "diagonal": [lambda n: norch.diagonal(m, n)],
    "diagonal_scatter": [lambda n: norch.diagonal_scatter(m, x, n)],
    "diff": [lambda n: norch.diff(x, n)],
    "dsplit": [lambda n: norch.dsplit(volume, n), lambda n: norch.dsplit(volume, [n, n])],
    "empty": [lambda n: norch.empty(n, n), lambda n: norch.empty(n, 0),
              lambda n: m.new_empty(n, n)],
    "eye": [lambda n: norch.eye(n), lambda n: norch.eye(0, n), lambda n: norch.eye(n, 0),
            lambda n: norch.eye(n, 3), lambda n: norch.eye(3, n), lambda n: norch.eye(10**8)],
    "flatten": [lambda n: norch.flatten(m, n)],
    "frombuffer": [lambda n: norch.frombuffer(bytes(8), dtype=norch.int64, count=n),
                   lambda n: norch.frombuffer(bytes(8), dtype=norch.int64, offset=n)],
    "full": [lambda n: norch.full((n, n), 1.0), lambda n: m.new_full((n, n), 1.0)],
    "group_norm": [lambda n: norch.group_norm(image, n)],
    "histc": [lambda n: norch.histc(x, bins=n)],
    "hsplit": [lambda n: norch.hsplit(m, n), lambda n: norch.hsplit(m, [n])],
    "kthvalue": [lambda n: norch.kthvalue(x, n)],
    "layer_norm": [lambda n: norch.layer_norm(m, (n,))],
    "linspace": [lambda n: norch.linspace(0, 1, n)],
    "logspace": [lambda n: norch.logspace(0, 1, n)],
    "arange": [lambda n: norch.arange(n * 1000), lambda n: norch.arange(0, n * 100, 0.001),
               lambda n: norch.arange(0, 1, 1 / n**2)],
    "range": [lambda n: norch.arange(-n * 1000, n * 1000, 1)],
    "matrix_power": [lambda n: norch.matrix_power(m.double(), n)],
    "max_pool1d": [lambda n: norch.max_pool1d(line, n), lambda n: norch.max_pool1d(line, 2, n),
                   lambda n: norch.max_pool1d(line, 2, 1, n),
                   lambda n: norch.max_pool1d(line, 2, 1, 0, n)],
    "mvlgamma": [lambda n: norch.mvlgamma(x, n)],
    "narrow": [lambda n: norch.narrow(x, 0, n, 1), lambda n: norch.narrow(x, 0, 0, n)],
    "multinomial": [lambda n: norch.multinomial(x, n, replacement=True),
                    lambda n: norch.multinomial(x, n)],
    "normal": [lambda n: norch.normal(0, 1, (n, n))],
    "one_hot": [lambda n: F.one_hot(count, n), lambda n: F.one_hot(norch.tensor([n]))],
    "ones": [lambda n: norch.ones(n, n), lambda n: m.new_ones(n, n)],
    "pixel_shuffle": [lambda n: norch.pixel_shuffle(image, n)],
    "pixel_unshuffle": [lambda n: norch.pixel_unshuffle(image, n)],
    "polygamma": [lambda n: norch.polygamma(n, x), lambda n: norch.polygamma(10**6, x),
                  lambda n: norch.polygamma(5000, -x / 3)],
    "rand": [lambda n: norch.rand(n, n)], "randn": [lambda n: norch.randn(n, n)],
    "randint": [lambda n: norch.randint(0, 5, (n, n)), lambda n: norch.randint(n, (2,)),
                lambda n: norch.randint(0, n, (2,))],
    "randint_like": [lambda n: norch.randint_like(x, n)],
    "randperm": [lambda n: norch.randperm(n * 100)],
    "repeat": [lambda n: x.repeat(n, n)],
    "tile": [lambda n: norch.tile(x, (n, n))],
    "repeat_interleave": [lambda n: norch.repeat_interleave(x, n * 1000),
                          lambda n: norch.repeat_interleave(x, norch.tensor([n]).repeat(5)),
                          lambda n: norch.repeat_interleave(x, count, output_size=n)],
    "reshape": [lambda n: norch.reshape(x, (n, -1)), lambda n: norch.ones(0).reshape(n, 0)],
    "rms_norm": [lambda n: norch.rms_norm(m, (n,))], "roll": [lambda n: norch.roll(x, n)],
    "rot90": [lambda n: norch.rot90(m, n)], "round": [lambda n: norch.round(x, decimals=n)],
    "select": [lambda n: norch.select(x, 0, n), lambda n: x[n]],
    "select_scatter": [lambda n: norch.select_scatter(m, x, 0, n)],
    "slice_scatter": [lambda n: norch.slice_scatter(m, m, 0, n), lambda n: x[n:], lambda n: x[::n]],
    "split": [lambda n: norch.split(x, n), lambda n: norch.split(x, [n, n])],
    "split_with_sizes": [lambda n: norch.split_with_sizes(x, [n])],
    "tensor_split": [lambda n: norch.tensor_split(x, n), lambda n: norch.tensor_split(x, (n, n))],
    "topk": [lambda n: norch.topk(x, n)],
    "tril": [lambda n: norch.tril(m, n)], "triu": [lambda n: norch.triu(m, n)],
    "tril_indices": [lambda n: norch.tril_indices(n, n), lambda n: norch.tril_indices(3, 3, n),
                     lambda n: norch.tril_indices(n, 0), lambda n: norch.tril_indices(0, n)],
    "triu_indices": [lambda n: norch.triu_indices(n, n), lambda n: norch.triu_indices(3, 3, n),
                     lambda n: norch.triu_indices(0, n), lambda n: norch.triu_indices(n, 3, 5)],
    "unflatten": [lambda n: norch.unflatten(x, 0, (n, -1))],
    "unfold": [lambda n: x.unfold(0, n, 1), lambda n: x.unfold(0, 1, n)],
    "unravel_index": [lambda n: norch.unravel_index(count, (n, n))],
    "vander": [lambda n: norch.vander(x, n), lambda n: norch.vander(b, n)],
    "vsplit": [lambda n: norch.vsplit(m, n)],
    "zeros": [lambda n: norch.zeros(n, n), lambda n: m.new_zeros(n, n)],
    "cartesian_prod": [lambda n: norch.cartesian_prod(*[norch.ones(10**4)] * 4)],
    "meshgrid": [lambda n: norch.meshgrid(*[norch.ones(10**5)] * 4)],
    "outer": [lambda n: norch.outer(norch.ones(10**6), norch.ones(10**6))],
    "kron": [lambda n: norch.kron(norch.ones(10**6), norch.ones(10**6))],
    "cdist": [lambda n: norch.cdist(norch.ones(10**6, 1), norch.ones(10**6, 1))],
    "conv2d": [lambda n: norch.conv2d(image, w2, None, n), lambda n: F.conv2d(image, w2, padding=n),
               lambda n: F.conv2d(image, w2, dilation=n), lambda n: F.conv2d(image, w2, groups=n)],
    "conv1d": [lambda n: norch.conv1d(line, w1, padding=n), lambda n: F.conv1d(line, w1, None, n)],
    "conv3d": [lambda n: norch.conv3d(volume, w3, padding=n)],
    "conv_transpose1d": [lambda n: F.conv_transpose1d(line, w1, stride=n),
                         lambda n: F.conv_transpose1d(line, w1, output_padding=n)],
    "conv_transpose2d": [lambda n: F.conv_transpose2d(image, w2, stride=n),
                         lambda n: F.conv_transpose2d(image, w2, padding=n),
                         lambda n: F.conv_transpose2d(image, w2, dilation=n),
                         lambda n: F.conv_transpose2d(image, w2, groups=n)],
    "conv_transpose3d": [lambda n: F.conv_transpose3d(volume, w3, stride=n)],
    "embedding": [lambda n: F.embedding(count, m, padding_idx=n)],
    "cross_entropy": [lambda n: F.cross_entropy(m, norch.tensor([n] * 4))],
    "max_pool2d": [lambda n: F.max_pool2d(image, n), lambda n: F.max_pool2d(image, 2, n),
                   lambda n: F.max_pool2d(image, 2, 2, n),
                   lambda n: F.max_pool2d(image, 2, 2, 0, n)],
    "max_pool3d": [lambda n: F.max_pool3d(volume, n), lambda n: F.max_pool3d(volume, 2, n)],
    "avg_pool1d": [lambda n: F.avg_pool1d(line, n), lambda n: F.avg_pool1d(line, 2, 1, n)],
    "avg_pool2d": [lambda n: F.avg_pool2d(image, n), lambda n: F.avg_pool2d(image, 2, n),
                   lambda n: F.avg_pool2d(image, 2, 2, n)],
    "avg_pool3d": [lambda n: F.avg_pool3d(volume, n)],
    "adaptive_avg_pool2d": [lambda n: F.adaptive_avg_pool2d(image, n)],
    "adaptive_avg_pool3d": [lambda n: F.adaptive_avg_pool3d(volume, n)],
    "adaptive_max_pool1d": [lambda n: F.adaptive_max_pool1d(line, n)],
    "adaptive_max_pool2d": [lambda n: F.adaptive_max_pool2d(image, n)],
    "adaptive_max_pool3d": [lambda n: F.adaptive_max_pool3d(volume, n)],
    "affine_grid": [lambda n: F.affine_grid(norch.ones(1, 2, 3), (1, 1, n, n), False)],
    "ctc_loss": [lambda n: F.ctc_loss(norch.ones(2, 1, 3).log_softmax(2), norch.ones(1, 1).long(),
                                      [n], [1])],
    "fold": [lambda n: F.fold(norch.ones(1, 8, 4), (n, n), 2),
             lambda n: F.fold(norch.ones(1, 8, 4), (4, 4), n)],
    "unfold (images)": [lambda n: F.unfold(image, n), lambda n: F.unfold(image, 2, padding=n),
                        lambda n: F.unfold(image, 2, stride=n)],
    "interpolate": [lambda n: F.interpolate(image, size=(n, n)),
                    lambda n: F.interpolate(image, scale_factor=n),
                    lambda n: F.interpolate(image, size=n, mode="bicubic"),
                    lambda n: F.interpolate(line, size=n, mode="linear"),
                    lambda n: F.interpolate(image, size=n, mode="bilinear", antialias=True),
                    lambda n: F.interpolate(image, scale_factor=1 / n, mode="bilinear")],
    "local_response_norm": [lambda n: F.local_response_norm(image, n)],
    "lp_pool2d": [lambda n: F.lp_pool2d(image, 2, n)],
    "lp_pool1d": [lambda n: F.lp_pool1d(line, 2, n)],
    "lp_pool3d": [lambda n: F.lp_pool3d(volume, 2, n)],
    "max_unpool1d": [lambda n: F.max_unpool1d(line, line.long(), 2, output_size=(n,))],
    "max_unpool2d": [lambda n: F.max_unpool2d(image, image.long(), n)],
    "max_unpool3d": [lambda n: F.max_unpool3d(volume, volume.long(), n)],
    "pad": [lambda n: F.pad(x, (n, n)), lambda n: F.pad(image, (n, 0), mode="reflect"),
            lambda n: F.pad(image, (n, 0), mode="circular"),
            lambda n: F.pad(image, (0, n), mode="replicate")],
    "upsample": [lambda n: F.upsample(image, n)],
    "Embedding": [lambda n: nn.Embedding(n, n)], "Linear": [lambda n: nn.Linear(n, n)],
    "LSTM": [lambda n: nn.LSTM(n, n), lambda n: nn.LSTM(3, 3, num_layers=1).double()],
    "Conv2d": [lambda n: nn.Conv2d(n, n, 3)],
    "FloatTensor": [lambda n: norch.FloatTensor(n, n)],
}  # fmt: skip

SIZES = {  # the parameters that say how large or how many, in any function's signature
    "size", "sizes", "shape", "n", "N", "m", "r", "repeats", "num_classes", "bins", "minlength",
    "steps", "k", "output_size", "num_samples", "kernel_size", "padding", "upscale_factor",
    "downscale_factor", "groups", "chunks", "split_size_or_sections", "indices_or_sections",
    "row", "col", "length", "normalized_shape", "num_groups", "decimals",
}  # fmt: skip
ALIASES = {"max_pool1d_with_indices", "nn", "upsample_bilinear", "upsample_nearest"}


def sized_functions():
    """Return the names of the public functions with such a parameter."""
    for module in (norch, F, linalg):
        for name, function in vars(module).items():
            if inspect.isfunction(function) and not name.startswith("_"):
                given = set(inspect.signature(function).parameters)
                if given & SIZES and not name.endswith("_with_indices") and name not in ALIASES:
                    yield name


def test_every_function_with_a_size_is_in_the_table():
    assert sorted(set(sized_functions()) - set(CALLS)) == []


def run(name, number, call, monster):
    """Call once and print what came of it; SIGPROF ends what takes too long."""
    print(f"{name}[{number}]({monster}) ", end="", flush=True)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        call(monster)
        verdict = "answered"
    except Exception as error:  # noqa: BLE001: which one it is, is what is looked at
        kind = f"{type(error).__name__}: {error}".splitlines()[0]
        verdict = "refused" if str(error).startswith("[") else f"RAW {kind}"
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(verdict, flush=True)


def program(names):
    """Call the table."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for name in names:
        for number, call in enumerate(CALLS[name]):
            for monster in MONSTERS:
                run(name, number, call, monster)


@pytest.mark.parametrize("part", range(4))
def test_a_monstrous_size_is_answered_or_refused_at_once(part):
    command = [sys.executable, __file__, *list(CALLS)[part::4]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"ended in {lines[-1]}: {done.stderr[-500:]}"
    assert [line for line in lines if not line.endswith((" answered", " refused"))] == []


if __name__ == "__main__":
    program(sys.argv[1:])
