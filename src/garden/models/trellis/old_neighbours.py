r"""Newcomers found by their old neighbours, by a policy that never met them.

What `trellis` says of a profile that it was not trained on is worth little, and it reads it
wherever it compares a newcomer. Its distance codes of the nodes that it was trained on are good. So
every agent keeps, beside the policy, what it knows of these *old nodes*: the keys of their profiles
and of their neighbours', and their codes. A target whose ego graph is that of no old node is a
newcomer t, and a candidate v is scored by

    −20 · d̂(v, t),    d̂(v, t) = 1 + min_{u ∈ O(t)} d̂(v, u)  for an old node v,

with O(t) the old nodes among the neighbours that t shows, and d̂ between old nodes by their codes.
An unknown candidate is one hop further than the nearest of its own old neighbours. One whose links
to old nodes are not sure is :data:`FAR`. A candidate whose ego graph shows a link to t that agrees
with the one in t's is a hop away, one with t's own ego graph is t.

A neighbour is known by the key of its profile where one old node has it alone; a candidate is known
by its ego graph, to which newcomers may have added links. Towards old targets in ego graphs that
training saw nothing changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, final

import numpy as np
import torch

from garden.errors import StrategyError
from garden.graphs.ego import EgoGraphs
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.graphs.identity import GraphIdentity, profile_keys
from garden.models.policy import Policy
from garden.models.trellis.distance_codes import log_hops
from garden.models.trellis.model import TrellisModel
from garden.strategies.base import Strategy
from garden.strategies.ego_matching import key_sums
from garden.strategies.representations import Ragged, Representations
from garden.strategies.universal.representation import link_signatures

FAR = 30.0
"""Hops to a newcomer from a candidate of which nothing is known."""
PER_HOP = 20.0
HINT = 0.4
"""What is added to the score of an unknown candidate that seems to have one old neighbour."""
_SURE = 2  # old neighbours by which an unknown candidate is believed to have any


@final
@dataclass(frozen=True, eq=False)
class OldNodes:
    """What is kept of the nodes of the training graph."""

    keys: np.ndarray  # (num_old,) uint64: of their profiles
    bags: tuple[Counter[int], ...]  # of their neighbours' profiles: how many have each key
    codes: torch.Tensor  # (num_old, CODE_WIDTH)

    @cached_property
    def _by_key(self) -> Mapping[int, tuple[int, ...]]:
        found: dict[int, tuple[int, ...]] = {}
        for node, key in enumerate(self.keys.tolist()):
            found[key] = (*found.get(key, ()), node)
        return found

    def with_key(self, key: int) -> tuple[int, ...]:
        """The old nodes with this profile."""
        return self._by_key.get(key, ())

    def met(self, key: int, bag: Counter[int]) -> bool:
        """Whether an old node has this very ego graph.

        Args:
            key: Of the profile of an agent.
            bag: How many of its neighbours have each key.
        """
        return any(self.bags[node] == bag for node in self.with_key(key))

    def place(self, key: int, bag: Counter[int]) -> int:
        """The old node that this is, links to newcomers added; −1 where that is not certain.

        Some neighbour must be recognised by a profile that no other old node has.

        Args:
            key: Of the profile of an agent.
            bag: How many of its neighbours have each key; newcomers may be among them.
        """
        fitting = [
            node
            for node in self.with_key(key)
            if self.bags[node] <= bag
            and any(len(self.with_key(one)) == 1 for one in self.bags[node])
        ]
        return max(fitting, key=lambda node: self.bags[node].total(), default=-1)

    def hops_from(self, nodes: np.ndarray) -> np.ndarray:
        """Predicted hops from the nearest of some old nodes to each, (num_old,)."""
        hops = log_hops(self.codes[torch.as_tensor(nodes)], self.codes).exp()
        return hops.amin(dim=0).numpy().astype(np.float64)


@final
class ByOldNeighbours(Strategy):
    """A trained `trellis` that finds newcomers by the old nodes beside them."""

    name = "trellis by old neighbours"
    shows_links: ClassVar[bool] = True
    address: ClassVar[tuple[float, ...]] = (FAR, PER_HOP, HINT, _SURE)
    """What its scores go by, beside the policy."""

    def __init__(self, policy: Policy, old: OldNodes) -> None:
        self.policy, self.old = policy, old
        self.trained_graph, self.trained_task = policy.trained_graph, policy.trained_task
        self.trained_seed = policy.trained_seed

    @classmethod
    def of(cls, policy: Policy, graph: Graph) -> ByOldNeighbours:
        """The strategy of a policy.

        Args:
            policy: A trellis with distance codes.
            graph: The graph that it was trained on.
        """
        if not isinstance(policy.model, TrellisModel) or policy.model.codes is None:
            raise StrategyError(
                f"{policy.name}: newcomers are found by the distance codes of trellis"
            )
        rows = policy.represent(ego_graphs(graph))
        codes = policy.model.distance_codes(torch.as_tensor(rows.arrays["row"]))
        assert codes is not None
        old = OldNodes(np.asarray(rows.arrays["own"]), tuple(_bags(rows)), codes.codes)
        return cls(policy, old)

    @property
    def parameters(self) -> dict[str, Any]:
        """Those of the policy, and how many old nodes are kept."""
        return {**self.policy.parameters, "old_nodes": len(self.old.keys)}

    @property
    def trained_on(self) -> GraphIdentity:
        """By what the graph that the policy was trained on is known again."""
        return self.policy.trained_on

    def check_attributes(self, names: tuple[str, ...]) -> None:
        """Refuse a graph whose attributes are not those that were trained on."""
        self.policy.check_attributes(names)

    def represent(self, egos: EgoGraphs) -> Representations:
        """The policy's rows; which old node each is, and which old neighbours it shows."""
        rows = self.policy.represent(egos)
        keys = np.asarray(rows.arrays["own"]).tolist()
        bags = list(_bags(rows))
        neighbours = rows.ragged["neighbours"]
        beside = [self.old.with_key(int(key)) for key in neighbours.values]
        sure = [nodes if len(nodes) == 1 else () for nodes in beside]
        pairs = list(zip(keys, bags, strict=True))
        return Representations(
            {
                **rows.arrays,
                "bag": key_sums(neighbours),
                "met": np.array([self.old.met(*pair) for pair in pairs], dtype=bool),
                "place": np.array([self.old.place(*pair) for pair in pairs], dtype=np.int64),
            },
            {
                **rows.ragged,
                "signatures": Ragged(_link_sums(egos), neighbours.offsets),
                "sure": _ragged(sure, neighbours.offsets),
                "perhaps": _ragged(beside, neighbours.offsets),
            },
        )

    def score(self, candidates: Representations, targets: Representations) -> np.ndarray:
        """The policy's scores, and those by old neighbours towards newcomers that have any.

        Args:
            candidates: Rows of the candidates, as ``represent`` gives them.
            targets: Rows of the targets.

        Returns:
            (num_targets, num_candidates) float64.
        """
        table = self.policy.score(candidates, targets)
        for place in np.flatnonzero(~np.asarray(targets.arrays["met"])):
            target = targets.take(np.array([place]))
            around = target.ragged["sure"].values
            around = around if len(around) else target.ragged["perhaps"].values
            if len(around):
                table[place] = self._towards(candidates, target, around)
        return table

    def _towards(
        self, candidates: Representations, target: Representations, around: np.ndarray
    ) -> np.ndarray:
        """Scores of candidates for one newcomer with these old neighbours."""
        hops = 1 + self.old.hops_from(around)
        place = np.asarray(candidates.arrays["place"])
        known, sure = place >= 0, candidates.ragged["sure"]
        nearest = np.full(len(candidates), np.inf)
        np.minimum.at(nearest, sure.owner, hops[sure.values])
        count = np.diff(sure.offsets)
        away = np.where(count >= _SURE, 1 + nearest, FAR)
        away[known] = hops[place[known]]
        scores = -PER_HOP * np.minimum(away, FAR)
        scores[~known & (count == 1)] += HINT
        scores[_linked(candidates, target)] = -PER_HOP
        same_profile = np.asarray(candidates.arrays["own"]) == target.arrays["own"][0]
        scores[same_profile & (np.asarray(candidates.arrays["bag"]) == target.arrays["bag"][0])] = 0
        return scores


def _bags(rows: Representations) -> Iterator[Counter[int]]:
    """How many neighbours of each row have each key."""
    keys, offsets = rows.ragged["neighbours"].values, rows.ragged["neighbours"].offsets
    for start, stop in pairwise(offsets):
        yield Counter(keys[start:stop].tolist())


def _ragged(nodes: Sequence[tuple[int, ...]], offsets: np.ndarray) -> Ragged:
    """Old nodes, listed for each neighbour, as rows for each ego graph."""
    ends = np.concatenate([[0], np.cumsum([len(some) for some in nodes])]).astype(np.int64)
    flat = [node for some in nodes for node in some]
    return Ragged(np.array(flat, dtype=np.int64), ends[offsets])


def _link_sums(egos: EgoGraphs) -> np.ndarray:
    """For each neighbour, in the order of their keys, the sum of the keys of common neighbours."""
    rows, position = np.unique(egos.members, return_inverse=True)
    keys = profile_keys(egos.profiles[rows])[position]
    sums = link_signatures(egos, keys)
    order = np.lexsort((sums, keys, egos.owner))
    return sums[order[~egos.is_centre[order]]]


def _linked(candidates: Representations, target: Representations) -> np.ndarray:
    """Candidates that show a link to the target which agrees with the one that it shows."""
    shown = target.ragged["neighbours"].values.tolist()
    links = set(zip(shown, target.ragged["signatures"].values.tolist(), strict=True))
    around, sums = candidates.ragged["neighbours"], candidates.ragged["signatures"].values
    own = np.asarray(candidates.arrays["own"])
    hits = np.flatnonzero(around.values == target.arrays["own"][0])
    owner = around.owner
    found = {int(owner[hit]) for hit in hits if (int(own[owner[hit]]), int(sums[hit])) in links}
    return np.array(sorted(found), dtype=np.int64)
