import json
from dataclasses import replace
from pathlib import Path

import pytest

from garden.errors import SpecError
from garden.experiments.run.config import Scope
from garden.experiments.run.jobs import Training
from garden.experiments.run.reproduce import EXPERIMENTS
from garden.search.config import EvaluationConfig
from garden.training.config import TrainingOptions
from small_work import GRAPH, comparison


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
    folder = Path(__file__).parents[3] / "results"
    # The units of these two hold the graphs that the data folder has.
    for name in set(EXPERIMENTS) - {"left-out", "universal-inputs"}:
        lines = (folder / name / "runs.jsonl").read_text(encoding="utf-8").splitlines()
        stored = {json.loads(line)["key"] for line in lines[1:]}
        planned = {work.key for work in EXPERIMENTS[name].works(Scope())}
        if name in ("newcomers", "collection"):  # committed in part
            assert stored
            assert stored <= planned
        else:
            assert planned <= stored
