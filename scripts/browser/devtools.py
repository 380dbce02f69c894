"""A browser over the DevTools protocol, using only the standard library.

The protocol needs only a small WebSocket client (RFC 6455: text frames, no extensions).
"""

import base64
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
AXE = "axe-core@4.11.0"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_or_install():
    """The browser's path; installs one if possible, and says what to do if not."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    for attempt in range(2):
        for name in NAMES:
            path = shutil.which(name)
            if path:
                return path
        if attempt == 0 and shutil.which("apt-get") and os.geteuid() == 0:
            print("installing chromium ...", flush=True)
            quiet = {"stdout": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
            subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)
            subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"], check=False, **quiet)
    sys.exit("error: there is no Chromium: install it (Debian: apt-get install chromium), or set CHROMIUM to its path")


def axe():
    """The text of axe-core; installed below target when it is first needed."""
    folder = ROOT / "target" / "axe"
    file = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not file.is_file():
        if not shutil.which("npm"):
            sys.exit("error: axe-core comes from npm, and there is no npm: install it (Debian: apt-get install npm)")
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), AXE], check=True)
    return file.read_text()


class Socket:
    """A WebSocket."""

    def __init__(self, url):
        host, port, path = re.match(r"ws://([^:/]+):(\d+)(/.*)", url).groups()
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(65536)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0] + b" ":
            raise OSError(f"no WebSocket: {head[:100]!r}")

    def take(self, count):
        while len(self.buffer) < count:
            piece = self.socket.recv(1 << 20)
            if not piece:
                raise OSError("the browser closed the connection")
            self.buffer += piece
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def send(self, text):
        data = text.encode()
        mask = os.urandom(4)
        if len(data) < 126:
            head = struct.pack("!BB", 0x81, 0x80 | len(data))
        elif len(data) < 1 << 16:
            head = struct.pack("!BBH", 0x81, 0x80 | 126, len(data))
        else:
            head = struct.pack("!BBQ", 0x81, 0x80 | 127, len(data))
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))
        self.socket.sendall(head + mask + masked)

    def receive(self):
        """The next text message."""
        message = b""
        while True:
            first, length = self.take(2)
            length &= 0x7F
            if length == 126:
                length = struct.unpack("!H", self.take(2))[0]
            elif length == 127:
                length = struct.unpack("!Q", self.take(8))[0]
            piece = self.take(length)
            if first & 0x0F == 8:
                raise OSError("the browser closed the connection")
            if first & 0x0F in (0, 1, 2):
                message += piece
                if first & 0x80:
                    return message.decode()


class Browser:
    """A headless browser with one page."""

    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix="browser-")
        self.process = subprocess.Popen(
            [
                path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
                "--hide-scrollbars", "--remote-debugging-port=0", f"--user-data-dir={self.folder}", "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.port = self.wait_for_port()
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{self.port}/json/list", timeout=30))
        page = next(p for p in pages if p["type"] == "page")
        self.socket = Socket(page["webSocketDebuggerUrl"])
        self.last = 0
        self.events = []

    def wait_for_port(self):
        file = os.path.join(self.folder, "DevToolsActivePort")
        for _ in range(600):
            if os.path.exists(file):
                lines = open(file).read().split("\n")
                if len(lines) > 1:
                    return int(lines[0])
            if self.process.poll() is not None:
                sys.exit("error: the browser ended before it was ready")
            time.sleep(0.1)
        sys.exit("error: the browser was not ready within a minute")

    def call(self, method, **parameters):
        """A command of the protocol; events that arrive meanwhile are kept."""
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == self.last:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def evaluate(self, code):
        """The value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"].get("exception", answer["exceptionDetails"])))
        return answer["result"].get("value")

    def open(self, url):
        """Loads a page and waits until it is complete."""
        self.call("Page.navigate", url=url)
        for _ in range(300):
            if self.evaluate("document.readyState === 'complete' && location.href !== 'about:blank'"):
                return
            time.sleep(0.1)
        sys.exit(f"error: {url} did not load within half a minute")

    def view(self, width, height, dark):
        """A window of that size, on a light or dark background."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path, clip=None):
        """The whole page, or a part of it."""
        part = {"clip": clip} if clip else {}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, **part)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        try:
            self.call("Browser.close")
        except OSError:
            pass
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
