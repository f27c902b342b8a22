"""Computed parameters: re-exported from stage 5, `norch_nn.utils.parametrize`."""

from norch_nn.utils.parametrize import (
    ParametrizationList as ParametrizationList,
    cached as cached,
    is_parametrized as is_parametrized,
    register_parametrization as register_parametrization,
    remove_parametrizations as remove_parametrizations,
    type_before_parametrizations as type_before_parametrizations,
)
