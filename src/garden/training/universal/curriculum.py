"""The graphs that `universal` is trained on, by kind, and those on which it is validated.

Whole kinds can be left out, so that a policy is tested on a graph of a kind not in its training.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from garden.datasets.random_attributed import attributed
from garden.datasets.spec import load
from garden.datasets.subgraphs import snowball_sample, thinned
from garden.errors import SpecError
from garden.graphs.graph import Graph

FACEBOOK = ("facebook:414", "facebook:686", "facebook:348", "facebook:0", "facebook:3437")
TWITCH = ("twitch:PTBR", "twitch:RU", "twitch:ES")
MUSAE = "musae-facebook"
KINDS = (*FACEBOOK, "twitch", MUSAE, "generated")
SHARES = {"facebook": 0.31, "twitch": 0.12, MUSAE: 0.12, "generated": 0.45}

THINNED_PER_GRAPH = 5  # of each Facebook graph
PIECES = 6  # of each Twitch graph; the fourth is for validation
MUSAE_PIECES = 12  # the last two are for validation
VALIDATED_PIECE, VALIDATED_MUSAE = 3, 10
GENERATED, VALIDATED = 150, 40


@dataclass(frozen=True)
class CurriculumGraph:
    """One graph of the curriculum."""

    kind: str  # one of KINDS, or any other name
    graph: Graph
    num_targets: int  # how many of its nodes are targets
    validates: bool = False  # kept out of training


def curriculum(
    without: Sequence[str] = (), progress: Callable[[str], None] = lambda _: None
) -> Iterator[CurriculumGraph]:
    """All graphs but those of the kinds left out, one after the other.

    Args:
        without: Kinds to leave out, of :data:`KINDS`.
        progress: Called with each kind before its graphs are made.

    """
    unknown = [kind for kind in without if kind not in KINDS]
    if unknown:
        raise SpecError(f"unknown kind {unknown[0]!r}: choose from {', '.join(KINDS)}")
    makers: dict[str, Callable[[], Iterator[CurriculumGraph]]] = {
        "twitch": _twitch,
        MUSAE: _musae,
        "generated": _generated,
    }
    for kind in KINDS:
        if kind not in without:
            progress(kind)
            yield from makers[kind]() if kind in makers else _facebook(kind)


def source_graphs(kinds: Sequence[str]) -> Iterator[Graph]:
    """The whole graphs of these kinds, of which the curriculum takes pieces and thinned copies."""
    for kind in kinds:
        if kind == "generated":
            yield from map(attributed, range(GENERATED + VALIDATED))
        else:
            yield from map(load, TWITCH if kind == "twitch" else (kind,))


def shares_of(kinds: Sequence[str]) -> list[float]:
    """The chance that an update draws each graph, from the kinds of all: (len(kinds),), sum 1.

    A family (`facebook`, `twitch`, …) has its share of :data:`SHARES`, split evenly over its kinds
    and then over the graphs of a kind. Any other kind counts 1.
    """
    families = [kind.split(":")[0] for kind in kinds]
    raw = [
        SHARES.get(family, 1.0) / len({kind for kind in kinds if kind.split(":")[0] == family})
        for family in families
    ]
    each = [share / kinds.count(kind) for share, kind in zip(raw, kinds, strict=True)]
    return [share / sum(each) for share in each]


def _facebook(spec: str) -> Iterator[CurriculumGraph]:
    graph = load(spec)
    yield CurriculumGraph(spec, graph, graph.num_nodes)
    seeds = int(spec.split(":")[1]) * 1000
    for number in range(THINNED_PER_GRAPH):
        yield CurriculumGraph(spec, thinned(graph, seeds + number), 60)


def _twitch() -> Iterator[CurriculumGraph]:
    for spec in TWITCH:
        graph = load(spec)
        for number in range(PIECES):
            piece = snowball_sample(graph, 150 + 100 * number, number)
            yield CurriculumGraph("twitch", piece, 40, number == VALIDATED_PIECE)


def _musae() -> Iterator[CurriculumGraph]:
    graph = load(MUSAE)
    for number in range(MUSAE_PIECES):
        piece = snowball_sample(graph, 150 + 60 * number, number)
        yield CurriculumGraph(MUSAE, piece, 40, number >= VALIDATED_MUSAE)
        if number % 3 == 0 and number < VALIDATED_MUSAE:
            yield CurriculumGraph(MUSAE, thinned(piece, number), 40)


def _generated() -> Iterator[CurriculumGraph]:
    for seed in range(GENERATED + VALIDATED):
        graph = attributed(seed)
        yield CurriculumGraph("generated", graph, 30, seed >= GENERATED)
        if seed % 3 == 0 and seed < GENERATED:
            yield CurriculumGraph("generated", thinned(graph, seed), 30)
