"""What the benchmarks share: the best of several runs, peak memory, a table, and JSON."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


def best_seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The fastest of several runs, after one that warms up."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_gigabytes() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def report(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], content: Any) -> None:
    """Print a table, and JSON where ``--json FILE|-`` asks for it."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("--json", metavar="FILE|-")
    destination = parser.parse_known_args()[0].json
    widths = [max(len(str(row[i])) for row in [columns, *rows]) for i in range(len(columns))]
    stream = sys.stderr if destination == "-" else sys.stdout
    print(title, file=stream)
    for row in [columns, *rows]:
        cells = (str(cell).ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  " + "  ".join(cells).rstrip(), file=stream)
    text = json.dumps(content, indent=2) + "\n"
    if destination == "-":
        sys.stdout.write(text)
    elif destination:
        Path(destination).write_text(text)
