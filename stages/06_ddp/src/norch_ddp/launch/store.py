"""Stores: a small table of keys and values that processes share, before there is a group.

`TCPStore` keeps it in a thread of one process, `FileStore` in a file, `HashStore` in this process;
`PrefixStore` is a part of another. Each knows only how to `do` one thing to its table while nobody
else does; `Store` makes PyTorch's methods of that. `init_process_group(store=...)` finds rank 0's
address in one. No tensor passes here, and whoever reaches a table may change it.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any
from weakref import finalize

from norch_ddp.launch.rendezvous import LONGEST_SECONDS, connect, listening_address
from norch_ddp.transports.work import in_seconds

if TYPE_CHECKING:
    from datetime import timedelta

LOOK_SECONDS = 0.01
"""Between two looks of one who waits for a key."""

ANSWER_SECONDS = 3.0
"""How much longer than its timeout a TCPStore waits for its master, which may be busy."""

WORKERS = "init/workers"
"""Under this key a TCPStore counts who has come, as PyTorch's does."""

Value = str | bytes


class DistStoreError(RuntimeError):
    """A key was not there in time, or its table cannot be reached or read."""


def apply_op(
    table: dict[str, bytes], op: str, key: str, first: bytes = b"", second: bytes = b""
) -> bytes | None:
    """Do `op` to a store's table; None where there is no such key, or no number to add to."""
    found = table.get(key)
    if op == "set":
        table[key] = first
    elif op == "add":
        with suppress(ValueError):
            table[key] = b"%d" % (int(found or 0) + int(first))
            return table[key]
        return None
    elif op == "compare_set":
        if found is None and first:
            return first
        if (found or b"") == first:
            table[key] = second
        return table[key]
    elif op == "delete":
        table.pop(key, None)
    elif op == "count":
        return b"%d" % len(table)
    return found


class Store:
    """What all stores can do. A `timeout` is a timedelta, or a number of seconds."""

    seconds = 300.0

    def do(self, op: str, key: str = "", *args: Value, limit: float | None = None) -> bytes | None:
        """Do one thing to the table while nobody else does; see `apply_op`.

        A table in another process answers within `limit` seconds, or else the store's timeout.
        """
        raise NotImplementedError("[Store] use TCPStore, FileStore or HashStore")

    def set(self, key: str, value: Value) -> None:
        """Give `key` a value; the one before is gone."""
        self.do("set", key, value)

    def get(self, key: str) -> bytes:
        """Return the value of `key`, once it has one; DistStoreError after the timeout.

        >>> store = HashStore()
        >>> store.set("color", "red")
        >>> store.get("color"), store.add("count", 2), store.add("count", 3)
        (b'red', 2, 5)
        """
        return self._wait_for_key(key, self.seconds)

    def add(self, key: str, amount: int) -> int:
        """Add to a number, 0 at first, and return the sum: each caller gets another."""
        total = self.do("add", key, str(int(amount)))
        if total is None:
            found = self.do("get", key)
            raise RuntimeError(f"[{type(self).__name__}.add] {key!r} is {found!r}, no whole number")
        return int(total)

    def compare_set(self, key: str, expected_value: Value, desired_value: Value) -> bytes:
        """Set `key` if it has the expected value, or none and "" is expected; return what it has.

        Where there is no such key and another was expected, the expected value is returned.
        """
        return self.do("compare_set", key, expected_value, desired_value) or b""

    def wait(self, keys: Sequence[str], timeout: timedelta | float | None = None) -> None:
        """Return when all `keys` have values; DistStoreError after the timeout."""
        seconds = self.seconds if timeout is None else in_seconds("Store.wait", timeout)
        until = time.monotonic() + seconds
        for key in keys:
            self._wait_for_key(key, seconds, until)

    def check(self, keys: Sequence[str]) -> bool:
        """Return whether all `keys` have values now."""
        return all(self.do("get", key) is not None for key in keys)

    def delete_key(self, key: str) -> bool:
        """Take `key` away; return whether it was there."""
        return self.do("delete", key) is not None

    def num_keys(self) -> int:
        """Return how many keys there are; a TCPStore has one of its own."""
        return int(self.do("count") or 0)

    @property
    def timeout(self) -> timedelta:
        """How long `get` and `wait` wait."""
        from datetime import timedelta

        try:
            return timedelta(seconds=self.seconds)
        except OverflowError:  # such as math.inf
            return timedelta.max

    def set_timeout(self, timeout: timedelta | float) -> None:
        """Let `get` and `wait` wait so long."""
        self.seconds = in_seconds("Store.set_timeout", timeout)

    def own_address(self) -> str:
        """Return the address by which others of this store may reach this host."""
        with suppress(OSError):
            return socket.gethostbyname(socket.gethostname())
        return "127.0.0.1"

    def _wait_for_key(self, key: str, seconds: float, until: float | None = None) -> bytes:
        """Return the value of a store's key once somebody has set it."""
        until = time.monotonic() + seconds if until is None else until
        while (value := self.do("get", key, limit=until - time.monotonic())) is None:
            if time.monotonic() > until:
                raise DistStoreError(
                    f"[{type(self).__name__}] nobody set the key {key!r} within {seconds:g} s: "
                    "look for a process that ended early, or allow more with set_timeout(seconds)"
                )
            time.sleep(LOOK_SECONDS)
        return value


class HashStore(Store):
    """A table in this process, for its threads."""

    def __init__(self) -> None:
        self._table: dict[str, bytes] = {}
        self._lock = Lock()

    def do(self, op: str, key: str = "", *args: Value, limit: float | None = None) -> bytes | None:
        """Do one thing to the table while no other thread does."""
        with self._lock:
            return apply_op(self._table, op, key, *map(as_bytes, args))


class FileStore(Store):
    """A table in a file that all processes see; it stays there until somebody removes it."""

    def __init__(self, file_name: str | os.PathLike[str], world_size: int = -1) -> None:
        """`world_size` may be given, and changes nothing."""
        self.path = os.fspath(file_name)

    def do(self, op: str, key: str = "", *args: Value, limit: float | None = None) -> bytes | None:
        """Do one thing to the table while no other process does."""
        with self._lock_file() as file:
            table = self._read(file)
            answer = apply_op(table, op, key, *map(as_bytes, args))
            if op not in ("get", "count"):
                self._write(table)
        return answer

    def _read(self, file: int) -> dict[str, bytes]:
        """Return the table that the store's file holds."""
        import json

        try:
            text = os.pread(file, os.fstat(file).st_size, 0).decode() or "{}"
            return {name: value.encode("latin-1") for name, value in json.loads(text).items()}
        except (ValueError, AttributeError):  # no JSON, or not of texts by name
            raise DistStoreError(
                f"[FileStore] {self.path} holds no store's table: remove it, or give another path"
            ) from None

    def _write(self, table: dict[str, bytes]) -> None:
        """Put a new file in the old one's place: whoever is killed here leaves a whole one."""
        import json

        texts = {name: value.decode("latin-1") for name, value in table.items()}
        beside = f"{self.path}.new"
        with open(beside, "w", encoding="utf-8", opener=_open_private) as file:
            json.dump(texts, file)
        os.replace(beside, self.path)

    @contextmanager
    def _lock_file(self) -> Iterator[int]:
        """Hold the lock of the file that stands at the path; another may have come there since."""
        import fcntl

        while True:
            file = _open_private(self.path, os.O_RDWR | os.O_CREAT)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
                if _stands_at(file, self.path):
                    yield file
                    return
            finally:
                os.close(file)


class TCPStore(Store):
    """A table in the process that `is_master`; the others reach it at host_name:port.

    With a `world_size`, and `wait_for_workers`, it returns when so many processes have come. Port 0
    chooses a free one. Further arguments of PyTorch's may be given, and change nothing.
    """

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta | float = 300.0,
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: int | None = None,
        use_libuv: bool = True,
    ) -> None:
        self.set_timeout(timeout)
        self.host = host_name
        listener = serve_table(host_name, port) if is_master else None
        self.port = port if listener is None else int(listener.getsockname()[1])
        self._connection = connect("TCPStore", host_name, self.port, self.seconds)
        self._answers = self._connection.makefile("r")
        finalize(self, _close, listener, self._answers, self._connection)
        self._lock = Lock()
        self._wait_for_workers(world_size if wait_for_workers else None)

    def _wait_for_workers(self, world_size: int | None) -> None:
        """Return when `world_size` processes have come to the store."""
        count = self.add(WORKERS, 1)
        until = time.monotonic() + self.seconds
        while world_size and count < world_size:
            if time.monotonic() > until:
                raise DistStoreError(
                    f"[TCPStore] {count} of {world_size} processes came to {self.host}:{self.port} "
                    f"within {self.seconds:g} s: start the others, or give wait_for_workers=False"
                )
            time.sleep(LOOK_SECONDS)
            count = self.add(WORKERS, 0)

    def do(self, op: str, key: str = "", *args: Value, limit: float | None = None) -> bytes | None:
        """Ask the process that has the store's table."""
        import json

        words = [op, key, *(as_bytes(value).decode("latin-1") for value in args)]
        limit = self.seconds if limit is None else max(limit, 0.0)
        limit = min(limit, LONGEST_SECONDS) + ANSWER_SECONDS
        answer = self._ask(f"{json.dumps(words)}\n".encode(), limit)
        if not answer:
            raise DistStoreError(
                f"[TCPStore] {self.host}:{self.port} answers no more: its process has ended, or "
                f"did not answer for {limit:.1f} s"
            )
        found = json.loads(answer)
        return None if found is None else found.encode("latin-1")

    def _ask(self, line: bytes, limit: float) -> str:
        """Return the answer to a line; "" after the limit, and for ever after that."""
        if not self._lock.acquire(timeout=limit):  # another thread waits for its own answer
            return ""
        try:
            self._connection.settimeout(limit)
            self._connection.sendall(line)
            return str(self._answers.readline())
        except OSError:
            _close(None, self._answers, self._connection)  # a late answer is no other question's
            return ""
        finally:
            self._lock.release()

    def own_address(self) -> str:
        """Return the address from which this process speaks to the table."""
        return str(self._connection.getsockname()[0])


class PrefixStore(Store):
    """The keys of another store that begin with `prefix`/, without that."""

    def __init__(self, prefix: str, store: Store) -> None:
        self.prefix = prefix
        self.underlying_store = store
        self.seconds = store.seconds

    def do(self, op: str, key: str = "", *args: Value, limit: float | None = None) -> bytes | None:
        """Do it to the longer key."""
        limit = self.seconds if limit is None else limit
        return self.underlying_store.do(op, f"{self.prefix}/{key}", *args, limit=limit)

    def own_address(self) -> str:
        """Return what the other store says."""
        return self.underlying_store.own_address()


def as_bytes(value: Value) -> bytes:
    """Return a store's value as the bytes that are kept."""
    return value.encode() if isinstance(value, str) else bytes(value)


def _open_private(path: str, flags: int) -> int:
    """Open a store's file; a new one is this user's alone."""
    return os.open(path, flags, 0o600)


def _stands_at(file: int, path: str) -> bool:
    """Return whether an open file is still the one at this path."""
    with suppress(FileNotFoundError):
        return os.path.samefile(file, path)
    return False


def serve_table(host: str, port: int) -> socket.socket:
    """Keep a store's table in a thread of this process; return the socket at which it answers."""
    try:
        listener = socket.create_server((listening_address(host), port), backlog=1024)
    except OSError as error:
        raise DistStoreError(
            f"[TCPStore] port {port} cannot be opened ({error.strerror}): choose another"
        ) from None
    Thread(target=_accept_processes, args=(listener,), daemon=True).start()
    return listener


def _accept_processes(listener: socket.socket) -> None:
    """Answer all processes that use the store, each in a thread, until the listener is closed."""
    table: dict[str, bytes] = {}
    lock = Lock()
    with suppress(OSError):
        while True:
            connection = listener.accept()[0]
            Thread(target=_answer_process, args=(connection, table, lock), daemon=True).start()


def _answer_process(connection: socket.socket, table: dict[str, bytes], lock: Lock) -> None:
    """Answer one process that uses the store, line by line, until it goes."""
    import json

    with suppress(OSError, ValueError), connection, connection.makefile("rw") as lines:
        for line in lines:
            op, key, *values = json.loads(line)
            with lock:
                found = apply_op(table, op, key, *(value.encode("latin-1") for value in values))
            json.dump(None if found is None else found.decode("latin-1"), lines)
            lines.write("\n")
            lines.flush()


def _close(listener: socket.socket | None, *others: Any) -> None:
    """Leave a store; whoever listened does so no more, and those who came are answered on."""
    if listener is not None:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
    for other in others:
        other.close()
