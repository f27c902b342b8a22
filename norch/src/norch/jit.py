"""TorchScript's names, which change nothing: re-exported from stages 4 and 5."""

from norch_extras.fusion.compiler import (
    export as export,
    ignore as ignore,
    is_scripting as is_scripting,
    script as script,
    script_method as script_method,
    unused as unused,
)
from norch_nn.core.module import ScriptModule as ScriptModule
