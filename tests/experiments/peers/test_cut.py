"""Cutting a graph into peers: what their files hold, and what they do not depend on."""

import json
import subprocess
import sys

import msgspec
import numpy as np
import pytest

import garden
from garden.cli.main import main
from garden.errors import DataError, StrategyError
from garden.experiments.peers.cut import cut, keys_for, views_of
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.peers.agent import Agent
from garden.peers.cut_folder import read_programme, read_views, view_path
from garden.peers.views import AgentView, read_view
from garden.peers.virtual_time import VirtualNetwork
from garden.resolve import contender_named
from garden.search.rounds import node_keys

SPEC = "kaiser-hilgetag:n=40,beta=1,seed=1"
STRATEGIES = ["random", "distance", "evn", "lookahead", "universal", "beacons:k=4,seed=3"]


@pytest.fixture(scope="module")
def graph():
    return garden.load(SPEC)


def agent_files(folder):
    return {path.name: path.read_bytes() for path in (folder / "agents").iterdir()}


def test_cut__writes_one_file_per_agent_with_its_ego_graph_in_key_order(graph, tmp_path):
    made = cut(graph, "greedy+visited", tmp_path / "peers")
    assert made.num_agents == graph.num_nodes == len(agent_files(tmp_path / "peers"))
    keys = node_keys(graph, 0)
    view = read_view(view_path(tmp_path / "peers", int(keys[5])))
    neighbours = graph.neighbours(5)
    order = np.argsort(keys[neighbours])
    assert list(view.neighbours) == keys[neighbours][order].tolist()
    ego = view.ego_graph()
    members = [5, *neighbours[order]]
    assert np.array_equal(ego.profiles, graph.attributes[members])
    adjacency = graph.adjacency().toarray()[np.ix_(members, members)]
    assert np.array_equal(ego.edges, np.stack(np.nonzero(adjacency)))


def test_cut__a_file_has_fields_of_the_ego_graph_and_no_others():
    assert AgentView.__struct_fields__ == (
        "version", "key", "neighbours", "num_attributes", "dense", "profiles", "links",
    )  # fmt: skip


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_cut__changing_the_graph_elsewhere_leaves_a_file_byte_for_byte(graph, tmp_path, strategy):
    rng = np.random.default_rng(0)
    ego = {0, *graph.neighbours(0).tolist()}
    edges = [edge for edge in graph.edges().tolist() if len(ego & set(edge)) > 0]
    outside = [node for node in range(graph.num_nodes) if node not in ego]
    edges += [rng.choice(outside, 2, replace=False).tolist() for _ in range(60)]
    edges += [[int(rng.choice(sorted(ego - {0}))), node] for node in outside]
    attributes = graph.attributes.copy()
    attributes[outside] = rng.random((len(outside), graph.num_attributes))
    order = rng.permutation(graph.num_nodes)  # nodes stand elsewhere, too
    place = np.argsort(order)
    names = [graph.node_names[node] for node in order]
    other = Graph.from_edges(place[np.array(edges)], len(order), attributes[order], names)
    name = f"{node_keys(graph, 3 if 'seed=3' in strategy else 0)[0]:016x}.agent"
    files = []
    for number, one in enumerate((graph, other)):
        cut(one, strategy, tmp_path / str(number))
        files.append(agent_files(tmp_path / str(number))[name])
    assert files[0] == files[1]


def test_cut__is_the_same_whatever_order_the_nodes_stand_in(graph, tmp_path):
    order = np.random.default_rng(0).permutation(graph.num_nodes)
    cut(graph, "beacons", tmp_path / "one")
    cut(graph.subgraph(order), "beacons", tmp_path / "other")
    assert agent_files(tmp_path / "one") == agent_files(tmp_path / "other")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_cut__agents_run_from_the_folder_alone(graph, tmp_path, strategy):
    cut(graph, f"{strategy}+frontier", tmp_path / "peers", seed=2)
    programme = read_programme(tmp_path / "peers")
    assert programme.memory == contender_named(f"{strategy}+frontier").memory
    views = read_views(tmp_path / "peers")
    agents = [Agent(view, programme.strategy, programme.memory) for view in views]
    network = VirtualNetwork(agents, seed=0)
    network.settle()
    message_id = network.send(views[0].key, agents[9].card, b"", 160)
    network.finish([message_id])
    assert network.endings[message_id][0].ending == "delivered"


def test_cut__rows_are_those_of_the_graphs_ego_graphs(graph):
    strategy = contender_named("universal").strategy
    keys = keys_for(graph, strategy)
    rows = strategy.represent(ego_graphs(graph))
    for node, view in enumerate(views_of(graph, keys)):
        row = Agent(view, strategy).row
        for name, ragged in rows.take(np.array([node])).ragged.items():
            assert np.array_equal(row.ragged[name].values, ragged.values)


def test_cut__sparse_attributes_stay_sparse(tmp_path):
    import scipy.sparse as sp

    edges = np.array([[0, 1], [1, 2], [2, 0], [2, 3]])
    sparse = sp.csr_array(np.eye(4, 50, dtype=np.float32))
    graph = Graph.from_edges(edges, 4, sparse, name="sparse")
    view = list(views_of(graph, node_keys(graph, 0)))[2]
    assert sp.issparse(view.ego_graph().profiles)
    assert view.ego_graph().profiles.toarray()[0].tolist() == sparse[[2]].toarray()[0].tolist()


def test_cut__refuses_what_peers_cannot_run_and_writes_nothing(graph, tmp_path):
    with pytest.raises(StrategyError, match="choose a walker, beacons, universal, or a folder"):
        cut(graph, "garden.strategies.walkers:RandomWalker", tmp_path / "peers")
    assert list(tmp_path.iterdir()) == []


def test_cut__refuses_a_folder_that_is_taken(graph, tmp_path):
    folder = tmp_path / "peers"
    cut(graph, "random", folder)
    before = agent_files(folder)
    with pytest.raises(DataError, match="holds peers already"):
        cut(graph, "beacons", folder)
    cut(graph, "beacons", folder, force=True)
    assert agent_files(folder) == before  # the strategy is no part of a view
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    with pytest.raises(DataError, match="holds no peers"):
        cut(graph, "beacons", tmp_path / "other", force=True)


def test_view__damaged_files_are_refused_in_one_line(graph, tmp_path):
    cut(graph, "random", tmp_path / "peers")
    path = sorted((tmp_path / "peers" / "agents").iterdir())[0]
    view = read_view(path)
    for bad in (
        msgspec.structs.replace(view, neighbours=view.neighbours[::-1]),
        msgspec.structs.replace(view, profiles=view.profiles[1:]),
        msgspec.structs.replace(view, links=((0, 99),)),
        msgspec.structs.replace(view, version=9),
    ):
        path.write_bytes(msgspec.msgpack.encode(bad))
        with pytest.raises(DataError, match=path.name):
            read_view(path)
    path.write_bytes(b"\x00 nonsense")
    with pytest.raises(DataError, match="is no agent's file"):
        read_view(path)


def test_programme__damaged_files_are_refused_in_one_line(graph, tmp_path):
    cut(graph, "random", tmp_path / "peers")
    path = tmp_path / "peers" / "strategy.json"
    good = json.loads(path.read_text())
    for change in (
        {"version": 2}, {"memory": "long"}, {"strategy": "magic"}, {"more": 1},
        {"memory": "explore"},  # it counts links that the rows of `random` do not show
    ):  # fmt: skip
        path.write_text(json.dumps(good | change))
        with pytest.raises(DataError, match=r"strategy\.json"):
            read_programme(tmp_path / "peers")


def test_cli__cut_prints_what_it_wrote(tmp_path, capsys):
    main(["peers", "cut", SPEC, "--out", str(tmp_path / "peers"), "--json", "-", "--quiet"])
    summary = json.loads(capsys.readouterr().out)
    assert (summary["num_agents"], summary["strategy"], summary["memory"]) == (
        40, "beacons", "backtrack",
    )  # fmt: skip


def test_cli__without_the_extra_says_what_to_install(tmp_path):
    code = (
        "import importlib.util as util\n"
        "find = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'msgspec' else find(name, *rest)\n"
        "from garden.cli.main import main\n"
        f"main(['peers', 'cut', {SPEC!r}, '--out', 'peers'])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert ended.returncode == 2
    assert ended.stderr.endswith("garden: peers need msgspec: pip install 'garden-search[peers]'\n")
    assert list(tmp_path.iterdir()) == []
