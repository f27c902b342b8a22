"""Grids and files of images: re-exported from stage 5, `norch_nn.vision.utils`."""

from norch_nn.vision.utils import make_grid as make_grid, save_image as save_image
