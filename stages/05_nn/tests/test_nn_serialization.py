"""save and load: what comes back, what is refused, and what is on the disk meanwhile."""

import io
import math
import os
import struct
import subprocess
import sys

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_nn import load, save
from norch_nn.optim import Adam
from norch_nn.serialization import files
from norch_nn.serialization.safetensors import DTYPES, deserialize, serialize


def round_trip(obj, tmp_path):
    save(obj, tmp_path / "a.safetensors")
    return load(tmp_path / "a.safetensors")


@pytest.mark.parametrize(
    "dtype",
    [
        norch.float64,
        norch.float32,
        norch.float16,
        norch.bfloat16,
        norch.int64,
        norch.int32,
        norch.uint8,
        norch.bool_,
    ],
)
@pytest.mark.parametrize("shape", [(2, 3), (), (0,), (2, 0, 3)])
def test_every_dtype_and_shape(dtype, shape, tmp_path):
    values = (norch.arange(math.prod(shape)).reshape(shape) + 1).to(dtype)
    back = round_trip({"x": values}, tmp_path)["x"]
    assert back.dtype == dtype and tuple(back.shape) == shape
    assert back.tolist() == values.tolist()


def test_views_are_saved_as_what_they_show(tmp_path):
    base = norch.arange(12).reshape(3, 4)
    views = {"t": base.transpose(0, 1), "step": base[::2, 1:], "row": base[1].expand(2, 4)}
    back = round_trip(views, tmp_path)
    assert {k: v.tolist() for k, v in back.items()} == {k: v.tolist() for k, v in views.items()}


@pytest.mark.parametrize(
    "obj",
    [
        {"epoch": 3, "lr": 0.1, "name": "mlp é", "done": True, "none": None},
        {"list": [1, [2.5, "x"], []], "tuple": (1, (2,)), 7: "int key", "7": "str key"},
        {"big": 2**60, "inf": math.inf, "empty": {}},
        3,
        [],
    ],
)
def test_plain_values_come_back_as_they_were(obj, tmp_path):
    back = round_trip(obj, tmp_path)
    assert back == obj and type(back) is type(obj)


def test_tensors_inside_structures(tmp_path):
    obj = {
        "a.b": norch.ones(1),
        "a": {"b": norch.zeros(1)},
        "l": [norch.full((1,), 2.0)],
        "__metadata__": norch.full((1,), 3.0),
    }
    back = round_trip(obj, tmp_path)
    assert back["a.b"].item() == 1 and back["a"]["b"].item() == 0
    assert back["l"][0].item() == 2 and back["__metadata__"].item() == 3
    assert round_trip(norch.ones(2), tmp_path).tolist() == [1, 1]


def test_a_model_and_its_optimizer(tmp_path):
    net = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
    optimizer = Adam(net.parameters(), lr=0.1)
    net(norch.ones(1, 3)).sum().backward()
    optimizer.step()
    state = {"model": net.state_dict(), "optimizer": optimizer.state_dict()}
    back = round_trip(state, tmp_path)
    other = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
    other.load_state_dict(back["model"])
    resumed = Adam(other.parameters())
    resumed.load_state_dict(back["optimizer"])
    assert norch.equal(other[0].weight, net[0].weight)
    assert resumed.param_groups[0]["lr"] == 0.1 and resumed.param_groups[0]["betas"] == (0.9, 0.999)
    for model, optim in ((net, optimizer), (other, resumed)):
        optim.zero_grad()
        model(norch.ones(1, 3)).sum().backward()
        optim.step()
    assert norch.equal(other[2].weight, net[2].weight)


def test_a_file_is_the_safetensors_packages_byte_for_byte():
    package = pytest.importorskip("safetensors")
    shapes = ((2, 3), (), (0, 4), (5,))
    tensors = {
        f"{'aé0Z'[i % 4]}.{dtype}.{i}": norch.arange(math.prod(shape)).reshape(shape).to(dtype)
        for dtype in [*DTYPES.values()][::-1]
        for i, shape in enumerate(shapes)
    }
    metadata = {"b": 'é\n\x01\u2028😀"'}
    specs = {
        name: package.TensorSpec(dtype=a.dtype.name, shape=a.shape, data_ptr=p, data_len=a.nbytes)
        for name, a, p in ((n, t.array, t.array.data_ptr) for n, t in tensors.items())
    }
    data = b"".join(serialize(tensors, metadata))
    assert data == package.serialize(specs, metadata)
    back, text = deserialize(io.BytesIO(data))
    assert text == metadata and back.keys() == tensors.keys()
    assert all(
        back[n].tolist() == t.tolist() and back[n].dtype is t.dtype for n, t in tensors.items()
    )


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        ({"net": nn.Linear(1, 1)}, r"\[save\] net is a Linear: save its state_dict\(\)"),
        (
            nn.Linear(1, 1),
            r"\[save\] the object is a Linear: .* norch.save\(model.state_dict\(\), ",
        ),
        ({"sgd": nn.optim.SGD([norch.ones(1)])}, r"\[save\] sgd is a SGD: save its state_dict\(\)"),
        ({2**63: 1}, "a key of the dict is a large int: use str or int"),
        ({"a": [1, {2}]}, r"a.1 is a set"),
        ({("a", 1): 2}, "a key of the dict is a tuple: use str or int"),
        ({"x": {True: 1}}, "a key of x is a bool"),
        (print, "the object is a builtin_function"),
    ],
)
def test_what_cannot_be_saved_leaves_the_old_file(obj, message, tmp_path):
    save({"old": 1}, tmp_path / "a.safetensors")
    with pytest.raises(TypeError, match=message):
        save(obj, tmp_path / "a.safetensors")
    assert load(tmp_path / "a.safetensors") == {"old": 1}
    assert os.listdir(tmp_path) == ["a.safetensors"]


def whole_file(tmp_path):
    save({"x": norch.ones(100), "epoch": 1}, tmp_path / "a.safetensors")
    return (tmp_path / "a.safetensors").read_bytes()


def with_header(header):
    return struct.pack("<Q", len(header)) + header


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:5],
        lambda data: data[:50],
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: b"\xff" * 8 + data[8:],
        lambda data: data.replace(b"tensor", b"tensxx"),
        lambda data: with_header(b'{"__metadata__": {"norch.structure": "[]"}}'),
        lambda data: data.replace(b'{\\"value\\": 1}', b'{\\"volue\\": 1}'),
        lambda data: with_header(b'{"__metadata__": {"norch.structure": "{\\"dict\\": 3}"}}'),
    ],
)
def test_a_corrupt_file_is_named(damage, tmp_path):
    path = tmp_path / "a.safetensors"
    path.write_bytes(damage(whole_file(tmp_path)))
    with pytest.raises(RuntimeError, match=r"\[load\] .*a\.safetensors is not a whole safetensors"):
        load(path)


def test_a_header_may_have_any_length():
    header = b'{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}'
    for length in range(len(header), len(header) + 256):  # 60 bytes: the file begins with "<"
        data = with_header(header.ljust(length)) + b"\1\2"
        assert load(io.BytesIO(data))["a"].tolist() == [1, 2]


MISPLACED = """
    "U8" [2] [0,2.5] | "U8" [2] [1,3] | "U8" [3] [0,2] | "U8" [2.0] [0,2] | "U8" [-1,-2] [0,2]
    | "U8" "ab" [0,2] | "U8" {} [0,2] | "U8" [2] [0,2.0]
    | "F4" [4] [0,2] | ["U8"] [2] [0,2] | "U8" [2] null"""


@pytest.mark.parametrize("entry", [*MISPLACED.split("|"), f'"U8" [2{",1" * 10**5}] [0,2]'])
def test_a_tensor_that_is_not_where_the_header_says_is_refused(entry):
    dtype, shape, place = entry.split()
    header = f'{{"a":{{"dtype":{dtype},"shape":{shape},"data_offsets":{place}}}}}'
    with pytest.raises(RuntimeError, match=r"\[load\] the file object"):
        load(io.BytesIO(with_header(header.encode()) + b"ab"))


def test_a_name_that_comes_twice_is_refused():
    entry = b'"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}'
    with pytest.raises(RuntimeError, match="a name comes twice"):
        load(io.BytesIO(with_header(b"{" + entry + b"," + entry + b"}") + b"a"))


def test_a_file_is_read_whatever_the_default_device_is():
    file = io.BytesIO(b"".join(serialize({"a": norch.ones(2)}, {})))
    with norch.device("cuda-sim"):
        assert load(file)["a"].tolist() == [1, 1]
        assert files.from_bytes(b"ab", norch.uint8, (2,)).tolist() == [97, 98]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interrupted_write_leaves_the_old_file_and_no_other(error, tmp_path, monkeypatch):
    save({"old": 1}, tmp_path / "a.safetensors")

    def interrupted(descriptor):
        raise error("stopped")

    monkeypatch.setattr(files.os, "fsync", interrupted)
    with pytest.raises(error):
        save({"new": 2}, tmp_path / "a.safetensors")
    assert os.listdir(tmp_path) == ["a.safetensors"]
    assert load(tmp_path / "a.safetensors") == {"old": 1}


def test_files_of_torch_save_are_left_to_the_package_above(tmp_path):
    """In a process of its own: where the extras are imported, they read such files."""
    (tmp_path / "a").write_bytes(b"PK\3\4" + bytes(600))
    program = "import sys, norch_nn; norch_nn.load(sys.argv[1])"
    command = [sys.executable, "-c", program, str(tmp_path / "a")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "LoadError: [load] " in ended.stderr
    assert "it is a file of torch.save: `import norch` reads it" in ended.stderr


@pytest.mark.parametrize(
    "place",
    ["cpu", norch.device("cpu"), {"cpu": "cpu"}, lambda storage, where: storage, lambda s, w: None],
)
def test_map_location_in_every_form(place):
    file = io.BytesIO()
    nn.save({"w": norch.ones(2)}, file, pickle_protocol=4)
    file.seek(0)
    assert nn.load(file, map_location=place, weights_only=True)["w"].tolist() == [1.0, 1.0]


def test_pickles_are_refused():
    with pytest.raises(ValueError, match="runs no pickles"):
        nn.load(io.BytesIO(), pickle_module=io)
    with pytest.raises(ValueError, match="hold no pickles"):
        nn.save({}, io.BytesIO(), pickle_module=io)
