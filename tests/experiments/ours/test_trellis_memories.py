from garden.experiments.ours.trellis_memories import LARGER, SPLITS
from garden.experiments.paper.table1 import experiment as table1
from garden.experiments.run.config import Scope
from garden.experiments.run.jobs import Comparison


def outcome(work, ratio_of):
    return {
        "targets": [0, 1],
        "contenders": {
            one.label: {
                "pairs": [3, 3],
                **dict.fromkeys(("ratio", "truncated", "wins", "hops"), [ratio_of(one.label)] * 2),
            }
            for one in work.contenders
        },
    }


def test_larger__validation_chooses_the_memory_and_test_targets_report_it(tmp_path):
    validation = {"trellis+visited": 1.5, "trellis+backtrack": 1.25, "trellis+frontier": 1.75}
    test = {"trellis+visited": 1.0, "trellis+frontier": 1.0}

    def result_of(work):
        ratios = validation if work.evaluation.split == "validation" else test
        return outcome(work, lambda label: ratios.get(label, 2.0))

    section = LARGER.report(Scope(graphs=("twitch:PTBR",)), result_of, tmp_path)
    rows = {row[0]: row[1] for row in section.tables[0].rows}
    assert rows["… which, split by split"] == "backtrack"
    assert rows["memory chosen on validation"] == rows["trellis+backtrack"]
    assert rows["trellis"].startswith("2.000 (2.000)")
    beside_the_rule, beside_trellis = section.claims
    assert beside_the_rule.undecided_on == beside_trellis.undecided_on == ("twitch:PTBR",)


def test_larger__each_split_chooses_for_itself(tmp_path):
    def result_of(work):
        best = "trellis+visited" if work.seed == 20 else "trellis+frontier"
        return outcome(work, lambda label: 1.0 if label == best else 2.0)

    section = LARGER.report(Scope(graphs=("musae-facebook",)), result_of, tmp_path)
    rows = {row[0]: row[1] for row in section.tables[0].rows}
    assert rows["… which, split by split"] == "frontier 2, visited 1"
    assert rows["memory chosen on validation"].startswith("1.000 (1.000)")
    assert rows["trellis+frontier"].startswith("1.333")


def test_larger__ten_seeds_of_one_graph_and_three_of_the_largest():
    seeds = {
        graph: {work.seed for work in LARGER.works(Scope(graphs=(graph,)))}
        for graph in LARGER.trials
    }
    assert seeds == {"twitch:PTBR": set(range(20, 30)), "musae-facebook": {20, 21, 22}}


def test_splits__are_none_of_table_1s_and_are_trained_as_it_is():
    ours, table_1 = SPLITS.works(Scope()), table1.works(Scope())
    seeds = {work.seed for work in table_1 if isinstance(work, Comparison)}
    assert len(seeds) >= 10
    assert not {work.seed for work in ours} & seeds
    options = {one.options.resolved() for work in ours for one in work.trainings()}
    assert options == {table1.LEARNED["trellis"].resolved()}
    every_pair = {work.evaluation.all_pairs for work in ours if len(work.contenders) == 3}
    assert every_pair == {True}
