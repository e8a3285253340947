"""The sender's side: which attempts are under way, and how messages end.

An attempt whose actor died is heard of no more. Once nothing is under way it counts as *unknown*,
and the message is tried again: another attempt, with other random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from garden.cluster.shard_messages import AttemptEnded, Outcome, Request, encoded_parcels
from garden.errors import SpecError
from garden.peers.envelopes import ID_BYTES, MAX_ATTEMPTS

Ending: TypeAlias = Literal["delivered", "truncated", "failed", "unknown"]


@dataclass(frozen=True)
class Sent:
    """How one message ended, after as many attempts as it took."""

    source: str
    target: str
    ending: Ending
    """Delivered, truncated at the limit of hops, failed (the reason says why), or unknown where
    each attempt was lost."""
    attempts: tuple[Ending, ...]
    """How each attempt ended."""
    hops: int
    path: tuple[int, ...]
    """The keys of the holders of the last attempt, the source first."""
    reason: str = ""


@dataclass
class _UnderWay:
    """One message that is under way."""

    attempts: list[Ending] = field(default_factory=list)
    ended: AttemptEnded | None = None
    holders: dict[int, int] = field(default_factory=dict)  # by hop, of the last attempt


class Sending:
    """Messages that are sent together."""

    def __init__(
        self,
        names: list[tuple[str, str]],
        keys: list[list[int]],
        ids: list[bytes],
        max_hops: int,
        max_attempts: int,
    ) -> None:
        """The messages to send, none of them under way yet.

        Args:
            names: Of source and target of each message.
            keys: Theirs.
            ids: 16 bytes for each message, all different.
            max_hops: The limit of hops.
            max_attempts: How often a message is sent before it is unknown.
        """
        if len(ids) != len(names) or any(len(one) != ID_BYTES for one in ids):
            raise SpecError(f"{len(names)} messages need as many ids of {ID_BYTES} bytes")
        if len(set(ids)) < len(ids):
            raise SpecError("two messages have the same id: give each its own")
        self._names = names
        self._keys = dict(zip(ids, keys, strict=True))
        self._max_hops = max_hops
        self._max_attempts = min(max_attempts, MAX_ATTEMPTS)
        self._messages = {one: _UnderWay() for one in ids}
        self._started = False
        self.num_bytes = 0  # between shards, so far

    @property
    def num_ended(self) -> int:
        """How many messages have ended."""
        return sum(one.ended is not None for one in self._messages.values())

    def next_requests(self, num_shards: int, entry: int | None) -> dict[int, bytes]:
        """The next attempt of all that have not ended, by the shard that is asked; or nothing.

        Args:
            num_shards: How many there are.
            entry: The shard that is asked; None: one after another.

        Returns:
            Encoded requests, by shard.
        """
        chosen: dict[int, list[Request]] = {}
        for number, (message_id, message) in enumerate(self._messages.items()):
            if message.ended is not None:
                continue
            if self._started:
                message.attempts.append("unknown")
            if len(message.attempts) == self._max_attempts:
                continue
            message.holders.clear()
            source, target = self._keys[message_id]
            attempt = len(message.attempts)
            request = Request(message_id, attempt, source, target, self._max_hops)
            home = number % num_shards if entry is None else entry
            chosen.setdefault(home, []).append(request)
        self._started = True
        return {home: encoded_parcels(requests) for home, requests in chosen.items()}

    def note(self, outcome: Outcome) -> None:
        """A step of some shard is done."""
        self.num_bytes += outcome.num_bytes
        for held in outcome.held:
            self._messages[held.id].holders[held.hop] = held.key
        for ended in outcome.ended:
            message = self._messages[ended.id]
            message.ended = ended
            message.attempts.append(ended.ending)

    def results(self) -> list[Sent]:
        """How each message ended, in the order given."""
        return [
            Sent(
                *names,
                message.ended.ending if message.ended else "unknown",
                tuple(message.attempts),
                message.ended.hops if message.ended else 0,
                tuple(message.holders[hop] for hop in sorted(message.holders)),
                message.ended.reason if message.ended else "",
            )
            for names, message in zip(self._names, self._messages.values(), strict=True)
        ]
