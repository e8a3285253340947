"""What every verb prints with: tables, progress bars, logs and JSON."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from garden.atomic import write_text
from garden.search.progress import Progress

_PATIENCE = 1.0  # seconds before a bar appears


def log_to_stderr() -> None:
    """Show what the library has to say, one line each, apart from the results."""
    logger = logging.getLogger("garden")
    logger.handlers = [_LogLines()]
    logger.setLevel(logging.INFO)
    logger.propagate = False


class _LogLines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        kind = "" if record.levelno <= logging.INFO else f"{record.levelname.lower()}: "
        print(f"garden: {kind}{record.getMessage()}", file=sys.stderr)


def write_json(content: dict[str, Any], destination: str) -> None:
    """Write JSON to a file, or to standard output where the destination is ``-``."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if destination == "-":
        sys.stdout.write(text)
    else:
        write_text(Path(destination), text)


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], json: str | None = None
) -> None:
    """Show a table; on standard error where standard output carries JSON."""
    from rich.console import Console
    from rich.table import Table

    console = Console(stderr=json == "-", width=None if sys.stdout.isatty() else 120)
    table = Table()
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right")
    for row in rows:
        table.add_row(*row)
    console.print(title, highlight=False, markup=False)
    console.print(table)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on standard error, with the time left, for whatever takes longer than a second."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    bars: dict[str, Any] = {}
    started = time.monotonic()

    def show(what: str, done: float, total: float) -> None:
        if what not in bars:
            bars[what] = bar.add_task(what, total=total)
        bar.update(bars[what], completed=done, visible=done < total)
        if not bar.live.is_started and time.monotonic() - started > _PATIENCE:
            bar.start()

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()
