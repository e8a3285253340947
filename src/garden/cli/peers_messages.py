"""``garden peers card|send|find``: what agents that run on this machine are asked to do."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from garden.cli.console import check_outputs, print_table
from garden.cli.peers_options import OnFolder
from garden.cli.result_text import write_json
from garden.errors import DataError, SpecError
from garden.storage import read_bytes, write_file


@dataclass(frozen=True)
class PeersCard(OnFolder):
    """Write the signed card of an agent that runs on this machine: what a sender must know.

    A card holds what the agent's representation tells of its profile: it is personal data.
    """

    node: tyro.conf.Positional[str]
    """The agent's name."""

    out: Path | None = None
    """The file to write; by default it is printed in base64."""

    def run(self) -> None:
        """Ask the peer's host for its card, and print it or write it to a file."""
        from garden.peers.network.overview import host_with

        host, reply = host_with(self.run_path, self.node)
        host.close()
        if self.out is None:
            print(reply["card"])
            return
        data = base64.b64decode(reply["card"])
        write_file(self.out, lambda temporary: temporary.write_bytes(data))


@dataclass(frozen=True)
class PeersSend(OnFolder):
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
        """Send a message through the sender's host, follow it, and print how it ended."""
        from garden.peers.network.overview import host_with, trip

        check_outputs(json=self.json)
        if bool(self.target) == (self.card is not None):
            raise SpecError("name a target, or give `card=FILE`")
        if self.card is not None:
            card = read_bytes(self.card)
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
class PeersFind(OnFolder):
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
        content = {"profile": f"{wanted:016x}", "cards": cards}
        print_table("Agents with this profile", ("key", "row, bytes"), rows, self.json, content)
        if not cards:
            raise DataError("the directory has no card of this profile")
        if self.out is not None:
            data = base64.b64decode(cards[0]["card"])
            write_file(self.out, lambda temporary: temporary.write_bytes(data))


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
