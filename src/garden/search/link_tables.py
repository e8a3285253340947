"""The links that rows show, numbered for the compiled walk with the memory `explore`."""

from __future__ import annotations

import numpy as np

from garden.graphs.ego import begins_run, row_offsets
from garden.strategies.explore import ExploreMemory, bags, link_ids
from garden.strategies.representations import Representations


class LinkTable:
    """The links of nodes by their ids, each id with a small number; nodes may be added.

    Only distinct ids of a row are listed, with how often each is there.
    """

    def __init__(self, memory: ExploreMemory) -> None:
        self._memory = memory
        self._number_of: dict[int, int] = {}  # by id
        self._links: list[np.ndarray] = []  # of each addition: numbers, mates, times
        self._counts: list[np.ndarray] = []  # of each addition: distinct ids of a row
        self._own: list[np.ndarray] = []
        self._bags: list[np.ndarray] = []
        self._degrees: list[np.ndarray] = []  # links of each row

    def add(self, rows: Representations) -> None:
        """Append nodes with these rows."""
        found = link_ids(rows)
        degrees = np.diff(found.offsets)
        owner = np.repeat(np.arange(len(degrees)), degrees)
        order = np.lexsort((found.ids, owner))
        ids, mates, owner = found.ids[order], found.mates[order], owner[order]
        starts = np.flatnonzero(begins_run(ids, owner))
        times = np.diff(np.append(starts, len(ids)))
        numbers = self._numbers(np.stack([ids[starts], mates[starts]]))
        self._links.append(np.concatenate([numbers, times[None]]).astype(np.int64))
        self._counts.append(np.bincount(owner[starts], minlength=len(degrees)))
        self._own.append(np.asarray(rows.arrays["own"]))
        self._bags.append(bags(rows))
        self._degrees.append(degrees)

    def arguments(self) -> tuple[np.ndarray, ...]:
        """What :func:`garden.search.explore_kernel.walk_explore` reads, in its order."""
        numbers, mates, times = np.concatenate(self._links, axis=1)
        offsets = row_offsets(np.concatenate(self._counts))
        degrees = np.concatenate(self._degrees)
        gains = np.array([self._memory.gain(new) for new in range(degrees.max(initial=0) + 1)])
        num_ids = np.array([len(self._number_of)])
        keys = np.concatenate(self._own), np.concatenate(self._bags)
        return (*keys, gains[degrees], offsets, numbers, mates, times, num_ids, gains)

    def _numbers(self, ids: np.ndarray) -> np.ndarray:
        """The number of each id, in the shape given; ids that are new get the next numbers."""
        distinct, place = np.unique(ids, return_inverse=True)
        known = self._number_of
        numbers = np.array([known.setdefault(one, len(known)) for one in distinct.tolist()], int)
        return numbers[place.reshape(ids.shape)]
