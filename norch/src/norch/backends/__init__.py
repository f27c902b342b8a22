"""What norch computes with: re-exported from stage 4, `norch_autograd.backends`."""

from norch.backends import cpu as cpu, cuda as cuda, cudnn as cudnn, mkldnn as mkldnn, mps as mps
