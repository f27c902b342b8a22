"""A headless Firefox, spoken to by Marionette, its own protocol: what `browser.py` is for Chromium.

Only what the tests of live pages need. There is no way out: all addresses but files go to a proxy
that is not there. What a page complains about is read from Firefox's console.
"""

import json
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

NAMES = ("firefox-esr", "firefox")
LONGEST = 90  # seconds for one answer
PREFERENCES = {
    "marionette.port": 0,
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.disabledForTesting": True,
}
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c", "Space": " "}


def program() -> str:
    """Return the path of a Firefox, or nothing."""
    return next(filter(None, map(shutil.which, NAMES)), "")


class Firefox:
    """One Firefox with one window."""

    def __init__(self, firefox: str, folder: Path) -> None:
        self.firefox, self.folder = firefox, folder
        self.sent, self.rest = 0, b""

    def __enter__(self):
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in PREFERENCES.items()]
        (self.folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
        flags = ["--headless", "--no-remote", "--marionette", "--remote-allow-system-access"]
        self.process = subprocess.Popen(
            [self.firefox, *flags, "--profile", str(self.folder), "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + LONGEST
        port = self.folder / "MarionetteActivePort"
        while not (port.exists() and port.read_text().strip()):
            time.sleep(0.05)
            assert time.monotonic() < until and self.process.poll() is None, "no Firefox started"
        self.line = socket.create_connection(("127.0.0.1", int(port.read_text())), LONGEST)
        self.message()
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": TIMES}})
        return self

    def __exit__(self, *_):
        self.line.close()
        self.process.terminate()
        self.process.wait()

    def message(self):
        """Wait for one message: its length, a colon, JSON."""
        while b":" not in self.rest or len(self.rest) < self.length():
            came = self.line.recv(1 << 20)
            assert came, "Firefox is gone"
            self.rest += came
        end = self.length()
        text, self.rest = self.rest[self.rest.index(b":") + 1 : end], self.rest[end:]
        return json.loads(text)

    def length(self) -> int:
        """Return how many bytes the first message has, with its head."""
        number, _, _ = self.rest.partition(b":")
        return len(number) + 1 + int(number)

    def call(self, name: str, **given):
        """Ask for one thing and wait for its answer."""
        self.sent += 1
        text = json.dumps([0, self.sent, name, given]).encode()
        self.line.sendall(b"%d:" % len(text) + text)
        _, number, error, result = self.message()
        assert number == self.sent and not error, (name, error)
        return result

    @contextmanager
    def page(self):
        """Lend the window for a while."""
        yield FirefoxPage(self)
        self.call("WebDriver:Navigate", url="about:blank")


TIMES = {"script": LONGEST * 1000, "pageLoad": LONGEST * 1000}


class FirefoxPage:
    """The window, with the methods of `browser.Page` that the tests of live pages use."""

    def __init__(self, firefox: Firefox) -> None:
        self.firefox = firefox

    def run(self, script: str):
        """Return the value of an expression in the page; a promise is waited for."""
        asked = f"return (0, eval)({json.dumps(script)})"
        return self.firefox.call("WebDriver:ExecuteScript", script=asked, args=[])["value"]

    def run_in_frame(self, script: str):
        """Return the value of an expression in the page's first frame, whatever it shows now."""
        self.firefox.call("WebDriver:SwitchToFrame", id=0)
        try:
            return self.run(script)
        finally:
            self.firefox.call("WebDriver:SwitchToFrame", id=None)

    def inside(self, script: str):
        """Run a script in Firefox itself."""
        self.firefox.call("Marionette:SetContext", value="chrome")
        try:
            return self.firefox.call("WebDriver:ExecuteScript", script=script, args=[])["value"]
        finally:
            self.firefox.call("Marionette:SetContext", value="content")

    def allow_network(self) -> None:
        """Do nothing: Firefox asks no proxy for this machine's own servers."""

    def show(self, path: Path, width: int = 1280, theme: str = "light") -> None:
        """Load a file in a window of this width, on a machine whose user likes this theme."""
        self.inside("Services.console.reset(); document.documentElement.style.minWidth = '0px'")
        self.prefer(theme)
        self.firefox.call("WebDriver:SetWindowRect", width=width, height=900)
        self.firefox.call("WebDriver:Navigate", url=path.as_uri())
        self.settle()

    def settle(self) -> None:
        """Wait until the page has been drawn."""
        self.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))")

    def prefer(self, theme: str) -> None:
        """Let the machine's user like light or dark pages."""
        dark = int(theme == "dark")
        self.inside(f"Services.prefs.setIntPref('ui.systemUsesDarkTheme', {dark})")

    def complaints(self) -> list[str]:
        """List the errors of pages that the console has seen since `show`."""
        return self.inside(
            """return Services.console.getMessageArray()
              .filter((one) => one instanceof Ci.nsIScriptError && !(one.flags & one.warningFlag)
                && /^(file|blob|data):/.test(one.sourceName))
              .map((one) => `${one.errorMessage} ${one.sourceName.slice(0, 99)}`)"""
        )

    def asked(self) -> list[str]:
        """List the addresses of what the page has loaded, and of its scripts and styles."""
        return self.run(
            """[...performance.getEntriesByType("resource").map((one) => one.name),
              ...[...document.scripts].map((one) => one.src),
              ...[...document.querySelectorAll("link[rel=stylesheet]")].map((one) => one.href)]
              .filter((one) => one)"""
        )

    def type(self, text: str) -> None:
        """Put a text in where the cursor is."""
        self.press(*text)

    def press(self, *keys: str) -> None:
        """Press keys one after the other: names such as Tab, or single characters."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": kind, "value": value} for kind in ("keyDown", "keyUp")]
        keyboard = {"type": "key", "id": "keyboard", "actions": actions}
        self.firefox.call("WebDriver:PerformActions", actions=[keyboard])
