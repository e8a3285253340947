"""``beacons`` with a price on hubs: candidates of high degree class score less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from garden.graphs.ego import EgoGraphs
from garden.strategies.base import Selection, Strategy
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.gossip.sketches import own_entries
from garden.strategies.representations import Representations

TIES_ONLY = 2.0**30
"""A price per class that counts before the bound and never weighs a hop of the sum: classes are
below 64, one hop is 2³⁶, and 1,024 hops of the bound weigh as much as one class."""


@final
@dataclass(frozen=True)
class PricedBeacons(Strategy):
    """The score of ``beacons`` less a price for each class of the candidate; the target is free.

    A row's own entry holds its class, so that a holder knows the prices of its neighbours.
    """

    beacons: Beacons
    price: float = 0.0  # of one class, in units of the score

    name: ClassVar[str] = "priced beacons"
    selection: ClassVar[Selection] = "argmax"
    needs_attributes: ClassVar[bool] = False

    def represent(self, egos: EgoGraphs) -> Representations:
        """Refuses, as `beacons` do: rows come from rounds, not from ego graphs alone."""
        return self.beacons.represent(egos)

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """As ``beacons``, less the price; a candidate at sum 0 is the target.

        Args:
            candidates: Rows of a holder's neighbours.
            targets: Rows of the targets, which are their cards.

        Returns:
            (num_targets, num_candidates) float64.
        """
        scores = self.beacons.score(candidates, targets)
        return np.where(scores > 0, scores, scores - self.prices(candidates))

    def prices(self, rows: Representations) -> np.ndarray:
        """What each row's score is lowered by, (num_rows,) float64."""
        return self.price * own_entries(rows).classes.astype(np.float64)
