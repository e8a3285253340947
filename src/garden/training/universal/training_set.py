"""The graphs that `universal` is trained on, of many families, and those that validate.

A family is left out as a whole, or some of its graphs are, so that a policy is tested on what its
training lacked. ``facebook:ID`` and the ego networks of ``collection:circles`` are one family, all
generated graphs another.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from garden.datasets.random_attributed import attributed, positioned, with_attributes
from garden.datasets.spec import load
from garden.datasets.subgraphs import snowball_sample, thinned
from garden.graphs.graph import Graph
from garden.random_streams import PLAIN_PROFILES
from garden.training.universal.curriculum import FACEBOOK, MUSAE, TWITCH, CurriculumGraph

TRAINING_SET = "many families"
"""What a policy's record calls this set."""
GENERATED = "generated"
SOCIAL = "facebook"
SHARES = {SOCIAL: 0.30, GENERATED: 0.35}
OTHERS = 0.35
"""Shares of the updates; all families without a number of their own divide the last evenly."""

WHOLE_NODES = 900  # up to as many, a graph is trained on whole
PIECES = (200, 350, 500, 700)  # nodes of the pieces of larger graphs
VALIDATED_PIECE = 2
LARGE_PIECE = 1800
VALIDATED_EVERY, VALIDATED_FIRST = 9, 4  # circles that validate and are never trained on
NUM_GENERATED = {"attributed": 100, "positioned": 26, "plain": 30, "modelled": 44}
VALIDATED_GENERATED = 8  # the last of each kind


@dataclass(frozen=True)
class Source:
    """One graph, real or generated, from which training graphs are made."""

    spec: str
    family: str
    validates: bool = False


def sources(collection: Path | None = None) -> list[Source]:
    """All graphs that there are to train on, in a fixed order.

    Args:
        collection: The folder of the collection; by default that of ``GARDEN_DATA``.

    """
    return [*_real_sources(collection), *_generated_sources()]


def _real_sources(collection: Path | None) -> Iterator[Source]:
    folder = collection or Path(os.environ.get("GARDEN_DATA", "")) / "collection"
    for spec in FACEBOOK:
        yield Source(spec, SOCIAL)
    for number, path in enumerate(sorted((folder / "circles").glob("*.npz"))):
        validates = number % VALIDATED_EVERY == VALIDATED_FIRST
        yield Source(f"collection:circles/{path.stem}", SOCIAL, validates)
    for spec in TWITCH:
        yield Source(spec, "twitch")
    yield Source(MUSAE, MUSAE)
    for path in sorted(folder.glob("*/*.npz")):
        if path.parent.name != "circles":
            yield Source(f"collection:{path.parent.name}/{path.stem}", path.parent.name)


def _generated_sources() -> Iterator[Source]:
    for kind, count in NUM_GENERATED.items():
        for seed in range(count):
            yield Source(
                f"{GENERATED}:{kind},seed={seed}", GENERATED, seed >= count - VALIDATED_GENERATED
            )


def graph_of_source(source: Source) -> Graph:
    """The whole graph of a source: loaded by its spec, or generated from its seed."""
    if source.family != GENERATED:
        return load(source.spec)
    kind, _, seed = source.spec.removeprefix(f"{GENERATED}:").partition(",seed=")
    return _MAKERS[kind](int(seed))


def training_graphs(source: Source) -> Iterator[CurriculumGraph]:
    """What is trained or validated on of a source: itself, thinned copies, pieces."""
    graph = graph_of_source(source)
    if graph.num_nodes > WHOLE_NODES and source.family != GENERATED:
        yield from _pieces(source, graph)
        return
    targets = 48 if source.family == SOCIAL else 30
    if graph.num_nodes > WHOLE_NODES:
        targets = max(6, 16_000 // graph.num_nodes)
    yield CurriculumGraph(source.spec, graph, targets, source.validates)
    if source.validates or graph.num_nodes > WHOLE_NODES:
        return
    if source.family != GENERATED:
        copies = 3 if source.family == "web" or source.spec in FACEBOOK else 1
        for number in range(copies):
            yield CurriculumGraph(source.spec, thinned(graph, number), 32)


def _pieces(source: Source, graph: Graph) -> Iterator[CurriculumGraph]:
    for number, size in enumerate(PIECES):
        piece = snowball_sample(graph, size, number)
        yield CurriculumGraph(source.spec, piece, 36, number == VALIDATED_PIECE)
        if number == 1:
            yield CurriculumGraph(source.spec, thinned(piece, number), 30)
    large = graph
    if graph.num_nodes > 1.5 * LARGE_PIECE:
        large = snowball_sample(graph, LARGE_PIECE, len(PIECES))
    yield CurriculumGraph(source.spec, large, 12)


def _plain(seed: int) -> Graph:
    """A graph whose profiles say little or nothing: all alike, all zero, drawn at random."""
    rng = np.random.default_rng([seed, PLAIN_PROFILES])
    if seed % 2:
        graph = attributed(10_000 + seed)
    else:
        spec = ("power-law", "small-world", "block-model", "geometric")[seed // 2 % 4]
        degree = int(rng.integers(2, 6)) * 2
        graph = load(f"{spec}:n={int(rng.integers(100, 600))},degree={degree},seed={seed}")
    num, width = graph.num_nodes, int(rng.integers(1, 30))
    table = np.zeros((num, width))
    kind = seed % 5
    if kind == 0:
        table[:] = 1
    elif kind == 2:
        table[:] = rng.random((num, width)) < rng.uniform(0.05, 0.5)
    elif kind == 3:
        table[np.arange(num), rng.integers(0, width, num)] = 1
    elif kind == 4:
        table[:, 0] = rng.random(num) < rng.uniform(0.02, 0.5)
    return with_attributes(graph, table, f"plain profiles, seed {seed}")


def _modelled(seed: int) -> Graph:
    """A generated graph with attributes handed on along a forest: bits, categories, numbers."""
    rng = np.random.default_rng([seed, PLAIN_PROFILES, 1])
    layout = ("power-law", "small-world", "block-model", "geometric")[seed % 4]
    kind = ("binary", "categorical", "real")[seed // 4 % 3]
    attributes = int(rng.integers(2, 40)) if kind == "binary" else int(rng.integers(1, 8))
    missing = rng.choice([0, 0, 0.1, 0.5])
    noise = rng.choice([0, 0.02, 0.1])
    return load(
        f"{layout}:n={int(np.exp(rng.uniform(5, 7)))},degree={2 * int(rng.integers(2, 8))},"
        f"seed={seed},attributes={attributes},kind={kind},homophily={rng.uniform(0.4, 0.97):.2f},"
        f"blocks={int(rng.integers(4, 30))},noise={noise},missing={missing}"
    )


def _positioned(seed: int) -> Graph:
    rng = np.random.default_rng([seed, PLAIN_PROFILES, 2])
    size = int(np.exp(rng.uniform(5, 7.8)))
    return positioned(
        size,
        float(rng.uniform(7, 15)),
        int(rng.choice([1, 2, 2, 2, 3])),
        float(10 ** rng.uniform(-1, 2)),
        seed,
    )


_MAKERS = {
    "attributed": attributed,
    "positioned": _positioned,
    "plain": _plain,
    "modelled": _modelled,
}


def shares(batch_sources: Sequence[Source]) -> np.ndarray:
    """The chance that an update draws each training graph, by its source: sum 1.

    A family has its share, divided evenly over its kinds where it is generated, then over sources,
    then over the graphs made of one source.
    """
    groups = [_group(source) for source in batch_sources]
    families = {source.family for source in batch_sources}
    rest = [family for family in families if family not in SHARES]
    raw = []
    for source, group in zip(batch_sources, groups, strict=True):
        family = source.family
        share = SHARES.get(family, OTHERS / max(1, len(rest)))
        kinds = {g for s, g in zip(batch_sources, groups, strict=True) if s.family == family}
        members = [s.spec for s, g in zip(batch_sources, groups, strict=True) if g == group]
        raw.append(share / len(kinds) / len(set(members)) / members.count(source.spec))
    return np.array(raw) / sum(raw)


def _group(source: Source) -> str:
    return source.spec.partition(",")[0] if source.family == GENERATED else source.family
