"""What may be asked of a host over its control socket: one JSON object per line."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Struct

from garden.peers.network.payloads import MAX_TEXT

REPLY_VERSION = 1
Hex: TypeAlias = Annotated[str, Meta(pattern="^([0-9a-f]{32})?$")]


class _Request(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """What all requests share: ``do`` says which one it is."""


class Status(_Request, frozen=True, tag="status"):
    """Asks a host how many agents, links and messages it has."""

    agents: bool = False
    """Whether each agent's links are listed."""


class GetCard(_Request, frozen=True, tag="card"):
    """The signed card of an agent of this host."""

    node: str


class SendText(_Request, frozen=True, tag="send"):
    """Send text; an ``ended`` line follows when the message has ended."""

    source: str
    card: bytes
    text: Annotated[str, Meta(max_length=MAX_TEXT)]
    id: Hex = ""
    hop_limit: Annotated[int, Meta(ge=1, le=4096)] = 4096


class Find(_Request, frozen=True, tag="find"):
    """Ask the directory for the cards of a profile."""

    source: str
    profile: Annotated[int, Meta(ge=0)]


class GetProfile(_Request, frozen=True, tag="profile"):
    """The key of the profile of an agent of this host."""

    node: str


class Watch(_Request, frozen=True, tag="watch"):
    """Tell what happens to a message, or to all: ``passed``, ``received`` and ``ended``."""

    id: Hex = ""


class Stop(_Request, frozen=True, tag="stop"):
    """Asks a host to end its process, with a farewell to neighbours or without."""

    leave: bool = False
    """Whether its agents tell their neighbours that they go for good."""


Request: TypeAlias = Status | GetCard | SendText | Find | GetProfile | Watch | Stop
_DECODER = msgspec.json.Decoder(Request)


def read_request(line: bytes) -> Request:
    """The request of a line."""
    return _DECODER.decode(line)
