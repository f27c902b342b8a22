"""Layers forward and backward: norms, softmax, cross-entropy, pooling, a GPT block, an LSTM; and
Linear with weights of int8, forward.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from benchmarks.workload import (
    Arrays,
    Inputs,
    Work,
    Workload,
    in_both_memories,
    leaf,
    normal,
    normal_array,
    set_parameters,
    with_gradients,
)

FLOATS = 4.0


def module_work(lib: Any, module: Any, given: Inputs) -> Work:
    """Return a module's work forward and backward, parameters included."""
    set_parameters(lib, module)
    x, dy = leaf(given["x"]), given["dy"]
    return with_gradients(lambda: module(x), dy, [x, *module.parameters()])


def layer_norm(lib: Any, given: Inputs) -> Work:
    """LayerNorm over the last dimension."""
    return module_work(lib, lib.nn.LayerNorm(given["x"].shape[-1]), given)


def batch_norm(lib: Any, given: Inputs) -> Work:
    """BatchNorm2d while training."""
    return module_work(lib, lib.nn.BatchNorm2d(given["x"].shape[1]), given)


def max_pool(lib: Any, given: Inputs) -> Work:
    """MaxPool2d by two."""
    return module_work(lib, lib.nn.MaxPool2d(2), given)


def softmax(lib: Any, given: Inputs) -> Work:
    """Softmax over the last dimension."""
    x, dy = leaf(given["x"]), given["dy"]
    return with_gradients(lambda: lib.softmax(x, -1), dy, [x])


def cross_entropy(lib: Any, given: Inputs) -> Work:
    """Mean cross-entropy of logits against class numbers."""
    x, target = leaf(given["x"]), given["target"]
    function = lib.nn.functional.cross_entropy
    return with_gradients(lambda: function(x, target), None, [x])


def draw_classes(rng: np.random.Generator) -> Arrays:
    """Draw logits (4096, 1024) and their classes."""
    x = normal_array(rng, (4096, 1024))
    return {"x": x, "target": rng.integers(0, 1024, 4096)}


def gpt_block(lib: Any, given: Inputs) -> Work:
    """One transformer block as in GPT-2: attention and a four times wider MLP, both residual."""
    nn, width, heads = lib.nn, given["x"].shape[-1], 8
    parts = nn.ModuleList(
        [
            nn.LayerNorm(width),
            nn.Linear(width, 3 * width),
            nn.Linear(width, width),
            nn.LayerNorm(width),
            nn.Linear(width, 4 * width),
            nn.Linear(4 * width, width),
        ]
    )
    set_parameters(lib, parts)
    norm1, qkv, join, norm2, wide, narrow = parts
    x, dy = leaf(given["x"]), given["dy"]
    batch, time, _ = given["x"].shape

    def forward() -> Any:
        split = qkv(norm1(x)).view(batch, time, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        query, key, value = split[0], split[1], split[2]
        attended = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        h = x + join(attended.transpose(1, 2).reshape(batch, time, width))
        return h + narrow(nn.functional.gelu(wide(norm2(h))))

    return with_gradients(forward, dy, [x, *parts.parameters()])


def lstm(lib: Any, given: Inputs) -> Work:
    """One LSTM layer over 64 steps."""
    module = set_parameters(lib, lib.nn.LSTM(128, 256))
    x, dy = leaf(given["x"]), given["dy"]
    return with_gradients(lambda: module(x)[0], dy, [x, *module.parameters()])


def int8_linear(lib: Any, given: Inputs) -> Work:
    """Linear(1024, 4096) as quantize_dynamic makes it."""
    model = set_parameters(lib, lib.nn.Sequential(lib.nn.Linear(1024, 4096)))
    model = lib.ao.quantization.quantize_dynamic(model, {lib.nn.Linear}, dtype=lib.qint8)
    x = given["x"]

    def work() -> Any:
        with lib.no_grad():
            return model(x)

    return work


def row(name: str, x: tuple[int, ...], build: Any, gates: tuple[Any, Any], **more: Any) -> Workload:
    """Return a row of the group; `more` may give inputs, the shape of y, bytes and flops."""
    inputs = more.pop("inputs", None) or normal(x=x, dy=more.pop("y", x))
    sizes = ",".join(map(str, x))
    return Workload(f"{name} ({sizes})", "layers", inputs, build, *gates, **more)


NORM_SHAPE, IMAGES, LOGITS = (4096, 768), (64, 64, 28, 28), (4096, 1024)
LAYER_NORM = row(
    "LayerNorm", NORM_SHAPE, layer_norm, (0.72, 0.65), bytes=5 * FLOATS * prod(NORM_SHAPE)
)
BATCH_NORM = row("BatchNorm2d", IMAGES, batch_norm, (0.44, 0.40), bytes=5 * FLOATS * prod(IMAGES))
SOFTMAX = row("softmax", LOGITS, softmax, (0.75, 0.60), bytes=5 * FLOATS * prod(LOGITS))
CROSS_ENTROPY = row(
    "cross-entropy",
    LOGITS,
    cross_entropy,
    (0.30, 0.20),
    inputs=draw_classes,
    bytes=3 * FLOATS * prod(LOGITS),
)

ROWS = (
    *in_both_memories(LAYER_NORM),
    *in_both_memories(BATCH_NORM),
    *in_both_memories(SOFTMAX),
    *in_both_memories(CROSS_ENTROPY),
    row(
        "MaxPool2d",
        (64, 64, 24, 24),
        max_pool,
        (0.50, 0.20),
        y=(64, 64, 12, 12),
        bytes=2.5 * FLOATS * 64 * 64 * 24 * 24,
    ),
    row(
        "GPT block",
        (4, 256, 256),
        gpt_block,
        (0.85, 0.75),
        scaling=1.7,
        flops=3 * 4 * 256 * (24.0 * 256 * 256 + 4.0 * 256 * 256),
    ),
    row(
        "LSTM 128->256",
        (64, 32, 128),
        lstm,
        (0.95, 0.90),
        scaling=1.7,
        y=(64, 32, 256),
        flops=3 * 64 * 32 * 8.0 * 256 * (128 + 256),
    ),
    # Each library rounds in its own way, so the values differ by what rounding costs.
    *(
        row(
            "int8 Linear 1024->4096",
            (rows, 1024),
            int8_linear,
            gates,
            flops=2.0 * rows * 1024 * 4096,
            operations="int8",
            scaling=1.7 if rows > 1 else 1.0,
            tolerance=0.03,
        )
        for rows, gates in ((1, (1.0, 0.80)), (16, (1.0, 0.90)), (256, (1.0, 0.90)))
    ),
)
