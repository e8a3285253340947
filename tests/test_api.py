from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import garden
from garden.datasets.npz import read_npz
from garden.datasets.random_attributed import attributed
from garden.provenance import has_met
from garden.strategies.base import Strategy
from garden.strategies.representations import Representations
from garden.training.config import TrainingOptions
from garden.training.universal.curriculum import FACEBOOK, TWITCH


def shuffled(graph):
    """The same graph in another order, its nodes and itself called otherwise."""
    moved = graph.subgraph(np.random.default_rng(0).permutation(graph.num_nodes))
    names = tuple(f"node {place}" for place in range(graph.num_nodes))
    return replace(moved, node_names=names, name="somebody's file")


class LoudWalker(Strategy):
    """A user's strategy: towards the highest first attribute."""

    name = "loud"
    selection = "argmax"

    def represent(self, egos):
        return Representations({"first": egos.profiles[egos.centres][:, 0]})

    def score_pairs(self, candidates, targets):
        return candidates.arrays["first"].astype(float)


class BrokenWalker(LoudWalker):
    name = "broken"

    def score_pairs(self, candidates, targets):
        return np.full(len(candidates), np.nan)


SPEC = "kaiser-hilgetag:n=40,beta=1,seed=1"


def test_api__the_designs_example_runs():
    graph = garden.load(SPEC)
    task = garden.SearchTask.split(graph, seed=0)
    report = garden.evaluate(task, ["random", "distance"])
    assert "random" in str(report)
    assert report["distance"].oracle_ratio < report["random"].oracle_ratio
    message = garden.route(graph, "distance", source="3", target=17)
    assert message.path[0] == "3"
    assert message.delivered == (message.path[-1] == "17")


def test_api__takes_networkx_graphs_and_strategies_of_ones_own():
    club = nx.karate_club_graph()
    for node in club:
        club.nodes[node]["level"] = node / 34
    graph = garden.load(club)
    report = garden.evaluate(graph, [LoudWalker(), "random"], memory="visited")
    assert report["loud"].memory == "visited"


def test_api__finds_a_strategy_by_dotted_name_in_the_working_folder(tmp_path, monkeypatch):
    (tmp_path / "my_walkers.py").write_text(
        "from garden.strategies.walkers import GreedyWalker\n"
        "def make():\n    return GreedyWalker()\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [path for path in __import__("sys").path if path])
    report = garden.evaluate(SPEC, "my_walkers:make+visited")
    assert report["my_walkers:make+visited"].oracle_ratio > 1


def test_api__nan_scores_are_refused_by_name():
    with pytest.raises(garden.GardenError, match="broken: a score is NaN"):
        garden.evaluate(SPEC, BrokenWalker())


def test_api__graph_without_attributes_uses_the_strategies_that_can():
    report = garden.evaluate(nx.path_graph(20))
    assert [result.name for result in report.results] == ["random", "connection", "beacons"]
    with pytest.raises(garden.GardenError, match="this graph has none"):
        garden.evaluate(nx.path_graph(20), "greedy")


def test_api__tiny_graphs_can_be_routed_on():
    graph = nx.path_graph(4)
    for node in graph:
        graph.nodes[node]["place"] = float(node)
    for name in ("distance", "evn+visited", "bidirectional+backtrack"):
        message = garden.route(graph, name, source="0", target="3", max_hops=500)
        assert message.delivered
    assert garden.route(graph, "greedy", source="0", target="3").path == ["0", "1", "2", "3"]


def test_api__routes_and_evaluates_by_the_policy_for_every_graph_unless_told_otherwise():
    graph = garden.load(SPEC)
    message = garden.route(graph, source="3", target=17)
    assert (message.strategy, message.memory) == ("universal", "explore")
    assert message.delivered
    report = garden.evaluate(graph)
    names = [(one.name, one.memory) for one in report.results]
    assert names[-3:] == [("universal", "none"), ("universal", "explore"), ("beacons", "none")]
    assert report.results[-3].oracle_ratio < report["random"].oracle_ratio
    assert [one.knows for one in report.results] == ["ego"] * (len(names) - 1) + ["gossip"]
    assert not report.seen_targets


def test_api__what_universal_was_trained_on_is_recorded_by_content(caplog):
    known = shuffled(attributed(7))
    with caplog.at_level("INFO", logger="garden"):
        report = garden.evaluate(known, ["universal"])
    assert report.seen_targets
    assert report.to_json()["seen_targets"] is True
    assert "universal was trained on attributed:seed=7, which shares links" in caplog.text
    other = replace(garden.load(SPEC), name="twitch:RU")
    assert not garden.evaluate(other, ["universal"]).seen_targets


def test_api__without_sketches_the_kinds_that_universal_names_decide():
    policy = replace(garden.load_policy("universal"), met=())
    graph = replace(garden.load(SPEC), name="facebook:414,attributes=as-published")
    assert garden.evaluate(graph, policy).seen_targets
    assert not garden.evaluate(garden.load(SPEC), policy).seen_targets


def test_api__universal_has_met_real_graphs_whatever_they_are_called(real_data):
    policy = garden.load_policy("universal")
    for ego in FACEBOOK:
        number = ego.split(":")[1]
        for spec in (ego, f"{ego},attributes=as-published", f"snap:{real_data}/facebook/{number}"):
            assert has_met(policy, garden.load(spec)), spec
    for spec in TWITCH:
        assert has_met(policy, shuffled(garden.load(spec))), spec
    for path in ("twitch/FR", "circles/0", "citation/cora", "web/texas"):
        graph = read_npz(real_data / "collection" / f"{path}.npz")
        assert not has_met(policy, graph), path


def test_api__a_policy_has_seen_its_graph_in_other_forms():
    graph = attributed(3)
    policy = garden.train(graph, options=TrainingOptions(updates=1), quiet=True)
    assert not garden.evaluate(graph, policy).seen_targets
    half = replace(graph, attributes=graph.attributes * np.float32(0.5), name="as published")
    for form in (half, shuffled(graph)):
        with pytest.raises(garden.GardenError, match="another form of this graph, attributed:seed"):
            garden.evaluate(form, policy)
        assert garden.evaluate(form, policy, allow_seen_targets=True).seen_targets


def test_api__shipped_weights_have_seen_their_graph_as_published(real_data):
    with pytest.raises(garden.GardenError, match="another form of this graph, facebook:414"):
        garden.evaluate("facebook:414,attributes=as-published", "garden-facebook-414")
    same = garden.evaluate(f"snap:{real_data}/facebook/414", "garden-facebook-414")
    assert not same.seen_targets
    with pytest.raises(garden.GardenError, match="another split: use `seed=0`"):
        garden.evaluate(f"snap:{real_data}/facebook/414", "garden-facebook-414", seed=1)


def test_api__public_names_exist_and_others_do_not():
    for name in garden.__all__:
        assert getattr(garden, name) is not None
        assert name in dir(garden)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = garden.nonsense
