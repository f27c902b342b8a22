"""Runs one call on both sides and says what differs: values, dtypes, shapes, gradients, edits.

The other side is PyTorch, or norch itself on contiguous copies with the composite reference
gradients. A difference that PyTorch's own result in double precision shows to be rounding is none.
"""

import math
import re
import resource
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from compare import is_tensor, name_of

from fuzz.closeness import (
    EPS,
    array_of,
    close,
    difference,
    far,
    has_nan,
    nan_at,
    near_by_cancelling,
    no_number_in,
    roughest,
    shown,
)
from fuzz.generate import NAMES
from fuzz.laws import LAW, law_holds
from fuzz.rules import LINALG
from fuzz.side import Side

ULPS_OF_GRADIENT = 4
SHAKES, UNSTEADY = 3, 32  # tries, and times how far they move PyTorch's own result
SHAKES_OF_CHAINS = 12  # where a rounding decides between a number and nan
WORSE = 8  # how much farther from the exact result than PyTorch
ALLOWED = (TypeError, ValueError, RuntimeError, IndexError, ArithmeticError, MemoryError)
ALLOWED += (AttributeError, KeyError, AssertionError, StopIteration, BufferError)
MOVES = "PyTorch's own result moves as far when its inputs move by their rounding"
STORM = 512 * 2**20  # bytes by which a call may raise the most memory ever held
SLOW = 2.0  # seconds of processor time, where the other side needs a twentieth of it
MOST = 4_000_000  # elements of a result that are still compared


class Finding(NamedTuple):
    """One failure: what kind, of which operation, a detail to group by, and what was seen."""

    kind: str
    name: str
    detail: str
    seen: str

    @property
    def signature(self):
        return self.kind, self.name, self.detail


class Judge:
    """Compares norch with the other side; `other` is None where PyTorch is not installed."""

    def __init__(self, library, other, explain, storm=STORM, patience=8.0):
        self.storm, self.patience = storm, patience  # bytes; seconds that a call may last
        self.ours = Side(library)
        self.other = other
        self.theirs = Side(other, reference=True) if other else Side(library, plain=True)
        self.eager = Side(library, reference=True)
        self.explain = lambda *found: explain(*found, self)
        self.library, self.excuse = library, ""  # why the last call's differences are none

    def findings(self, call, now_theirs=lambda: None):
        """Return (what happened, finding or None) of one call; tell when norch's part is done."""
        before, self.excuse = [r.array() for r in call.recipes], ""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ours = self.ours.run(call)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak) * 1024
        now_theirs()
        theirs = self.reference(call)
        found = self.costs(call, ours, theirs, grown)
        if call.head.startswith("compiled"):
            found = found or self.compare(call, ours, self.eager.run(call), before)
            theirs = theirs if theirs.error is None else ours  # other calls ask who refuses
        found = found or self.compare(call, ours, theirs, before)
        happened = "returned" if ours.error is None else "refused"
        return happened, found

    def reference(self, call):
        """Return the other side's outcome; norch's own with the composite gradients."""
        theirs = self.theirs.run(call)
        if self.other or theirs.grads is None:
            return theirs
        with self.library.autograd.composite():
            composite = self.theirs.run(call)
        usual = all(abs(n) < 1e6 for r in call.recipes for n in r.pattern)  # no nan, either
        return theirs._replace(grads=composite.grads) if composite.grads and usual else theirs

    def costs(self, call, ours, theirs, grown):
        """Return a finding if the call took far more memory or time than its result is worth."""
        held = sum(8 * p.numel() for p in ours.parts if is_tensor(p))
        if grown > self.storm + 8 * held:
            return Finding("memory", call.name, "", f"{grown >> 20} MiB for {held >> 20} MiB")
        if ours.seconds > SLOW and ours.seconds > 20 * theirs.seconds:
            seen = f"{ours.seconds:.1f} s, the other side {theirs.seconds:.3f} s"
            return Finding("slow", call.name, "", seen)
        return None

    def compare(self, call, ours, theirs, before):
        """Return the first difference of two outcomes, or None."""
        if isinstance(ours.error, NameError):
            return None
        if ours.error is not None:
            alike = type(ours.error) is type(theirs.error)
            found = (None if alike else self.words(call, ours.error)) or self.untouched(
                call, ours, before
            )
            if found:
                return found
        if ours.error is not None or theirs.error is not None:
            return self.refusals(call, ours.error, theirs.error)
        found = self.results(call, ours, theirs)
        if found is None and (call.trains or self.excuse == LAW):
            return None
        return found or self.edits(call, ours, theirs) or self.slopes(call, ours, theirs)

    def words(self, call, error):
        """Return a finding if an error is of no class that a user may meet, or without a lesson."""
        kind = type(error).__name__
        inner = (AttributeError, KeyError, AssertionError, RecursionError, UnboundLocalError)
        lesson = str(error).strip("'\"").startswith("[")
        if not isinstance(error, ALLOWED) or (isinstance(error, inner) and not lesson):
            return Finding("words", call.name, kind, f"{kind}: {first(error)}")
        return None

    def untouched(self, call, ours, before):
        """Return a finding if a refused call changed an input, and no earlier call of its line."""
        if re.search(r"_\(.*\).*[.@<=>]", call.text):
            return None
        for name, tensor, old in zip(NAMES, ours.inputs, before, strict=False):
            if tuple(tensor.shape) != old.shape:
                return Finding("edit", call.name, "refused", f"{name} is now {tensor.shape}")
            new = array_of(tensor)
            if new.size <= MOST and not np.array_equal(new, old, equal_nan=old.dtype.kind == "f"):
                seen = f"refused ({ours.error}), but {name} changed: {shown(new)}"
                return Finding("edit", call.name, "refused", seen)
        return None

    def refusals(self, call, ours, theirs):
        """Return a finding if one side refused, or both with unlike classes of error."""
        if "module 'torch" in str(theirs) or isinstance(theirs, UnicodeError):
            return None  # norch alone has this name; PyTorch's message is broken
        if theirs is not None and ours is None:
            seen = f"accepted; refused by the other side: {type(theirs).__name__}: {first(theirs)}"
            return Finding("accepted", call.name, type(theirs).__name__, seen)
        kind = type(ours).__name__
        if theirs is None:
            return Finding("refused", call.name, kind, f"{kind}: {first(ours)}")
        expected = next(k for k in type(theirs).__mro__ if k.__module__ == "builtins")
        if isinstance(ours, expected) or not self.other or not call.valid:
            return None  # of several mistakes in one call, either may be told first
        seen = f"{kind}: {first(ours)}; the other side: {expected.__name__}: {first(theirs)}"
        return Finding("class", call.name, f"{kind} not {expected.__name__}", seen)

    def results(self, call, ours, theirs):
        """Return a finding if two results differ."""
        if len(ours.parts) != len(theirs.parts):
            seen = f"{len(ours.parts)} parts, expected {len(theirs.parts)}"
            return Finding("shape", call.name, "parts", seen)
        for i, (a, b) in enumerate(zip(ours.parts, theirs.parts, strict=True)):
            found = self.part(call, a, b, lambda side, i=i: side.parts[i], 1.0)
            if found and found[0] == "value" and law_holds(call, self.ours, self.theirs):
                self.excuse = LAW
                return None
            if found:
                return Finding(found[0], call.name, found[1], found[2])
        return None

    def part(self, call, a, b, pick, loose):
        """Return (kind, detail, seen) if two leaves differ."""
        if not is_tensor(b) or not is_tensor(a):
            if is_tensor(a) != is_tensor(b):
                return "value", "type", f"{a!r}, expected {b!r}"[:200]
            same = equal_objects(a, b)
            return None if same else ("value", "object", f"{a!r}, expected {b!r}"[:200])
        if tuple(a.shape) != tuple(b.shape):
            return "shape", "", f"shape {tuple(a.shape)}, expected {tuple(b.shape)}"
        kind = name_of(b.dtype)
        if name_of(a.dtype) != kind:
            return "dtype", "", f"{a.dtype}, expected {kind}"
        if call.drawn or b.numel() > MOST:
            return None
        return self.numbers(call, a, b, kind, pick, loose)

    def numbers(self, call, a, b, kind, pick, loose):
        """Return (kind, detail, seen) if the numbers of two tensors differ beyond rounding."""
        x, y = array_of(a), array_of(b)
        if x.tobytes() == y.tobytes():
            return None
        if kind not in EPS:
            good = x == y
            if call.head.startswith("compiled") and kind == "bool":  # of numbers that are close
                good |= self.unsteady(call, x, y, good, pick, EPS[roughest(call, "float64")])
            return None if good.all() else ("value", kind, difference(x, y, good))
        rough = roughest(call, kind)
        good = close(x, y, rough, loose)
        if call.trains:
            good |= near_by_cancelling(x, y, rough)
        if loose > 1.0:  # a gradient
            good |= nan_at(call, x, y) if has_nan(call) else near_by_cancelling(x, y, rough)
        if good.all():
            return None
        if self.other and rough != "float64":
            good |= self.excused(call, x, y, kind, pick, loose)
        if not good.all():
            steady = ~self.unsteady(call, x, y, good, pick, EPS[rough])
            if not (steady & ~good).any():
                self.excuse = MOVES
                return None
        if good.all():
            return None
        return "value", no_number_in(x[~good], y[~good]), difference(x, y, good)

    def excused(self, call, x, y, kind, pick, loose):
        """Return where norch is no farther from the result in double precision than PyTorch."""
        exact = Side(self.other, dtype="float64").run(call)
        try:
            part = pick(exact)
            exact_numbers = array_of(part.to(getattr(self.other, kind))).astype(np.float64)
        except Exception:  # refused in double precision, or another result altogether
            return np.zeros(x.shape, bool)
        if exact_numbers.shape != x.shape:
            return np.zeros(x.shape, bool)
        with np.errstate(all="ignore"):
            mine, yours = np.abs(x - exact_numbers), np.abs(y - exact_numbers)
        worse_yours = ~close(y, exact_numbers, kind, loose)
        fine = close(x, exact_numbers, kind, loose) | (mine <= WORSE * yours)
        return fine | (worse_yours & ~np.isfinite(y)) | (worse_yours & ~np.isfinite(exact_numbers))

    def unsteady(self, call, x, y, good, pick, unit):
        """Return where PyTorch's own result moves as far when its inputs move by their rounding.

        That is the condition of the call, measured: singular matrices, sums that cancel.
        """
        unit *= 16 if call.head.startswith("compiled") else 1  # the roundings of a chain
        apart, moved = far(x, y), np.zeros(x.shape)
        alike = LINALG.search(call.text) is None  # rows that are equal make a matrix singular
        for turn in range(SHAKES_OF_CHAINS if call.head.startswith("compiled") else SHAKES):
            recipes = tuple(r.moved(turn, unit, alike) for r in call.recipes)
            result = self.reference(replace(call, recipes=recipes))
            if result.error is not None:  # refused, so near to it
                return ~good
            try:
                other = array_of(pick(result))
            except Exception:  # without this part
                continue
            if other.shape == x.shape:
                moved = np.maximum(moved, far(other, y))
        if not alike or call.trains:  # a matrix, a training moves as a whole
            moved = moved[~good].max(initial=0.0)
        return ~good & (apart <= UNSTEADY * moved)

    def edits(self, call, ours, theirs):
        """Return a finding if the call left the inputs unlike on the two sides."""
        for i, name in enumerate(NAMES[: len(ours.inputs)]):
            a, b = ours.inputs[i], theirs.inputs[i]
            found = self.part(call, a, b, lambda side, i=i: side.inputs[i], 1.0)
            if found:
                return Finding("edit", call.name, found[1], f"{name} after the call: {found[2]}")
        return None

    def slopes(self, call, ours, theirs):
        """Return a finding if the gradients differ."""
        if theirs.failed_backward is not None:
            return None  # PyTorch has no derivative here
        if ours.failed_backward is not None:
            kind = type(ours.failed_backward).__name__
            seen = f"backward: {kind}: {first(ours.failed_backward)}"
            return Finding("gradient", call.name, kind, seen)
        if (ours.grads is None) != (theirs.grads is None):
            wanted = "a graph" if theirs.grads is not None else "no graph"
            return Finding("gradient", call.name, wanted, f"expected {wanted}")
        for i, (a, b) in enumerate(zip(ours.grads or [], theirs.grads or [], strict=True)):
            a, b = (zeros_if_none(g, s, i) for g, s in ((a, ours), (b, theirs)))
            pick = lambda side, i=i: side.grads[i]  # noqa: E731
            found = self.part(call, a, b, pick, ULPS_OF_GRADIENT)
            if found:
                return Finding("gradient", call.name, f"{found[0]} {found[1]}".strip(), found[2])
        return None


def zeros_if_none(grad, side, i):
    """Return a gradient; zeros where nothing arrived."""
    leaves = [x for x in side.inputs if x.requires_grad and x.is_leaf]
    return leaves[i].detach().new_zeros(leaves[i].shape) if grad is None else grad


def equal_objects(a, b):
    """Whether two results that are no tensors say the same, but for the library's name."""
    if isinstance(a, (bool, int, str)) or a is None or isinstance(b, (bool, int, str)):
        return a == b or str(a) == str(b).replace("torch", "norch")
    if isinstance(a, float) and isinstance(b, float):
        return (
            a == b
            or math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-12)
            or (math.isnan(a) and math.isnan(b))
        )
    names = [re.sub(r" at 0x\w+|torch|norch\w*|[\w.]+\.", "", str(x)) for x in (a, b)]
    return names[0] == names[1] or " object" in str(b) or callable(b)


def first(error):
    """Return the first line of an error."""
    return (str(error).splitlines() or [""])[0][:160]
