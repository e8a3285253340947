import json

import pytest

from garden.cli.main import main
from garden.datasets.valley import valley
from garden.humans.plays import write_plays
from garden.humans.simulated import simulated_plays


def test_humans__prints_people_beside_policies_and_what_choices_go_by(tmp_path, capsys):
    file = tmp_path / "plays.jsonl"
    write_plays(file, simulated_plays(valley(), (1.0, 1.0), games=20, seed=1))
    main(["humans", str(file), "--strategy", "connection+visited", "--json", "-"])
    found = json.loads(capsys.readouterr().out)
    (outcomes,) = found["games"].values()
    assert [one["games"] for one in outcomes] == [20, 20]
    assert outcomes[1]["name"] == "connection+visited"
    assert found["choices"][0]["lows"][1] > 0


def test_humans__refuses_a_file_that_holds_no_plays(tmp_path, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["humans", str(tmp_path / "none.jsonl")])
    assert caught.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
