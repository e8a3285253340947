"""The door of the command line: parse, run one verb, and say plainly what went wrong."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated

import tyro

from garden import __version__
from garden.cli.adapt import Adapt
from garden.cli.console import is_verbose, log_to_stderr
from garden.cli.data import DataFetch, DataInfo, DataList
from garden.cli.evaluate import Evaluate
from garden.cli.flags import check_verb, in_flags
from garden.cli.quickstart import Quickstart
from garden.cli.reproduce import Reproduce
from garden.cli.route import Route
from garden.cli.stdio import abandon_stdout, ready_streams
from garden.cli.task import Task
from garden.cli.train import Train
from garden.errors import GardenError, SpecError

_DESCRIPTION = """Decentralised search on attributed graphs: learn it, run it, study it.

`garden VERB --help` says what a verb takes, `garden --version` prints the version, and
`garden --tyro-print-completion bash` (or zsh, fish) a script that completes verbs and flags."""
_COMPLETION = "--tyro-print-completion"
_DATA = "List the graphs known by name, show what one holds, or fetch real ones."

DataCommand = (
    Annotated[DataList, tyro.conf.subcommand("list", prefix_name=False)]
    | Annotated[DataInfo, tyro.conf.subcommand("info", prefix_name=False)]
    | Annotated[DataFetch, tyro.conf.subcommand("fetch", prefix_name=False)]
)
Command = (
    Annotated[Quickstart, tyro.conf.subcommand("quickstart")]
    | Annotated[DataCommand, tyro.conf.subcommand("data", description=_DATA)]
    | Annotated[Task, tyro.conf.subcommand("task")]
    | Annotated[Train, tyro.conf.subcommand("train")]
    | Annotated[Adapt, tyro.conf.subcommand("adapt")]
    | Annotated[Evaluate, tyro.conf.subcommand("evaluate")]
    | Annotated[Route, tyro.conf.subcommand("route")]
    | Annotated[Reproduce, tyro.conf.subcommand("reproduce")]
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run ``garden`` with these arguments, the process's own by default."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    ready_streams()
    log_to_stderr(spelled=_spelled)
    try:
        try:
            _run(arguments or ["--help"])
        finally:
            sys.stdout.flush()  # here, where a failure can still be told
    except GardenError as error:
        if is_verbose():
            traceback.print_exc()
        _stop(_spelled(str(error)), 2)
    except MemoryError:
        _stop("out of memory: try a smaller graph, fewer pairs or a lower --max-hops", 2)
    except KeyboardInterrupt:
        _stop("interrupted", 130)
    except BrokenPipeError:  # the reader of our output left
        abandon_stdout()
        sys.exit(1)
    except OSError as error:
        abandon_stdout()
        _stop(f"{error.filename or 'output'}: {error.strerror or error}", 2)


def _run(arguments: Sequence[str]) -> None:
    if list(arguments) == ["--version"]:
        print(f"garden {__version__}")
        return
    if arguments[0] == _COMPLETION and arguments[1:2] not in (["bash"], ["zsh"], ["fish"]):
        raise SpecError("completion is for bash, zsh or fish: name one")
    check_verb(arguments, Command)
    config = (tyro.conf.FlagCreatePairsOff, tyro.conf.OmitSubcommandPrefixes)
    command: Command = tyro.cli(
        Command,
        prog="garden",
        description=_DESCRIPTION,
        args=arguments,
        config=config,
    )
    log_to_stderr(command.talk, _spelled)
    command.run()


def _spelled(message: str) -> str:
    return in_flags(message, Command)


def _stop(message: str, code: int) -> None:
    with suppress(OSError):
        print(f"garden: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)
