import numpy as np

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.graphs.ego_extraction import ego_graphs
from garden.resolve import contenders_named
from garden.search import score_blocks as scores
from garden.search.compare import compare
from garden.search.config import EvaluationConfig
from garden.search.score_blocks import ScoreMemo, score_blocks
from garden.strategies.walkers import DistanceWalker

GRAPH = kaiser_hilgetag(n=40, beta=2, seed=1)


class Counting(DistanceWalker):
    """Counts how many tables it was asked for."""

    tables = 0

    def score(self, candidates, targets):
        Counting.tables += 1
        return super().score(candidates, targets)


def test_memo__scores_a_shared_strategy_once_and_changes_nothing():
    task = SearchTask.split(GRAPH, seed=0)
    config = EvaluationConfig(episodes_per_pair=2)
    shared = contenders_named(["distance", "distance+visited", "distance+backtrack"])
    assert shared[0].strategy is shared[1].strategy is shared[2].strategy
    apart = [contenders_named([f"distance+{one.memory.name}"])[0] for one in shared]
    for ours, theirs in zip(
        compare(task, shared, config).results, compare(task, apart, config).results, strict=True
    ):
        assert np.array_equal(ours.outcomes.hops, theirs.outcomes.hops)
        assert ours.parameters == theirs.parameters


def test_memo__keeps_tables_and_forgets_the_oldest_when_there_is_no_room(monkeypatch):
    first, second = Counting(temperature=1.0), Counting(temperature=2.0)
    rows = first.represent(ego_graphs(GRAPH))
    targets = np.array([3, 5])
    Counting.tables = 0
    memo = ScoreMemo()
    for _ in range(2):
        for strategy in (first, second):
            for (block, table), (expected, plain) in zip(
                memo(strategy, rows, targets), score_blocks(strategy, rows, targets), strict=True
            ):
                assert block == expected
                assert np.array_equal(table, plain)
    assert Counting.tables == 2 + 4  # each once by the memo, and four times beside it

    monkeypatch.setattr(scores, "MAX_KEPT", 100)  # room for one table of 80
    Counting.tables = 0
    memo = ScoreMemo()
    for strategy in (first, first, second, second, first):
        list(memo(strategy, rows, targets))
    assert Counting.tables == 3
    list(memo(first, rows, np.arange(3)))  # too large to keep at all
    list(memo(first, rows, np.arange(3)))
    assert Counting.tables == 5
