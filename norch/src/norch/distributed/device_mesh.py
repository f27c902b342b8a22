"""Ranks in a grid, under PyTorch's file name: re-exported from stage 6, `norch_ddp`."""

from norch_ddp import DeviceMesh as DeviceMesh, init_device_mesh as init_device_mesh
