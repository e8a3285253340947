"""What the page knows of hosts that run peers on this machine: whatever they answer, checked.

A function asks the hosts, by their control sockets for example. Nobody up, or an answer that is
none, gives the same reply: no hosts are up.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from garden.errors import GardenError, one_line
from garden.graphs.graph import Graph
from garden.plots.pivot_layout import layout
from garden.web.schemas import PeersState, PeerState

AskHosts = Callable[[], Mapping[str, Any] | None]
"""Asks the hosts that are up: None where none is, else what they say together.

``hosts``, each with ``host``, ``settled``, ``texts`` (messages that people sent: ``under_way``, and
how many ended in which way) and ``agents``, each with ``key``, ``name``, ``open`` and ``lost`` (the
keys at the other ends of its links), ``held`` (messages) and ``settled``; ``dead_peers``, keys.
"""

NOBODY = "No hosts are up on this machine."
NOT_HERE = "?"  # the host of a peer that is not up
_LOG = logging.getLogger("garden")


class PeersWatch:
    """The hosts on this machine, looked at again and again.

    Peers keep the places that they were drawn at and, once they are down, the names that they had.

    Args:
        ask: Asks the hosts; None where this server does not.
    """

    def __init__(self, ask: AskHosts | None) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._names: dict[str, str] = {}  # by key
        self._places: dict[str, tuple[float, float]] = {}  # by key
        self._warned: set[str] = set()

    def state(self) -> PeersState:
        """How the hosts are now."""
        try:
            found = None if self._ask is None else self._ask()
            if found is not None:
                with self._lock:
                    return self._drawn(found)
        except (GardenError, OSError) as error:
            _LOG.debug("the hosts do not answer: %s", one_line(error))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._warn(f"the hosts' answer is left out: {type(error).__name__} {one_line(error)}")
        return _state(False, [], [])

    def _warn(self, text: str) -> None:
        """Say it once, however often a page asks."""
        if text not in self._warned:
            self._warned.add(text)
            _LOG.warning(text)

    def _drawn(self, found: Mapping[str, Any]) -> PeersState:
        agents = [(host, agent) for host in found["hosts"] for agent in host.get("agents", ())]
        living = {agent["key"]: agent for _, agent in agents}
        self._names.update({key: agent["name"] for key, agent in living.items()})
        ends = {end for agent in living.values() for end in agent["open"]}
        gone = ends & self._names.keys()  # were here before; their neighbours have not noticed yet
        dead = sorted((set(found["dead_peers"]) | gone) - living.keys())
        keys = [*living, *dead]
        links = sorted(_links(living, set(keys)).items())
        self._place(keys, [ends for ends, _ in links])
        peers = [self._living(host, agent) for host, agent in agents]
        peers += [self._dead(key) for key in dead]
        number = {key: at for at, key in enumerate(keys)}
        numbered = [(number[one], number[other], is_open) for (one, other), is_open in links]
        return _state(True, peers, numbered, found["hosts"])

    def _living(self, host: Mapping[str, Any], agent: Mapping[str, Any]) -> PeerState:
        x, y = self._places[agent["key"]]
        return PeerState(
            name=agent["name"],
            host=host["host"],
            alive=True,
            settled=bool(agent.get("settled", host["settled"])),
            under_way=agent["held"],
            x=x,
            y=y,
        )

    def _dead(self, key: str) -> PeerState:
        x, y = self._places[key]
        return PeerState(name=self._names.get(key, key), host=NOT_HERE, alive=False, x=x, y=y)

    def _place(self, keys: Sequence[str], links: Sequence[tuple[str, str]]) -> None:
        """Give every peer a place: anew where there is one that has none."""
        if self._places.keys() >= set(keys):
            return
        number = {key: at for at, key in enumerate(keys)}
        ends = np.array([(number[a], number[b]) for a, b in links], dtype=np.int64).reshape(-1, 2)
        points = layout(Graph.from_edges(ends, len(keys)), cache=False).astype(float).round(4)
        self._places = {key: (x, y) for key, (x, y) in zip(keys, points.tolist(), strict=True)}


def _links(living: Mapping[str, Mapping[str, Any]], known: set[str]) -> dict[tuple[str, str], bool]:
    """The links between known peers, each once, and whether it is open between two living ones."""
    found: dict[tuple[str, str], bool] = {}
    for one, agent in living.items():
        ends = [(other, True) for other in agent["open"]]
        ends += [(other, False) for other in agent.get("lost", ())]
        for other, is_open in ends:
            if one != other and other in known:
                pair = (min(one, other), max(one, other))
                found[pair] = found.get(pair, False) or (is_open and other in living)
    return found


def _state(
    up: bool,
    peers: list[PeerState],
    links: Sequence[tuple[int, int, bool]],
    hosts: Sequence[Mapping[str, Any]] = (),
) -> PeersState:
    texts = [host.get("texts", {}) for host in hosts]
    return PeersState(
        up=up,
        message="" if up else NOBODY,
        peers=peers,
        links=[end for one, other, _ in links for end in (one, other)],
        open=[is_open for _, _, is_open in links],
        delivered=sum(one.get("delivered", 0) for one in texts),
        under_way=sum(one.get("under_way", 0) for one in texts),
    )
