"""A transformer's layers by formula: at one rate for all, or from its shapes on a `Processor`.

`transformer` needs one number, the operations a second that kernels have. `Architecture.on` counts
each kernel of a block instead, so that narrow layers, and layers that are cut, are slower.
"""

from __future__ import annotations

from typing import NamedTuple

from norch_ddp.simulate.compute import Compute, Layer, Seconds
from norch_ddp.simulate.kernels import Processor


def transformer(
    layers: int, width: int, context: int, vocabulary: int, operations: float, samples: int = 1
) -> Compute:
    """Return a transformer's compute in bfloat16 with Adam, at `operations` operations a second.

    A block has 12 width^2 parameters, computes 2 operations per parameter and token and
    4 context width per token for attention, twice as much in backward, and keeps
    34 bytes per token and unit of width, 10 of them on every tensor rank (Korthikanti et al.,
    "Reducing Activation Recomputation in Large Transformer Models", 2022, without the attention
    matrices, which FlashAttention does not keep).

    >>> gpt3 = transformer(96, 12288, 2048, 50257, operations=140e12)
    >>> round(gpt3.parameters / 1e9)
    175
    """
    tokens = samples * context
    output = 2 * tokens * width
    block = 2 * 12 * width**2 * tokens + 4 * tokens * context * width
    ends = 2 * vocabulary * width * tokens / operations
    found = [Layer("embedding", vocabulary * width, 0.0, 0.0, output, 0, 1)]
    found += [
        Layer(f"block {i}", 12 * width**2, block / operations, 2 * block / operations, output,
              34 * tokens * width, 2, 10 * tokens * width)
        for i in range(layers)
    ]  # fmt: skip
    found.append(Layer("head", 0, ends, 2 * ends, 0, 4 * tokens * vocabulary))
    return Compute(found, samples, context, itemsize=2, state=12)


class Architecture(NamedTuple):
    """The shapes of a decoder: h = `width`, a = `heads` of `head_dim`, s = `context` tokens.

    `inner` is the width inside the MLP, which is `gated` where two products go in; `kv_heads` are
    those of keys and values. With `fused` attention (FlashAttention) no s x s matrix is in memory,
    and only the causal half is computed. `sums` are a block's sums over tensor ranks each way: one
    where attention and MLP are side by side, as in PaLM.

    >>> LLAMA3_405B.parameters // 10**9
    405
    """

    layers: int
    width: int
    context: int
    vocabulary: int
    heads: int
    inner: int
    kv_heads: int
    head_dim: int
    gated: bool = False
    fused: bool = True
    sums: int = 2
    tied: bool = True

    @property
    def block(self) -> int:
        """Parameters of a block."""
        attention = 2 * self.width * self.head_dim * (self.heads + self.kv_heads)
        return attention + (2 + self.gated) * self.width * self.inner

    @property
    def parameters(self) -> int:
        """Parameters of the model."""
        return self.layers * self.block + (2 - self.tied) * self.vocabulary * self.width

    def operations(self, recompute: str = "none") -> float:
        """Return operations per token: 6 a parameter, and 12 s a head for each layer's attention.

        A causal half counts as half. With "full" recomputation forward counts twice: 4 / 3.
        """
        blocks = 6 * self.block + 12 * self.seen * self.heads * self.head_dim
        head = 6 * self.vocabulary * self.width
        return self.layers * blocks * (4 / 3 if recompute == "full" else 1) + head

    @property
    def seen(self) -> float:
        """How many positions a token's attention computes with, on average."""
        return self.context / 2 if self.fused else self.context

    def kept(self, tokens: int) -> tuple[int, int, int]:
        """Return the bytes that a block keeps, those whole on tensor ranks, and attention's.

        s b h (34 + 5 a s / h) where h is 4 times as wide inside and attention is not fused, of
        which 10 s b h are whole, and 5 a s^2 b attention's, which selective recomputation drops
        (Korthikanti et al., 2022, equations 1 and 2). A gated block has no dropout, whole 8 s b h,
        and computes the product of its gate again.
        """
        whole = tokens * (8 if self.gated else 10) * self.width
        core = 0 if self.fused else 5 * self.heads * self.context * tokens
        inside = 4 * self.head_dim * (self.heads + self.kv_heads) + 4 * self.inner
        return whole + tokens * inside + core, whole, core

    def on(self, processor: Processor, samples: int = 1) -> Compute:
        """Return the compute of `samples` samples in bfloat16 with Adam on such processors."""
        tokens = samples * self.context
        table, output = self.vocabulary * self.width, 2 * tokens * self.width
        block, head = BlockKernels(self, processor), HeadKernels(self, processor)
        once, end = (one.seconds(samples, 1, 1, False) for one in (block, head))
        kept, whole, core = self.kept(tokens)
        keys = 4 * tokens * self.kv_heads * self.head_dim
        found = [Layer("embedding", table, 0.0, 0.0, output, 0, 1)]
        found += [
            Layer(
                f"block {i}", self.block, once.forward, once.backward, output, kept, self.sums,
                whole, kept_core=core, keys=keys, kernels=block,
            )
            for i in range(self.layers)
        ]  # fmt: skip
        own, logits = 0 if self.tied else table, 4 * tokens * self.vocabulary
        found.append(Layer("head", own, end.forward, end.backward, 0, logits, kernels=head))
        update = 30 / processor.bandwidth  # of the optimizer: reads 16 bytes, writes 14
        compute = Compute(found, samples, self.context, itemsize=2, state=12, optimizer=update)
        return compute._replace(operations=self.operations(), peak=processor.peak)


class BlockKernels(NamedTuple):
    """A block's kernels on one rank: four products, attention, and sweeps that only move bytes."""

    shape: Architecture
    processor: Processor

    def seconds(self, samples: float, tensor: int, context: int, sequence: bool) -> Seconds:
        """Return the seconds of a rank: backward computes each product twice as often.

        Sweeps are two norms (8 bytes a number), two sums with dropout (14) and the activation (4
        bytes of each inner number): the first 22 are whole on each tensor rank but for `sequence`.
        """
        one, do = self.shape, self.processor
        tokens = samples * one.context / context
        queries = one.heads * one.head_dim / tensor
        pairs = max(1.0, one.kv_heads / tensor) * one.head_dim
        products = (
            do.matmul(tokens, queries + 2 * pairs, one.width)
            + do.matmul(tokens, one.width, queries)
            + do.matmul(tokens, (1 + one.gated) * one.inner / tensor, one.width)
            + do.matmul(tokens, one.width, one.inner / tensor)
        )
        whole = 22 * tokens * one.width / (tensor if sequence else 1)
        sweeps = do.sweep(whole) + do.sweep((4 + 2 * one.gated) * tokens * one.inner / tensor)
        core = self.attention(samples, tokens, tensor)
        back = 2.5 if one.fused else 2.0  # fused attention computes its matrix again
        return Seconds(products + sweeps + core, 2 * (products + sweeps) + back * core, core)

    def attention(self, samples: float, tokens: float, tensor: int) -> float:
        """Return the seconds of attention itself; unfused, its matrix is moved 9 bytes a number.

        Two bytes each for writing scores, reading them for softmax, writing, reading for dropout,
        and one for its mask, beside the two products.
        """
        one, do = self.shape, self.processor
        heads = one.heads / tensor
        if one.fused:
            work = 4 * tokens * one.seen * heads * one.head_dim
            return work / do.rate / do.attention + do.launch
        products = (
            2 * samples * heads * (do.matmul(one.context, one.context, one.head_dim) - do.launch)
        )
        return products + do.sweep(9 * samples * heads * one.context**2) + 2 * do.launch


class HeadKernels(NamedTuple):
    """The product with the vocabulary, and the loss, which reads and writes in float32."""

    shape: Architecture
    processor: Processor

    def seconds(self, samples: float, tensor: int, context: int, sequence: bool) -> Seconds:
        """Return the seconds of a rank, whose part is of the vocabulary, also with `sequence`."""
        tokens, words = samples * self.shape.context / context, self.shape.vocabulary / tensor
        product = self.processor.matmul(tokens, words, self.shape.width)
        loss = self.processor.sweep(12 * tokens * words)
        return Seconds(product + loss, 2 * product + loss)


def gpt(
    layers: int, width: int, heads: int, context: int = 2048, words: int = 51200
) -> Architecture:
    """Return a GPT as Megatron-LM had them in 2021: attention is not fused."""
    head = width // heads
    return Architecture(layers, width, context, words, heads, 4 * width, heads, head, fused=False)


LLAMA3_405B = Architecture(
    126, 16384, 8192, 128256, 128, 53248, 8, 128, gated=True, tied=False
)  # fmt: skip
PALM_540B = Architecture(
    118, 18432, 2048, 256000, 48, 73728, 1, 256, gated=True, fused=False, sums=1
)  # fmt: skip
