"""Train the GPT that chapter 7 looks into: `python -m lessons.gpt.train`, in the folder book.

It reads tiny Shakespeare (`NORCH_DATA`), keeps the last tenth of it aside, and writes
weights.safetensors beside this file, with the loss on what was kept aside, early and at the end,
and a sample of that.
Minutes of two cores; the file is committed, and a slow test trains the first steps again.
"""

from collections.abc import Callable
from copy import copy
from pathlib import Path

import norch
from lessons.gpt import model as trained
from lessons.shakespeare import Text, shakespeare
from norch import nn, optim
from norch.nn import functional as F

STEPS, BATCH, RATE, WARMUP = 12_000, 32, 3e-3, 200
KEPT_ASIDE = 0.1
EARLY = 400  # steps after which a test trains the GPT again and compares
PIECES = 200  # of the text that was kept aside: what the loss is measured on
SAMPLE = 4096  # characters of it that the file carries, for who has no text

Tell = Callable[[int, norch.Tensor], None]  # is told each step and its loss


def split(text: str) -> tuple[Text, Text]:
    """Return what is learned from and what is kept aside, numbered alike."""
    learned, border = Text(text), round(len(text) * (1 - KEPT_ASIDE))
    aside = copy(learned)
    learned.numbers, aside.numbers = learned.numbers[:border], learned.numbers[border:]
    return learned, aside


def cost(model: nn.Module, seen: norch.Tensor, wanted: norch.Tensor) -> norch.Tensor:
    """Return the mean loss of the next characters."""
    return F.cross_entropy(model(seen).flatten(0, 1), wanted.flatten())


@norch.no_grad()
def held_out_loss(model: nn.Module, text: Text) -> float:
    """Return the loss on pieces at even distances."""
    starts = norch.arange(PIECES)[:, None] * ((len(text) - model.context - 1) // PIECES)
    pieces = text.numbers[starts + norch.arange(model.context + 1)]
    return cost(model, pieces[:, :-1], pieces[:, 1:]).item()


@norch.no_grad()
def sample_loss(gpt: trained.Trained) -> float:
    """Return the loss on the sample that its file carries."""
    size = gpt.model.context + 1
    numbers = gpt.encode(gpt.told["sample"])[0]
    pieces = numbers[: len(numbers) // size * size].view(-1, size)
    return cost(gpt.model, pieces[:, :-1], pieces[:, 1:]).item()


def train(text: Text, steps: int, tell: Tell = lambda step, loss: None) -> nn.Module:
    """Return a GPT after some of the steps: the rate rises, then falls along a cosine."""
    norch.manual_seed(0)
    trained.classes()["GPT"](len(text.letters))  # the chapter's own: the file began behind it
    model = trained.untrained("".join(text.letters))
    optimizer = optim.AdamW(model.parameters(), lr=RATE)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, RATE, STEPS, pct_start=WARMUP / STEPS)
    dice = norch.Generator().manual_seed(0)
    for step in range(steps):
        loss = cost(model, *text.batch(BATCH, model.context, dice))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        tell(step, loss)
    return model


def main(path: Path = trained.WEIGHTS) -> None:
    """Train, write, and say how well it guesses."""
    learned, aside = split(shakespeare())

    def tell(step: int, loss: norch.Tensor) -> None:
        if step % 500 == 0:
            print(f"step {step:5}: {loss.item():.3f}", flush=True)

    found = train(learned, STEPS, tell)
    told = {"letters": "".join(learned.letters), "steps": str(STEPS)}
    told["sample"] = aside.decode(aside.numbers[:SAMPLE])
    told["early_loss"] = f"{held_out_loss(train(learned, EARLY), aside):.4f}"
    trained.save(found, path, **told)
    rounded = trained.load(path)
    losses = [held_out_loss(one, aside) for one in (found, rounded.model)]
    told |= {"loss": f"{losses[1]:.4f}", "sample_loss": f"{sample_loss(rounded):.4f}"}
    trained.save(found, path, **told)
    size = path.stat().st_size
    print(f"held out: {losses[0]:.4f}, with rounded weights {losses[1]:.4f}; {size:,} bytes")


if __name__ == "__main__":
    main()
