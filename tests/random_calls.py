"""Random calls of every public function: sensible arguments, and all kinds of nonsense.

`calls(seed, functions, rounds)` yields (name, arguments); the arguments are recipes, made into
tensors by `built`. Of modules, optimizers, datasets and samplers a call is a whole life: made,
then used. Seeded: a run repeats.
"""

import builtins
import inspect
import itertools
import random
import re

import numpy as np

# What waits, ends the process, writes files or changes settings of the whole process.
LEFT_OUT = (
    "save load set_num_threads set_default_dtype set_printoptions set_rng_state set_grad_enabled "
    "inference_mode no_grad enable_grad gradcheck gradgradcheck manual_seed seed Generator "
    "Function default_generator memory_stats draw_graph frombuffer from_numpy autocast grad "
    "set_default_device use_deterministic_algorithms set_num_interop_threads"
)
SHAPES = [(), (0,), (1,), (3,), (4,), (2, 3), (3, 2), (3, 3), (0, 3), (2, 3, 4), (1, 2, 4, 4)]
DTYPES = ["float64", "float32", "int64", "bool", "uint8", "float16"]
NUMBERS = [
    0,
    1,
    2,
    -1,
    -2,
    3,
    7,
    0.5,
    -1.5,
    1e30,
    float("inf"),
    float("nan"),
    True,
    2**40,
    -(2**40),
]
NONSENSE = [
    None,
    "a",
    "mean",
    "ij->i",
    [],
    (),
    [1, 2],
    (1, -1),
    [[1], [2, 3]],
    {},
    object,
    1j,
    b"x",
]


# What a parameter of this name usually gets, beside everything else.
SENSIBLE = {
    "dim": [0, 1, -1, 2, (0, 1)],
    "dims": [0, (0, 1), (-1,), [1, 0]],
    "size": [3, (2, 3), (4, 4)],
    "shape": [(6,), (2, 3), (-1,)],
    "keepdim": [True, False],
    "reduction": ["mean", "sum", "none"],
    "kernel_size": [2, 3, (2, 1)],
    "stride": [1, 2],
    "padding": [0, 1],
    "groups": [1, 2],
    "p": [0.5, 2, 0.0],
    "k": [1, 2],
    "n": [3, 1],
    "lr": [0.1, 1e-3],
    "num_features": [2, 3],
    "in_features": [3, 4],
    "out_features": [2, 5],
    "in_channels": [2, 3],
    "out_channels": [4],
    "batch_size": [1, 2, 3],
    "dtype": [None],
}


class Recipe:
    """A tensor to be made: its shape, its dtype and the seed of its numbers."""

    def __init__(self, rng):
        self.shape, self.dtype = rng.choice(SHAPES), rng.choice(DTYPES)
        self.seed = rng.randrange(1000)
        self.turned = rng.random() < 0.3

    def __repr__(self):
        return f"{self.dtype}{list(self.shape)}{'.T' if self.turned else ''}"

    def built(self, library):
        numbers = np.random.default_rng(self.seed).standard_normal(self.shape) * 2
        tensor = library.from_numpy(np.array(numbers)).to(getattr(library, self.dtype))
        return tensor.permute(*reversed(range(len(self.shape)))) if self.turned else tensor


def argument(rng):
    """Return a tensor's recipe most of the time, else a number, a list of tensors or nonsense."""
    kind = rng.random()
    if kind < 0.5:
        return Recipe(rng)
    if kind < 0.75:
        return rng.choice(NUMBERS)
    if kind < 0.85:
        return [Recipe(rng) for _ in range(rng.randrange(3))]
    return rng.choice(NONSENSE)


def arguments_for(rng, names):
    """Return one argument for each of some parameters, more often one that fits its name."""
    return [
        rng.choice(SENSIBLE[name]) if name in SENSIBLE and rng.random() < 0.7 else argument(rng)
        for name in names
    ]


def names_of(function):
    """Return the names of a function's first parameters; some places without, if unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return list("abcd")
    found = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    return found[:6] or list("abc")


def calls(seed, functions, rounds):
    """Yield `rounds` calls of every function."""
    rng = random.Random(seed)
    names = {name: names_of(function) for name, function in sorted(functions.items())}
    for _ in range(rounds):
        for name, parameters in names.items():
            count = rng.randrange(1, len(parameters) + 1) if parameters else 0
            found = arguments_for(rng, parameters[:count])
            if found and rng.random() < 0.8 and parameters[0] not in SENSIBLE:
                found[0] = Recipe(rng)
            yield name, found


def built(argument, library):
    """Return an argument for one library."""
    if isinstance(argument, Recipe):
        return argument.built(library)
    if isinstance(argument, list):
        return [built(item, library) for item in argument]
    return argument


def public_functions(library):
    """Return {name: function} of the library's top level, of functional and of Tensor."""
    functional = library.nn.functional
    found = {
        f"norch.{name}": getattr(library, name)
        for name in dir(library)
        if name[0].islower() and callable(getattr(library, name))
    }
    found |= {f"F.{name}": getattr(functional, name) for name in functional_names(functional)}
    found |= {
        f"Tensor.{name}": getattr(library.Tensor, name)
        for name in dir(library.Tensor)
        if not name.startswith("_") and callable(getattr(library.Tensor, name))
    }
    found |= {f"init.{name}": f for name, f in inspect.getmembers(library.nn.init, callable)}
    found |= lives(library)
    left_out = LEFT_OUT.split()
    return {k: v for k, v in found.items() if k.rpartition(".")[2].strip("_") not in left_out}


def lives(library):
    """Return, by name, what makes a module, an optimizer or a dataset of arguments and uses it."""
    data = library.utils.data
    kinds = (data.TensorDataset, data.BatchSampler, data.RandomSampler, data.WeightedRandomSampler)
    return {
        **{f"nn.{k.__name__}": module_life(k) for k in classes(library.nn, library.nn.Module)},
        **{
            f"optim.{k.__name__}": optimizer_life(k)
            for k in classes(library.optim, library.optim.Optimizer)
        },
        **{f"data.{k.__name__}": data_life(k) for k in (*kinds, data.Subset, data.ConcatDataset)},
    }


def classes(module, base):
    """Return the public classes of a module that descend from a base."""
    found = [c for _, c in inspect.getmembers(module, inspect.isclass) if issubclass(c, base)]
    return [c for c in found if c is not base]


def with_names(use, kind, *first):
    """Give a function the parameters of a class's constructor, behind some of its own."""
    use.__signature__ = inspect.Signature(
        [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD)
            for name in dict.fromkeys([*first, *names_of(kind)])
        ]
    )
    return use


def module_life(kind):
    return with_names(lambda x=None, *args: kind(*args)(x), kind, "x")


def optimizer_life(kind):
    """Make, step, and read the state of an optimizer of one parameter."""

    def life(x=None, *args):
        parameter = x.double().requires_grad_()
        parameter.grad = parameter.detach() * 2
        optimizer = kind([parameter], *args)
        optimizer.step()
        optimizer.load_state_dict(optimizer.state_dict())
        return parameter

    return with_names(life, kind, "x")


def data_life(kind):
    return with_names(lambda *args: list(itertools.islice(iter(kind(*args)), 20)), kind)


def functional_names(functional):
    return [n for n in dir(functional) if n[0].islower() and callable(getattr(functional, n))]


def leaves(value):
    """Return the tensors in a result."""
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value] if type(value).__name__ == "Tensor" else []


def is_answer(error):
    """Whether an exception is one that PyTorch would raise: of our own words, or Python's about an
    argument of Python's that is no tensor. Nothing that speaks of our insides.
    """
    if isinstance(error, AttributeError):
        named = re.match(r"(?:type object )?'(\w+)'(?: object)? has no attribute", str(error))
        kind = named and named[1]
        return kind == "NoneType" or inspect.isclass(getattr(builtins, kind or "", None))
    if isinstance(error, (AssertionError, KeyError)):
        return str(error).strip("'").startswith("[")
    kinds = (TypeError, ValueError, RuntimeError, IndexError, ArithmeticError, MemoryError)
    return isinstance(error, kinds) and not isinstance(error, RecursionError)


def main(seed, rounds):
    """Try every function; print what raised something that is no answer to a user."""
    import norch

    functions = public_functions(norch)
    tried = refused = 0
    for name, arguments in calls(seed, functions, rounds):
        tried += 1
        try:
            result = functions[name](*(built(a, norch) for a in arguments))
        except Exception as error:
            refused += 1
            if not is_answer(error):
                print(f"BROKEN {name}({arguments}): {type(error).__name__}: {error}")
            continue
        for tensor in leaves(result):
            if tensor.numel() > 1_000_000:  # a view of a few elements repeated: no list holds it
                continue
            if np.asarray(tensor.tolist(), dtype=object).size != tensor.numel():
                print(f"BROKEN {name}({arguments}): {tensor.shape} does not hold what it says")
    print(f"tried {tried} refused {refused}")


if __name__ == "__main__":
    import sys
    import warnings

    warnings.simplefilter("ignore")
    main(int(sys.argv[1]), int(sys.argv[2]))
