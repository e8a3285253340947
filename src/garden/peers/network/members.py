"""What a host is built from, and what it counts."""

from __future__ import annotations

from dataclasses import dataclass

from garden.peers.keys import AgentKeys
from garden.peers.network.contacts import Contacts
from garden.peers.views import AgentView


@dataclass(frozen=True)
class Member:
    """What one agent of a host is built from."""

    name: str
    view: AgentView
    keys: AgentKeys
    contacts: Contacts


@dataclass(frozen=True)
class Life:
    """Which life of a host this is."""

    incarnation: int = 1  # larger than in any life before
    is_first: bool = True


@dataclass
class Counts:
    """What a host has done and seen."""

    sent: int = 0
    received: int = 0
    local: int = 0
    refused: int = 0
    """Frames that found no room, or no connection."""
    dropped: int = 0
    """Frames that are malformed, or from hosts that may not speak for their sender."""
    errors: int = 0
