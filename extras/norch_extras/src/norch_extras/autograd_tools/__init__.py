"""Jacobians and Hessians, a profiler and graphs as pictures, as torch.autograd has them.

The page book/library/autograd.md names them.
"""

from norch_extras.autograd_tools import functional as functional, profiler as profiler
from norch_extras.autograd_tools.draw import draw_graph as draw_graph
from norch_extras.autograd_tools.profiler import profile as profile
