"""Every argument of every public function, method and module, replaced by wrong ones in turn: the
call answers or refuses in words of ours, at once, and a refused one has changed no tensor.

A right call of each comes from the tables of tests/parity. They are made in processes of their own,
with little memory; run as a program, this file is one of them.
"""

import ast
import inspect
import resource
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import norch

PARITY = Path(__file__).resolve().parent / "parity"
PROCESSES = 2
SECONDS, MEMORY = 60.0, 4 << 30  # of the clock for one call, of address space for all
WRONG = """None 'a' b'a' ['a','b'] {} object() 1j 1.5 nan inf 2**31 2**62 2**63 2**70 -3 -2**62 ()
[[]] (2**62,2**62) (2**63,) t.ones(2) t.tensor(2) t.ones(2,3,4) slice(None) int t.float32
[x0,x0]"""
REFUSED = (TypeError, ValueError, RuntimeError, IndexError, MemoryError, AssertionError)
INNER = ("object has no attribute", "NoneType' object", "values to unpack", "is not iterable")
INNER += (
    "not supported between",
    "unsupported operand",
    "must be real number",
    "not subscriptable",
)
# What is none of ours: names of DTypes, Python's own containers, and what the user's objects say.
LEFT_OUT = {"t.double", "t.float", "t.half", "t.int", "t.long", "t.bool", "t.bfloat16", "t.cpu"}
LEFT_OUT |= {"t.Size", "nn.Sequential", "t.utils.data.SequentialSampler"}
LEFT_OUT |= {"t.utils.data.SubsetRandomSampler"}
OF_USERS = {"dataset", "sampler", "encoder_layer", "decoder_layer", "custom_encoder"}
OF_USERS |= {"custom_decoder"}


def cases():
    """Yield (text, inputs) of every right call."""
    import cases_forms
    import cases_functional
    import cases_modules
    import cases_optim
    import cases_pointwise
    import cases_shapes
    from compare import NAMES

    yield from cases_pointwise.POINTWISE + cases_shapes.SHAPE_CASES + cases_shapes.CREATION
    yield from cases_functional.FUNCTIONAL + cases_forms.FORMS
    for text, inputs in cases_modules.MODULES:
        yield f"{text}({', '.join(NAMES[: len(inputs.split())])})", inputs
    for text in cases_optim.OPTIMIZER_CASES:
        yield f"t.optim.{text.replace('(p', '([x.requires_grad_()]', 1)}", "f3"


def callee(node):
    """Return (name, function, places of self) of what a call calls; None if it is none of ours."""
    text = ast.unparse(node.func)
    first, *rest = text.split(".")
    found = {"t": norch, "nn": norch.nn, "F": norch.nn.functional}.get(first)
    if found is not None:
        for name in rest:
            found = getattr(found, name, None)
        return (text, found, 0) if callable(found) and text not in LEFT_OUT else None
    if isinstance(node.func, ast.Attribute) and callable(getattr(norch.Tensor, node.func.attr, 0)):
        return f"x.{node.func.attr}", getattr(norch.Tensor, node.func.attr), 1
    return None


def places():
    """Yield (callee, parameter, tree, inputs): each parameter once, with `wrong` in its place."""
    seen = set()
    for text, inputs in cases():
        tree = ast.parse(text, mode="eval")
        for node in [n for n in ast.walk(tree) if isinstance(n, ast.Call) and callee(n)]:
            name, function, skip = callee(node)
            try:
                parameters = list(inspect.signature(function).parameters.values())[skip:]
            except (TypeError, ValueError):
                parameters = []
            for parameter, put in replacements(node, parameters):
                if (name, parameter) not in seen and parameter not in OF_USERS:
                    seen.add((name, parameter))
                    back = put(ast.Name("wrong", ast.Load()))
                    yield name, parameter, ast.unparse(tree), inputs
                    back()


def replacements(node, parameters):
    """Yield (parameter, put): what puts an expression there, and returns how to undo it."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [p.name for p in parameters if p.kind is kinds[0]]
    given = set()
    for i, old in enumerate(node.args):
        given.add(names[i] if i < len(names) else f"*{i}")

        def put(new, i=i, old=old):
            node.args[i] = new
            return lambda: node.args.__setitem__(i, old)

        yield names[i] if i < len(names) else f"*{i}", put
    for keyword in node.keywords:
        given.add(keyword.arg)

        def put(new, keyword=keyword, old=keyword.value):
            keyword.value = new
            return lambda: setattr(keyword, "value", old)

        yield keyword.arg, put
    for parameter in parameters:
        if parameter.kind in kinds and parameter.name not in given:

            def put(new, name=parameter.name):
                node.keywords.append(ast.keyword(arg=name, value=new))
                return node.keywords.pop

            yield parameter.name, put


def tensors(inputs, text):
    """Return the inputs of a case by their names."""
    from compare import NAMES, arrays_of, tensor_in

    return dict(zip(NAMES, [tensor_in(norch, a) for a in arrays_of(inputs, text)], strict=False))


class TooLate(BaseException):
    """A call took too long. No Exception: nobody catches it on the way."""


def late(*_):
    raise TooLate


def said(code, names):
    """Return the error of a call, or None; what a generator would say counts."""
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        value = eval(code, names)
        if inspect.isgenerator(value):
            next(value, None)
    except (Exception, TooLate) as error:
        return error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def fault(error):
    """Return what is wrong with a refusal; nothing if it is one of ours."""
    text = str(error).strip("'\"")
    if isinstance(error, TooLate):
        return "took too long"
    if isinstance(error, TypeError) and "argument" in text and "()" in text.split(" ")[0]:
        return None  # Python's own: one argument too many, given twice, or unknown
    if not text.startswith("[") or any(words in text for words in INNER):
        return f"{type(error).__name__}: {text}"
    ours = isinstance(error, REFUSED) and not isinstance(error, RecursionError)
    return None if ours else f"{type(error).__name__}: {text}"


def same(old, new):
    """Whether a tensor still is what it was."""
    return old.shape == new.shape and old.tobytes() == new.detach().numpy().tobytes()


def program(part):
    """Make the calls of one part, and print what is wrong; the last line is their number."""
    from compare import Slicer

    signal.signal(signal.SIGALRM, late)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    fixed = {"t": norch, "nn": norch.nn, "F": norch.nn.functional, "slicer": Slicer()}
    wrongs = [compile(text, "wrong", "eval") for text in WRONG.split()]
    count = 0
    for number, (name, parameter, text, inputs) in enumerate(places()):
        if number % PROCESSES != part:
            continue
        code, given = compile(text, "call", "eval"), tensors(inputs, text)
        before = {key: x.detach().numpy().copy() for key, x in given.items()}
        for shown, wrong in zip(WRONG.split(), wrongs, strict=True):
            x0 = given.get("x")
            value = eval(wrong, {"t": norch, "nan": float("nan"), "inf": float("inf"), "x0": x0})
            error, count = said(code, {**fixed, **given, "wrong": value}), count + 1
            changed = [key for key, old in before.items() if not same(old, given[key])]
            what = error and (fault(error) or (changed and f"refused, but {changed} changed"))
            if what:
                print(f"{name} [{parameter}] wrong={shown}: {what} | {text} | {inputs}", flush=True)
            if changed or any(x.requires_grad for x in given.values()):
                given = tensors(inputs, text)
    print(count)


@pytest.mark.parametrize("part", range(PROCESSES))
def test_a_wrong_argument_is_refused_in_our_words(part):
    command = [sys.executable, "-P", __file__, str(part)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    *wrong, count = done.stdout.splitlines() or [""]
    assert wrong == [] and done.returncode == 0, done.stderr[-2000:]
    assert int(count) > 20_000


if __name__ == "__main__":
    sys.path.insert(0, str(PARITY))
    warnings.simplefilter("ignore")
    program(int(sys.argv[1]))
