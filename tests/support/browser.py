"""A headless Chromium, driven over WebDriver by plain HTTP; for pages that we make.

``found`` says whether it is there: Debian's packages chromium and chromium-driver.
"""

from __future__ import annotations

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

DRIVER = shutil.which("chromedriver")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
found = bool(DRIVER and CHROMIUM)

_ARGUMENTS = [
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--no-first-run", "--hide-scrollbars"),
]


class Browser:
    """One window of ``width`` by ``height`` pixels, like a phone's if that is small."""

    def __init__(self, port: int, width: int, height: int) -> None:
        self._root = f"http://127.0.0.1:{port}"
        screen = {"width": width, "height": height, "pixelRatio": 1}
        options = {
            "binary": CHROMIUM,
            "args": _ARGUMENTS,
            "mobileEmulation": {"deviceMetrics": screen},
        }
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        made = self._post("/session", {"capabilities": {"alwaysMatch": wanted}})
        self._root += f"/session/{made['sessionId']}"

    def _post(self, path: str, body: dict) -> object:
        request = urllib.request.Request(
            self._root + path,
            json.dumps(body).encode(),
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def open(self, url: str, scheme: str = "light") -> None:
        """Show a page in a colour scheme."""
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.tell("Emulation.setEmulatedMedia", media)
        self._post("/url", {"url": url})

    def tell(self, command: str, parameters: dict) -> object:
        """A command of the DevTools protocol."""
        body = {"cmd": command, "params": parameters}
        return self._post("/goog/cdp/execute", body)

    def run(self, script: str) -> object:
        """What the body of a function in JavaScript returns."""
        return self._post("/execute/sync", {"script": script, "args": []})

    def press(self, key: str) -> None:
        """Press and release a key, such as Tab (U+E004)."""
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        keys = {"type": "key", "id": "keyboard", "actions": actions}
        self._post("/actions", {"actions": [keys]})

    def log(self) -> list[str]:
        """What the browser complained about."""
        lines = self._post("/se/log", {"type": "browser"})
        return [line["message"] for line in lines]

    def picture(self, path: str) -> None:
        """Save the whole page as a PNG."""
        whole = {"captureBeyondViewport": True, "format": "png"}
        data = self.tell("Page.captureScreenshot", whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self) -> None:
        """End it."""
        request = urllib.request.Request(self._root, method="DELETE")
        urllib.request.urlopen(request, timeout=60).close()


@contextmanager
def browser(width: int, height: int = 844) -> Iterator[Browser]:
    """A browser for the time of a test."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    driver = subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL)
    try:
        _wait(port)
        window = Browser(port, width, height)
        try:
            yield window
        finally:
            window.close()
    finally:
        driver.terminate()
        driver.wait(30)


def _wait(port: int) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise TimeoutError("chromedriver does not answer")
