"""Digits as a network read them, for the page that trains one; the benchmark, for "Going faster".

They are drawn from what a reader has trained and from the recorded `results.md`. Needs nothing but
the SVG writer.
"""

import re
from math import log10
from statistics import median

from figures.svg import Figure, colour

LEFT = 14
LOW, HIGH = (
    0.05,
    2.0,
)  # the ratios that the benchmark's picture shows; beyond them a row stands at the edge


def digits(shown: list[dict]) -> Figure:
    """Draw test digits in two rows, each below what the network takes it for."""
    size, gap, half = 1.7, 8, (len(shown) + 1) // 2
    step = 28 * size + gap
    guesses = [one["scores"].index(max(one["scores"])) for one in shown]
    wrong = sum(guess != one["label"] for guess, one in zip(guesses, shown, strict=True))
    alt = f"{len(shown)} test digits, read as {', '.join(map(str, guesses))}; {wrong} of them wrong"
    figure = Figure(2 * LEFT + step * half, 160, alt)
    for number, (one, guess) in enumerate(zip(shown, guesses, strict=True)):
        left, top = LEFT + step * (number % half), 80 * (number // half)
        right = guess == one["label"]
        words = str(guess) if right else f"{guess}, not {one['label']}"
        figure.text(left + 14 * size, top + 18, words, 16, weight="normal" if right else "bold")
        for k, darkness in enumerate(one["pixels"]):
            if darkness:
                x, y = left + size * (k % 28), top + 24 + size * (k // 28)
                figure.pixel(x, y, size, darkness / 255)
    return figure


def rows(results: str, threads: str) -> list[dict[str, str]]:
    """Return the rows of one table of `results.md`, as a dictionary each."""
    table = re.search(rf"^## {threads}\n+((?:\|.*\n)+)", results, re.MULTILINE).group(1)
    head, _, *lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
    ]
    return [dict(zip(head, line, strict=True)) for line in lines]


def ratios(found: list[dict[str, str]]) -> list[float]:
    """Return the ratios norch over PyTorch, of the rows that have both times."""
    timed = re.compile(r"[\d.]+ (ns|us|ms|s)")
    both = [row for row in found if timed.fullmatch(row["norch"]) and timed.fullmatch(row["torch"])]
    return [float(row["ratio"]) for row in both]


def benchmark(values: list[float]) -> Figure:
    """Draw every row as a dot: how long norch takes, PyTorch being 1."""
    faster = sum(one < 1 for one in values)
    alt = (
        f"the time of norch over that of PyTorch in {len(values)} rows of the benchmark: "
        f"below 1, where norch is faster, in {faster}; the median is {median(values):.2f}"
    )
    wide, left, bins, dot = 400, 24, 40, 9
    piles: dict[int, int] = {}
    places = []
    for one in sorted(values):
        share = log10(min(max(one, LOW), HIGH * 0.999) / LOW) / log10(HIGH / LOW)
        pile = int(bins * share)
        piles[pile] = piles.get(pile, 0) + 1
        places.append((left + (pile + 0.5) * wide / bins, piles[pile]))
    base = 52 + dot * max(piles.values())
    figure = Figure(wide + 2 * left, base + 50, alt)
    figure.text(left, 20, "faster than PyTorch", 14, anchor="start")
    border = left + wide * log10(1 / LOW) / log10(HIGH / LOW)
    figure.text(border + 8, 20, "slower", 14, anchor="start")
    figure.line([(border, 8), (border, base)], "ink", 1.4)
    figure.line([(left, base), (left + wide, base)], "line", 1)
    for x, height in places:
        fill = "c2" if x < border else "c4"
        style = f"fill:{colour(fill)};stroke:{colour('line')}"
        y = base - dot * (height - 0.5)
        figure.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" style="{style}"/>')
    for mark in (0.05, 0.1, 0.2, 0.5, 1, 2):
        x = left + wide * log10(mark / LOW) / log10(HIGH / LOW)
        figure.text(x, base + 18, f"{mark:g}", 13, "soft")
    figure.text(
        left, base + 40, "time of norch / time of PyTorch, one thread", 14, "soft", anchor="start"
    )
    return figure
