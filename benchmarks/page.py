"""How fast the page is: layouts, first picture, frames of a scripted pan, many watchers, bytes.

python benchmarks/page.py [--json FILE|-] [--url URL] [--only layout,pictures,watchers] [SPEC …]

Without --url a server is started for each graph; its layout is cached by a first visit. Watchers
each show 5 hops a second and ask for the next walk when one ends; a hop is late by how long after
its moment the reply that holds it came.
"""

import argparse
import gzip
import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parents[1] / "src" / "garden" / "web" / "static"
SPECS = ("facebook:414", "wikispeedia", "power-law:n=1000,degree=8", "musae-facebook")
FLAGS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
LAYOUTS = ("facebook:0", "wikispeedia", "musae-facebook")
WATCHERS, HOP_SECONDS, WATCHED_SECONDS = 50, 0.2, 20.0
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


def layout_seconds(spec: str) -> float:
    """A layout from nothing, its kernels compiled."""
    import garden
    from garden.plots.pivot_layout import layout

    layout(garden.load("kaiser-hilgetag:n=60,seed=0"), cache=False)
    graph = garden.load(spec)
    begun = time.perf_counter()
    layout(graph, cache=False)
    return time.perf_counter() - begun


def watch(host: str, number: int, until: float, late: list[float]) -> None:
    """One watcher: a walk after the other, each hop at its moment."""
    line = http.client.HTTPConnection(host, timeout=60)
    due = time.perf_counter() + number * HOP_SECONDS / WATCHERS
    seed = 1000 * number
    while due < until:
        time.sleep(max(0.0, due - time.perf_counter()))
        line.request("GET", f"/api/graphs/g0/pair?seed={seed}")
        pair = json.load(line.getresponse())
        asked = {"graph": "g0", "strategy": "s0", **pair}
        kind = {"Content-Type": "application/json"}
        line.request("POST", "/api/walks", json.dumps(asked), kind)
        hops = len(json.load(line.getresponse())["hops"])
        came = time.perf_counter()
        late += [max(0.0, came - (due + hop * HOP_SECONDS)) for hop in range(hops)]
        due = max(due + hops * HOP_SECONDS, came)  # whoever waited goes on from there
        seed += 1
    line.close()


def watched(spec: str) -> dict[str, float]:
    """How late the hops of many watchers are, in milliseconds."""
    late: list[float] = []
    with served(spec) as url:
        host = url.removeprefix("http://")
        watch(host, 0, time.perf_counter() + 2, [])  # the strategy is made ready once
        until = time.perf_counter() + WATCHED_SECONDS
        threads = [
            threading.Thread(target=watch, args=(host, number, until, late))
            for number in range(WATCHERS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    steps = statistics.quantiles([1000 * value for value in late], n=100)
    rate = len(late) / WATCHED_SECONDS
    return {"hops_per_s": rate, "late_p50_ms": steps[49], "late_p95_ms": steps[94]}


def pictures(chosen: argparse.Namespace) -> dict[str, dict[str, float]]:
    """First picture and frames of each graph, in Chromium with software rendering."""
    from playwright.sync_api import sync_playwright

    rows = {}
    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *QUIET])
        for spec in ["given"] if chosen.url else chosen.specs:
            if chosen.url:
                rows[spec] = measured(browser, chosen.url, chosen.seconds)
            else:
                with served(spec) as url:
                    rows[spec] = measured(browser, url, chosen.seconds)
            show(f"picture of {spec}", rows[spec])
        browser.close()
    return rows


def show(what: str, values: dict[str, float]) -> None:
    """Print one line of figures."""
    print(what, {name: round(value, 2) for name, value in values.items()}, flush=True)


def main() -> None:
    """Measure what was asked for and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="*", default=list(SPECS))
    parser.add_argument("--url", help="a server that is up")
    parser.add_argument("--only", default="layout,pictures,watchers")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--json")
    chosen = parser.parse_args()
    parts = chosen.only.split(",")
    rows: dict[str, Any] = {"compressed_bytes": compressed_bytes()}
    print(f"script and style, compressed: {rows['compressed_bytes'] / 1000:.0f} kB", flush=True)
    if "layout" in parts:
        rows["layout_s"] = {spec: layout_seconds(spec) for spec in LAYOUTS}
        show("layout, seconds", rows["layout_s"])
    if "pictures" in parts:
        rows["pictures"] = pictures(chosen)
    if "watchers" in parts:
        rows["watchers"] = watched(SPECS[0])
        show(f"{WATCHERS} watchers of {SPECS[0]}", rows["watchers"])
    if chosen.json:
        text = json.dumps(rows, indent=1)
        print(text) if chosen.json == "-" else Path(chosen.json).write_text(text + "\n")


if __name__ == "__main__":
    main()
