"""PyTorch's files, safetensors and its own, load into the same architectures and values."""

import io
import re
from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

import norch

MODELS = {
    "mlp": ("nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3))", (5, 4)),
    "cnn": (
        "nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), "
        "nn.Flatten(), nn.Linear(16, 2))",
        (2, 3, 6, 6),
    ),
    "lstm": ("nn.LSTM(4, 5, num_layers=2, bidirectional=True, batch_first=True)", (2, 6, 4)),
    "gru": ("nn.GRU(4, 5)", (6, 2, 4)),
    "encoder": (
        "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, "
        "enable_nested_tensor=False)",
        (2, 5, 8),
    ),
    "embedding": ("nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 2))", None),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_file_of_pytorch_loads(name, tmp_path):
    import torch
    from safetensors.torch import save_file

    text, shape = MODELS[name]
    theirs, ours = eval(text, {"nn": torch.nn}).eval(), eval(text, {"nn": norch.nn}).eval()
    save_file(theirs.state_dict(), tmp_path / "model.safetensors")
    ours.load_state_dict(norch.load(tmp_path / "model.safetensors"))
    rng = np.random.default_rng(0)
    x = rng.integers(0, 10, (2, 3)) if shape is None else rng.standard_normal(shape, np.float32)
    with torch.no_grad(), norch.no_grad():
        a, b = ours(norch.from_numpy(x)), theirs(torch.from_numpy(x))
    a, b = (value[0] if isinstance(value, tuple) else value for value in (a, b))
    np.testing.assert_allclose(a.numpy(), b.numpy(), 1e-4, 1e-5)


FORMATS = {
    "zip": {},
    "protocol 3": {"pickle_protocol": 3},
    "protocol 5": {"pickle_protocol": 5},
    "before 1.6": {"_use_new_zipfile_serialization": False},
}


@pytest.mark.parametrize("options", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("name", MODELS)
def test_weights_of_torch_save_load(name, options, tmp_path):
    import torch

    text, shape = MODELS[name]
    theirs, ours = eval(text, {"nn": torch.nn}).eval(), eval(text, {"nn": norch.nn}).eval()
    torch.save(theirs.state_dict(), tmp_path / "model.pth", **options)
    ours.load_state_dict(norch.load(tmp_path / "model.pth", mmap=True))
    rng = np.random.default_rng(0)
    x = rng.integers(0, 10, (2, 3)) if shape is None else rng.standard_normal(shape, np.float32)
    with torch.no_grad(), norch.no_grad():
        a, b = ours(norch.from_numpy(x)), theirs(torch.from_numpy(x))
    a, b = (value[0] if isinstance(value, tuple) else value for value in (a, b))
    np.testing.assert_allclose(a.numpy(), b.numpy(), 1e-4, 1e-5)


DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8")
DTYPES += ("bool",)


def everything(torch):
    """A checkpoint with all that is read of one."""
    base = torch.arange(24.0).reshape(2, 3, 4)
    weight = torch.nn.Parameter(torch.ones(2))
    return {
        "dtypes": [torch.arange(6).reshape(2, 3).to(getattr(torch, name)).T for name in DTYPES],
        "views": (base, base[1, ::2], base.transpose(0, 2), base[0, 0].expand(5, 4)),
        "tensors": [torch.tensor(5), torch.empty(0, 3), torch.ones(2, requires_grad=True)],
        "parameter": weight,
        "classes": [OrderedDict(a=1), defaultdict(list, a=[1]), Counter("aab"), {1, 2}],
        "torch": [torch.Size((2, 3)), torch.device("cpu"), torch.float16],
        "plain": [1, 2.5, "é", b"\0\xff", b"", bytearray(b"x"), True, None, (1, (2,)), 2**70, 1j],
        "numpy": [np.float64(0.5), np.float32(2), np.int64(-3), np.bool_(True)],
        3: frozenset([4]),
    }


@pytest.mark.parametrize("options", FORMATS.values(), ids=FORMATS)
def test_a_checkpoint_of_everything(options, tmp_path):
    import torch

    file = io.BytesIO()
    torch.save(everything(torch), file, **options)
    file.seek(0)
    back, want = norch.load(file), everything(norch)
    for x, y in zip(back["dtypes"], want["dtypes"], strict=True):
        assert (x.dtype, x.stride(), x.tolist()) == (y.dtype, y.stride(), y.tolist())
    for x, y in zip(back["views"], want["views"], strict=True):
        assert (x.stride(), x.storage_offset(), x.tolist()) == (
            y.stride(), y.storage_offset(), y.tolist(),
        )  # fmt: skip
    back["views"][0].fill_(7)
    assert all((view == 7).all() for view in back["views"])
    assert [x.requires_grad for x in back["tensors"]] == [False, False, True]
    assert type(back["parameter"]) is norch.nn.Parameter
    for name in ("classes", "torch", "plain", "numpy", 3):
        assert back[name] == want[name] and type(back[name]) is type(want[name])
    assert [type(x) for x in back["classes"]] == [type(x) for x in want["classes"]]


def test_an_optimizer_goes_on_from_pytorchs_file(tmp_path):
    import torch

    theirs, ours = torch.nn.Linear(3, 2), norch.nn.Linear(3, 2)
    adam = torch.optim.AdamW(theirs.parameters(), lr=0.1)
    pairs = [(theirs, adam, torch)]
    for step in range(4):
        for model, optimizer, library in pairs:
            optimizer.zero_grad()
            model(library.arange(6.0).view(2, 3)).pow(2).sum().backward()
            optimizer.step()
        if step == 1:
            torch.save({"net": theirs.state_dict(), "adam": adam.state_dict()}, tmp_path / "a.pt")
            saved = norch.load(tmp_path / "a.pt")
            ours.load_state_dict(saved["net"])
            resumed = norch.optim.AdamW(ours.parameters())
            resumed.load_state_dict(saved["adam"])
            pairs.append((ours, resumed, norch))
    np.testing.assert_allclose(
        ours.weight.detach().numpy(), theirs.weight.detach().numpy(), 1e-5, 1e-6
    )


REFUSED = {
    "a model": (lambda torch: torch.nn.Linear(1, 1), r"'torch\.nn\.modules\.linear\.Linear', and"),
    "float8": (lambda torch: torch.ones(2).to(torch.float8_e4m3fn), r"torch\.float8_e4m3fn, a dt"),
    "complex": (lambda torch: torch.ones(2, dtype=torch.complex64), r"torch\.complex64, a dtype"),
    "sparse": (lambda torch: torch.ones(2).to_sparse(), r"a sparse tensor: make it x\.to_dense"),
    "numpy": (lambda torch: np.ones(2), r"a NumPy array: make it torch\.from_numpy"),
    "meta": (lambda torch: torch.ones(2, device="meta"), "_rebuild_meta_tensor_no_storage"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_named(name):
    import torch

    make, message = REFUSED[name]
    file = io.BytesIO()
    torch.save(make(torch), file)
    file.seek(0)
    with pytest.raises(RuntimeError, match=message):
        norch.load(file)


# Tensors that norch does not have, and what is read where the advice of the error was followed.
ADVISED = {
    "complex64": (
        lambda torch: torch.complex(torch.arange(3.0), torch.tensor([0.5, -7.0, 0.0])),
        [[0.0, 0.5], [1.0, -7.0], [2.0, 0.0]],
    ),
    "complex128": (lambda torch: torch.tensor([2j - 1]).to(torch.complex128), [[-1.0, 2.0]]),
    "complex32": (lambda torch: torch.tensor([2j - 1]).to(torch.complex32), [[-1.0, 2.0]]),
    "conjugated": (lambda torch: torch.tensor([2j - 1]).conj().resolve_conj(), [[-1.0, -2.0]]),
    "negated": (lambda torch: torch.tensor([2j - 1]).conj().imag, [-2.0]),
    "qint8": (
        lambda torch: torch.quantize_per_tensor(torch.tensor([0.5, -3.0]), 0.5, 0, torch.qint8),
        [0.5, -3.0],
    ),
    "quint8": (
        lambda torch: torch.quantize_per_tensor(torch.tensor([0.5, 2.0]), 0.5, 9, torch.quint8),
        [0.5, 2.0],
    ),
    "float8": (lambda torch: torch.tensor([0.5, -3.0]).to(torch.float8_e4m3fn), [0.5, -3.0]),
    "uint16": (lambda torch: torch.tensor([1, 65535]).to(torch.uint16), [1, 65535]),
    "uint32": (lambda torch: torch.tensor([1, 2**32 - 1]).to(torch.uint32), [1, 2**32 - 1]),
    "uint64": (lambda torch: torch.tensor([1, -1]).view(torch.uint64), [1, -1]),
    "sparse": (lambda torch: torch.tensor([0.0, 3.0]).to_sparse(), [0.0, 3.0]),
}
FOLLOWED = re.compile(r"(?:make (?:such a tensor|it)|save) (\w[\w.]*\(.*?\)(?:\.\w+\(\))*)[,:. ]")


@pytest.mark.parametrize("name", ADVISED)
@pytest.mark.parametrize("options", [{}, {"_use_new_zipfile_serialization": False}])
def test_the_advice_of_an_error_is_true(name, options, tmp_path):
    import torch

    make, expected = ADVISED[name]
    path, x = tmp_path / "x.pth", make(torch)
    torch.save({"x": x}, path, **options)
    with pytest.raises(RuntimeError, match=re.escape(str(path))) as caught:
        norch.load(path)
    advice = FOLLOWED.search(f"{caught.value} ")
    assert advice, caught.value
    torch.save({"x": eval(advice[1], {"torch": torch, "x": x})}, path, **options)
    assert norch.load(path)["x"].tolist() == expected


WAYS = {
    "a device": "cpu",
    "a dict": {"cpu": "cpu"},
    "another dict": {"cuda:0": "cpu"},
    "elements": lambda storage, location: storage,
    "nothing": lambda storage, location: None,
    "None": None,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_map_location_as_in_pytorch(way):
    import torch

    file = io.BytesIO()
    torch.save({"x": torch.ones(2)}, file)
    for library in (torch, norch):
        file.seek(0)
        x = library.load(file, map_location=way)["x"]
        assert x.tolist() == [1, 1] and str(x.device) == "cpu"


def test_pytorchs_errors_for_files():
    import torch

    whole = io.BytesIO()
    torch.save(torch.nn.Linear(1, 1), whole)
    contents = (b"PK\3\4 no archive", b"\x80\x02}.", b"\x80\x02cos\nsystem\n.", whole.getvalue())
    for content in (*contents, whole.getvalue()[:300]):
        with pytest.raises(Exception, match=r"\S") as theirs:
            torch.load(io.BytesIO(content))
        with pytest.raises(type(theirs.value), match=r"\[load\]"):
            norch.load(io.BytesIO(content))


@pytest.mark.parametrize("name", MODELS)
def test_a_file_of_norch_loads_into_pytorch(name, tmp_path):
    import torch
    from safetensors.torch import load_file

    text, _ = MODELS[name]
    ours, theirs = eval(text, {"nn": norch.nn}), eval(text, {"nn": torch.nn})
    norch.save(ours.state_dict(), tmp_path / "model.safetensors")
    theirs.load_state_dict(load_file(tmp_path / "model.safetensors"))
    for key, value in theirs.state_dict().items():
        np.testing.assert_array_equal(ours.state_dict()[key].numpy(), value.numpy())
