"""Cases of torch.nn.functional: activations, losses, distances, normalisation, layers."""

from itertools import product

from cases_pointwise import lines

ACTIVATIONS = """
F.relu(x)
F.relu6(x * 4)
F.leaky_relu(x)
F.leaky_relu(x, 0.3)
F.elu(x)
F.elu(x, alpha=0.5)
F.celu(x)
F.celu(x, 1.5)
F.selu(x)
F.gelu(x)
F.gelu(x, approximate="tanh")
F.silu(x)
F.mish(x)
F.sigmoid(x)
F.tanh(x)
F.softplus(x)
F.softplus(x, 2.0, 1.0)
F.softsign(x)
F.softshrink(x)
F.softshrink(x, 0.2)
F.hardshrink(x)
F.hardtanh(x)
F.hardtanh(x, -0.3, 0.7)
F.hardsigmoid(x * 4)
F.hardswish(x * 4)
F.tanhshrink(x)
F.threshold(x, 0.1, 20.0)
F.logsigmoid(x)
F.rrelu(x, 0.1, 0.1, training=True)
F.rrelu(x)
F.dropout(x, 0.0)
F.dropout(x, 1.0)
F.dropout(x, 0.4, training=False)
F.alpha_dropout(x, 0.5, False)
F.feature_alpha_dropout(x, 0.5, False)
F.softmax(x, -1)
F.log_softmax(x, dim=-1)
F.softmin(x, dim=-1)
"""
SHAPES = ("f3,4", "f2,3,4", "f", "f0,3", "h9", "e12")
ACTIVATED = [
    (line, shape)
    for line, shape in product(ACTIVATIONS.strip().splitlines(), SHAPES)
    if not ("softm" in line and shape == "f")
]

PAIRED_LOSSES = """
F.mse_loss(x, y{r})                                          # f3,4 f3,4
F.l1_loss(x, y{r})                                           # f3,4 f3,4
F.l1_loss(x, y{r})                                           # t3,4 t3,4
F.smooth_l1_loss(x, y{r})                                    # f3,4 f3,4
F.smooth_l1_loss(x, y, beta=0.3{r})                          # f3,4 f3,4
F.smooth_l1_loss(x, y, beta=0{r})                            # f3,4 f3,4
F.huber_loss(x, y{r})                                        # f3,4 f3,4
F.huber_loss(x, y, delta=0.3{r})                             # f3,4 f3,4
F.binary_cross_entropy(x, y{r})                              # q3,4 q3,4
F.binary_cross_entropy(x, y, weight=z{r})                    # q3,4 q3,4 p4
F.binary_cross_entropy_with_logits(x, y{r})                  # f3,4 q3,4
F.binary_cross_entropy_with_logits(x, y, weight=z{r})        # f3,4 q3,4 p4
F.binary_cross_entropy_with_logits(x, y, pos_weight=z{r})    # f3,4 q3,4 p4
F.kl_div(x, y{r})                                            # f3,4 q3,4
F.kl_div(x, y, log_target=True{r})                           # f3,4 f3,4
F.cross_entropy(x, y{r})                                     # f5,3 i5
F.cross_entropy(x, y{r})                                     # f3 i
F.cross_entropy(x, y{r})                                     # f5,3,4 i5,4
F.cross_entropy(x, y{r})                                     # f2,3,4,5 i2,4,5
F.cross_entropy(x, y, weight=z{r})                           # f5,3 i5 p3
F.cross_entropy(x, y, ignore_index=1{r})                     # f5,3 i5
F.cross_entropy(x, y, label_smoothing=0.2{r})                # f5,3 i5
F.cross_entropy(x, y, z, label_smoothing=0.2{r})             # f5,3 i5 p3
F.cross_entropy(x, y, label_smoothing=0.1, ignore_index=0{r})  # f5,3 i5
F.cross_entropy(x, y{r})                                     # f5,3 q5,3
F.cross_entropy(x, y, z{r})                                  # f5,3 q5,3 p3
F.cross_entropy(x, y, label_smoothing=0.2{r})                # f5,3,4 q5,3,4
F.cross_entropy(200 * x, y{r})                               # f5,3 i5
F.nll_loss(x, y{r})                                          # f5,3 i5
F.nll_loss(x, y, z{r})                                       # f5,3 i5 p3
F.nll_loss(x, y, ignore_index=2{r})                          # f5,3,4 i5,4
F.cosine_embedding_loss(x, y, z{r})                          # f3,4 f3,4 s3
F.cosine_embedding_loss(x, y, z, margin=0.3{r})              # f3,4 f3,4 s3
F.margin_ranking_loss(x, y, z{r})                            # f3 f3 s3
F.margin_ranking_loss(x, y, z, margin=0.5{r})                # f3 f3 s3
F.hinge_embedding_loss(x, y{r})                              # f3,4 s3,4
F.hinge_embedding_loss(x, y, margin=0.5{r})                  # f3,4 s3,4
F.soft_margin_loss(x, y{r})                                  # f3,4 s3,4
F.multi_margin_loss(x, y{r})                                 # f5,3 i5
F.multi_margin_loss(x, y, p=2, margin=0.5{r})                # f5,3 i5
F.multi_margin_loss(x, y, weight=z{r})                       # f5,3 i5 p3
F.multilabel_soft_margin_loss(x, y{r})                       # f3,4 q3,4
F.multilabel_soft_margin_loss(x, y, z{r})                    # f3,4 q3,4 p4
F.multilabel_margin_loss(x, t.tensor([[1, 0, -1, 2]]){r})    # f1,4
F.poisson_nll_loss(x, y{r})                                  # f3,4 p3,4
F.poisson_nll_loss(x, y, log_input=False, full=True{r})      # p3,4 p3,4
F.gaussian_nll_loss(x, y, z{r})                              # f3,4 f3,4 p3,4
F.gaussian_nll_loss(x, y, z, full=True{r})                   # f3,4 f3,4 p3,1
F.triplet_margin_loss(x, y, z{r})                            # f3,4 f3,4 f3,4
F.triplet_margin_loss(x, y, z, margin=3.0, p=1, swap=True{r})  # f3,4 f3,4 f3,4
F.triplet_margin_with_distance_loss(x, y, z{r})              # f3,4 f3,4 f3,4
"""
REDUCTIONS = ("", ', reduction="sum"', ', reduction="none"')
LOSSES = [
    (text.replace("{r}", reduction), inputs)
    for (text, inputs), reduction in product(lines(PAIRED_LOSSES), REDUCTIONS)
] + lines("""
F.kl_div(x, y, reduction="batchmean")                        # f3,4 q3,4
""")

WRITTEN = """
F.glu(x)                                                     # f3,4
F.glu(x, 0)                                                  # f4,3
F.prelu(x, y)                                                # f3,4 f1
F.prelu(x, y)                                                # f2,3,4 f3
F.linear(x, y)                                               # f3,4 f5,4
F.linear(x, y, z)                                            # f3,4 f5,4 f5
F.linear(x, y, z)                                            # f2,3,4 f5,4 f5
F.linear(x, y)                                               # f4 f5,4
F.linear(x, y)                                               # f4 f4
F.bilinear(x, y, z)                                          # f3,2 f3,4 f5,2,4
F.bilinear(x, y, z, w)                                       # f3,2 f3,4 f5,2,4 f5
F.one_hot(x)                                                 # i5
F.one_hot(x, 4)                                              # i2,3
F.one_hot(x, num_classes=3)                                  # i2,3
F.embedding(x, y)                                            # i2,3 f3,4
F.embedding(x, y, padding_idx=1)                             # i2,3 f3,4
F.embedding(x, y, scale_grad_by_freq=True)                   # i2,3 f3,4
F.embedding_bag(x, y)                                        # i2,3 f3,4
F.embedding_bag(x, y, mode="sum")                            # i2,3 f3,4
F.embedding_bag(x, y, mode="max")                            # i2,3 f3,4
F.cosine_similarity(x, y)                                    # f3,4 f3,4
F.cosine_similarity(x, y, dim=0)                             # f3,4 f3,4
F.cosine_similarity(x, y, dim=-1, eps=0.5)                   # f2,3,4 f4
F.pairwise_distance(x, y)                                    # f3,4 f3,4
F.pairwise_distance(x, y, p=1, keepdim=True)                 # f3,4 f3,4
F.normalize(x)                                               # f3,4
F.normalize(x, p=1, dim=0)                                   # f3,4
F.normalize(x * 0)                                           # f3,4
F.layer_norm(x, (4,))                                        # f3,4
F.layer_norm(x, (3, 4))                                      # f2,3,4
F.layer_norm(x, (4,), y, z)                                  # f2,3,4 f4 f4
F.layer_norm(x, [4], y, eps=0.1)                             # f3,4 f4
F.rms_norm(x, (4,))                                          # f3,4
F.rms_norm(x, (4,), y, 0.1)                                  # f2,3,4 f4
F.group_norm(x, 2)                                           # f2,4,3
F.group_norm(x, 2, y, z)                                     # f2,4,3,2 f4 f4
F.instance_norm(x)                                           # f2,3,4
F.instance_norm(x, weight=y, bias=z)                         # f2,3,4,5 f3 f3
F.batch_norm(x, None, None, training=True)                   # f5,3
F.batch_norm(x, y, z)                                        # f5,3 f3 p3
F.batch_norm(x, y.detach(), z.detach(), training=True)       # f5,3 f3 p3
F.batch_norm(x, y, z, w, v)                                  # f5,3,4 f3 p3 f3 f3
F.batch_norm(x, None, None, y, z, True, 0.2, 0.1)            # f5,3,2,2 f3 f3
F.conv1d(x, y)                                               # f2,3,8 f4,3,3
F.conv1d(x, y, z, stride=2, padding=1, dilation=2)           # f2,3,9 f4,3,3 f4
F.conv1d(x, y, padding="same")                               # f2,3,8 f4,3,3
F.conv1d(x, y, groups=2)                                     # f2,4,8 f6,2,3
F.conv1d(x, y)                                               # f3,8 f4,3,3
F.conv1d(x, y, z)                                            # f2,0,8 f4,0,3 f4
F.conv2d(x, y, z, stride=2, padding=1)                       # f2,0,6,7 f4,0,3,2 f4
F.conv2d(x, y, groups=2)                                     # f0,6,7 f4,0,3,2
F.conv3d(x, y, z)                                            # f2,0,4,4,4 f4,0,3,2,2 f4
F.conv2d(x, y)                                               # f2,3,6,7 f4,3,3,2
F.conv2d(x, y, z, stride=(2, 1), padding=(1, 0))             # f2,3,6,7 f4,3,3,2 f4
F.conv2d(x, y, padding="same", dilation=2)                   # f2,3,6,7 f4,3,3,2
F.conv2d(x, y, padding="valid")                              # f2,3,6,7 f4,3,3,2
F.conv2d(x, y, groups=3)                                     # f2,3,6,7 f6,1,3,2
F.conv2d(x, y)                                               # f3,6,7 f4,3,1,1
F.conv3d(x, y, z, stride=2, padding=1)                       # f2,2,4,5,4 f3,2,3,3,2 f3
F.conv_transpose1d(x, y)                                     # f2,3,5 f3,4,3
F.conv_transpose1d(x, y, z, 2, 1, 1)                         # f2,3,5 f3,4,3 f4
F.conv_transpose2d(x, y)                                     # f2,3,4,5 f3,2,3,2
F.conv_transpose2d(x, y, stride=2, padding=1, output_padding=1, dilation=2)  # f2,4,4,5 f4,2,3,2
F.conv_transpose2d(x, y, groups=2)                           # f2,4,4,5 f4,2,3,2
F.conv_transpose3d(x, y)                                     # f1,2,3,2,3 f2,2,2,2,2
F.unfold(x, 2)                                               # f2,3,4,5
F.unfold(x, (2, 3), dilation=1, padding=1, stride=2)         # f2,3,4,5
F.fold(x, (4, 5), (2, 2))                                    # f2,12,12
F.max_pool1d(x, 2)                                           # g2,3,8
F.max_pool1d(x, 3, 2, 1, ceil_mode=True)                     # g2,3,8
F.max_pool2d(x, 2)                                           # g2,3,6,7
F.max_pool2d(x, 3, 2, 1)                                     # g2,3,6,7
F.max_pool2d(x, (2, 3), ceil_mode=True)                      # g2,3,6,7
F.max_pool2d(x, 2, dilation=2, return_indices=True)          # g2,3,6,7
F.max_pool3d(x, 2)                                           # g1,2,4,4,4
F.avg_pool1d(x, 2)                                           # f2,3,8
F.avg_pool1d(x, 3, 2, 1, True, False)                        # f2,3,8
F.avg_pool2d(x, 2)                                           # f2,3,6,7
F.avg_pool2d(x, 3, 2, 1, True, False)                        # f2,3,6,7
F.avg_pool2d(x, 3, 2, 1, divisor_override=5)                 # f2,3,6,7
F.avg_pool3d(x, 2)                                           # f1,2,4,4,4
F.adaptive_avg_pool1d(x, 3)                                  # f2,3,8
F.adaptive_avg_pool2d(x, (3, 2))                             # f2,3,7,5
F.adaptive_avg_pool2d(x, (None, 2))                          # f2,3,7,5
F.adaptive_avg_pool2d(x, 1)                                  # f2,3,7,5
F.adaptive_max_pool1d(x, 3)                                  # g2,3,8
F.adaptive_max_pool2d(x, (3, 2))                             # g2,3,7,5
F.adaptive_max_pool2d(x, 2, return_indices=True)             # g2,3,7,5
F.interpolate(x, scale_factor=2)                             # f2,3,4,5
F.interpolate(x, size=(3, 7))                                # f2,3,4,5
F.interpolate(x, size=9)                                     # f2,3,4
F.interpolate(x, scale_factor=(1.5, 2), mode="bilinear")     # f2,3,4,5
F.interpolate(x, size=(7, 3), mode="bilinear", align_corners=True)  # f2,3,4,5
F.interpolate(x, size=7, mode="linear")                      # f2,3,4
F.pixel_shuffle(x, 2)                                        # f2,8,3,4
F.pixel_unshuffle(x, 2)                                      # f2,2,4,6
F.channel_shuffle(x, 2)                                      # f2,4,3
F.pad(x, (1, 2))                                             # f2,3,4
F.pad(x, (1, 2, 0, 1), value=3.0)                            # f2,3,4
F.pad(x, (-1, 1))                                            # f2,3,4
F.pad(x, (1, 2), mode="reflect")                             # f2,3,4
F.pad(x, (1, 2, 2, 0), mode="reflect")                       # f2,3,4,5
F.pad(x, (1, 2), mode="replicate")                           # f2,3,4
F.pad(x, (1, 2, 2, 0), "replicate")                          # f2,3,4,5
F.pad(x, (1, 2), mode="circular")                            # f2,3,4
F.pad(x, (1, 2, 2, 0), mode="circular")                      # f2,3,4,5
F.scaled_dot_product_attention(x, y, z)                      # f2,3,4 f2,5,4 f2,5,6
F.scaled_dot_product_attention(x, y, z, is_causal=True)      # f2,2,3,4 f2,2,3,4 f2,2,3,4
F.scaled_dot_product_attention(x, y, z, w)                   # f2,3,4 f2,5,4 f2,5,6 f3,5
F.scaled_dot_product_attention(x, y, z, scale=0.3)           # f2,3,4 f2,5,4 f2,5,6
F.scaled_dot_product_attention(x, y, z, attn_mask=w)         # f2,3,4 f2,5,4 f2,5,6 b3,5
F.gumbel_softmax(x).sum(-1)                                  # f3,4
F.gumbel_softmax(x, hard=True).sum(-1)                       # f3,4
F.dropout(x).shape                                           # f3,4
F.dropout1d(x, 0.0)                                          # f2,3,4
F.dropout2d(x, 0.0)                                          # f2,3,4,5
F.dropout3d(x, 0.0)                                          # f2,3,4,5,2
F.dropout2d(x, 0.5, training=False)                          # f2,3,4,5
F.relu(x, inplace=True)                                      # j3
F.tanh(x)                                                    # f3
"""
FUNCTIONAL = ACTIVATED + LOSSES + lines(WRITTEN)
