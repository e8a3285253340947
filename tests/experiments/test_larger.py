from garden.experiments import larger
from garden.experiments.config import Scope


def outcome(work, ratio_of):
    return {
        "targets": [0, 1],
        "entrants": {
            one.label: {
                "pairs": [3, 3],
                **dict.fromkeys(("ratio", "truncated", "wins", "hops"), [ratio_of(one.label)] * 2),
            }
            for one in work.entrants
        },
    }


def test_larger__validation_chooses_the_memory_and_test_targets_report_it(tmp_path):
    validation = {"trellis+visited": 1.5, "trellis+backtrack": 1.25, "trellis+frontier": 1.75}
    test = {"trellis+visited": 1.0, "trellis+frontier": 1.0}

    def result_of(work):
        ratios = validation if work.evaluation.split == "validation" else test
        return outcome(work, lambda label: ratios.get(label, 2.0))

    section = larger.report(Scope(graphs=("twitch:PTBR",)), result_of, tmp_path)
    rows = {row[0]: row[1] for row in section.tables[0].rows}
    assert rows["memory chosen on validation"] == "backtrack"
    assert rows["trellis"].startswith("2.000 (2.000)")
    assert "not to be told from" in section.findings[0]


def test_larger__ten_seeds_of_one_graph_and_three_of_the_largest():
    seeds = {
        graph: {work.seed for work in larger.works(Scope(graphs=(graph,)))}
        for graph in larger.GRAPHS
    }
    assert seeds == {"twitch:PTBR": set(range(20, 30)), "musae-facebook": {20, 21, 22}}
