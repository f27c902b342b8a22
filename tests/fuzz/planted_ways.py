"""Runs the fuzzer on a norch whose other ways are faulty: compiled functions, layers of int8, an
optimizer, a scheduler, a factorization; and on libraries that refuse for reasons true and false.

For tests/test_fuzz.py. A fault shows where a dimension is 17, or after two steps.
"""

import types
import warnings
from dataclasses import replace

import norch
from fuzz.__main__ import fuzz, report
from fuzz.explained import explain
from fuzz.generate import Call, Generator
from fuzz.judge import Judge
from fuzz.recipes import Recipe


def copied(module, **faults):
    """Return a module with the names of another, and some of its own."""
    made = types.ModuleType(module.__name__)
    vars(made).update({**vars(module), **faults})
    return made


def wrong(x):
    """Return a result that is off by a thousandth where a dimension is 17."""
    return x * 1.001 if isinstance(x, norch.Tensor) and 17 in x.shape else x


def compile(function, **options):
    return lambda *inputs: wrong(function(*inputs))


def quantize_dynamic(model, kinds):
    made = norch.ao.quantization.quantize_dynamic(model, kinds)
    return lambda x: wrong(made(x))


def qr(*given, **options):
    q, r = norch.linalg.qr(*given, **options)
    return q, wrong(r)


class SGD(norch.optim.SGD):
    """Goes too far in its second step."""

    def step(self, closure=None):
        loss = super().step(closure)
        self.taken = getattr(self, "taken", 0) + 1
        with norch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    p.mul_(1.001 if self.taken == 2 else 1)
        return loss


class StepLR(norch.optim.lr_scheduler.StepLR):
    """Forgets a rate after two steps."""

    def step(self, *given):
        super().step(*given)
        if self.last_epoch == 2:
            self.optimizer.param_groups[0]["lr"] *= 1.001


def faulty():
    """Return norch with these faults."""
    schedulers = copied(norch.optim.lr_scheduler, StepLR=StepLR)
    quantization = types.SimpleNamespace(quantize_dynamic=quantize_dynamic)
    return copied(
        norch,
        compile=compile,
        ao=types.SimpleNamespace(quantization=quantization),
        linalg=copied(norch.linalg, qr=qr),
        optim=copied(norch.optim, SGD=SGD, lr_scheduler=schedulers),
    )


# What two libraries make of a call: (ours, the other's), each a function of a tensor and a flag.
def other_flag(x, flag):
    if not isinstance(flag, bool):
        raise TypeError("f(): argument 'flag' must be bool")
    return x.sum(0, keepdim=flag)


def other_dtype(x, flag):
    if not x.is_floating_point():
        raise NotImplementedError('"f_cpu" not implemented for its dtype')
    return x.sum(0, keepdim=flag)


def other_layout(x, flag):
    return x.sum(0, keepdim=flag) + (0 if x.is_contiguous() else 1)


def other_both(x, flag):
    return other_dtype(x, flag) if isinstance(flag, bool) else other_flag(x, flag)


PAIRS = {
    "flag": (lambda x, flag: x.sum(0, keepdim=bool(flag)), other_flag, "f(x, 2)"),
    "flag, not read": (lambda x, flag: x.sum(0, keepdim=flag is True), other_flag, "f(x, 2)"),
    "dtype": (lambda x, flag: x.sum(0, keepdim=flag), other_dtype, "f(x, True)"),
    "dtype, wrong": (
        lambda x, flag: x.sum(0, keepdim=flag) + (0 if x.is_floating_point() else 7),
        other_dtype,
        "f(x, True)",
    ),
    "flag and dtype": (lambda x, flag: x.sum(0, keepdim=bool(flag)), other_both, "f(x, 2)"),
    "flag and dtype, not read": (
        lambda x, flag: x.sum(0, keepdim=flag is True),
        other_both,
        "f(x, 2)",
    ),
    "infinite": (
        lambda x, flag: x.sum(0, keepdim=flag),
        lambda x, flag: x.sum(0, keepdim=flag) + 0 * x.sum(0, keepdim=flag),
        "f(x, True)",
    ),
    "infinite, wrong": (
        lambda x, flag: x.sum(0, keepdim=flag) * norch.inf,
        lambda x, flag: x.sum(0, keepdim=flag) * norch.nan,
        "f(x, True)",
    ),
    "layout": (lambda x, flag: x.sum(0, keepdim=flag), other_layout, "f(x, True)"),
    "layout, wrong": (other_layout, lambda x, flag: x.sum(0, keepdim=flag), "f(x, True)"),
}


def reason_of(ours, theirs, text, kind, layout, last=5):
    """Return what is said about one call of two libraries."""
    call = Call(text, recipes=(Recipe(kind, (3, 4), layout, (1, 2, 3, last)),), valid=False)
    call = replace(call, head=text.replace("f(", "t.f(", 1))
    judge = Judge(copied(norch, f=ours), copied(norch, f=theirs), explain)
    finding = judge.findings(call)[1]
    return explain(call, finding, judge) if finding else "no finding"


def main():
    """Fuzz the faulty library; then print the reasons of the pairs, a line for each."""
    for only, calls in ((r"^(compiled|rounded_linear|stepped|scheduled)\(", 500), (QR, 100)):
        judge = Judge(faulty(), norch, explain, patience=20)
        total, groups = fuzz(judge, Generator(norch, 1, only), seconds=600, calls=calls)
        report(total, groups, 1.0, None)
    for name, pair in PAIRS.items():
        kind = "int64" if "dtype" in name else "float64"
        layout = "permuted" if "layout" in name else "plain"
        last = norch.inf if "infinite" in name else 5
        print(f"{name}: {reason_of(*pair, kind, layout, last)}")


QR = r"^t\.linalg\.qr\(x\)$"

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
