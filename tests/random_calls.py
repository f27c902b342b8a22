"""Random calls of every public function: sensible arguments, and all kinds of nonsense.

`calls(seed, count, names)` yields (name, arguments) for a library to be tried on; the arguments are
recipes, made into tensors by `built`, so that two libraries get the same. Seeded: a run repeats.
"""

import random

import numpy as np

# What waits, ends the process, writes files or changes settings of the whole process.
LEFT_OUT = (
    "save load set_num_threads set_default_dtype set_printoptions set_rng_state set_grad_enabled "
    "inference_mode no_grad enable_grad gradcheck gradgradcheck manual_seed seed Generator "
    "Function default_generator memory_stats draw_graph frombuffer from_numpy autocast grad"
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


def calls(seed, names, rounds):
    """Yield `rounds` calls of every name."""
    rng = random.Random(seed)
    for _ in range(rounds):
        for name in names:
            first = [Recipe(rng)] if rng.random() < 0.9 else []
            yield name, first + [argument(rng) for _ in range(rng.randrange(4))]


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
    return {k: v for k, v in found.items() if k.rpartition(".")[2] not in LEFT_OUT.split()}


def functional_names(functional):
    return [n for n in dir(functional) if n[0].islower() and callable(getattr(functional, n))]


def leaves(value):
    """Return the tensors in a result."""
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [value] if type(value).__name__ == "Tensor" else []


def main(seed, rounds):
    """Try every function; print what raised something that is no answer to a user."""
    import norch

    functions = public_functions(norch)
    refusals = (TypeError, ValueError, RuntimeError, IndexError, AttributeError, ArithmeticError)
    tried = refused = 0
    for name, arguments in calls(seed, sorted(functions), rounds):
        tried += 1
        try:
            result = functions[name](*(built(a, norch) for a in arguments))
        except (*refusals, MemoryError):
            refused += 1
            continue
        except Exception as error:
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
