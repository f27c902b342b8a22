"""What surrounds training: `norch.utils.data`, `norch.utils.checkpoint`, `norch.utils.hooks`."""

from norch.utils import (
    _pytree as _pytree,
    checkpoint as checkpoint,
    data as data,
    hooks as hooks,
    model_zoo as model_zoo,
)
