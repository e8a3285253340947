"""What the page knows of hosts that run peers on this machine: whatever they answer, checked.

A function asks the hosts, by their control socket for example. Nobody up, or an answer that is
none, gives the same reply: no hosts are up.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from garden.errors import GardenError, one_line
from garden.web.schemas import PeersState

AskHosts = Callable[[], Mapping[str, Any] | None]
"""Asks the hosts that are up. It returns None where none is, else ``peers``, a list of values with
``name``, ``host`` and ``alive``, and, where known, ``node`` (a position), ``beacons`` (how many an
agent keeps), ``settled`` and ``under_way`` (messages); further ``links``, pairs of places in that
list one after the other, ``delivered`` and ``under_way``, of all."""

NOBODY = "no hosts are up on this machine: `garden peers up` starts them"
_LOG = logging.getLogger("garden")


def peers_state(ask: AskHosts | None) -> PeersState:
    """The state of the hosts on this machine.

    Args:
        ask: Asks them; None where this server does not.
    """
    try:
        found = None if ask is None else ask()
        if found is not None:
            known = {key: found[key] for key in found.keys() & PeersState.model_fields.keys()}
            defaults = {"peers": [], "links": [], "delivered": 0, "under_way": 0}
            return PeersState.model_validate({**defaults, **known, "up": True, "message": ""})
    except (GardenError, OSError, ValidationError) as error:
        _LOG.warning("the hosts' answer is left out: %s", one_line(error))
    return PeersState(up=False, message=NOBODY, peers=[], links=[], delivered=0, under_way=0)


def from_overview(overview: Mapping[str, Any]) -> dict[str, Any]:
    """What all hosts together say of themselves, in the form that :data:`AskHosts` gives.

    Args:
        overview: ``hosts``, each with ``host``, ``settled``, ``ended`` (messages, by how they
            ended) and ``agents``, each with ``key``, ``name``, ``open`` (the keys at the other ends
            of its open links) and ``held`` (messages); ``dead_peers``, keys; ``under_way``.
    """
    agents = [(host, agent) for host in overview["hosts"] for agent in host.get("agents", ())]
    peers = [
        {
            "name": agent["name"],
            "host": host["host"],
            "alive": True,
            "settled": bool(host["settled"]),
            "under_way": agent["held"],
        }
        for host, agent in agents
    ]
    places = {agent["key"]: place for place, (_, agent) in enumerate(agents)}
    dead = [key for key in overview["dead_peers"] if key not in places]
    peers += [{"name": key, "host": "?", "alive": False} for key in dead]
    ends = ((places[agent["key"]], places.get(end)) for _, agent in agents for end in agent["open"])
    links = [
        end for one, other in ends if other is not None and one < other for end in (one, other)
    ]
    delivered = sum(host["ended"].get("delivered", 0) for host in overview["hosts"])
    return {
        "peers": peers,
        "links": links,
        "delivered": delivered,
        "under_way": overview["under_way"],
    }
