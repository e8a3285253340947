"""How long an agent of a host waits for its neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from garden.peers.network.links import RemoteLinks
from garden.peers.network.round_trips import RoundTrips


@final
class HostWaits:
    """The waits of one agent: by what its neighbours' hosts have read, and how fast they answer."""

    def __init__(
        self,
        key: int,
        links: RemoteLinks,
        round_trips: RoundTrips,
        now: Callable[[], int],
        is_behind: Callable[[], bool],
    ) -> None:
        """Take what is known.

        Args:
            key: The agent's.
            links: Those of the host.
            round_trips: The times that other hosts take to answer.
            now: The host's clock.
            is_behind: Whether the host has not handed all envelopes of its own agents yet.
        """
        self._key = key
        self._links = links
        self._round_trips = round_trips
        self._now = now
        self._is_behind = is_behind

    def ack_wait(self, neighbour: int) -> int:
        """By the measured round trips to the neighbour's host."""
        return self._round_trips.wait(self._links.host_of(self._key, neighbour))

    @property
    def pace(self) -> int:
        """The mean time that other hosts take to answer."""
        return self._round_trips.mean

    def is_under_way(self, neighbour: int) -> bool:
        """Whether the neighbour's host has yet to read what was sent last."""
        if self._links.get(self._key, neighbour) is None:
            return self._is_behind()
        return self._links.is_under_way(self._key, neighbour, self._now())

    def is_unread(self, neighbour: int) -> bool:
        """The same, where the neighbour's host reads nothing any more as well."""
        if self._links.get(self._key, neighbour) is None:
            return self._is_behind()
        return self._links.is_under_way(self._key, neighbour, None)

    def is_there(self, neighbour: int, since: int) -> bool:
        """Whether the neighbour's host, which runs all of its agents, was heard."""
        return self._links.is_heard(self._key, neighbour, self._now() - since)
