"""What `universal` is trained on, family by family."""

import numpy as np
import pytest

from garden.training.universal import training_set
from garden.training.universal.training_set import (
    GENERATED,
    SOCIAL,
    Source,
    graph_of_source,
    shares,
    sources,
    training_graphs,
)


def generated(kind, seed):
    return Source(f"{GENERATED}:{kind},seed={seed}", GENERATED)


def test_sources__without_a_collection_there_are_named_and_generated_graphs(tmp_path):
    found = sources(tmp_path)
    families = {source.family for source in found}
    assert families == {SOCIAL, "twitch", "musae-facebook", GENERATED}
    assert len(found) == len({source.spec for source in found})


def test_sources__circles_are_of_the_family_of_facebook_and_some_validate(tmp_path):
    for name in ("circles", "citation"):
        (tmp_path / name).mkdir()
        for number in range(10):
            (tmp_path / name / f"{number}.npz").touch()
    found = {source.spec: source for source in sources(tmp_path)}
    circles = [one for spec, one in found.items() if "circles" in spec]
    assert {one.family for one in circles} == {SOCIAL}
    assert sum(one.validates for one in circles) == 1
    assert found["collection:citation/3"].family == "citation"


def test_shares__families_have_theirs_however_many_graphs_they_have():
    made = [
        *[Source(f"facebook:{number}", SOCIAL) for number in (1, 1, 2)],
        Source("twitch:A", "twitch"),
        *[generated("plain", 0)] * 2,
        generated("positioned", 0),
    ]
    probabilities = shares(made)
    assert probabilities.sum() == pytest.approx(1)
    assert probabilities[:3].sum() == pytest.approx(training_set.SHARES[SOCIAL])
    assert probabilities[2] == pytest.approx(
        2 * probabilities[0]
    )  # a graph with two copies counts once
    assert probabilities[4:6].sum() == pytest.approx(probabilities[6])


@pytest.mark.parametrize("seed", range(5))
def test_generated__plain_profiles_say_little(seed):
    graph = graph_of_source(generated("plain", seed))
    table = np.asarray(graph.attributes)
    kinds = len(np.unique(table, axis=0))
    assert table.shape[1] >= 1
    if seed in (0, 1):
        assert kinds == 1
    assert set(np.unique(table)) <= {0, 1}


@pytest.mark.parametrize("kind", ["attributed", "positioned", "modelled"])
def test_generated__a_graph_follows_from_its_seed(kind):
    first, again, other = (graph_of_source(generated(kind, seed)) for seed in (7, 7, 8))
    assert first.content_hash == again.content_hash != other.content_hash


def test_training_graphs__what_validates_is_never_trained_on():
    source = Source(f"{GENERATED}:attributed,seed=1", GENERATED, validates=True)
    assert all(entry.validates for entry in training_graphs(source))


def test_training_graphs__of_a_large_graph_one_piece_validates(monkeypatch):
    monkeypatch.setattr(training_set, "WHOLE_NODES", 100)
    monkeypatch.setattr(training_set, "LARGE_PIECE", 100)
    monkeypatch.setattr(training_set, "PIECES", (30, 40, 50, 60))
    whole = graph_of_source(generated("attributed", 0))
    assert whole.num_nodes > 150
    monkeypatch.setattr(training_set, "load", lambda _: whole)
    made = list(training_graphs(Source("collection:x/y", "x")))
    assert [entry.validates for entry in made] == [False, False, False, True, False, False]
    assert all(entry.graph.num_nodes < whole.num_nodes for entry in made)
