"""What the book says of PyTorch: asked of PyTorch itself. Paths of its sources, names, defaults.

Each sentence is looked up in its page.
"""

import importlib
import inspect
import pickle
import pydoc
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / one) for one in ("tests/book", "book/_ext", "book", "course")]

import norch_away  # noqa: E402
import norch_pytorch  # noqa: E402
import norch_sources  # noqa: E402
from prose import said  # noqa: E402

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

    said("05_nn", "Since version 2.6 `torch.load` refuses whatever is not on a short list")

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

    said("06_ddp", "PyTorch's hold 25 MB, its first one 1 MB")
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

    shown = {
        "06_fsdp": [MixedPrecisionPolicy, fully_shard],
        "06_parallel": [ColwiseParallel, PipelineStage, RowwiseParallel, Schedule1F1B],
        "07_attention": [scaled_dot_product_attention],
    }
    shown["06_parallel"] += [SequenceParallel, init_device_mesh, parallelize_module]
    for page, names in shown.items():
        for one in names:
            said(page, one.__name__)
    said("06_fsdp", "MixedPrecisionPolicy(param_dtype=torch.bfloat16)")
    assert "param_dtype" in inspect.signature(MixedPrecisionPolicy).parameters
    said("07_attention", "scaled_dot_product_attention(q, k, v, is_causal=True)")
    assert "is_causal" in scaled_dot_product_attention.__doc__


def exists(name):
    """Tell whether PyTorch has a name; a function may hide its module, as `gradcheck` does."""
    above, _, last = name.rpartition(".")
    try:
        return hasattr(importlib.import_module(above), last)
    except ModuleNotFoundError:
        return pydoc.locate(name) is not None


def test_pytorch_has_the_names_that_the_reference_links_to():
    import torch  # noqa: F401

    missing, count = [], 0
    for one in norch_sources.reference():
        address = norch_pytorch.page(one.module, one.name)
        if address and "vision" not in address and "#weight-averaging" not in address:
            theirs = norch_pytorch.their_name(address, one.name)
            count += 1
            missing += [] if exists(theirs) else [address]
    assert missing == [] and count > 900
    for forget in (norch_sources.tree_of, norch_sources.member, norch_sources.reference):
        forget.cache_clear()  # every later `gc.collect()` would walk through the trees


# ---- Chapter 1, quantization ---------------------------------------------------------------------


def test_flip_copies_for_want_of_negative_strides():
    import torch

    said("01_strides", "PyTorch does not allow them, so its `flip` copies.")
    x = torch.arange(4)
    with pytest.raises((RuntimeError, ValueError), match=r"[Nn]egative strides"):
        torch.as_strided(x, (2,), (-1,))
    assert torch.flip(x, [0]).data_ptr() != x.data_ptr()


def test_reshape_copies_where_view_refuses():
    import torch

    said("01_strides", "then copies, as PyTorch's does; PyTorch's `view` refuses.")
    turned = torch.arange(4).reshape(2, 2).T
    assert turned.reshape(4).data_ptr() != turned.data_ptr()
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        turned.view(4)


def test_one_element_of_an_expanded_tensor_is_written_and_not_all():
    import torch

    said("01_strides", "but refuses operations such as `add_` on the whole")
    x = torch.zeros(1).expand(3)
    x[0] = 1
    assert x.tolist() == [1.0] * 3
    with pytest.raises(RuntimeError, match="more than one element"):
        x.add_(1)


def test_a_transpose_moves_nothing():
    import torch

    said("01_strides", "x.stride() # (3, 1): how far one step goes, for each dimension")
    x = torch.arange(6).reshape(2, 3)
    assert (x.stride(), x.T.stride(), x.T.data_ptr()) == ((3, 1), (1, 3), x.data_ptr())


def test_dynamic_quantization_has_a_scale_for_a_matrix_or_for_a_row():
    import torch.ao.quantization as quantization

    said("quantization", "`per_channel_dynamic_qconfig` gives each row its own")
    matrix = quantization.default_dynamic_qconfig.weight()
    row = quantization.per_channel_dynamic_qconfig.weight()
    assert "per_tensor" in str(matrix.qscheme) and "per_channel" in str(row.qscheme)
