import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from small import GRAPH, Faulty, comparison, outcome

from garden.errors import DataError, SpecError
from garden.experiments.paper.published import AGENTS, FACEBOOK, GRAPHS
from garden.experiments.report.intervals import Estimate, over_seeds, pooled
from garden.experiments.report.sections import Section, Table, read_section
from garden.experiments.report.tables import footing_of
from garden.experiments.run import reproduce as module
from garden.experiments.run.config import Execution, Scope
from garden.experiments.run.experiment import Experiment
from garden.experiments.run.jobs import Training
from garden.experiments.run.policy_cache import Workbench, groups_to_train
from garden.experiments.run.reproduce import EXPERIMENTS, reproduce
from garden.experiments.run.store import RUNS_FILE, Store
from garden.search.config import EvaluationConfig
from garden.training.config import TrainingOptions


def small_report(scope, result_of, folder):
    ratios = pooled([result_of(comparison(seed)) for seed in scope.seeds_or(3)])
    row = ("trellis", ratios.estimate("ratio", "trellis").text())
    table = Table("small", "A <small> table", ("strategy", "ratio"), (row,), ratios.footing)
    return Section(
        "small", "Small & quick", "garden reproduce small", "None.", ("It ran.",), (table,)
    )


SMALL = Experiment(
    "small",
    "Small",
    lambda scope: [comparison(seed) for seed in scope.seeds_or(3)],
    small_report,
)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(module, "EXPERIMENTS", {"small": SMALL})


class Counting:
    def __init__(self):
        self.plans, self.ends = [], 0

    def planned(self, name, done, left):
        self.plans.append((name, done, left))

    def started(self, work):
        pass

    def ended(self, work, seconds):
        self.ends += 1


CPU = Execution(device="cpu")


def test_address__is_of_the_content_and_of_every_default():
    assert comparison(0).key == comparison(0).key
    assert comparison(0).key != comparison(1).key
    one = Training(GRAPH, 0, TrainingOptions())
    same = Training(GRAPH, 0, TrainingOptions(updates=one.options.resolved().updates))
    other = Training(GRAPH, 0, TrainingOptions(updates=1))
    assert one.key == same.key != other.key


def test_address__holds_the_limit_of_hops_as_a_number_and_no_option_that_came_later():
    evaluation = comparison(0).to_json()["evaluation"]
    assert evaluation["max_hops"] == 100
    assert "pairs" not in evaluation
    assert Training(GRAPH, 0, TrainingOptions()).to_json()["options"]["max_hops"] == 100
    with pytest.raises(SpecError, match="limit of hops"):
        replace(comparison(0), evaluation=EvaluationConfig()).to_json()


def test_address__every_committed_comparison_is_found_again():
    folder = Path(__file__).parents[2] / "results"
    for name in ("facebook", "splits", "larger", "trellis", "universal", "failures"):
        lines = (folder / name / "runs.jsonl").read_text(encoding="utf-8").splitlines()
        stored = {json.loads(line).get("key") for line in lines}
        assert all(work.key in stored for work in EXPERIMENTS[name].works(Scope()))


def test_reproduce__a_finished_one_is_a_no_op_and_a_stopped_one_continues(tmp_path, small):
    first, again, more = Counting(), Counting(), Counting()
    page = reproduce(["small"], tmp_path, Scope(quick=True), CPU, first)
    written = (tmp_path / "small" / RUNS_FILE).read_bytes()
    reproduce(["small"], tmp_path, Scope(quick=True), CPU, again)
    assert (tmp_path / "small" / RUNS_FILE).read_bytes() == written
    reproduce(["all"], tmp_path, Scope(), CPU, more)
    assert (first.plans, first.ends) == ([("small", 0, 2)], 2)
    assert (again.plans, again.ends) == ([("small", 2, 0)], 0)
    assert (more.plans, more.ends) == ([("small", 2, 1)], 1)
    text = page.read_text()
    assert "Small &amp; quick" in text
    assert "A &lt;small&gt; table" in text
    section = read_section(tmp_path / "small")
    assert section is not None
    assert "3 seeds" in section.tables[0].footing
    record = json.loads((tmp_path / "small" / RUNS_FILE).read_text().splitlines()[1])
    assert record["work"]["seed"] == 0
    assert record["work"]["entrants"][2]["training"]["options"]["updates"] == 3
    assert record["made"]["command"].startswith("garden")
    assert len(record["result"]["task_hash"]) == 64


def test_pretrain__makes_the_policies_that_a_reproduction_then_finds(tmp_path, small, monkeypatch):
    module.pretrain(["small"], tmp_path, Scope(quick=True), "cpu")
    assert not (tmp_path / "small").exists()

    def train(self, trainings):
        raise AssertionError("trained again")

    monkeypatch.setattr(Workbench, "train", train)
    reproduce(["small"], tmp_path, Scope(quick=True), CPU)
    record = json.loads((tmp_path / "small" / RUNS_FILE).read_text().splitlines()[1])
    assert record["result"]["trained"]["trellis"]["stack"] == [2, 0]


def test_reproduce__errors_are_lines(tmp_path, small):
    with pytest.raises(SpecError, match="unknown experiment 'large': choose from small, all"):
        reproduce(["large"], tmp_path)
    with pytest.raises(SpecError, match="executor"):
        Execution(executor="abacus")
    with pytest.raises(SpecError, match="unknown graph '7': choose from a, b"):
        Scope(graphs=("7",)).graphs_among(("a", "b"))


def test_reproduce__what_one_experiment_refuses_is_refused_before_any_other_begins(tmp_path):
    with pytest.raises(SpecError, match=r"unknown graph '414': choose from 0\.01, 0\.05"):
        reproduce(["all"], tmp_path / "results", Scope(graphs=("414",)), CPU)
    assert not (tmp_path / "results").exists()


def test_store__a_half_written_line_is_dropped_and_done_again(tmp_path):
    store = Store(tmp_path)
    for number in range(2):
        store.add(Faulty(number), {"number": number}, {})
    path = tmp_path / RUNS_FILE
    whole = path.read_text()
    path.write_text(whole[:-9])
    cut = Store(tmp_path)
    assert Faulty(0) in cut
    assert Faulty(1) not in cut
    cut.add(Faulty(1), {"number": 1}, {})
    assert path.read_text() == whole
    assert Store(tmp_path).result(Faulty(1)) == {"number": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "another version"),
        ('{"format": "garden-results-0"}\n', "another version"),
        ('{"format": "garden-results-1"}\n{"key": 1\n', "line 2: damaged"),
    ],
)
def test_store__foreign_and_damaged_files_are_named(tmp_path, content, message):
    (tmp_path / RUNS_FILE).write_text(content)
    with pytest.raises(DataError, match=message):
        Store(tmp_path)


def test_bench__a_policy_cut_short_is_trained_again(tmp_path):
    bench = Workbench(tmp_path, "cpu")
    training = Training(GRAPH, 0, TrainingOptions(updates=2))
    bench.policy(training)
    summary = bench.folder_of(training) / "summary.json"
    summary.write_text(json.dumps({**json.loads(summary.read_text()), "stopped": "interrupted"}))
    assert not bench.is_trained(training)
    bench.policy(training)
    assert bench.is_trained(training)


def test_bench__seeds_of_one_graph_and_method_go_as_one_stack(tmp_path):
    options, others = TrainingOptions(updates=2), TrainingOptions(updates=3)
    trainings = [Training(GRAPH, seed, options) for seed in (0, 1, 0)]
    stacks = groups_to_train([*trainings, Training(GRAPH, 0, others)])
    assert [[one.seed for one in stack] for stack in stacks] == [[0, 1], [0]]
    bench = Workbench(tmp_path, "cpu")
    bench.train(stacks[0])
    assert all(bench.is_trained(training) for training in trainings)
    assert bench.policy(trainings[1]).info.training["stack"] == [2, 1]


def test_statistics__means_weigh_pairs_within_a_seed_and_seeds_alike():
    results = [
        {"targets": [1, 2], "entrants": {"a": outcome([1.0, 4.0], [2, 1])}},
        {"targets": [3], "entrants": {"a": outcome([5.0], [7])}},
    ]
    pool = pooled(results)
    assert pool.estimate("ratio", "a").mean == pytest.approx((2.0 + 5.0) / 2)
    assert pool.worst("ratio", "a") == 5.0
    assert (pool.num_seeds, pool.num_targets, pool.num_pairs) == (2, 3, 10)


def test_statistics__intervals_cover_and_differences_are_paired():
    rng = np.random.default_rng(0)
    covered = 0
    for trial in range(60):
        hard = rng.exponential(1.0, size=(8, 20))
        results = [
            {
                "targets": list(range(20)),
                "entrants": {
                    "a": outcome((1 + row).tolist(), [1] * 20),
                    "b": outcome((1.5 + row).tolist(), [1] * 20),
                },
            }
            for row in hard
        ]
        pool = pooled(results, seed=trial)
        ratio, gap = pool.estimate("ratio", "a"), pool.difference("ratio", "b", "a")
        covered += ratio.low <= 2.0 <= ratio.high
        assert (gap.mean, gap.low, gap.high) == pytest.approx((0.5, 0.5, 0.5))
        assert ratio.low < ratio.mean < ratio.high
    assert covered >= 52  # 57 are expected


def test_statistics__an_interval_over_seeds_and_its_side_of_zero():
    assert over_seeds([2.0]) == Estimate(2.0, 2.0, 2.0)
    wide = over_seeds([-1.0, 0.0, 4.0])
    assert (wide.mean, wide.sign) == (1.0, 0)
    assert -1.0 <= wide.low < 0 < wide.high <= 4.0
    assert (over_seeds([1.0, 2.0]).sign, over_seeds([-1.0, -2.0]).sign) == (1, -1)
    assert Estimate(0.1, 0.05, 0.2).scaled(100).text(0) == "10 (5 – 20)"


def test_columns__what_all_columns_share_is_said_once():
    pools = [pooled([{"targets": [1], "entrants": {"a": outcome([2.0], [n])}}]) for n in (3, 3, 4)]
    alike = footing_of({"x": pools[0], "y": pools[1]})
    assert alike.startswith("Each column: 1 seed, 1 targets and 3 pairs in all")
    apart = footing_of({"x": pools[0], "z": pools[2]})
    assert "x: 1 seed, 1 targets and 3 pairs" in apart
    assert "z: 1 seed, 1 targets and 4 pairs" in apart


def test_scope__its_command_makes_the_same_scope_again():
    assert Scope().command("density") == "garden reproduce density"
    some = Scope(quick=True, seeds=(0, 2), graphs=("0.1", "1.0"))
    assert (
        some.command("density") == "garden reproduce density --quick --seeds 0,2 --graphs 0.1,1.0"
    )


def test_published__tables_are_whole():
    assert set(FACEBOOK) == set(GRAPHS)
    for ego in GRAPHS:
        assert set(FACEBOOK[ego]) == set(AGENTS)
        assert sum(one.win_rate for one in FACEBOOK[ego].values()) == pytest.approx(1, abs=0.011)
    assert FACEBOOK["0"]["garden"].oracle_ratio == 12.08


def test_facebook__one_way_of_joining_attributes_can_be_asked_for():
    from garden.experiments.paper.table1 import experiment as facebook

    both = {work.graph for work in facebook.works(Scope(graphs=("414",)))}
    one = {work.graph for work in facebook.works(Scope(graphs=("414",), attributes="by-id"))}
    other = Scope(graphs=("414",), attributes="as-published")
    assert one == {"facebook:414"}
    assert {work.graph for work in facebook.works(other)} == both - one
    assert other.command("facebook").endswith("--graphs 414 --attributes as-published")


def test_facebook__its_report_stands_on_real_results(tmp_path, monkeypatch):
    from garden.experiments.paper.table1 import experiment as facebook

    monkeypatch.setattr(facebook, "_SUFFIX", {"by id": "", "as published": ",β"})
    labels = [entrant.label for entrant in facebook.comparison("by id", "414", 0, True).entrants]

    def result_of(work):
        rng = np.random.default_rng(work.seed)
        labels = [entrant.label for entrant in work.entrants]
        ratios = {label: 1 + rng.random(5) + len(label) for label in labels}
        if work.evaluation.split == "validation":
            ratios["trellis+frontier"] = np.ones(5)
        return {
            "targets": list(range(5)),
            "entrants": {label: outcome(ratios[label].tolist(), [2] * 5) for label in labels},
            "circles": {"paper": dict.fromkeys(AGENTS, 0.2)},
        }

    section = facebook.report(replace(Scope(), graphs=("414", "0")), result_of, tmp_path)
    ratio = next(table for table in section.tables if table.name == "ratio-by-id")
    assert ratio.columns == ("strategy", "G1 (414)", "G4 (0)")
    assert ratio.rows[4] == ("paper: garden", "10.95 ± 0.76", "12.08 ± 0.71")
    assert [row[0] for row in ratio.rows[5:-1]] == labels
    assert ratio.rows[-1][0] == "trellis, memory chosen on validation"
    assert ratio.rows[-1][1].endswith(", frontier")
    for join in ("by-id", "as-published"):
        assert (tmp_path / f"facebook-{join}.svg").stat().st_size > 5000


def test_facebook__what_is_left_where_friends_are_not_alike_is_said():
    from garden.experiments.paper.table1.claims import what_joining_changes
    from garden.experiments.report.intervals import pooled

    def pool(**ratios):
        entrants = {label: outcome([ratio] * 5, [2] * 5) for label, ratio in ratios.items()}
        return {"414": pooled([{"targets": list(range(5)), "entrants": entrants}])}

    alike = pool(random=30.0, distance=10.0, garden=5.0)
    said = what_joining_changes(alike, pool(random=30.0, distance=12.0, garden=6.0))
    assert "90 % (G1) are saved as published: it knows the target" in said
    assert said.endswith("garden needs 5.00 for 6.00 (G1), by id for as published.")
    said = what_joining_changes(alike, pool(random=30.0, distance=25.0, garden=6.0))
    assert "25 % (G1) are saved as published." in said


def test_cli__reproduce_refuses_an_unknown_experiment_in_a_line(capsys):
    from garden.cli.main import main

    with pytest.raises(SystemExit):
        main(["reproduce", "nothing"])
    said = capsys.readouterr().err
    assert said.startswith("garden: unknown experiment 'nothing': choose from graphs, facebook")
    assert said.count("\n") == 1
