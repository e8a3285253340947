import numpy as np
import pytest

from garden.datasets import kaiser_hilgetag as module
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.errors import GraphError


def test_kaiser_hilgetag__grows_a_connected_graph_from_the_centre():
    graph = kaiser_hilgetag(n=150, beta=0.1, seed=4)
    assert graph.num_nodes == 150
    assert graph.components().max() == 0
    assert graph.attributes[0].tolist() == [0.5, 0.5]
    assert graph.attributes.min() >= 0
    assert graph.attributes.max() <= 1


def test_kaiser_hilgetag__same_seed_same_graph_other_seed_other_graph():
    assert kaiser_hilgetag(n=60, seed=1).content_hash == kaiser_hilgetag(n=60, seed=1).content_hash
    assert kaiser_hilgetag(n=60, seed=1).content_hash != kaiser_hilgetag(n=60, seed=2).content_hash


def test_kaiser_hilgetag__certain_links_make_a_complete_graph():
    graph = kaiser_hilgetag(n=12, alpha=0, beta=1)
    assert graph.num_edges == 12 * 11 / 2


@pytest.mark.parametrize("d", [1, 3, 7])
def test_kaiser_hilgetag__any_dimension_will_do(d):
    graph = kaiser_hilgetag(n=30, alpha=2, beta=1, d=d)
    assert graph.attributes.shape == (30, d)


def test_kaiser_hilgetag__many_dimensions_keep_blocks_small(monkeypatch):
    monkeypatch.setattr("garden.datasets.kaiser_hilgetag.MAX_BLOCK", 64)
    drawn = []

    class Watched:
        rng = np.random.default_rng(0)

        def random(self, shape):
            drawn.append(shape[0] * shape[1])
            return self.rng.random(shape)

    monkeypatch.setattr(np.random, "default_rng", lambda _: Watched())
    kaiser_hilgetag(n=8, alpha=1, beta=0.05, d=16)
    assert max(drawn) <= 64


def test_kaiser_hilgetag__links_fall_with_distance_as_the_formula_says():
    graph = kaiser_hilgetag(n=1500, alpha=8, beta=0.6, seed=0)
    places = np.asarray(graph.attributes, dtype=float)
    first, second = np.triu_indices(1500, k=1)
    lengths = np.linalg.norm(places[first] - places[second], axis=1)
    linked = graph.adjacency()[first, second]
    for low, high in ((0.05, 0.07), (0.1, 0.12), (0.2, 0.22), (0.4, 0.44)):
        band = (lengths >= low) & (lengths < high)
        expected = (0.6 * np.exp(-8 * lengths[band])).mean()
        error = 4 * np.sqrt(expected / band.sum())
        assert linked[band].mean() == pytest.approx(expected, abs=error)


def test_kaiser_hilgetag__growth_in_vain_names_its_parameters(monkeypatch):
    monkeypatch.setattr(module, "MAX_DRAWS", 5000)
    with pytest.raises(GraphError, match=r"alpha=200, beta=1e-06, d=3"):
        kaiser_hilgetag(n=10, alpha=200, beta=1e-6, d=3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n": 1}, "n=1"),
        ({"d": 0}, "d=0"),
        ({"alpha": float("nan")}, "alpha=nan"),
        ({"alpha": -1}, "alpha=-1"),
        ({"beta": 0}, "beta=0"),
        ({"beta": float("inf")}, "beta=inf"),
        ({"n": 10**12}, "too large"),
    ],
)
def test_kaiser_hilgetag__bad_parameters_are_named(parameters, message):
    with pytest.raises(GraphError, match=message):
        kaiser_hilgetag(**parameters)


def test_kaiser_hilgetag__many_nodes_are_said_to_take_time_as_their_square(monkeypatch, caplog):
    monkeypatch.setattr(module, "MANY_NODES", 19)
    kaiser_hilgetag(n=19)
    assert "n²" not in caplog.text
    kaiser_hilgetag(n=20)
    assert "time grows as n²: n=20 takes at least 1.9e+02 comparisons" in caplog.text
