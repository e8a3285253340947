"""What every verb prints with: tables, progress bars, logs and JSON."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from garden.atomic import check_writable, write_text
from garden.cli.heartbeat import Heartbeat, print_line
from garden.cli.verb import Talk
from garden.errors import DataError, SpecError
from garden.search.progress import Progress, silent

_LOG = logging.getLogger("garden")
_PATIENCE = 1.0  # seconds before a bar appears


def log_to_stderr(talk: Talk | None = None, spelled: Callable[[str], str] = str) -> None:
    """Show what the library has to say, one line each, apart from the results.

    ``spelled`` puts the library's messages into the words of the command line.
    """
    talk = talk or Talk()
    _LOG.handlers = [_LogLines(spelled)]
    _LOG.setLevel(logging.ERROR if talk.quiet else logging.DEBUG if talk.verbose else logging.INFO)
    _LOG.propagate = False


def say(text: str) -> None:
    """A note on standard error, unless ``--quiet`` was given."""
    _LOG.info("%s", text)


def is_quiet() -> bool:
    """Whether only results and errors are wanted."""
    return not _LOG.isEnabledFor(logging.INFO)


def is_verbose() -> bool:
    """Whether everything there is to say is wanted."""
    return _LOG.isEnabledFor(logging.DEBUG)


class _LogLines(logging.Handler):
    def __init__(self, spelled: Callable[[str], str]) -> None:
        super().__init__()
        self.spelled = spelled

    def emit(self, record: logging.LogRecord) -> None:
        kind = "" if record.levelno <= logging.INFO else f"{record.levelname.lower()}: "
        print_line(f"{kind}{self.spelled(record.getMessage())}")


def check_outputs(*paths: Path | None, json: str | None = None) -> None:
    """Refuse destinations that cannot be written, before the work is done for them."""
    if json == "":
        raise SpecError("--json is empty: name a file, or - for standard output")
    named = None if json in (None, "-") else Path(json)
    for path in (*paths, named):
        if path is not None:
            check_writable(path)


def write_json(content: dict[str, Any], destination: str) -> None:
    """Write JSON to a file, or to standard output where the destination is ``-``."""
    to_stdout = destination == "-"
    if to_stdout and sys.__stdout__ is None:
        raise DataError("--json -: standard output is closed")
    # Escapes, where standard output could not spell a name that is not ASCII.
    escaped = to_stdout and not (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(content, indent=2, ensure_ascii=escaped, allow_nan=False) + "\n"
    if to_stdout:
        sys.stdout.write(text)
    else:
        write_text(Path(destination), text)


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], json: str | None = None
) -> None:
    """Show a table; where standard output carries JSON on standard error, if that may speak."""
    if json == "-" and is_quiet():
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(stderr=json == "-", width=None if sys.stdout.isatty() else 120)
    table = Table()
    for number, column in enumerate(columns):
        table.add_column(Text(column), justify="left" if number == 0 else "right")
    for row in rows:
        table.add_row(*map(Text, row))  # names may look like markup
    console.print(Text(title))
    console.print(table)


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A turning sign on a terminal while something of unknown length is done, else lines."""
    began = time.monotonic()
    with _sign(what):
        yield
    _LOG.debug("%s took %.2f s", what, time.monotonic() - began)


@contextmanager
def _sign(what: str) -> Iterator[None]:
    if is_quiet():
        yield
        return
    if not sys.stderr.isatty():
        with Heartbeat(what).running():
            yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(what)):
        yield


@contextmanager
def progress_lines(what: str) -> Iterator[Progress]:
    """Lines where standard error is no terminal, and nothing on one.

    For work that says on a terminal by itself how it goes, perhaps with bars of its own.
    """
    if is_quiet() or sys.stderr.isatty():
        yield silent
        return
    with Heartbeat(what).running() as heartbeat:
        yield heartbeat.show


@contextmanager
def progress_bar(what: str = "working") -> Iterator[Progress]:
    """A bar on standard error, with the time left, for whatever takes longer than a second.

    Where standard error is no terminal there are lines in its place, of ``what`` as long as
    nothing else is known.
    """
    began = time.monotonic()
    with _bar(what) as progress:
        yield progress
    _LOG.debug("%s took %.2f s", what, time.monotonic() - began)


@contextmanager
def _bar(what: str) -> Iterator[Progress]:
    if is_quiet():
        yield silent
        return
    if not sys.stderr.isatty():
        with progress_lines(what) as progress:
            yield progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeRemainingColumn(),
    )
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
