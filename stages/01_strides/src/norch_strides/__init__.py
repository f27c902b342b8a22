"""Where an element lives: layouts, views, broadcasting, indexing.

The one author of these rules in norch: the C++ and CUDA stages loop over the strides they get
from here. Pure Python, no dependencies; every function is pure and every layout immutable.
"""

from norch_strides.broadcast import broadcast_shapes as broadcast_shapes
from norch_strides.broadcast import broadcast_strides as broadcast_strides
from norch_strides.broadcast import broadcast_to as broadcast_to
from norch_strides.broadcast import expand as expand
from norch_strides.coalesce import coalesce as coalesce
from norch_strides.coalesce import coalesce_all as coalesce_all
from norch_strides.dims import as_ints as as_ints
from norch_strides.dims import normalize_dim as normalize_dim
from norch_strides.dims import normalize_dims as normalize_dims
from norch_strides.dims import reduced_shape as reduced_shape
from norch_strides.indexing import IndexPlan as IndexPlan
from norch_strides.indexing import basic_index as basic_index
from norch_strides.indexing import is_basic_index as is_basic_index
from norch_strides.indexing import plan_index as plan_index
from norch_strides.layout import Layout as Layout
from norch_strides.layout import bounds as bounds
from norch_strides.layout import check_layout as check_layout
from norch_strides.layout import contiguous as contiguous
from norch_strides.layout import index as index
from norch_strides.layout import is_contiguous as is_contiguous
from norch_strides.layout import numel as numel
from norch_strides.layout import positions as positions
from norch_strides.layout import row_major as row_major
from norch_strides.picking import chunk as chunk
from norch_strides.picking import diagonal as diagonal
from norch_strides.picking import narrow as narrow
from norch_strides.picking import select as select
from norch_strides.picking import slice_dim as slice_dim
from norch_strides.picking import slice_range as slice_range
from norch_strides.picking import split as split
from norch_strides.picking import unbind as unbind
from norch_strides.picking import windows as windows
from norch_strides.rearrange import flip as flip
from norch_strides.rearrange import movedim as movedim
from norch_strides.rearrange import permute as permute
from norch_strides.rearrange import squeeze as squeeze
from norch_strides.rearrange import transpose as transpose
from norch_strides.rearrange import unsqueeze as unsqueeze
from norch_strides.reshaping import flattened_shape as flattened_shape
from norch_strides.reshaping import reshape as reshape
from norch_strides.reshaping import resolve_shape as resolve_shape
from norch_strides.reshaping import unflattened_shape as unflattened_shape
from norch_strides.reshaping import view as view
from norch_strides.strided_array import StridedArray as StridedArray

__version__ = "0.1.0"
