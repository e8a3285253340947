import json

import pytest

import garden
from garden.cli.main import main
from garden.datasets.files import read_graph

SPEC = "kaiser-hilgetag:n=60,alpha=30,beta=1,seed=0"


def refused(words, capsys):
    """What the command line says when it refuses these words with exit code 2."""
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("out", ["g.npz", "g.parquet", "folder", "g.graphml", "g.gml"])
def test_convert__what_was_written_is_the_graph(tmp_path, out, capsys):
    main(["data", "convert", SPEC, str(tmp_path / out), "--json", "-"])
    said = json.loads(capsys.readouterr().out)
    graph = garden.load(SPEC)
    assert read_graph(tmp_path / out) == graph
    assert said["content_hash"] == graph.content_hash
    assert said["num_nodes"] == graph.num_nodes


def test_convert__replaces_what_is_there_only_when_told(tmp_path, capsys):
    path = tmp_path / "g.npz"
    path.write_text("precious")
    assert "give --force" in refused(["data", "convert", SPEC, str(path)], capsys)
    assert path.read_text() == "precious"
    main(["data", "convert", SPEC, str(path), "--force", "--compress"])
    assert read_graph(path) == garden.load(SPEC)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["g.pkl"], "cannot write this kind of file"),
        (["g.gml", "--compress"], "--compress goes with .npz"),
        (["g.npz/x.npz", "--force"], "cannot be written"),
    ],
)
def test_convert__bad_destinations_are_told_before_anything_is_loaded(
    tmp_path, monkeypatch, capsys, words, reason
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.npz").write_text("precious")
    assert reason in refused(["data", "convert", "no-such-graph", *words], capsys)
    assert [entry.name for entry in tmp_path.iterdir()] == ["g.npz"]
