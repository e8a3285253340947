"""The entry point of the command line: parse, run one verb, print every error as one line.

A verb is a dataclass whose fields are its flags, with their docstrings as help; tyro parses them.
:class:`~garden.errors.GardenError` ends with exit code 2 and its message, in which arguments that
the library names as Python spells them (```max_hops=5```) appear as flags (``--max-hops 5``).
"""

from __future__ import annotations

import io
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import tyro

from garden import __version__
from garden.cli.adapt import Adapt
from garden.cli.benchmark import BenchmarkGraph, BenchmarkRun, BenchmarkTable
from garden.cli.cluster import ClusterCut, ClusterRun
from garden.cli.console import Verbosity, print_line
from garden.cli.data import DataConvert, DataFetch, DataInfo, DataList
from garden.cli.evaluate import Evaluate
from garden.cli.export import Export
from garden.cli.humans import Humans
from garden.cli.peers import PeersAttacks, PeersCut, PeersFaults, PeersLeaks, PeersPaths, PeersSpeed
from garden.cli.peers_messages import PeersCard, PeersFind, PeersSend
from garden.cli.peers_network import (
    PeersDown,
    PeersKeys,
    PeersKill,
    PeersStatus,
    PeersTop,
    PeersUp,
)
from garden.cli.quickstart import Quickstart
from garden.cli.reproduce import Reproduce
from garden.cli.route import Route
from garden.cli.serve import Serve
from garden.cli.task import Task
from garden.cli.train import Train
from garden.errors import GardenError, SpecError, did_you_mean

_LOG = logging.getLogger("garden")
_DESCRIPTION = """Decentralised search on attributed graphs: learn it, run it, study it.

`garden VERB --help` says what a verb takes, `garden --version` prints the version, and
`garden --tyro-print-completion bash` (or zsh, fish) a script that completes verbs and flags."""
_COMPLETION = "--tyro-print-completion"
_DATA = "List the graphs known by name, show what one holds, convert one, or fetch real ones."
_PEERS = "Agents that run for real: cut a graph into them, run them, measure how they bear faults."
_CLUSTER = "Graphs in shards: cut one, let Ray actors settle on it and pass messages."
_BENCHMARK = "A benchmark that others can enter: play its frozen tasks, set entries side by side."
_OTHER_FLAGS = {"scale=False": "--no-scaling"}  # flags with a name of their own
_ARGUMENT = re.compile(r"`([a-z][a-z0-9_]*)(?:=([^`]*))?`")

DataCommand = (
    Annotated[DataList, tyro.conf.subcommand("list", prefix_name=False)]
    | Annotated[DataInfo, tyro.conf.subcommand("info", prefix_name=False)]
    | Annotated[DataConvert, tyro.conf.subcommand("convert", prefix_name=False)]
    | Annotated[DataFetch, tyro.conf.subcommand("fetch", prefix_name=False)]
)
PeersCommand = (
    Annotated[PeersKeys, tyro.conf.subcommand("keys", prefix_name=False)]
    | Annotated[PeersCut, tyro.conf.subcommand("cut", prefix_name=False)]
    | Annotated[PeersUp, tyro.conf.subcommand("up", prefix_name=False)]
    | Annotated[PeersCard, tyro.conf.subcommand("card", prefix_name=False)]
    | Annotated[PeersSend, tyro.conf.subcommand("send", prefix_name=False)]
    | Annotated[PeersFind, tyro.conf.subcommand("find", prefix_name=False)]
    | Annotated[PeersStatus, tyro.conf.subcommand("status", prefix_name=False)]
    | Annotated[PeersTop, tyro.conf.subcommand("top", prefix_name=False)]
    | Annotated[PeersDown, tyro.conf.subcommand("down", prefix_name=False)]
    | Annotated[PeersFaults, tyro.conf.subcommand("faults", prefix_name=False)]
    | Annotated[PeersKill, tyro.conf.subcommand("kill", prefix_name=False)]
    | Annotated[PeersAttacks, tyro.conf.subcommand("attacks", prefix_name=False)]
    | Annotated[PeersPaths, tyro.conf.subcommand("paths", prefix_name=False)]
    | Annotated[PeersSpeed, tyro.conf.subcommand("speed", prefix_name=False)]
    | Annotated[PeersLeaks, tyro.conf.subcommand("leaks", prefix_name=False)]
)
ClusterCommand = (
    Annotated[ClusterCut, tyro.conf.subcommand("cut", prefix_name=False)]
    | Annotated[ClusterRun, tyro.conf.subcommand("run", prefix_name=False)]
)
BenchmarkCommand = (
    Annotated[BenchmarkRun, tyro.conf.subcommand("run", prefix_name=False)]
    | Annotated[BenchmarkTable, tyro.conf.subcommand("table", prefix_name=False)]
    | Annotated[BenchmarkGraph, tyro.conf.subcommand("graph", prefix_name=False)]
)
Command = (
    Annotated[Quickstart, tyro.conf.subcommand("quickstart")]
    | Annotated[DataCommand, tyro.conf.subcommand("data", description=_DATA)]
    | Annotated[Task, tyro.conf.subcommand("task")]
    | Annotated[Train, tyro.conf.subcommand("train")]
    | Annotated[Adapt, tyro.conf.subcommand("adapt")]
    | Annotated[Evaluate, tyro.conf.subcommand("evaluate")]
    | Annotated[Route, tyro.conf.subcommand("route")]
    | Annotated[Export, tyro.conf.subcommand("export")]
    | Annotated[PeersCommand, tyro.conf.subcommand("peers", description=_PEERS)]
    | Annotated[ClusterCommand, tyro.conf.subcommand("cluster", description=_CLUSTER)]
    | Annotated[BenchmarkCommand, tyro.conf.subcommand("benchmark", description=_BENCHMARK)]
    | Annotated[Serve, tyro.conf.subcommand("serve")]
    | Annotated[Humans, tyro.conf.subcommand("humans")]
    | Annotated[Reproduce, tyro.conf.subcommand("reproduce")]
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run ``garden`` with these arguments, the process's own by default.

    Exit codes: 0 on success, 2 for an error that the user can mend, 130 after an interrupt, 1
    where the reader of standard output has left.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    _prepare_stdio()
    log_to_stderr(spelled=_with_flags)
    try:
        try:
            _run(arguments or ["--help"])
        finally:
            sys.stdout.flush()  # here, where a failure can still be reported
    except GardenError as error:
        if _LOG.isEnabledFor(logging.DEBUG):
            traceback.print_exc()
        _stop(_with_flags(str(error)), 2)
    except MemoryError:
        _stop("out of memory: try a smaller graph, fewer pairs or a lower --max-hops", 2)
    except KeyboardInterrupt:
        _stop("interrupted", 130)
    except BrokenPipeError:  # the reader of our output left
        _discard_stdout()
        sys.exit(1)
    except OSError as error:
        _discard_stdout()
        _stop(f"{error.filename or 'output'}: {error.strerror or error}", 2)


def _run(arguments: Sequence[str]) -> None:
    """Parse the arguments and run the verb that they name; help and errors of parsing end here."""
    if list(arguments) == ["--version"]:
        print(f"garden {__version__}")
        return
    if arguments[0] == _COMPLETION and arguments[1:2] not in (["bash"], ["zsh"], ["fish"]):
        raise SpecError("completion is for bash, zsh or fish: name one")
    check_verb(arguments, Command)
    command: Command = tyro.cli(
        Command,
        prog="garden",
        description=_DESCRIPTION,
        args=arguments,
        config=(tyro.conf.FlagCreatePairsOff, tyro.conf.OmitSubcommandPrefixes),
    )
    log_to_stderr(command.verbosity, _with_flags)
    command.run()


def log_to_stderr(verbosity: Verbosity | None = None, spelled: Callable[[str], str] = str) -> None:
    """Print the library's log on standard error, one line per record.

    Args:
        verbosity: Which levels are printed: errors alone, notes as well (the default), or all.
        spelled: Turns a message of the library into one in the words of the command line.
    """
    verbosity = verbosity or Verbosity()
    level = logging.DEBUG if verbosity.verbose else logging.INFO
    _LOG.handlers = [_LogLines(spelled)]
    _LOG.setLevel(logging.ERROR if verbosity.quiet else level)
    _LOG.propagate = False


class _LogLines(logging.Handler):
    """Prints each record as a line that begins with ``garden:``, warnings marked as such."""

    def __init__(self, spelled: Callable[[str], str]) -> None:
        super().__init__()
        self.spelled = spelled

    def emit(self, record: logging.LogRecord) -> None:
        kind = "" if record.levelno <= logging.INFO else f"{record.levelname.lower()}: "
        print_line(f"{kind}{self.spelled(record.getMessage())}")


def _stop(message: str, code: int) -> None:
    """End the process with this exit code and one line on standard error, where there is one."""
    with suppress(OSError):
        print(f"garden: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)


def check_verb(arguments: Sequence[str], commands: Any, before: str = "garden") -> None:
    """Refuse an unknown verb, naming the nearest known one.

    Args:
        arguments: The words of the command line from the verb on.
        commands: The union of annotated verbs to choose from.
        before: The words before the verb, for the message.
    """
    verbs = {get_args(command)[1].name: get_args(command)[0] for command in get_args(commands)}
    if not arguments or arguments[0].startswith("-"):
        return
    verb = arguments[0]
    if verb not in verbs:
        raise SpecError(
            f"{before} has no verb {verb!r}: {did_you_mean(verb, verbs)}"
            f"it has {', '.join(verbs)}; see {before} --help"
        )
    if not is_dataclass(verbs[verb]):
        check_verb(arguments[1:], verbs[verb], f"{before} {verb}")


def _with_flags(message: str) -> str:
    return in_flags(message, Command)


def in_flags(message: str, commands: Any) -> str:
    """A message of the library in the words of the command line.

    Args:
        message: It names arguments between backticks, as Python spells them: ```max_hops=5```.
        commands: The union of verbs whose flags are known; other names stay as they are.

    Returns:
        The message with those arguments spelled as flags: ``--max-hops 5``.
    """
    known = set(_flags_of(commands))

    def flag(found: re.Match[str]) -> str:
        name, value = found.groups()
        if f"{name}={value}" in _OTHER_FLAGS:
            return _OTHER_FLAGS[f"{name}={value}"]
        return _flag(name, value) if name in known else found.group()

    return _ARGUMENT.sub(flag, message)


def _flag(name: str, value: str | None) -> str:
    """An argument as a flag: ``--name``, ``--no-name`` where it is False, ``--name value``."""
    dashed = name.replace("_", "-")
    if value == "False":
        return f"--no-{dashed}"
    if value is None or value == "True":
        return f"--{dashed}"
    return f"--{dashed} {value.strip(chr(39))}"


def _flags_of(kind: Any) -> Iterator[str]:
    """The names of all flags of a command, of its nested groups, or of a union of commands."""
    if get_origin(kind) is Annotated:
        kind, *marks = get_args(kind)
        groups = [getattr(mark, "constructor_factory", None) for mark in marks]
        for group in filter(None, groups):
            yield from _flags_of(group())
    if not is_dataclass(kind):
        for part in get_args(kind):
            yield from _flags_of(part)
        return
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        if tyro.conf.Positional not in get_args(hints[field.name]):
            yield field.name
        yield from _flags_of(hints[field.name])


def _prepare_stdio() -> None:
    """Open closed standard streams on the null device; replace letters they cannot encode."""
    sys.stdout = sys.stdout or _null_device()
    sys.stderr = sys.stderr or _null_device()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _discard_stdout() -> None:
    """Point standard output at the null device, so that flushing it at exit cannot fail."""
    with suppress(OSError), Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _null_device() -> io.TextIOWrapper:
    return Path(os.devnull).open("w", encoding="utf-8")
