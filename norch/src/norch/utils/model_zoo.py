"""The older name of `norch.hub`'s function, which copies of torchvision's models import."""

from norch_extras.torch_files.hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]
