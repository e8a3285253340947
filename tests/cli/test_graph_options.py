"""The flags that every verb which loads a SPEC shares."""

import json

import pytest

from garden.cli.graph_options import GraphOptions
from garden.cli.main import main
from garden.errors import DataError

VERBS = {
    "data info": ["data", "info"],
    "evaluate": ["evaluate"],
    "route": ["route", "--source", "n0", "--target", "n5"],
    "task": ["task", "--out", "task.json"],
    "train": ["train", "--out", "run"],
    "adapt": ["adapt", "--out", "adapted"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"n{n},n{(n + 1) % 12},n{(n + 5) % 12}\n" for n in range(12)]
    (tmp_path / "edges.csv").write_text("p,q,r\n" + "".join(rows))
    people = [f"n{n},{20 + n},n{(n + 1) % 12}\n" for n in range(12)]
    (tmp_path / "nodes.csv").write_text("who,age,next\n" + "".join(people))
    return tmp_path


FLAGS = ["--source-column", "p", "--target-column", "q", "--node-column", "who"]


@pytest.mark.parametrize("verb", list(VERBS))
def test_graph_options__every_verb_that_loads_a_graph_has_them(verb, folder, capsys):
    first, *rest = VERBS[verb]
    if verb == "data info":
        first, rest = "data", ["info"]
    with pytest.raises(SystemExit) as caught:
        main([first, *rest, str(folder), *FLAGS[:2], "--target-column", "none"])
    assert caught.value.code == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.endswith("no column 'none', as --target-column says: there are p, q, r")
    assert {entry.name for entry in folder.iterdir()} == {"edges.csv", "nodes.csv"}


def test_graph_options__columns_and_scaling_reach_the_graph(folder, capsys):
    main(["data", "info", str(folder), *FLAGS, "--json", "-"])
    scaled = capsys.readouterr()
    assert "are scaled to mean 0 and variance 1" in scaled.err
    main(["data", "info", str(folder), *FLAGS, "--no-scaling", "--json", "-"])
    plain = capsys.readouterr()
    assert "scaled" not in plain.err
    facts = json.loads(scaled.out), json.loads(plain.out)
    assert [fact["num_edges"] for fact in facts] == [12, 12]
    assert facts[0]["content_hash"] != facts[1]["content_hash"]


def test_graph_options__without_them_the_error_asks_for_flags(folder, capsys):
    with pytest.raises(SystemExit):
        main(["evaluate", str(folder)])
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert "--source-column and --target-column" in error
    assert "source_column" not in error


def test_graph_options__errors_keep_their_kind_and_speak_of_flags(folder):
    with pytest.raises(DataError, match="as --node-column says"):
        GraphOptions("p", "q", "nobody").load(str(folder))


def test_graph_options__advice_repeats_them():
    assert GraphOptions().command_words("facebook:414") == "facebook:414"
    options = GraphOptions(source_column="the source", no_scaling=True)
    words = options.command_words("my graph.csv")
    assert words == "'my graph.csv' --source-column 'the source' --no-scaling"


def test_graph_options__data_list_shows_the_kinds(capsys):
    main(["data", "list"])
    out = capsys.readouterr().out
    for kind in ("collection:FAMILY/NAME", ".gexf", ".json", ".parquet", "MUSAE", ".edgelist"):
        assert kind in out
