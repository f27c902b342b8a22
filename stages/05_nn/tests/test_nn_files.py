"""What stands on the disk after a save: permissions, links, odd targets, writes that fall short."""

import errno
import io
import os
import stat
import subprocess
import sys
import tempfile
import threading

import pytest

import norch_autograd as norch
from norch_nn import load, save
from norch_nn.serialization.files import elements_of, from_bytes, replacing, write_all

is_root = os.geteuid() == 0
needs_user = pytest.mark.skipif(is_root, reason="root may write everywhere")


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture
def umask():
    old = os.umask(0o022)
    yield os.umask
    os.umask(old)


# ---- permissions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755, 0o4644])
def test_a_replaced_file_keeps_its_permissions(mode, tmp_path, umask):
    path = tmp_path / "a"
    save({"old": 1}, path)
    path.chmod(mode)
    kept = mode if is_root else mode & 0o777  # the kernel drops set-user-id where others write
    for mask in (0o022, 0o077, 0):
        umask(mask)
        save({"new": mask}, path)
        assert mode_of(path) == kept and load(path) == {"new": mask}


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0, 0o666)])
def test_a_new_file_obeys_the_umask(mask, mode, tmp_path, umask):
    umask(mask)
    save({}, tmp_path / "a")
    assert mode_of(tmp_path / "a") == mode


def test_the_temporary_file_is_never_more_open_than_the_old_one(tmp_path, umask):
    path = tmp_path / "a"
    path.touch(0o600)
    with replacing(path) as file:
        assert mode_of(file.name) == 0o600


def test_a_file_system_without_permissions(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    for name in ("fchmod", "fchown"):
        monkeypatch.setattr(os, name, refuse)
    for value in (1, 2):
        save({"x": value}, tmp_path / "a")
        assert load(tmp_path / "a") == {"x": value}


@pytest.mark.skipif(not is_root, reason="only root gives files away")
def test_owner_and_group_are_kept(tmp_path):
    path = tmp_path / "a"
    save({}, path)
    os.chown(path, 1234, 5678)
    save({"x": 1}, path)
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 5678)


READ_ONLY = """
import json, os, sys
from norch_nn import save
os.setgroups([]); os.setegid(65534); os.seteuid(65534)
try:
    save({"new": 1}, sys.argv[1])
except PermissionError as error:
    print("refused", error.filename, sorted(os.listdir(os.path.dirname(sys.argv[1]))))
"""


@pytest.mark.skipif(not is_root, reason="only root can become another user")
@pytest.mark.parametrize("read_only", ["file", "folder"])
def test_a_read_only_file_or_folder_is_left_alone(read_only):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a")
        save({"old": 1}, path)
        os.chown(path, 65534, 65534)
        os.chmod(path, 0o444 if read_only == "file" else 0o644)
        os.chmod(folder, 0o777 if read_only == "file" else 0o755)
        out = subprocess.run(
            [sys.executable, "-c", READ_ONLY, path], capture_output=True, text=True, check=True
        )
        assert out.stdout == f"refused {path} ['a']\n" and load(path) == {"old": 1}


@needs_user
def test_a_read_only_file_is_left_alone(tmp_path):
    save({"old": 1}, tmp_path / "a")
    (tmp_path / "a").chmod(0o444)
    with pytest.raises(PermissionError):
        save({"new": 1}, tmp_path / "a")
    assert load(tmp_path / "a") == {"old": 1}


# ---- links, devices, pipes -----------------------------------------------------------------------


def test_links_stay_links_and_other_hard_links_keep_the_old_content(tmp_path):
    (tmp_path / "chain").symlink_to("link")
    (tmp_path / "link").symlink_to("target")
    save({"x": 1}, tmp_path / "chain")  # a link whose target is not there yet
    os.link(tmp_path / "target", tmp_path / "best")
    save({"x": 2}, tmp_path / "chain")
    assert (tmp_path / "chain").is_symlink() and (tmp_path / "link").is_symlink()
    assert load(tmp_path / "target") == {"x": 2} and load(tmp_path / "best") == {"x": 1}
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OSError, match="symbolic links"):
        save({}, tmp_path / "loop")


def test_a_device_is_written_and_not_replaced(tmp_path):
    (tmp_path / "null").symlink_to("/dev/null")
    save({"x": norch.ones(2)}, tmp_path / "null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert os.listdir(tmp_path) == ["null"]


@pytest.mark.parametrize("is_open", [False, True])
def test_a_full_device_is_named(is_open):
    """By its path, and as a file that the caller opened: at the write, or at the flush."""
    with (
        open("/dev/full", "wb") as file,
        pytest.raises(OSError, match=r"\[save\] the disk is full: .*'/dev/full'") as caught,
    ):
        save({"x": norch.ones(100_000)}, file if is_open else "/dev/full")
    assert caught.value.errno == errno.ENOSPC and caught.value.filename == "/dev/full"


def test_a_named_pipe(tmp_path):
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(load(pipe)))
    reader.start()
    save({"x": norch.arange(50_000)}, pipe)
    reader.join()
    assert found[0]["x"].tolist() == list(range(50_000)) and stat.S_ISFIFO(pipe.stat().st_mode)


def test_standard_output_and_input():
    write = "from norch_nn import save; save({'x': 1}, '/dev/stdout')"
    read = "from norch_nn import load; print(load('/dev/stdin'))"
    saved = subprocess.run([sys.executable, "-c", write], capture_output=True, check=True).stdout
    out = subprocess.run([sys.executable, "-c", read], input=saved, capture_output=True, check=True)
    assert out.stdout == b"{'x': 1}\n"


def test_paths_in_every_form(tmp_path):
    for path in (str(tmp_path / "a"), os.fsencode(tmp_path / "b"), tmp_path / "c"):
        save({"x": 1}, path)
        assert load(path) == {"x": 1}


def test_targets_that_cannot_be(tmp_path):
    save({}, tmp_path / "file")
    for path, error, text in (
        (tmp_path / "none" / "a", FileNotFoundError, "folder does not exist: make it: .*none/a'"),
        (tmp_path / "file" / "a", NotADirectoryError, "Not a directory: .*file/a'"),
        (tmp_path, IsADirectoryError, "is a folder, not a file"),
        ("", IsADirectoryError, "is a folder"),
        (f"{tmp_path}/nope/", IsADirectoryError, "is a folder, not a file: .*nope/"),
        (None, TypeError, r"\[save\] expected a path or an open file, got NoneType"),
        (tmp_path / ("a" * 300), OSError, "File name too long: .*a'"),
    ):
        with pytest.raises(error, match=text):
            save({}, path)
    assert os.listdir(tmp_path) == ["file"]
    for path, error, text in (
        (tmp_path / "none", FileNotFoundError, "none"),
        (tmp_path, IsADirectoryError, str(tmp_path)),
        (None, TypeError, r"\[load\] expected a path or an open file, got NoneType"),
    ):
        with pytest.raises(error, match=text):
            load(path)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "your quota on this disk is used up"),
        (errno.EFBIG, "the file would be larger than may be written here"),
    ],
)
def test_a_full_disk_is_said_in_words_and_keeps_the_old_file(number, words, tmp_path, monkeypatch):
    path = tmp_path / "a"
    save({"old": 1}, path)

    def full(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=rf"\[save\] {words}: .*: '.*/a'") as caught:
        save({"new": 1}, path)
    assert (caught.value.errno, caught.value.filename) == (number, str(path))
    assert load(path) == {"old": 1} and os.listdir(tmp_path) == ["a"]


def test_a_name_that_tells_another_kind_of_file_is_warned_of_once(tmp_path):
    program = (
        "import sys, warnings; from norch_nn import save; warnings.simplefilter('always')\n"
        "for name in 'a.pth b.PT c.npz d.pth e.safetensors f'.split():\n"
        "    save({}, f'{sys.argv[1]}/{name}')\n"
        "with open(sys.argv[1] + '/g.pkl', 'wb') as file: save({}, file)"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    told = [line for line in ended.stderr.splitlines() if "UserWarning" in line]
    assert [line.partition("[save] ")[2].partition(" is a ")[0] for line in told] == [
        str(tmp_path / name) for name in ("a.pth", "b.PT", "c.npz", "g.pkl")
    ]
    assert all(line.startswith("<string>:") for line in told)  # the caller's line
    assert "torch.load cannot read: norch.load and safetensors.torch.load_file can" in told[0]
    assert load(tmp_path / "a.pth") == {}


# ---- file objects that take or give only a part --------------------------------------------------


class Short(io.RawIOBase):
    """Takes at most `most` bytes a call; returns what `answer` makes of the count."""

    def __init__(self, most=7, answer=lambda count: count):
        self.content, self.most, self.answer = bytearray(), most, answer

    def writable(self):
        return True

    def write(self, data):
        part = bytes(data[: self.most])
        self.content += part
        return self.answer(len(part))


def test_short_writes_are_continued():
    file = Short()
    save({"x": norch.arange(100)}, file)
    assert load(io.BytesIO(file.content))["x"].tolist() == list(range(100))


@pytest.mark.parametrize("answer", [lambda n: 0, lambda n: None, lambda n: -1, lambda n: 10**6])
def test_a_write_that_takes_nothing_is_an_error(answer):
    with pytest.raises(OSError, match=r"\[save\] write\(\) returned .* not all saved"):
        save({"x": norch.arange(100)}, Short(answer=answer))


class Plain:
    """Has `write` and nothing else, and does not count."""

    def __init__(self):
        self.parts = []

    def write(self, data):
        self.parts.append(bytes(data))


def test_objects_that_only_have_write_or_read():
    file = Plain()
    save({"x": 1}, file)
    data = b"".join(file.parts)
    reader = type("Reader", (), {"read": lambda self: bytearray(data)})()
    assert load(reader) == {"x": 1}


def test_a_pipe_without_a_buffer():
    ends = os.pipe()
    found = []

    def read():
        with open(ends[0], "rb") as file:
            found.append(load(file))

    reader = threading.Thread(target=read)
    reader.start()
    with open(ends[1], "wb", buffering=0) as file:
        save({"x": norch.arange(100_000)}, file)
    reader.join()
    assert found[0]["x"].numel() == 100_000


def test_a_pipe_that_does_not_wait_is_an_error():
    ends = os.pipe()
    os.set_blocking(ends[1], False)
    with (
        open(ends[0], "rb"),
        open(ends[1], "wb", buffering=0) as file,
        pytest.raises(OSError, match="not all saved"),
    ):
        save({"x": norch.arange(100_000)}, file)


def test_files_open_for_text_are_refused(tmp_path):
    for opened in (io.StringIO, lambda: (tmp_path / "a").open("w+")):
        with (
            opened() as file,
            pytest.raises(TypeError, match=r"\[save\] the file is open for text"),
        ):
            save({}, file)
    with io.StringIO("text") as file, pytest.raises(TypeError, match="returned str, not bytes"):
        load(file)


def test_what_is_written_is_flushed(tmp_path):
    with open(tmp_path / "a", "wb") as file:
        save({"x": 1}, file)
        assert load(tmp_path / "a") == {"x": 1}
    with pytest.raises(OSError, match="No space left"), open("/dev/full", "wb") as file:
        save({"x": 1}, file)


def test_small_parts_are_written_together_and_nothing_for_nothing():
    file, large = Plain(), bytes(3 << 20)
    write_all(file, [b"", b"a", b"bc", large, b"d", b""])
    assert b"".join(file.parts) == b"abc" + large + b"d" and len(file.parts) == 3
    write_all(file, [])
    assert len(file.parts) == 3


# ---- bytes as tensors ----------------------------------------------------------------------------


def test_elements_are_the_tensors_own_memory():
    x = norch.arange(12).view(3, 4)
    raw = elements_of(x[1:]).cast("q")
    x.fill_(7)
    assert raw.tolist() == [7] * 8 and len(elements_of(x[:, :0])) == 0


def test_bools_of_a_stranger_are_true_or_false():
    x = from_bytes(bytes([0, 1, 2, 255]), norch.bool_, (4,))
    assert (x.sum().item(), x.nonzero().tolist()) == (3, [[1], [2], [3]])
    assert (
        x.view(norch.uint8).tolist() == [0, 1, 1, 1]
        and (~x).tolist() == [True, False] + [False] * 2
    )


@pytest.mark.parametrize("dtype", [norch.float16, norch.bfloat16, norch.float32, norch.int64])
def test_bytes_are_taken_as_they_are(dtype):
    raw = os.urandom(6 * dtype.itemsize)
    for data in (raw, bytearray(raw), memoryview(raw)):
        x = from_bytes(data, dtype, (2, 3))
        assert bytes(memoryview(x.array.storage_as(norch.uint8))) == raw
    assert from_bytes(b"", dtype, (0, 3)).shape == (0, 3)
    with pytest.raises(ValueError, match="needs"):
        from_bytes(raw[1:], dtype, (2, 3))
