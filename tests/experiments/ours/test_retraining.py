import numpy as np
import pytest

from garden.experiments.ours import retraining
from garden.experiments.ours.retraining import INITIALISATIONS, Spread
from garden.experiments.run.config import Scope
from small_work import outcome


def test_spread__tells_initialisations_from_splits():
    spread = Spread(np.array([[1.0, 2.0], [1.2, 2.0], [1.1, 2.0]]))
    assert spread.over_initialisations == pytest.approx(np.sqrt(0.01 / 2))
    assert spread.over_splits == pytest.approx(0.9 / np.sqrt(2))
    assert spread.widest == pytest.approx(0.2)


def test_report__worst_is_over_splits_and_initialisations(tmp_path):
    def result_of(work):
        training = work.trainings()[0]
        odd = training.options.init_seed == INITIALISATIONS[1] and work.seed == 20
        ratio = 1.5 if odd else 1.0
        contenders = {one.label: outcome([ratio], [5]) for one in work.contenders}
        return {"targets": [0], "contenders": contenders}

    (table,) = retraining.report(Scope(graphs=("0",), quick=True), result_of, tmp_path).tables
    memoryless, _ = table.rows
    assert memoryless[3] == "1.500"
    assert memoryless[-1] == "0.500"
    works = retraining.works(Scope(graphs=("0",)))
    assert len({work.key for work in works}) == len(works) == 60
