"""Averages of weights: from `norch_extras.optim.swa_utils`."""

from norch_extras.optim.swa_utils import (
    SWALR as SWALR,
    AveragedModel as AveragedModel,
    get_ema_avg_fn as get_ema_avg_fn,
    get_ema_multi_avg_fn as get_ema_multi_avg_fn,
    get_swa_avg_fn as get_swa_avg_fn,
    get_swa_multi_avg_fn as get_swa_multi_avg_fn,
    update_bn as update_bn,
)
