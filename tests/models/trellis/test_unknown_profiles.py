from dataclasses import replace

import numpy as np
import pytest
import torch

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.graphs.ego_extraction import ego_graphs
from garden.models.base import ego_tensors
from garden.models.policy import Policy, PolicyInfo
from garden.models.policy_files import load_policy
from garden.models.registry import ModelConfig, build_model
from garden.models.trellis.unknown_profiles import KnownProfiles, SimilarProfiles

GRAPH = kaiser_hilgetag(n=30, beta=2, seed=1)
OLD = GRAPH.subgraph(np.arange(24))


def model_for_newcomers(graph=OLD):
    config = ModelConfig(hidden=8, known_profiles=graph.num_nodes)
    model = build_model("trellis", graph.num_attributes, config)
    model.standardise_by(graph.attributes)
    model.know(graph.attributes)
    return model


def policy_for_newcomers():
    options = {"hidden": 8, "known_profiles": 24}
    names = GRAPH.attribute_names
    info = PolicyInfo("trellis", options, "guided", False, "", "", "", 0, names)
    return Policy(model_for_newcomers(), info)


@pytest.mark.parametrize("form", ["forward", "of_few"])
def test_known_profiles__tell_those_of_training_from_others(form):
    known = KnownProfiles(3, 2)
    known.learn(torch.tensor([[1.0, 0, 0], [0, 1, 1]]))
    asked = torch.tensor([[0.0, 1, 1], [1, 1, 0], [1, 0, 0], [9, 9, 9]])
    assert getattr(known, form)(asked)[:, 0].tolist() == [1, 0, 1, 0]


def test_known_profiles__sparse_tables_say_the_same():
    known = KnownProfiles(3, 2)
    known.learn(torch.tensor([[1.0, 0, 0], [0, 1, 1]]).to_sparse())
    asked = torch.tensor([[0.0, 1, 1], [1, 1, 0]])
    assert known(asked.to_sparse())[:, 0].tolist() == [1, 0]


def test_similar_profiles__takes_the_row_of_the_only_profile_that_is_alike():
    similar = SimilarProfiles(1, 3, 2)
    similar.sharpness.data.fill_(100.0)
    values = torch.tensor([[[1.0, 2.0], [5.0, 6.0]]])
    known = torch.tensor([[1.0, 0, 0], [0, 1, 1]])
    similar.like_nobody.data.fill_(50.0)
    asked = torch.tensor([[2.0, 0, 0], [0, 0, 0]])
    found = similar(asked, known, values, None)
    assert torch.allclose(found[0, 0], values[0, 0], atol=1e-4)
    assert torch.allclose(found[0, 1], similar.nobody[0, 0], atol=1e-2)  # like nobody
    hidden = torch.tensor([True, False])
    assert not torch.allclose(similar(asked, known, values, hidden)[0, 0], values[0, 0], atol=1)


def test_rows__a_hidden_profile_is_read_as_an_unknown_one():
    model = model_for_newcomers(GRAPH)
    egos = ego_tensors(ego_graphs(GRAPH))
    hidden = torch.zeros(30, dtype=torch.bool)
    hidden[:6] = True
    with torch.no_grad():
        shown, with_hidden = model.embed(egos)[0], model.embed(replace(egos, hidden=hidden))[0]
    assert not torch.allclose(shown[0], with_hidden[0])
    flag = model.layout.own_width
    assert with_hidden[:, flag].tolist() == hidden.float().tolist()
    far = [node for node in range(6, 30) if min(GRAPH.neighbours(node)) >= 6]
    assert torch.allclose(shown[far], with_hidden[far], atol=1e-6)


def test_rows__a_peers_form_is_that_of_the_batch_with_newcomers_among_neighbours():
    policy = policy_for_newcomers()
    egos = ego_graphs(GRAPH)
    batch = policy.represent(egos).arrays["row"]
    alone = [policy.represent_one(egos.alone(node)).arrays["row"][0] for node in range(30)]
    np.testing.assert_allclose(np.stack(alone), batch, atol=1e-5)


def test_scores__pairs_are_those_of_the_table_with_newcomers_among_targets():
    policy = policy_for_newcomers()
    rows = policy.represent(ego_graphs(GRAPH))
    here, there = np.arange(30), (np.arange(30) * 7 + 3) % 30
    pairs = policy.score_pairs(rows.take(here), rows.take(there))
    np.testing.assert_allclose(pairs, policy.score(rows, rows)[there, here], atol=1e-4)


def test_policy__knows_the_same_profiles_when_it_is_loaded_again(tmp_path):
    policy = policy_for_newcomers()
    policy.save(tmp_path / "policy")
    again = load_policy(tmp_path / "policy")
    rows = policy.represent(ego_graphs(GRAPH))
    np.testing.assert_array_equal(again.score(rows, rows), policy.score(rows, rows))
    assert again.model.known is not None


def test_model_config__an_option_that_is_off_leaves_addresses_as_they_were():
    assert "known_profiles" not in ModelConfig().to_json()
    assert ModelConfig(known_profiles=4).to_json()["known_profiles"] == 4
