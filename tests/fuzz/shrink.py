"""Makes a failing call smaller while it fails in the same way, and writes it as a few lines.

Every step replaces one thing by something plainer: a layout, a dtype, a size, the numbers, an
argument. A step is tried in this process, or, of calls that end their process, in one of its own.
"""

import math
import re
from dataclasses import replace

from fuzz.batch import Ending, deadly, forked
from fuzz.generate import NAMES

TRIES = 400
ROUND = (0.0, 1.0, 2.0, -1.0)


def shrunk(call, finding, judge):
    """Return the plainest call found that has a finding of the same kind and name."""
    deadly_kind = finding.kind in ("crash", "hang", "memory", "slow")
    attempt = in_child if deadly_kind else outcome_here
    budget = 12 if finding.kind in ("hang", "slow") else 60 if deadly_kind else TRIES
    best, seen, progress = call, finding, True
    while progress and budget > 0:
        progress = False
        for candidate in plainer(best):
            budget -= 1
            found = attempt(candidate, judge)
            if found and (found.kind, found.name) == (finding.kind, finding.name):
                best, seen, progress = candidate, found, True
                break
            if budget <= 0:
                break
    return best, seen


def outcome_here(call, judge):
    """Return the finding of a call, None too where the fuzzer itself fails on it."""
    try:
        found = judge.findings(call)[1]
    except Exception:
        return None
    return found if found and not judge.explain(call, found) else None


def in_child(call, judge):
    """Return the finding of a call that may end its process."""

    def work(progress):
        yield "found", judge.findings(call, lambda: progress.now(0, side=1))[1]

    found = None
    for kind, *message in forked(work, judge.patience / 2):
        if kind == "found":
            found = message[0]
        elif message[0]:
            found = deadly(call, Ending(*message))
    return found


def plainer(call):
    """Yield calls that are one step plainer."""
    for i in range(1, len(call.arguments) + 1):
        if len(call.arguments) > 1:
            yield replace(call, arguments=call.arguments[:-i] or call.arguments[:1])
    used = [name for name in NAMES if re.search(rf"\b{name}\b", call.text)]
    for i, recipe in enumerate(call.recipes):
        if NAMES[i] in used:
            for other in plainer_recipes(recipe):
                yield call.with_recipe(i, other)
    if used:
        for size in {n for recipe in call.recipes for n in recipe.shape}:
            for less in (1, 2, 3):
                if less < size:
                    yield resize_call(call, size, less)


def plainer_recipes(recipe):
    """Yield recipes of one tensor that are one step plainer."""
    if recipe.grad:
        yield replace(recipe, grad=False)
    if recipe.layout != "plain":
        yield recipe.plain()
        yield replace(recipe, layout="plain")
    if recipe.dtype not in ("float32", "int64", "bool"):
        yield replace(recipe, dtype="float32" if "float" in recipe.dtype else "int64")
    if len(recipe.shape) > 1:
        yield replace(recipe, shape=recipe.shape[1:])
    for i, size in enumerate(recipe.shape):
        for less in {1, 2, size // 2}:
            if 0 < less < size:
                yield replace(recipe, shape=(*recipe.shape[:i], less, *recipe.shape[i + 1 :]))
    if recipe.pattern != (1.0,):
        yield replace(recipe, pattern=(1.0,))
    size = recipe.strided()[2]
    if len(recipe.pattern) > size:
        yield replace(recipe, pattern=recipe.pattern[:size])
    for i, number in enumerate(recipe.pattern[:8]):
        if number not in ROUND or math.isnan(number):
            for plain in (1.0, 0.0):
                pattern = (*recipe.pattern[:i], plain, *recipe.pattern[i + 1 :])
                yield replace(recipe, pattern=pattern)


def resize_call(call, size, less):
    """Return a call in which every dimension of one size has another."""
    shapes = [tuple(less if n == size else n for n in r.shape) for r in call.recipes]
    changed = [replace(r, shape=s) for r, s in zip(call.recipes, shapes, strict=True)]
    return replace(call, recipes=tuple(changed))


HELPERS = {
    "math.": "import math",
    "filled(": "filled = lambda module: module  # any weights",
}


def program(call):
    """Return the lines that show a failure without the fuzzer."""
    text = re.sub(r"(?<![\w.])t\.", "norch.", call.text)
    text = re.sub(r"(?<![\w.])F\.", "norch.nn.functional.", text)
    text = re.sub(r"(?<![\w.])nn\.", "norch.nn.", text)
    lines = ["import norch"] + [line for word, line in HELPERS.items() if word in text]
    for name, recipe in zip(NAMES, call.recipes, strict=False):
        if re.search(rf"\b{name}\b", text):
            lines.append(f"{name} = {recipe.source()}")
    if made := re.match(r"(compiled|rounded_linear|stepped|scheduled)\(", text):
        lines.append(f"{made[1]} = functools.partial(fuzz.helpers.{made[1]}, norch)  # tests/fuzz")
    asks = any(".requires_grad_()" in line for line in lines)
    lines.append(f"out = {text}" if asks else text)
    if asks:
        lines.append("out.sum().backward()")
    return "\n".join(lines)
