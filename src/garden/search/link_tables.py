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
        self._parts: list[tuple[np.ndarray, ...]] = []  # of each addition; `add` says what

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
        links = np.concatenate([numbers, times[None]]).astype(np.int64)
        counts = np.bincount(owner[starts], minlength=len(degrees))  # distinct ids of a row
        own = np.asarray(rows.arrays["own"])
        self._parts.append((links, counts, degrees, own, bags(rows)))

    def arguments(self) -> tuple[np.ndarray, ...]:
        """What :func:`garden.search.explore_kernel.walk_explore` reads, in its order."""
        links, counts, degrees, *keys = (
            np.concatenate(parts, axis=-1) for parts in zip(*self._parts, strict=True)
        )
        gains = np.array([self._memory.gain(new) for new in range(degrees.max(initial=0) + 1)])
        num_ids = np.array([len(self._number_of)])
        return (*keys, gains[degrees], row_offsets(counts), *links, num_ids, gains)

    def _numbers(self, ids: np.ndarray) -> np.ndarray:
        """The number of each id, in the shape given; ids that are new get the next numbers."""
        distinct, place = np.unique(ids, return_inverse=True)
        known = self._number_of
        numbers = np.array([known.setdefault(one, len(known)) for one in distinct.tolist()], int)
        return numbers[place.reshape(ids.shape)]
