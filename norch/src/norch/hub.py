"""Published weights that are on this machine: re-exported from stage 5, `norch_nn`."""

from norch_extras.torch_files.hub import (
    get_dir as get_dir,
    load_state_dict_from_url as load_state_dict_from_url,
)
