"""Training over many graphs: a policy that works on one it has never met."""

from copy import deepcopy

import numpy as np
import pytest
import torch

from garden.datasets.random_attributed import attributed
from garden.errors import SpecError, TaskError
from garden.models.universal_network import UniversalNetwork, network_of
from garden.strategies.universal.features import AT, NUM_FEATURES
from garden.training.universal.config import UniversalConfig
from garden.training.universal.curriculum import KINDS, CurriculumGraph, curriculum, shares_of
from garden.training.universal.train import (
    batch_of,
    memoryless_ratio,
    train_universal,
    with_best_temperature,
)


def batches(seeds, validates=False):
    books = [CurriculumGraph("generated", attributed(seed), 8, validates) for seed in seeds]
    return [batch_of(book, number) for number, book in enumerate(books)]


def test_train__a_few_updates_help_on_graphs_that_were_never_seen():
    config = UniversalConfig(updates=60, hidden=16)
    unseen = batches(range(100, 104), validates=True)
    network = train_universal([*batches(range(8)), *unseen], config)
    torch.manual_seed(0)
    untrained = UniversalNetwork(16, 1.5)
    for batch in unseen:
        assert memoryless_ratio(network, batch) < memoryless_ratio(untrained, batch)


def test_train__a_seed_says_everything():
    config = UniversalConfig(updates=3, hidden=8)
    first, second = (train_universal(batches([1, 2]), config) for _ in range(2))
    for one, other in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(one, other)


def test_train__refuses_to_train_on_validating_graphs():
    with pytest.raises(TaskError, match="no graph to train on"):
        train_universal(batches([1], validates=True), UniversalConfig(updates=1))


def test_tempered__takes_the_temperature_that_validating_graphs_like_best():
    network = train_universal(batches([1, 2, 4]), UniversalConfig(updates=30, hidden=16))
    unseen = batches([5, 6], validates=True)
    policy = with_best_temperature(network, unseen)
    best = np.mean([np.log(memoryless_ratio(network, one, policy.temperature)) for one in unseen])
    for other in (0.25, 1.0):
        ratio = np.mean([np.log(memoryless_ratio(network, one, other)) for one in unseen])
        assert best <= ratio + 1e-12


def test_shares__kinds_have_their_part_however_many_graphs_they_bring():
    kinds = ["generated", "generated", "generated", "twitch", "facebook:0", "facebook:414"]
    shares = np.array(shares_of(kinds))
    assert shares.sum() == pytest.approx(1)
    assert shares[:3].sum() / shares[3] == pytest.approx(0.45 / 0.12)
    assert shares[4] == shares[5] == pytest.approx(0.155 / 0.88)


def test_curriculum__leaves_out_whole_kinds_and_refuses_unknown_ones():
    books = list(curriculum(without=[kind for kind in KINDS if kind != "generated"]))
    assert {book.kind for book in books} == {"generated"}
    assert any(book.validates for book in books)
    with pytest.raises(SpecError, match="unknown kind 'twitter'"):
        next(curriculum(without=["twitter"]))


def test_curriculum__a_graph_left_out_leaves_nothing_behind(real_data):
    others = [kind for kind in KINDS if not kind.startswith("facebook")]
    books = list(curriculum(without=[*others, "facebook:0"]))
    assert {book.kind for book in books} == {kind for kind in KINDS if kind.startswith("face")} - {
        "facebook:0"
    }
    assert not any(book.graph.name.startswith("facebook:0") for book in books)


def test_train__what_the_network_ignores_changes_nothing():
    config = UniversalConfig(updates=3, hidden=8, ignored=("direct", "direct_log", "v_t"))
    (batch,) = batches([1])
    network = train_universal([batch], config)
    changed = batch.features.float().clone()
    changed[..., [AT.direct, AT.direct_log, AT.v_t]] = 7.0
    with torch.no_grad():
        assert torch.equal(network(changed), network(batch.features.float()))
    weights = network.weights()
    assert (weights.scale == 0).sum() == 3
    assert network_of(weights, network.bound).ignored == ("v_t", "direct", "direct_log")


def test_train__updates_draw_graphs_by_the_probabilities_given():
    first, second = batches([1, 2])
    config = UniversalConfig(updates=3, hidden=8)
    standard = UniversalNetwork(8, 1.5)
    standard.standardise_by(torch.zeros(NUM_FEATURES), torch.ones(NUM_FEATURES))
    drawn = {"network": standard, "probabilities": [1.0, 0.0]}
    never = [
        train_universal([first, other], config, **deepcopy(drawn)) for other in (second, first)
    ]
    for one, other in zip(*(network.parameters() for network in never), strict=True):
        assert torch.equal(one, other)
