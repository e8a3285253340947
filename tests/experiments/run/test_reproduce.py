import json

import pytest

from garden.errors import SpecError
from garden.experiments.report.claims import Claim
from garden.experiments.report.intervals import pooled
from garden.experiments.report.sections import Findings, Table, read_section
from garden.experiments.run import reproduce as module
from garden.experiments.run.config import Execution, Scope
from garden.experiments.run.experiment import Experiment
from garden.experiments.run.jobs import Comparison
from garden.experiments.run.policy_cache import PolicyCache
from garden.experiments.run.reproduce import reproduce
from garden.experiments.run.store import RUNS_FILE
from small_work import comparison


def small_report(scope, result_of, folder):
    ratios = pooled([result_of(comparison(seed)) for seed in scope.seeds_or(3)])
    row = ("trellis", ratios.estimate("ratio", "trellis").text())
    table = Table("small", "A <small> table", ("strategy", "ratio"), (row,), ratios.footing)
    claim = Claim("trellis < random", holds_on=("G1",))
    return Findings((claim,), (table,))


SMALL = Experiment(
    "small",
    "Small & quick",
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
    assert section.command == "garden reproduce small"
    assert "3 seeds" in section.findings.tables[0].footing
    record = json.loads((tmp_path / "small" / RUNS_FILE).read_text().splitlines()[1])
    assert record["work"]["seed"] == 0
    assert record["work"]["contenders"][2]["training"]["options"]["updates"] == 3
    assert record["made"]["command"].startswith("garden")
    assert len(record["result"]["task_hash"]) == 64


def test_pretrain__makes_the_policies_that_a_reproduction_then_finds(tmp_path, small, monkeypatch):
    asked = []
    monkeypatch.setattr(Comparison, "pretrain", lambda self, cache: asked.append(cache.device))
    module.pretrain(["small"], tmp_path, Scope(quick=True), "cpu")
    assert asked == ["cpu", "cpu"]
    assert not (tmp_path / "small").exists()

    def train(self, trainings):
        raise AssertionError("trained again")

    monkeypatch.setattr(PolicyCache, "train", train)
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


def test_cli__reproduce_refuses_an_unknown_experiment_in_a_line(capsys):
    from garden.cli.main import main

    with pytest.raises(SystemExit):
        main(["reproduce", "nothing"])
    said = capsys.readouterr().err
    assert said.startswith("garden: unknown experiment 'nothing': choose from graphs, facebook")
    assert said.count("\n") == 1
