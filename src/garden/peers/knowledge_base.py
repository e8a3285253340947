"""What every agent knows of its neighbours, and what it tells them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from garden.peers.envelopes import Announcement, Update
from garden.peers.views import AgentView
from garden.strategies.representations import Representations


class Candidates(NamedTuple):
    """The neighbours that a message can go to, in the order of their keys."""

    keys: np.ndarray  # (num_candidates,) uint64
    rows: Representations  # one each


class News(NamedTuple):
    """What is to be told to a neighbour: the fields of an announcement."""

    row: bytes | None
    updates: tuple[Update, ...]
    neighbours: tuple[int, ...] | None


class Knowledge(ABC):
    """The rows of an agent and of its neighbours, and what is still to be told."""

    def __init__(self) -> None:
        self._candidates: Candidates | None = None

    @property
    @abstractmethod
    def row(self) -> Representations:
        """The agent's own representation, one row."""

    @property
    @abstractmethod
    def card_row(self) -> bytes:
        """What a message to this agent carries of it."""

    @abstractmethod
    def decoded_target(self, data: bytes) -> Representations:
        """The row of a target, out of a message."""

    @abstractmethod
    def link_up(self, neighbour: int) -> None:
        """A link is open: the neighbour is to be told everything."""

    @abstractmethod
    def link_down(self, neighbour: int) -> None:
        """A neighbour is gone: forget its row, and what was to be told to it."""

    @abstractmethod
    def hear(self, neighbour: int, announcement: Announcement) -> None:
        """A neighbour has told something.

        Args:
            neighbour: Its key.
            announcement: Its row, what changed in its sketch, or its neighbours.
        """

    @abstractmethod
    def digest(self) -> None:
        """Bring the own row up to date with what was heard."""

    @property
    def wants_digest(self) -> bool:
        """Whether the row may change without anything being heard, so that it is to be asked."""
        return False

    @abstractmethod
    def view_changed(self, view: AgentView) -> None:
        """The agent sees another ego graph."""

    @abstractmethod
    def has_news(self, neighbour: int) -> bool:
        """Whether there is something to tell a neighbour."""

    @abstractmethod
    def take_news(self, neighbour: int) -> News:
        """What is to be told to a neighbour, which is then known to have been told."""

    @property
    def candidates(self) -> Candidates:
        """The neighbours whose rows are known."""
        if self._candidates is None:
            self._candidates = self._collected()
        return self._candidates

    @abstractmethod
    def _collected(self) -> Candidates:
        """Keys and rows of all candidates, put together from what neighbours told."""
