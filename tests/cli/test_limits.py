"""``--max-hops auto|N`` and ``--pairs N`` on the command line."""

import json

import networkx as nx
import pytest

import garden
from garden.cli.main import main


@pytest.fixture(scope="module")
def path_file(tmp_path_factory):
    """A path of 400 nodes with their position as attribute."""
    graph = nx.path_graph(400)
    nx.set_node_attributes(graph, {node: float(node) for node in graph}, "position")
    file = tmp_path_factory.mktemp("graphs") / "path.graphml"
    nx.write_graphml(graph, file)
    return str(file)


def run(capsys, *arguments):
    main([*map(str, arguments), "--json", "-"])
    return json.loads(capsys.readouterr().out)


def test_evaluate__a_path_of_400_nodes_is_at_one_and_nothing_is_truncated(capsys, path_file):
    report = run(capsys, "evaluate", path_file, "--strategy", "greedy")
    assert report["strategies"][0]["oracle_ratio"] == 1
    assert report["strategies"][0]["truncation_rate"] == 0
    assert report["max_hops"] > 3000
    assert (
        run(capsys, "evaluate", path_file, "--strategy", "greedy", "--max-hops", "auto") == report
    )


def test_evaluate__a_given_limit_counts_the_pairs_beyond_it(capsys, path_file):
    report = run(capsys, "evaluate", path_file, "--strategy", "greedy", "--max-hops", 100)
    assert report["max_hops"] == 100
    assert report["num_pairs_beyond_limit"] > 400
    assert report["strategies"][0]["oracle_ratio"] == 1
    assert report["strategies"][0]["truncation_rate"] > 0.4


def test_evaluate__pairs_beyond_the_limit_have_a_column(capsys, path_file):
    main(["evaluate", path_file, "--strategy", "greedy", "--max-hops", "100", "--seeds", "0-1"])
    assert "beyond the limit" in " ".join(capsys.readouterr().out.split())


def test_route__goes_by_the_distance_of_its_own_pair(capsys, path_file):
    ends = ("--source", "0", "--target", "399", "--strategy", "greedy")
    trip = run(capsys, "route", path_file, *ends)
    assert (trip["delivered"], trip["hops"], trip["max_hops"]) == (True, 399, 3990)
    near = run(capsys, "route", path_file, "--source", "0", "--target", "9", "--strategy", "greedy")
    assert near["max_hops"] == 100
    given = run(capsys, "route", path_file, *ends, "--max-hops", 20)
    assert (given["delivered"], given["hops"], given["max_hops"]) == (False, 20, 20)


def test_api__route_takes_auto_as_well(path_file):
    message = garden.route(path_file, "greedy", source="0", target="60", max_hops="auto")
    assert message.max_hops == 600


@pytest.mark.parametrize("verb", ["evaluate", "route", "train"])
@pytest.mark.parametrize("value", ["0", "-5"])
def test_max_hops__bad_numbers_are_refused_in_a_line(capsys, tmp_path, verb, value):
    more = {
        "evaluate": ["--strategy", "random"],
        "route": ["--source", "0", "--target", "1"],
        "train": ["--out", str(tmp_path / "run")],
    }[verb]
    with pytest.raises(SystemExit) as stopped:
        main([verb, "kaiser-hilgetag:n=40", *more, "--max-hops", value])
    assert stopped.value.code == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert f"max_hops is {value}" in lines[0]
    assert not (tmp_path / "run").exists()


def test_max_hops__words_other_than_auto_are_refused(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", "kaiser-hilgetag:n=40", "--max-hops", "plenty"])
    assert stopped.value.code == 2
    assert "--max-hops" in capsys.readouterr().err


def test_evaluate__plays_only_some_pairs(capsys):
    arguments = ("evaluate", "kaiser-hilgetag:n=40", "--strategy", "random", "--pairs")
    assert run(capsys, *arguments, 12)["num_pairs"] == 12
    assert run(capsys, *arguments, 1500)["num_pairs"] == 1500


@pytest.mark.parametrize("wrong", [["--pairs", "0"], ["--pairs", "3", "--all-pairs"]])
def test_evaluate__bad_numbers_of_pairs_are_refused_in_a_line(capsys, wrong):
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", "kaiser-hilgetag:n=40", *wrong])
    assert stopped.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
