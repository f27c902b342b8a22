"""First values of parameters: re-exported from stage 5, `norch_nn.init`."""

from norch_nn.init import (
    _calculate_fan_in_and_fan_out as _calculate_fan_in_and_fan_out,
    calculate_gain as calculate_gain,
    constant_ as constant_,
    dirac_ as dirac_,
    eye_ as eye_,
    kaiming_normal_ as kaiming_normal_,
    kaiming_uniform_ as kaiming_uniform_,
    normal_ as normal_,
    ones_ as ones_,
    orthogonal_ as orthogonal_,
    sparse_ as sparse_,
    trunc_normal_ as trunc_normal_,
    uniform_ as uniform_,
    xavier_normal_ as xavier_normal_,
    xavier_uniform_ as xavier_uniform_,
    zeros_ as zeros_,
)
