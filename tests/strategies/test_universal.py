"""One policy for every graph, as a strategy and in a folder."""

import json

import numpy as np
import pytest

from garden.errors import DataError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.resolve import strategy_named
from garden.strategies.universal.features import LIKENESS, NUM_LIKENESS
from garden.strategies.universal.policy import (
    Universal,
    UniversalWeights,
    load_universal,
    network_scores,
    save_universal,
    scores_of_few,
)


def some_weights(hidden=5):
    draws = np.random.default_rng(0)

    def numbers(*shape):
        return draws.normal(size=shape).astype(np.float32)

    return UniversalWeights(
        mean=numbers(NUM_LIKENESS),
        scale=np.abs(numbers(NUM_LIKENESS)),
        first=numbers(NUM_LIKENESS, hidden),
        first_bias=numbers(hidden),
        second=numbers(hidden, hidden),
        second_bias=numbers(hidden),
        last=30 * numbers(hidden, 2),
        last_bias=numbers(2),
    )


def test_scores__similarity_alone_is_bounded_and_recognition_is_not():
    likeness = np.random.default_rng(1).random((200, NUM_LIKENESS)).astype(np.float32)
    for name in ("own", "seen", "beside", "common_log", "real"):
        likeness[:, LIKENESS.index(name)] = 0
    assert np.abs(network_scores(likeness, some_weights(), 1.5)).max() <= 1.5
    likeness[:, LIKENESS.index("seen")] = 1
    assert np.abs(network_scores(likeness, some_weights(), 1.5)).max() > 1.5


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 20])
def test_scores__of_a_few_pairs_are_those_of_many(count):
    likeness = np.random.default_rng(2).normal(size=(count, NUM_LIKENESS)).astype(np.float32)
    likeness[: count // 2] *= 100  # beyond what counts
    likeness[::2, [LIKENESS.index(n) for n in ("own", "seen", "beside", "common_log", "real")]] = 0
    weights = some_weights(hidden=7)
    told = network_scores(likeness, weights, 1.5)
    assert scores_of_few(likeness, weights, 1.5) == pytest.approx(told, rel=1e-4, abs=1e-4)


def test_save__a_policy_comes_back_as_it_was_under_its_folders_name(tmp_path):
    policy = Universal(some_weights(), 1.5, 0.7, {"kinds": ["generated"]})
    save_universal(policy, tmp_path / "policy")
    back = strategy_named(str(tmp_path / "policy"))
    assert (back.bound, back.temperature, back.training) == (1.5, 0.7, {"kinds": ["generated"]})
    table = np.array([[1.0, 0], [1, 1], [0, 1]])
    rows = policy.represent(ego_graphs(Graph.from_edges(np.array([[0, 1], [1, 2]]), 3, table)))
    assert np.array_equal(back.score(rows, rows), policy.score(rows, rows))


def test_load__refuses_weights_that_are_not_the_ones_described(tmp_path):
    save_universal(Universal(some_weights(), 1.5), tmp_path)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    with pytest.raises(DataError, match="not the weights"):
        load_universal(tmp_path)


def test_load__refuses_a_policy_made_for_other_inputs(tmp_path):
    save_universal(Universal(some_weights(), 1.5), tmp_path)
    config = tmp_path / "config.json"
    facts = json.loads(config.read_text())
    config.write_text(json.dumps({**facts, "likeness": facts["likeness"][::-1]}))
    with pytest.raises(DataError, match="other inputs"):
        load_universal(tmp_path)
