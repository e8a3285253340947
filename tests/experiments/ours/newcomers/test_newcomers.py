from dataclasses import replace

import pytest

from garden.experiments.ours.newcomers import experiment
from garden.experiments.ours.newcomers.experiment import (
    AGENTS,
    BY_OLD,
    FOR_NEWCOMERS,
    TRELLIS,
    chosen_memory,
    made_with,
    outcomes_by_agent,
    with_memory,
)
from garden.experiments.ours.newcomers.old_map import OldMapTrial
from garden.experiments.ours.newcomers.trial import MEMORYLESS, NewcomerTrial
from garden.experiments.run.config import Scope
from garden.experiments.run.policy_cache import PolicyCache
from garden.strategies.registry import RULES
from small_work import GRAPH, outcome


def played(ratios):
    """Outcomes of one agent: a ratio per memory, of two targets."""
    contenders = {name: outcome([ratio] * 2, [3, 3]) for name, ratio in ratios.items()}
    return {"targets": [0, 1], "contenders": contenders}


def result(test, validation):
    return {
        "test": played(test),
        "ordinary": played(test),
        "detached": None,
        "validation": played(validation),
        "num_nodes": {"training": 85, "test": 95, "validation": 90},
        "trained": {"device": "cpu", "stack": [1, 0], "versions": {"torch": "2"}},
    }


MEMORYLESS_AND_MEMORIES = dict.fromkeys((MEMORYLESS, *RULES), 2.0)


def test_memory__is_chosen_by_the_validation_newcomers_of_the_same_draw():
    draws = [
        result(MEMORYLESS_AND_MEMORIES, {**MEMORYLESS_AND_MEMORIES, name: 1.5}) for name in RULES
    ]
    assert tuple(map(chosen_memory, draws)) == RULES


def test_outcomes__each_agent_stands_there_without_memory_and_with_the_chosen_one():
    validation = {**MEMORYLESS_AND_MEMORIES, "visited": 1.1, MEMORYLESS: 1.0}
    test = {**MEMORYLESS_AND_MEMORIES, "visited": 3.0, "backtrack": 1.0}
    found = outcomes_by_agent({"a": result(test, validation)}, "test")
    assert found["contenders"]["a"]["ratio"] == [2.0, 2.0]
    assert found["contenders"][with_memory("a")]["ratio"] == [3.0, 3.0]
    assert outcomes_by_agent({"a": result(test, validation)}, "detached") is None


def test_trial__by_old_neighbours_plays_the_policy_of_trellis_and_the_same_on_ordinary_targets(
    tmp_path,
):
    played = []
    for label in (TRELLIS, BY_OLD):
        agent = replace(AGENTS[label], options=replace(AGENTS[label].options, updates=2))
        played.append(NewcomerTrial(GRAPH, 0, agent).perform(PolicyCache(tmp_path, "cpu")))
    as_it_is, by_old = played
    assert len(list(tmp_path.iterdir())) == 1  # one training
    assert as_it_is["trained"] == by_old["trained"]
    ratios = [one["ordinary"]["contenders"][MEMORYLESS]["ratio"] for one in played]
    assert ratios[0] == ratios[1]
    assert as_it_is["test"]["contenders"] != by_old["test"]["contenders"]


@pytest.mark.parametrize("label", [FOR_NEWCOMERS, "bidirectional"])
def test_trial__a_real_one_plays_newcomers_and_says_how_it_was_trained(tmp_path, label):
    agent = replace(AGENTS[label], options=replace(AGENTS[label].options, updates=2))
    trial = NewcomerTrial(GRAPH, 0, agent)
    found = trial.perform(PolicyCache(tmp_path, "cpu"))
    assert found["num_nodes"]["training"] < found["num_nodes"]["test"] < 40
    assert set(found["test"]["contenders"]) == {MEMORYLESS, *RULES}
    assert all(ratio >= 1 for ratio in found["test"]["contenders"][MEMORYLESS]["ratio"])
    assert bool(found["trained"]) == (label == FOR_NEWCOMERS)


def test_trial__pretrained_it_is_played_without_another_training(tmp_path, monkeypatch):
    agent = replace(AGENTS[BY_OLD], options=replace(AGENTS[BY_OLD].options, updates=2))
    trial, cache = NewcomerTrial(GRAPH, 0, agent), PolicyCache(tmp_path, "cpu")
    rule = NewcomerTrial(GRAPH, 0, AGENTS["bidirectional"])
    for work in (trial, rule):
        work.pretrain(cache)
    assert [path.name for path in tmp_path.iterdir()] == [trial.folder_in(cache).name]
    monkeypatch.setattr("garden.training.run.train_seeds", None)
    trial.pretrain(cache)
    assert trial.perform(cache)["trained"]["updates"] == 2


def test_trial__its_address_goes_by_the_agents_training():
    def key(**options):
        agent = AGENTS[FOR_NEWCOMERS]
        return NewcomerTrial(
            GRAPH, 0, replace(agent, options=replace(agent.options, **options))
        ).key

    assert key() == key(hidden_node_rate=experiment.HIDDEN_NODE_RATE)
    assert len({key(), key(hidden_node_rate=0.01), key(updates=3)}) == 3


def test_report__claims_hold_a_bar_against_every_graph(tmp_path):
    def result_of(work):
        if isinstance(work, OldMapTrial):
            parts = {part: [1.0, 1.5] for part in ("ratio", "old", "other")}
            return {"targets": [0, 1], "unsure": 1, **parts}
        if work.agent.label in ("universal", BY_OLD) and work.graph == "facebook:414":
            raise KeyError(work.key)
        ratio = 1.25 if work.agent.label == FOR_NEWCOMERS and work.graph == "facebook:0" else 1.5
        ratios = dict.fromkeys((MEMORYLESS, *RULES), ratio)
        return result(ratios, ratios)

    findings = experiment.report(Scope(graphs=("0", "414")), result_of, tmp_path)
    at_most = next(claim for claim in findings.claims if "1.3" in claim.text)
    assert at_most.holds_on == ("G4 (0)",)
    assert at_most.fails_on == ("G1 (414)",)
    rows = {row[0]: row[1:] for row in findings.tables[0].rows}
    assert rows[FOR_NEWCOMERS][0].startswith("1.250 (1.250)")
    assert rows[with_memory(TRELLIS)][1].startswith("1.500 (1.500)")
    assert rows["universal"][1] == "–"  # not played to the end there
    (sooner,) = [claim for claim in findings.claims if claim.text.startswith(f"{BY_OLD}: fewer")]
    assert sooner.undecided_on == ("G4 (0)",)
    (by_heart,) = [one for one in findings.tables if one.name == "newcomers-old-map"]
    assert by_heart.rows[0] == ("G4 (0)", "5 of 10", *["1.250 (1.250)"] * 3)


def test_report__says_device_and_versions():
    words = made_with([result(MEMORYLESS_AND_MEMORIES, MEMORYLESS_AND_MEMORIES)])
    assert "cpu" in words
    assert "torch 2" in words
