"""``garden peers keys|up|status|top|down|kill``: hosts on this machine."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tyro

from garden.cli.console import (
    Verb,
    busy,
    check_outputs,
    print_report,
    print_table,
    progress_bar,
    say,
)
from garden.cli.peers_options import OnFolder, OnGraph
from garden.errors import SpecError

if TYPE_CHECKING:
    from rich.console import Group

STOP_PATIENCE = 10.0  # seconds


@dataclass(frozen=True)
class PeersKeys(Verb):
    """Make the keys of one host and of the agents that it runs.

    OUT/host.secrets holds all secrets (mode 0600). OUT/roster.jsonl holds a public line per agent:
    whoever cuts the graph needs the lines of all hosts in one file.
    """

    names: tyro.conf.Positional[tuple[str, ...]]
    """The agents' names: those of their nodes."""

    out: Path
    """The folder to write; secrets that are there are never replaced."""

    address: str = "127.0.0.1:7100"
    """Where other hosts reach this one."""

    def run(self) -> None:
        """Write both files, print the roster's lines."""
        from garden.peers.network.roster import new_secrets, write_roster, write_secrets

        if not self.names:
            raise SpecError("name at least one agent")
        host = new_secrets(self.names, self.address)
        write_secrets(self.out / "host.secrets", host)
        write_roster(self.out / "roster.jsonl", host.roster())
        print((self.out / "roster.jsonl").read_text(encoding="utf-8"), end="")


@dataclass(frozen=True)
class PeersUp(OnFolder):
    """Start hosts on this machine, and wait until they answer.

    One for each file of secrets; of a folder that was cut with --test-keys, all of its hosts.
    """

    secrets: tyro.conf.UseAppendAction[tuple[Path, ...]] = ()
    """A host's secrets, as `garden peers keys` wrote them; may be repeated."""

    foreground: bool = False
    """Run one host in this process until it is stopped, as systemd and containers ask for."""

    patience: int = 1
    """How many times longer than by default agents wait for each other, on slow networks or many
    processes on few cores."""

    settle: float = 0.0
    """Wait so many seconds, at most, until all links are open and nobody has news."""

    def run(self) -> None:
        """Start the hosts, or run one in this process, and wait as long as was asked for."""
        from garden.peers.network.launch import command, environment, launch, secrets_files
        from garden.peers.network.overview import wait_until_settled

        files = secrets_files(self.cut, self.run_path, self.secrets)
        if self.foreground:
            if len(files) != 1:
                raise SpecError(f"`foreground=True` runs one host, and there are {len(files)}")
            words = command(self.cut, self.run_path, files, self.patience, foreground=True)
            os.execve(words[0], words, environment())
        with busy(f"starting {len(files)} hosts"):
            launch(self.cut, self.run_path, files, self.patience)
            if self.settle:
                wait_until_settled(self.run_path, len(files), self.settle)
        say(f"{len(files)} hosts are up: garden peers status --cut {self.cut}")


@dataclass(frozen=True)
class PeersStatus(OnFolder):
    """Say how the hosts on this machine are."""

    agents: bool = False
    """List each agent's links in the JSON."""

    json: str | None = None
    """Write the status as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Ask all hosts, print a table."""
        from garden.peers.network.overview import overview

        check_outputs(json=self.json)
        found = overview(self.run_path, self.agents)
        print_table(_title(found), _COLUMNS, _rows(found), self.json, found)


@dataclass(frozen=True)
class PeersTop(OnFolder):
    """Watch the hosts on this machine, until interrupted."""

    every: float = 1.0
    """Seconds between two looks."""

    looks: int = 0
    """Stop after so many; 0: never."""

    def run(self) -> None:
        """Draw the status again and again."""
        from rich.live import Live

        from garden.peers.network.overview import overview

        with Live(_view(overview(self.run_path)), auto_refresh=False) as live:
            look = 1
            while look != self.looks:
                time.sleep(max(0.1, self.every))
                live.update(_view(overview(self.run_path)), refresh=True)
                look += 1


@dataclass(frozen=True)
class PeersDown(OnFolder):
    """Stop the hosts on this machine."""

    leave: bool = False
    """Tell all neighbours that the agents go for good; they are forgotten then."""

    def run(self) -> None:
        """Stop them, wait until they are gone."""
        from garden.peers.network.overview import any_host_is_up, stop_all

        stopped = stop_all(self.run_path, self.leave)
        end = time.monotonic() + STOP_PATIENCE
        while any_host_is_up(self.run_path) and time.monotonic() < end:
            time.sleep(0.05)
        say(f"{len(stopped)} hosts were stopped")


@dataclass(frozen=True, kw_only=True)
class PeersKill(OnGraph):
    """Run peers as processes on this machine, kill some while messages are under way, and count.

    Messages count whose sender and target live and are joined by living peers. All keys are derived
    from the seed, and all hosts listen on 127.0.0.1.
    """

    strategy: str = "beacons+backtrack"
    """What the agents run; NAME+MEMORY gives it a memory."""

    hosts: int | None = None
    """How many processes run the agents; by default one each."""

    killed: int = 15
    """How many of them are killed with SIGKILL."""

    messages: int = 1_000
    """How many messages are sent."""

    pace: int = 0
    """Milliseconds between two messages; hosts are killed when half of them were sent. 0: all are
    sent at once, and hosts are killed then."""

    patience: int = 4
    """How many times longer than by default agents wait for each other: there are many processes
    on few cores."""

    seed: int = 0
    """Fixes keys, who is killed and who sends to whom; times are real."""

    def run(self) -> None:
        """Kill hosts while messages are under way, and print how the messages ended."""
        from garden.experiments.peers.kill import measure_kill

        graph = self.load()
        with progress_bar(f"peers of {self.spec}") as progress:
            report = measure_kill(
                graph,
                self.strategy,
                hosts=self.hosts,
                killed=self.killed,
                messages=self.messages,
                patience=self.patience,
                pace=self.pace,
                seed=self.seed,
                progress=progress,
            ).to_json()
        print_report("Peers whose hosts were killed", report, self.json)


_COLUMNS = ("host", "peers", "links", "dead", "under way", "held", "settled", "MB", "sent", "busy")


def _rows(found: dict[str, Any]) -> list[tuple[str, ...]]:
    return [
        (
            one["host"],
            str(one["peers"]),
            f"{one['open_links']}/{one['links']}",
            str(len(one["dead_peers"])),
            str(one["under_way"]),
            str(one["held"]),
            "yes" if one["settled"] else "no",
            f"{one['memory_mb']:.0f}",
            str(one["counts"]["sent"]),
            str(one["counts"]["refused"]),
        )
        for one in found["hosts"]
    ]


def _title(found: dict[str, Any]) -> str:
    state = "settled" if found["settled"] else "not settled"
    return (
        f"{found['peers']} peers of {found['strategy']}, memory {found['memory']}, on "
        f"{len(found['hosts'])} hosts; {found['open_links']} of {found['links']} links open, "
        f"{len(found['dead_peers'])} dead peers, {found['under_way']} messages under way, {state}"
    )


def _view(found: dict[str, Any]) -> Group:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table()
    for number, column in enumerate(_COLUMNS):
        table.add_column(column, justify="left" if number == 0 else "right")
    for row in _rows(found):
        table.add_row(*map(Text, row))
    return Group(Text(_title(found)), table)
