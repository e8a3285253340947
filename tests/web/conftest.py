"""A real server and a real browser for the tests of the page.

`GARDEN_PAGE_URL` names a server that is up already; without it one is started on a free port.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest

GRAPH = "kaiser-hilgetag:n=60,alpha=10,beta=0.4,seed=3"
STRATEGIES = ("universal+backtrack", "distance", "greedy", "random", "beacons")
FLAGS = (
    "--no-sandbox",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
)
START_SECONDS = 90
WAIT = 30_000  # milliseconds for anything that a page waits for


def chromium() -> str | None:
    """The system's Chromium."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def wait_until_up(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return when the server answers; fail with what it printed where it ends first."""
    limit = time.monotonic() + START_SECONDS
    while time.monotonic() < limit:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{url}/api/menu", timeout=5) as reply:
                json.load(reply)
            return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"garden serve is not up: {log.read_text()[-2000:]}")


@pytest.fixture(scope="session")
def page_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with one small generated graph."""
    given = os.environ.get("GARDEN_PAGE_URL")
    if given:
        yield given.rstrip("/")
        return
    folder = tmp_path_factory.mktemp("serve")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    own = {"GARDEN_CACHE": str(folder / "cache"), "GARDEN_SHORT": "1"}
    environment = {**os.environ, **own}
    environment.pop("GARDEN_DATA", None)  # the same page with and without real data
    python = [sys.executable, "-m", "garden"]
    with_value = ["--model", "garden", "--method", "a2c", "--out", "a2c", "--quiet"]
    subprocess.run([*python, "train", GRAPH, *with_value], env=environment, cwd=folder, check=True)
    chosen = [word for name in STRATEGIES for word in ("--strategy", name)]
    command = [*python, "serve", GRAPH, "--port", str(port), *chosen, "--strategy", "a2c"]
    log = folder / "log.txt"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env=environment, cwd=folder
        )
        try:
            wait_until_up(url, process, log)
            yield url
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium with WebGL in software."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    if path is None:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield started
        started.close()


@dataclass
class Watched:
    """A page and everything that went wrong on it."""

    page: Any
    url: str
    faults: list[str] = field(default_factory=list)
    refusals_expected: bool = False

    def open(self, view: str = "watch") -> Any:
        """Open a view and wait until it stands."""
        self.page.goto(f"{self.url}/#{view}")
        self.page.wait_for_selector("body[data-ready]", timeout=WAIT)
        return self.page

    def heard(self, kind: str, text: str) -> None:
        """Note a line of the console, unless it is a refusal that the test asked for."""
        if kind != "error" or (self.refusals_expected and "status of 4" in text):
            return
        self.faults.append(text)

    def asked(self, url: str) -> None:
        """Note a request that leaves this machine."""
        parts = urlparse(url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname != "127.0.0.1":
            self.faults.append(f"request to {url}")

    def check(self) -> None:
        """Fail with whatever went wrong: errors, blocked content, foreign requests, lost WebGL."""
        assert self.page.evaluate("() => !window.garden || !window.garden.stage.lost()")
        assert self.faults == []


def watched(browser: Any, url: str, **options: Any) -> Watched:
    """A new page in a context of its own, watched for faults."""
    context = browser.new_context(accept_downloads=True, **options)
    context.set_default_timeout(WAIT)
    page = context.new_page()
    seen = Watched(page, url)
    page.on("console", lambda message: seen.heard(message.type, message.text))
    page.on("pageerror", lambda error: seen.faults.append(str(error)))
    page.on("request", lambda request: seen.asked(request.url))
    page.add_init_script(
        "addEventListener('securitypolicyviolation', (event) =>"
        " console.error('blocked: ' + event.violatedDirective + ' ' + event.blockedURI))"
    )
    return seen


@pytest.fixture
def desk(browser: Any, page_url: str) -> Iterator[Watched]:
    """A laptop's window; at the end nothing may have gone wrong."""
    seen = watched(browser, page_url, viewport={"width": 1280, "height": 800})
    yield seen
    seen.check()
    seen.page.context.close()


@pytest.fixture
def phone(browser: Any, page_url: str) -> Iterator[Watched]:
    """A phone's window in the dark; at the end nothing may have gone wrong."""
    size = {"width": 390, "height": 844}
    seen = watched(browser, page_url, viewport=size, color_scheme="dark", has_touch=True)
    yield seen
    seen.check()
    seen.page.context.close()
