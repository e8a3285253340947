"""The protocol of strategies with rounds: ``begin``, ``hear``, ``score``.

Before any message is sent, agents tell their neighbours their rows, round after round. An agent
starts from its ego graph and the keys of its members; each round it hears its neighbours' rows and
makes its new row of them and of its own. When no row changes any more, the rows are settled, and
messages are sent as ever: a holder scores its neighbours' rows against what the message carries of
the target. After r rounds a row can depend on the ego graphs of agents within r hops and on nothing
else; neither function is handed the graph.

:func:`garden.search.rounds.settle` drives the rounds in simulation.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from garden.errors import StrategyError
from garden.graphs.ego import EgoGraphs
from garden.strategies.base import Knowledge, Strategy
from garden.strategies.representations import Representations


class GossipStrategy(Strategy):
    """A strategy with rounds: write ``begin``, ``hear``, and ``score`` or ``score_pairs``.

    Each agent has a 64-bit key that the network gives it, and knows its own and its neighbours'. In
    simulation a key is a hash of the node's name and :attr:`key_seed`.

    Attributes:
        key_seed: The seed that keys are hashed with.

    """

    knows: ClassVar[Knowledge] = "gossip"
    key_seed: int = 0

    @abstractmethod
    def begin(self, egos: EgoGraphs, keys: np.ndarray) -> Representations:
        """The rows before the first round, one per ego graph, each from that ego graph alone.

        Args:
            egos: The ego graphs of a block of agents.
            keys: (num_members,) uint64, one per member of each ego graph, aligned with
                ``egos.members``; the centre's own comes first.

        """

    @abstractmethod
    def hear(
        self, own: Representations, neighbours: Representations, owner: np.ndarray
    ) -> Representations:
        """The new rows of a block of agents, from their rows and their neighbours' alone.

        Args:
            own: The rows of the block as they stand.
            neighbours: The rows of their neighbours, one under another.
            owner: (num_neighbour_rows,) the row of the block that each neighbour's row belongs to,
                ascending; the order of the neighbours of one agent means nothing.

        Returns:
            As many rows as ``own`` has.

        """

    def represent(self, egos: EgoGraphs) -> Representations:
        """Refuse: an ego graph alone does not make a row here."""
        raise StrategyError(
            f"{self.name} has rounds: agents tell their neighbours before they search, so that its "
            "rows come from garden.search.rounds.settle, not from represent"
        )

    def card(self, rows: Representations) -> Representations:
        """What a message carries of its target, for each of these rows; all of it by default."""
        return rows

    def size_of(self, rows: Representations) -> tuple[np.ndarray, np.ndarray]:
        """How many entries each row holds, and their bytes: (num_rows,) int64 each.

        By default a row is one entry.
        """
        return np.ones(len(rows), dtype=np.int64), rows.bytes_per_row

    def told(
        self, before: Representations, after: Representations
    ) -> tuple[np.ndarray, np.ndarray]:
        """What each agent tells a neighbour when its row changes, as :meth:`size_of` counts it.

        Args:
            before: The rows that neighbours know.
            after: The new ones; each differs from the old one.

        """
        return self.size_of(after)

    def fixed_length(self, rows: Representations) -> np.ndarray | None:
        """The rows as numbers of one length, for the observations of environments.

        Returns:
            (num_rows, width) float32, or None where rows have one length already.

        """
        return None
