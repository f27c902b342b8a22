"""A proxy between norch and a dataset's servers that lies, or a server that does.

It runs in this process, and the network is never asked. What it sends is refused in words, the next
mirror is tried, and no half file is left where a whole one is looked for.
"""

import contextlib
import functools
import gzip
import hashlib
import io
import random
import socketserver
import tarfile
import threading
import time

import pytest

from norchvision.datasets import CIFAR10, MNIST, FashionMNIST, cifar, download, mnist, sources

OK = b"HTTP/1.1 200 OK\r\n"


def whole(content):
    """An answer that is right."""
    return OK + b"Content-Length: %d\r\n\r\n" % len(content) + content


def status(line, *headers):
    """An answer without a file."""
    head = "\r\n".join([f"HTTP/1.1 {line}", *headers, "Content-Length: 2"])
    return lambda content: head.encode() + b"\r\n\r\nno"


def chunked(content, length=b"%x", tail=b"0\r\n\r\n"):
    """An answer in one chunk."""
    chunk = length % len(content) + b"\r\n" + content + b"\r\n"
    return OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunk + tail


PAGE = b"<!doctype html><p>Sign in to this network.</p>"
LIES = {  # what the proxy sends in place of whole(content), and what is said of that
    "a page": (lambda content: whole(PAGE), r"wrong checksum \w+, not \w+ \(a web page"),
    "other bytes": (lambda content: whole(content[:-1] + b"?"), "checksum|is corrupt"),
    "another file": (lambda content: whole(gzip.compress(b"another")), "wrong checksum"),
    "nothing": (lambda content: b"", "closed connection without response"),
    "no bytes": (lambda content: whole(b""), "wrong checksum"),
    "cut": (lambda content: whole(content)[:-9], r"cut off after \d+ of \d+ bytes"),
    "cut, of no length": (lambda content: OK + b"\r\n" + content[:-9], "corrupt|wrong checksum"),
    "cut in the headers": (lambda content: OK + b"Content-Le", "."),
    "a length too short": (
        lambda content: OK + b"Content-Length: 9\r\n\r\n" + content,
        "corrupt|wrong checksum",
    ),
    "a length too long": (
        lambda content: OK + b"Content-Length: %d\r\n\r\n" % (len(content) + 1) + content,
        "cut off",
    ),
    "a gigantic length": (
        lambda content: OK + b"Content-Length: 1%s\r\n\r\n" % (b"0" * 20),
        "bytes were promised",
    ),
    "a chunk cut": (lambda content: chunked(content, b"f%x"), "IncompleteRead"),
    "a chunk of no length": (lambda content: chunked(content, b"zz%x"), "."),
    "sent in gzip": (
        lambda content: OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(content),
        "wrong checksum",
    ),
    "a circle": (status("302 Found", "Location: /bad/x"), r"HTTP 302 \(redirected, and nowhere"),
    "leads to a file": (status("301 Moved", "Location: file:///etc/passwd"), "HTTP 301"),
    "leads nowhere": (status("307 Moved"), "HTTP 307"),
    "403": (status("403 Forbidden"), "HTTP 403"),
    "407": (status("407 Proxy Authentication Required"), "HTTP 407"),
    "502": (status("502 Bad Gateway"), "HTTP 502"),
    "206": (status("206 Partial Content"), "."),
    "no protocol": (lambda content: b"\x1b[2Jhello\r\n" * 3, "hello"),
    "a line without end": (lambda content: OK + b"X: " + b"x" * 100_000, "."),
    "headers without end": (lambda content: OK + b"X: x\r\n" * 1000, "."),
    "a binary header": (lambda content: b"\0" * 5000, "."),
}
HONEST = {  # odd, and right
    "whole": whole,
    "of no length": lambda content: OK + b"\r\n" + content,
    "a length that is none": lambda content: OK + b"Content-Length: many\r\n\r\n" + content,
    "a length below 0": lambda content: OK + b"Content-Length: -5\r\n\r\n" + content,
    "in a chunk": chunked,
}


class Handler(socketserver.StreamRequestHandler):
    """Reads a request, and answers as its proxy is told, by the mirror that is asked for."""

    def handle(self):
        """Answer one request."""
        with contextlib.suppress(OSError):
            words = self.rfile.readline(65536).split()
            while self.rfile.readline(65536).strip():
                pass
            address = words[1].decode()
            self.server.asked.append(address)
            answer = self.server.answer if "/bad/" in address else whole
            content = self.server.files.get(address.rpartition("/")[2], b"")
            if (made := answer(content)) is not None:
                self.wfile.write(made)
            else:
                self.server.stalls(self.wfile, content)


class Proxy(socketserver.ThreadingTCPServer):
    """A proxy on this machine."""

    daemon_threads, allow_reuse_address, request_queue_size = True, True, 64


@pytest.fixture
def proxy(small_files, tmp_path, monkeypatch):
    """A proxy through which MNIST is downloaded, from mirrors that exist in it alone."""
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in small_files.items()}
    monkeypatch.setattr(sources, "SHA256", sums)
    monkeypatch.setenv("NORCH_CACHE", str(tmp_path / "cache"))
    for name in ("NORCH_DATA", "no_proxy", "NO_PROXY", "HTTP_PROXY", "REQUEST_METHOD"):
        monkeypatch.delenv(name, raising=False)
    sources.announce.cache_clear()
    monkeypatch.setattr(
        "urllib.request._opener", None
    )  # it remembers the proxies of its first call
    with Proxy(("127.0.0.1", 0), Handler) as server:
        server.files = {f"{name}.gz": gzip.compress(text) for name, text in small_files.items()}
        server.asked, server.answer = [], whole
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.server_address[1]}")
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=functools.partial(server.serve_forever, 0.01))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def mirrors(monkeypatch):
    """A function that chooses the mirrors, of MNIST if no other module is named."""
    return lambda *urls, module=sources: monkeypatch.setattr(module, "MIRRORS", urls)


BAD, GOOD = "http://mirror.invalid/bad/", "http://mirror.invalid/good/"


def files(folder):
    """What lies below a folder."""
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_told_and_leaves_nothing(lie, proxy, mirrors, tmp_path, capfd):
    proxy.answer, message = LIES[lie]
    mirrors(BAD, BAD)
    with pytest.raises(download.DownloadError, match=message) as caught:
        sources._download_all(tmp_path / "cache" / "mnist")
    assert str(caught.value).startswith("no mirror gave train-images-idx3-ubyte.gz: ")
    assert str(caught.value).isprintable() and len(str(caught.value)) < 500
    assert files(tmp_path) == {} and all("mirror.invalid/bad/" in url for url in proxy.asked[:1])
    assert MNIST().source == "embedded"
    assert str(caught.value) in capfd.readouterr().err


@pytest.mark.parametrize("lie", LIES)
def test_behind_a_lie_the_next_mirror_is_tried(lie, proxy, mirrors, tmp_path):
    proxy.answer, _ = LIES[lie]
    mirrors(BAD, GOOD)
    assert len(MNIST()) == 3 and files(tmp_path) == proxy.files


@pytest.mark.parametrize("way", HONEST)
def test_a_right_file_is_taken_however_it_comes(way, proxy, mirrors, tmp_path):
    proxy.answer = HONEST[way]
    mirrors(BAD)
    assert len(MNIST()) == 3 and files(tmp_path) == proxy.files


@pytest.mark.parametrize("lie", ["a page", "cut", "502"])
def test_the_old_file_stays(lie, proxy, tmp_path):
    proxy.answer, _ = LIES[lie]
    (tmp_path / "old.gz").write_bytes(b"old")
    proxy.files["old.gz"] = b"a new one" * 9
    check = functools.partial(sources.digest_differs, md5="0" * 32)
    with pytest.raises(download.DownloadError):
        download.fetch("old.gz", (BAD, GOOD), tmp_path / "old.gz", check)
    assert files(tmp_path) == {"old.gz": b"old"}


@pytest.mark.parametrize("lie", ["a page", "403", "nothing"])
def test_a_tunnel_that_the_proxy_refuses(lie, proxy, mirrors, tmp_path):
    mirrors("https://mirror.invalid/bad/")
    proxy.files["mirror.invalid:443"] = b""
    real = Handler.handle
    answer = LIES[lie][0]

    def refuse(self):
        self.server.answer = answer
        words = self.rfile.readline().split()
        assert words[0] == b"CONNECT"
        while self.rfile.readline().strip():
            pass
        self.wfile.write(answer(b""))

    Handler.handle = refuse
    try:
        with pytest.raises(download.DownloadError, match="no mirror gave train-images"):
            sources._download_all(tmp_path / "cache")
    finally:
        Handler.handle = real
    assert files(tmp_path) == {}


@pytest.mark.parametrize(
    "value", ["", "nonsense", "http://", "http://[", "socks5://127.0.0.1:9", "http://127.0.0.1:x"]
)
def test_a_proxy_that_is_none(value, mirrors, tmp_path, monkeypatch, proxy):
    monkeypatch.setenv("http_proxy", value or "http://127.0.0.1:9")
    mirrors("http://127.0.0.1:9/")
    with pytest.raises(download.DownloadError, match="no mirror gave train-images"):
        sources._download_all(tmp_path / "cache")
    assert files(tmp_path) == {}


# ---- a proxy that stalls -------------------------------------------------------------------------


def hang(file, content):
    """Send the headers, then nothing."""
    file.write(whole(content)[:-9])
    time.sleep(600)


def trickle(file, content):
    """Send a byte now and then, which no limit between two bytes would end."""
    file.write(OK + b"Content-Length: 100000\r\n\r\n")
    while True:
        file.write(b"x")
        time.sleep(0.02)


def trickle_headers(file, content):
    """The same within a header."""
    file.write(OK + b"X: ")
    while True:
        file.write(b"x")
        time.sleep(0.02)


def trickle_lengths(file, content):
    """The same within the length of a chunk, and behind the last."""
    file.write(chunked(content, tail=b"0\r\n"))
    while True:
        file.write(b"x: y\r\n")
        time.sleep(0.02)


@pytest.mark.parametrize("stalls", [hang, trickle, trickle_headers, trickle_lengths])
def test_a_proxy_that_stalls_is_given_up(stalls, proxy, mirrors, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT", 2)
    monkeypatch.setattr(download, "PATIENCE", 2)
    proxy.answer, proxy.stalls = lambda content: None, stalls
    mirrors(BAD)
    with pytest.raises(download.DownloadError, match=r"timed out|less than 60000 bytes in 2 sec"):
        sources._download_all(tmp_path / "cache")
    assert files(tmp_path) == {}


def test_behind_a_proxy_that_stalls_the_next_mirror_is_tried(proxy, mirrors, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "TIMEOUT", 1)
    proxy.answer, proxy.stalls = lambda content: None, hang
    mirrors(BAD, GOOD)
    assert len(MNIST()) == 3 and files(tmp_path) == proxy.files


# ---- the other datasets --------------------------------------------------------------------------


def archive(members):
    """An archive of CIFAR10 with these members, (name, content or TarInfo)."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as tar:
        for name, content in members:
            info = content if isinstance(content, tarfile.TarInfo) else tarfile.TarInfo()
            info.name = name
            held = b"" if info is content else content
            info.size = info.size or len(held)
            tar.addfile(info, io.BytesIO(held + bytes(info.size - len(held))))
    return file.getvalue()


RECORD = bytes(cifar.RECORD)
NAMES = [f"cifar-10-batches-bin/{name}" for name in (*cifar.TRAIN, *cifar.TEST)]
RIGHT = [(name, RECORD) for name in NAMES]


def serve(proxy, monkeypatch, content):
    """Let the proxy have an archive of CIFAR10 whose checksum is right."""
    proxy.files[cifar.ARCHIVE] = content
    monkeypatch.setattr(cifar, "MD5", hashlib.md5(content).hexdigest())


@pytest.mark.parametrize("make", [CIFAR10, FashionMNIST])
@pytest.mark.parametrize("lie", ["a page", "cut", "407", "a circle"])
def test_other_datasets_say_what_came(make, lie, proxy, mirrors, tmp_path):
    proxy.answer, message = LIES[lie]
    proxy.files[cifar.ARCHIVE] = archive(RIGHT)
    mirrors(BAD, module={CIFAR10: cifar, FashionMNIST: mnist}[make])
    with pytest.raises(RuntimeError, match=rf"\[{make.__name__}\] not found in .* {message}"):
        make(tmp_path / "root")
    assert files(tmp_path) == {}


def kind_of(kind, **fields):
    """A member that is no plain file."""
    info = tarfile.TarInfo()
    info.type = kind
    for name, value in fields.items():
        setattr(info, name, value)
    return info


@pytest.mark.parametrize(
    "member",
    [
        kind_of(tarfile.SYMTYPE, linkname="/etc/passwd"),
        kind_of(tarfile.SYMTYPE, linkname="data_batch_1.bin"),
        kind_of(tarfile.LNKTYPE, linkname="/etc/passwd"),
        kind_of(tarfile.DIRTYPE),
        kind_of(tarfile.FIFOTYPE),
        kind_of(tarfile.CHRTYPE, devmajor=1, devminor=5),
        bytes(cifar.MOST * cifar.RECORD + 1),
        None,
    ],
    ids=["link", "circle", "hard link", "folder", "pipe", "device", "bomb", "missing"],
)
def test_an_archive_made_to_do_harm(member, proxy, mirrors, tmp_path, monkeypatch):
    mirrors(GOOD, module=cifar)
    members = [*RIGHT[1:], ("../../outside.bin", b"no"), ("/tmp/outside.bin", b"no")]
    members += [] if member is None else [(NAMES[0], member)]
    serve(proxy, monkeypatch, archive(members))
    with pytest.raises(RuntimeError, match=r"\[CIFAR10\] not found .*data_batch_1.bin"):
        CIFAR10(tmp_path / "root")
    assert files(tmp_path).keys() <= {cifar.ARCHIVE}


@pytest.mark.parametrize("cut", [0.9, 0.5, 0.001])
def test_an_archive_that_is_cut_though_its_sum_is_right(cut, proxy, mirrors, tmp_path, monkeypatch):
    mirrors(GOOD, module=cifar)
    dice = random.Random(5)
    content = archive([(name, dice.randbytes(cifar.RECORD)) for name in NAMES])
    serve(proxy, monkeypatch, content[: int(len(content) * cut)])
    with pytest.raises(RuntimeError, match=r"\[CIFAR10\] not found .* cannot be unpacked"):
        CIFAR10(tmp_path / "root")


def test_what_was_half_unpacked_is_unpacked_again(proxy, mirrors, tmp_path, monkeypatch):
    """Killed in between, the archive is still there: what lies beside it is not the whole set."""
    mirrors(module=cifar)
    content = archive(RIGHT)
    serve(proxy, monkeypatch, content)
    root = tmp_path / "root"
    (root / cifar.UNPACKED).mkdir(parents=True)
    (root / cifar.ARCHIVE).write_bytes(content)
    (root / NAMES[0]).write_bytes(RECORD)
    with pytest.raises(RuntimeError, match=r"\[CIFAR10\] not found"):
        CIFAR10(root, download=False)
    assert len(CIFAR10(root)) == 5 and proxy.asked == []
    assert files(root).keys() == {*cifar.TRAIN, *cifar.TEST}
