"""What all hosts on this machine say together, and the trip of one message through them."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import numpy as np

from garden.errors import DataError, SpecError
from garden.graphs.identity import ProfileEntries, keys_of_entries
from garden.peers.network.control_client import HostConnection, connections
from garden.peers.network.requests import Find, GetCard, GetProfile, SendText, Status, Stop, Watch

_SUMS = ("peers", "links", "open_links", "under_way", "held", "cards_kept")
TRIP_PATIENCE = 400.0  # seconds in which a message ends, whatever becomes of it


def overview(run: Path, agents: bool = False) -> dict[str, Any]:
    """The status of all hosts together.

    Args:
        run: The folder with their control sockets.
        agents: Whether each agent's links are listed.
    """
    hosts = []
    with ExitStack() as stack:
        asked = [stack.enter_context(host) for host in connections(run)]
        for host in asked:
            host.ask(Status(agents))
        for host in asked:
            with suppress(DataError):  # gone meanwhile
                hosts.append({"host": host.path.stem, **host.reply()})
    if not hosts:
        raise DataError(f"{run}: no host is up: `garden peers up` starts them")
    dead = set().union(*(one["dead_peers"] for one in hosts))
    return {
        "version": hosts[0]["version"],
        "hosts": hosts,
        "strategy": hosts[0]["strategy"],
        "memory": hosts[0]["memory"],
        **{name: sum(one[name] for one in hosts) for name in _SUMS},
        "dead_peers": sorted(dead),
        "settled": all(one["settled"] for one in hosts),
    }


def wait_until_settled(run: Path, num_hosts: int, patience: float) -> dict[str, Any]:
    """Wait until all links are open and nobody has anything to tell; the overview then.

    Args:
        run: The folder with the hosts' control sockets.
        num_hosts: How many must be up.
        patience: Seconds.
    """
    end = time.monotonic() + patience
    while True:
        found = overview(run)
        complete = found["open_links"] == found["links"] and len(found["hosts"]) == num_hosts
        if complete and found["settled"]:
            return found
        if time.monotonic() > end:
            raise DataError(
                f"{run}: not settled after {patience:.0f} s: {found['open_links']} of "
                f"{found['links']} links are open"
            )
        # each look costs each host some time, and more the more agents it has
        time.sleep(0.25 + num_hosts / 50 + found["peers"] / 5_000)


def any_host_is_up(run: Path) -> bool:
    """Whether a host of this folder answers."""
    for host in connections(run):
        host.close()
        return True
    return False


def host_with(run: Path, node: str) -> tuple[HostConnection, dict[str, Any]]:
    """The host that runs an agent, by its name or key, and the agent's card.

    Args:
        run: The folder with the hosts' control sockets.
        node: The agent's name, or its key in hexadecimal.
    """
    for host in connections(run):
        try:
            return host, host.answer_to(GetCard(node))
        except (DataError, OSError):  # another host's agent, or a host that has just gone
            host.close()
    raise DataError(f"no agent named {node!r} is up on this machine")


def trip(run: Path, source: str, card: bytes, text: str) -> Iterator[dict[str, Any]]:
    """Send a message, and tell what happens to it: ``passed``, ``received``, then ``ended``.

    Args:
        run: The folder with the hosts' control sockets; hops on other machines are not seen.
        source: The sending agent's name or key.
        card: The target's, as bytes.
        text: What to say.
    """
    message_id = os.urandom(16).hex()
    with ExitStack() as stack, selectors.DefaultSelector() as selector:
        for host in connections(run, TRIP_PATIENCE):
            stack.enter_context(host)
            host.answer_to(Watch(message_id))
            selector.register(host, selectors.EVENT_READ)
        sender, _ = host_with(run, source)
        with sender:
            sender.ask(SendText(source, card, text, message_id))
            selector.register(sender, selectors.EVENT_READ)
            yield from _told(selector, sender)


def find(run: Path, source: str, profile: int) -> list[dict[str, Any]]:
    """The cards of a profile, as the directory has them.

    Args:
        run: The folder with the hosts' control sockets.
        source: The name or key of the agent that asks.
        profile: The profile's key.
    """
    host, _ = host_with(run, source)
    with host:
        return list(host.answer_to(Find(source, profile))["cards"])


def profile_of(run: Path, node: str) -> int:
    """The key of the profile of an agent on this machine.

    Args:
        run: The folder with the hosts' control sockets.
        node: The agent's name, or its key in hexadecimal.
    """
    host, _ = host_with(run, node)
    with host:
        return int(host.answer_to(GetProfile(node))["profile"])


def profile_key(text: str) -> int:
    """The key of a profile that is written as columns, in which 1 may be left out: ``3,17=0.5``."""
    entries: dict[int, float] = {}
    for part in text.split(","):
        column, _, value = part.partition("=")
        try:
            entries[int(column)] = float(value or 1)
        except ValueError:
            raise SpecError(f"`profile={text}`: write columns and values, as in 3,17=0.5") from None
    columns = np.array(sorted(entries), dtype=np.int64)
    values = np.array([entries[column] for column in columns.tolist()], dtype=np.float32)
    offsets = np.array([0, len(columns)], dtype=np.int64)
    return int(keys_of_entries(ProfileEntries(columns, values, offsets))[0])


def stop_all(run: Path, leave: bool = False) -> list[int]:
    """Stop all hosts; the ids of their processes.

    Args:
        run: The folder with their control sockets.
        leave: Whether their agents tell their neighbours that they go for good.
    """
    stopped = []
    for host in connections(run):
        with host:
            stopped.append(int(host.answer_to(Status())["pid"]))
            host.answer_to(Stop(leave))
    return stopped


def _told(selector: selectors.BaseSelector, sender: HostConnection) -> Iterator[dict[str, Any]]:
    """What all watched hosts tell, in its order, until the message has ended."""
    end, ended = time.monotonic() + TRIP_PATIENCE, None
    while True:
        patience = 0.0 if ended else max(0.0, end - time.monotonic())
        ready = [key.fileobj for key, _ in selector.select(patience)]
        if not ready:  # whatever was told before the end has been read
            break
        told = []
        for host in ready:
            assert isinstance(host, HostConnection)
            replies = host.replies()
            if host is sender:
                ended = next((one for one in replies if one["kind"] == "ended"), ended)
            else:
                told += [one for one in replies if one["kind"] != "ended"]
        # one look sees the cause of whatever it sees: hops first, by number
        yield from sorted(told, key=_place)
    if ended is None:
        raise DataError("the message has not ended in time")
    yield ended


def _place(event: dict[str, Any]) -> tuple[bool, int, int]:
    return event["kind"] != "passed", event.get("attempt", 0), event.get("hop", 0)
