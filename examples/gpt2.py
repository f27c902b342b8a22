"""Train a small GPT-2 on Shakespeare, one character at a time: `python examples/gpt2.py`.

A decoder of pre-norm blocks with learned positions and tied embeddings, AdamW, warm-up and cosine;
then it writes, with a key-value cache, and says what the cache saves. Writes gpt2.safetensors.
`--parallel NAME` shares the training among processes: see gpt2_parallel.py.
"""

import argparse
import gzip
import math
import os
import sys
import time
from pathlib import Path

import mnist

import norch
from norch import nn, optim
from norch.nn import functional as F
from norch.utils.checkpoint import checkpoint

PARALLEL = ("none", "ddp", "zero1", "zero2", "zero3", "context", "tensor", "pipeline", "3d")


class Attention(nn.Module):
    """Each position looks back at itself and all before it, in several heads."""

    def __init__(self, width, heads, dropout):
        """Make the projections of queries, keys and values, and of what was gathered."""
        super().__init__()
        self.head_width, self.dropout = width // heads, dropout
        self.attend = F.scaled_dot_product_attention
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, cache=None):
        """Map (batch, time, width) to the same; `cache` holds the keys and values of the past."""
        batch, time_steps, _ = x.shape
        qkv = self.qkv(x).view(batch, time_steps, 3, -1, self.head_width)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)  # each (batch, heads, time, head width)
        if cache is not None:
            k, v = cache.extend(k, v)
        mixed = self.attend(
            q, k, v, dropout_p=self.dropout if self.training else 0.0, is_causal=time_steps > 1
        )
        return self.out(mixed.transpose(1, 2).reshape(batch, time_steps, -1))


class Block(nn.Module):
    """Look around, then think: attention and a perceptron, each added to what was there."""

    def __init__(self, width, heads, dropout):
        """Make the two halves and their norms."""
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(width), Attention(width, heads, dropout)
        self.norm2, self.expand = nn.LayerNorm(width), nn.Linear(width, 4 * width)
        self.shrink, self.drop = nn.Linear(4 * width, width), nn.Dropout(dropout)

    def forward(self, x, cache=None):
        """Map (batch, time, width) to the same."""
        x = x + self.drop(self.attention(self.norm1(x), cache))
        return x + self.drop(self.shrink(F.gelu(self.expand(self.norm2(x)), approximate="tanh")))


class GPT(nn.Module):
    """Characters in, scores of the next character out."""

    def __init__(self, vocabulary, context=64, width=128, layers=4, heads=4, dropout=0.1):
        """Make the model; the output layer shares the embedding's weight."""
        super().__init__()
        self.context, self.checkpointed = context, False
        self.characters = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(context, width)
        self.drop = nn.Dropout(dropout)
        self.blocks = nn.ModuleList([Block(width, heads, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.apply(self.draw)
        for name, parameter in self.named_parameters():
            if name.endswith(("out.weight", "shrink.weight")):  # as GPT-2: 2 sums a block
                nn.init.normal_(parameter, 0.0, 0.02 / math.sqrt(2 * layers))
        self.head.weight = self.characters.weight

    @staticmethod
    def draw(module):
        """Draw GPT-2's first values."""
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, 0.0, 0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, tokens, caches=None, past=0):
        """Map tokens (batch, time) to scores (batch, time, vocabulary)."""
        places = norch.arange(past, past + tokens.shape[1], device=tokens.device)
        x = self.drop(self.characters(tokens) + self.positions(places))
        for i, block in enumerate(self.blocks):
            if caches is None and self.checkpointed and self.training:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x, None if caches is None else caches[i])
        return self.head(self.norm(x))

    @norch.no_grad()
    def write(self, tokens, count, temperature=0.8, top_k=20, cached=True):
        """Continue `tokens` (1, time) by `count` characters; return them all."""
        self.eval()
        caches, past = None, 0
        for _ in range(count):
            if not cached:
                recent = tokens[:, -self.context :]
            elif caches is None or past >= self.context:  # begin anew with the latest half
                caches = [nn.utils.KVCache(self.context) for _ in self.blocks]
                past = 0
                recent = tokens[:, -(self.context // 2) :]
            else:
                recent = tokens[:, -1:]
            scores = self(recent, caches, past)[:, -1]
            past += recent.shape[1] if cached else 0
            chosen = nn.utils.sample_token(scores, temperature, top_k)
            tokens = norch.cat([tokens, chosen], dim=1)
        return tokens


class Text:
    """The text as numbers, one a kind of character; the last tenth is kept for validation."""

    def __init__(self, text, device):
        """Number the characters in alphabetical order."""
        self.letters = sorted(set(text))
        self.number = {letter: i for i, letter in enumerate(self.letters)}
        numbers = norch.tensor([self.number[letter] for letter in text]).to(device)
        border = len(text) * 9 // 10
        self.train, self.validation = numbers[:border], numbers[border:]

    def encode(self, text):
        """Return (1, time) numbers."""
        return norch.tensor([[self.number[letter] for letter in text]]).to(self.train.device)

    def decode(self, tokens):
        """Return the text of a row of numbers."""
        return "".join(self.letters[i] for i in tokens.tolist())

    @staticmethod
    def batch(numbers, size, context, dice=None):
        """Cut `size` random pieces: what is read, and what follows each character of it."""
        starts = norch.randint(0, len(numbers) - context, (size, 1), generator=dice)
        starts = starts.to(numbers.device)
        pieces = numbers[starts + norch.arange(context + 1, device=numbers.device)]
        return pieces[:, :-1], pieces[:, 1:]


def cross_entropy(scores, wanted):
    """Mean over all positions."""
    return F.cross_entropy(scores.reshape(-1, scores.shape[-1]), wanted.reshape(-1))


class Alone:
    """One process, with the whole model and the whole batch; gpt2_parallel.py has the others."""

    make_optimizer = optim.AdamW

    def __init__(self, model, name="none"):
        """Keep the model; `name` chooses among the ways of one class."""
        self.model = model

    def backward(self, seen, wanted):
        """Leave the gradients of one batch in the model; return its loss."""
        loss = cross_entropy(self.model(seen), wanted)
        loss.backward()
        return loss.item()

    def clip(self, most):
        """Make the norm of all gradients at most `most`."""
        nn.utils.clip_grad_norm_(self.model.parameters(), most)


@norch.no_grad()
def evaluate(model, text, args, batches=10):
    """Return the mean loss over some validation pieces."""
    model.eval()
    losses = []
    for _ in range(batches):
        seen, wanted = text.batch(text.validation, args.batch_size, model.context)
        losses.append(cross_entropy(model(seen), wanted).item())
    return sum(losses) / batches


def make_optimizer(way, lr, steps):
    """Return AdamW, which shrinks matrices alone, and its warm-up and cosine."""
    decayed = [p for p in way.model.parameters() if p.ndim > 1]
    kept = [p for p in way.model.parameters() if p.ndim == 1]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": kept, "weight_decay": 0.0}]
    optimizer = way.make_optimizer(groups, lr=lr, betas=(0.9, 0.99))
    warm = max(1, steps // 20)
    cosine = lambda step: 0.1 + 0.45 * (1 + math.cos(math.pi * step / steps))  # noqa: E731
    schedule = optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, cosine(step))
    )
    return optimizer, schedule


def train(way, seen, wanted, optimizer, schedule):
    """Learn from one batch; return its loss."""
    way.model.train()
    optimizer.zero_grad()
    loss = way.backward(seen, wanted)
    way.clip(1.0)
    optimizer.step()
    schedule.step()
    return loss


def fit(way, text, args, is_speaker=True):
    """Train `args.steps` steps; print the loss ten times; return the loss of every step."""
    optimizer, schedule = make_optimizer(way, args.lr, args.steps)
    dice = norch.Generator().manual_seed(args.seed)  # the same batches on every rank
    start, losses, told = time.perf_counter(), [], 0
    for step in range(1, args.steps + 1):
        seen, wanted = text.batch(text.train, args.batch_size, args.context, dice)
        losses.append(train(way, seen, wanted, optimizer, schedule))
        if step % max(1, args.steps // 10) == 0 and is_speaker:
            speed = step * args.batch_size * args.context / (time.perf_counter() - start)
            words = f"step {step}/{args.steps}: loss {sum(losses[told:]) / (step - told):.3f}, "
            if args.parallel == "none":
                words += f"validation {evaluate(way.model, text, args):.3f}, "
            print(f"{words}{speed:,.0f} characters/s", flush=True)
            told = step
    return losses


def show(model, text, args):
    """Write some text, then time writing with and without the cache."""
    prompt = text.encode(text.letters[0])  # a new line, in most texts
    print(text.decode(model.write(prompt, args.write)[0]))
    for cached in (True, False):
        start = time.perf_counter()
        model.write(prompt, model.context, cached=cached)
        speed = model.context / (time.perf_counter() - start)
        print(f"{'with' if cached else 'without'} the cache: {speed:,.0f} characters/s")


def read_text(path):
    """Return the text of `path`, or of tiny Shakespeare in `$NORCH_DATA`."""
    folder = Path(os.environ.get("NORCH_DATA", "."))
    path = path or folder / "tinyshakespeare" / "input.txt.gz"
    if not path.is_file():
        sys.exit(
            f"gpt2.py: no text at {path}: give --data FILE (any text, .gz or not), or set "
            "NORCH_DATA to a folder with tinyshakespeare/input.txt.gz"
        )
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def probability(text):
    """Read a number from 0 up to, but not including, 1."""
    value = float(text)
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to below 1, got {text}")
    return value


def arguments(words):
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train a small GPT-2 on characters.")
    parser.add_argument("--data", type=Path, help="a text file (default: tiny Shakespeare)")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--steps", type=mnist.above_zero(int), default=600)
    parser.add_argument("--batch-size", type=mnist.above_zero(int), default=32)
    parser.add_argument("--lr", type=mnist.above_zero(float), default=2e-3)
    parser.add_argument("--layers", type=mnist.above_zero(int), default=4)
    parser.add_argument("--width", type=mnist.above_zero(int), default=128)
    parser.add_argument("--heads", type=mnist.above_zero(int), default=4)
    parser.add_argument("--context", type=mnist.above_zero(int), default=64)
    parser.add_argument("--dropout", type=probability, default=0.1)
    parser.add_argument(
        "--write", type=mnist.zero_or_more, default=400, help="characters to write at the end"
    )
    parser.add_argument("--checkpoint", action="store_true", help="recompute blocks in backward")
    parser.add_argument("--start", type=Path, help="go on from the weights of an earlier run")
    parser.add_argument("--out", type=Path, default=Path("runs/gpt2"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--parallel",
        choices=PARALLEL,
        default="none",
        help="how processes share the training: see gpt2_parallel.py",
    )
    args = parser.parse_args(words)
    if args.width % args.heads:
        parser.error(f"--width {args.width} must be a multiple of --heads {args.heads}")
    return args


def make_model(text, args):
    """Return the model, with the first values of the seed or those of an earlier run."""
    norch.manual_seed(args.seed)
    sizes = (args.context, args.width, args.layers, args.heads, args.dropout)
    model = GPT(len(text.letters), *sizes)
    if args.start:
        model.load_state_dict(norch.load(args.start))
    model.checkpointed = args.checkpoint
    return model.to(args.device)


def whole(way, text, args):
    """Return the model whole again: by way of a checkpoint that all ranks write and one reads."""
    if args.parallel == "none":
        return way.model
    from norch import distributed as dist
    from norch.distributed import checkpoint as sharded

    folder = args.out / "checkpoint"
    sharded.save({"model": way.model}, checkpoint_id=folder)
    if dist.get_rank() != 0:
        return None
    model = make_model(text, args)
    sharded.load({"model": model}, checkpoint_id=folder)
    print(f"validation {evaluate(model, text, args):.3f}")
    return model


def main(words=None):
    """Train, save, write; return the loss of every step."""
    args = arguments(words)
    make_way, is_speaker = Alone, True
    if args.parallel != "none":
        import gpt2_parallel

        make_way, is_speaker = gpt2_parallel.start(args)
    text = Text(read_text(args.data), args.device)
    model = make_model(text, args)
    if is_speaker:
        count = sum(p.numel() for p in model.parameters())
        print(f"{len(text.train):,} characters of {len(text.letters)} kinds; {count:,} parameters")
    way = make_way(model, args.parallel)
    losses = fit(way, text, args, is_speaker)
    args.out.mkdir(parents=True, exist_ok=True)
    model = whole(way, text, args)
    if model is not None:
        norch.save(model.state_dict(), args.out / "gpt2.safetensors")
        show(model, text, args)
    return losses


if __name__ == "__main__":
    main()
