"""Operations of one's own: re-exported from stage 4, `norch_autograd.function`."""

from norch_autograd.autograd.function import Function as Function
