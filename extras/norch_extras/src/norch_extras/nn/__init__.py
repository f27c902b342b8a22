"""Further layers, losses and functions of torch.nn.

The page book/library/nn.md names them.
"""

# fmt: off
# ruff: noqa: I001
from norch_extras.nn.activation import (
    CELU as CELU, celu as celu, celu_ as celu_, GLU as GLU, glu as glu,
    gumbel_softmax as gumbel_softmax, Hardshrink as Hardshrink, hardshrink as hardshrink,
    Hardsigmoid as Hardsigmoid, hardsigmoid as hardsigmoid, Hardswish as Hardswish,
    hardswish as hardswish, Hardtanh as Hardtanh, hardtanh as hardtanh, hardtanh_ as hardtanh_,
    Mish as Mish, mish as mish, ReLU6 as ReLU6, relu6 as relu6, RReLU as RReLU, rrelu as rrelu,
    rrelu_ as rrelu_, Softmax2d as Softmax2d, Softmin as Softmin, softmin as softmin,
    Softshrink as Softshrink, softshrink as softshrink, Softsign as Softsign, softsign as softsign,
    Tanhshrink as Tanhshrink, tanhshrink as tanhshrink, Threshold as Threshold,
    threshold as threshold, threshold_ as threshold_,
)
from norch_extras.nn.adaptive_pooling import (
    adaptive_avg_pool1d as adaptive_avg_pool1d, adaptive_avg_pool3d as adaptive_avg_pool3d,
    adaptive_max_pool1d as adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices as adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d as adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices as adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d as adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices as adaptive_max_pool3d_with_indices,
    AdaptiveAvgPool1d as AdaptiveAvgPool1d, AdaptiveAvgPool2d as AdaptiveAvgPool2d,
    AdaptiveAvgPool3d as AdaptiveAvgPool3d, AdaptiveMaxPool1d as AdaptiveMaxPool1d,
    AdaptiveMaxPool2d as AdaptiveMaxPool2d, AdaptiveMaxPool3d as AdaptiveMaxPool3d,
)
from norch_extras.nn.ctc_loss import ctc_loss as ctc_loss, CTCLoss as CTCLoss
from norch_extras.nn.bilinear_layer import Bilinear as Bilinear, bilinear as bilinear
from norch_extras.nn.distance import (
    cosine_similarity as cosine_similarity, CosineSimilarity as CosineSimilarity,
    pairwise_distance as pairwise_distance, PairwiseDistance as PairwiseDistance, pdist as pdist,
)
from norch_extras.nn.dropout_variants import (
    alpha_dropout as alpha_dropout, AlphaDropout as AlphaDropout, Dropout1d as Dropout1d,
    dropout1d as dropout1d, Dropout2d as Dropout2d, dropout2d as dropout2d, Dropout3d as Dropout3d,
    dropout3d as dropout3d, feature_alpha_dropout as feature_alpha_dropout,
    FeatureAlphaDropout as FeatureAlphaDropout,
)
from norch_extras.nn.embedding_bag import (
    embedding_bag as embedding_bag, EmbeddingBag as EmbeddingBag,
)
from norch_extras.nn.fold import Fold as Fold, fold as fold, Unfold as Unfold, unfold as unfold
from norch_extras.nn.grid_sample import affine_grid as affine_grid, grid_sample as grid_sample
from norch_extras.nn.likelihood_loss import (
    gaussian_nll_loss as gaussian_nll_loss, GaussianNLLLoss as GaussianNLLLoss, kl_div as kl_div,
    KLDivLoss as KLDivLoss, poisson_nll_loss as poisson_nll_loss, PoissonNLLLoss as PoissonNLLLoss,
)
from norch_extras.nn.local_response_norm import (
    local_response_norm as local_response_norm, LocalResponseNorm as LocalResponseNorm,
)
from norch_extras.nn.margin_loss import (
    cosine_embedding_loss as cosine_embedding_loss, CosineEmbeddingLoss as CosineEmbeddingLoss,
    hinge_embedding_loss as hinge_embedding_loss, HingeEmbeddingLoss as HingeEmbeddingLoss,
    margin_ranking_loss as margin_ranking_loss, MarginRankingLoss as MarginRankingLoss,
    multi_margin_loss as multi_margin_loss, multilabel_margin_loss as multilabel_margin_loss,
    multilabel_soft_margin_loss as multilabel_soft_margin_loss,
    MultiLabelMarginLoss as MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss, MultiMarginLoss as MultiMarginLoss,
    soft_margin_loss as soft_margin_loss, SoftMarginLoss as SoftMarginLoss,
    triplet_margin_loss as triplet_margin_loss,
    triplet_margin_with_distance_loss as triplet_margin_with_distance_loss,
    TripletMarginLoss as TripletMarginLoss,
    TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss,
)
from norch_extras.nn.padding import (
    CircularPad1d as CircularPad1d, CircularPad2d as CircularPad2d, CircularPad3d as CircularPad3d,
    ConstantPad1d as ConstantPad1d, ConstantPad2d as ConstantPad2d, ConstantPad3d as ConstantPad3d,
    ReflectionPad1d as ReflectionPad1d, ReflectionPad2d as ReflectionPad2d,
    ReflectionPad3d as ReflectionPad3d, ReplicationPad1d as ReplicationPad1d,
    ReplicationPad2d as ReplicationPad2d, ReplicationPad3d as ReplicationPad3d,
    ZeroPad1d as ZeroPad1d, ZeroPad2d as ZeroPad2d, ZeroPad3d as ZeroPad3d,
)
from norch_extras.nn.parameter_container import (
    ParameterDict as ParameterDict, ParameterList as ParameterList,
)
from norch_extras.nn.pixelshuffle import (
    channel_shuffle as channel_shuffle, ChannelShuffle as ChannelShuffle,
    pixel_shuffle as pixel_shuffle, pixel_unshuffle as pixel_unshuffle,
    PixelShuffle as PixelShuffle, PixelUnshuffle as PixelUnshuffle,
)
from norch_extras.nn.pooling import (
    lp_pool1d as lp_pool1d, lp_pool2d as lp_pool2d, lp_pool3d as lp_pool3d, LPPool1d as LPPool1d,
    LPPool2d as LPPool2d, LPPool3d as LPPool3d, max_unpool1d as max_unpool1d,
    max_unpool2d as max_unpool2d, max_unpool3d as max_unpool3d, MaxUnpool1d as MaxUnpool1d,
    MaxUnpool2d as MaxUnpool2d, MaxUnpool3d as MaxUnpool3d,
)
from norch_extras.nn.rnn_cells import (
    GRUCell as GRUCell, LSTMCell as LSTMCell, RNNCell as RNNCell, RNNCellBase as RNNCellBase,
)
from norch_extras.nn.upsampling import (
    interpolate as interpolate, Upsample as Upsample, upsample as upsample,
    upsample_bilinear as upsample_bilinear, upsample_nearest as upsample_nearest,
    UpsamplingBilinear2d as UpsamplingBilinear2d, UpsamplingNearest2d as UpsamplingNearest2d,
)
