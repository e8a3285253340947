"""Every registered strategy sees ego graphs and nothing else, to the last bit."""

import numpy as np
import pytest

from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.strategies.base import Strategy
from garden.strategies.registry import GOSSIP, WALKERS
from garden.strategies.representations import Representations
from garden.strategies.universal.features import NUM_FEATURES
from garden.strategies.universal.policy import OF_TARGET, Universal, UniversalWeights
from garden.testing import check_strategy, strategy_problems


def universal():
    """An untrained `universal`: locality holds whatever its weights are."""
    draws = np.random.default_rng(7)
    shapes = {"mean": (), "scale": (), "first": (8,), "first_bias": (8,)}
    parts = {name: draws.normal(size=(NUM_FEATURES, *shape)) for name, shape in shapes.items()}
    parts["first_bias"] = parts["first_bias"][0]
    hidden = {"second": draws.normal(size=(8, 8)), "second_bias": draws.normal(size=8)}
    last = {"last": draws.normal(size=(8, 2)), "last_bias": draws.normal(size=2)}
    term = {"direct": draws.normal(size=len(OF_TARGET)), "direct_bias": draws.normal(size=1)}
    weights = UniversalWeights(**parts, **hidden, **last, **term)
    return Universal(weights, bound=1.5, temperature=1.0)


STRATEGIES = {**WALKERS, **GOSSIP, "universal": universal}


@pytest.mark.parametrize("name", STRATEGIES)
def test_strategy__keeps_the_contract_with_rows_that_agree_to_the_last_bit(name):
    check_strategy(STRATEGIES[name](), exact=True)


class SumOfProfiles(Strategy):
    """Adds the members' profiles up in the order in which they stand."""

    def represent(self, egos):
        profiles = egos.profiles
        dense = profiles if isinstance(profiles, np.ndarray) else profiles.toarray()
        total = np.zeros((len(egos), egos.num_attributes))
        np.add.at(total, egos.owner, dense[egos.members].astype(np.float64) / 3)
        return Representations({"sum": total})

    def score(self, candidates, targets):
        return targets.arrays["sum"] @ candidates.arrays["sum"].T


def test_check__exact_finds_rows_that_differ_by_rounding_alone():
    check_strategy(SumOfProfiles())
    problems = strategy_problems(SumOfProfiles(), exact=True)
    assert len(problems) == 1
    assert "order in which an ego graph's neighbours or edges stand" in problems[0]


def test_bytes__a_row_of_keys_costs_eight_for_each_member():
    graph = Graph.from_edges(np.array([[0, 1], [1, 2], [1, 3]]), 4, np.eye(4))
    rows = WALKERS["bidirectional"]().represent(ego_graphs(graph))
    assert rows.bytes_per_row.tolist() == [16, 32, 16, 16]
