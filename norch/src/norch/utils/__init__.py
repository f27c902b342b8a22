"""What surrounds training: `norch.utils.data`."""

from norch.utils import data as data
