"""The memory `explore`: a depth-first search that goes where neighbours have links to the unseen.

A neighbour's ego graph shows its links by the profiles of their two ends, never by an id. The
message remembers the links of all nodes that it has seen, so that a holder can count those of a
neighbour's links that lead to nodes not seen yet (:func:`new_links`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self, final

import numpy as np

from garden.splitmix import mixed
from garden.strategies.ego_matching import key_sums
from garden.strategies.memory import BacktrackMemory, Memory, RowTable, Trail
from garden.strategies.representations import Representations

_HALF = np.uint64(32)  # bits of an id that are dropped: ids are 32 bits of a hash


class LinkIds(NamedTuple):
    """The links of some nodes as their rows show them, one after another.

    Two links have one id where the profiles of their ends are equal, in this order, and so are the
    profiles of the neighbours that both ends have in common, as far as rows show those.
    """

    ids: np.ndarray  # (num_links,) int64: each link from the row's own node
    mates: np.ndarray  # (num_links,) int64: the id of the same link at its other end
    offsets: np.ndarray  # (num_rows + 1,) int64


def link_ids(rows: Representations) -> LinkIds:
    """The links in these rows.

    Args:
        rows: With the profile keys of the node and of its neighbours, as `universal`, `lookahead`
            and `bidirectional` make them; signatures of links are used where there are some.
    """
    neighbours = rows.ragged["neighbours"]
    own = np.asarray(rows.arrays["own"])[neighbours.owner]
    others = neighbours.values
    marks = rows.ragged["signatures"].values if "signatures" in rows.ragged else np.uint64(0)
    ids = mixed(mixed(mixed(own) + others) + marks) >> _HALF
    mates = mixed(mixed(mixed(others) + own) + marks) >> _HALF
    return LinkIds(ids.astype(np.int64), mates.astype(np.int64), neighbours.offsets)


def bags(rows: Representations) -> np.ndarray:
    """The sum of the neighbours' profile keys of each row, (num_rows,) uint64."""
    if "bag" in rows.arrays:
        return np.asarray(rows.arrays["bag"])
    return key_sums(rows.ragged["neighbours"])


class Step(NamedTuple):
    """A node on the way from the source to the holder."""

    node: int
    has_more: bool  # whether another neighbour was worth a visit when the message left it


@dataclass(frozen=True)
class Explored:
    """What a message with the memory `explore` remembers of its way."""

    met: frozenset[int] = frozenset()  # nodes that have held it
    seen: frozenset[int] = frozenset()  # those and all of their neighbours
    links: Mapping[int, int] = field(default_factory=dict)  # how often each id is in rows of `seen`
    way: tuple[Step, ...] = ()  # from the source; the holder is not part of it yet
    trail: Trail | None = None  # where nothing new is left: the state of `backtrack`


@final
@dataclass(frozen=True, eq=False)
class ExploreMemory(Memory):
    """Depth first, to the neighbour whose score and links to unseen nodes promise most.

    With M the nodes that have held the message, S those and all their neighbours, and new(v) the
    links of v to nodes that are not in S: the *useful* neighbours of a holder h are

        U = {v ∈ N(h) − M : new(v) > 0, or v's row has the target's profile keys}

    and s'_v = s_v + w · log max(1, new(v)) for the v ∈ U where that is highest, else −∞. Where U is
    empty, the message turns back to the last node on its way from the source that had another
    useful neighbour when the message left it: one hop, to the first node on the way, from there
    on, that is a neighbour of h. Where no node on the way had one, a plain `backtrack` begins
    at h.

    Neighbours that lead to nothing new are passed over, where `backtrack` tries each of them. The
    message arrives within 4 · (nodes − 1) hops wherever the hop limit allows as many. Beside the
    nodes that it has seen it carries the ids of their links, of 32 bits each.

    Attributes:
        weight: w.
        rows: The rows of the graph's nodes; :meth:`among` sets them.
        goal: The target's own row; :meth:`towards` sets it.

    """

    weight: float = 0.5
    rows: RowTable | None = None
    goal: Representations | None = None

    name = "explore"

    @property
    def address(self) -> str:
        """The name and the weight of new links."""
        return f"{self.name}: score + {self.weight:g} log new links"

    def among(self, rows: RowTable) -> Self:
        """The memory for a graph whose nodes have these rows."""
        return replace(self, rows=rows)

    def towards(self, target: int) -> Self:
        """The memory of messages to this target, whose row they carry."""
        return replace(self, goal=self._rows.take(np.array([target])))

    def start(self) -> Explored:
        """The state of a message at its source: no node met, no link seen."""
        return Explored()

    def recall(
        self, state: Explored, holder: int, candidates: np.ndarray, scores: np.ndarray
    ) -> tuple[np.ndarray, Explored]:
        """Scores and state of the next hop by the rule of the class.

        Args:
            state: What the message remembers as the holder received it.
            holder: The holder's address.
            candidates: (num_candidates,) addresses of its neighbours.
            scores: (num_candidates,) scores of the strategy.
        """
        if state.trail is not None:
            return _by_trail(state, state.trail, holder, candidates, scores)
        state = self._looked_around(state, holder, candidates)
        new, is_useful = self._useful(state, candidates)
        if is_useful.any():
            gain = np.array([self.gain(int(count)) for count in new])
            values = np.where(is_useful, scores + gain, -np.inf)
            step = Step(holder, int(is_useful.sum()) > 1)
            chosen = np.where(values == values.max(), values, -np.inf)
            return chosen, replace(state, way=(*state.way, step))
        place = place_to_turn(state.way, set(candidates.tolist()))
        if place is None:
            return _by_trail(state, Trail(), holder, candidates, scores)
        back = candidates == state.way[place].node
        return np.where(back, scores, -np.inf), replace(state, way=state.way[:place])

    def gain(self, new: int) -> float:
        """What so many links to nodes not seen yet add to a score."""
        return self.weight * math.log(max(1, new))

    @property
    def _rows(self) -> RowTable:
        assert self.rows is not None, "among comes first"
        return self.rows

    def _looked_around(self, state: Explored, holder: int, candidates: np.ndarray) -> Explored:
        """The message with what the holder sees: its neighbours and their links."""
        fresh = [node for node in (holder, *candidates.tolist()) if node not in state.seen]
        links = state.links
        if fresh:
            found = link_ids(self._rows.take(np.array(fresh, dtype=candidates.dtype))).ids
            links = dict(links)
            for link, count in zip(*np.unique(found, return_counts=True), strict=True):
                links[int(link)] = links.get(int(link), 0) + int(count)
        met = state.met | {holder}
        return replace(state, met=met, seen=state.seen.union(fresh), links=links)

    def _useful(self, state: Explored, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """new(v) of each candidate, and whether it is useful, both (num_candidates,)."""
        assert self.goal is not None, "towards comes before a message starts"
        rows = self._rows.take(candidates)
        found = link_ids(rows)
        new = np.array(
            [
                new_links(found.ids[start:stop], found.mates[start:stop], state.links)
                for start, stop in zip(found.offsets[:-1], found.offsets[1:], strict=True)
            ]
        )
        alike = np.asarray(rows.arrays["own"]) == np.asarray(self.goal.arrays["own"])
        alike &= bags(rows) == bags(self.goal)
        unmet = np.array([node not in state.met for node in candidates.tolist()])
        return new, unmet & (alike | (new > 0))


def new_links(ids: np.ndarray, mates: np.ndarray, seen: Mapping[int, int]) -> int:
    """How many of a seen node's links lead to nodes that are not seen.

    A link to a seen node stands in the rows of both ends: with n_i how often the id i is in rows of
    seen nodes and j its mate, n_j of the n_i links of that id lead to seen nodes; of the m_i in
    this row, the same share, rounded down, counts as seen. Where i is its own mate, n_i − m_i of
    other rows take the place of that share. Where n_i is less than m_i, since links have come after
    the row was seen, m_i takes its place.

    Args:
        ids: The ids in the node's own row, (num_links,).
        mates: Their mates, aligned with them.
        seen: How often each id is in the rows of seen nodes, this one among them.
    """
    total = 0
    mate_of = dict(zip(ids.tolist(), mates.tolist(), strict=True))
    here: dict[int, int] = {}
    for link in ids.tolist():
        here[link] = here.get(link, 0) + 1
    for link, count in here.items():
        all_seen, mate = max(seen.get(link, 0), count), mate_of[link]
        known = all_seen - count if mate == link else count * seen.get(mate, 0) // all_seen
        total += count - min(count, known)
    return total


def place_to_turn(way: tuple[Step, ...], neighbours: set[int]) -> int | None:
    """The place on the way to which a holder turns back in one hop; None where there is none.

    Args:
        way: The nodes from the source to the one before the holder.
        neighbours: The holder's.
    """
    deepest = max((place for place, step in enumerate(way) if step.has_more), default=None)
    if deepest is None:
        return None
    return next(place for place in range(deepest, len(way)) if way[place].node in neighbours)


def _by_trail(
    state: Explored, trail: Trail, holder: int, candidates: np.ndarray, scores: np.ndarray
) -> tuple[np.ndarray, Explored]:
    """Scores and state of the next hop by `backtrack`, where nothing new is left."""
    recalled, trail = BacktrackMemory().recall(trail, holder, candidates, scores)
    return recalled, replace(state, trail=trail)
