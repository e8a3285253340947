"""What a host answers over its control socket: the replies, as JSON objects."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, final

import msgspec

from garden.errors import DataError, GardenError, one_line
from garden.peers.actions import Ended
from garden.peers.network.control import Reply
from garden.peers.network.directory import DirectoryService
from garden.peers.network.events import Event, Finished, Passed, Received
from garden.peers.network.host import Host
from garden.peers.network.members import Member
from garden.peers.network.requests import (
    REPLY_VERSION,
    Find,
    GetCard,
    GetProfile,
    SendText,
    Status,
    Stop,
    Watch,
    read_request,
)
from garden.peers.signed_cards import SignedCard, decoded_card, encoded_card

MAX_WATCHES: Final = 4_096
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@final
class Answering:
    """Answers requests, and tells those who watch what happens."""

    def __init__(self, host: Host, directory: DirectoryService | None) -> None:
        self._host = host
        self._directory = directory
        self._waiting: dict[bytes, Reply] = {}  # who waits for the end of a message
        self._watches: list[tuple[bytes, Reply]] = []
        self._endings: Counter[str] = Counter()
        self._texts: Counter[str] = Counter()  # endings of what requests sent
        self.is_stopped = False
        host.watch(self._note)

    def answer(self, line: bytes, reply: Reply) -> None:
        """Answer one line; a bad one gets a line that says why.

        Args:
            line: One request as JSON, without its end of line.
            reply: Is handed each line of the answer; says whether the client is still there.
        """
        try:
            self._answer(line, reply)
        except msgspec.DecodeError as error:
            reply({"kind": "error", "error": f"no request: {one_line(error)}"})
        except GardenError as error:
            reply({"kind": "error", "error": str(error)})

    def status(self, with_agents: bool = False) -> dict[str, Any]:
        """How the host is; the form is written down in the documentation of peers."""
        host = self._host
        open_links = {key: host.open_links(key) for key in host.agents}
        lost = {
            key: sorted(set(one.view.neighbours) - open_links[key])
            for key, one in host.members.items()
        }
        found: dict[str, Any] = {
            "kind": "status",
            "version": REPLY_VERSION,
            "pid": os.getpid(),
            "uptime_ms": host.now(),
            "strategy": host.programme.strategy.name,
            "memory": host.programme.memory.name,
            "peers": len(host.agents),
            "links": sum(len(one.view.neighbours) for one in host.members.values()),
            "open_links": sum(map(len, open_links.values())),
            "dead_peers": sorted({_hex(one) for ends in lost.values() for one in ends}),
            "under_way": len(host.under_way),
            "held": sum(agent.num_held for agent in host.agents.values()),
            "settled": host.is_settled,
            "ended": dict(self._endings),
            "texts": {"under_way": len(self._waiting), **self._texts},
            "cards_kept": self._directory.num_kept if self._directory else 0,
            "memory_mb": round(_resident_bytes() / 1e6, 1),
            "counts": asdict(host.counts) | {"strangers": host.sockets.refused},
        }
        if with_agents:
            found["agents"] = [
                {
                    "key": _hex(key),
                    "name": one.name,
                    "open": [_hex(end) for end in sorted(open_links[key])],
                    "lost": [_hex(end) for end in lost[key]],
                    "held": host.agents[key].num_held,
                    "settled": host.agents[key].is_quiet,
                }
                for key, one in host.members.items()
            ]
        return found

    def _answer(self, line: bytes, reply: Reply) -> None:
        request = read_request(line)
        if isinstance(request, Status):
            reply(self.status(request.agents))
        elif isinstance(request, GetCard):
            member = self._host.member_named(request.node)
            reply(_card_reply(member.name, self._host.card_of(member.view.key)))
        elif isinstance(request, GetProfile):
            member = self._host.member_named(request.node)
            reply({"kind": "profile", "profile": self._served().profile_of(member.view.key)})
        elif isinstance(request, SendText):
            self._send(request, reply)
        elif isinstance(request, Find):
            self._find(request, reply)
        elif isinstance(request, Watch):
            self._watch(request, reply)
        elif isinstance(request, Stop):
            self._stop(request, reply)

    def _send(self, request: SendText, reply: Reply) -> None:
        source, card = self._host.member_named(request.source), decoded_card(request.card)
        message_id = bytes.fromhex(request.id) or os.urandom(16)
        self._waiting[message_id] = reply
        try:
            self._host.send_text(
                source.view.key, card, request.text.encode(), message_id, request.hop_limit
            )
        except GardenError:
            del self._waiting[message_id]
            raise

    def _find(self, request: Find, reply: Reply) -> None:
        source = self._host.member_named(request.source)

        def found(cards: tuple[SignedCard, ...]) -> None:
            reply({"kind": "found", "cards": [_card_reply("", card) for card in cards]})

        self._served().find(source.view.key, request.profile, found)

    def _watch(self, request: Watch, reply: Reply) -> None:
        if len(self._watches) >= MAX_WATCHES:
            del self._watches[0]
        self._watches.append((bytes.fromhex(request.id), reply))
        reply({"kind": "watching"})

    def _stop(self, request: Stop, reply: Reply) -> None:
        if request.leave:
            self._host.leave()
        reply({"kind": "stopping"})
        self.is_stopped = True

    def _served(self) -> DirectoryService:
        if self._directory is None:
            raise DataError("these peers run no directory: it needs beacons")
        return self._directory

    def _note(self, event: Event) -> None:
        """Tell whoever waits for a message, and whoever watches it."""
        message_id = event.ended.id if isinstance(event, Finished) else event.id
        if isinstance(event, Finished):
            self._endings[event.ended.ending] += 1
            waiting = self._waiting.pop(message_id, None)
            if waiting is not None:
                self._texts[event.ended.ending] += 1
                waiting(_ended_reply(event.ended))
        for watch in list(self._watches):
            if watch[0] in (b"", message_id) and not watch[1](self._event_reply(event)):
                self._watches.remove(watch)

    def _event_reply(self, event: Event) -> Mapping[str, Any]:
        if isinstance(event, Finished):
            return _ended_reply(event.ended)
        if isinstance(event, Received):
            return {
                "kind": "received",
                "id": event.id.hex(),
                "agent": self._name(event.agent),
                "text": event.text.decode("utf-8", "replace"),
            }
        return _passed_reply(event, self._name)

    def _name(self, key: int) -> str:
        member: Member | None = self._host.members.get(key)
        return member.name if member else _hex(key)


def _passed_reply(event: Passed, name: Any) -> Mapping[str, Any]:
    return {
        "kind": "passed",
        "id": event.id.hex(),
        "attempt": event.attempt,
        "hop": event.hop,
        "holder": name(event.holder),
        "neighbour": _hex(event.neighbour),
    }


def _ended_reply(ended: Ended) -> Mapping[str, Any]:
    return {
        "kind": "ended",
        **ended._asdict(),
        "id": ended.id.hex(),
        "path": [_hex(key) for key in ended.path],
    }


def _card_reply(name: str, card: SignedCard) -> dict[str, Any]:
    return {
        "kind": "card",
        "name": name,
        "key": _hex(card.card.key),
        "card": encoded_card(card),
        "row_bytes": len(card.row),
    }


def _hex(key: int) -> str:
    return f"{key:016x}"


def _resident_bytes() -> int:
    """The memory that this process holds; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * _PAGE
    except OSError:
        return 0
