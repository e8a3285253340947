import numpy as np
import pytest

from garden import load
from garden.resolve import strategy_named
from garden.search import lazy_rows
from garden.search.lazy_rows import LazyRows
from garden.search.rounds import representations_of
from garden.testing.equality import differing_row

GRAPH = load("kaiser-hilgetag:n=60,beta=1,seed=2")


@pytest.mark.parametrize("name", ["greedy", "bidirectional", "universal"])
def test_lazy_rows__are_the_rows_of_the_whole_graph_in_any_order(name, monkeypatch):
    monkeypatch.setattr(lazy_rows, "MEMBERS_PER_BLOCK", 50)
    strategy = strategy_named(name)
    everyone = representations_of(GRAPH, strategy)
    rows = LazyRows(GRAPH, strategy)
    rng = np.random.default_rng(0)
    for size in (1, 7, 3, 20, 5, 60):
        nodes = rng.integers(0, 60, size)
        assert differing_row(rows.take(nodes), everyone.take(nodes), exact=True) is None


def test_lazy_rows__are_made_once_and_counted():
    rows = LazyRows(GRAPH, strategy_named("greedy"))
    assert len(rows) == 60
    assert rows.num_represented == 0
    rows.take(np.array([3, 5, 3]))
    rows.take(np.array([5, 8]))
    assert rows.num_represented == 3
    rows.prepare(np.arange(60))
    assert rows.num_represented == 60


def test_lazy_rows__stay_in_few_blocks():
    rows = LazyRows(GRAPH, strategy_named("greedy"))
    for node in range(60):
        rows.take(np.array([node]))
    assert len(rows._blocks) < 8
