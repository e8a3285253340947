"""The shipped policies load, fit their graphs, and beat the walkers they were made to beat."""

import pytest

import garden
from garden.resolve import shipped_weights

EGOS = ("414", "686", "348", "0", "3437")


def test_weights__are_small_and_complete():
    shipped = shipped_weights()
    assert {f"garden-facebook-{ego}" for ego in EGOS} | {"garden-quickstart"} <= set(shipped)
    files = [file for folder in shipped.values() for file in folder.iterdir()]
    assert sum(file.stat().st_size for file in files) <= 5_000_000


def test_weights__of_the_quickstart_graph_beat_its_walkers():
    report = garden.evaluate(
        "kaiser-hilgetag:n=200,alpha=30,beta=1,seed=0", ["distance", "garden-quickstart"]
    )
    assert report["garden-quickstart"].oracle_ratio < report["distance"].oracle_ratio


@pytest.mark.parametrize("ego", EGOS)
def test_weights__of_a_facebook_graph_beat_the_papers_garden(real_data, ego):
    published = {"414": 10.95, "686": 9.89, "348": 8.74, "0": 12.08, "3437": 16.97}
    report = garden.evaluate(f"facebook:{ego}", f"garden-facebook-{ego}")
    assert report.results[0].oracle_ratio < published[ego]
