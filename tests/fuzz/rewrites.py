"""Calls rewritten so that one alleged cause of a difference is gone: a flag is replaced by its
truth value, a tensor of one element by its number, a dtype by another, a layout by a contiguous
copy.

proofs.py runs them. Each rewriting has the cause that it takes away, in words.
"""

import ast
import inspect
import math
import re
from dataclasses import replace

from compare import is_tensor

from fuzz.recipes import FLOATS

FLAG = "a flag is given as what is true or false; given as True or False, both agree"
BOOL = "a bool is given for a number; given as 0 or 1, both agree"
WHOLE = "a whole number is given as a float or a float as a whole one; as the other, both agree"
ONE = "a tensor of one element is given for a number; given as the number, both agree"
TENSOR = "a number is given for a tensor; given as a tensor, both agree"
LIST = "a list, a tuple or a number is given for another of them; as the other, both agree"
NONE = "None is given for a default; left out, both agree"
UNREAD = "an argument is not read where there are no elements; left out, both agree"
PLACE = "an argument is given by its place or by its name; by the other, both agree"
DEFAULT = "an argument is left out that has a default; written out, both agree"
ARRAY = "a NumPy array is given for a tensor; given as a tensor, both agree"
BYTES = "bytes are given for a list of whole numbers; given as the list, both agree"
MIXED = "dtypes are mixed; with one dtype both agree"
DTYPE = "PyTorch has no kernel for the dtype; of another dtype both agree"
LAYOUT = "a memory layout; of contiguous copies both agree"
GRAPH = "PyTorch has no derivative, or refuses an edit of a leaf; without gradients both agree"
EMPTY = "an input has no elements; where it has some, both agree"
NO_NUMBER = (
    "one side is infinite where the other is nan, of numbers that are, or overflow; "
    "of others both agree"
)
# What may excuse a refusal of norch's: the form of an argument. Kernels it must have.
# The types that such a rewriting gives to an argument.
TYPES = {FLAG: "bool", BOOL: "int|float", WHOLE: "int|float", TENSOR: "Tensor"}
TYPES |= {ONE: "int|float|bool|tuple", LIST: "list|tuple|int|float|bool"}
FORMS = (FLAG, BOOL, WHOLE, ONE, TENSOR, LIST, NONE, PLACE, ARRAY, BYTES, LAYOUT, EMPTY)
OF_INPUTS = {MIXED, DTYPE, LAYOUT, GRAPH, EMPTY}  # causes that are no matter of the line's text
CAUSES = (*FORMS, UNREAD, DEFAULT, MIXED, DTYPE, GRAPH)


def rewritings(call, names, allowed, lossy=False):
    """Yield (cause, call) of all that takes one of the `allowed` causes away; `names()` gives
    norch's inputs.

    `lossy` inputs may be of a dtype that does not hold their numbers.
    """
    if not OF_INPUTS.issuperset(allowed):
        for cause, text in texts_rewritten(call, names()):
            if text != call.text and cause in allowed:
                yield cause, replace(call, head=text, arguments=())
    if not OF_INPUTS.isdisjoint(allowed):
        for cause, changed in recipes_rewritten(call, lossy, {DTYPE, MIXED} & set(allowed)):
            if cause in allowed:
                yield cause, changed


CAST = re.compile(r"\.(int|long|bool|half)\(\)$")
WILD = re.compile(r"-?\bmath\.(inf|nan)\b|\b1e30\b|\b\d{9,}\b")  # constants of generate.py
FEW = 1_000_000  # elements of an input that had none
MODEST = 100.0  # numbers beyond it are replaced


def tamed(call):
    """Return a call without numbers that are infinite or nan, or whose powers overflow."""
    recipes = tuple(replace(r, pattern=tuple(map(modest, r.pattern))) for r in call.recipes)
    return replace(call, head=WILD.sub("1.5", call.text), arguments=(), recipes=recipes)


def modest(n):
    """Return a number as it is, or one of its sign where it is none, or large, or denormal."""
    if math.isnan(n):
        return 0.75
    if abs(n) > MODEST:
        return math.copysign(1.25, n)
    return math.copysign(0.5, n) if 0 < abs(n) < 1e-3 else n


def recipes_rewritten(call, lossy, dtypes):
    """Yield the call with its inputs in other layouts, without gradients, and where `dtypes` are
    to be tried, of other dtypes.
    """
    recipes = call.recipes
    for i, r in enumerate(recipes):
        if r.layout != "plain":
            yield LAYOUT, call.with_recipe(i, r.plain())
        if r.grad:
            yield GRAPH, call.with_recipe(i, replace(r, grad=False))
    if sum(r.layout != "plain" for r in recipes) > 1:
        yield LAYOUT, replace(call, recipes=tuple(r.plain() for r in recipes))
    if sum(r.grad for r in recipes) > 1:
        yield GRAPH, replace(call, recipes=tuple(replace(r, grad=False) for r in recipes))
    kinds = {r.dtype for r in recipes}
    yield from retyped_all(call, kinds, lossy) if dtypes else ()
    for size in (1, 2, 3):
        if any(0 in r.shape for r in recipes):
            shapes = [tuple(n or size for n in r.shape) for r in recipes]
            if any(math.prod(shape) > FEW for shape in shapes):
                continue
            yield EMPTY, replace(call, recipes=tuple(map(reshaped, recipes, shapes)))


def retyped_all(call, kinds, lossy):
    """Yield the call with all its inputs, or one, of another dtype; `kinds` are theirs."""
    recipes = call.recipes
    for kind in (*sorted(kinds), "float64", "float32", "int64", "bool"):
        if kinds != {kind} and (lossy or all(holds(kind, r) for r in recipes)):
            cause = MIXED if kind in kinds else DTYPE
            yield cause, replace(call, recipes=tuple(retyped(r, kind) for r in recipes))
    for kind in ("float64", "float32"):
        if any(r.dtype in FLOATS and r.dtype != kind for r in recipes):
            floats = (retyped(r, kind) if r.dtype in FLOATS else r for r in recipes)
            yield MIXED if kind in kinds else DTYPE, replace(call, recipes=tuple(floats))
    for i, r in enumerate(recipes):
        for kind in ("float32", "float64", "int64", "bool", *sorted(kinds)):
            if kind != r.dtype and (lossy or holds(kind, r)):
                yield MIXED if kind in kinds else DTYPE, call.with_recipe(i, retyped(r, kind))


def holds(kind, recipe):
    """Whether a dtype holds an input's numbers."""
    values = recipe.array().ravel().astype(float)
    if kind in FLOATS:
        return kind != "float16" or not (abs(values) > 60000).any()
    whole = all(n.is_integer() for n in values.tolist() if math.isfinite(n))
    return recipe.dtype not in FLOATS or (whole and all(map(math.isfinite, values.tolist())))


def retyped(recipe, kind):
    """Return an input with the same numbers in another dtype."""
    values = tuple(recipe.array().ravel().tolist()) or (1,)
    pattern = values if recipe.layout == "plain" else tuple(recipe.storage().tolist())
    grad = recipe.grad and {kind, recipe.dtype} <= {*FLOATS}
    return replace(recipe, dtype=kind, pattern=pattern, grad=grad)


def reshaped(recipe, shape):
    return replace(recipe, shape=shape, layout="plain")


def texts_rewritten(call, names):
    """Yield (cause, text) of the call's line with one argument in another form."""
    empty = any(0 in r.shape for r in call.recipes)
    tree = ast.parse(call.text, mode="eval")
    yield from together(call.text, names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from calls_rewritten(tree, node, names, empty)
        places = arguments_in(node)
        for place, child in places:
            for cause, text in values_rewritten(child, names):
                yield cause, changed(tree, place, ast.parse(text, mode="eval").body)


def together(text, names):
    """Yield the text with every tensor of one element as its number: all, all but the first."""
    for first in (0, 1):
        tree = ast.parse(text, mode="eval")
        for node in [n for n in ast.walk(tree) if isinstance(n, ast.Call)]:
            for (holder, key), child in arguments_in(node)[first:]:
                value = names.get(child.id) if isinstance(child, ast.Name) else None
                if is_tensor(value) and value.numel() == 1 and math.isfinite(float(value.item())):
                    put(holder, key, ast.Constant(value.item()))
        yield ONE, ast.unparse(tree)


def put(holder, key, new):
    """Put an expression at a place of a tree."""
    if isinstance(holder, list):
        holder[key] = new
    else:
        vars(holder)[key] = new


def arguments_in(node):
    """Return [(list or object, index or name), ...] with the expressions that stand there."""
    found = []
    for field in ("args", "elts", "comparators", "values"):
        held = getattr(node, field, ())
        if isinstance(held, list):
            found += [((held, i), child) for i, child in enumerate(held)]
    found += [((k, "value"), k.value) for k in getattr(node, "keywords", ())]
    if isinstance(node, (ast.BinOp, ast.Compare)):
        found += [((node, side), getattr(node, side)) for side in ("left", "right")
                  if hasattr(node, side)]  # fmt: skip
    if isinstance(node, ast.Subscript):
        found.append(((node, "slice"), node.slice))
    return found


def changed(tree, place, new):
    """Return the text of a tree with another expression at a place, and leave the tree as it is."""
    holder, key = place
    old = holder[key] if isinstance(holder, list) else getattr(holder, key)
    put(holder, key, new)
    text = ast.unparse(tree)
    put(holder, key, old)
    return text


def values_rewritten(node, names):
    """Yield (cause, text) of what an argument may stand for."""
    text = ast.unparse(node)
    if ".detach().numpy()" in text:
        yield ARRAY, text.replace(".detach().numpy()", ".detach()")
    if CAST.search(text):
        yield DTYPE, f"{text}.double()"
    try:
        value = eval(text, dict(names))
    except Exception:
        return
    yield from forms_of(value, text)
    if not isinstance(value, bool):
        try:
            yield FLAG, str(bool(value))
        except Exception:  # a tensor of several elements: a flag that nobody reads
            yield from ((FLAG, "False"), (FLAG, "True"))


def forms_of(value, text):
    """Yield (cause, text) of other forms of a number, a tensor or a list."""
    if isinstance(value, bool):
        yield BOOL, str(int(value))
        yield BOOL, str(float(value))
    elif isinstance(value, (int, float)) and math.isfinite(value):
        if float(value).is_integer() and abs(value) < 2**53:
            yield WHOLE, str(float(value) if isinstance(value, int) else int(value))
        yield LIST, f"({value},)"
        yield LIST, f"({value}, {value})"
    if isinstance(value, dict):
        yield LIST, repr(list(value))
    if isinstance(value, bytes):
        yield BYTES, repr(list(value))
    if isinstance(value, (bool, int, float)):
        yield TENSOR, f"t.tensor({text})"
        yield TENSOR, f"t.tensor({text}, dtype=t.float64)"
    if is_tensor(value):
        if value.numel() == 1 and not math.isfinite(float(value.item())):
            yield ONE, f"float('{value.item()}')"
        elif value.numel() == 1:
            yield ONE, repr(value.item())
            if float(value.item()).is_integer():
                yield ONE, str(int(value.item()))
            yield ONE, f"({value.item()!r},)"
        if value.ndim > 0 and 0 < len(value) < 5:
            yield LIST, f"tuple({text})"
        if value.numel() < 9 and "f" not in str(value.dtype).partition(".")[2]:
            yield LIST, repr(value.flatten().tolist())
    if isinstance(value, (list, tuple)):
        written = isinstance(ast.parse(text, mode="eval").body, (ast.List, ast.Tuple))
        if not written and not all(type(part) in (int, float, bool) for part in value):
            return
        inner = text[1:-1].rstrip(",") if written else ", ".join(map(repr, value))
        yield LIST, f"[{inner}]" if isinstance(value, tuple) else f"({inner}{',' * bool(value)})"
        if len(value) == 1:
            yield LIST, inner
        if value and all(type(part) in (int, float, bool) for part in value):
            yield TENSOR, f"t.tensor({text})"


def calls_rewritten(tree, node, names, empty):
    """Yield (cause, text) of a call with an argument left out, written out, or named."""
    for i, keyword in enumerate(node.keywords):
        none = isinstance(keyword.value, ast.Constant) and keyword.value.value is None
        if none or empty:
            yield NONE if none else UNREAD, with_arguments(tree, node, node.args, drop(node, i))
    if node.args and getattr(node.args[-1], "value", 0) is None:
        yield NONE, with_arguments(tree, node, node.args[:-1], node.keywords)
    for i in range(2):  # sizes one by one, behind an input or alone
        if len(node.args) > i and not any(isinstance(a, ast.Starred) for a in node.args):
            together = ast.Tuple(node.args[i:], ast.Load())
            yield LIST, with_arguments(tree, node, [*node.args[:i], together], node.keywords)
    parameters = parameters_of(node, names)
    for i, argument in enumerate(node.args[1:], 1):
        if i < len(parameters) and i >= len(node.args) - 3:
            pairs = zip(parameters[i:], node.args[i:], strict=False)
            words = [ast.keyword(p.name, a) for p, a in pairs]
            if not isinstance(argument, ast.Starred):
                yield PLACE, with_arguments(tree, node, node.args[:i], [*words, *node.keywords])
    given = {p.name for p in parameters[: len(node.args)]} | {k.arg for k in node.keywords}
    left_out = []
    for parameter in parameters:
        if parameter.name not in given and type(parameter.default) in (int, float, bool, tuple):
            value = ast.Constant(parameter.default)
            left_out.append(ast.keyword(parameter.name, value))
            words = [*node.keywords, left_out[-1]]
            yield DEFAULT, with_arguments(tree, node, node.args, words)
    yield DEFAULT, with_arguments(tree, node, node.args, [*node.keywords, *left_out])


def drop(node, i):
    return node.keywords[:i] + node.keywords[i + 1 :]


def parameters_of(node, names):
    """Return the parameters of the function that a call's node calls; none if that is unknown."""
    try:
        function = eval(ast.unparse(node.func), dict(names))
        found = inspect.signature(function).parameters.values()
    except Exception:
        return []
    return [] if any(p.kind is p.VAR_POSITIONAL for p in found) else list(found)


def with_arguments(tree, node, args, keywords):
    """Return the text of a tree in which one call has other arguments."""
    old = node.args, node.keywords
    node.args, node.keywords = args, keywords
    text = ast.unparse(tree)
    node.args, node.keywords = old
    return text
