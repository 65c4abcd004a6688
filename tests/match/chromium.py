"""A headless Chromium driven over a pipe (the DevTools protocol): pages, keys, clicks, pictures."""

import json
import os
import selectors
import shutil
import subprocess
import sys
import time
from base64 import b64decode
from pathlib import Path
from typing import Any

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-sync", "--disable-default-apps"),
    *("--disable-component-update", "--disable-extensions", "--mute-audio"),
    *("--remote-debugging-pipe", "about:blank"),
)
PATIENCE_S = 60.0

ON_3_AND_4 = """
import fcntl, os, sys
read, write = (fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3])
os.dup2(read, 3)
os.dup2(write, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""Becomes the browser, which reads orders on 3 and writes on 4."""


def find() -> str | None:
    """The program, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


class Chromium:
    """A browser with one page, all its files in a folder.

    logs: what the page wrote or threw; requests: what it asked for.
    """

    def __init__(self, program: str, folder: Path) -> None:
        self.logs: list[str] = []
        self.requests: list[str] = []
        self._number = 0
        self._rest = b""
        self._answers: dict[int, dict[str, Any]] = {}
        self._events: list[str] = []
        command_in, self._out = os.pipe()
        self._in, command_out = os.pipe()

        self._process = subprocess.Popen(
            [
                *(sys.executable, "-S", "-c", ON_3_AND_4, str(command_in), str(command_out)),
                *(program, f"--user-data-dir={folder}", *FLAGS),
            ],
            pass_fds=(command_in, command_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=os.environ | {"TMPDIR": str(folder)},
        )
        os.close(command_in)
        os.close(command_out)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._in, selectors.EVENT_READ)
        self._session = ""
        try:
            self._attach()
        except BaseException:
            self.close()
            raise

    def _attach(self) -> None:
        """Open a page and listen to it."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        """End the browser with all its processes."""
        try:
            os.killpg(self._process.pid, 9)
        except ProcessLookupError:
            pass
        self._process.wait(10)
        self._selector.close()
        os.close(self._in)
        os.close(self._out)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask the browser and wait for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE_S
        while self._number not in self._answers:
            self._read(deadline)
        answer = self._answers.pop(self._number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, address: str) -> None:
        """Load a page and wait until it is there."""
        self._events.clear()
        self.call("Page.navigate", url=address)
        deadline = time.monotonic() + PATIENCE_S
        while "Page.loadEventFired" not in self._events:
            self._read(deadline)

    def value(self, expression: str) -> Any:
        """What an expression is in the page."""
        found = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def press(self, key: str, times: int = 1) -> None:
        """Press a key."""
        for _ in range(times):
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def click(self, selector: str) -> None:
        """Press the mouse in the middle of an element, wherever it is on the page."""
        x, y = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'center', behavior: 'instant'});"
            " const b = e.getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def resize(self, width: int, height: int, phone: bool = False) -> None:
        """How large the window is."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )

    def dark(self, dark: bool = True) -> None:
        """Whether the reader prefers dark pages."""
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[feature])

    def picture(self, path: Path, whole: bool = False) -> None:
        """Save what the page looks like as PNG."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(b64decode(found["data"]))

    def _read(self, deadline: float) -> None:
        """Take what the browser has sent; wait for it until the deadline."""
        left = deadline - time.monotonic()
        if left <= 0 or not self._selector.select(left):
            raise TimeoutError("the browser does not answer")
        chunk = os.read(self._in, 1 << 20)
        if not chunk:
            raise RuntimeError("the browser has left")
        *whole, self._rest = (self._rest + chunk).split(b"\0")
        for text in whole:
            message = json.loads(text)
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self._note(message["method"], message["params"])

    def _note(self, method: str, parameters: dict[str, Any]) -> None:
        self._events.append(method)
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.logs.append(str(parameters["exceptionDetails"]))
        elif method in ("Runtime.consoleAPICalled", "Log.entryAdded"):
            self.logs.append(json.dumps(parameters))
