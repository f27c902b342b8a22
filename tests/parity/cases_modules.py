"""Cases of torch.nn: the constructor, then what the module is called with."""

from cases_pointwise import lines

ACTIVATIONS = """
ReLU() ReLU6() LeakyReLU() LeakyReLU(0.2) ELU() ELU(0.5) CELU() SELU() GELU() GELU("tanh") SiLU()
Mish() Sigmoid() Tanh() Softplus() Softplus(2,1) Softsign() Softshrink() Hardshrink() Hardtanh()
Hardtanh(-2,0.5) Hardsigmoid() Hardswish() Tanhshrink() Threshold(0.1,20) LogSigmoid() Identity()
Softmax(-1) LogSoftmax(1) Softmin(dim=0) Dropout(0.0) Dropout1d(0.0) Dropout2d(0.0)
AlphaDropout(0.0) FeatureAlphaDropout(0.0) PReLU() PReLU(3) PReLU(3,init=0.5) GLU(2) Flatten()
RReLU(0.2,0.2) Flatten(0) Flatten(1,2) Unflatten(2,(2,2)) Linear(4,5)
Softmax2d() Linear(4,5,bias=False) LayerNorm(4) LayerNorm((3,4)) LayerNorm(4,eps=0.1)
LayerNorm(4,elementwise_affine=False) LayerNorm(4,bias=False) RMSNorm(4) RMSNorm((3,4),eps=0.1)
RMSNorm(4,elementwise_affine=False) BatchNorm1d(3) BatchNorm1d(3,affine=False)
BatchNorm1d(3,momentum=None) BatchNorm1d(3,1e-3,0.3) BatchNorm1d(3,track_running_stats=False)
GroupNorm(3,3) GroupNorm(1,3,affine=False) InstanceNorm1d(3) InstanceNorm1d(3,affine=True)
InstanceNorm1d(3,affine=True,track_running_stats=True) Sequential(nn.Linear(4,5),nn.ReLU())
Conv1d(3,5,2) Conv1d(3,5,3,padding="same",padding_mode="circular")
Conv1d(3,6,2,2,1,groups=3,bias=False) ConvTranspose1d(3,5,3) ConvTranspose1d(3,6,3,2,1,1,groups=3)
MaxPool1d(2) MaxPool1d(3,1,1) AvgPool1d(2) AvgPool1d(3,2,1,count_include_pad=False)
AdaptiveAvgPool1d(2) AdaptiveMaxPool1d(3) Upsample(scale_factor=2)
Upsample(size=7,mode="linear",align_corners=True) ConstantPad1d(2,1.5) ConstantPad1d((1,0),3)
ZeroPad1d(2) ReflectionPad1d(2) ReflectionPad1d((1,0)) ReplicationPad1d((2,1)) CircularPad1d(1)
ChannelShuffle(3)
"""
IMAGES = """
Conv2d(3,4,3) Conv2d(3,4,(3,2),stride=2,padding=(1,0),dilation=(1,2)) Conv2d(3,6,3,groups=3)
Conv2d(3,4,3,padding="same",padding_mode="reflect") Conv2d(3,4,3,1,2,padding_mode="replicate")
Conv2d(3,4,3,padding=1,padding_mode="circular",bias=False) ConvTranspose2d(3,4,3)
ConvTranspose2d(3,6,(3,2),2,1,1,3) ConvTranspose2d(3,4,3,2,dilation=2,bias=False) MaxPool2d(2)
MaxPool2d(3,2,1) MaxPool2d((2,3),return_indices=True) MaxPool2d(3,ceil_mode=True) AvgPool2d(2)
AvgPool2d(3,2,1,True,False) AvgPool2d(3,divisor_override=2) AdaptiveAvgPool2d(1)
AdaptiveAvgPool2d((3,None)) AdaptiveMaxPool2d(2) AdaptiveMaxPool2d((3,2),return_indices=True)
BatchNorm2d(3) BatchNorm2d(3,affine=False,momentum=0.5) InstanceNorm2d(3) Dropout2d(0.0)
InstanceNorm2d(3,affine=True) GroupNorm(3,3) Upsample(scale_factor=2,mode="nearest")
Upsample(scale_factor=1.5,mode="bilinear")
Upsample((3,9),mode="bicubic") Upsample(scale_factor=1.7,mode="bicubic",align_corners=True)
Upsample((3,8)) UpsamplingNearest2d(scale_factor=2)
UpsamplingBilinear2d(scale_factor=2) ZeroPad2d(1) ZeroPad2d((1,2,0,1)) ConstantPad2d(1,2.0)
ReflectionPad2d(2) ReflectionPad2d((1,2,0,1)) ReplicationPad2d((1,2,0,1)) CircularPad2d((1,2,0,1))
Unfold(2) Unfold((2,3),1,1,2) Softmax2d() Flatten() LayerNorm([3,6,7])
"""
LOSSES = """
nn.MSELoss()                                        # f3,4 f3,4
nn.MSELoss(reduction="sum")                         # f3,4 f3,4
nn.L1Loss(reduction="none")                         # f3,4 f3,4
nn.SmoothL1Loss(beta=0.5)                           # f3,4 f3,4
nn.HuberLoss(delta=0.5)                             # f3,4 f3,4
nn.CrossEntropyLoss()                               # f3,4 i3
nn.CrossEntropyLoss(label_smoothing=0.1)            # f3,4 i3
nn.CrossEntropyLoss(t.tensor([0.5, 2, 1, 3], dtype=t.float64), ignore_index=1)  # f5,4 i5
nn.NLLLoss()                                        # f3,4 i3
nn.BCELoss()                                        # q3,4 q3,4
nn.BCEWithLogitsLoss(pos_weight=t.tensor([0.5, 2, 1, 3], dtype=t.float64))  # f3,4 q3,4
nn.KLDivLoss(reduction="batchmean")                 # f3,4 q3,4
nn.KLDivLoss(reduction="sum", log_target=True)      # f3,4 f3,4
nn.PoissonNLLLoss()                                 # f3,4 p3,4
nn.PoissonNLLLoss(log_input=False, full=True)       # p3,4 p3,4
nn.GaussianNLLLoss()                                # f3,4 f3,4 p3,4
nn.HingeEmbeddingLoss(0.5)                          # f3,4 s3,4
nn.SoftMarginLoss()                                 # f3,4 s3,4
nn.MarginRankingLoss(0.3)                           # f4 f4 s4
nn.MultiMarginLoss(p=2)                             # f3,4 i3
nn.MultiLabelMarginLoss()                           # f2,3 i2,3
nn.MultiLabelSoftMarginLoss()                       # f3,4 q3,4
nn.CosineEmbeddingLoss(0.2)                         # f3,4 f3,4 s3
nn.TripletMarginLoss(2.0, p=1)                      # f3,4 f3,4 f3,4
nn.TripletMarginWithDistanceLoss(margin=2.0)        # f3,4 f3,4 f3,4
nn.CosineSimilarity()                               # f3,4 f3,4
nn.CosineSimilarity(0, 0.1)                         # f3,4 f3,4
nn.PairwiseDistance()                               # f3,4 f3,4
nn.PairwiseDistance(1, keepdim=True)                # f3,4 f3,4
"""
OTHERS = """
nn.Linear(4, 5)                                     # f4
nn.Linear(4, 5)                                     # f0,4
nn.Bilinear(2, 4, 5)                                # f3,2 f3,4
nn.Bilinear(2, 4, 5, bias=False)                    # f3,2 f3,4
nn.Embedding(3, 4)                                  # i2,3
nn.Embedding(3, 4, padding_idx=1)                   # i2,3
nn.Embedding(3, 4, max_norm=1.0)                    # i2,3
nn.Embedding(3, 4, scale_grad_by_freq=True)         # i2,3
nn.EmbeddingBag(3, 4)                               # i2,3
nn.EmbeddingBag(3, 4, mode="sum")                   # i2,3
nn.Conv1d(3, 5, 2)                                  # f3,6
nn.Conv2d(3, 4, 3)                                  # f3,6,7
nn.Conv3d(2, 3, 2)                                  # f1,2,4,3,4
nn.Conv3d(2, 4, (1, 2, 3), 1, (0, 1, 1), groups=2)  # f1,2,4,3,4
nn.ConvTranspose3d(2, 3, 2)                         # f1,2,2,3,2
nn.MaxPool3d(2)                                     # g1,2,4,4,4
nn.AvgPool3d(2)                                     # f1,2,4,4,4
nn.BatchNorm1d(4)                                   # f5,4
nn.BatchNorm3d(2)                                   # f2,2,3,2,2
nn.InstanceNorm3d(2)                                # f2,2,3,2,2
nn.Dropout3d(0.0)                                   # f1,2,3,2,2
nn.ZeroPad3d(1)                                     # f1,2,3,2,2
nn.ConstantPad3d((1, 0, 1, 2, 0, 1), 2.0)           # f1,2,3,2,2
nn.ReflectionPad3d(1)                               # f1,2,3,2,2
nn.ReplicationPad3d(2)                              # f1,2,3,2,2
nn.CircularPad3d(1)                                 # f1,2,3,2,2
nn.PixelShuffle(2)                                  # f1,8,2,3
nn.PixelUnshuffle(2)                                # f1,2,4,6
nn.Fold((4, 5), (2, 2))                             # f2,12,12
nn.RNNCell(4, 5)                                    # f3,4
nn.RNNCell(4, 5, nonlinearity="relu")               # f3,4 f3,5
nn.LSTMCell(4, 5)                                   # f3,4
nn.GRUCell(4, 5, bias=False)                        # f3,4 f3,5
nn.RNN(4, 5)                                        # f6,3,4
nn.RNN(4, 5, 2, nonlinearity="relu", batch_first=True)    # f3,6,4
nn.LSTM(4, 5)                                       # f6,3,4
nn.LSTM(2, 3, num_layers=2, bidirectional=True)     # f4,2,2
nn.LSTM(4, 5, batch_first=True, bias=False)         # f3,6,4
nn.LSTM(4, 5, proj_size=2)                          # f6,3,4
nn.GRU(4, 5)                                        # f6,3,4
nn.GRU(2, 3, 2, bidirectional=True, batch_first=True)     # f2,4,2
nn.MultiheadAttention(4, 2)                         # f5,3,4 f6,3,4 f6,3,4
nn.MultiheadAttention(4, 2, batch_first=True, bias=False) # f3,5,4 f3,6,4 f3,6,4
nn.MultiheadAttention(4, 2, kdim=3, vdim=2)         # f5,3,4 f6,3,3 f6,3,2
nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)    # f5,3,4
nn.TransformerEncoderLayer(4, 2, 8, 0.0, "gelu", batch_first=True, norm_first=True)  # f3,5,4
nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0)    # f5,3,4 f6,3,4
nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 3, 0.0), 2)  # f4,2,4
nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 3, 0.0), 2)  # f4,2,4 f3,2,4
nn.Transformer(4, 2, 1, 1, 3, 0.0)                  # f4,2,4 f3,2,4
nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Linear(3, 2))  # f5,4
nn.Sequential(nn.Conv2d(3, 2, 3), nn.BatchNorm2d(2), nn.MaxPool2d(2), nn.Flatten())  # f2,3,6,7
nn.utils.weight_norm(nn.Linear(4, 3))               # f5,4
"""
MODULES = [(f"nn.{text}", "g2,3,4") for text in ACTIVATIONS.split()]
MODULES += [(f"nn.{text}", "g2,3,6,7") for text in IMAGES.split()]
MODULES += lines(LOSSES) + lines(OTHERS)
