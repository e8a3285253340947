"""Cutting a graph into peers that know their neighbours' public keys and addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from garden.errors import SpecError
from garden.experiments.peers.cut import Cut, cut
from garden.graphs.graph import Graph
from garden.peers.network.contacts import write_contacts
from garden.peers.network.host_folder import write_test_keys
from garden.peers.network.roster import RosterLine, lines_for, roster_of, secrets_for_tests
from garden.peers.views import AgentView
from garden.search.progress import Progress, silent


def cut_network(
    graph: Graph,
    strategy: str,
    folder: Path,
    roster: Mapping[str, RosterLine],
    memory: str = "none",
    seed: int = 0,
    force: bool = False,
    progress: Progress = silent,
    test_keys: tuple[int, Sequence[str]] | None = None,
) -> Cut:
    """Cut a graph into peers for a network; agents' keys are those of the roster.

    Args:
        graph: The graph.
        strategy: What the agents run; ``+MEMORY`` adds a memory.
        folder: Where to write.
        roster: One line for each node, by its name.
        memory: The memory, where the strategy's name holds none.
        seed: The split that temperatures are tuned on.
        force: Replace a folder that holds peers.
        progress: Called as tuning and cutting go on.
        test_keys: The seed and the addresses that the roster's keys were derived from, which are
            written down so that all secrets can be derived again.
    """
    lines = lines_for(graph.node_names, roster)
    line_of = {line.key: line for line in lines}

    def write_more(into: Path, node: int, view: AgentView) -> None:
        write_contacts(into, lines[node], [line_of[key] for key in view.neighbours])
        if test_keys is not None and node == 0:
            write_test_keys(into, test_keys[0], test_keys[1], graph.node_names)

    keys = np.array([line.key for line in lines], dtype=np.uint64)
    return cut(graph, strategy, folder, memory, seed, force, progress, keys, write_more)


def local_addresses(hosts: int, port: int) -> list[str]:
    """Addresses on this machine, one port after another.

    Args:
        hosts: How many.
        port: The first.
    """
    if hosts < 1 or not 1 <= port <= 65_536 - hosts:
        raise SpecError(f"`hosts={hosts}` from `port={port}` on: choose ports up to 65535")
    return [f"127.0.0.1:{port + number}" for number in range(hosts)]


def roster_for_tests(
    names: Sequence[str], addresses: Sequence[str], seed: int
) -> Mapping[str, RosterLine]:
    """A roster of keys that anybody can derive: they protect nothing.

    Args:
        names: Of all agents; they are dealt out to the addresses in turn.
        addresses: Where hosts listen, one host each.
        seed: What all keys are derived from.

    Returns:
        One line for each agent, by its name.
    """
    hosts = secrets_for_tests(names, addresses, seed)
    return roster_of(line for host in hosts for line in host.roster())
