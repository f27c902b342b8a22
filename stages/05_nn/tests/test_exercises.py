"""The tests of exercises 5.1 to 5.11: from small cases to large, judged by hand or by formulas.

`make check 5.3` runs those marked 5.3 on the reader's answer; pytest runs all of them on the
reference. A test uses nothing that another exercise writes: trees are built by hand, by entering
names where `__setattr__` would, and the walk of 5.2 is played where another test needs it.
"""

import itertools
from contextlib import suppress
from math import exp, log1p

from norch_autograd import arange, float16, float64, full, manual_seed, ones, tensor, zeros
from norch_course.testing import exercise, expect, expect_error
from norch_nn import init
from norch_nn.amp.grad_scaler import GradScaler
from norch_nn.core import state_dict
from norch_nn.core.call import Hooked
from norch_nn.core.parameter import Buffer, Parameter
from norch_nn.core.registry import Tree
from norch_nn.data.sampler import BatchSampler
from norch_nn.functional.activation import logsigmoid
from norch_nn.functional.attention import _heads
from norch_nn.functional.dropout import apply_mask
from norch_nn.optim.sgd import SGD
from norch_nn.utils.clip_grad import clip_grad_norm_

HUGE = 3e38  # two of these are more than float32 can hold


def forms(*values):
    """Yield the forms that arrays come in: words, and a function that makes such an array.

    The numbers are exact in half precision, but for those whose sum overflows.
    """
    several = list(values)
    yield "one number", lambda: tensor(several[:1])
    yield "several", lambda: tensor(several)
    yield "of shape (2, 1, n)", lambda: tensor([[several], [several]])
    yield "of no dimensions", lambda: tensor(several[-1])
    yield "empty", lambda: zeros(0)
    yield "turned round", lambda: tensor(several[::-1])[::-1]
    yield "transposed", lambda: tensor([several, several]).T
    yield "in half precision", lambda: tensor(several, dtype=float16)
    yield "in double precision", lambda: tensor(several, dtype=float64)
    yield "huge", lambda: tensor([HUGE, HUGE, *several])


def spread(value):
    """One number that stands for three."""
    return tensor([value]).expand(3)


def each(function, values):
    """Apply a function to the numbers of nested lists."""
    if isinstance(values, list):
        return [each(function, value) for value in values]
    return function(values)


def kind_of(found):
    """Return the numbers of a tensor, and the name of its dtype."""
    return found.tolist(), str(found.dtype).rpartition(".")[2]


# ---- The tree ------------------------------------------------------------------------------------


def kinds(**attributes):
    """Return what an empty tree remembers after the attributes were set."""
    tree = Tree()
    for name, value in attributes.items():
        setattr(tree, name, value)
    return {kind[1:-6]: list(names) for kind, names in vars(tree).items() if kind.endswith("names")}


def remembered(parameter=(), buffer=(), module=()):
    return {"parameter": list(parameter), "buffer": list(buffer), "module": list(module)}


def stored(value):
    """Whether an attribute that was set is there, and is the very object."""
    tree = Tree()
    tree.part = value
    return vars(tree).get("part") is value


@exercise("5.1")
def test_what_is_set_is_there():
    expect("tree.part = 3; tree.part is 3", lambda: stored(3), True)
    weight = Parameter(zeros(2))
    expect("tree.part = weight; tree.part is weight", lambda: stored(weight), True)
    expect("tree.part = Tree(); is it there?", lambda: stored(Tree()), True)


@exercise("5.1")
def test_a_parameter_and_a_module_are_remembered():
    weight = Parameter(zeros(2))
    expect("what kind is tree.size = 3", lambda: kinds(size=3), remembered())
    expect("tree.w = Parameter(...)", lambda: kinds(w=weight), remembered(["w"]))
    expect("tree.child = Tree()", lambda: kinds(child=Tree()), remembered(module=["child"]))
    both = remembered(["w"], module=["child"])
    expect("w, child, size", lambda: kinds(w=weight, child=Tree(), size=3), both)


@exercise("5.1")
def test_a_plain_tensor_is_data():
    expect("tree.data = zeros(2)", lambda: kinds(data=zeros(2)), remembered())


@exercise("5.1")
def test_a_parameter_is_not_lost_by_accident():
    weight = Parameter(zeros(2))

    def overwrite():
        tree = Tree()
        tree.w = weight
        tree.w = 3

    expect_error("tree.w = Parameter(...); tree.w = 3", overwrite, TypeError)

    def left():
        tree = Tree()
        tree.w = weight
        with suppress(TypeError):
            tree.w = 3
        return vars(tree).get("w") is weight

    expect("is the parameter still there afterwards", left, True)


@exercise("5.1")
def test_a_parameter_may_be_replaced_by_another():
    def replaced(first, second):
        tree = Tree()
        tree.part = first
        tree.part = second
        return vars(tree)["part"] is second

    pair = Parameter(zeros(2)), Parameter(zeros(3))
    expect("tree.part = Parameter(...), then another one", lambda: replaced(*pair), True)
    expect("tree.part = Tree(), then another one", lambda: replaced(Tree(), Tree()), True)


@exercise("5.1")
def test_names_and_values_of_every_sort():
    frozen = Parameter(zeros(2), requires_grad=False)
    expect("tree.w = a Parameter that is frozen", lambda: kinds(w=frozen), remembered(["w"]))
    expect("tree._w = Parameter(...)", lambda: kinds(_w=Parameter(zeros(2))), remembered(["_w"]))
    expect("tree.w = Parameter(zeros(0))", lambda: kinds(w=Parameter(zeros(0))), remembered(["w"]))
    expect("tree.parts = []; is it there?", lambda: stored([]), True)
    expect("tree.parts = [Tree(), Tree()]", lambda: kinds(parts=[Tree(), Tree()]), remembered())

    def overwrite():
        tree = Tree()
        tree.child = Tree()
        tree.child = 3

    expect_error("tree.child = Tree(); tree.child = 3", overwrite, TypeError)


@exercise("5.1")
def test_a_part_may_change_its_kind():
    weight, buffer = Parameter(zeros(2)), Buffer(zeros(2))

    def after(*values):
        tree = Tree()
        for value in values:
            tree.part = value
        names = {kind[1:-6]: list(found) for kind, found in vars(tree).items() if "names" in kind}
        return names, vars(tree)["part"] is values[-1]

    kept = remembered(buffer=["part"]), True
    expect("tree.part = Buffer(...)", lambda: after(buffer), kept)
    moved = remembered(["part"]), True
    expect("tree.part = Tree(), then a Parameter", lambda: after(Tree(), weight), moved)
    expect("tree.part = 3, then a Parameter", lambda: after(3, weight), moved)
    child = remembered(module=["part"]), True
    expect("tree.part = Parameter(...), then a Tree", lambda: after(weight, Tree()), child)
    expect("tree.part = Parameter(...), then None", lambda: after(weight, None), moved)


@exercise("5.1")
def test_data_of_every_form_is_stored():
    for words, make in [*forms(1.0, 2.0), ("of stride 0", lambda: spread(1.0))]:
        expect(f"tree.part = a tensor, {words}", lambda make=make: stored(make()), True)


@exercise("5.1")
def test_derived_classes_are_of_the_kind():
    class Derived(Parameter):
        pass

    class Branch(Tree):
        pass

    def of_a_branch():
        tree = Branch()
        tree.child = Tree()
        return list(vars(tree)["_module_names"])

    expect("branch.child = Tree(), in a Branch: its modules", of_a_branch, ["child"])
    weight = Derived(zeros(2))
    expect("tree.w = Derived(...), a Parameter", lambda: kinds(w=weight), remembered(["w"]))
    expect("tree.b = Branch(), a Tree", lambda: kinds(b=Branch()), remembered(module=["b"]))


@exercise("5.1")
def test_what_a_class_does_with_truth_and_with_names():
    class Empty(Tree):
        def __len__(self):
            return 0

    shown = "tree.b = Empty(), a Tree of length 0"
    expect(shown, lambda: kinds(b=Empty()), remembered(module=["b"]))

    class Doubled(Tree):
        @property
        def size(self):
            return self.half * 2

        @size.setter
        def size(self, value):
            self.half = value // 2

    def half():
        tree = Doubled()
        tree.size = 6
        return tree.half, list(vars(tree))[3:]

    shown = "tree.size = 6, where a property keeps the half: tree.half, the values that are stored"
    expect(shown, half, (3, ["half"]))


def grown(*children):
    """A tree with the children a, b, ... registered as `__setattr__` would."""
    tree = Tree()
    for name, child in zip("abc", children, strict=False):
        vars(tree)["_module_names"][name] = True
        vars(tree)[name] = child
    return tree


def paths(tree):
    return [path for path, _ in tree.named_modules()]


@exercise("5.2")
def test_the_parent_comes_first():
    expect("paths of a lone module", lambda: paths(grown()), [""])
    expect("paths of a module with one child", lambda: paths(grown(Tree())), ["", "a"])
    two = grown(Tree(), Tree())
    expect("paths of a module with two children", lambda: paths(two), ["", "a", "b"])


@exercise("5.2")
def test_paths_grow_by_dots():
    deep = grown(grown(Tree(), grown(Tree())), Tree())
    wanted = ["", "a", "a.a", "a.b", "a.b.a", "b"]
    expect("paths of a deep tree", lambda: paths(deep), wanted)

    def pairs():
        return [type(module).__name__ for _, module in grown(Tree()).named_modules()]

    expect("what stands behind the paths", pairs, ["Tree", "Tree"])
    named = [path for path, _ in deep.named_modules(prefix="net")]
    prefixed = ["net", "net.a", "net.a.a", "net.a.b", "net.a.b.a", "net.b"]
    expect("the same below 'net'", lambda: named, prefixed)


@exercise("5.2")
def test_a_shared_module_comes_once():
    shared = Tree()
    expect("paths of a module shared by a and b", lambda: paths(grown(shared, shared)), ["", "a"])
    twice = grown(grown(shared), shared)
    expect("shared at two depths", lambda: paths(twice), ["", "a", "a.a"])
    every = [path for path, _ in twice.named_modules(remove_duplicate=False)]

    def entered():
        memo = set()
        parts = dict(twice.named_modules(memo))
        return [path for path, module in parts.items() if id(module) in memo]

    expect("whose id is in the memo that was given", entered, ["", "a", "a.a"])
    expect("the same, duplicates wanted", lambda: every, ["", "a", "a.a", "b"])


@exercise("5.2")
def test_a_deep_tree_and_one_that_goes_round():
    def chain(length):
        tree = Tree()
        for _ in range(length):
            tree = grown(tree)
        return tree

    long = [".".join("a" * depth) for depth in range(41)]
    expect("a chain of 40 children", lambda: paths(chain(40)), long)

    def round_trip():
        below, top = Tree(), Tree()
        for one, other in ((top, below), (below, top)):
            vars(one)["_module_names"]["a"] = True
            vars(one)["a"] = other
        return paths(top)

    expect("a child whose child is its parent", round_trip, ["", "a"])

    def with_nothing():
        tree = grown(Tree(), Tree())
        vars(tree)["a"] = None
        return paths(tree)

    expect("a tree whose child a is None", with_nothing, ["", "b"])

    def unsorted():
        tree = Tree()
        for name in ("late", "early"):
            vars(tree)["_module_names"][name] = True
            vars(tree)[name] = Tree()
        return paths(tree)

    expect("a tree with the children late, then early", unsorted, ["", "late", "early"])

    def met():
        tree, memo = grown(Tree()), set()
        list(tree.named_modules(memo, remove_duplicate=False))
        return len(memo)

    expect("how many ids are in the memo, duplicates wanted, two modules", met, 2)

    def walks():
        tree = grown(Tree(), Tree())
        return next(tree.named_modules())[0], paths(tree), paths(tree)

    expect("the first path, then all, then all again", walks, ("", ["", "a", "b"], ["", "a", "b"]))


# ---- First values, dropout, a safe logarithm -----------------------------------------------------


@exercise("5.3")
def test_fans_of_a_linear_weight():
    expect("fans(zeros(1, 1))", lambda: init.fans(zeros(1, 1)), (1, 1))
    expect("fans(zeros(30, 784))", lambda: init.fans(zeros(30, 784)), (784, 30))


@exercise("5.3")
def test_fans_of_a_kernel():
    expect("fans(zeros(1, 1, 3))", lambda: init.fans(zeros(1, 1, 3)), (3, 3))
    expect("fans(zeros(8, 4, 3, 3))", lambda: init.fans(zeros(8, 4, 3, 3)), (36, 72))
    expect("fans(zeros(2, 3, 5, 1, 2))", lambda: init.fans(zeros(2, 3, 5, 1, 2)), (30, 20))


@exercise("5.3")
def test_fans_of_weights_without_numbers():
    expect("fans(zeros(3, 0))", lambda: init.fans(zeros(3, 0)), (0, 3))
    expect("fans(zeros(0, 3))", lambda: init.fans(zeros(0, 3)), (3, 0))
    expect("fans(zeros(2, 3, 0, 5))", lambda: init.fans(zeros(2, 3, 0, 5)), (0, 0))
    expect("fans(zeros(0, 3, 4))", lambda: init.fans(zeros(0, 3, 4)), (12, 0))


@exercise("5.3")
def test_fans_ask_for_the_shape_alone():
    half, double = zeros(2, 3, dtype=float16), zeros(2, 3, dtype=float64)
    expect("fans of shape (2, 3), half precision", lambda: init.fans(half), (3, 2))
    expect("fans of shape (2, 3), double precision", lambda: init.fans(double), (3, 2))
    turned, wide = zeros(5, 3)[::-1], zeros(1, 3).expand(5, 3)
    expect("fans of shape (5, 3), turned round", lambda: init.fans(turned), (3, 5))
    expect("fans of shape (5, 3), of stride 0", lambda: init.fans(wide), (3, 5))
    huge = full((2, 3), HUGE)
    expect("fans of shape (2, 3), huge numbers", lambda: init.fans(huge), (3, 2))


def kept(p, shape=(4000,), input=None):
    """Drop with seed 0; return the values that appear."""
    manual_seed(0)
    dropped = apply_mask(ones(4000) if input is None else input, shape, p, True, False)
    return sorted(set(dropped.tolist()))


@exercise("5.4")
def test_all_may_be_dropped():
    expect("what is left of ones with p=1", lambda: kept(1.0), [0.0])


@exercise("5.4")
def test_what_is_kept_grows():
    expect("values of ones with p=0.5", lambda: kept(0.5), [0.0, 2.0])
    expect("values of ones with p=0.75", lambda: kept(0.75), [0.0, 4.0])
    eights = full((4000,), 8.0)
    expect("values of eights with p=0.5", lambda: kept(0.5, input=eights), [0.0, 16.0])


@exercise("5.4")
def test_the_mean_stays():
    def mean():
        manual_seed(0)
        return round(apply_mask(ones(40000), (40000,), 0.75, True, False).mean().item(), 1)

    expect("the mean of 40000 ones with p=0.75, one digit", mean, 1.0)


@exercise("5.4")
def test_a_row_of_the_mask_is_shared():
    def rows():
        manual_seed(0)
        dropped = apply_mask(ones(50, 3), (50, 1), 0.5, True, False)
        return {len(set(row)) for row in dropped.tolist()}

    expect("different values in a row when the mask has shape (50, 1)", rows, {1})


@exercise("5.4")
def test_each_element_has_a_draw_of_its_own():
    def alone():
        manual_seed(0)
        one = ones(1)
        return sorted({apply_mask(one, (1,), 0.5, True, False).item() for _ in range(60)})

    expect("60 masks of ones(1) with p=0.5: values", alone, [0.0, 2.0])

    def again():
        manual_seed(0)
        first, second = (apply_mask(ones(99), (99,), 0.5, True, False).tolist() for _ in range(2))
        return first == second

    expect("are two masks one after the other the same", again, False)

    def share():
        manual_seed(0)
        dropped = apply_mask(ones(8, 500), (8, 500), 0.25, True, False)
        return [round(row.count(0.0) / 500, 1) in (0.2, 0.3) for row in dropped.tolist()]

    expect("p=0.25, 8 rows of 500: is about a quarter of each 0", share, [True] * 8)

    def different():
        manual_seed(0)
        dropped = apply_mask(ones(8, 500), (8, 500), 0.25, True, False)
        return len({tuple(row) for row in dropped.tolist()})

    expect("p=0.25, 8 rows of 500: how many of the rows are different", different, 8)


@exercise("5.4")
def test_the_mask_is_like_the_input():
    def masked(make, p):
        manual_seed(0)
        x = make()
        found = apply_mask(x, tuple(x.shape), p, True, False)
        possible = {0.0, *(v / (1 - p) for v in flat(x.tolist()) if p < 1)}
        odd = [v for v in flat(found.tolist()) if v not in possible]
        return tuple(found.shape), odd, kind_of(found)[1]

    for words, make in [*forms(1.0, 2.0, -4.0), ("of stride 0", lambda: spread(4.0))]:
        right = tuple(make().shape), [], kind_of(make())[1]
        for p in (0.5, 1.0) if words != "huge" else (1.0,):
            shown = (
                f"{words}, p={p}: shape, numbers that are no input times 0 or 1 / (1 - p), dtype"
            )
            expect(shown, lambda make=make, p=p: masked(make, p), right)

    def values(p):
        manual_seed(0)
        found = apply_mask(ones(50, dtype=float64), (50,), p, True, False).tolist()
        return sorted({round(value, 12) for value in found})

    for p, large in ((0.2, 1.25), (0.1, round(1 / 0.9, 12))):
        shown = f"values of ones in double precision with p={p}, 12 digits"
        expect(shown, lambda p=p: values(p), [0.0, large])

    def rarely_kept(p):
        manual_seed(0)
        return sorted(set(apply_mask(ones(9999), (9999,), p, True, False).tolist()))

    for share in (32, 256):
        p = 1 - 1 / share
        shown = f"values of 9999 ones with p={p}"
        expect(shown, lambda p=p: rarely_kept(p), [0.0, float(share)])


def flat(values):
    return [x for value in values for x in flat(value)] if isinstance(values, list) else [values]


@exercise("5.4")
def test_the_gradient_goes_through_what_is_kept():
    def slopes():
        manual_seed(0)
        x = ones(200, requires_grad=True)
        y = apply_mask(x, (200,), 0.5, True, False)
        y.sum().backward()
        return x.grad.tolist() == y.tolist(), sorted(set(y.tolist()))

    right = True, [0.0, 2.0]
    expect("ones with p=0.5: is the gradient the mask, its values", slopes, right)


def rounded(values):
    return [round(float(value), 4) for value in values]


@exercise("5.5")
def test_logsigmoid_in_the_middle():
    for values in [[0.0], [1.0], [-1.0], [-3.0, 0.5, 4.0]]:
        right = rounded(-log1p(exp(-x)) for x in values)
        shown = f"logsigmoid({values}), four digits"
        expect(shown, lambda v=values: rounded(logsigmoid(tensor(v)).tolist()), right)


@exercise("5.5")
def test_logsigmoid_keeps_its_digits():
    for x in (10.0, 20.0):
        right = f"{-log1p(exp(-x)):.3e}"
        expect(f"logsigmoid([{x}])", lambda x=x: f"{logsigmoid(tensor([x])).item():.3e}", right)


@exercise("5.5")
def test_logsigmoid_far_out():
    expect("logsigmoid([200.0])", lambda: rounded(logsigmoid(tensor([200.0])).tolist()), [0.0])
    far = tensor([-200.0])
    expect("logsigmoid([-200.0])", lambda: rounded(logsigmoid(far).tolist()), [-200.0])


@exercise("5.5")
def test_the_slope_of_logsigmoid_far_out():
    def slope():
        x = tensor([-200.0, 0.0, 200.0], requires_grad=True)
        logsigmoid(x).sum().backward()
        return rounded(x.grad.tolist())

    expect("the slope of logsigmoid at -200, 0, 200", slope, [1.0, 0.5, 0.0])


@exercise("5.5")
def test_logsigmoid_in_double_precision():
    for x in (0.5, -1.0, -10.0, -20.0, 20.0, 40.0, 700.0, -700.0):
        right = f"{min(x, 0.0) - log1p(exp(-abs(x))):.9e}"
        given = tensor([x], dtype=float64)
        # Which digits come out of float32 is the processor's affair: they are not shown.
        shown = f"logsigmoid([{x}]), double precision: is it {right}"
        expect(shown, lambda x=given, r=right: f"{logsigmoid(x).item():.9e}" == r, True)

    def rest(x):
        return round((x - logsigmoid(tensor([x], dtype=float64)).item()) / log1p(exp(x)))

    for x in (-24.0, -28.0, -31.0):
        expect(f"({x} - logsigmoid([{x}])) / log(1 + exp({x})), rounded", lambda x=x: rest(x), 1)


@exercise("5.5")
def test_logsigmoid_of_every_form():
    def digits(found):
        return each(lambda v: round(v, 3), found.tolist()), kind_of(found)[1]

    def wanted(x):
        right = each(lambda v: round(min(v, 0.0) - log1p(exp(-abs(v))), 3) + 0.0, x.tolist())
        return right, kind_of(x)[1]

    small = [one for one in forms(2.0, -200.0, 0.5) if one[0] != "huge"]
    for words, make in [*small, ("of stride 0", lambda: spread(-1.0))]:
        shown = f"logsigmoid of 2, -200, 0.5, {words}: three digits, dtype"
        expect(shown, lambda make=make: digits(logsigmoid(make())), wanted(make()))
    huge = [-HUGE, -HUGE, HUGE]
    right = [tensor(-HUGE).item()] * 2 + [0.0]
    expect(f"logsigmoid({huge})", lambda: logsigmoid(tensor(huge)).tolist(), right)


@exercise("5.5")
def test_the_slope_of_logsigmoid():
    def slope(x):
        given = tensor([x], dtype=float64, requires_grad=True)
        logsigmoid(given).backward(ones(1, dtype=float64))
        return f"{given.grad.item():.6e}"

    for x in (1.0, -1.0, 20.0, 40.0):
        right = f"{exp(-x) / (1 + exp(-x)):.6e}"
        expect(f"the slope of logsigmoid at {x}", lambda x=x: slope(x), right)

    def untouched():
        x = tensor([-3.0, 3.0])
        logsigmoid(x)
        return x.tolist()

    expect("x = [-3, 3] after logsigmoid(x)", untouched, [-3.0, 3.0])


# ---- Loading, clipping, batches ------------------------------------------------------------------


class Pair(Hooked):
    """Two tensors in a row, found without a walk."""

    def __init__(self):
        super().__init__()
        self.hold(a=zeros(2), b=zeros(1, 3))

    def hold(self, **tensors):
        vars(self).update(tensors=tensors, _parameter_names=dict.fromkeys(tensors, True), **tensors)

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        yield prefix, self


def loaded(given, strict=True, assign=False, wants=False):
    """What the pair holds after loading `given`, and whether that raised."""
    pair, raised = Pair(), False
    for one in pair.tensors.values():
        one.requires_grad_(wants)
    before = list(pair.tensors.values())
    try:
        state_dict.load(pair, given, strict, assign)
    except NotImplementedError:  # the empty hole
        raise
    except RuntimeError:
        raised = True
    values = [t.tolist() for t in pair.tensors.values()]
    same = all(t is b for t, b in zip(pair.tensors.values(), before, strict=True))
    return values, "raised" if raised else "no error", "same tensors" if same else "replaced"


ONES = {"a": ones(2), "b": ones(1, 3)}


ONE_AND_TWO = tensor([1.0, 2.0])


def learning():
    return zeros(2, requires_grad=True)


def loaded_alone(make, given, assign=False):
    """Load `given` for the one tensor of a module; return what it holds then, and what it is."""
    pair = Pair()
    own = make()
    pair.hold(a=own)
    state_dict.load(pair, {"a": given}, True, assign)
    now = pair.tensors["a"]
    return kind_of(now), now is own, now.requires_grad, now.grad_fn is None


@exercise("5.6")
def test_everything_fits():
    right = ([[1.0, 1.0], [[1.0, 1.0, 1.0]]], "no error", "same tensors")
    expect("load a and b of ones", lambda: loaded(ONES), right)
    expect("the same into parameters", lambda: loaded(ONES, wants=True), right)


@exercise("5.6")
def test_tensors_of_every_form():
    for words, make in forms(1.0, 2.0):
        if words == "huge":
            continue
        x = make()
        right = (each(lambda v: v + 1.0, x.tolist()), kind_of(x)[1]), True, False, True
        shown = (
            f"a tensor, {words}, from one whose numbers are 1 more: values, is it the same tensor"
        )
        given = x + 1
        expect(shown, lambda m=make, g=given: loaded_alone(m, g)[:2], right[:2])

    def other_kind(given):
        return loaded_alone(lambda: zeros(2), given)

    same = ([1.0, 2.0], "float32"), True, False, True
    half = tensor([1.0, 2.0], dtype=float16)
    expect("zeros(2) from half precision: values, same, records", lambda: other_kind(half), same)

    def double():
        given = tensor([2.0**40 + 1], dtype=float64)
        return loaded_alone(lambda: zeros(1, dtype=float64), given)[0]

    expect("zeros(1) from 2**40 + 1, double precision", double, ([2.0**40 + 1], "float64"))
    learns = (*same[:2], True, True)
    for assign in (False, True):
        shown = f"zeros(2) that learns from [1.0, 2.0], assign={assign}: values, same, learns, leaf"
        expect(shown, lambda a=assign: loaded_alone(learning, tensor([1.0, 2.0]), a), learns)
    spoiled = [float("nan"), float("inf")]
    shown = "tensor([nan, inf]) from [1.0, 2.0]"
    expect(shown, lambda: loaded_alone(lambda: tensor(spoiled), ONE_AND_TWO), same)
    huge = tensor([HUGE, HUGE])
    right = (huge.tolist(), "float32"), True, False, True
    expect("zeros(2) from huge numbers", lambda: other_kind(huge), right)
    turned = tensor([2.0, 1.0])[::-1]
    expect("zeros(2) from a tensor turned round", lambda: other_kind(turned), same)
    wide = spread(1.0)[:2]
    expect(
        "zeros(2) from ones of stride 0",
        lambda: other_kind(wide),
        (([1.0, 1.0], "float32"), True, False, True),
    )
    recorded = tensor([1.0, 2.0], requires_grad=True)
    expect("zeros(2) from a tensor that records", lambda: other_kind(recorded), same)


@exercise("5.6")
def test_nothing_to_load():
    def empty():
        module = Pair()
        module.hold()
        state_dict.load(module, {}, True, False)
        return list(module.tensors)

    expect("a module of no tensors from {}", empty, [])
    nothing = ([[0.0, 0.0], [[0.0, 0.0, 0.0]]], "no error", "same tensors")
    expect("a and b from {}, strict=False", lambda: loaded({}, strict=False), nothing)


@exercise("5.6")
def test_all_problems_are_named():
    def said():
        try:
            state_dict.load(Pair(), {"b": ones(2, 3), "odd": ones(1)}, True, False)
        except NotImplementedError:  # the empty hole
            raise
        except RuntimeError as error:
            return [name for name in ('"a"', "(2, 3)", '"odd"') if name in str(error)]
        return "no RuntimeError"

    shown = "a is missing, b has shape (2, 3), odd is too much: what the RuntimeError names"
    expect(shown, said, ['"a"', "(2, 3)", '"odd"'])


@exercise("5.6")
def test_whose_memory_it_is():
    def shared(assign):
        pair, given = Pair(), {"a": ones(2), "b": ones(1, 3)}
        state_dict.load(pair, given, True, assign)
        given["a"].fill_(7.0)
        return pair.tensors["a"].tolist()

    expect("a of ones is loaded, then edited: the pair's a", lambda: shared(False), [1.0, 1.0])
    expect("the same, assign=True", lambda: shared(True), [7.0, 7.0])


@exercise("5.6")
def test_a_wrong_shape_changes_nothing():
    nothing = ([[0.0, 0.0], [[0.0, 0.0, 0.0]]], "raised", "same tensors")
    expect("b has shape (2, 3)", lambda: loaded({**ONES, "b": ones(2, 3)}), nothing)
    expect("a has shape (3,)", lambda: loaded({**ONES, "a": ones(3)}), nothing)
    expect("a is missing", lambda: loaded({"b": ones(1, 3)}), nothing)
    expect("odd is too much", lambda: loaded({**ONES, "odd": ones(1)}), nothing)
    shape = {"a": ones(2), "b": ones(2, 3)}
    expect("b has shape (2, 3), strict=False", lambda: loaded(shape, strict=False), nothing)
    expect("b has shape (2, 3), assign=True", lambda: loaded(shape, assign=True), nothing)


@exercise("5.6")
def test_what_is_missing_may_be_allowed():
    some = ([[0.0, 0.0], [[1.0, 1.0, 1.0]]], "no error", "same tensors")
    expect("only b, strict=False", lambda: loaded({"b": ones(1, 3)}, strict=False), some)
    more = {"b": ones(1, 3), "odd": ones(1)}
    expect("b and odd, strict=False", lambda: loaded(more, strict=False), some)


def clipped(grads, limit):
    """Clip the gradients of as many parameters; return them with two digits."""
    parameters = []
    for grad in grads:
        parameter = zeros(len(grad), requires_grad=True)
        parameter.grad = tensor(grad)
        parameters.append(parameter)
    clip_grad_norm_(parameters, limit)
    return [[round(g, 2) for g in p.grad.tolist()] for p in parameters]


@exercise("5.7")
def test_one_gradient_is_shortened():
    expect("clip [10.0] to 5", lambda: clipped([[10.0]], 5.0), [[5.0]])
    expect("clip [30.0, -40.0] to 5", lambda: clipped([[30.0, -40.0]], 5.0), [[3.0, -4.0]])


@exercise("5.7")
def test_short_gradients_stay():
    expect("clip [0.3, 0.4] to 5", lambda: clipped([[0.3, 0.4]], 5.0), [[0.3, 0.4]])


@exercise("5.7")
def test_all_gradients_share_a_factor():
    expect("clip [30.0] and [40.0] to 5", lambda: clipped([[30.0], [40.0]], 5.0), [[3.0], [4.0]])
    grads = [[2.0, 0.0], [-3.0], [6.0]]
    expect(f"clip {grads} to 3.5", lambda: clipped(grads, 3.5), [[1.0, 0.0], [-1.5], [3.0]])


@exercise("5.7")
def test_a_length_that_is_no_number_or_tiny():
    def spoiled():
        return [str(grad) for grad in clipped([[float("nan")], [3.0, 4.0]], 5.0)]

    expect("clip [nan] and [3.0, 4.0] to 5", spoiled, ["[nan]", "[nan, nan]"])

    def tiny(limit):
        parameter = zeros(1, requires_grad=True)
        parameter.grad = tensor([1e-6])
        returned = clip_grad_norm_([parameter], limit)
        return f"{parameter.grad.item():.1e}, returned {returned.item():.1e}"

    half, whole = "5.0e-07, returned 1.0e-06", "1.0e-06, returned 1.0e-06"
    expect("clip [1e-6] to 1e-6, and the length returned", lambda: tiny(1e-6), half)
    expect("clip [1e-6] to 1, and the length returned", lambda: tiny(1.0), whole)


@exercise("5.7")
def test_limits_and_lengths_of_every_kind():
    def of_norm(grads, limit, norm):
        parameters = [zeros(len(grad), requires_grad=True) for grad in grads]
        for parameter, grad in zip(parameters, grads, strict=True):
            parameter.grad = tensor(grad)
        held = [parameter.grad for parameter in parameters]
        clip_grad_norm_(parameters, limit, norm)
        now = [[round(g, 2) for g in p.grad.tolist()] for p in parameters]
        return now, all(p.grad is h for p, h in zip(parameters, held, strict=True))

    both = [[3.0], [-4.0]]
    shown = f"clip {both} to 3.5, the length being"
    expect(f"{shown} the sum of sizes", lambda: of_norm(both, 3.5, 1.0), ([[1.5], [-2.0]], True))
    expect(
        f"{shown} the largest size",
        lambda: of_norm(both, 2.0, float("inf")),
        ([[1.5], [-2.0]], True),
    )
    expect("clip [3.0, 4.0] to 0", lambda: clipped([[3.0, 4.0]], 0.0), [[0.0, 0.0]])
    expect("clip nothing to 5", lambda: clipped([], 5.0), [])
    expect("clip [] and [6.0, 8.0] to 5", lambda: clipped([[], [6.0, 8.0]], 5.0), [[], [3.0, 4.0]])

    def exact():
        parameters = [zeros(2, requires_grad=True), zeros(1, requires_grad=True)]
        parameters[0].grad = tensor([0.1, 0.7])
        clip_grad_norm_(parameters, 1.0)
        return parameters[0].grad.tolist() == tensor([0.1, 0.7]).tolist(), parameters[
            1
        ].grad is None

    shown = "clip [0.1, 0.7] and no gradient to 1: are all digits the same, is there still none"
    expect(shown, exact, (True, True))

    def infinite():
        return [str(grad) for grad in clipped([[float("inf"), 1.0], [2.0]], 5.0)]

    expect("clip [inf, 1.0] and [2.0] to 5", infinite, ["[nan, 0.0]", "[0.0]"])


@exercise("5.7")
def test_gradients_of_every_form_are_shortened():
    def halved(make):
        parameter = make().requires_grad_()
        parameter.grad = make()
        held = parameter.grad
        clip_grad_norm_([parameter], 10.0, float("inf"))
        return each(lambda v: round(v, 2), held.tolist()), kind_of(held)[1]

    for words, make in [one for one in forms(12.0, -20.0) if one[0] != "empty"]:
        x = make()
        factor = min(10.0 / max(map(abs, flat(x.tolist()))), 1.0)
        shorter = each(lambda v, f=factor: round(v * f, 2) + 0.0, x.tolist())
        shown = f"gradients 12, -20, {words}: clip their largest size to 10"
        expect(shown, lambda make=make: halved(make), (shorter, kind_of(x)[1]))


def batches(sampler, size, drop_last=False):
    return list(BatchSampler(sampler, size, drop_last))


@exercise("5.8")
def test_batches_without_rest():
    expect("batches of 1 of [7]", lambda: batches([7], 1), [[7]])
    expect("batches of 2 of range(4)", lambda: batches(range(4), 2), [[0, 1], [2, 3]])
    expect("batches of 2 of nothing", lambda: batches([], 2), [])


@exercise("5.8")
def test_the_rest():
    expect("batches of 2 of range(5)", lambda: batches(range(5), 2), [[0, 1], [2, 3], [4]])
    expect("the same, drop_last", lambda: batches(range(5), 2, True), [[0, 1], [2, 3]])
    expect("batches of 4 of [3, 1], drop_last", lambda: batches([3, 1], 4, True), [])
    two = [[0, 1], [2, 3]]
    expect("batches of 2 of range(4), drop_last", lambda: batches(range(4), 2, True), two)
    expect("batches of 9 of [3, 1]", lambda: batches([3, 1], 9), [[3, 1]])


@exercise("5.8")
def test_any_index_and_any_number_of_passes():
    odd = [None, 0, "", "a", 0]
    expect(f"batches of 2 of {odd}", lambda: batches(odd, 2), [[None, 0], ["", "a"], [0]])
    expect("batches of 3 of [1, 1, 2]", lambda: batches([1, 1, 2], 3), [[1, 1, 2]])

    def twice():
        sampler = BatchSampler([5, 6, 7], 2, False)
        return list(sampler), list(sampler)

    expect("batches of 2 of [5, 6, 7], two passes", twice, ([[5, 6], [7]],) * 2)

    def side_by_side():
        first, second = (iter(sampler) for sampler in [BatchSampler([1, 2, 3], 1, False)] * 2)
        return next(first), next(first), next(second)

    expect(
        "batches of 1 of [1, 2, 3], two from one pass, one from another",
        side_by_side,
        ([1], [2], [1]),
    )

    def emptied():
        found = []
        for batch in BatchSampler([1, 2, 3], 2, False):
            found.append(list(batch))
            batch.clear()
        return found

    expect("batches of 2 of [1, 2, 3], each emptied by its reader", emptied, [[1, 2], [3]])


@exercise("5.8")
def test_an_endless_sampler():
    def numbers():
        for number in itertools.count():
            if number == 1000:
                raise RuntimeError("1000 numbers were read for two batches of 2")
            yield number

    def first():
        endless = iter(BatchSampler(numbers(), 2, False))
        return [next(endless), next(endless)]

    expect("the first two batches of 0, 1, 2, ...", first, [[0, 1], [2, 3]])


@exercise("5.8")
def test_batches_keep_the_order():
    expect("batches of 3 of [5, 1, 4, 2]", lambda: batches([5, 1, 4, 2], 3), [[5, 1, 4], [2]])


# ---- Heads, and half precision -------------------------------------------------------------------


@exercise("5.9")
def test_heads_are_pieces_of_neighbours():
    for steps, batch, width, heads in [
        (1, 1, 1, 1),
        (1, 1, 4, 2),
        (2, 1, 4, 2),
        (1, 2, 4, 2),
        (3, 2, 6, 3),
        (2, 3, 6, 2),
    ]:
        x = arange(steps * batch * width).reshape(steps, batch, width)
        rows, size = x.tolist(), width // heads
        cuts = [slice(k, k + size) for k in range(0, width, size)]
        right = [[[row[n][cut] for row in rows] for cut in cuts] for n in range(batch)]
        shown = f"x = 0, 1, 2, ... of shape {(steps, batch, width)}: _heads(x, {heads})"
        expect(shown, lambda x=x, n=heads: _heads(x, n).tolist(), right)


@exercise("5.9")
def test_cutting_moves_nothing():
    def moved(x):
        return _heads(x, 2).data_ptr() != x.data_ptr()

    expect(
        "x = ones(3, 2, 6): are the numbers of _heads(x, 2) copies",
        lambda: moved(ones(3, 2, 6)),
        False,
    )
    batch_first = ones(2, 3, 6).transpose(0, 1)
    expect("x = ones(2, 3, 6).transpose(0, 1): the same", lambda: moved(batch_first), False)

    def written():
        x = zeros(2, 1, 4)
        _heads(x, 2)[0, 1, 0].fill_(7.0)
        return x.tolist()

    right = [[[0.0, 0.0, 7.0, 7.0]], [[0.0] * 4]]
    expect("x = zeros(2, 1, 4) after 7 is written to step 0 of head 1", written, right)


@exercise("5.9")
def test_the_gradient_finds_its_way_back():
    def slopes():
        x = ones(2, 1, 4, requires_grad=True)
        (_heads(x, 2) * tensor([1.0, 3.0])).sum().backward()
        return x.grad.tolist()

    right = [[[1.0, 3.0, 1.0, 3.0]]] * 2
    expect("x (2, 1, 4), two heads times [1, 3]: the slopes of their sum", slopes, right)


@exercise("5.9")
def test_heads_of_every_form():
    rows = [[[1.0, 2.0, 3.0, 4.0]], [[5.0, 6.0, 7.0, 8.0]]]
    cut = [[[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]]
    for words, x, right in [
        ("of no steps", zeros(0, 1, 4), [[[], []]]),
        ("of no samples", zeros(1, 0, 4), []),
        ("in half precision", tensor(rows, dtype=float16), cut),
        ("in double precision", tensor(rows, dtype=float64), cut),
        ("turned round", tensor(rows[::-1])[::-1], cut),
        ("of stride 0", ones(1, 1, 4).expand(2, 1, 4), [[[[1.0, 1.0]] * 2] * 2]),
        ("batch first", tensor([[rows[0][0], rows[1][0]]]).transpose(0, 1), cut),
        ("huge", full((2, 1, 4), HUGE), [[[full((2,), HUGE).tolist()] * 2] * 2]),
    ]:
        expect(f"_heads(x, 2), x {words}", lambda x=x: _heads(x, 2).tolist(), right)


def unscaled(*grads, factor=4.0):
    """Return the gradients after `unscale_`, as texts, and whether a step is taken then."""
    parameters = [Parameter(zeros(len(grad))) for grad in grads]
    for parameter, grad in zip(parameters, grads, strict=True):
        parameter.grad = tensor(grad)
    optimizer, scaler = SGD(parameters, lr=1.0), GradScaler("cpu", init_scale=factor)
    scaler.unscale_(optimizer)
    found = [str(parameter.grad.tolist()) for parameter in parameters]
    scaler.step(optimizer)
    return found, any(parameter.abs().nan_to_num(1.0).sum().item() > 0 for parameter in parameters)


@exercise("5.10")
def test_gradients_are_divided_where_they_are():
    expect("scale 4, gradients [[8.0]]", lambda: unscaled([8.0]), (["[2.0]"], True))
    two = (["[1.0, 2.0]", "[-0.5]"], True)
    expect("scale 4, gradients [[4.0, 8.0], [-2.0]]", lambda: unscaled([4.0, 8.0], [-2.0]), two)

    def recorded():
        parameter = Parameter(zeros(1))
        parameter.grad = tensor([8.0], requires_grad=True)
        GradScaler("cpu", init_scale=4.0).unscale_(SGD([parameter], lr=1.0))
        return parameter.grad.tolist()

    expect("scale 4, a gradient [8.0] that requires one", recorded, [2.0])


@exercise("5.10")
def test_a_step_with_an_overflow_is_not_taken():
    inf, nan = float("inf"), float("nan")
    for grads, left in [
        ([[inf]], ["[inf]"]),
        ([[-inf]], ["[-inf]"]),
        ([[nan]], ["[nan]"]),
        ([[4.0, inf]], ["[1.0, inf]"]),
        ([[4.0], [inf]], ["[1.0]", "[inf]"]),
        ([[inf], [4.0]], ["[inf]", "[1.0]"]),
    ]:
        shown = f"scale 4, gradients {grads}: what is left, and is a step taken"
        expect(shown, lambda g=grads: unscaled(*g), (left, False))


@exercise("5.10")
def test_large_finite_numbers_are_no_overflow():
    def is_stepped(*grads):
        return unscaled(*grads, factor=1.0)[1]

    for power in (16, 100, 127):
        x, shown = 2.0**power, f"2**{power}"
        expect(f"scale 1, gradient [{shown}]: is a step taken", lambda x=x: is_stepped([x]), True)
        shown = f"scale 1, gradients [{shown}, {shown}] and [-{shown}, -{shown}]: is a step taken"
        expect(shown, lambda x=x: is_stepped([x, x], [-x, -x]), True)


@exercise("5.10")
def test_gradients_of_every_form_are_divided():
    def divided(make, factor, *others):
        parameters = [Parameter(make().clone()) for _ in range(1 + len(others))]
        for parameter, one in zip(parameters, (make, *others), strict=True):
            parameter.grad = one()
        held = [parameter.grad for parameter in parameters]
        scaler = GradScaler("cpu", init_scale=factor)
        scaler.unscale_(SGD(parameters, lr=1.0))
        return [kind_of(grad) for grad in held], scaler.get_scale()

    for words, make in forms(8.0, -3.0):
        for factor in (4.0, 0.5) if words != "huge" else (4.0,):
            x = make()
            right = [(each(lambda v, f=factor: v / f, x.tolist()), kind_of(x)[1])], factor
            shown = f"scale {factor}, gradients 8, -3, {words}: what is left, and the scale"
            expect(shown, lambda make=make, f=factor: divided(make, f), right)

    class Told(SGD):
        def step(self, closure=None):
            return "a step is taken"

    def without():
        optimizer, scaler = Told([Parameter(zeros(1))], lr=1.0), GradScaler("cpu", init_scale=4.0)
        scaler.unscale_(optimizer)
        return scaler.step(optimizer)

    expect("scale 4, no gradients: what step() returns", without, "a step is taken")


def factors(steps, interval, factor=2.0, start=1.0):
    """Return the factor and the count after each of some good steps."""
    scaler = GradScaler("cpu", start, growth_factor=factor, growth_interval=interval)
    found = []
    for _ in range(steps):
        scaler._grow()
        found.append((scaler.get_scale(), scaler._growth_tracker))
    return found


def counted(interval, *scales):
    """Return the factors with the counts that belong to them."""
    return [(scale, step % interval) for step, scale in enumerate(scales, start=1)]


@exercise("5.11")
def test_the_factor_grows_after_enough_good_steps():
    each_time = counted(1, 2.0, 4.0, 8.0)
    expect("interval 1, three good steps: factor, count", lambda: factors(3, 1), each_time)
    five = counted(2, 1.0, 2.0, 2.0, 4.0, 4.0)
    expect("interval 2, five good steps: factor, count", lambda: factors(5, 2), five)
    six = counted(3, 1.0, 1.0, 3.0, 3.0, 3.0, 9.0)
    shown = "interval 3, growth_factor 3, six good steps: factor, count"
    expect(shown, lambda: factors(6, 3, 3.0), six)
    half = counted(1, 1.5, 2.25, 3.375)
    expect("interval 1, growth_factor 1.5, three good steps", lambda: factors(3, 1, 1.5), half)


@exercise("5.11")
def test_the_factor_stays_finite():
    large = 1e308
    expect("from 1e308, interval 1", lambda: factors(2, 1, 2.0, large), counted(1, large, large))
    four = counted(2, *[large] * 4)
    expect("from 1e308, interval 2: factor, count", lambda: factors(4, 2, 2.0, large), four)
    expect("from 2.0**200, interval 1", lambda: factors(1, 1, 2.0, 2.0**200), [(2.0**201, 0)])
