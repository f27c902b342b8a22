"""Small operations as users write them, for norch and for PyTorch; `calls.py` counts and times.

Each group is a function of the library; it returns, by the text of a row, what the row calls. The
tensors are so small that a row costs what its calls cost; `a`, `b` and parameters want gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, repeat
from typing import Any

Rows = dict[str, Callable[[], Any]]


def arithmetic(lib: Any) -> Rows:
    """Elementwise operations and products."""
    a, b = lib.ones(8, 8, requires_grad=True), lib.ones(8, 8, requires_grad=True)
    row, batch, mask = lib.ones(8), lib.ones(2, 8, 8), lib.ones(8, 8) > 0
    return {
        "a + b": lambda: a + b,
        "a + row": lambda: a + row,
        "a - 1": lambda: a - 1,
        "a * b": lambda: a * b,
        "a / b": lambda: a / b,
        "-a": lambda: -a,
        "a ** 2": lambda: a**2,
        "a @ b": lambda: a @ b,
        "a > 0": lambda: a > 0,
        "a.exp()": a.exp,
        "a.log()": a.log,
        "a.sqrt()": a.sqrt,
        "a.tanh()": a.tanh,
        "a.abs()": a.abs,
        "a.clamp(0, 1)": lambda: a.clamp(0, 1),
        "norch.where(mask, a, b)": lambda: lib.where(mask, a, b),
        "norch.maximum(a, b)": lambda: lib.maximum(a, b),
        "norch.bmm(batch, batch)": lambda: lib.bmm(batch, batch),
        "norch.outer(row, row)": lambda: lib.outer(row, row),
        "norch.addmm(a, a, b)": lambda: lib.addmm(a, a, b),
        "norch.einsum('ij,jk->ik', a, b)": lambda: lib.einsum("ij,jk->ik", a, b),
    }


def reading(lib: Any) -> Rows:
    """What a program asks of a tensor, and how it reads its numbers."""
    a, one = lib.ones(8, 8, requires_grad=True), lib.ones(())
    x = a.detach()
    return {
        "a.shape": lambda: a.shape,
        "a.size(0)": lambda: a.size(0),
        "a.dtype": lambda: a.dtype,
        "a.device": lambda: a.device,
        "a.numel()": a.numel,
        "a.dim()": a.dim,
        "len(a)": lambda: len(a),
        "a.is_contiguous()": a.is_contiguous,
        "one.item()": one.item,
        "float(one)": lambda: float(one),
        "x.tolist()": x.tolist,
        "x.numpy()": x.numpy,
        "a.detach()": a.detach,
    }


def reduction(lib: Any) -> Rows:
    """From many numbers to few."""
    a = lib.ones(8, 8, requires_grad=True)
    return {
        "a.sum()": a.sum,
        "a.sum(1)": lambda: a.sum(1),
        "a.mean()": a.mean,
        "a.mean(1)": lambda: a.mean(1),
        "a.max()": a.max,
        "a.max(1)": lambda: a.max(1),
        "a.argmax(1)": lambda: a.argmax(1),
        "a.var(1)": lambda: a.var(1),
        "a.norm()": a.norm,
        "a.cumsum(1)": lambda: a.cumsum(1),
        "a.logsumexp(1)": lambda: a.logsumexp(1),
        "a.topk(2)": lambda: a.topk(2),
        "a.sort()": a.sort,
    }


def shape(lib: Any) -> Rows:
    """Views, and what joins, cuts and copies."""
    a, b = lib.ones(8, 8, requires_grad=True), lib.ones(8, 8, requires_grad=True)
    cube, mask, index = lib.ones(2, 4, 8), lib.ones(8, 8) > 0, lib.tensor([0, 2])
    return {
        "a.view(64)": lambda: a.view(64),
        "a.reshape(4, 16)": lambda: a.reshape(4, 16),
        "a.transpose(0, 1)": lambda: a.transpose(0, 1),
        "a.T": lambda: a.T,
        "cube.permute(2, 0, 1)": lambda: cube.permute(2, 0, 1),
        "cube.flatten(1)": lambda: cube.flatten(1),
        "a.unsqueeze(0)": lambda: a.unsqueeze(0),
        "a.squeeze()": a.squeeze,
        "a.expand(2, 8, 8)": lambda: a.expand(2, 8, 8),
        "a.T.contiguous()": lambda: a.T.contiguous(),
        "a.chunk(2)": lambda: a.chunk(2),
        "a[0]": lambda: a[0],
        "a[:, 1:]": lambda: a[:, 1:],
        "a[index]": lambda: a[index],
        "a[a > 0]": lambda: a[a > 0],
        "a.index_select(0, index)": lambda: a.index_select(0, index),
        "a.masked_fill(mask, 0)": lambda: a.masked_fill(mask, 0),
        "a.tril()": a.tril,
        "a.repeat(2, 1)": lambda: a.repeat(2, 1),
        "a.flip(0)": lambda: a.flip(0),
        "norch.cat([a, b])": lambda: lib.cat([a, b]),
        "norch.stack([a, b])": lambda: lib.stack([a, b]),
    }


def creation(lib: Any) -> Rows:
    """New tensors."""
    a = lib.ones(8, 8, requires_grad=True)
    array, classes = a.detach().numpy(), lib.arange(8)
    return {
        "norch.tensor([1.0, 2.0])": lambda: lib.tensor([1.0, 2.0]),
        "norch.zeros(8, 8)": lambda: lib.zeros(8, 8),
        "norch.full((8, 8), 2.0)": lambda: lib.full((8, 8), 2.0),
        "norch.empty(8, 8)": lambda: lib.empty(8, 8),
        "norch.arange(8)": lambda: lib.arange(8),
        "norch.eye(8)": lambda: lib.eye(8),
        "norch.zeros_like(a)": lambda: lib.zeros_like(a),
        "norch.ones_like(a)": lambda: lib.ones_like(a),
        "norch.randn(8, 8)": lambda: lib.randn(8, 8),
        "norch.rand(8, 8)": lambda: lib.rand(8, 8),
        "norch.randint(9, (8, 8))": lambda: lib.randint(9, (8, 8)),
        "norch.from_numpy(array)": lambda: lib.from_numpy(array),
        "a.clone()": a.clone,
        "a.double()": a.double,
        "F.one_hot(classes, 8)": lambda: lib.nn.functional.one_hot(classes, 8),
    }


def editing(lib: Any) -> Rows:
    """In place, on tensors that nobody records."""
    x, y = lib.zeros(8, 8), lib.zeros(8, 8)
    return {
        "x.add_(y)": lambda: x.add_(y),
        "x.mul_(2)": lambda: x.mul_(2),
        "x.zero_()": x.zero_,
        "x.fill_(1)": lambda: x.fill_(1),
        "x.copy_(y)": lambda: x.copy_(y),
        "x[1:6] = 1.0": lambda: x.__setitem__(slice(1, 6), 1.0),
    }


def functions(lib: Any) -> Rows:
    """Functions of networks."""
    a, F = lib.ones(8, 8, requires_grad=True), lib.nn.functional
    classes, image, heads = lib.arange(8), lib.ones(1, 1, 8, 8), lib.ones(1, 2, 8, 4)
    return {
        "F.relu(a)": lambda: F.relu(a),
        "F.gelu(a)": lambda: F.gelu(a),
        "F.silu(a)": lambda: F.silu(a),
        "F.softmax(a, 1)": lambda: F.softmax(a, 1),
        "F.log_softmax(a, 1)": lambda: F.log_softmax(a, 1),
        "F.cross_entropy(a, classes)": lambda: F.cross_entropy(a, classes),
        "F.mse_loss(a, a)": lambda: F.mse_loss(a, a),
        "F.normalize(a)": lambda: F.normalize(a),
        "F.pad(image, (1, 1, 1, 1))": lambda: F.pad(image, (1, 1, 1, 1)),
        "F.scaled_dot_product_attention": lambda: F.scaled_dot_product_attention(
            heads, heads, heads
        ),
    }


def layers(lib: Any) -> Rows:
    """Modules, called."""
    a, nn, words = lib.ones(8, 8, requires_grad=True), lib.nn, lib.tensor([[1, 2]])
    image, signal = lib.ones(1, 1, 8, 8), lib.ones(1, 1, 8)
    linear, embedding, flatten = nn.Linear(8, 8), nn.Embedding(8, 8), nn.Flatten()
    conv, conv1d, transposed = nn.Conv2d(1, 1, 3), nn.Conv1d(1, 1, 3), nn.ConvTranspose2d(1, 1, 3)
    max_pool, avg_pool, adaptive = nn.MaxPool2d(2), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1)
    upsample, dropout = nn.Upsample(scale_factor=2), nn.Dropout(0.5)
    norm1d, norm2d, group = nn.BatchNorm1d(8), nn.BatchNorm2d(1), nn.GroupNorm(1, 1)
    norm, heads = nn.LayerNorm(8), nn.MultiheadAttention(8, 2)
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
    return {
        "nn.Linear": lambda: linear(a),
        "nn.Conv1d": lambda: conv1d(signal),
        "nn.Conv2d": lambda: conv(image),
        "nn.ConvTranspose2d": lambda: transposed(image),
        "nn.MaxPool2d": lambda: max_pool(image),
        "nn.AvgPool2d": lambda: avg_pool(image),
        "nn.AdaptiveAvgPool2d": lambda: adaptive(image),
        "nn.BatchNorm1d": lambda: norm1d(a),
        "nn.BatchNorm2d": lambda: norm2d(image),
        "nn.GroupNorm": lambda: group(image),
        "nn.LayerNorm": lambda: norm(a),
        "nn.Embedding": lambda: embedding(words),
        "nn.Dropout": lambda: dropout(a),
        "nn.Upsample": lambda: upsample(image),
        "nn.Flatten": lambda: flatten(image),
        "nn.MultiheadAttention": lambda: heads(a, a, a),
        "nn.Sequential of 3": lambda: model(a),
    }


def training(lib: Any) -> Rows:
    """The steps of a training loop around the layers, on a network of two."""
    nn, data = lib.nn, lib.utils.data
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
    sgd, adam = lib.optim.SGD(model.parameters(), lr=0.1), lib.optim.Adam(model.parameters())
    loader = data.DataLoader(data.TensorDataset(lib.ones(100, 8), lib.arange(100)), batch_size=4)
    batches, loss = chain.from_iterable(repeat(loader)), model(lib.ones(4, 8)).sum()
    saved = model.state_dict()
    return {
        "loss.backward()": lambda: loss.backward(retain_graph=True),
        "optim.SGD.step()": sgd.step,
        "optim.Adam.step()": adam.step,
        "optimizer.zero_grad()": sgd.zero_grad,
        "model.zero_grad()": model.zero_grad,
        "nn.utils.clip_grad_norm_": lambda: nn.utils.clip_grad_norm_(model.parameters(), 1.0),
        "list(model.parameters())": lambda: list(model.parameters()),
        "model.state_dict()": model.state_dict,
        "model.load_state_dict(saved)": lambda: model.load_state_dict(saved),
        "model.eval()": model.eval,
        "next(DataLoader)": lambda: next(batches),
    }


GROUPS = (
    *(arithmetic, reading, reduction, shape, creation),
    *(editing, functions, layers, training),
)
