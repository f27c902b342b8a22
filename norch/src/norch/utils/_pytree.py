"""Trees of tensors, under the name by which public models import them: from stage 5, `norch_nn`."""

from norch_autograd.types.trees import (
    TreeSpec as TreeSpec,
    tree_flatten as tree_flatten,
    tree_leaves as tree_leaves,
    tree_map as tree_map,
    tree_map_only as tree_map_only,
    tree_unflatten as tree_unflatten,
)
