"""A headless Chromium, spoken to through a pipe: open a page, run a script in it, press keys.

Only the tests of the book use it. The network is switched off in every page, so that what a page
shows it shows from its own files; what it asked for and what it complained about is kept.
"""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
LONGEST = 60  # seconds for one answer
KEYS = {"Enter": 13, "Tab": 9, "Space": 32, "Home": 36, "End": 35, "Escape": 27}
IS_PAGE = {"isDefault": True, "type": "default"}  # of what may run scripts: not an extension's
KEYS |= {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


def program() -> str:
    """Return the path of a Chromium, or nothing."""
    return next(filter(None, map(shutil.which, NAMES)), "")


def out_of_the_way(descriptor: int) -> int:
    """Move an open file to a number above those that have a meaning."""
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return moved


class Browser:
    """One Chromium; its answers come one after the other, events between them."""

    def __init__(self, chromium: str, folder: Path) -> None:
        self.chromium, self.folder = chromium, folder
        self.sent, self.rest = 0, b""
        self.events: list[dict] = []

    def __enter__(self):
        # Chromium reads from 3 and writes to 4; ours are moved out of the way of these.
        theirs, self.ours, self.heard, said = map(out_of_the_way, (*os.pipe(), *os.pipe()))
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        flags += ["--remote-debugging-pipe", "--mute-audio"]
        self.process = subprocess.Popen(
            [self.chromium, *flags, f"--user-data-dir={self.folder}", "about:blank"],
            preexec_fn=lambda: (os.dup2(theirs, 3), os.dup2(said, 4)),
            pass_fds=(3, 4),
            env={**os.environ, "TMPDIR": "/tmp"},  # its socket there has a path of 107 letters
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(said)
        os.set_blocking(self.heard, False)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.ours)
        os.close(self.heard)

    def messages(self):
        """Wait for something; return what has come, whole messages only."""
        until = time.monotonic() + LONGEST
        while b"\0" not in self.rest:
            try:
                came = os.read(self.heard, 1 << 20)
            except BlockingIOError:
                time.sleep(0.002)
                assert time.monotonic() < until, "Chromium does not answer"
                continue
            assert came, "Chromium is gone"
            self.rest += came
        *whole, self.rest = self.rest.split(b"\0")
        return [json.loads(one) for one in whole]

    def call(self, method: str, session: str | None = None, **given):
        """Ask for one thing and wait for its answer."""
        self.sent += 1
        number = self.sent
        asked = {"id": number, "method": method, "params": given}
        if session:
            asked["sessionId"] = session
        os.write(self.ours, json.dumps(asked).encode() + b"\0")
        answer = None
        while answer is None:
            for one in self.messages():
                if one.get("id") == number:
                    answer = one
                elif "method" in one:
                    self.events.append(one)
        assert "error" not in answer, (method, answer["error"])
        return answer["result"]

    @contextmanager
    def page(self):
        """Open a tab for a while."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        yield Page(self, attached["sessionId"])
        self.call("Target.closeTarget", targetId=target)


class Page:
    """A tab: `complaints` and `asked` tell what went wrong and what was fetched since `open`."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.allow_network(False)

    def allow_network(self, allowed: bool = True) -> None:
        """Let the page reach this machine's own servers, or nothing but files."""
        usual = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        self.call("Network.emulateNetworkConditions", offline=not allowed, **usual)

    def call(self, method: str, **given):
        """Ask this tab for something."""
        return self.browser.call(method, self.session, **given)

    def run(self, script: str):
        """Return the value of an expression in the page; a promise is waited for."""
        return self.evaluate(script)

    def run_in_frame(self, script: str):
        """Return the value of an expression in the page's first frame, whatever it shows now."""
        frame = self.call("Page.getFrameTree")["frameTree"]["childFrames"][0]["frame"]["id"]
        known = [one["context"] for one in self.met("Runtime.executionContextCreated")]
        mine = [one["id"] for one in known if one["auxData"] == IS_PAGE | {"frameId": frame}]
        return self.evaluate(script, contextId=mine[-1], userGesture=True)

    def evaluate(self, script: str, **where):
        """Return the value of an expression; a promise is waited for."""
        asked = {"expression": script, "returnByValue": True, "awaitPromise": True, **where}
        answer = self.call("Runtime.evaluate", **asked)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def show(self, path: Path, width: int = 1280, theme: str = "light", **more) -> None:
        """Load a file in a window of this width, on a machine whose user likes this theme.

        It is opened as a double click opens it; `more` has a height, and a query for its address.
        """
        self.browser.events.clear()
        phone = width < 600
        size = {
            "width": width,
            "height": more.get("height", 900),
            "deviceScaleFactor": 1,
            "mobile": phone,
        }
        self.call("Emulation.setDeviceMetricsOverride", **size)
        self.prefer(theme)
        self.call("Page.navigate", url=f"{path.as_uri()}?{more.get('query', '')}")
        self.run(
            "new Promise((done) => document.readyState === 'complete' && location.href !== "
            "'about:blank' ? done() : addEventListener('load', () => done()))"
        )
        assert self.run("location.pathname").endswith(path.name)
        self.run("window.MathJax?.startup?.promise.then(() => true)")
        self.settle()

    def settle(self) -> None:
        """Wait until the page has been drawn."""
        self.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 60)))")

    def until(self, condition: str, seconds: int = 5) -> None:
        """Wait until a condition holds in the page, or the time is over: what is seen then counts.

        Another process tells the page what its user likes, some time after `prefer` returns.
        """
        ends = time.monotonic() + seconds
        while not self.run(condition) and time.monotonic() < ends:
            time.sleep(0.01)

    def prefer(self, theme: str) -> None:
        """Let the machine's user like light or dark pages."""
        liked = [{"name": "prefers-color-scheme", "value": theme}]
        self.call("Emulation.setEmulatedMedia", features=liked)

    def met(self, method: str) -> list[dict]:
        """List what the page has reported since `show`, by the name of the event."""
        self.run("1")  # what was on its way has come
        mine = [one for one in self.browser.events if one.get("sessionId") == self.session]
        return [one["params"] for one in mine if one["method"] == method]

    def complaints(self) -> list[str]:
        """List exceptions, errors in the console, and files that could not be loaded."""
        thrown = [str(one["exceptionDetails"]) for one in self.met("Runtime.exceptionThrown")]
        logged = [one["entry"] for one in self.met("Log.entryAdded")]
        said = [f"{one['text']} {one.get('url', '')}" for one in logged if one["level"] == "error"]
        written = [
            str([word.get("value", word.get("description")) for word in one["args"]])
            for one in self.met("Runtime.consoleAPICalled")
            if one["type"] == "error"
        ]
        return [*thrown, *said, *written]

    def asked(self) -> list[str]:
        """List the addresses that the page asked for."""
        return [one["request"]["url"] for one in self.met("Network.requestWillBeSent")]

    def type(self, text: str) -> None:
        """Put a text in where the cursor is."""
        self.call("Input.insertText", text=text)

    def press(self, *keys: str) -> None:
        """Press keys one after the other: names such as Tab, or single characters."""
        for key in keys:
            text = {"Enter": "\r", "Space": " "}.get(key, key if len(key) == 1 else "")
            code = KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
            given = {"key": text.strip() or key, "code": key, "windowsVirtualKeyCode": code}
            if key == "Space":
                given["key"] = " "
            self.call("Input.dispatchKeyEvent", type="keyDown", **given, text=text)
            self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    def picture(self, path: Path, whole: bool = True) -> None:
        """Save what the page looks like."""
        found = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))
