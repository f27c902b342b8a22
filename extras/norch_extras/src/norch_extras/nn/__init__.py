"""Further layers, losses and functions of torch.nn.

The page book/library/nn.md names them.
"""

from norch_extras.nn.ctc_loss import CTCLoss as CTCLoss, ctc_loss as ctc_loss
from norch_extras.nn.distance import (
    Bilinear as Bilinear,
    CosineSimilarity as CosineSimilarity,
    PairwiseDistance as PairwiseDistance,
    bilinear as bilinear,
    cosine_similarity as cosine_similarity,
    pairwise_distance as pairwise_distance,
    pdist as pdist,
)
from norch_extras.nn.fold import Fold as Fold, Unfold as Unfold, fold as fold, unfold as unfold
from norch_extras.nn.grid_sample import affine_grid as affine_grid, grid_sample as grid_sample
from norch_extras.nn.margin_loss import (
    CosineEmbeddingLoss as CosineEmbeddingLoss,
    HingeEmbeddingLoss as HingeEmbeddingLoss,
    MarginRankingLoss as MarginRankingLoss,
    MultiLabelMarginLoss as MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss,
    MultiMarginLoss as MultiMarginLoss,
    SoftMarginLoss as SoftMarginLoss,
    TripletMarginLoss as TripletMarginLoss,
    TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss,
    cosine_embedding_loss as cosine_embedding_loss,
    hinge_embedding_loss as hinge_embedding_loss,
    margin_ranking_loss as margin_ranking_loss,
    multi_margin_loss as multi_margin_loss,
    multilabel_margin_loss as multilabel_margin_loss,
    multilabel_soft_margin_loss as multilabel_soft_margin_loss,
    soft_margin_loss as soft_margin_loss,
    triplet_margin_loss as triplet_margin_loss,
    triplet_margin_with_distance_loss as triplet_margin_with_distance_loss,
)
from norch_extras.nn.padding import (
    CircularPad1d as CircularPad1d,
    CircularPad2d as CircularPad2d,
    CircularPad3d as CircularPad3d,
    ConstantPad1d as ConstantPad1d,
    ConstantPad2d as ConstantPad2d,
    ConstantPad3d as ConstantPad3d,
    ReflectionPad1d as ReflectionPad1d,
    ReflectionPad2d as ReflectionPad2d,
    ReflectionPad3d as ReflectionPad3d,
    ReplicationPad1d as ReplicationPad1d,
    ReplicationPad2d as ReplicationPad2d,
    ReplicationPad3d as ReplicationPad3d,
    ZeroPad1d as ZeroPad1d,
    ZeroPad2d as ZeroPad2d,
    ZeroPad3d as ZeroPad3d,
)
from norch_extras.nn.parameter_container import (
    ParameterDict as ParameterDict,
    ParameterList as ParameterList,
)
from norch_extras.nn.pixelshuffle import (
    ChannelShuffle as ChannelShuffle,
    PixelShuffle as PixelShuffle,
    PixelUnshuffle as PixelUnshuffle,
    channel_shuffle as channel_shuffle,
    pixel_shuffle as pixel_shuffle,
    pixel_unshuffle as pixel_unshuffle,
)
from norch_extras.nn.rnn_cells import (
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    RNNCell as RNNCell,
    RNNCellBase as RNNCellBase,
)
