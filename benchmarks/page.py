"""How fast the page draws: first picture, frames of a scripted pan, bytes of script and style.

python benchmarks/page.py [--json FILE|-] [--url URL] [SPEC …]

Without --url a server is started for each graph; its layout is cached by a first visit.
"""

import argparse
import gzip
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parents[1] / "src" / "garden" / "web" / "static"
SPECS = ("facebook:414", "wikispeedia", "power-law:n=1000,m=4", "musae-facebook")
FLAGS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
PAN = """(seconds) => new Promise((done) => {
  const frames = [];
  const begun = performance.now();
  let last = begun;
  const step = (now) => {
    frames.push(now - last);
    last = now;
    const turn = (now - begun) / 400;
    window.garden.stage.pan(0.004 * Math.sin(turn), 0.004 * Math.cos(turn));
    if (now - begun < 1000 * seconds) requestAnimationFrame(step);
    else done(frames.slice(2));
  };
  requestAnimationFrame(step);
})"""


def compressed_bytes() -> int:
    """Script and style of the page as gzip sends them."""
    return sum(len(gzip.compress((STATIC / name).read_bytes())) for name in ("page.js", "page.css"))


@contextmanager
def served(spec: str) -> Iterator[str]:
    """The address of a server with this graph."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    command = [sys.executable, "-m", "garden", "serve", spec, "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{url}/api/menu", timeout=5).close()
                break
            except OSError:
                if process.poll() is not None:
                    sys.exit(f"garden serve {spec} ended: is its data at hand?")
                time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.wait(20)


def measured(browser: Any, url: str, seconds: float) -> dict[str, float]:
    """First picture in seconds on a second visit, and the median frame of a pan in milliseconds."""
    for _ in range(2):
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        page = context.new_page()
        begun = time.perf_counter()
        page.goto(url)
        page.wait_for_selector("#stage[data-drawn]", timeout=120_000)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => done(0)))")
        first = time.perf_counter() - begun
        if _ == 0:
            context.close()
    page.wait_for_timeout(1000)
    page.evaluate("() => document.querySelector('#play[aria-label=Pause]')?.click()")
    frames = page.evaluate(PAN, seconds)
    nodes = int(page.get_attribute("#stage", "data-nodes"))
    context.close()
    median = statistics.median(frames)
    return {
        "nodes": nodes,
        "first_picture_s": first,
        "median_frame_ms": median,
        "fps": 1000 / median,
    }


def main() -> None:
    """Measure each graph and print a row for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="*", default=list(SPECS))
    parser.add_argument("--url", help="a server that is up")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--json")
    chosen = parser.parse_args()
    from playwright.sync_api import sync_playwright

    rows: dict[str, Any] = {"compressed_bytes": compressed_bytes()}
    print(f"script and style, compressed: {rows['compressed_bytes'] / 1000:.0f} kB")
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *QUIET])
        for spec in ["given"] if chosen.url else chosen.specs:
            if chosen.url:
                rows[spec] = measured(browser, chosen.url, chosen.seconds)
            else:
                with served(spec) as url:
                    rows[spec] = measured(browser, url, chosen.seconds)
            print(spec, {name: round(value, 2) for name, value in rows[spec].items()})
        browser.close()
    if chosen.json:
        text = json.dumps(rows, indent=1)
        print(text) if chosen.json == "-" else Path(chosen.json).write_text(text + "\n")


if __name__ == "__main__":
    main()
