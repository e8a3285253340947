import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.errors import DataError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.models.policy import Policy, PolicyInfo, write_tensors
from garden.models.policy_files import load_policy, read_tensors
from garden.models.registry import ModelConfig, build_model
from garden.storage import arrays_hash

GRAPH = Graph.from_edges(np.array([[0, 1], [1, 2], [2, 0]]), 3, np.eye(3))


@pytest.fixture
def policy():
    model = build_model("garden", 3, ModelConfig(hidden=5, embedding=4))
    info = PolicyInfo(
        model="garden",
        model_options={"hidden": 5, "embedding": 4, "layers": 3},
        method="exact",
        trains_value=False,
        graph="triangle",
        graph_hash=GRAPH.content_hash,
        task_hash="t",
        seed=3,
        attribute_names=("a", "b", "ü c"),
        training={"command": "garden train"},
    )
    return Policy(model, info)


def test_policy__survives_a_round_trip(policy, tmp_path):
    policy.save(tmp_path / "run")
    again = load_policy(tmp_path / "run")
    assert again.info == policy.info
    egos = ego_graphs(GRAPH)
    ours, theirs = policy.represent(egos), again.represent(egos)
    assert np.array_equal(ours.arrays["row"], theirs.arrays["row"])
    assert arrays_hash(again.model.state_dict()) == arrays_hash(policy.model.state_dict())


def test_policy__of_a_version_that_stored_no_marks_of_its_graph_still_loads(policy, tmp_path):
    policy.save(tmp_path)
    config = tmp_path / "config.json"
    content = json.loads(config.read_text())
    del content["graph_marks"]
    config.write_text(json.dumps(content))
    assert load_policy(tmp_path).trained_on.is_of(GRAPH)


def test_policy__truncated_weights_are_refused(policy, tmp_path):
    policy.save(tmp_path)
    path = tmp_path / "model.safetensors"
    for keep in (0, 5, 100, len(path.read_bytes()) - 1):
        path.write_bytes(path.read_bytes()[:keep])
        with pytest.raises(DataError, match=r"model\.safetensors: damaged"):
            load_policy(tmp_path)
        policy.save(tmp_path, force=True)


def test_policy__altered_weights_are_refused(policy, tmp_path):
    policy.save(tmp_path)
    path = tmp_path / "model.safetensors"
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(DataError, match="altered"):
        load_policy(tmp_path)


def test_policy__foreign_files_are_refused(policy, tmp_path):
    policy.save(tmp_path)
    save_file({"x": torch.zeros(2)}, tmp_path / "model.safetensors")
    with pytest.raises(DataError, match="not written by garden"):
        load_policy(tmp_path)


def test_policy__weights_of_another_model_are_refused(policy, tmp_path):
    policy.save(tmp_path)
    other = build_model("mlpa2c", 3, ModelConfig())
    write_tensors(tmp_path / "model.safetensors", other.state_dict(), {})
    with pytest.raises(DataError, match="not those of the garden model"):
        load_policy(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not readable"),
        ("[]", "not the description of a policy"),
        (
            '{"format": "garden-policy-1"}',
            "garden-policy-1, not .*: train it anew",
        ),
        ('{"format": "garden-policy-2"}', "missing or unknown entries"),
    ],
)
def test_policy__a_damaged_description_is_refused(policy, tmp_path, text, message):
    policy.save(tmp_path)
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(DataError, match=message):
        load_policy(tmp_path)


def test_policy__unknown_model_options_are_refused(policy, tmp_path):
    policy.save(tmp_path)
    path = tmp_path / "config.json"
    content = json.loads(path.read_text())
    content["model_options"]["wings"] = 2
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match="unknown model options"):
        load_policy(tmp_path)


def test_policy__an_empty_folder_is_no_policy(tmp_path):
    with pytest.raises(DataError, match="holds no policy"):
        load_policy(tmp_path)


def test_tensors__a_full_disk_leaves_the_previous_file_whole(policy, tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    write_tensors(path, {"x": torch.arange(5)}, {"update": 1})

    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(DataError, match="No space left"):
        write_tensors(path, {"x": torch.arange(9)}, {"update": 2})
    monkeypatch.undo()
    tensors, record = read_tensors(path)
    assert tensors["x"].tolist() == [0, 1, 2, 3, 4]
    assert record == {"update": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["model.safetensors"]


def test_untrained__a_policy_is_of_its_seed_and_its_value_is_not_trained():
    graph = kaiser_hilgetag(n=40, beta=2, seed=1)
    policies = [
        Policy.untrained(graph.attribute_names, "garden", seed, profiles=graph.attributes)
        for seed in (0, 0, 1)
    ]
    one, same, other = (policy.represent(ego_graphs(graph)).arrays["row"] for policy in policies)
    assert np.array_equal(one, same)
    assert not np.allclose(one, other)
    assert not policies[0].info.trains_value


def test_untrained__profiles_standardise_attributes():
    graph = kaiser_hilgetag(n=40, beta=2, seed=1)
    plain, standardised = (
        Policy.untrained(graph.attribute_names, "garden", profiles=profiles)
        for profiles in (None, graph.attributes)
    )
    rows = [one.represent(ego_graphs(graph)).arrays["row"] for one in (plain, standardised)]
    assert not np.allclose(*rows)
