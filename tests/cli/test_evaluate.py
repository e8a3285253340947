from dataclasses import replace

import numpy as np

import garden
from garden.cli.evaluate import advice_on
from garden.cli.main import main
from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.graphs.graph import Graph
from garden.search.config import EvaluationConfig

LINE = Graph.from_edges(
    np.array([[node, node + 1] for node in range(39)]), 40, np.arange(40.0)[:, None]
)
HARD = kaiser_hilgetag(n=150, alpha=30, beta=1, seed=0)


def advice(graph, *strategies, **options):
    return advice_on([garden.evaluate(graph, strategies, config=EvaluationConfig(**options))])


def test_advice__nothing_is_left_to_learn_where_a_walker_takes_shortest_paths():
    assert advice(LINE, "random", "greedy") == "greedy is at 1.00 here: training cannot help"


def test_advice__universal_is_named_before_walkers():
    report = garden.evaluate(LINE, "greedy")
    walker = report.results[0]
    both = replace(report, results=(walker, replace(walker, name="universal")))
    assert advice_on([both]) == "universal is at 1.00 here: training cannot help"


def test_advice__seeds_that_disagree_say_nothing():
    perfect, poor = (garden.evaluate(LINE, name) for name in ("greedy", "random"))
    assert advice_on([perfect, perfect]) == advice_on([perfect])
    assert advice_on([perfect, poor]) is None


def test_advice__one_target_and_tuned_targets_prove_nothing():
    task = SearchTask.split(LINE)
    assert advice(LINE, "greedy", split="validation") is None
    one = SearchTask(
        LINE, 0, task.train_targets, task.validation_targets, task.test_targets[:1],
        task.validation_pairs, np.array([[0, task.test_targets[0]]]),
    )  # fmt: skip
    assert advice(one, "greedy") is None


def test_advice__a_trained_policy_at_one_says_nothing_about_training():
    report = garden.evaluate(LINE, "greedy")
    policy = replace(report.results[0], name="runs/mine")
    assert advice_on([replace(report, results=(policy,))]) is None


def test_advice__half_of_the_walks_cut_off_asks_for_a_memory():
    line = "half of the walks or more were cut off: try --memory backtrack"
    assert advice(HARD, "random", max_hops=20) == line
    assert advice(HARD, "random+visited", max_hops=20) is None
    assert advice(HARD, "random", "bidirectional", max_hops=20) is None


def test_advice__agents_that_talk_first_do_not_speak_for_the_others():
    line = "half of the walks or more were cut off where agents see ego graphs alone: try --memory"
    assert advice(HARD, "random", "beacons", max_hops=20).startswith(line)
    assert advice(HARD, "beacons", max_hops=20) is None


def test_advice__pairs_that_nobody_can_deliver_come_first():
    line = advice(LINE, "greedy", max_hops=5)
    assert "further apart than 5 hops" in line


def test_evaluate__advice_is_a_line_on_standard_error(capsys):
    main(["evaluate", "kaiser-hilgetag:n=60,beta=1", "--strategy", "random", "--max-hops", "8",
          "--json", "-"])  # fmt: skip
    captured = capsys.readouterr()
    assert captured.out.startswith("{")
    assert captured.err.strip().endswith("try --memory backtrack")
