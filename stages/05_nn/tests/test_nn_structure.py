"""What is nested in a saved object: shared elements, NumPy's values, hostile structures."""

import io
import json
import struct

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_nn import load, save


def content_of(obj):
    file = io.BytesIO()
    save(obj, file)
    return file.getvalue()


def again(obj):
    return load(io.BytesIO(content_of(obj)))


def stored_in(data):
    """Names and shapes of the tensors that another reader sees."""
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return {name: entry["shape"] for name, entry in header.items() if name != "__metadata__"}


# ---- shared elements -----------------------------------------------------------------------------

VIEWS = {
    "other shape": lambda x: x.view(8, 3),
    "transposed": lambda x: x.transpose(0, 2),
    "slice": lambda x: x[1, ::2, 1:],
    "expanded": lambda x: x[0, 0].expand(5, 4),
    "windows": lambda x: x.view(-1).unfold(0, 4, 1),
    "detached": lambda x: x.detach(),
}


@pytest.mark.parametrize("dtype", [norch.float32, norch.bfloat16, norch.uint8])
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views_and_their_base_share_their_elements_again(view, dtype):
    x = norch.arange(24).view(2, 3, 4).to(dtype)
    for pair in ([x, view(x)], [view(x), x]):
        back = again(pair)
        for one, was in zip(back, pair, strict=True):
            assert (one.tolist(), one.dtype) == (was.tolist(), dtype)
        whole, part = back if pair[0] is x else back[::-1]
        whole.fill_(7)
        assert part.tolist() == view(whole).tolist()
    assert stored_in(content_of({"x": x, "v": view(x)})) == {"x": [2, 3, 4]}


def test_overlapping_parts_of_a_tensor_that_is_not_saved():
    x = norch.arange(1000)
    parts = {"a": x[10:20], "b": x[15:30:3], "far": x[500:600]}
    data = content_of(parts)
    assert stored_in(data) == {"a.storage": [18], "far": [100]}
    back = load(io.BytesIO(data))
    assert {k: v.tolist() for k, v in back.items()} == {k: v.tolist() for k, v in parts.items()}
    back["a"].fill_(7)
    assert back["b"].tolist() == [7, 7, 21, 24, 27]


def test_parts_without_a_common_element_stay_readable_by_others():
    x = norch.arange(24).view(4, 6)
    q, k = x.split(3, dim=1)
    data = content_of({"q": q, "k": k, "first": x[:2, 5:], "rest": x[2:, 5:]})
    assert stored_in(content_of({"q": q, "k": k})) == {"q": [4, 3], "k": [4, 3]}
    back = load(io.BytesIO(data))
    assert back["q"].tolist() == q.tolist() and back["k"].tolist() == k.tolist()
    back["k"].fill_(7)
    assert back["first"].tolist() == [[7], [7]] and back["rest"].tolist() == [[7], [7]]


def test_tied_weights_are_stored_once_and_tied_again():
    net = nn.ModuleDict({"embed": nn.Embedding(50, 8), "head": nn.Linear(8, 50, bias=False)})
    net["head"].weight = net["embed"].weight
    data = content_of(net.state_dict())
    assert stored_in(data) == {"embed.weight": [50, 8]}
    state = load(io.BytesIO(data))
    assert state["embed.weight"].array.shares_storage(state["head.weight"].array)
    net.load_state_dict(state)


def test_one_tensor_at_two_places_is_one_tensor_again():
    x = norch.ones(2)
    a, b = again([x, {"same": x}])
    assert a is b["same"]


def test_empty_and_expanded_tensors():
    x = norch.ones(1)
    back = again([x[:0], x[:0], norch.empty(0), x.expand(3), x.expand(3)])
    assert [v.tolist() for v in back] == [[], [], [], [1] * 3, [1] * 3]
    back[3].array.view(((1,), (1,), 0)).ops.fill_(back[3].array.view(((1,), (1,), 0)), 7)
    assert back[4].tolist() == [7] * 3


def test_a_device_is_left_behind_and_the_elements_stay_shared():
    x = norch.arange(6.0, device="cuda-sim")
    back = again([x.view(2, 3), x[1:]])
    assert str(back[0].device) == "cpu" and back[0].array.shares_storage(back[1].array)
    moved = load(io.BytesIO(content_of([x, x[1:]])), map_location="cuda-sim")
    assert str(moved[1].device) == "cuda-sim" and moved[0].array.shares_storage(moved[1].array)


def test_one_memory_of_two_dtypes_is_refused():
    x = norch.arange(4)
    with pytest.raises(RuntimeError, match=r"\[save\] x and y show the same memory as .*clone"):
        save({"x": x, "y": x.view(norch.int32)}, io.BytesIO())
    apart = norch.zeros(8, dtype=norch.int32)
    save({"x": apart[:4], "y": apart[4:].view(norch.int64)}, io.BytesIO())


# ---- NumPy's values ------------------------------------------------------------------------------


def test_numpys_arrays_and_scalars_come_back_as_they_were():
    np = pytest.importorskip("numpy")
    values = {
        "image": np.arange(6, dtype=np.uint8).reshape(2, 3)[:, ::-1],
        "empty": np.zeros((0, 2)),
        "list": [np.float32(0.5), np.int64(3), np.bool_(True), np.float16(2)],
        "double": np.float64(0.1),
    }
    back = again(values)
    assert type(back["image"]) is np.ndarray and back["image"].tolist() == [[2, 1, 0], [5, 4, 3]]
    assert back["image"].dtype == np.uint8 and back["empty"].shape == (0, 2)
    assert [type(x) for x in back["list"]] == [type(x) for x in values["list"]]
    assert back["list"] == values["list"] and back["double"] == 0.1
    for bad in (np.array(["text"]), np.array([None]), np.complex64(1), np.uint32(1)):
        with pytest.raises(
            TypeError, match=r"\[save\] a.b is a NumPy .*, which no tensor can hold"
        ):
            save({"a": {"b": bad}}, io.BytesIO())


# ---- deep and hostile structures -----------------------------------------------------------------


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def test_what_is_nested_too_deeply_or_in_itself_is_refused(tmp_path):
    assert again(nested(100)) == nested(100)
    itself = {}
    itself["itself"] = itself
    save({"old": 1}, tmp_path / "a")
    for obj in (nested(100_000), itself):
        with pytest.raises(
            RecursionError, match=r"\[save\] the object is nested too deeply, or it"
        ):
            save(obj, tmp_path / "a")
    assert load(tmp_path / "a") == {"old": 1}


def file_of(structure, tensors=b"", entries=None):
    """A safetensors file with a structure of one's own."""
    text = structure if isinstance(structure, str) else json.dumps(structure)
    header = json.dumps({"__metadata__": {"norch.structure": text}, **(entries or {})}).encode()
    return struct.pack("<Q", len(header)) + header + tensors


@pytest.mark.parametrize("depth", [1_000, 5_000, 100_000])
def test_a_file_that_is_nested_too_deeply_is_named(depth, tmp_path):
    (tmp_path / "deep").write_bytes(file_of('{"list":[' * depth + '{"list":[]}' + "]}" * depth))
    with pytest.raises(RuntimeError, match=r"\[load\] .*deep is nested too deeply"):
        load(tmp_path / "deep")


ENTRY = {"x": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}}


@pytest.mark.parametrize(
    "view",
    [
        ["x", [5], [1], 0],
        ["x", [2], [1], 3],
        ["x", [2], [-1], 0],
        ["x", [-1], [1], 0],
        ["x", [2], [1], -1],
        ["x", [2**62, 2**62], [0, 0], 0],
        ["x", [2], [2**63], 0],
        ["x", [2], [2**62], 0],
        ["x", [2, 2], [1], 0],
        ["x", [1] * 17, [1] * 17, 0],
        ["x", "ab", "cd", 0],
        ["x", [2.5], [1], 0],
        ["x", [2], [1], None],
        ["y", [2], [1], 0],
        ["x", [2], [1]],
        "x",
        None,
    ],
    ids=str,
)
def test_views_outside_what_is_stored_are_refused(view):
    with pytest.raises(RuntimeError, match="is not a whole safetensors file"):
        load(io.BytesIO(file_of({"view": view}, b"abcd", ENTRY)))
    good = load(io.BytesIO(file_of({"view": ["x", [2, 2], [1, -2], 2]}, b"abcd", ENTRY)))
    assert good.tolist() == [[99, 97], [100, 98]]


def test_bools_of_a_file_are_true_or_false():
    entries = {"x": {"dtype": "BOOL", "shape": [5], "data_offsets": [0, 5]}}
    x = load(io.BytesIO(file_of({"tensor": "x"}, b"\0\1\2\xff\0", entries)))
    assert x.sum().item() == 3 and x.nonzero().flatten().tolist() == [1, 2, 3]


def test_a_dtype_that_norch_lacks_is_named(tmp_path):
    entries = {"w": {"dtype": "F8_E4M3", "shape": [4], "data_offsets": [0, 4]}}
    (tmp_path / "a").write_bytes(file_of({"tensor": "w"}, b"abcd", entries))
    with pytest.raises(RuntimeError, match=r"\[load\] .*a: tensor 'w' is of dtype F8_E4M3, which"):
        load(tmp_path / "a")


def test_keys_that_could_collide_are_refused():
    number = 2**61 - 1
    assert again({number: 1, -number: 2}) == {number: 1, -number: 2}
    with pytest.raises(RuntimeError, match="a key of more than 63 bits"):
        load(io.BytesIO(file_of({"dict": [[number * 5, {"value": 1}]]})))
