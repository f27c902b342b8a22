"""Jacobians, Hessians, their products: re-exported from stage 4, `norch_autograd.functional`."""

from norch_extras.autograd.functional import (
    hessian as hessian,
    hvp as hvp,
    jacobian as jacobian,
    jvp as jvp,
    vhp as vhp,
    vjp as vjp,
)
