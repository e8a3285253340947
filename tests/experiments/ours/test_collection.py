from garden.experiments.ours import collection
from garden.experiments.ours.collection import FAMILIES, specs
from garden.experiments.run.config import Scope
from small_work import outcome


def test_collection__draws_twenty_five_of_the_many_circles_and_takes_the_others_all():
    assert len(set(FAMILIES["circles"])) == 25
    assert len(specs()) == 38
    seeds = {work.seed for work in collection.works(Scope(graphs=("web/texas",)))}
    assert seeds == {20, 21, 22}


def test_report__a_family_has_the_mean_over_its_graphs_and_the_worst_training(tmp_path):
    def result_of(work):
        ratio = 1.4 if "cornell" in work.graph and work.seed == 21 else 1.1
        contenders = {one.label: outcome([ratio], [5]) for one in work.contenders}
        return {"targets": [0], "contenders": contenders}

    scope = Scope(graphs=("web/texas", "web/cornell"))
    families, graphs = collection.report(scope, result_of, tmp_path).tables
    assert families.rows[0][:2] == ("web", "2")
    assert families.rows[0][3] == "1.150 (1.400)"
    assert [row[0] for row in graphs.rows] == ["web/texas", "web/cornell"]
