"""Random programs: chains that `compile(backend="fuse")` joins, and layers whose weights are int8.

A program is made of one of PROGRAMS numbers, for kernels take half a second to compile; sizes,
layouts and numbers of its inputs change with every call. generate.py asks; helpers.py runs them.
"""

import random

from fuzz.recipes import FLOATS

PROGRAMS = 60  # of a seed
UNARY = """neg exp log sin cos tanh sigmoid relu abs square sqrt rsqrt reciprocal erf floor sign
round log1p expm1 isnan float double half detach atan contiguous clone logical_not"""
BINARY = ("+", "-", "*", "/", "<", "==", ">=", "**")
METHODS = ("maximum", "minimum", "mul", "add", "sub", "div", "pow", "where")
ACTIVATIONS = """F.relu({0}) F.silu({0}) F.gelu({0}) F.gelu({0},approximate='tanh') F.softplus({0})
F.leaky_relu({0},0.1) F.elu({0}) F.hardtanh({0}) {0}.clamp(-1,1) {0}.clamp(min=0.1) F.sigmoid({0})
t.where({0}>0,{0},{1}) t.where({0}<{1},{1}*2,{0}) t.addcmul({0},{1},{1}) {0}.masked_fill({0}>1,0.5)
{0}.softmax(-1) {0}.lerp({1},0.3) ({0}).to({1}.dtype)"""
VIEWS = """{0}.unsqueeze(0) {0}.reshape(-1) {0}[None] {0}[...,None] {0}.flatten() {0}.squeeze()
{0}.transpose(0,-1) {0}.expand_as({0}+{1}) {0}[:1]"""
REDUCTIONS = """{0}.sum() {0}.mean() {0}.sum(0) {0}.mean(-1,keepdim=True) {0}.amax(0) {0}.sum(-1)
{0}.amin(-1,keepdim=True) {0}.var(0,correction=0) {0}.logsumexp(-1)"""
NUMBERS = "2 0.5 -1.5 3 1 True 0"


def program(number):
    """Return the line of a program, and (kind, dtype, sizes kept) of its inputs x, y, z.

    All that a kernel's text depends on is the program's: ranks, dtypes, what is broadcast.
    """
    rng = random.Random(number)
    parts = chain(rng, "xyz", rng.randrange(2, 7))
    if rng.random() < 0.3:  # a value that is read twice
        parts = f"(lambda x: {chain(rng, 'xyz', rng.randrange(1, 4))})({parts})"
    if rng.random() < 0.2:
        parts = f"({parts}, {chain(rng, 'xyz', 2)})"
    rank, dtype = rng.choice((1, 2, 2, 3)), rng.choices(FLOATS, (6, 3, 1, 1))[0]
    inputs = []
    for _ in "xyz":
        kept = [True] * rank if rng.random() < 0.7 else [rng.random() < 0.5 for _ in range(rank)]
        other = rng.choice((*FLOATS, "int64", "bool", "int8"))
        chosen = dtype if rng.random() < 0.9 else other
        inputs.append((rng.choice("fpuqt"), chosen, kept, rng.random() < 0.6))
    return f"compiled(lambda x, y, z: {parts})(x, y, z)", inputs


def chain(rng, names, length):
    """Return an expression of so many operations."""
    text = rng.choice(names)
    for _ in range(length):
        other = rng.choice(names) if rng.random() < 0.7 else rng.choice(NUMBERS.split())
        draw = rng.random()
        if draw < 0.3:
            text = f"{text}.{rng.choice(UNARY.split())}()"
        elif draw < 0.55:
            pair = [text, other] if rng.random() < 0.7 else [other, text]
            text = f"({f' {rng.choice(BINARY)} '.join(pair)})"
        elif draw < 0.65:
            method, beside = rng.choice(METHODS[:-1]), rng.choice(names)
            text = f"{text}.{method}({beside})"
        elif draw < 0.85:
            text = rng.choice(ACTIVATIONS.split()).format(text, rng.choice(names))
        elif draw < 0.93:
            text = rng.choice(VIEWS.split()).format(text, rng.choice(names))
        else:
            text = rng.choice(REDUCTIONS.split()).format(text, rng.choice(names))
    return text


def program_call(rng, seed, recipe, sizes):
    """Return (text, recipes) of a program with other sizes, layouts and numbers."""
    text, inputs = program(seed * 1009 + rng.randrange(PROGRAMS))
    sizes, recipes = [rng.choice(sizes) for _ in range(3)], []
    for kind, dtype, kept, grad in inputs:
        shape = tuple(n if keep else 1 for n, keep in zip(sizes, kept, strict=False))
        kind = "e" if rng.random() < 0.1 else kind
        recipes.append(recipe(rng, kind, shape, dtype, grad))
    return text, tuple(recipes)


def rounded_call(rng, recipe, sizes):
    """Return (text, recipes) of a layer whose weights are rounded to int8."""
    inputs, outputs = rng.choice(sizes[1:]), rng.choice(sizes[1:])
    rows = tuple(rng.choice(sizes[:5]) for _ in range(rng.choice((0, 1, 1, 2))))
    kinds = [rng.choices("fpuhe", (6, 2, 2, 1, 1))[0] for _ in range(3)]
    shapes = (*rows, inputs), (outputs, inputs), (outputs,)
    recipes = [recipe(rng, k, s, "float32", False) for k, s in zip(kinds, shapes, strict=True)]
    bias = "z" if rng.random() < 0.7 else "None"
    return f"rounded_linear(x, y, {bias})", tuple(recipes)
