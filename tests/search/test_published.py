"""The baselines of the paper's Table 1, on its own graphs and its own attribute order."""

import functools

import pytest

from garden.datasets.snap import load_public_graph
from garden.datasets.task import SearchTask
from garden.experiments.paper.published import FACEBOOK
from garden.resolve import memory_named
from garden.search.compare import Contender, compare
from garden.search.config import EvaluationConfig
from garden.search.seed_summary import SeedSummary
from garden.strategies.registry import WALKERS

SEEDS = range(3)
BASELINES = ("random", "connection", "distance", "greedy")
TOLERANCE = {"random": 2.5, "connection": 2.5, "distance": 4.0, "greedy": 4.0}
DEPARTURE = pytest.mark.xfail(
    strict=True, reason="greedy has about 21 here, and the paper prints 31.78"
)
CASES = [
    pytest.param(ego, name, marks=[DEPARTURE] if (ego, name) == ("686", "greedy") else [])
    for ego in FACEBOOK
    for name in BASELINES
]


@functools.cache
def mean_ratios(folder, ego):
    """The mean oracle ratio of each baseline over the seeds."""
    graph = load_public_graph("facebook", ego, "as-published", folder).largest_component()
    contenders = [Contender(name, WALKERS[name](), memory_named("none")) for name in BASELINES]
    reports = [
        compare(SearchTask.split(graph, seed=seed), contenders, EvaluationConfig())
        for seed in SEEDS
    ]
    return {mean.name: mean.oracle_ratio for mean in SeedSummary(tuple(reports)).means}


@pytest.mark.parametrize(("ego", "name"), CASES)
def test_published__a_baseline_has_the_ratio_that_the_paper_prints(real_data, ego, name):
    ratio = mean_ratios(real_data / "facebook", ego)[name]
    assert ratio == pytest.approx(FACEBOOK[ego][name].oracle_ratio, abs=TOLERANCE[name])
