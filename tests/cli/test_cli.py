import json
import os
import subprocess
import sys

import pytest

from garden.cli.main import main
from garden.strategies.registry import WALKERS

SPEC = "kaiser-hilgetag:n=40,beta=1,seed=1"


def run(*arguments):
    main([str(argument) for argument in arguments])


def failure_of(capsys, *arguments):
    """The one line on standard error of a run that ends with code 2."""
    with pytest.raises(SystemExit) as stopped:
        run(*arguments)
    assert stopped.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.strip().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("garden: ")
    return lines[0]


def test_evaluate__json_on_standard_output_is_json_alone(capsys):
    run("evaluate", SPEC, "--strategy", "random", "--strategy", "greedy+visited", "--json", "-")
    report = json.loads(capsys.readouterr().out)
    assert report["graph"] == SPEC
    assert [(row["name"], row["memory"]) for row in report["strategies"]] == [
        ("random", "none"),
        ("greedy", "visited"),
    ]


def test_evaluate__all_walkers_universal_and_beacons_by_default_and_memory_for_all(
    capsys, tmp_path
):
    run("evaluate", SPEC, "--memory", "backtrack", "--json", tmp_path / "report.json")
    report = json.loads((tmp_path / "report.json").read_text())
    names = [row["name"] for row in report["strategies"]]
    assert names == [*WALKERS, "universal", "beacons"]
    assert {row["memory"] for row in report["strategies"]} == {"backtrack"}
    assert "universal" in capsys.readouterr().out


def test_evaluate__same_seed_same_numbers(capsys):
    outputs = []
    for _ in range(2):
        run("evaluate", SPEC, "--strategy", "evn+visited", "--seed", "3", "--json", "-")
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


def test_evaluate__options_reach_the_report(capsys, tmp_path):
    run(
        "evaluate", SPEC, "--strategy", "distance", "--split", "all", "--all-pairs",
        "--max-hops", "30", "--evaluation", "sampled", "--episodes-per-pair", "2",
        "--pairs-out", tmp_path / "pairs.csv", "--json", "-",
    )  # fmt: skip
    report = json.loads(capsys.readouterr().out)
    assert (report["split"], report["max_hops"], report["num_pairs"]) == ("all", 30, 40 * 39)
    assert report["strategies"][0]["evaluation"] == "sampled"
    lines = (tmp_path / "pairs.csv").read_text().splitlines()
    assert lines[0] == "strategy,memory,source,target,distance,hops,truncation"
    assert len(lines) == 40 * 39 + 1


def test_evaluate__seeds_give_means_and_every_report(capsys):
    run("evaluate", SPEC, "--strategy", "greedy", "--seeds", "0-2", "--json", "-")
    captured = capsys.readouterr()
    assert "knows" in captured.err
    summary = json.loads(captured.out)
    assert summary["mean"][0]["knows"] == "ego"
    ratios = [report["strategies"][0]["oracle_ratio"] for report in summary["reports"]]
    assert summary["seeds"] == [0, 1, 2]
    assert summary["mean"][0]["oracle_ratio"] == pytest.approx(sum(ratios) / 3)
    assert len(set(ratios)) == 3


def test_task__file_evaluates_like_its_seed(capsys, tmp_path):
    run("task", SPEC, "--seed", "4", "--out", tmp_path / "task.json")
    capsys.readouterr()
    reports = []
    for choice in (("--task", tmp_path / "task.json"), ("--seed", "4")):
        run("evaluate", SPEC, "--strategy", "random", *choice, "--json", "-")
        reports.append(capsys.readouterr().out)
    assert reports[0] == reports[1]


def test_route__prints_a_path_along_edges_and_draws_it(capsys, tmp_path):
    run("route", SPEC, "--source", "3", "--target", "17", "--plot", tmp_path / "trip.svg",
        "--json", "-")  # fmt: skip
    trip = json.loads(capsys.readouterr().out)
    assert trip["path"][0] == "3"
    assert trip["path"][-1] == "17"
    assert trip["hops"] == len(trip["probabilities"]) >= trip["distance"]
    assert (tmp_path / "trip.svg").read_text().startswith("<?xml")


def test_evaluate__says_what_agents_know_and_what_their_talk_costs(capsys):
    run("evaluate", SPEC, "--strategy", "beacons:k=4,paths=0+backtrack", "--strategy", "greedy",
        "--json", "-")  # fmt: skip
    ours, walker = json.loads(capsys.readouterr().out)["strategies"]
    assert (ours["name"], ours["memory"]) == ("beacons:k=4,paths=0", "backtrack")
    assert ours["knows"] == "gossip"
    assert set(ours["gossip"]) == {
        "rounds",
        "entries_per_node",
        "bytes_per_node",
        "bytes_per_link",
    }
    assert ours["gossip"]["bytes_per_node"] == 11 * ours["gossip"]["entries_per_node"]
    assert walker["knows"] == "ego"
    assert "gossip" not in walker


def test_route__by_a_strategy_with_rounds(capsys):
    run(
        "route", SPEC, "--source", "3", "--target", "17", "--strategy", "beacons:k=4", "--json", "-"
    )
    trip = json.loads(capsys.readouterr().out)
    assert (trip["path"][0], trip["path"][-1]) == ("3", "17")
    assert trip["hops"] == trip["distance"]


def test_quickstart__writes_a_table_and_a_picture(capsys, tmp_path):
    run("quickstart", "--out", tmp_path / "first")
    assert "oracle ratio" in capsys.readouterr().out
    assert (tmp_path / "first" / "walk.png").read_bytes().startswith(b"\x89PNG")
    assert "bidirectional" in (tmp_path / "first" / "table.txt").read_text()


def test_data__lists_and_describes(capsys):
    run("data", "list", "--json", "-")
    names = [entry["name"] for entry in json.loads(capsys.readouterr().out)["datasets"]]
    assert names == ["facebook", "twitch", "musae-facebook", "wikispeedia"]
    run("data", "info", SPEC, "--json", "-")
    measured = json.loads(capsys.readouterr().out)
    assert measured["num_nodes"] == 40
    assert measured["cosine_over_edges"] > measured["cosine_over_pairs"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "nowhere:1"], "nowhere"),
        (["evaluate", "missing.graphml"], "missing.graphml"),
        (["evaluate", SPEC, "--strategy", "distnace"], "did you mean 'distance'"),
        (["evaluate", SPEC, "--strategy", "random+elephant"], "unknown memory 'elephant'"),
        (["evaluate", SPEC, "--strategy", "+visited"], "no strategy"),
        (["evaluate", SPEC, "--strategy", "beacon"], "did you mean 'beacons'"),
        (["evaluate", SPEC, "--strategy", "beacons:k=0"], "k=0: it must be 1 or more"),
        (["evaluate", SPEC, "--strategy", "beacons:k=x"], "k=x is not a whole number"),
        (["evaluate", SPEC, "--strategy", "beacons:n=4"], "unknown parameter 'n': use k, rank"),
        (["evaluate", SPEC, "--strategy", "beacons:rank=age"], "choose degree or hash"),
        (["evaluate", SPEC, "--strategy", "beacons+visited:k=4"], "unknown memory 'visited:k=4'"),
        (["route", SPEC, "--source", "3", "--target", "4", "--strategy", "beacons:"], "parameter"),
        (["evaluate", SPEC, "--memory", "elephant"], "unknown memory"),
        (["evaluate", SPEC, "--strategy", "no.such.module:Thing"], "no module named 'no'"),
        (["evaluate", SPEC, "--strategy", "json:Nothing"], "json has no 'Nothing'"),
        (["evaluate", SPEC, "--strategy", "collections:Counter"], "it has no represent"),
        (["route", SPEC, "--source", "3", "--target", "4", "--strategy", "json:x"], "has no 'x'"),
        (["evaluate", SPEC, "--strategy", "random+visited", "--evaluation", "exact"], "no exact"),
        (["evaluate", SPEC, "--max-hops", "0"], "max_hops is 0"),
        (["evaluate", SPEC, "--seed", "-1"], "seed -1"),
        (["evaluate", SPEC, "--seeds", "a-b"], "0-9 or 0,2,5-7"),
        (["evaluate", SPEC, "--seeds", "3-1"], "not a range"),
        (["evaluate", SPEC, "--seeds", "1,1"], "named twice"),
        (["evaluate", SPEC, "--seeds", "0-1", "--task", "x.json"], "goes without"),
        (["evaluate", SPEC, "--seeds", "0-1", "--seed", "0"], "goes without"),
        (["evaluate", SPEC, "--task", "x.json", "--seed", "0"], "--task goes without --seed"),
        (["evaluate", SPEC, "--json", ""], "--json is empty"),
        (["evaluate", SPEC, "--json", "."], "it is a folder"),
        (["evaluate", SPEC, "--json", "/"], "it is a folder"),
        (["evaluate", SPEC, "--pairs-out", "/"], "it is a folder"),
        (["evaluate", SPEC, "--max-hops", "1000001"], "at most 1,000,000"),
        (["task", SPEC, "--out", "."], "it is a folder"),
        (["quickstart", "--out", __file__], "cannot be written"),
        (["route", SPEC, "--source", "3", "--target", "4", "--plot", "x.xyz"], ".png, .svg, .pdf"),
        (["evaluate", SPEC, "--task", "none.json"], "no such task file"),
        (["evaluate", "kaiser-hilgetag:n=5,alpha=1,beta=1"], "at least 10"),
        (["route", SPEC, "--source", "3", "--target", "3"], "two different nodes"),
        (["route", SPEC, "--source", "3", "--target", "999"], "no node named '999'"),
        (["data", "info", "kaiser-hilgetag:n=x"], "n=x"),
        (["data", "fetch", "orkut"], "orkut"),
    ],
)
def test_cli__bad_input_is_one_line_and_code_2(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)  # where outputs may be written
    assert message in failure_of(capsys, *arguments)


def test_cli__unwritable_output_is_one_line(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    destination = tmp_path / "file" / "report.json"
    with pytest.raises(SystemExit) as stopped:
        run("evaluate", SPEC, "--strategy", "random", "--json", destination)
    assert stopped.value.code == 2
    assert "cannot be written" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", SPEC, "--json", "/"),
        ("quickstart", "--out", __file__),
        ("route", SPEC, "--source", "3", "--target", "4", "--plot", "x.xyz"),
    ],
)
def test_cli__bad_destinations_are_refused_before_any_work(capsys, monkeypatch, arguments):
    def work(*_):
        raise AssertionError("the work was begun")

    monkeypatch.setattr("garden.api.load", work)
    failure_of(capsys, *arguments)


def test_cli__names_that_look_like_markup_are_printed_as_they_are(capsys, tmp_path):
    path = tmp_path / "[bold] :smile:.csv"
    path.write_text("[/x],[bold]\n[bold],:smile:\n")
    run("route", path, "--strategy", "random", "--source", "[/x]", "--target", ":smile:")
    printed = capsys.readouterr().out
    assert "[bold] :smile:.csv" in "".join(printed.splitlines())
    assert "[/x]" in printed


def in_shell(command, **environment):
    """The result of a shell command in which ``garden`` is this interpreter's."""
    garden = f'garden() {{ "{sys.executable}" -m garden "$@"; }}\n'
    return subprocess.run(
        ["bash", "-c", garden + command],
        capture_output=True,
        env=os.environ | environment,
        check=False,
    )


@pytest.mark.parametrize("command", ["--version", "--help", "data list", "data list --json -"])
def test_cli__a_full_standard_output_is_one_line_and_code_2(command):
    done = in_shell(f"garden {command} > /dev/full")
    assert done.returncode == 2
    assert done.stderr.decode().splitlines()[-1].startswith("garden: ")
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_cli__closed_streams_are_survived():
    for command in ("--version", "data list", "data list 2>&-"):
        done = in_shell(f"garden {command} >&-")
        assert (done.returncode, done.stderr) == (0, b"")
    done = in_shell("garden data list --json - >&-")
    assert done.returncode == 2
    assert b"standard output is closed" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_cli__encodings_without_the_letters_are_survived(encoding, tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("ж,ü\nü,→\n", encoding="utf-8")
    command = f"garden route {path} --strategy random --source ж --target → --json -"
    done = in_shell(command, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["source"] == "ж"
    done = in_shell(command.removesuffix(" --json -"), PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr


def test_cli__without_a_terminal_there_is_no_progress_bar(capsys, monkeypatch):
    monkeypatch.setattr("garden.cli.console.BAR_DELAY", 0.0)
    run("evaluate", SPEC, "--strategy", "distance")
    assert capsys.readouterr().err == ""


def test_cli__a_class_in_the_working_folder_plays_by_its_dotted_name(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "from garden.strategies.base import Representations\n"
        "class Hubs:\n"
        "    def represent(self, egos):\n"
        "        return Representations({'degree': egos.degrees})\n"
        "    def score(self, candidates, targets):\n"
        "        return np.tile(candidates.arrays['degree'], (len(targets), 1))\n"
    )
    script = "import sys; from garden.cli.main import main; main(sys.argv[1:])"
    commands = [
        ["evaluate", SPEC, "--strategy", "mine:Hubs", "--strategy", "mine:Hubs+visited"],
        ["route", SPEC, "--strategy", "mine:Hubs+backtrack", "--source", "3", "--target", "17"],
    ]
    # As an installed script starts: without the working folder on the path.
    outputs = [
        subprocess.run(
            [sys.executable, "-P", "-c", script, *command, "--json", "-"],
            check=True, capture_output=True, text=True, cwd=tmp_path,
        ).stdout
        for command in commands
    ]  # fmt: skip
    report, trip = map(json.loads, outputs)
    assert [(row["name"], row["memory"]) for row in report["strategies"]] == [
        ("mine:Hubs", "none"),
        ("mine:Hubs", "visited"),
    ]
    assert (trip["strategy"], trip["memory"]) == ("mine:Hubs", "backtrack")
    assert trip["delivered"]


def test_cli__unknown_flags_are_refused_by_the_parser(capsys):
    with pytest.raises(SystemExit) as stopped:
        run("evaluate", SPEC, "--stratgey", "random")
    assert stopped.value.code == 2


def test_cli__interruption_is_said_in_one_line(capsys, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("garden.api.load", interrupt)
    with pytest.raises(SystemExit) as stopped:
        run("evaluate", SPEC)
    assert stopped.value.code == 130
    assert capsys.readouterr().err == "garden: interrupted\n"


def test_cli__help_loads_neither_torch_nor_matplotlib():
    script = (
        "import sys, garden\n"
        "from garden.cli.main import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'torch', 'matplotlib', 'numba', 'networkx', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_cli__module_and_version():
    done = subprocess.run(
        [sys.executable, "-m", "garden", "--version"], check=True, capture_output=True, text=True
    )
    assert done.stdout.startswith("garden 0.")


def test_adapt__its_folder_is_a_strategys_name(capsys, tmp_path):
    folder = tmp_path / "mine"
    run("adapt", SPEC, "--out", folder, "--updates", "3", "--seed", "2", "--json", "-")
    about = json.loads(capsys.readouterr().out)
    assert about["validation_ratio"] <= about["validation_ratio_before"]
    run("evaluate", SPEC, "--seed", "2", "--strategy", folder, "--json", "-")
    assert json.loads(capsys.readouterr().out)["strategies"][0]["name"] == str(folder)
    again = ("adapt", SPEC, "--out", folder, "--updates", "3")
    assert "holds a policy already" in failure_of(capsys, *again)
    assert "another split: use --seed 2" in failure_of(
        capsys, "evaluate", SPEC, "--strategy", folder
    )


def test_adapt__agents_may_learn_by_themselves(capsys, tmp_path):
    folder = tmp_path / "mine"
    run("adapt", SPEC, "--local", "--messages", "30", "--out", folder, "--json", "-")
    assert json.loads(capsys.readouterr().out)["kept"] == "what agents learned"
    run("evaluate", SPEC, "--strategy", folder, "--json", "-")
    (row,) = json.loads(capsys.readouterr().out)["strategies"]
    assert (row["memory"], row["evaluation"]) == ("local", "sampled")
