"""The download, against a server on this machine that behaves well or badly."""

import gzip
import hashlib
import http.server
import os
import threading

import pytest

from norchvision.datasets import MNIST, download, sources


class Server(http.server.BaseHTTPRequestHandler):
    """Serves the `files` of its server; the first part of the path says how."""

    def do_GET(self):
        _, behaviour, name = self.path.split("/")
        self.server.asked.append(self.path)
        content = self.server.files[name]
        if behaviour == "missing":
            self.send_error(404)
            return
        if behaviour == "wrong":
            content = gzip.compress(b"something else")
        if behaviour == "html":
            content = b"<html>sign in to this network</html>"
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if behaviour == "truncated" else content)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(small_files, tmp_path, monkeypatch):
    """A server with the small set, which MNIST takes for the real one."""
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in small_files.items()}
    monkeypatch.setattr(sources, "SHA256", sums)
    monkeypatch.setenv("NORCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NORCH_DATA", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    sources.announce.cache_clear()
    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    httpd.files = {f"{name}.gz": gzip.compress(content) for name, content in small_files.items()}
    httpd.asked = []
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    yield httpd
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.fixture
def mirrors(server, monkeypatch):
    """Set the mirrors by their behaviour."""

    def choose(*behaviours):
        host = "http://127.0.0.1"
        port = server.server_port
        urls = tuple(f"{host}:9/" if b == "dead" else f"{host}:{port}/{b}/" for b in behaviours)
        monkeypatch.setattr(sources, "MIRRORS", urls)

    return choose


def cached(tmp_path):
    return sorted(os.listdir(tmp_path / "cache" / "mnist"))


def test_a_good_mirror_fills_the_cache_once(server, mirrors, tmp_path, capfd):
    mirrors("good")
    train = MNIST()
    assert train.source == str(tmp_path / "cache" / "mnist") and len(train) == 3
    assert cached(tmp_path) == sorted(server.files)
    assert "train-images-idx3-ubyte.gz" in capfd.readouterr().err
    assert len(server.asked) == 4
    assert len(MNIST(train=False)) == 2 and len(server.asked) == 4


def test_root_is_filled_in_pytorchs_places(mirrors, tmp_path):
    mirrors("good")
    assert MNIST(tmp_path / "root").source == str(tmp_path / "root" / "MNIST" / "raw")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("first", ["dead", "missing", "wrong", "html", "truncated"])
def test_a_bad_mirror_and_then_a_good_one(server, first, mirrors, tmp_path):
    mirrors(first, "good")
    assert len(MNIST()) == 3 and cached(tmp_path) == sorted(server.files)


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        ("dead", "refused"),
        ("missing", "HTTP 404"),
        ("wrong", "wrong checksum"),
        ("html", "wrong checksum"),
        ("truncated", "cut off after"),
    ],
)
def test_only_bad_mirrors_leave_nothing_and_say_why(behaviour, told, mirrors, tmp_path, capfd):
    mirrors(behaviour, behaviour)
    assert MNIST().source == "embedded"
    assert cached(tmp_path) == []
    shown = capfd.readouterr().err
    assert "using 1,797 real digits" in shown and told in shown


def test_a_server_that_sends_without_end(mirrors, tmp_path, monkeypatch):
    mirrors("good")
    monkeypatch.setattr(download, "LARGEST", 10)
    assert MNIST().source == "embedded" and cached(tmp_path) == []


def test_an_interrupted_download_leaves_nothing_and_goes_on_later(
    server, mirrors, tmp_path, monkeypatch
):
    mirrors("good")
    with monkeypatch.context() as patch:

        def interrupt(self, done, total):
            if "labels" in self.name:
                raise KeyboardInterrupt

        patch.setattr(download.Progress, "show", interrupt)
        with pytest.raises(KeyboardInterrupt):
            MNIST()
    assert cached(tmp_path) == ["train-images-idx3-ubyte.gz"]
    assert len(MNIST()) == 3
    assert server.asked.count("/good/train-images-idx3-ubyte.gz") == 1


def test_an_unwritable_cache(server, mirrors, tmp_path, monkeypatch):
    mirrors("good")
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("NORCH_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(RuntimeError, match=r"\[MNIST\] cannot write to .*file.*set NORCH_CACHE"):
        MNIST()
    assert server.asked == []


def test_a_cache_that_fills_up(mirrors, tmp_path, monkeypatch):
    mirrors("good")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("norch_nn.serialization.files.os.fsync", full)
    with pytest.raises(RuntimeError, match=r"the disk is full.*NORCH_DATA"):
        MNIST()
    assert cached(tmp_path) == []


def test_without_download_the_network_is_not_asked(server, mirrors, tmp_path):
    mirrors("good")
    assert MNIST(download=False).source == "embedded" and server.asked == []
