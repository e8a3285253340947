"""``garden cluster`` as far as it needs no Ray."""

import json

import pytest

from garden.cli.main import main

SPEC = "power-law:n=60,degree=4"


def test_cluster__cut_writes_shards_and_says_what_they_hold(tmp_path, capsys):
    out = tmp_path / "shards"
    main(["cluster", "cut", SPEC, "--shards", "3", "--out", str(out), "--json", "-"])
    report = json.loads(capsys.readouterr().out)
    assert (report["num_nodes"], report["num_shards"]) == (60, 3)
    assert report["num_bytes"] == sum(path.stat().st_size for path in out.rglob("*.parquet"))
    assert sorted(path.name for path in out.iterdir()) == [
        "cluster.json",
        *(f"shard-{number:05d}" for number in range(3)),
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["cut", SPEC, "--out", "."], "is there already: give --force, or another folder"),
        (["cut", SPEC, "--out", "new", "--shards", "61"], "61 shards of 60 nodes: choose 1 to 60"),
        (["run", "."], "holds no shards: `garden cluster cut SPEC --out .` writes some"),
        (["run", ".", "--source", "1"], "a message needs --source and --target"),
    ],
)
def test_cluster__bad_input_ends_in_one_line(tmp_path, monkeypatch, capsys, words, said):
    pytest.importorskip("ray")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["cluster", *words])
    lines = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2
    assert said in lines[-1]
    assert "Traceback" not in "".join(lines)
