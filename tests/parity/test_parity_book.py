"""What the book says of PyTorch: asked of PyTorch itself. Paths of its sources, names, defaults."""

import inspect
import pickle
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "book" / "_ext"))

import norch_away  # noqa: E402

COMPILED = ("torch/csrc/", "aten/", "c10/", "tools/")  # of these a package has the headers alone


def test_the_version_is_the_one_that_the_links_name():
    import torch

    assert "v" + torch.__version__.partition("+")[0] == norch_away.TAG


def test_the_paths_of_python_files_and_headers_exist():
    import torch

    package = Path(torch.__file__).parent
    python = [one for one in norch_away.paths() if not one.startswith(COMPILED)]
    headers = [one for one in norch_away.paths() if one.endswith((".h", ".cuh"))]
    assert len(python) > 20 and len(headers) > 3
    missing = [one for one in python if not (package.parent / one).exists()]
    missing += [one for one in headers if not (package / "include" / bare(one)).is_file()]
    assert missing == []


def bare(path):
    """Return where a package keeps a header of the sources."""
    return path.removeprefix("aten/src/")


def test_a_file_that_calls_a_function_is_refused_unless_it_is_allowed(tmp_path, capsys):
    import torch

    class Loud:
        def __reduce__(self):
            return print, ("called by the file",)

    torch.save({"a": Loud()}, tmp_path / "loud.pt")
    with pytest.raises(pickle.UnpicklingError, match=r"In PyTorch 2\.6, we changed the default"):
        torch.load(tmp_path / "loud.pt")
    assert capsys.readouterr().out == ""
    torch.load(tmp_path / "loud.pt", weights_only=False)
    assert capsys.readouterr().out == "called by the file\n"


def test_buckets_hold_as_much_as_chapter_6_says():
    import torch
    from torch.nn.parallel import DistributedDataParallel

    assert torch.distributed._DEFAULT_FIRST_BUCKET_BYTES == 1 << 20
    told = " ".join(inspect.getdoc(DistributedDataParallel).split())
    assert re.search(r"bucket_cap_mb: .{0,600}? 25 MiB", told)


def test_what_the_chapters_show_of_pytorch_is_there():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        SequenceParallel,
        parallelize_module,
    )
    from torch.nn.functional import scaled_dot_product_attention

    shown = [init_device_mesh, MixedPrecisionPolicy, fully_shard, PipelineStage, Schedule1F1B]
    shown += [ColwiseParallel, RowwiseParallel, SequenceParallel, parallelize_module]
    assert all(map(callable, [*shown, scaled_dot_product_attention]))
    assert "param_dtype" in inspect.signature(MixedPrecisionPolicy).parameters
    assert "is_causal" in scaled_dot_product_attention.__doc__
