"""What a host tells those who watch it."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from garden.peers.actions import Ended


class Passed(NamedTuple):
    """An agent of this host passes a message on; a repetition is told again."""

    holder: int
    neighbour: int
    id: bytes
    attempt: int
    hop: int


class Received(NamedTuple):
    """A message has been handed to the owner of an agent of this host."""

    agent: int
    id: bytes
    text: bytes


class Finished(NamedTuple):
    """A message of an agent of this host has ended."""

    agent: int
    ended: Ended


Event: TypeAlias = Passed | Received | Finished
