"""Trees: taken apart, put together, and mapped; every kind of node."""

from collections import OrderedDict, UserDict, defaultdict, deque, namedtuple

import pytest

import norch_autograd as norch
from norch_autograd.types import trees

Pair = namedtuple("Pair", "first second")
LISTS = defaultdict(list, {"a": 1, "b": [2]})
TREES = [
    3, None, (), {}, [1, [2, (3,)]], {"b": 1, "a": {"c": (2, None)}}, Pair(1, [2]),
    OrderedDict(z=1, a=2), LISTS, deque([1, 2], 5), UserDict(a=1), "text", {"x": []},
]  # fmt: skip


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_a_tree_is_its_leaves_and_its_spec(tree):
    leaves, spec = trees.tree_flatten(tree)
    made = trees.tree_unflatten(leaves, spec)
    assert made == tree and type(made) is type(tree)
    assert len(leaves) == spec.num_leaves and trees.tree_leaves(tree) == leaves
    assert trees.tree_flatten(made)[1] == spec
    assert getattr(made, "maxlen", None) == getattr(tree, "maxlen", None)
    assert getattr(made, "default_factory", None) == getattr(tree, "default_factory", None)


def test_a_spec_holds_no_leaf():
    _, spec = trees.tree_flatten({"a": object()})
    assert spec.node == {"a": None}


def test_map_walks_several_trees_by_their_keys():
    a, b = {"x": 1, "y": (2, 3)}, {"y": ([4], {"z": 5}), "x": 6}
    pairs = {"x": (1, 6), "y": ((2, [4]), (3, {"z": 5}))}
    assert trees.tree_map(lambda *leaves: leaves, a, b) == pairs
    assert trees.tree_map(len, [[1, 2], [3]], is_leaf=lambda t: t == [3] or t == [1, 2]) == [2, 1]
    for wrong in ({"x": 1}, {"x": 1, "z": (2, 3)}, {"x": 1, "y": [2, 3]}, {"x": 1, "y": 2}, 7):
        with pytest.raises(ValueError, match="must be built alike"):
            trees.tree_map(lambda *leaves: leaves, a, wrong)


def test_tensors_alone_are_mapped():
    tree = {"a": norch.ones(2), "b": Pair([norch.zeros(1)], "text")}
    found = trees.tree_map_only(norch.Tensor, lambda t: t.sum().item(), tree)
    assert found == {"a": 2.0, "b": Pair([0.0], "text")}


def test_leaves_must_be_as_many():
    with pytest.raises(ValueError, match="2 leaves belong to this tree, got 1"):
        trees.tree_unflatten([1], trees.tree_flatten([1, 2])[1])
