"""What the pages on arrays and on speed say of PyTorch: asked of PyTorch itself."""

import json
import re
from pathlib import Path

import pytest

BOOK = Path(__file__).resolve().parents[2] / "book"


def said(page, sentence):
    """Assert that a page says a sentence, wherever its lines break."""
    cells = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(one["source"]) for one in cells)
    assert sentence in re.sub(r"\s+", " ", text), f"{page} no longer says: {sentence}"


def test_flip_copies_for_want_of_negative_strides():
    import torch

    said("chapters/01_strides", "PyTorch does not allow them, so its `flip` copies.")
    x = torch.arange(4)
    with pytest.raises((RuntimeError, ValueError), match=r"[Nn]egative strides"):
        torch.as_strided(x, (2,), (-1,))
    assert torch.flip(x, [0]).data_ptr() != x.data_ptr()


def test_reshape_copies_where_view_refuses():
    import torch

    said("chapters/01_strides", "then copies, as PyTorch's does; PyTorch's `view` refuses.")
    turned = torch.arange(4).reshape(2, 2).T
    assert turned.reshape(4).data_ptr() != turned.data_ptr()
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        turned.view(4)


def test_one_element_of_an_expanded_tensor_is_written_and_not_all():
    import torch

    said("chapters/01_strides", "but refuses operations such as `add_` on the whole")
    x = torch.zeros(1).expand(3)
    x[0] = 1
    assert x.tolist() == [1.0] * 3
    with pytest.raises(RuntimeError, match="more than one element"):
        x.add_(1)


def test_a_transpose_moves_nothing():
    import torch

    said("chapters/01_strides", "x.stride() # (3, 1): how far one step goes, for each dimension")
    x = torch.arange(6).reshape(2, 3)
    assert (x.stride(), x.T.stride(), x.T.data_ptr()) == ((3, 1), (1, 3), x.data_ptr())


def test_dynamic_quantization_has_a_scale_for_a_matrix_or_for_a_row():
    import torch.ao.quantization as quantization

    said("quantization", "`per_channel_dynamic_qconfig` gives each row its own")
    matrix = quantization.default_dynamic_qconfig.weight()
    row = quantization.per_channel_dynamic_qconfig.weight()
    assert "per_tensor" in str(matrix.qscheme) and "per_channel" in str(row.qscheme)
