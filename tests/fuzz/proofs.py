"""Whether a difference has the cause that is alleged: a second call, without that cause, must
be one in which both sides agree, and must give what the side that answered gave at first.

So no pattern has to know which operations PyTorch's parser or its tables of dtypes stop: each call
is looked at by itself. rewrites.py knows the causes.
"""

import re

import numpy as np
from compare import is_tensor

from fuzz.closeness import EPS, NEITHER, array_of, close, narrowed, roughest
from fuzz.generate import NAMES
from fuzz.judge import MOST, equal_objects
from fuzz.rewrites import (
    CAUSES,
    DEFAULT,
    DTYPE,
    EMPTY,
    FORMS,
    GRAPH,
    LAYOUT,
    LIST,
    MIXED,
    NO_NUMBER,
    ONE,
    PLACE,
    TENSOR,
    TYPES,
    rewritings,
    tamed,
)

# (tries, causes in one proof, steps of a level that are followed): nearly all that are found take
# fewer; of a finding that no rule fits, either, first all steps are followed, then the best.
EFFORT = 300, 3, None
LAST_EFFORTS = (4000, 3, None), (4000, 6, 12)
KINDS = {"accepted", "refused", "dtype", "value", "gradient", "shape", "class"}
INPUTS = (LAYOUT, DTYPE, MIXED, GRAPH)  # few rewritings, tried before those of arguments
NUMERIC = (LAYOUT, DTYPE, MIXED)  # what may change the numbers of PyTorch's answer, not norch's


class Proofs:
    """Looks for a proof; `judge` runs and compares, `rule` has a reason for what may be left."""

    def __init__(self, judge, rule):
        self.judge, self.rule = judge, rule

    def reason_of_others(self, call, finding):
        """Return what `reason` does after many more tries, also of the call with modest numbers."""
        if finding.kind not in KINDS:  # what ended its process is not run here
            return ""
        for effort in LAST_EFFORTS:
            if reason := self.reason(call, finding, effort):
                return reason
        other = tamed(call)
        found = self.judge.findings(other)[1]
        if found is None or found.signature != finding.signature:
            return ""
        return self.reason(other, found, LAST_EFFORTS[0])

    def reason(self, call, finding, effort=EFFORT):
        """Return the causes whose absence lets both sides agree, or nothing."""
        if NEITHER in finding.detail and self.agrees_on(tamed(call)):
            return NO_NUMBER
        kinds = KINDS
        if call.trains:  # whose steps are looked at one by one: only what is refused has one cause
            kinds = {"accepted", "refused", "value"}
        if finding.kind not in kinds or re.search(r"^compiled|^rounded|\dj\b", call.text):
            return ""
        allowed = FORMS if finding.kind == "refused" else CAUSES
        if re.search(r"no kernel for (int8|bool)", finding.seen):
            allowed = (*FORMS, DTYPE, MIXED)
        if finding.kind in ("value", "gradient", "shape"):
            allowed = (ONE,) if call.trains else NUMERIC
        if finding.kind == "class":
            allowed = (DTYPE, MIXED)
        first = self.answer(call, finding)
        if first is None and finding.kind != "class":
            return ""
        return self.search(call, finding, first, allowed, effort)

    def agrees_on(self, call):
        """Whether both sides give the same, but for what a rule knows."""
        found = self.judge.findings(call)[1]
        return found is None or (found.kind in ("value", "gradient") and self.rule(call, found))

    def answer(self, call, finding):
        """Return what the side that answers gives: norch's, PyTorch's where norch refuses."""
        side = self.judge.theirs if finding.kind == "refused" else self.judge.ours
        outcome = side.run(call, backward=finding.kind == "gradient")
        return outcome if outcome.error is None else None

    def search(self, call, finding, first, allowed, effort):
        """Return the causes of the first rewriting that is a proof, fewest causes first.

        A cause is one of several if without it another complaint is heard, which is not about the
        form that was just given.
        """
        tried, level = {call.text: None}, [((), call, finding.seen)]
        budget, depth, best = effort
        for _ in range(depth):
            following = []
            for causes, before, heard in level:
                for cause, changed in self.changed(before, allowed, finding.kind == "class"):
                    key = (changed.text, changed.recipes)
                    if key in tried:
                        continue
                    tried[key] = None
                    budget -= 1
                    if budget < 0:
                        return ""
                    path = (*causes, cause)
                    found = self.proves(changed, finding, first, path)
                    if not found:
                        continue
                    if found is True:
                        return "; and ".join(dict.fromkeys(path))
                    if complaint(found.seen) in heard or is_of_form(cause, found.seen, heard):
                        continue
                    if rest := self.leaves(changed, finding, first, found, path):
                        return "; and ".join(dict.fromkeys((*path, rest)))
                    following.append((path, changed, heard + found.seen))
            level = sorted(following, key=promise)[:best]
        return ""

    def changed(self, call, allowed, lossy):
        """Return the allowed rewritings of a call."""
        side = self.judge.ours

        def names():
            return {**side.helpers, **dict(zip(NAMES, side.inputs(call), strict=False))}

        return rewritings(call, names, allowed, lossy)

    def proves(self, call, finding, first, causes):
        """Return True if both sides agree, also on what was answered; what differs if anything."""
        judge = self.judge
        if finding.kind in ("accepted", "refused"):
            slow = judge.theirs if finding.kind == "accepted" else judge.ours
            error = slow.run(call, backward=False).error
            if error is not None:
                ours, theirs = (None, error) if finding.kind == "accepted" else (error, None)
                return judge.refusals(call, ours, theirs) or False
        before = [r.array() for r in call.recipes]
        ours, theirs = judge.ours.run(call), judge.theirs.run(call)
        found = judge.compare(call, ours, theirs, before)
        if finding.kind == "class":  # both refuse the dtype; of another one they agree
            return found is None or found
        if ours.error is not None or theirs.error is not None:
            return False
        if found is not None and not (found.kind == "gradient" and finding.kind != "gradient"):
            return found
        return self.answers(call, finding, first, causes, theirs, ours)

    def leaves(self, call, finding, first, found, causes):
        """Return the reason of what is left without a cause, if the answer is the first one."""
        new = found.kind == finding.kind and causes[-1] in (TENSOR, LIST, PLACE, DEFAULT)
        if finding.kind not in ("accepted", "refused") or new:  # a form may bring a refusal
            return ""
        reason = self.rule(call, found)
        if not reason and NEITHER in found.detail and self.agrees_on(tamed(call)):
            reason = NO_NUMBER
        if not reason:
            return ""
        ours, theirs = self.judge.ours.run(call), self.judge.theirs.run(call)
        return reason if self.answers(call, finding, first, causes, theirs, ours) else ""

    def answers(self, call, finding, first, causes, theirs, ours):
        """Whether the side that answered at first gives the same answer to a rewritten call."""
        second = theirs if finding.kind == "refused" else ours
        if second.error is not None:
            return False
        if EMPTY in causes:
            return all(map(is_neutral, first.parts))
        return self.same(call, first, second, finding)

    def same(self, call, first, second, finding):
        """Whether two outcomes of one side hold the same numbers, in whatever dtype."""
        a, b = first.parts, second.parts
        if finding.kind == "gradient":
            a, b = first.grads or [], second.grads or []
        if len(a) != len(b):
            return False
        return all(self.same_part(call, x, y) for x, y in zip(a, b, strict=True))

    def same_part(self, call, a, b):
        """Whether two leaves say the same; their dtypes may differ."""
        if not is_tensor(a) or not is_tensor(b):
            a, b = (p.item() if is_tensor(p) and p.numel() == 1 else p for p in (a, b))
            return is_tensor(a) == is_tensor(b) and (is_tensor(a) or equal_objects(a, b))
        if tuple(a.shape) != tuple(b.shape):
            return False
        if call.drawn or a.numel() > MOST:
            return True
        x, y = array_of(a), array_of(b)
        kinds = [str(part.dtype).partition(".")[2] for part in (a, b)]
        if "bool" in kinds:
            return bool(np.array_equal(x.astype(bool), y.astype(bool)))
        floats = [roughest(call, kind) for kind in kinds if kind in EPS]
        if len(floats) < 2:  # whole numbers beside floats: to the nearest
            with np.errstate(all="ignore"):
                apart = np.abs(x.astype(np.float64) - y.astype(np.float64))
            return bool((apart < 1).all() if floats else (apart == 0).all())
        rough = min(floats, key=lambda kind: -EPS[kind])
        return bool(close(narrowed(x, rough), narrowed(y, rough), rough, 4.0).all())


def promise(step):
    """Return how late to try a step of the search: first those whose cause is an input's, then
    those that brought the complaint to a later argument.
    """
    causes, _, heard = step
    places = re.findall(r"\(position (\d+)\)", heard)
    return causes[-1] not in INPUTS, -int(places[-1]) if places else 0


def complaint(words):
    """Return what an error says, without what was given."""
    return re.split(r", not |, got ", words)[0]


def is_of_form(cause, words, heard):
    """Whether an error is about the form that a rewriting gave to an argument, and not of another
    than was `heard` of before.
    """
    named = re.search(r"argument '\w+'", words)
    if "invalid combination" in words or (named and named[0] not in heard):
        return False
    if re.search(r"argument '\w+'.* must be (?!Tensor)", words):
        return False  # complaint() tells those of the same one
    kinds = TYPES.get(cause)
    return kinds is not None and re.search(rf"(not|got .*|') ?({kinds})\b", words) is not None


def is_neutral(part):
    """Whether a result of nothing is nothing, or one number everywhere."""
    if not is_tensor(part) or not 0 < part.numel() <= MOST:
        return True
    numbers = array_of(part).ravel()
    return numbers.size == 0 or bool((numbers == numbers[0]).all() or np.isnan(numbers).all())
