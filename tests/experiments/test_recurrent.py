from garden.experiments.ours import recurrent
from garden.experiments.run.config import Scope


def test_recurrent__findings_follow_the_results(tmp_path):
    ratios = {"trellis": 1.5, "trellis+recurrent": 1.25, "trellis+frontier": 1.125}

    def result_of(work):
        return {
            "targets": [0, 1],
            "entrants": {
                one.label: {
                    "pairs": [3, 3],
                    "ratio": [ratios.get(one.label, 2.0)] * 2,
                    **dict.fromkeys(("truncated", "wins", "hops"), [0.0] * 2),
                }
                for one in work.entrants
            },
        }

    section = recurrent.report(Scope(graphs=("0",)), result_of, tmp_path)
    (finding,) = section.findings
    assert "fewer hops than trellis (-0.250" in finding
    assert "more hops than trellis+frontier (0.125" in finding
    rows = {row[0]: row[1] for row in section.tables[0].rows}
    assert rows["trellis+recurrent"] == "1.250 (1.250), 0.00 %"


def test_recurrent__the_policy_that_is_played_has_a_message_of_its_own():
    work = recurrent.comparison("0", 20, quick=False)
    (training,) = work.trainings()
    assert training.options.memory_updates == 300
    assert {one.memory for one in work.entrants} >= {"none", "recurrent", "frontier"}
