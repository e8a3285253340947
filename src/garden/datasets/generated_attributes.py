"""Attributes for generated graphs: profiles that are handed on from neighbour to neighbour.

Some nodes, the founders, begin a block each. Every other node has a parent: its neighbour one hop
nearer to a founder. A node takes each attribute over from its parent with chance ``homophily`` and
draws it anew otherwise, so that profiles resemble each other the more the nearer two nodes stand in
this forest. Links are never changed. Whole numbers and plain comparisons decide everything: a seed
gives the same table on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from garden.errors import GraphError
from garden.graphs.ego import ragged_rows, row_offsets
from garden.graphs.graph import Graph
from garden.random_streams import GENERATED_ATTRIBUTES

KINDS = ("binary", "categorical", "real")
_MAX_CELLS = 1 << 30  # of the table; 4 GB
_HALF_WIDTH = math.sqrt(3.0)  # of a uniform variable of variance 1


@dataclass(frozen=True)
class AttributeModel:
    r"""How the attributes of a generated graph are drawn.

    Let p(v) be the parent of node v in the forest, and let all draws be independent. For each
    attribute a, a founder's value is a fresh draw, and

    .. math:: z_{va} = z_{p(v)a} \text{ with chance } h, \text{ else a fresh draw;} \qquad
              x_{va} = z_{va} \text{ with chance } 1 - ε, \text{ else a fresh draw.}

    A fresh draw is 0 or 1 (binary) or one of ``levels`` values (categorical, one column each), all
    equally probable, or uniform on :math:`[-\sqrt 3, \sqrt 3)`, which has mean 0 and
    variance 1 (real). At k steps along the forest the correlation of two binary or real values is
    therefore :math:`h^k`, before noise. With chance ``missing`` a whole profile is missing: zeros.
    """

    attributes: int = 0
    """How many attributes; 0 is none, and the other fields then mean nothing."""
    kind: str = "binary"
    """``binary``, ``categorical`` or ``real``."""
    blocks: int = 20
    """How many founders; of a block model, also how many blocks its links know."""
    homophily: float = 0.8
    """h, the chance that a node takes an attribute over from its parent."""
    noise: float = 0.0
    """ε, the chance that a value is drawn anew afterwards; children do not see this."""
    missing: float = 0.0
    """The chance that a node's profile is missing."""
    levels: int = 8
    """How many values a categorical attribute has."""

    @property
    def width(self) -> int:
        """How many columns the table has."""
        return self.attributes * (self.levels if self.kind == "categorical" else 1)

    @property
    def suffix(self) -> str:
        """What a spec says of the attributes: nothing where there are none."""
        if not self.attributes:
            return ""
        named = [field.name for field in fields(self) if field.name != "levels"]
        named += ["levels"] if self.kind == "categorical" else []
        return "".join(f",{name}={getattr(self, name)}" for name in named)

    def check(self, family: str, num_nodes: int) -> None:
        """Refuse what makes no sense in a graph of this family and size.

        Args:
            family: The family of generated graphs, for errors.
            num_nodes: How many nodes the graph has.

        Raises:
            GraphError: It names the family, the field and its value.
        """
        if not self.attributes and family != "block-model":
            return
        if self.attributes < 0:
            raise GraphError(f"{family}: attributes={self.attributes}, but a count is 0 or more")
        if self.kind not in KINDS:
            raise GraphError(f"{family}: kind={self.kind}, but it is one of {', '.join(KINDS)}")
        if self.levels < 2:
            raise GraphError(f"{family}: levels={self.levels}, but a category has at least 2")
        if not 1 <= self.blocks <= num_nodes:
            raise GraphError(f"{family}: blocks={self.blocks}, but n={num_nodes} allows 1 to n")
        for name in ("homophily", "noise", "missing"):
            check_chance(family, name, getattr(self, name))
        if num_nodes * self.width > _MAX_CELLS:
            raise GraphError(
                f"{family}: n={num_nodes} with {self.width} columns is too large to hold in "
                f"memory: n · columns may be {_MAX_CELLS} at most"
            )


def check_chance(family: str, name: str, chance: float) -> None:
    """Refuse a chance below 0 or above 1.

    Args:
        family: The family of generated graphs, for the error.
        name: The parameter that holds it.
        chance: Its value.

    """
    if not 0 <= chance <= 1:
        raise GraphError(f"{family}: {name}={chance:g}, but a chance lies from 0 to 1")


def attribute_table(
    graph: Graph, model: AttributeModel, seed: int, blocks: np.ndarray | None = None
) -> tuple[np.ndarray, list[str]]:
    """Attributes for the nodes of a graph.

    Column a comes from a stream of its own, so that more attributes leave the first ones as they
    are, and so do noise and missing profiles.

    Args:
        graph: The graph, whose own attributes are not read.
        model: How they are drawn; at least one.
        seed: Determines the table.
        blocks: The block of each node, (num_nodes,), where links were drawn by blocks: the forest
            then stays within them, and each block's first node is its founder.

    Returns:
        The table, (num_nodes, model.width) float32, and the names of its columns: ``x0``, or
        ``x0=0``, ``x0=1``, … of a category.

    """
    rng = _stream(seed, 0)
    if blocks is None:
        founders = np.sort(rng.choice(graph.num_nodes, model.blocks, replace=False))
        parents = parents_towards(graph.indptr, graph.indices, founders)
    else:
        parents = _parents_within(graph, blocks)
    table = np.zeros((graph.num_nodes, model.width), dtype=np.float32)
    categorical = model.kind == "categorical"
    for attribute in range(model.attributes):
        column = _column(_stream(seed, attribute + 1), parents, model)
        if categorical:
            table[np.arange(len(table)), attribute * model.levels + column] = 1
        else:
            table[:, attribute] = column
    if model.missing:
        table[rng.random(len(table)) < model.missing] = 0
    levels = range(model.levels) if categorical else [None]
    names = [
        f"x{attribute}" if level is None else f"x{attribute}={level}"
        for attribute in range(model.attributes)
        for level in levels
    ]
    return table, names


def parents_towards(indptr: np.ndarray, indices: np.ndarray, founders: np.ndarray) -> np.ndarray:
    """The neighbour of each node that is one hop nearer to the nearest founder.

    Args:
        indptr: Of the links in CSR form, (num_nodes + 1,).
        indices: Ascending within each row.
        founders: Positions, ascending.

    Returns:
        (num_nodes,) int32: of several such neighbours the first; −1 for a founder and where no
        path leads to one.

    """
    num_nodes = len(indptr) - 1
    depth = _depths(indptr, indices, founders)
    tails = np.repeat(np.arange(num_nodes, dtype=np.int32), np.diff(indptr))
    nearer = np.flatnonzero(depth[indices] == depth[tails] - 1)
    nearer = nearer[depth[tails[nearer]] > 0]
    rows = tails[nearer]
    first = np.diff(rows, prepend=-1) > 0
    parents = np.full(num_nodes, -1, dtype=np.int32)
    parents[rows[first]] = indices[nearer[first]]
    return parents


def resolved(value: np.ndarray, source: np.ndarray) -> np.ndarray:
    """The values, where entry i has that of entry ``source[i]``, or its own where that is −1.

    Pointer jumping: as long as its source is undecided too, an entry takes over the source's
    source, so that each round at least halves the length of the longest chain. Both arrays are
    overwritten; sources must not lead round in a circle.

    Args:
        value: (num_entries,), overwritten.
        source: (num_entries,) positions in ``value`` or −1, overwritten.

    Returns:
        ``value``.
    """
    undecided = np.flatnonzero(source >= 0)
    while len(undecided):
        before = source[undecided]
        value[undecided] = value[before]
        source[undecided] = source[before]
        undecided = undecided[source[undecided] >= 0]
    return value


def _column(rng: np.random.Generator, parents: np.ndarray, model: AttributeModel) -> np.ndarray:
    """The values of one attribute, (num_nodes,); of a category its level."""
    copied = rng.random(len(parents)) < model.homophily
    values = _fresh(rng, len(parents), model)
    values = resolved(values, np.where(copied, parents, np.int32(-1)))
    if model.noise:
        noisy = rng.random(len(parents)) < model.noise
        values = np.where(noisy, _fresh(rng, len(parents), model), values)
    return values


def _fresh(rng: np.random.Generator, count: int, model: AttributeModel) -> np.ndarray:
    if model.kind == "real":
        return (2 * rng.random(count) - 1) * _HALF_WIDTH
    return rng.integers(2 if model.kind == "binary" else model.levels, size=count)


def _depths(indptr: np.ndarray, indices: np.ndarray, founders: np.ndarray) -> np.ndarray:
    """Hops to the nearest founder, (num_nodes,) int32, level by level; −1 where there is none."""
    depth = np.full(len(indptr) - 1, -1, dtype=np.int32)
    depth[founders] = 0
    frontier, level = founders, 0
    while len(frontier):
        level += 1
        reached = indices[ragged_rows(indptr, frontier)[0]]
        frontier = np.unique(reached[depth[reached] < 0])
        depth[frontier] = level
    return depth


def _parents_within(graph: Graph, blocks: np.ndarray) -> np.ndarray:
    """Parents along links within blocks; where these lead to no founder, the founder itself."""
    tails = np.repeat(np.arange(graph.num_nodes, dtype=np.int32), graph.degrees)
    inside = blocks[tails] == blocks[graph.indices]
    indptr = row_offsets(np.bincount(tails[inside], minlength=graph.num_nodes))
    _, founders, membership = np.unique(blocks, return_index=True, return_inverse=True)
    parents = parents_towards(indptr, graph.indices[inside], np.sort(founders))
    lost = parents < 0
    lost[founders] = False
    parents[lost] = founders[membership[lost]]
    return parents


def _stream(seed: int, number: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64([seed, GENERATED_ATTRIBUTES, number]))
