"""Computed parameters: from `norch_extras.parametrize.parametrize`."""

from norch_extras.parametrize.parametrize import (
    ParametrizationList as ParametrizationList,
    cached as cached,
    is_parametrized as is_parametrized,
    register_parametrization as register_parametrization,
    remove_parametrizations as remove_parametrizations,
    type_before_parametrizations as type_before_parametrizations,
)
