"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    ELU as ELU,
    GELU as GELU,
    LeakyReLU as LeakyReLU,
    MultiheadAttention as MultiheadAttention,
    PReLU as PReLU,
    ReLU as ReLU,
    ReLU6 as ReLU6,
    Sigmoid as Sigmoid,
    SiLU as SiLU,
    Softmax as Softmax,
    Tanh as Tanh,
)
