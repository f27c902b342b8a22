"""Where an element lives: layouts, views, broadcasting, indexing.

The one author of these rules in norch: the C++ and CUDA stages loop over the strides they get
from here. Pure Python, no dependencies; every function is pure and every layout immutable.
"""

from norch_strides.broadcast import (
    broadcast_shapes as broadcast_shapes,
    broadcast_strides as broadcast_strides,
    broadcast_to as broadcast_to,
    expand as expand,
)
from norch_strides.coalesce import coalesce as coalesce, coalesce_all as coalesce_all
from norch_strides.dims import (
    as_dims as as_dims,
    as_ints as as_ints,
    normalize_dim as normalize_dim,
    normalize_dims as normalize_dims,
    reduced_shape as reduced_shape,
)
from norch_strides.indexing import (
    IndexPlan as IndexPlan,
    basic_index as basic_index,
    is_basic_index as is_basic_index,
    plan_index as plan_index,
)
from norch_strides.layout import (
    Layout as Layout,
    bounds as bounds,
    check_layout as check_layout,
    contiguous as contiguous,
    index as index,
    is_contiguous as is_contiguous,
    numel as numel,
    positions as positions,
    row_major as row_major,
)
from norch_strides.picking import (
    chunk as chunk,
    diagonal as diagonal,
    narrow as narrow,
    select as select,
    slice_dim as slice_dim,
    slice_range as slice_range,
    split as split,
    unbind as unbind,
    windows as windows,
)
from norch_strides.rearrange import (
    flip as flip,
    movedim as movedim,
    permute as permute,
    squeeze as squeeze,
    transpose as transpose,
    unsqueeze as unsqueeze,
)
from norch_strides.reshaping import (
    as_strided as as_strided,
    flattened_shape as flattened_shape,
    overlaps as overlaps,
    reshape as reshape,
    resolve_shape as resolve_shape,
    unflattened_shape as unflattened_shape,
    view as view,
)
from norch_strides.strided_array import StridedArray as StridedArray
