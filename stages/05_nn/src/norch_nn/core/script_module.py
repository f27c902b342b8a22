"""ScriptModule: for programs that write a module of TorchScript, or ask whether one is there."""

from __future__ import annotations

from norch_nn.core.module import Module


class ScriptModule(Module):
    """A `Module` like any other; `norch.jit.script` makes none, it returns what it is given."""
