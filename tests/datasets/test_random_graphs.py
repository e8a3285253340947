"""Power-law and small-world graphs: formulas, seeds, and parameters that make no sense."""

import logging

import numpy as np
import pytest

from garden.datasets import random_graphs
from garden.datasets.generated_attributes import AttributeModel
from garden.datasets.random_graphs import block_model, geometric, power_law, small_world
from garden.datasets.spec import load
from garden.errors import GardenError, GraphError, SpecError
from garden.random_streams import BLOCK_MODEL_GRAPH, GEOMETRIC_GRAPH, POWER_LAW_GRAPH


def far_ends_one_by_one(num_nodes, num_links, seed):
    """The growth of a power-law graph, link by link, from the same draws."""
    rng = np.random.Generator(np.random.PCG64([seed, POWER_LAW_GRAPH]))
    count = (num_nodes - num_links - 1) * num_links
    to_any = rng.integers(10, size=count) == 0
    present = np.repeat(np.arange(num_links + 1, num_nodes), num_links)
    highs = np.where(to_any, present, 2 * num_links * (present - num_links))
    drawn = rng.integers(highs)
    targets = list(range(num_links))
    ends = [end for target in targets for end in (num_links, target)]
    for node in range(num_links + 1, num_nodes):
        mine = slice((node - num_links - 1) * num_links, (node - num_links) * num_links)
        chosen = [
            int(number) if is_any else ends[number]
            for number, is_any in zip(drawn[mine], to_any[mine], strict=True)
        ]
        targets += chosen
        ends += [end for target in chosen for end in (node, target)]
    return targets


@pytest.mark.parametrize(("n", "degree", "seed"), [(3, 2, 0), (400, 2, 1), (300, 6, 2)])
def test_power_law__is_the_growth_link_by_link(n, degree, seed):
    targets = far_ends_one_by_one(n, degree // 2, seed)
    newcomers = np.repeat(np.arange(degree // 2, n), degree // 2)
    links = {tuple(sorted(link)) for link in zip(newcomers.tolist(), targets, strict=True)}
    assert {tuple(edge) for edge in power_law(n, degree, seed).edges().tolist()} == links


def test_power_law__nine_links_in_ten_go_to_an_end_of_a_random_link():
    # Node m has joined 0 … m − 1, so that every second end is m; the last node brings m links.
    num_links = 40_000
    rng = np.random.default_rng(5)
    targets = random_graphs._attached(rng, num_links + 2, num_links)[num_links:]
    chance = 0.9 / 2 + 0.1 / (num_links + 1)
    assert (targets == num_links).mean() == pytest.approx(chance, abs=4 * 0.5 / 200)
    others = targets[targets != num_links]
    assert others.mean() == pytest.approx(20_000, abs=4 * 11_547 / np.sqrt(len(others)))


def test_power_law__the_tail_is_a_power_law_and_uniform_attachment_has_none(monkeypatch):
    degrees = np.sort(power_law(50_000, 8, seed=1).degrees)[::-1]
    tail = 1 / np.log(degrees[:500] / degrees[500]).mean()  # Hill's estimate of 2 / 0.9
    assert tail == pytest.approx(2 / 0.9, abs=0.3)
    monkeypatch.setattr(random_graphs, "UNIFORM_ONE_IN", 1)
    uniform = power_law(50_000, 8, seed=1).degrees
    assert uniform.max() < degrees.max() / 5


@pytest.mark.parametrize("degree", [2, 8, 16])
def test_power_law__is_connected_and_has_the_mean_degree_less_merged_links(degree):
    graph = power_law(5000, degree, seed=3)
    assert graph.num_nodes == 5000
    assert graph.components().max() == 0
    assert graph.num_attributes == 0
    assert degree * 0.97 < graph.degrees.mean() < degree


def test_small_world__without_rewiring_is_the_ring_lattice():
    graph = small_world(11, degree=4, rewired=0)
    for node in range(11):
        around = [(node + step) % 11 for step in (-2, -1, 1, 2)]
        assert graph.neighbours(node).tolist() == sorted(around)


def test_small_world__the_densest_lattice_is_complete():
    assert small_world(7, degree=6, rewired=0).num_edges == 21


def ring_lengths(graph):
    first, second = graph.edges().T.astype(np.int64)
    return np.minimum(second - first, graph.num_nodes - (second - first))


def test_small_world__all_rewired_ends_are_uniform_on_the_ring():
    lengths = ring_lengths(small_world(5000, degree=8, rewired=1, seed=2))
    assert 20_000 - 30 < len(lengths) < 20_000  # a few repeats and links to oneself
    assert lengths.mean() == pytest.approx(1250, abs=4 * 722 / np.sqrt(20_000))
    assert (lengths <= 4).mean() < 0.01


@pytest.mark.parametrize("rewired", [0.05, 0.5])
def test_small_world__as_many_links_leave_the_lattice_as_were_asked_for(rewired):
    graph = small_world(20_000, degree=6, rewired=rewired, seed=4)
    share = (ring_lengths(graph) > 3).mean()
    assert share == pytest.approx(rewired, abs=4 * np.sqrt(rewired * (1 - rewired) / 60_000))
    assert graph.degrees.mean() == pytest.approx(6, abs=0.01)
    assert graph.degrees.min() >= 3 - 1  # near ends stay; a link to oneself or a repeat is lost


# Another value would mean another graph under the same name.
PINNED = {
    "power-law:n=30,degree=4,seed=1": (
        "8500e943bf1cb19931a230a4f09801ec764f37196647efa3e0a4701f4c9c8f66"
    ),
    "small-world:n=30,degree=4,rewired=0.2,seed=1": (
        "1499c3149035fd14236f391df260931cfc7042bf0cb7a7648b87f0ecec28a5fc"
    ),
    "block-model:n=40,degree=4,blocks=3,within=0.8,seed=1": (
        "ffb0115d9968100c84314f85c81853405965b0145cbe6e4aa932848d751e8d72"
    ),
    "geometric:n=60,degree=8,rewired=0.1,seed=1": (
        "f9676f8e88f8082fcd68b62afeb1cc1ec71fa27219cadf4956f1f7fa4f65ee46"
    ),
    "power-law:n=30,degree=4,attributes=3,blocks=2,homophily=0.5,noise=0.2,missing=0.1,seed=1": (
        "bfb5a74c7cc5435bc1e54fe432e14ed016f53ca73b8d81c258b363b98b9bbad6"
    ),
    "small-world:n=30,degree=4,attributes=2,kind=categorical,levels=3,blocks=2,seed=1": (
        "ff3b6600bceebeb1f200da81dd466665f664d06345b506a88a865b55a65059f1"
    ),
    "block-model:n=40,degree=4,blocks=3,attributes=2,kind=real,noise=0.1,seed=1": (
        "fdeab7a881d45ff19dac448d6d16c03e4dd922bbef5cb5b4a79489d1d4c2df8d"
    ),
    "geometric:n=60,degree=8,attributes=2,blocks=4,seed=1": (
        "72b2d831a90648ed7ce8e066925f715ce2d9c3aae0d1abdf97c28262cc7fcc21"
    ),
    "block-model": "bde30dde8478feef766048c9d829c76df949c9c00fc54cc21e7f83a2aa504275",
    "geometric": "83d39da5a0f0e40c9d340cb2c5a72a958abfb18368e176f21fde7d2aa878edf1",
    "power-law": "a37accc426126b7ab81eb1f97d953b2cd3e45cd459e19311144c5eea03ca39a0",
    "small-world": "2311ae7b662de54090b574833cf6766bf0105d910e7700459df5b64717628d51",
}


@pytest.mark.parametrize("spec", list(PINNED))
def test_random_graphs__a_spec_names_one_graph_for_good(spec):
    graph = load(spec)
    assert graph.name == spec
    assert graph.content_hash == PINNED[spec]


def test_random_graphs__defaults_are_those_of_the_functions():
    assert load("power-law") == load("power-law:n=1000,degree=16,seed=0") == power_law()
    full = "small-world:n=1000,degree=10,rewired=0.05,seed=0"
    assert load("small-world") == load(full) == small_world()
    assert (power_law().name, small_world().name) == ("power-law:n=1000,degree=16,seed=0", full)
    for graph in (block_model(), geometric()):
        assert load(graph.name.partition(":")[0]) == graph == load(graph.name)


@pytest.mark.parametrize("generate", [power_law, small_world, block_model, geometric])
@pytest.mark.parametrize("kind", ["binary", "categorical", "real"])
def test_random_graphs__attributes_leave_the_links_and_the_name_is_a_full_spec(generate, kind):
    model = AttributeModel(3, kind, blocks=5, homophily=0.6, noise=0.1, missing=0.1)
    graph, plain = generate(200, 8, seed=3, model=model), generate(200, 8, seed=3)
    if generate is block_model:
        plain = generate(200, 8, seed=3, model=AttributeModel(blocks=5))
    assert graph.edges().tolist() == plain.edges().tolist()
    assert (graph.num_attributes, plain.num_attributes) == (model.width, 0)
    assert load(graph.name) == graph.largest_component()


def test_block_model__links_stay_inside_blocks_as_often_as_asked_for():
    graph = block_model(20_000, 10, within=0.6, seed=2, model=AttributeModel(blocks=4))
    blocks = np.random.Generator(np.random.PCG64([2, BLOCK_MODEL_GRAPH])).integers(4, size=20_000)
    inside = blocks[graph.edges()[:, 0]] == blocks[graph.edges()[:, 1]]
    assert inside.mean() == pytest.approx(0.6 + 0.4 / 4, abs=4 * 0.5 / np.sqrt(100_000))
    assert graph.degrees.mean() == pytest.approx(10, abs=0.02)


def test_block_model__one_block_is_a_uniformly_random_graph():
    edges = block_model(5000, 8, seed=1, model=AttributeModel(blocks=1)).edges()
    lengths = np.abs(edges[:, 0].astype(int) - edges[:, 1])
    assert lengths.mean() == pytest.approx(5000 / 3, abs=4 * 1200 / np.sqrt(20_000))


@pytest.mark.parametrize("seed", [0, 1])
def test_geometric__links_are_the_pairs_within_reach(seed):
    n, degree = 150, 6
    rng = np.random.Generator(np.random.PCG64([seed, GEOMETRIC_GRAPH]))
    points = rng.integers(1 << 26, size=(n, 2)).tolist()
    reach = degree / (np.pi * n) * 2**52  # squared, in steps of the grid
    near = {
        (u, v)
        for v in range(n)
        for u in range(v)
        if (points[u][0] - points[v][0]) ** 2 + (points[u][1] - points[v][1]) ** 2 <= reach
    }
    assert {tuple(edge) for edge in geometric(n, degree, seed=seed).edges().tolist()} == near


def test_geometric__the_border_costs_little_and_rewiring_moves_as_many_links_as_asked_for():
    plain, moved = geometric(20_000, 12, seed=3), geometric(20_000, 12, rewired=0.3, seed=3)
    assert plain.degrees.mean() == pytest.approx(12, rel=0.03)
    kept = {tuple(edge) for edge in plain.edges().tolist()}
    stayed = sum(tuple(edge) in kept for edge in moved.edges().tolist()) / plain.num_edges
    assert stayed == pytest.approx(0.7, abs=4 * 0.46 / np.sqrt(plain.num_edges))


@pytest.mark.parametrize("family", ["power-law", "small-world", "block-model", "geometric"])
def test_random_graphs__another_seed_is_another_graph(family):
    assert load(f"{family}:n=50,degree=4,seed=1") == load(f"{family}:degree=4,n=50,seed=1")
    assert load(f"{family}:n=50,degree=4,seed=1") != load(f"{family}:n=50,degree=4,seed=2")


def test_random_graphs__the_largest_component_is_taken_and_said(caplog):
    with caplog.at_level(logging.INFO, "garden"):
        graph = load("small-world:n=30,degree=2,rewired=1,seed=1")
    assert graph.num_nodes == 24
    assert "6 of 30 nodes and 5 of 29 edges are dropped" in caplog.text


FAMILY_ERRORS = {
    "degree=3": (GraphError, "degree=3, but it must be even and at least 2"),
    "degree=-2": (GraphError, "degree=-2, but it must be even"),
    "degree=0": (GraphError, "degree=0, but it must be even"),
    "degree=2.5": (SpecError, "degree=2.5 is not a whole number"),
    "n=4,degree=4": (GraphError, "n=4, but a mean degree of 4 needs at least 5 nodes"),
    "n=-1": (GraphError, "n=-1"),
    "n=1e6": (SpecError, "n=1e6 is not a whole number"),
    "n=100000000000": (GraphError, "too large to hold in memory"),
    "degree=100000000000": (GraphError, "needs at least 100000000001 nodes"),
    "seed=-1": (SpecError, "seed=-1"),
    "n=50,n=50": (SpecError, "n stands twice"),
    "1000": (SpecError, "'1000' is no key=value"),
}
BAD_SPECS = {
    f"{family}:{options}": error
    for family in ("power-law", "small-world", "block-model", "geometric")
    for options, error in FAMILY_ERRORS.items()
} | {
    "power-law:rewired=0.1": (SpecError, "unknown option 'rewired': use n, degree, seed"),
    "small-world:m=3": (SpecError, "unknown option 'm': use n, degree, rewired, seed"),
    "small-world:rewired=1.5": (GraphError, "rewired=1.5, but a chance lies from 0 to 1"),
    "small-world:rewired=-0.1": (GraphError, "rewired=-0.1"),
    "small-world:rewired=nan": (GraphError, "rewired=nan"),
    "small-world:rewired=much": (SpecError, "rewired=much is not a number"),
    "block-model:within=2": (GraphError, "within=2, but a chance lies from 0 to 1"),
    "block-model:blocks=0": (GraphError, "blocks=0, but n=1000 allows 1 to n"),
    "geometric:rewired=-1": (GraphError, "rewired=-1"),
    "power-law:homophily=0.5": (SpecError, "homophily says nothing without attributes"),
    "power-law:blocks=5": (SpecError, "blocks says nothing without attributes"),
    "power-law:attributes=4,levels=3": (SpecError, "levels goes with kind=categorical"),
    "power-law:attributes=-4": (GraphError, "attributes=-4"),
    "power-law:attributes=2,kind=text": (GraphError, "one of binary, categorical, real"),
    "power-law:attributes=2,homophily=1.5": (GraphError, "homophily=1.5, but a chance"),
    "power-law:attributes=2,noise=nan": (GraphError, "noise=nan, but a chance"),
    "power-law:attributes=2,missing=2": (GraphError, "missing=2, but a chance"),
    "power-law:attributes=2,blocks=5000": (GraphError, "blocks=5000, but n=1000"),
    "power-law:attributes=2,kind=categorical,levels=1": (GraphError, "levels=1"),
    "power-law:attributes=100000000": (GraphError, "too large to hold in memory"),
    "attributed:n=5": (SpecError, "unknown option 'n': use seed"),
    "attributed:seed=-1": (SpecError, "seed=-1"),
    "powerlaw:n=50": (SpecError, "did you mean power-law"),
}


@pytest.mark.parametrize("spec", list(BAD_SPECS))
def test_random_graphs__bad_specs_are_refused_in_one_line(spec):
    kind, message = BAD_SPECS[spec]
    with pytest.raises(kind, match=message) as caught:
        load(spec)
    assert isinstance(caught.value, GardenError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("generate", [power_law, small_world, block_model, geometric])
def test_random_graphs__a_negative_seed_is_refused_in_python_too(generate):
    with pytest.raises(GraphError, match="seed=-3"):
        generate(seed=-3)
