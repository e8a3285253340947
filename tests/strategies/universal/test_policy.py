"""One policy for every graph, as a strategy and in a folder."""

import json
from dataclasses import replace

import numpy as np
import pytest

from garden.errors import DataError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.resolve import strategy_named
from garden.storage import arrays_hash, write_arrays
from garden.strategies.universal.features import AT, NUM_FEATURES, PAIR_FEATURES
from garden.strategies.universal.policy import (
    NEVER,
    OF_TARGET,
    RECOGNITION,
    Universal,
    UniversalWeights,
    network_scores,
    scores_of_few,
)
from garden.strategies.universal.storage import load_universal, save_universal


def some_weights(hidden=5):
    draws = np.random.default_rng(0)

    def numbers(*shape):
        return draws.normal(size=shape).astype(np.float32)

    return UniversalWeights(
        mean=numbers(NUM_FEATURES),
        scale=np.abs(numbers(NUM_FEATURES)),
        first=numbers(NUM_FEATURES, hidden),
        first_bias=numbers(hidden),
        second=numbers(hidden, hidden),
        second_bias=numbers(hidden),
        last=30 * numbers(hidden, 2),
        last_bias=numbers(2),
        direct=numbers(len(OF_TARGET)),
        direct_bias=numbers(1),
    )


def test_scores__similarity_alone_is_bounded_and_recognition_is_not():
    features = np.random.default_rng(1).random((200, NUM_FEATURES)).astype(np.float32)
    features[:, [*RECOGNITION, AT.direct]] = 0
    assert np.abs(network_scores(features, some_weights(), 1.5)).max() <= 1.5
    features[:, AT.seen] = 1
    assert np.abs(network_scores(features, some_weights(), 1.5)).max() > 1.5


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 20])
def test_scores__of_a_few_pairs_are_those_of_many(count):
    features = np.random.default_rng(2).normal(size=(count, NUM_FEATURES)).astype(np.float32)
    features[: count // 2] *= 100  # beyond what counts
    features[::2, RECOGNITION] = 0
    weights = some_weights(hidden=7)
    scores = network_scores(features, weights, 1.5)
    assert scores_of_few(features, weights, 1.5) == pytest.approx(scores, rel=1e-4, abs=1e-4)


def test_save__a_policy_comes_back_as_it_was_under_its_folders_name(tmp_path):
    policy = Universal(some_weights(), 1.5, 0.7, {"kinds": ["generated"]})
    save_universal(policy, tmp_path / "policy")
    back = strategy_named(str(tmp_path / "policy"))
    assert (back.bound, back.temperature, back.training) == (1.5, 0.7, {"kinds": ["generated"]})
    table = np.array([[1.0, 0], [1, 1], [0, 1]])
    rows = policy.represent(ego_graphs(Graph.from_edges(np.array([[0, 1], [1, 2]]), 3, table)))
    assert np.array_equal(back.score(rows, rows), policy.score(rows, rows))


def test_load__refuses_weights_that_were_altered_or_are_not_the_ones_described(tmp_path):
    save_universal(Universal(some_weights(), 1.5), tmp_path)
    weights = tmp_path / "model.safetensors"
    content = weights.read_bytes()
    weights.write_bytes(content[:-1] + b"x")
    with pytest.raises(DataError, match="altered"):
        load_universal(tmp_path)
    save_universal(Universal(some_weights(hidden=6), 1.5), tmp_path)
    weights.write_bytes(content)
    with pytest.raises(DataError, match="not the numbers that config"):
        load_universal(tmp_path)


def test_load__refuses_a_folder_of_an_earlier_version(tmp_path):
    save_universal(Universal(some_weights(), 1.5), tmp_path)
    config = tmp_path / "config.json"
    config.write_text(config.read_text().replace("garden-universal-2", "garden-universal-1"))
    with pytest.raises(DataError, match="garden-universal-1, not garden-policy-2: train it anew"):
        strategy_named(str(tmp_path))


def test_load__refuses_a_policy_made_for_other_inputs(tmp_path):
    save_universal(Universal(some_weights(), 1.5), tmp_path)
    config = tmp_path / "config.json"
    content = json.loads(config.read_text())
    config.write_text(json.dumps({**content, "features": content["features"][::-1]}))
    with pytest.raises(DataError, match="other inputs"):
        load_universal(tmp_path)


def test_scores__the_raw_distance_counts_alike_for_all_candidates_of_a_target():
    features = np.random.default_rng(3).random((2, NUM_FEATURES)).astype(np.float32)
    features[1] = features[0]
    features[:, AT.direct] = 1, 900
    weights = replace(some_weights(), first=np.zeros((NUM_FEATURES, 5), dtype=np.float32))
    near, far = network_scores(features, weights, 1.5)
    inputs = np.clip((features - weights.mean) * weights.scale, -6, 6)
    slope = inputs[0, OF_TARGET] @ weights.direct + weights.direct_bias[0]
    assert near - far == pytest.approx(899 * np.log1p(np.exp(slope)), rel=1e-4)


def test_load__a_policy_that_knows_fewer_features_scores_as_it_did(tmp_path):
    later = {"distinct", "alike", "direct", "direct_log"}
    known = [name for name in PAIR_FEATURES if name not in later]
    columns = [PAIR_FEATURES.index(name) for name in known]
    weights = some_weights()
    fewer = {name: getattr(weights, name)[columns] for name in ("mean", "scale", "first")}
    save_universal(Universal(replace(weights, **fewer), 1.5), tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config["features"] = known
    arrays = dict(vars(replace(weights, **fewer)))
    del arrays["direct"], arrays["direct_bias"]
    write_arrays(tmp_path / "model.safetensors", arrays)
    config["weights_hash"] = arrays_hash(arrays)
    (tmp_path / "config.json").write_text(json.dumps(config))

    back = load_universal(tmp_path).weights
    assert back.direct_bias[0] == NEVER
    features = np.random.default_rng(4).random((30, NUM_FEATURES)).astype(np.float32)
    hidden = {name: getattr(weights, name).copy() for name in ("scale", "first")}
    for array in hidden.values():
        array[[AT.distinct, AT.alike, AT.direct, AT.direct_log]] = 0
    silent = replace(weights, **hidden, direct=0 * weights.direct, direct_bias=back.direct_bias)
    assert network_scores(features, back, 1.5) == pytest.approx(
        network_scores(features, silent, 1.5), rel=1e-5
    )
