"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_extras.nn import GRUCell as GRUCell, LSTMCell as LSTMCell, RNNCell as RNNCell
from norch_nn import GRU as GRU, LSTM as LSTM, RNN as RNN, RNNBase as RNNBase
