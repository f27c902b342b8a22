"""Every operation of stage 2 under the same name, for arrays on a CUDA device or its simulator.

`Operations(backend)` has the families listed here, side by side: none inherits from another; they
call functions of lower floors only. `array.ops` is one.
"""

from norch_cuda.operations.attention import Attention
from norch_cuda.operations.conv import Convolution
from norch_cuda.operations.creation import Creation
from norch_cuda.operations.elementwise import Elementwise
from norch_cuda.operations.embedding import Embeddings
from norch_cuda.operations.functions import Activations, Functions
from norch_cuda.operations.histogram import Histograms
from norch_cuda.operations.im2col import Im2Col
from norch_cuda.operations.index import Indexing
from norch_cuda.operations.matmul import MatrixProducts
from norch_cuda.operations.normalization import BatchNorms, Norms
from norch_cuda.operations.optimizers import Optimizers
from norch_cuda.operations.pool import Pooling
from norch_cuda.operations.quantized import Quantized
from norch_cuda.operations.random import Random
from norch_cuda.operations.recurrent import Recurrent
from norch_cuda.operations.reductions import Reductions
from norch_cuda.operations.resample import Resampling
from norch_cuda.operations.scatter import Scattering
from norch_cuda.operations.softmax import Softmax
from norch_cuda.operations.sort import Sorting


class Operations(
    Creation,
    Elementwise,
    Functions,
    Activations,
    Reductions,
    MatrixProducts,
    Quantized,
    Softmax,
    Indexing,
    Scattering,
    Sorting,
    Histograms,
    Embeddings,
    Random,
    Optimizers,
    Convolution,
    Pooling,
    Im2Col,
    Resampling,
    Norms,
    BatchNorms,
    Recurrent,
    Attention,
):
    """All operations of one device; see the families for each."""
