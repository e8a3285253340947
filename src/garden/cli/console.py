"""What the verbs of the command line share: flags, tables, progress, and how much of it is shown.

Results go to standard output; everything else (progress, notes, warnings, errors) goes to standard
error, one line each. A terminal gets progress bars; a file or a pipe gets a line every
:data:`EVERY` seconds.
"""

from __future__ import annotations

import logging
import shlex
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import tyro

from garden.cli.result_text import cell_text, write_json
from garden.errors import GardenError, SpecError, duration
from garden.search.progress import Progress, silent
from garden.storage import check_writable

if TYPE_CHECKING:
    from garden.graphs.graph import Graph

EVERY = 10.0  # seconds between two lines; at most 15 on a slow machine
CLOCK_INTERVAL = 1.0  # seconds between two looks at the clock
BAR_DELAY = 1.0  # seconds before a bar appears
_COLUMN_FLAGS = {f"{what}_column": f"--{what}-column" for what in ("source", "target", "node")}
_LOG = logging.getLogger("garden")


@dataclass(frozen=True)
class Verbosity:
    """How much is printed on standard error."""

    quiet: bool = False
    """Print results and errors, and nothing else: no progress, no notes, no warnings."""

    verbose: bool = False
    """Print how long each step took, and where in the code an error arose."""

    def __post_init__(self) -> None:
        if self.quiet and self.verbose:
            raise SpecError("`quiet` says less and `verbose` more: give one")


@dataclass(frozen=True, kw_only=True)
class Verb(ABC):
    """A verb of the command line: a frozen dataclass whose fields are its flags.

    The docstring of the class and those under its fields are the text of ``--help``.
    """

    verbosity: Annotated[Verbosity, tyro.conf.arg(name="")] = Verbosity()

    @abstractmethod
    def run(self) -> None:
        """Do the work and print its results."""


@dataclass(frozen=True)
class GraphOptions:
    """How tables are read; nothing here concerns graphs that are known by name."""

    source_column: str | None = None
    """The column of a table of edges that holds one end; found where only one reading makes
    sense."""

    target_column: str | None = None
    """The column that holds the other end."""

    node_column: str | None = None
    """The column of a table of nodes that names them."""

    no_scaling: bool = False
    """Leave numeric columns of tables as they are: otherwise those that hold anything but 0 and 1
    are scaled to mean 0 and variance 1."""

    def load_aloud(self, spec: str) -> Graph:
        """The graph, and on standard error that it is being loaded."""
        with busy(f"loading {spec}"):
            return self.load(spec)

    def load(self, spec: str) -> Graph:
        """The graph; errors name flags in place of Python's arguments."""
        from garden.api import load

        options = {key: text for key in _COLUMN_FLAGS if (text := getattr(self, key)) is not None}
        if self.no_scaling:
            options["scale"] = False
        try:
            return load(spec, **options)
        except GardenError as error:
            message = str(error)
            for argument, flag in _COLUMN_FLAGS.items():
                message = message.replace(argument, flag)
            error.args = (message,)
            raise

    def command_words(self, spec: str) -> str:
        """The spec and these flags as they are written in a shell, for lines of advice."""
        words = [spec]
        for argument, flag in _COLUMN_FLAGS.items():
            if getattr(self, argument) is not None:
                words += [flag, getattr(self, argument)]
        return shlex.join([*words, *(["--no-scaling"] if self.no_scaling else [])])


GraphFlags = Annotated[GraphOptions, tyro.conf.arg(name="")]
"""The flags of a verb that reads a graph."""
TABLES_AS_USUAL = GraphOptions()


def say(text: str) -> None:
    """Print a note on standard error, unless ``--quiet`` was given."""
    _LOG.info("%s", text)


def is_quiet() -> bool:
    """Whether ``--quiet`` was given: results and errors alone are printed."""
    return not _LOG.isEnabledFor(logging.INFO)


def check_outputs(*paths: Path | None, json: str | None = None) -> None:
    """Refuse destinations that cannot be written, before long work is done for them.

    Args:
        *paths: Files that are to be written; None stands for one that was not asked for.
        json: The value of ``--json``: a file, ``-``, or None.
    """
    if json == "":
        raise SpecError("--json is empty: name a file, or - for standard output")
    named = None if json in (None, "-") else Path(json)
    for path in (*paths, named):
        if path is not None:
            check_writable(path)


def print_report(title: str, report: Mapping[str, Any], json: str | None) -> None:
    """Print a report on standard output, a line for each of its fields.

    Args:
        title: The line above it.
        report: Values that JSON can hold, by name.
        json: Where the report is written as JSON too; None for nowhere.
    """
    rows = [(name.replace("_", " "), cell_text(value)) for name, value in report.items()]
    print_table(title, ("", "value"), rows, json, report)


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    json: str | None = None,
    content: Mapping[str, Any] | None = None,
) -> None:
    """Print a table on standard output.

    Args:
        title: The line above the table.
        columns: The heads of its columns; the first is set to the left, others to the right.
        rows: Its cells as text, a sequence per row.
        json: The destination of JSON: where that is ``-``, standard output belongs to it, and the
            table goes to standard error, or nowhere with ``--quiet``.
        content: What is then written as JSON; None where the caller does that, or nobody.
    """
    if json != "-" or not is_quiet():
        _draw_table(title, columns, rows, json == "-")
    if json is not None and content is not None:
        write_json(content, json)


def _draw_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], to_stderr: bool
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(stderr=to_stderr, width=None if sys.stdout.isatty() else 120)
    table = Table()
    for number, column in enumerate(columns):
        table.add_column(Text(column), justify="left" if number == 0 else "right")
    for row in rows:
        table.add_row(*map(Text, row))  # names may look like markup
    console.print(Text(title))
    console.print(table)


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A spinner on a terminal, else lines, while work of unknown length is done."""
    with _timed(what), _spinner(what) if _draws() else progress_lines(what):
        yield


@contextmanager
def progress_bar(what: str = "working") -> Iterator[Progress]:
    """Reports progress: a bar with the time left on a terminal, lines elsewhere.

    The bar appears after a second. ``what`` names the work as long as nothing is reported.
    """
    with _timed(what), _bar() if _draws() else progress_lines(what) as progress:
        yield progress


@contextmanager
def progress_lines(what: str) -> Iterator[Progress]:
    """Reports progress by lines where standard error is no terminal, and not at all on one.

    For work that draws bars of its own on a terminal.
    """
    if is_quiet() or sys.stderr.isatty():
        yield silent
        return
    with Heartbeat(what).running() as heartbeat:
        yield heartbeat.update


def _draws() -> bool:
    """Whether bars and spinners are drawn: on a terminal, unless ``--quiet`` was given."""
    return sys.stderr.isatty() and not is_quiet()


def _spinner(what: str) -> AbstractContextManager[object]:
    from rich.console import Console
    from rich.text import Text

    return Console(stderr=True).status(Text(what))


@contextmanager
def _timed(what: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    _LOG.debug("%s took %.2f s", what, time.monotonic() - began)


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    text = TextColumn("{task.description}", markup=False)
    columns = (text, BarColumn(), TimeRemainingColumn())
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    bars: dict[str, Any] = {}
    started = time.monotonic()

    def update(what: str, done: float, total: float) -> None:
        if what not in bars:
            bars[what] = bar.add_task(what, total=total)
        bar.update(bars[what], completed=done, visible=done < total)
        if not bar.live.is_started and time.monotonic() - started > BAR_DELAY:
            bar.start()

    try:
        yield update
    finally:
        if bar.live.is_started:
            bar.stop()


def print_line(text: str) -> None:
    """Print a line on standard error; where that is full or closed, nothing happens."""
    with suppress(OSError, ValueError):
        print(f"garden: {text}", file=sys.stderr, flush=True)


class Heartbeat:
    """Prints what is being done, and how much of it is done, every :data:`EVERY` seconds.

    Args:
        what: The work as a whole.
        clock: Gives the time in seconds.
        say: Prints a line.
    """

    def __init__(
        self,
        what: str,
        clock: Callable[[], float] = time.monotonic,
        say: Callable[[str], None] = print_line,
    ) -> None:
        self._clock, self._say = clock, say
        self._began = self._printed = clock()
        self._what, self._done, self._total = what, 0.0, 0.0
        self._whole = (what, self._began)
        self._lock = threading.Lock()

    def update(self, what: str, done: float = 0.0, total: float = 0.0) -> None:
        """Take note of progress; a line is printed if one is due.

        Between a finished step and the next, lines name the work as a whole.

        Args:
            what: The step at work.
            done: How much of it is done.
            total: How much there is; 0 where that is unknown.
        """
        with self._lock:
            if 0 < total <= done:
                (self._what, self._began), self._total = self._whole, 0.0
            else:
                self._began = self._began if what == self._what else self._clock()
                self._what, self._done, self._total = what, done, total
        self.beat()

    def beat(self) -> None:
        """Print where the work stands, if the last line is :data:`EVERY` seconds old."""
        with self._lock:
            now = self._clock()
            if now - self._printed < EVERY:
                return
            self._printed = now
            line = self._line(now - self._began)
        self._say(line)

    def _line(self, seconds: float) -> str:
        share = self._done / self._total if self._total > 0 else 0.0
        if share <= 0:
            return f"{self._what}: {duration(seconds)} so far"
        left = seconds / share - seconds
        return f"{self._what}: {100 * share:.0f} % after {duration(seconds)}, {duration(left)} left"

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Print lines in the background until the block ends."""
        ended = threading.Event()

        def keep_beating() -> None:
            while not ended.wait(CLOCK_INTERVAL):
                self.beat()

        thread = threading.Thread(target=keep_beating, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            ended.set()
            thread.join()
