"""`universal` on graphs and families that its training lacked."""

import json
from pathlib import Path

import numpy as np
import pytest

from garden.datasets.random_attributed import attributed
from garden.experiments.ours.left_out import experiment, graphs, holdouts, play
from garden.experiments.ours.left_out.experiment import LeftOut
from garden.experiments.ours.left_out.graphs import graph_named, pairs_of
from garden.experiments.ours.left_out.holdouts import LeftOutTraining
from garden.experiments.ours.left_out.play import played
from garden.experiments.ours.left_out.tables import (
    EARLIER,
    FAMILY,
    GRAPH,
    RULES,
    TAUGHT,
    findings_of,
    joined,
)
from garden.experiments.run.config import Scope
from garden.experiments.run.policy_cache import PolicyCache
from garden.resolve import strategy_named
from garden.training.universal.config import UniversalConfig
from garden.training.universal.training_set import GENERATED, Source

RESULTS = Path(__file__).parents[3] / "results"
SPEC = f"{GENERATED}:attributed,seed=503"


@pytest.fixture
def few_sources(monkeypatch):
    made = [
        Source(f"{GENERATED}:attributed,seed={seed}", GENERATED, seed == 2) for seed in (1, 2, 3)
    ]
    for module in (experiment, holdouts):
        monkeypatch.setattr(module, "sources", lambda: made)
    holdouts.all_batches.cache_clear()
    yield made
    holdouts.all_batches.cache_clear()


def test_pairs__every_pair_of_a_small_graph_and_a_fixed_draw_of_others(monkeypatch):
    graph = attributed(1)
    assert len(pairs_of(graph)) == graph.num_nodes * (graph.num_nodes - 1)
    monkeypatch.setattr(graphs, "EVERY_PAIR", 10)
    pairs = pairs_of(graph)
    assert len(pairs) == graphs.MANY_PAIRS
    assert np.array_equal(pairs, pairs_of(graph))
    assert (pairs[:, 0] != pairs[:, 1]).all()


def test_played__a_policy_plays_alike_by_its_whole_table_and_lazily(monkeypatch):
    monkeypatch.setattr(graphs, "EVERY_PAIR", 10)
    graph, policy = attributed(1), strategy_named("universal")
    by_table = played(graph, ["a+backtrack"], policy, max_pairs=60)
    assert min(by_table["contenders"]["a+backtrack"]["ratio"]) >= 1
    monkeypatch.setattr(play, "_PAIRS_PER_BLOCK", 7 * graph.num_nodes)
    assert played(graph, ["a+backtrack"], policy, max_pairs=60) == by_table
    monkeypatch.setattr(play, "LAZY_NODES", 10)
    assert played(graph, ["a+backtrack"], policy, max_pairs=60) == by_table


@pytest.mark.parametrize("spec", ["alike:attributed:seed=1", "zero:attributed:seed=1"])
def test_graphs__profiles_that_say_nothing_are_all_the_same(spec):
    table = np.asarray(graph_named(spec).attributes)
    assert len(np.unique(table, axis=0)) == 1


def test_training__lacks_what_is_left_out_and_its_address_says_so(few_sources, tmp_path):
    config = UniversalConfig(updates=3, hidden=8)
    lacking = LeftOutTraining((few_sources[0].spec,), config)
    assert lacking.key != LeftOutTraining((), config).key
    policy = lacking.policy(tmp_path)
    assert policy.training["without"] == [few_sources[0].spec]
    assert lacking.policy(tmp_path).temperature == policy.temperature  # from its folder


def test_work__plays_a_policy_and_the_rules_on_the_same_targets(few_sources, tmp_path, monkeypatch):
    monkeypatch.setattr(graphs, "EVERY_PAIR", 10)
    monkeypatch.setattr(graphs, "MANY_PAIRS", 40)
    config = UniversalConfig(updates=3, hidden=8)
    cache = PolicyCache(tmp_path)
    rules = LeftOut(SPEC, "rules").perform(cache)
    left = LeftOut(SPEC, FAMILY, LeftOutTraining((few_sources[0].spec,), config)).perform(cache)
    both = joined({"rules": rules, FAMILY: left})
    assert list(both["contenders"]) == [*RULES, f"{FAMILY}+backtrack"]
    assert rules["targets"] == left["targets"]


def test_work__with_the_memory_of_stored_results_keeps_their_address():
    stored, other = LeftOut(SPEC, EARLIER), LeftOut(SPEC, EARLIER, memory="explore")
    assert "memory" not in stored.to_json()
    assert stored.key != other.key
    assert other.title == f"{SPEC}, {EARLIER}+explore"


def outcome(ratio):
    return {"pairs": [10, 10, 10], "ratio": [ratio, ratio, ratio], "truncated": [0.0, 0.1, 0.0]}


def test_findings__tell_where_a_policy_is_no_worse_than_the_best_rule():
    def of(ratios):
        rules = dict(zip(RULES, (2.0, 1.5, 3.0, 30.0), strict=True))
        contenders = {rule: outcome(ratio) for rule, ratio in rules.items()}
        results = {"rules": {"targets": [0, 1, 2], "contenders": contenders}}
        for who, ratio in ratios.items():
            label = who if "+" in who else f"{who}+backtrack"
            played_by = {label: outcome(ratio)}
            results[who] = {"targets": [0, 1, 2], "contenders": played_by}
        return results

    results = {
        "facebook:1": of(
            {EARLIER: 1.2, GRAPH: 1.5, FAMILY: 1.7, TAUGHT: 1.6, f"{EARLIER}+explore": 1.1}
        ),
        "zero:x": of({EARLIER: 1.5149, FAMILY: 1.6}),
    }
    found = findings_of(results, {"facebook:1": "facebook"}, [("facebook:1", "a")])
    whose = {who: next(claim for claim in found.claims if who in claim.text)
             for who in ("`universal` ", FAMILY)}  # fmt: skip
    assert whose["`universal` "].holds_on == ("facebook:1", "zero:x")
    assert whose[FAMILY].fails_on == ("facebook:1",)
    assert whose[FAMILY].undecided_on == ("zero:x",)
    summary = {row[0]: row for row in found.tables[0].rows}
    assert summary["facebook"][2:] == (
        "1.20 (1.20)", "1.50 (1.50)", "1.70 (1.70)", "1.60 (1.60)", "1.10 (1.10)", "–", "1.50",
        "1 / 1 / 0 / 0 / 1 / – of 1",
    )  # fmt: skip
    assert summary["profiles say nothing"][3] == "–"


@pytest.mark.slow
def test_results__what_is_committed_is_found_again(real_data):
    if not (real_data / "collection").is_dir():
        pytest.skip("the data folder has no collection")
    lines = (RESULTS / "left-out" / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    stored = {json.loads(line)["key"] for line in lines[1:]}
    assert stored
    assert stored <= {work.key for work in experiment.works(Scope())}
