"""The decision process itself: pure functions over many episodes at once.

``reset`` begins episodes and ``step`` moves every message that is still on its way; both return new
values and modify nothing. There is no auto-reset: a finished episode stays as it is, and its action
is ignored. Every environment of this package wraps these functions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from garden.errors import ActionError, TaskError
from garden.graphs.graph import Graph


@dataclass(frozen=True, eq=False)
class Episodes:
    """The states Sₜ of a batch of episodes."""

    holders: np.ndarray  # (num_episodes,) int64: the node u with M⁽ᵘ⁾ = 1
    targets: np.ndarray  # (num_episodes,) int64: u_tgt
    hops: np.ndarray  # (num_episodes,) int64: t
    delivered: np.ndarray  # (num_episodes,) bool
    truncated: np.ndarray  # (num_episodes,) bool

    def __len__(self) -> int:
        return len(self.holders)

    @property
    def finished(self) -> np.ndarray:
        """Which episodes are over, (num_episodes,) bool."""
        return self.delivered | self.truncated

    def renewed(self, rows: np.ndarray, others: Episodes) -> Episodes:
        """A copy in which some episodes are replaced.

        Args:
            rows: Which episodes are replaced, (num_others,).
            others: What replaces them.
        """

        def joined(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
            ours = ours.copy()
            ours[rows] = theirs
            return ours

        return Episodes(*map(joined, vars(self).values(), vars(others).values()))


def reset(graph: Graph, pairs: np.ndarray) -> Episodes:
    """Begin an episode for each pair.

    Args:
        graph: The graph that is searched.
        pairs: Positions of source and target, (num_episodes, 2); the two differ.
    """
    pairs = _checked_pairs(graph, pairs)
    num_episodes = len(pairs)
    return Episodes(
        holders=pairs[:, 0].copy(),
        targets=pairs[:, 1].copy(),
        hops=np.zeros(num_episodes, dtype=np.int64),
        delivered=np.zeros(num_episodes, dtype=bool),
        truncated=np.zeros(num_episodes, dtype=bool),
    )


def step(
    graph: Graph, episodes: Episodes, actions: np.ndarray, max_hops: int
) -> tuple[Episodes, np.ndarray]:
    """Pass each message to the neighbour in the chosen slot.

    Args:
        graph: The graph that is searched.
        episodes: The states before the step.
        actions: A slot for each episode, (num_episodes,) int: slot k is the holder's k-th
            neighbour by position. Actions of finished episodes are ignored.
        max_hops: T_max, the hop at which an episode is truncated.

    Returns:
        The states after the step, and rewards, (num_episodes,) float64: 1 on delivery, else 0.
    """
    on_way = ~episodes.finished
    actions = checked_actions(graph, episodes, actions)
    entries = graph.indptr[episodes.holders] + np.where(on_way, actions, 0)
    holders = np.where(on_way, graph.indices[entries], episodes.holders).astype(np.int64)
    hops = episodes.hops + on_way
    arrived = on_way & (holders == episodes.targets)
    delivered = episodes.delivered | arrived
    truncated = episodes.truncated | (on_way & ~arrived & (hops >= max_hops))
    following = Episodes(holders, episodes.targets, hops, delivered, truncated)
    return following, arrived.astype(np.float64)


def checked_actions(graph: Graph, episodes: Episodes, actions: np.ndarray) -> np.ndarray:
    """The actions as int64; an action that is no slot of its holder raises ``ActionError``.

    Args:
        graph: The graph that is searched.
        episodes: The states before the step.
        actions: A slot for each episode, (num_episodes,) int; those of finished episodes may be
            any.
    """
    actions = np.asarray(actions)
    if actions.shape != (len(episodes),):
        raise ActionError(f"actions have shape {actions.shape}: expected ({len(episodes)},)")
    if actions.dtype.kind not in "iu":
        raise ActionError(f"actions are {actions.dtype}: a slot is a whole number")
    num_slots = graph.degrees[episodes.holders]
    wrong = ((actions < 0) | (actions >= num_slots)) & ~episodes.finished
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ActionError(
            f"action {actions[row]} of episode {row}: its holder has {num_slots[row]} neighbours, "
            f"so its slots are 0 … {num_slots[row] - 1}; choose by the action mask"
        )
    return actions.astype(np.int64)


def action_masks(graph: Graph, holders: np.ndarray, max_degree: int) -> np.ndarray:
    """Which slots each holder has, (num_holders, max_degree) int8 of 0 and 1.

    Args:
        graph: The graph that is searched.
        holders: Positions of nodes, (num_holders,).
        max_degree: The number of slots.
    """
    slots = np.arange(max_degree)
    return (slots < graph.degrees[holders][:, None]).view(np.int8)


def _checked_pairs(graph: Graph, pairs: np.ndarray) -> np.ndarray:
    pairs = np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise TaskError(
            f"pairs are {pairs.dtype} of shape {pairs.shape}: expected positions, (num_pairs, 2)"
        )
    if pairs.size and (pairs.min() < 0 or pairs.max() >= graph.num_nodes):
        raise TaskError(f"a pair names a node outside 0 … {graph.num_nodes - 1} of {graph.name}")
    if (pairs[:, 0] == pairs[:, 1]).any():
        raise TaskError("a pair has the same node as source and target: give two different ones")
    return pairs.astype(np.int64)
