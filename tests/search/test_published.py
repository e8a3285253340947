"""The baseline columns of the paper's table, on its own graphs and its own attribute order."""

import pytest

from garden.datasets.public_graphs import load_public_graph
from garden.datasets.task import SearchTask
from garden.search.compare import Contender, compare
from garden.search.config import EvaluationConfig
from garden.search.seed_summary import SeedSummary
from garden.strategies.memory import memory_named
from garden.strategies.registry import WALKERS

SEEDS = range(10)
RANDOM = {"414": 33, "686": 35, "348": 38.5, "0": 29, "3437": 30}
DISTANCE = {"414": 15.98, "686": 13.01, "348": 9.99, "0": 14.33, "3437": 22.71}
GREEDY = {"414": 27.17, "348": 27.35, "0": 25.69, "3437": 28.29}
BIDIRECTIONAL_AT_MOST = {"414": 1.8, "686": 1.8, "348": 1.7, "0": 5.3, "3437": 6.3}

pytestmark = pytest.mark.slow


def mean_ratios(real_data, ego, attributes, names, memory="none"):
    """The oracle ratio of each walker, averaged over the seeds."""
    graph = load_public_graph(
        "facebook", ego, attributes, real_data / "facebook"
    ).largest_component()
    contenders = [Contender(name, WALKERS[name](), memory_named(memory)) for name in names]
    reports = [
        compare(SearchTask.split(graph, seed=seed), contenders, EvaluationConfig())
        for seed in SEEDS
    ]
    return [mean.oracle_ratio for mean in SeedSummary(tuple(reports)).means]


@pytest.mark.parametrize("ego", RANDOM)
def test_published__baselines_are_met_with_attributes_as_published(real_data, ego):
    random, distance, greedy = mean_ratios(
        real_data, ego, "as-published", ["random", "distance", "greedy"]
    )
    assert random == pytest.approx(RANDOM[ego], abs=2.5)
    assert distance == pytest.approx(DISTANCE[ego], abs=4)
    if ego in GREEDY:
        assert greedy == pytest.approx(GREEDY[ego], abs=4)
    else:
        # No published number is held against this graph: the band is our own.
        assert 20 <= greedy <= 23


@pytest.mark.parametrize("ego", BIDIRECTIONAL_AT_MOST)
def test_published__bidirectional_with_memory_stays_near_the_oracle(real_data, ego):
    (ratio,) = mean_ratios(real_data, ego, "by-id", ["bidirectional"], "visited")
    assert ratio <= BIDIRECTIONAL_AT_MOST[ego]
