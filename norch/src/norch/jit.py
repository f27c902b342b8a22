"""TorchScript's decorators, which change nothing: re-exported from stage 4, `norch_autograd`."""

from norch_autograd.compat.compiler import (
    export as export,
    ignore as ignore,
    is_scripting as is_scripting,
    script as script,
    unused as unused,
)
