"""torch.save's files without PyTorch: what is read, what is refused, and what never happens."""

import array
import codecs
import io
import itertools
import os
import pickle
import random
import struct
import sys
import tracemalloc
import zipfile
from collections import Counter, OrderedDict, defaultdict

import pytest
from torch_writer import Call, Global, Raw, Storage, older_file, opcodes, tensor, zip_file

import norch_autograd as norch
import norch_nn as nn
from norch_extras.torch_files import hub  # and lets load read such files
from norch_nn import load, save


def read(data, **options):
    return load(io.BytesIO(data), **options)


KINDS = {
    "DoubleStorage": (norch.float64, "d"),
    "FloatStorage": (norch.float32, "f"),
    "LongStorage": (norch.int64, "q"),
    "IntStorage": (norch.int32, "i"),
    "ByteStorage": (norch.uint8, "B"),
    "CharStorage": (norch.int8, "b"),
    "BoolStorage": (norch.bool_, "B"),
    "HalfStorage": (norch.float16, "H"),
    "BFloat16Storage": (norch.bfloat16, "H"),
}
HALVES = {
    "HalfStorage": [0x3C00, 0x4000, 0xC200, 0],
    "BFloat16Storage": [0x3F80, 0x4000, 0xC040, 0],
}


def numbers_of(kind, order="little"):
    """Four elements of a storage as bytes."""
    words = array.array(KINDS[kind][1], HALVES.get(kind, [1, 2, 3, 0]))
    if order == "big":
        words.byteswap()
    return words.tobytes()


# ---- what is read --------------------------------------------------------------------------------


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_dtype_and_byte_order(kind, order, older):
    value = tensor(Storage(kind, "0", 4), (2, 2), (1, 2))
    if older:  # always little-endian
        x = read(older_file(value, {"0": (4, numbers_of(kind))}))
    else:
        x = read(zip_file(value, {"0": numbers_of(kind, order)}, order))
    expected = [True, True, True, False] if kind == "BoolStorage" else [1, 2, 3, 0]
    if kind in HALVES:
        expected = [1, 2, -3, 0]
    assert (x.dtype, x.stride()) == (KINDS[kind][0], (1, 2))
    assert x.T.flatten().tolist() == expected and x.sum().item() == sum(expected)


@pytest.mark.parametrize("older", [False, True])
def test_files_are_read_whatever_the_default_device_is(older):
    value, stored = tensor(Storage("FloatStorage", "0", 2), (2,), (1,)), struct.pack("<2f", 1, 2)
    data = older_file(value, {"0": (2, stored)}) if older else zip_file(value, {"0": stored})
    with norch.device("cuda-sim"):
        assert read(data).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("older", [False, True])
def test_shared_storages_offsets_strides_and_parameters(older):
    one, two = Storage("FloatStorage", "a", 6), Storage("LongStorage", "b", 1)
    parameter = Call(
        Global("torch._utils", "_rebuild_parameter"),
        (tensor(one, (2,), (1,), 4), True, OrderedDict()),
    )
    value = OrderedDict(
        whole=tensor(one, (2, 3), (3, 1)),
        column=tensor(one, (2,), (3,), 1),
        wide=tensor(one, (1000, 2), (0, 1), 2),
        none=tensor(one, (0, 5), (5, 1), 99),
        steps=tensor(two, (), ()),
        weight=parameter,
        learned=tensor(one, (1,), (1,), 5, True),
    )
    raw = {"a": array.array("f", range(6)).tobytes(), "b": struct.pack("<q", 7)}
    counts = {"a": 6, "b": 1}
    x = read(
        older_file(value, {key: (counts[key], data) for key, data in raw.items()})
        if older
        else zip_file(value, raw)
    )
    assert type(x) is OrderedDict and list(x) == list(value)
    assert x["column"].tolist() == [1, 4] and x["steps"].item() == 7 and x["none"].shape == (0, 5)
    assert type(x["weight"]) is nn.Parameter and x["weight"].requires_grad
    assert x["learned"].requires_grad and x["learned"].is_leaf and not x["whole"].requires_grad
    x["whole"].fill_(9)
    assert x["column"].tolist() == [9, 9] and x["wide"][999].tolist() == [9, 9]
    assert x["weight"].tolist() == [9, 9]


PLAIN = {
    "numbers": [0, -1, 255, 2**16, 2**40, -(2**70), 2.5, float("inf"), True, False, None],
    "text": ["", "é" * 300, b"", b"\0\xff", b"x" * 300, bytearray(b"ab\xff"), bytearray()],
    "nested": (1, (2, (3, [4, {5: {"six": ()}}]))),
    "sets": [{1, "a"}, frozenset([(1, 2)]), set()],
    "classes": [OrderedDict(a=1), Counter("aab"), 1 + 2j],
    ("a", 1): 2,
    2.5: 3,
    b"key": None,
}


@pytest.mark.parametrize("protocol", range(2, 6))
def test_plain_values_of_every_protocol(protocol):
    shared = [1]
    value = {**PLAIN, "shared": [shared, shared]}
    back = read(zip_file(pickle.dumps(value, protocol)))
    assert back == value and back["shared"][0] is back["shared"][1]
    assert [type(v) for v in back["text"]] == [type(v) for v in value["text"]]
    counts = defaultdict(list, a=[1])
    back = read(zip_file(pickle.dumps(counts, protocol)))
    assert back == counts and back["new"] == []


def test_pickles_of_the_first_protocols():
    value = {"a": [1, 2.5, "é", None, (1, 2)], 2: {"b": True}, "long": 2**70}
    for protocol in (0, 1):
        assert read(zip_file(pickle.dumps(value, protocol))) == value
    python_2 = b"(dp0\nS'a'\np1\nI5\nsU\x04\xc3\xa9ms(lp2\nL7L\naI01\nasT\x01\0\0\0bF2.5\ns."
    assert read(zip_file(python_2)) == {"a": 5, "éms": [7, True], "b": 2.5}


def test_pytorchs_own_values():
    def call(module, name, *arguments):
        return Call(Global(module, name), arguments)

    untyped = Global("torch.storage", "UntypedStorage")
    dtype = call("numpy", "dtype", "f8", False, True)
    state = opcodes((3, "<", None, None, None, -1, -1, 0))
    built = Raw(opcodes(dtype) + state + b"b")
    scalar = call("numpy.core.multiarray", "scalar", built, struct.pack("<d", 0.5))
    value = {
        "size": call("torch", "Size", (2, 3)),
        "device": call("torch", "device", "cuda", 1),
        "dtype": Global("torch", "bfloat16"),
        "scalar": scalar,
        "typed": Call(
            Global("torch._tensor", "_rebuild_from_type_v2"),
            (
                Global("torch._utils", "_rebuild_tensor_v2"),
                Global("torch.nn.parameter", "Parameter"),
                tensor(Storage("FloatStorage", "0", 1), (1,), (1,)).arguments,
                {"note": 1},
            ),
        ),
        "untyped": Call(
            Global("torch._utils", "_rebuild_tensor_v3"),
            (
                Raw(opcodes(("storage", untyped, "0", "cpu", 4)) + b"Q"),
                0, (1,), (1,), False, OrderedDict(), Global("torch", "int32"),
            ),
        ),
    }  # fmt: skip
    for name in ("typed", "untyped"):
        only = {
            key: item for key, item in value.items() if key not in {"typed", "untyped"} - {name}
        }
        back = read(zip_file(only, {"0": struct.pack("<f", 1.0)}))
        assert back[name].tolist() == ([1.0] if name == "typed" else [0x3F800000])
    assert back["size"] == norch.Size((2, 3)) and back["device"] == norch.device("cuda:1")
    assert back["dtype"] is norch.bfloat16 and back["scalar"] == 0.5


def test_the_versions_beside_a_state_dict_are_left_out():
    state = Raw(opcodes(OrderedDict(a=1)) + opcodes({"_metadata": OrderedDict()}) + b"b")
    back = read(zip_file(state))
    assert back == OrderedDict(a=1) and not hasattr(back, "_metadata")


def test_weights_go_into_a_model(tmp_path):
    raw = array.array("f", range(8)).tobytes()
    storage = Storage("FloatStorage", "0", 8)
    value = OrderedDict(weight=tensor(storage, (2, 3), (3, 1)), bias=tensor(storage, (2,), (1,), 6))
    (tmp_path / "net.pth").write_bytes(zip_file(value, {"0": raw}, folder="net"))
    net = nn.Linear(3, 2)
    for options in ({}, {"weights_only": True}, {"weights_only": False}, {"mmap": True}):
        net.load_state_dict(load(tmp_path / "net.pth", map_location="cpu", **options))
        assert net(norch.ones(3)).tolist() == [9, 19]


def test_a_mapped_file_is_not_changed(tmp_path):
    value = tensor(Storage("FloatStorage", "0", 4), (4,), (1,))
    data = zip_file(value, {"0": numbers_of("FloatStorage")})
    start = data.index(numbers_of("FloatStorage"))
    for shift in range(4):  # an odd place is read, not mapped
        shifted = zip_file(value, {"0": numbers_of("FloatStorage")}, folder="a" * (4 + shift))
        (tmp_path / "a").write_bytes(shifted)
        x = load(tmp_path / "a", mmap=True)
        x.fill_(7)
        assert x.tolist() == [7] * 4 and (tmp_path / "a").read_bytes() == shifted
    assert start > 0
    with pytest.raises(ValueError, match=r"\[load\] mmap=True needs the path"):
        read(data, mmap=True)


def test_map_location_meets_every_storage():
    places = {"a": "cpu", "b": "cuda:0"}
    value = {
        key: tensor(Storage("FloatStorage", key, 1, place), (1,), (1,))
        for key, place in places.items()
    }
    storages = dict.fromkeys(places, struct.pack("<f", 2.0))
    for data in (
        zip_file(value, storages),
        older_file(value, {key: (1, raw) for key, raw in storages.items()}),
    ):
        seen = []

        def watch(elements, location, seen=seen):
            seen.append((elements.tolist(), location))
            return elements.to("cuda-sim") if location == "cpu" else elements

        back = read(data, map_location=watch)
        assert sorted(seen) == [([2.0], "cpu"), ([2.0], "cuda:0")]
        assert (str(back["a"].device), str(back["b"].device)) == ("cuda-sim", "cpu")
        for place in ("cpu", norch.device("cpu"), {"cuda:0": "cpu"}):
            assert str(read(data, map_location=place)["b"].device) == "cpu"
        with pytest.raises(RuntimeError, match=r"saved on 'cuda:7'.*map_location='cpu' loads them"):
            read(
                zip_file(
                    tensor(Storage("FloatStorage", "0", 1, "cuda:7"), (1,), (1,)), {"0": b"abcd"}
                )
            )
        with pytest.raises(RuntimeError, match="map_location has to return the elements"):
            read(data, map_location=lambda elements, location: norch.ones(3))
        with pytest.raises(RuntimeError, match=r"\(division by zero\)"):
            read(data, map_location=lambda elements, location: 1 / 0)


# ---- what is refused -----------------------------------------------------------------------------


def refused(data, text, tmp_path):
    """Load fails in one sentence that names the file, as both of PyTorch's types."""
    path = tmp_path / "x.pt"
    path.write_bytes(data)
    with pytest.raises(RuntimeError, match=r"^\[load\] \S*x\.pt:? ") as caught:
        load(path, weights_only=False)
    assert isinstance(caught.value, pickle.UnpicklingError)
    assert text in str(caught.value), caught.value
    assert len(str(caught.value)) < 500


MODEL = "'torch.nn.modules.linear.Linear', and norch runs no code from a file: where it was made"
SYSTEM = opcodes(Call(Global("posix", "system"), ("touch exploded",)))
GADGETS = {
    "system": SYSTEM,
    "os": opcodes(Call(Global("os", "system"), ("touch exploded",))),
    "nested name": b"\x8c\x02os\x8c\x0bpath.exists\x93(\x8c\x01.tR",
    "attribute of an allowed module": b"\x8c\x0ccollections\x8c\x13OrderedDict.__init__\x93)R",
    "builtin in torch": opcodes(Call(Global("torch", "os.system"), ("touch exploded",))),
    "eval": opcodes(Call(Global("builtins", "eval"), ("1",))),
    "exec of python 2": opcodes(Call(Global("__builtin__", "exec"), ("1",))),
    "getattr": opcodes(Call(Global("builtins", "getattr"), (Global("torch", "Size"), "x"))),
    "import": opcodes(Call(Global("builtins", "__import__"), ("os",))),
    "apply": opcodes(Call(Global("builtins", "map"), (Global("torch", "Size"), [(1,)]))),
    "partial": opcodes(Call(Global("functools", "partial"), (Global("os", "system"), "x"))),
    "attrgetter": opcodes(Call(Global("operator", "attrgetter"), ("system",))),
    "reconstructor": opcodes(Call(Global("copy_reg", "_reconstructor"), ())),
    "copyreg": opcodes(Call(Global("copyreg", "__newobj__"), (Global("torch", "Size"),))),
    "subprocess": opcodes(Call(Global("subprocess", "Popen"), (["touch", "exploded"],))),
    "numpy's loader": opcodes(Call(Global("numpy", "load"), ("x",))),
    "runpy": opcodes(Call(Global("runpy", "_run_code"), ("1", {}))),
    "a lookalike": opcodes(Call(Global("torch._utils", "_rebuild_tensor_v2.__globals__"), ())),
    "another lookalike": opcodes(
        Call(Global("torch._utils", "_import_dotted_name"), ("os.system",))
    ),
    "torch's loader": opcodes(Call(Global("torch.storage", "_load_from_bytes"), (b"x",))),
    "torch's eval": opcodes(Call(Global("torch.jit", "compile"), ("1",))),
    "type": opcodes(Call(Global("builtins", "type"), ("X", (), {}))),
    "instance": b"(iposix\nsystem\n",
    "instance in parts": b"(cposix\nsystem\nX\x01\0\0\0xo",
    "instance with class": b"(ctorch\nSize\no",
    "new object": opcodes(Global("torch", "Size")) + b")\x81",
    "new object with keywords": b"cposix\nsystem\n)}\x92",
    "new object of a container": opcodes(Global("collections", "OrderedDict")) + b")\x81",
    "extension": b"\x82\x01)R",
    "extensions": b"\x83\x01\x00)R\x84\x01\0\0\0)R",
    "buffers": b"\x97\x98",
    "call of a value": opcodes([1]) + b")R",
    "call of text": opcodes("os.system") + b")R",
    "call of a dtype": opcodes(Global("torch", "float32")) + b")R",
    "call of a storage type": opcodes(Global("torch", "FloatStorage")) + b")R",
    "call with a list": opcodes(Global("torch", "Size")) + b"]R",
    "call through a name on the stack": b"X\x05\0\0\0posixX\x06\0\0\0system\x93",
    "name of numbers": b"K\x01K\x02\x93",
    "build on a name": opcodes(Global("collections", "OrderedDict")) + opcodes({"x": 1}) + b"b",
    "build of a dict": b"}" + opcodes({"__class__": 1}) + b"b",
    "build of a list": b"]" + opcodes({"append": 1}) + b"b",
    "build of methods": opcodes(OrderedDict()) + opcodes({"__setitem__": 1}) + b"b",
    "build of metadata and more": opcodes(OrderedDict()) + opcodes({"_metadata": 1, "x": 2}) + b"b",
    "build with slots": opcodes(OrderedDict()) + opcodes((None, {"_metadata": 1})) + b"b",
    "build of a dtype": opcodes(Call(Global("numpy", "dtype"), ("O8",))) + opcodes({"x": 1}) + b"b",
    "object scalar": opcodes(
        Call(
            Global("numpy.core.multiarray", "scalar"),
            (Call(Global("numpy", "dtype"), ("O8",)), b"x"),
        )
    ),
    "fill a tuple": b")(K\x01e",
    "fill a name": opcodes(Global("torch", "Size")) + b"(K\x01K\x02u",
    "persistent text": b"Pmodule\n",
    "persistent number": b"K\x01Q",
    "persistent module": opcodes(("module", Global("torch", "Size"), "file", "source")) + b"Q",
    "persistent list": opcodes(["storage", Global("torch", "FloatStorage"), "0", "cpu", 1]) + b"Q",
    "persistent of a class": opcodes(("storage", Global("torch", "Size"), "0", "cpu", 1)) + b"Q",
    "persistent key": opcodes(("storage", Global("torch", "FloatStorage"), 0, "cpu", 1)) + b"Q",
    "persistent location": opcodes(("storage", Global("torch", "FloatStorage"), "0", 1, 1)) + b"Q",
    "persistent size": opcodes(("storage", Global("torch", "FloatStorage"), "0", "cpu", -1)) + b"Q",
    "persistent bool": opcodes(("storage", Global("torch", "FloatStorage"), "0", "cpu", True))
    + b"Q",
    "factory": opcodes(Call(Global("collections", "defaultdict"), (Global("torch", "Size"),))),
    "foreign factory": opcodes(
        Call(Global("collections", "defaultdict"), (Global("os", "getcwd"),))
    ),
    "codec": opcodes(Call(Global("_codecs", "encode"), ("x", "zip"))),
    "large bytes": opcodes(Call(Global("builtins", "bytes"), (2**40,))),
    "large bytearray": opcodes(Call(Global("builtins", "bytearray"), (2**40,))),
    "hooks": opcodes(
        Call(
            Global("torch._utils", "_rebuild_tensor_v2"),
            (Storage("FloatStorage", "0", 1), 0, (1,), (1,), False, OrderedDict(a=1)),
        )
    ),
    "subclass": opcodes(
        Call(Global("torch._tensor", "_rebuild_from_type_v2"), (Global("os", "system"), 1, (), {}))
    ),
    "rebuild within rebuild": opcodes(
        Call(
            Global("torch._tensor", "_rebuild_from_type_v2"),
            (
                Global("torch._tensor", "_rebuild_from_type_v2"),
                Global("torch", "Tensor"),
                (),
                {},
            ),
        )
    ),
    "empty stack": b"0",
    "empty memo": b"h\x05",
    "no mark": b"t",
    "two results": b"NN",
    "no result": b"",
    "unknown opcode": b"\xff",
    "list as key": b"}(]K\x01u",
    "cut": b"X\xff\xff\0\0abc",
    "long text": b"\x8d\xff\xff\xff\xff\xff\xff\xff\x7f",
    "long bytes": b"\x8e\xff\xff\xff\xff\xff\xff\xff\xff",
    "long number": b"\x8b\xff\xff\xff\x7f",
    "negative length": b"\x8b\xff\xff\xff\xff",
    "long decimal": b"L" + b"9" * 10_000 + b"L\n",
}


WATCHED = ("import", "exec", "compile", "open", "os.", "subprocess.", "socket.", "ctypes.")
events = []  # what Python did since `nothing_happens` began to listen
listening = []


def listen(event, arguments):
    if listening and event.startswith(WATCHED):
        events.append((event, arguments))


sys.addaudithook(listen)  # there is no way to take it off: `listening` switches it


@pytest.fixture
def nothing_happens():
    """No module is imported, no code is compiled or run, no file is opened while a file is read."""
    for data in FUZZED:
        read(data)  # what is imported the first time
    codecs.lookup("raw_unicode_escape")  # of strings in old pickles, and of damaged ones
    with pytest.raises(RuntimeError):
        read(b"of another kind: taken for a safetensors file")

    def run(data, **options):
        events.clear()
        listening.append(True)
        try:
            return read(data, **options)
        finally:
            listening.clear()
            assert events == []

    return run


@pytest.mark.parametrize("name", GADGETS)
@pytest.mark.parametrize("older", [False, True])
def test_hostile_pickles_are_refused(name, older, tmp_path, nothing_happens):
    inside = b"\x80\x02" + GADGETS[name] + b"."
    if older:
        data = older_file(Raw(GADGETS[name]), {"0": (1, b"abcd")})
    else:
        data = zip_file(inside, {"0": b"abcd"})
    with pytest.raises(RuntimeError, match="the file object"):
        nothing_happens(data)
    refused(data, "", tmp_path)


def test_a_hostile_pickle_alone(tmp_path):
    refused(b"\x80\x02" + SYSTEM + b".", "it refers to 'posix.system'", tmp_path)
    refused(pickle.dumps({"a": 1}), "it is a pickle that torch.save did not write", tmp_path)
    refused(pickle.dumps(print, 4), "'builtins.print', and norch runs no code", tmp_path)


def test_a_whole_model_is_refused_in_one_sentence(tmp_path):
    model = opcodes(Global("torch.nn.modules.linear", "Linear")) + b")\x81}b"
    refused(zip_file(b"\x80\x02" + model + b"."), MODEL, tmp_path)
    refused(older_file(Raw(model), {}), MODEL, tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (("torch", "float8_e4m3fn"), "torch.float8_e4m3fn, a dtype that norch does not have"),
        (("torch", "complex64"), "torch.complex64, a dtype"),
        (("torch._utils", "_rebuild_sparse_tensor"), "a sparse tensor: make it x.to_dense()"),
        (("numpy.core.multiarray", "_reconstruct"), "a NumPy array: make it torch.from_numpy"),
        (("argparse", "Namespace"), "an argparse.Namespace: make it a dict, vars(args)"),
        (("a" * 10_000, "b"), "it refers to 'aaaa"),
        (("\x1b[31m", "b"), r"'\x1b[31m.b'"),
    ],
    ids=range(7),
)
def test_what_else_is_saved_is_named(name, text, tmp_path):
    refused(zip_file([Global(*name)]), text, tmp_path)


def test_storages_of_other_dtypes_are_named(tmp_path):
    data = zip_file(tensor(Storage("ComplexFloatStorage", "0", 1), (1,), (1,)), {"0": b"abcd" * 2})
    refused(data, "torch.complex64, a dtype that norch does not have", tmp_path)


@pytest.mark.parametrize(
    ("size", "stride", "offset"),
    [
        ((5,), (1,), 0),
        ((2,), (4,), 0),
        ((2,), (-1,), 1),
        ((-1,), (1,), 0),
        ((1,), (1,), -1),
        ((1,), (1,), 4),
        ((2**62, 2**62), (0, 0), 0),
        ((2,), (2**70,), 0),
        ((2, 2), (1,), 0),
        ((1,) * 17, (1,) * 17, 0),
        ((True,), (1,), 0),
        ((1.0,), (1,), 0),
        ((1,), (1,), None),
        ("ab", "ab", 0),
        (4, 1, 0),
        ((0, 2**70), (1, 1), 0),
    ],
    ids=str,
)
@pytest.mark.parametrize("older", [False, True])
def test_tensors_outside_their_storage(size, stride, offset, older, tmp_path):
    value = tensor(Storage("FloatStorage", "0", 4), size, stride, offset)
    data = numbers_of("FloatStorage")
    refused(
        older_file(value, {"0": (4, data)}) if older else zip_file(value, {"0": data}), "", tmp_path
    )


ONE = tensor(Storage("FloatStorage", "0", 1), (1,), (1,))


def overlapping():
    """A zip archive whose two storages lie at one place."""
    value = [ONE, tensor(Storage("FloatStorage", "1", 1), (1,), (1,))]
    data = bytearray(zip_file(value, {"0": b"abcd", "1": b"abcd"}))
    first = data.index(b"archive/data/0")
    second = data.index(b"archive/data/1")
    central = data.index(b"PK\1\2", second)
    for name, place in ((b"archive/data/1", first - 30),):
        entry = data.index(name, central) - 46
        data[entry + 42 : entry + 46] = struct.pack("<I", place)
    return bytes(data)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("data", "text"),
    [
        (lambda: zip_file(ONE, {"0": b"abc"}), "has 3 bytes, not the 4 of 1 elements"),
        (lambda: zip_file(ONE, {"0": b"abcde"}), "has 5 bytes, not the 4"),
        (lambda: zip_file(ONE, {}), "its entry 'data/0' is missing"),
        (lambda: zip_file(ONE, {"0": b"abcd"}, "middle"), "its byte order is 'middle'"),
        (lambda: zip_file(ONE, {"0": b"abcd"}, compression=zipfile.ZIP_DEFLATED), "was compressed"),
        (lambda: zip_file([ONE] * 2, {"0": b"abcd"}).replace(b"abcd", b"abce"), "is damaged"),
        (lambda: zip_file(ONE, {"0": b"abcd"}, extra={"../a/data.pkl": b"N."}), None),
        (lambda: zip_file(ONE, {"0": b"abcd"}, extra={"constants.pkl": b"N."}), "TorchScript"),
        (lambda: zip_file(ONE, {"0": b"abcd"}, folder="a/b"), "not one that torch.save wrote"),
        (lambda: zip_file(ONE, {"0": b"abcd"})[:-30], "the download or the copy did not finish"),
        (lambda: zip_file(ONE, {"0": b"abcd"})[:200], "the download or the copy did not finish"),
        (overlapping, "have one name or one place"),
        (
            lambda: zip_file(
                [ONE, tensor(Storage("LongStorage", "0", 1), (1,), (1,))], {"0": b"abcd"}
            ),
            "described in two ways",
        ),
        (
            lambda: zip_file(
                tensor(Storage("FloatStorage", "../../x", 1), (1,), (1,)), {"0": b"abcd"}
            ),
            "'data/../../x' is missing",
        ),
        (
            lambda: zip_file(
                tensor(Storage("FloatStorage", "0", 2**60), (1,), (1,)), {"0": b"abcd"}
            ),
            "not the",
        ),
        (
            lambda: older_file(ONE, {"0": (2, b"abcd" * 2)}),
            "is not of the size that its pickle says",
        ),
        (lambda: older_file(ONE, {"0": (1, b"abc")}), "it ends too early"),
        (lambda: older_file(ONE, {}), "its list of storages is not that of its pickle"),
        (
            lambda: older_file(tensor(Storage("FloatStorage", "0", 2**40), (1,), (1,)), {}),
            "larger than",
        ),
        (lambda: older_file(ONE, {"0": (1, b"abcd")}, magic=5), "that torch.save did not write"),
        (lambda: older_file(ONE, {"0": (1, b"abcd")})[:60], "not a whole file of torch.save"),
    ],
    ids=itertools.count(),
)
def test_archives_that_are_not_whole(data, text, tmp_path):
    if text is None:
        assert read(data()).numel() == 1
    else:
        refused(data(), text, tmp_path)


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (b"", "it is empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "git lfs pull"),
        (b"\n <!DOCTYPE html><html>", "it is a web page"),
        (b"\xef\xbb\xbf<?xml version='1.0'?><Error>", "it is a web page"),
        (b'{"metadata": {}, "weight_map": {}}', "it is JSON text"),
        (b'{"data":{"a": 1}}', "it is JSON text"),
        (b"\x1f\x8b\x08\0", "gunzip"),
        (b"BZh91AY", "bunzip2"),
        (b"\xfd7zXZ\0", "unxz"),
        (b"\x28\xb5\x2f\xfd", "unzstd"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"\0" * 257 + b"ustar\0", "tar -xf"),
        (b"\x93NUMPY\1\0", "numpy.load(file)"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"GGUF\3\0\0\0", "GGUF"),
        (b"random bytes of no kind", "not a whole safetensors file"),
    ],
    ids=str,
)
def test_other_kinds_of_files_are_named(head, text, tmp_path):
    refused(head, text, tmp_path)


def test_a_zip_archive_of_something_else(tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("arr_0.npy", b"x")
    refused(file.getvalue(), "not one that torch.save wrote", tmp_path)


# ---- limits --------------------------------------------------------------------------------------


def peak_of(data):
    """The error of a hostile file, and the memory that it took."""
    tracemalloc.start()
    try:
        with pytest.raises(RuntimeError) as caught:
            read(data)
        return str(caught.value), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_calls_cannot_multiply_memory():
    text = opcodes("x" * 100_000) + b"q\x01X\x06\0\0\0latin1q\x02"
    bomb = text + b"c_codecs\nencode\nq\x03" + b"h\x03h\x01h\x02\x86Rq\x04" * 10_000
    message, peak = peak_of(zip_file(b"\x80\x02" + bomb + b"."))
    assert "copies more than it holds" in message and peak < 10_000_000
    items = b"(" + b"N" * 50_000 + b"lq\x01"
    for name in ("builtins\nset", "collections\nOrderedDict", "torch\nSize"):
        calls = f"c{name}\n".encode() + b"q\x03" + b"h\x03h\x01\x85R" * 10_000
        _, peak = peak_of(zip_file(b"\x80\x02" + items + calls + b"."))
        assert peak < 20_000_000


def test_tuples_of_tuples_are_cheap_until_they_are_a_key():
    layers = b")" + b"q\x01h\x01\x86" * 60
    back = read(zip_file(b"\x80\x02" + layers + b"."))
    assert len(back) == 2 and back[0] is back[1]
    for use in (b"}", b"\x8f"):
        fill = b"(" + layers + (b"Nu" if use == b"}" else b"\x90")
        with pytest.raises(
            RuntimeError, match="a key of its dicts is a tuple, too large or not plain"
        ):
            read(zip_file(b"\x80\x02" + use + fill + b"."))
    with pytest.raises(RuntimeError, match="a key of its dicts is a int, too large or not plain"):
        read(zip_file({(2**61 - 1) * 8: 1}))
    same = "x" * 20_000  # compared letter by letter each time that it is met
    with pytest.raises(RuntimeError, match="a key of its dicts is a str, too large or not plain"):
        read(zip_file({same: 1}))


def test_depth_is_no_matter():
    back = read(zip_file(b"\x80\x02" + b"]" * 200_000 + b"a" * 199_999 + b"."))
    depth = 0
    while back:
        (back,) = back
        depth += 1
    assert depth == 199_999
    itself = read(zip_file(b"\x80\x02]q\x01h\x01a."))
    assert itself[0] is itself


def test_a_pickle_that_is_too_large(monkeypatch):
    import norch_extras.torch_files.readers as readers
    import norch_extras.torch_files.unpickler as unpickler

    monkeypatch.setattr(unpickler, "LARGEST", 1000)
    monkeypatch.setattr(readers, "LARGEST", 1000)
    with pytest.raises(RuntimeError, match=r"'data\.pkl' has 2007 bytes, more than 1000"):
        read(zip_file(b"\x80\x02]" + b"]" * 1001 + b"a" * 1002 + b"."))


FUZZED = [
    zip_file(
        OrderedDict(a=ONE, b=[1, 2.5, "text", (None, True)], c={"x": b"bytes"}, d={1, 2}),
        {"0": b"abcd"},
    ),
    older_file({"a": ONE, "b": [1, 2.5, "text", (None, True)]}, {"0": (1, b"abcd")}),
]


@pytest.mark.parametrize("data", FUZZED, ids=["zip", "older"])
def test_thousands_of_damaged_files_raise_clean_errors(data, nothing_happens):
    random_ = random.Random(0)
    loaded = 0
    for _ in range(3000):
        broken = bytearray(data)
        for _ in range(random_.choice((1, 1, 2, 8))):
            broken[random_.randrange(len(broken))] = random_.randrange(256)
        if random_.random() < 0.2:
            del broken[random_.randrange(len(broken)) :]
        try:
            nothing_happens(bytes(broken), map_location="cpu")
            loaded += 1
        except RuntimeError as error:
            assert str(error).startswith("[load] the file object") and len(str(error)) < 600
    assert 0 < loaded < 2500


def test_random_pickles_raise_clean_errors(nothing_happens):
    import pickletools

    random_ = random.Random(1)
    codes = [opcode.code.encode("latin1") for opcode in pickletools.opcodes]
    parts = [
        *GADGETS.values(),
        *(opcodes(value) for value in (1, "a", b"b", (), [], {}, None, ONE)),
    ]
    for _ in range(3000):
        chosen = random_.choices(codes, k=5) + random_.choices(parts, k=5)
        random_.shuffle(chosen)
        try:
            nothing_happens(zip_file(b"\x80\x02" + b"".join(chosen) + b".", {"0": b"abcd"}))
        except RuntimeError as error:
            assert str(error).startswith("[load] the file object")


class Bomb:
    """Pickles to a call that makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_loading_runs_no_code_from_the_file(tmp_path):
    (tmp_path / "a").write_bytes(pickle.dumps(Bomb(tmp_path / "exploded")))
    with pytest.raises(RuntimeError, match=r"refers to '_?io\.open', and norch runs no code"):
        load(tmp_path / "a")
    assert os.listdir(tmp_path) == ["a"]


# ---- the hub: published weights by their address -------------------------------------------------


def test_weights_of_an_address_are_those_on_this_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    folder, url = tmp_path / "hub" / "checkpoints", "https://host/models/a-1f.pth?raw=1"
    assert hub.get_dir() == str(tmp_path / "hub")
    with pytest.raises(FileNotFoundError, match=r"downloads no weights: put https.*as a-1f\.pth, "):
        hub.load_state_dict_from_url(url)
    folder.mkdir(parents=True)
    save({"w": norch.ones(2)}, folder / "weights.safetensors")
    (folder / "weights.safetensors").rename(folder / "a-1f.pth")
    save({"w": norch.zeros(2)}, tmp_path / "b")
    assert hub.load_state_dict_from_url(url, progress=False)["w"].tolist() == [1, 1]
    given = hub.load_state_dict_from_url(url, str(tmp_path), file_name="b", map_location="cpu")
    assert given["w"].tolist() == [0, 0]
    monkeypatch.delenv("TORCH_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert hub.get_dir() == "/cache/torch/hub"
