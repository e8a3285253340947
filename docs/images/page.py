"""Take the pictures of the page that the documentation shows.

python docs/images/page.py [NAME …]      # writes docs/images/page-*.png beside this file

Needs Chromium, playwright and the data of Wikispeedia.
"""

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
GRAPHS = ("facebook:414", "wikispeedia")
FLAGS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
DESK, PHONE = {"width": 1280, "height": 720}, {"width": 390, "height": 844}
PICTURES = {  # view, window, colours
    "page-watch": ("watch", DESK, "light"),
    "page-watch-dark": ("watch", DESK, "dark"),
    "page-phone": ("watch", PHONE, "light"),
    "page-compare": ("compare", DESK, "light"),
    "page-explain": ("explain", DESK, "dark"),
    "page-play": ("play", DESK, "light"),
    "page-play-phone": ("play", PHONE, "dark"),
    "page-own": ("own", DESK, "light"),
}
COLOURS = 128  # of a picture, so that it stays small


@contextmanager
def served() -> Iterator[str]:
    """The address of a server with the graphs."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    command = [sys.executable, "-m", "garden", "serve", *GRAPHS, "--port", str(port)]
    process = subprocess.Popen(command)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api/menu", timeout=5).close()
                break
            except OSError:
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def stage(page: Any, view: str) -> None:
    """Bring a view to the moment that its picture shows."""
    if view == "watch":
        page.wait_for_selector("#stage[data-holder]")
        if page.get_attribute("#play", "aria-label") == "Pause":
            page.click("#play")
        page.evaluate(
            "() => { const line = document.getElementById('timeline'); line.value = 2;"
            " line.dispatchEvent(new Event('input')); }"
        )
    elif view == "compare":
        page.wait_for_selector("#racers li")
        page.get_by_role("button", name="Race on 100 pairs").click()
        page.wait_for_selector(".many[data-done]", timeout=200_000)
    elif view == "explain":
        page.wait_for_selector("#stage[data-coloured-by]")
    elif view == "play":
        page.get_by_role("button", name="Puzzle of the day").click()
        page.wait_for_selector("#neighbours button")
        page.locator("#neighbours button").first.click()
        page.wait_for_timeout(500)
        page.evaluate("() => scrollTo(0, 0)")  # a phone has scrolled to the button
    page.wait_for_timeout(1500)


def main(names: list[str]) -> None:
    """Take each picture that is named, all by default."""
    with served() as url, sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        for name in names or list(PICTURES):
            view, window, scheme = PICTURES[name]
            context = browser.new_context(
                viewport=window, color_scheme=scheme, reduced_motion="reduce"
            )
            page = context.new_page()
            page.set_default_timeout(120_000)
            page.goto(f"{url}/#{view}")
            page.wait_for_selector("body[data-ready]")
            stage(page, view)
            file = HERE / f"{name}.png"
            page.screenshot(path=file)
            few = Image.open(file).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE)
            few.save(file, optimize=True)
            print(name, file.stat().st_size)
            context.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
