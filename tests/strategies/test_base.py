import numpy as np
import pytest

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.search.compare import Contender, compare
from garden.search.config import EvaluationConfig
from garden.search.walk import walk
from garden.strategies.base import Strategy
from garden.strategies.memory import memory_named
from garden.strategies.representations import Representations

GRAPH = kaiser_hilgetag(n=20, beta=1, seed=0)
TASK = SearchTask.split(GRAPH)


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
