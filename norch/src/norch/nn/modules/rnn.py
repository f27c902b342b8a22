"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    GRU as GRU,
    LSTM as LSTM,
    RNN as RNN,
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    RNNBase as RNNBase,
    RNNCell as RNNCell,
)
