"""What an agent knows of its neighbours, and what it tells them.

Agents of a strategy without rounds tell their row, made of their ego graph. Those of ``beacons``
tell what changes in their sketch. Either way an agent ends up with a row per neighbour, which it
scores against the row that a message carries.
"""

from __future__ import annotations

from typing import final

import numpy as np

from garden.errors import StrategyError
from garden.peers.envelopes import Announcement
from garden.peers.knowledge_base import Candidates, Knowledge, News
from garden.peers.rows import RowForm, encoded_row
from garden.peers.sketch_knowledge import SketchKnowledge
from garden.peers.views import AgentView
from garden.strategies.base import Strategy, is_ready
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.protocol import GossipStrategy
from garden.strategies.representations import Representations, concatenated


def knowledge_of(strategy: Strategy, view: AgentView) -> Knowledge:
    """The knowledge of an agent that has a view and nothing else.

    Args:
        strategy: Fitted and tuned; of those with rounds, ``beacons``.
        view: What the agent sees of the network.
    """
    if not is_ready(strategy):
        raise StrategyError(f"{strategy.name} is not fitted or tuned: cut peers with garden")
    if isinstance(strategy, Beacons):
        return SketchKnowledge(strategy, view)
    if isinstance(strategy, GossipStrategy):
        raise StrategyError(f"peers cannot run {strategy.name}: of strategies with rounds, beacons")
    return EgoKnowledge(strategy, view)


@final
class EgoKnowledge(Knowledge):
    """Rows of ego graphs, each told by its agent."""

    def __init__(self, strategy: Strategy, view: AgentView) -> None:
        super().__init__()
        self._strategy = strategy
        self._rows: dict[int, Representations] = {}
        self._untold: set[int] = set()
        self._linked: set[int] = set()
        self._row = strategy.represent_one(view.ego_graph())
        self._form = RowForm.of(self._row, strategy, view.num_attributes)
        self._encoded = encoded_row(self._row)

    @property
    def row(self) -> Representations:
        """Of the own ego graph."""
        return self._row

    @property
    def card_row(self) -> bytes:
        """The own row as bytes, which a message to this agent carries."""
        return self._encoded

    def decoded_target(self, data: bytes) -> Representations:
        """A row of the own form."""
        return self._form.decoded(data)

    def link_up(self, neighbour: int) -> None:
        """Note that the new neighbour is to be told the own row."""
        self._linked.add(neighbour)
        self._untold.add(neighbour)

    def link_down(self, neighbour: int) -> None:
        """Forget the neighbour's row, so that it is no candidate any more."""
        self._linked.discard(neighbour)
        self._untold.discard(neighbour)
        if self._rows.pop(neighbour, None) is not None:
            self._candidates = None

    def hear(self, neighbour: int, announcement: Announcement) -> None:
        """Keep the row that the neighbour announced, in place of its last one.

        Args:
            neighbour: Its key.
            announcement: One without a row says nothing here.
        """
        if announcement.row is not None:
            self._rows[neighbour] = self._form.decoded(announcement.row)
            self._candidates = None

    def digest(self) -> None:
        """Nothing: a row does not depend on the neighbours' rows."""

    def view_changed(self, view: AgentView) -> None:
        """Make the own row anew, and tell everybody."""
        self._row = self._strategy.represent_one(view.ego_graph())
        self._encoded = encoded_row(self._row)
        self._untold |= self._linked

    def has_news(self, neighbour: int) -> bool:
        """Whether it has not heard the row as it is."""
        return neighbour in self._untold

    def take_news(self, neighbour: int) -> News:
        """The own row for this neighbour, which counts as told from now on."""
        self._untold.discard(neighbour)
        return News(self._encoded, (), None)

    def _collected(self) -> Candidates:
        keys = sorted(self._rows)
        rows = [self._rows[key] for key in keys] or [self._row.take(np.empty(0, dtype=np.int64))]
        return Candidates(np.array(keys, dtype=np.uint64), concatenated(rows))
