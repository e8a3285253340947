import numpy as np
import pytest

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.resolve import contenders_named, memory_named
from garden.search.compare import Contender, compare
from garden.search.config import EvaluationConfig
from garden.search.walk import walk
from garden.strategies import base
from garden.strategies.base import ScoreMemo, Strategy, score_blocks
from garden.strategies.representations import Representations
from garden.strategies.walkers import DistanceWalker

GRAPH = kaiser_hilgetag(n=20, beta=1, seed=0)
TASK = SearchTask.split(GRAPH)
DENSER = kaiser_hilgetag(n=40, beta=2, seed=1)


class Plain(Strategy):
    """The least that a strategy of one's own can be."""

    def represent(self, egos):
        return Representations({"degree": egos.degrees})

    def score_pairs(self, candidates, targets):
        return candidates.arrays["degree"].tolist()


class Nameless(Plain):
    name = ""


class Undecided(Plain):
    selection = "best"


class Forgetful(Plain):
    def represent(self, egos):
        return Representations({"degree": egos.degrees[1:]})


class Bare(Plain):
    def represent(self, egos):
        return egos.degrees


class Flat(Plain):
    def score_pairs(self, candidates, targets):
        return 1.0


class Wordy(Plain):
    def score_pairs(self, candidates, targets):
        return ["good"] * len(candidates)


class Narrow(Plain):
    def score(self, candidates, targets):
        return np.zeros(len(candidates))


class Endless(Plain):
    def fit(self, egos):
        return self


def compared(strategy):
    return compare(TASK, [Contender("mine", strategy, memory_named("none"))], EvaluationConfig())


def walked(strategy):
    rows = strategy.represent(ego_graphs(GRAPH))
    return walk(GRAPH, strategy, rows, 3, 15, memory_named("none"), 50, 0)


def test_strategy__two_functions_are_enough():
    assert (Plain.name, Plain().selection) == ("Plain", "softmax")
    assert Forgetful.name == "Forgetful"
    assert compared(Plain()).results[0].oracle_ratio >= 1
    assert walked(Plain()).hops > 0


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Nameless, "Nameless: its name is ''"),
        (Undecided, "Undecided: selection is 'best': choose from softmax, argmax"),
        (Forgetful, "Forgetful: represent gave 19 rows for 20 ego graphs"),
        (Bare, "Bare: represent gave a ndarray"),
        (Flat, r"Flat: scores have shape \(\)"),
        (Wordy, "Wordy: a score is no number"),
        (Endless, "Endless: it has fit, but no property `fitted`"),
    ],
)
def test_strategy__one_that_breaks_its_word_is_refused_by_name(kind, message):
    for play in (compared, walked):
        with pytest.raises(StrategyError, match=message):
            play(kind())


def test_strategy__a_table_of_another_shape_is_refused():
    with pytest.raises(
        StrategyError, match=r"Narrow: scores have shape \(20,\), expected \(2, 20\)"
    ):
        compared(Narrow())


class Counting(DistanceWalker):
    """Counts how many tables it was asked for."""

    tables = 0

    def score(self, candidates, targets):
        Counting.tables += 1
        return super().score(candidates, targets)


def test_memo__scores_a_shared_strategy_once_and_changes_nothing():
    task = SearchTask.split(DENSER, seed=0)
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
    rows = first.represent(ego_graphs(DENSER))
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

    monkeypatch.setattr(base, "MAX_KEPT", 100)  # room for one table of 80
    Counting.tables = 0
    memo = ScoreMemo()
    for strategy in (first, first, second, second, first):
        list(memo(strategy, rows, targets))
    assert Counting.tables == 3
    list(memo(first, rows, np.arange(3)))  # too large to keep at all
    list(memo(first, rows, np.arange(3)))
    assert Counting.tables == 5
