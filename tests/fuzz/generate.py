"""Random calls: a line of Python over t (the library), nn, F and recipes x, y, z, w, v.

Its springs: the cases of tests/parity, which name every public function in a call that is right,
with other sizes, dtypes, layouts, numbers and now and then another constant; calls of every
function with arguments by their names, sensible or nonsense; random programs for the compiler and
trainings. Call n of a seed is always the same.
"""

import functools
import inspect
import math
import random
import re
from dataclasses import dataclass, replace

import cases_forms
import cases_functional
import cases_modules
import cases_pointwise
import cases_refused
import cases_shapes

from fuzz.programs import program_call, rounded_call
from fuzz.recipes import FLOATS, INTEGERS, LAYOUTS, PERIOD, Recipe, numbers
from fuzz.trainings import training_call

NAMES = "xyzwv"
SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 63, 65]
LARGE = [127, 1021, 4099]
MOST = 3000  # elements of an input; the large ones have at most MOST_LARGE
MOST_LARGE = 150_000
DTYPES = (*FLOATS, *INTEGERS, "bool")
NONSENSE = """0 1 2 -1 -2 3 7 0.5 -1.5 1e30 math.inf -math.inf math.nan True False None 2147483648
1099511627776 -1099511627776 4611686018427387904 9223372036854775808 'a' 'mean' 'sum' [] () [1,2]
(1,-1) (0,1) [[1],[2,3]] {} object 1j b'x' x t.float32 t.int64 t.bool 'cpu' [x,x] (x,)
slice(None)"""
# What a parameter of this name usually gets.
SENSIBLE = {
    "dim": "0 1 -1 2 (0,1) None",
    "dims": "0 (0,1) (-1,) [1,0]",
    "dim0 dim1 start_dim end_dim offset diagonal shifts": "0 1 -1 2",
    "size shape output_size": "3 (2,3) (4,4) (-1,) 1 2",
    "keepdim largest descending unbiased": "True False",
    "reduction": "'mean' 'sum' 'none'",
    "kernel_size": "2 3 (2,1) 1",
    "stride dilation groups k n chunks": "1 2 3",
    "padding": "0 1",
    "p": "0.5 2 0.0 1",
    "lr": "0.1 1e-3",
    "num_features in_features in_channels hidden_size input_size embedding_dim": "2 3 4",
    "num_embeddings normalized_shape num_channels": "3 4 (3,4)",
    "out_features out_channels": "2 4",
    "num_groups num_heads num_layers": "1 2",
    "batch_size steps": "1 2 3",
    "dtype": "None t.float32 t.float64 t.int64 t.float16 t.bool",
    "index indices": "y.long() y z 0",
    "mask condition": "y>0 y",
    "equation": "'ij->i' 'ij,jk->ik' 'i,i'",
    "tensors": "[x,y] [x,x] (x,)",
    "other target weight tensor tensor1 tensor2 mat2 vec2 end running_mean running_var": "y z 2",
    "bias input1 input2 x1 x2 positive negative anchor source value values src": "y z 0.5",
}
BY_NAME = {name: v.split() for names, v in SENSIBLE.items() for name in names.split()}
# What waits, ends the process, writes files, reads addresses or changes the whole process.
LEFT_OUT = """save load set_num_threads set_default_dtype set_printoptions set_rng_state
set_grad_enabled inference_mode no_grad enable_grad gradcheck gradgradcheck manual_seed seed
Generator Function default_generator memory_stats draw_graph frombuffer from_numpy autocast grad
backward data_ptr set_default_device use_deterministic_algorithms set_num_interop_threads as_torch
from_dlpack get_num_threads get_rng_state set_float32_matmul_precision set_default_tensor_type
compile register_hook register_post_accumulate_grad_hook share_memory cuda pin_memory numpy
initial_seed"""
# Whose numbers are drawn by lot or left as memory had them: only dtype, shape and refusals count.
DRAWN = re.compile(
    r"\b(rand|randn|randint|randperm|rand_like|randn_like|randint_like|bernoulli_?|multinomial"
    r"|normal_?|poisson|\w*dropout\w*|rrelu_?|uniform_?|exponential_?|log_normal_?|cauchy_?"
    r"|geometric_?|random_?|empty|empty_like|new_empty|empty_strided|empty_permuted|gumbel_softmax"
    r"|trunc_normal_?|xavier_\w+|kaiming_\w+|orthogonal_?|sparse_|RReLU|\w*Dropout\w*"
    r"|rrelu_with_noise|initial_seed|resize_|init|sample|rsample)\b|\.new\(\d"
)


@dataclass(frozen=True)
class Call:
    """`head(arguments)`, or an expression that stands for itself; and the recipes of its names."""

    head: str
    arguments: tuple = ()
    recipes: tuple = ()
    valid: bool = True  # whether it was made to be right

    @property
    def text(self):
        return f"{self.head}({', '.join(self.arguments)})" if self.arguments else self.head

    @property
    def drawn(self):
        """Whether its numbers are random, or nobody's."""
        made = "nn.Lazy" in self.text or ("nn." in self.text and "filled" not in self.text)
        return made or DRAWN.search(self.text) is not None

    @property
    def is_program(self):
        """Whether it is a random program or a training, which name many operations."""
        return self.trains or self.head.startswith(("compiled", "rounded_linear"))

    @property
    def trains(self):
        """Whether it takes steps of an optimizer."""
        return self.head.startswith(("stepped", "scheduled"))

    @property
    def name(self):
        """The operation's own name, by which failures are grouped."""
        made = re.match(r"compiled|rounded_linear", self.head)
        if made:
            return made[0]
        text = re.sub(r"^stepped\(lambda p: |^scheduled\(.*?lambda o, L: (?=L)", "", self.head)
        text = re.sub(r"^L\.", "t.", text)
        found = re.search(r"\b(?:t|F|nn|[xyzwv])((?:\.\w+)+)", text)
        return found[1].split(".")[-1] if found else re.sub(r"\d+", "n", text)[:30]

    def with_recipe(self, i, recipe):
        changed = list(self.recipes)
        changed[i] = recipe
        return replace(self, recipes=tuple(changed))


def expressions():
    """Return every expression of the parity suite with its inputs."""
    for cases in (
        cases_pointwise.POINTWISE,
        cases_pointwise.EDGE_CASES,
        cases_shapes.SHAPE_CASES,
        cases_shapes.EMPTY,
        cases_shapes.CREATION,
        cases_functional.FUNCTIONAL,
        cases_forms.FORMS,
        cases_refused.REFUSED,
    ):
        yield from cases
    for text, inputs in cases_modules.MODULES:
        names = ", ".join(NAMES[: len(inputs.split())])
        yield f"filled({text})({names})", inputs


def parameters_of(function):
    """Return the names of a function's first parameters; some places without, if unknown."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ["input", "other", "dim"]
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [p.name for p in found if p.kind in kinds and p.name != "self"]
    if any(p.kind is p.VAR_POSITIONAL for p in found):
        names = ["dims", "dim", *names]
    return names[:7]


def functions(library):
    """Return {head of a call: names of parameters} of every public function that is tried."""
    places = {
        "t": library,
        "F": library.nn.functional,
        "t.linalg": library.linalg,
        "t.special": getattr(library, "special", None),
        "t.nn.init": library.nn.init,
        "x": library.Tensor,
        "nn": library.nn,
    }
    left_out = set(LEFT_OUT.split())
    found = {operator: ["other"] for operator in OPERATORS}
    for place, module in places.items():
        for name in getattr(module, "__all__", dir(module)) if module else ():
            value = getattr(module, name)
            if name.strip("_") in left_out or not callable(value):
                continue
            if place == "nn":
                if isinstance(value, type) and issubclass(value, library.nn.Module):
                    found[f"nn.{name}"] = parameters_of(value)
            elif name[0].islower() or (place == "x" and name in EDITS):
                found[f"{place}.{name}"] = parameters_of(value)[: 1 if name in EDITS else 7]
    return found


OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>")
OPERATORS += ("==", "!=", "<", "<=", ">", ">=")
EDITS = ("__iadd__", "__isub__", "__imul__", "__itruediv__", "__ifloordiv__", "__ipow__")
EDITS += ("__iand__", "__ior__")


RANDOM = ("compiled", "rounded_linear", "stepped", "scheduled")


class Generator:
    """Makes call n of a seed; `only` keeps the calls whose text matches a pattern."""

    def __init__(self, library, seed, only=""):
        wanted = re.compile(only)
        self.seed = seed
        self.cases = [(t, i) for t, i in dict(expressions()).items() if wanted.search(t)]
        self.functions = [f for f in functions(library).items() if wanted.search(f[0])]
        self.random = [name for name in RANDOM if wanted.search(f"{name}(")]

    def call(self, n):
        """Return call n."""
        rng = random.Random(self.seed * 1_000_003 + n)
        others = self.cases or self.functions
        if self.random and (rng.random() < 0.08 or not others):
            return self.from_random(rng)
        if self.cases and (rng.random() < 0.7 or not self.functions):
            return self.from_case(rng, *rng.choice(self.cases))
        return self.from_names(rng, *rng.choice(self.functions))

    def from_random(self, rng):
        """Return a random program, or a training."""
        kind = rng.choice(self.random)
        if kind == "compiled":
            text, recipes = program_call(rng, self.seed, recipe, SIZES)
            return Call(text, recipes=recipes, valid=False)
        if kind == "rounded_linear":
            text, recipes = rounded_call(rng, recipe, SIZES)
            return Call(text, recipes=recipes)
        text, recipes, valid = training_call(rng, kind, recipe, SIZES[1:])
        return Call(text, recipes=recipes, valid=valid)

    def from_case(self, rng, text, inputs):
        """Return a case with other inputs, and now and then one other constant."""
        words = [(w[0], tuple(int(n) for n in w[1:].split(",") if n)) for w in inputs.split()]
        sizes = resize_some(rng, [shape for _, shape in words])
        float_type = rng.choices(FLOATS, (5, 3, 1, 1))[0]
        strange, grad = rng.random() < 0.1, rng.random() < 0.4
        recipes = []
        for (kind, _), shape in zip(words, sizes, strict=True):
            dtype = rng.choice(DTYPES) if strange else dtype_of(kind, float_type, rng)
            kind = "e" if rng.random() < 0.12 else kind
            recipes.append(recipe(rng, kind, shape, dtype, grad))
        constant = rng.random() < 0.15
        return Call(
            other_constant(rng, text) if constant else text,
            recipes=tuple(recipes),
            valid=not (strange or constant),
        )

    def from_names(self, rng, head, parameters):
        """Return a call with arguments by the names of the parameters."""
        shape = tuple(rng.choice(SIZES[1:9]) for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4))))
        dtype, recipes = rng.choice(DTYPES), []
        for _ in range(3):
            same = rng.random() < 0.6
            some = shape if same else tuple(rng.choice((*shape, 1, 3)) for _ in shape[:3])
            kind = "f" if rng.random() < 0.8 else "e"
            chosen = dtype if rng.random() < 0.8 else rng.choice(DTYPES)
            recipes.append(recipe(rng, kind, some, chosen, rng.random() < 0.3))
        count = rng.randrange(min(len(parameters), 1), len(parameters) + 1)
        arguments = [argument(rng, name) for name in parameters[:count]]
        if head in OPERATORS:
            pair = ["x", argument(rng, "other")]
            rng.shuffle(pair)
            return Call(f" {head} ".join(pair), recipes=tuple(recipes), valid=False)
        if head[0] == "x":
            pass
        elif head.startswith("nn."):
            head, arguments = f"filled({head}({', '.join(arguments)}))", ["x"]
        elif arguments and rng.random() < 0.9:
            arguments[0] = BY_NAME["tensors"][0] if parameters[0] == "tensors" else "x"
        if not arguments:
            head += "()"
        return Call(head, tuple(arguments), tuple(recipes), valid=False)


@functools.cache
def nonsense():
    return NONSENSE.split()


def argument(rng, name):
    """Return the text of an argument for a parameter, by position or by keyword."""
    if name in BY_NAME and rng.random() < 0.8:
        return rng.choice(BY_NAME[name])
    return rng.choice("yz") if rng.random() < 0.4 else rng.choice(nonsense())


def dtype_of(kind, float_type, rng):
    """Return a dtype that fits a kind of numbers."""
    if kind in "fpuqgteh":
        return float_type
    if kind == "b":
        return "bool"
    return rng.choice(INTEGERS) if rng.random() < 0.15 else "int64"


def recipe(rng, kind, shape, dtype, grad):
    """Return a recipe of random numbers in a random layout."""
    count = max(1, min(PERIOD, 2 * math.prod(shape) + 4))
    layout = "plain" if rng.random() < 0.4 else rng.choice(LAYOUTS)
    pattern = tuple(numbers(kind, count, rng))
    return Recipe(dtype, shape, layout, pattern, grad, rng.randrange(1000))


def resize_some(rng, shapes):
    """Return the shapes with some of their numbers changed, the same number alike everywhere."""
    if rng.random() < 0.4:
        return shapes
    large = rng.random() < 0.01
    known = sorted({n for shape in shapes for n in shape})
    pool = SIZES + LARGE * 3 if large else SIZES
    new = {n: rng.choice(pool) if rng.random() < 0.6 else n for n in known}
    changed = [tuple(new[n] for n in shape) for shape in shapes]
    most = MOST_LARGE if large else MOST
    return changed if all(math.prod(s) <= most for s in changed) else shapes


CONSTANT = re.compile(
    r"(?<![\w.'\"])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.'\"])|\b(?:None|True|False)\b"
)


def other_constant(rng, text):
    """Return an expression with one of its constants replaced."""
    places = [p for p in CONSTANT.finditer(text) if not text[: p.start()].rstrip().endswith("**")]
    if not places:
        return text
    place = rng.choice(places)
    return f"{text[: place.start()]}{rng.choice(nonsense())}{text[place.end() :]}"
