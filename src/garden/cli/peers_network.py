"""``garden peers keys|card|up|send|find|status|top|down|kill``: peers over a network."""

from __future__ import annotations

import base64
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from garden.cli.console import (
    GraphOptions,
    Verb,
    busy,
    check_outputs,
    print_table,
    progress_bar,
    say,
    write_json,
)
from garden.errors import DataError, SpecError
from garden.storage import write_file

if TYPE_CHECKING:
    from rich.console import Group

STOP_PATIENCE = 10.0  # seconds


@dataclass(frozen=True, kw_only=True)
class _OnFolder(Verb):
    """What verbs on a folder of peers share."""

    cut: Path = Path("peers")
    """The folder that `garden peers cut` wrote."""

    run_folder: Path | None = None
    """The private folder with the hosts' control sockets; by default one under XDG_RUNTIME_DIR,
    or else under the system's folder for temporary files, named after it."""

    @property
    def run_path(self) -> Path:
        """The folder with the control sockets."""
        from garden.peers.network.control_client import run_folder

        return self.run_folder or run_folder(self.cut)


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
class PeersUp(_OnFolder):
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
        """Start them."""
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
class PeersCard(_OnFolder):
    """Write the signed card of an agent that runs on this machine: what a sender must know.

    A card holds what the agent's representation tells of its profile: it is personal data.
    """

    node: tyro.conf.Positional[str]
    """The agent's name."""

    out: Path | None = None
    """The file to write; by default it is printed in base64."""

    def run(self) -> None:
        """Ask its host."""
        from garden.peers.network.overview import host_with

        host, reply = host_with(self.run_path, self.node)
        host.close()
        if self.out is None:
            print(reply["card"])
            return
        data = base64.b64decode(reply["card"])
        write_file(self.out, lambda temporary: temporary.write_bytes(data))


@dataclass(frozen=True)
class PeersSend(_OnFolder):
    """Send text from an agent on this machine, and print the path as the message goes.

    Hops between hosts of other machines are not seen from here; the path at the end is what the
    peers on it claim.
    """

    source: tyro.conf.Positional[str]
    """The sending agent's name."""

    target: tyro.conf.Positional[str] = ""
    """The name of an agent on this machine; of others, give --card."""

    card: Path | None = None
    """The target's card, as `garden peers card` wrote it."""

    text: str = "hello"
    """What to say, at most 4,000 bytes."""

    json: str | None = None
    """Write what happened as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Send, follow."""
        from garden.peers.network.overview import host_with, trip

        check_outputs(json=self.json)
        if bool(self.target) == (self.card is not None):
            raise SpecError("name a target, or give `card=FILE`")
        if self.card is not None:
            card = _read_card(self.card)
        else:
            host, reply = host_with(self.run_path, self.target)
            host.close()
            card = base64.b64decode(reply["card"])
        events = []
        for event in trip(self.run_path, self.source, card, self.text):
            events.append(event)
            if self.json != "-":
                print(_line(event), flush=True)
        if self.json:
            write_json({"events": events, **events[-1]}, self.json)


@dataclass(frozen=True)
class PeersFind(_OnFolder):
    """Find agents by their profile alone: ask the directory that the profile points to.

    Two agents keep the cards of a profile; where one is dead, the other answers. It needs beacons.
    """

    source: tyro.conf.Positional[str]
    """The asking agent's name."""

    like: str = ""
    """Look for the profile of this agent, which runs on this machine."""

    profile: str = ""
    """Look for this profile: columns of attributes and values, as in 3,17=0.5."""

    out: Path | None = None
    """Write the first card that is found to this file."""

    json: str | None = None
    """Write what was found as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Ask, print the keys of the agents that were found."""
        from garden.peers.network.overview import find, profile_key, profile_of

        check_outputs(json=self.json)
        if bool(self.like) == bool(self.profile):
            raise SpecError("give `like=NODE` or `profile=COLUMNS`")
        wanted = profile_of(self.run_path, self.like) if self.like else profile_key(self.profile)
        cards = find(self.run_path, self.source, wanted)
        rows = [(one["key"], str(one["row_bytes"])) for one in cards]
        print_table("Agents with this profile", ("key", "row, bytes"), rows, self.json)
        if self.json:
            write_json({"profile": f"{wanted:016x}", "cards": cards}, self.json)
        if not cards:
            raise DataError("the directory has no card of this profile")
        if self.out is not None:
            data = base64.b64decode(cards[0]["card"])
            write_file(self.out, lambda temporary: temporary.write_bytes(data))


@dataclass(frozen=True)
class PeersStatus(_OnFolder):
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
        print_table(_title(found), _COLUMNS, _rows(found), self.json)
        if self.json:
            write_json(found, self.json)


@dataclass(frozen=True)
class PeersTop(_OnFolder):
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
class PeersDown(_OnFolder):
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


@dataclass(frozen=True)
class PeersKill(Verb):
    """Run peers as processes on this machine, kill some while messages are under way, and count.

    Messages count whose sender and target live and are joined by living peers. All keys are derived
    from the seed, and all hosts listen on 127.0.0.1.
    """

    spec: tyro.conf.Positional[str]
    """The graph."""

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

    graph_options: Annotated[GraphOptions, tyro.conf.arg(name="")] = field(
        default_factory=GraphOptions
    )

    seed: int = 0
    """Fixes keys, who is killed and who sends to whom; times are real."""

    json: str | None = None
    """Write the report as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Measure, print the report."""
        from garden.experiments.peers.kill import measure_kill

        check_outputs(json=self.json)
        with busy(f"loading {self.spec}"):
            graph = self.graph_options.load(self.spec)
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
        rows = [(name.replace("_", " "), str(value)) for name, value in report.items()]
        print_table("Peers whose hosts were killed", ("", "value"), rows, self.json)
        if self.json:
            write_json(report, self.json)


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


def _line(event: dict[str, Any]) -> str:
    """One line of what happens to a message."""
    if event["kind"] == "passed":
        again = f" (attempt {event['attempt'] + 1})" if event["attempt"] else ""
        return f"hop {event['hop']}: {event['holder']} -> {event['neighbour']}{again}"
    if event["kind"] == "received":
        return f"handed to {event['agent']}"
    if event["ending"] == "delivered":
        return f"delivered in {event['hops']} hops, {event['tries']} tries"
    return f"{event['ending']}: {event['reason']}"


def _read_card(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
