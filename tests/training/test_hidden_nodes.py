import networkx as nx
import numpy as np
import pytest
import torch

import garden
from garden.datasets.task import SearchTask
from garden.errors import SpecError
from garden.graphs.graph import Graph
from garden.models.registry import ModelConfig
from garden.training import training_graph
from garden.training.config import TrainingOptions
from garden.training.methods import hidden_nodes
from garden.training.methods.config import GuidedConfig
from garden.training.methods.hidden_nodes import (
    has_known_profile,
    still_connected,
    with_hidden_nodes,
)
from garden.training.trainer import Trainer
from garden.training.training_graph import make_links, make_training_graph, sized_for

from .short_runs import TASK


def generator():
    return torch.Generator().manual_seed(0)


def test_still_connected__what_hangs_on_a_hidden_node_alone_is_lost_with_it():
    #  4 - 0 - 1 - 2 - 3 with 5 and 6 on 0: hiding 1 cuts off 2 and 3
    edges = np.array([[4, 0], [0, 1], [1, 2], [2, 3], [0, 5], [0, 6]])
    links = make_links(Graph.from_edges(edges, 7, np.ones((7, 1))))
    shown = torch.tensor([True, False, True, True, True, True, True])
    kept = still_connected(links, shown)
    assert kept.tolist() == [True, False, False, False, True, True, True]


def test_known_profiles__a_hidden_nodes_profile_is_known_where_somebody_shown_shares_it():
    ring = nx.cycle_graph(10)
    profiles = np.arange(10)[:, None].astype(float)
    profiles[1] = profiles[0]
    graph = Graph.from_edges(np.array(ring.edges), 10, profiles)
    training_graph = make_training_graph([SearchTask.split(graph, seed=0)])
    shown = torch.ones(10, dtype=torch.bool)
    shown[[1, 2]] = False
    assert has_known_profile(training_graph, shown).tolist() == [True, True, False, *[True] * 7]


def test_hidden_nodes__a_share_of_zero_changes_nothing_and_draws_nothing():
    training_graph, draws = make_training_graph([TASK]), generator()
    before = draws.get_state()
    targets = training_graph.draw_targets(5, generator())
    assert with_hidden_nodes(training_graph, targets, 0.0, draws) is training_graph.egos
    assert torch.equal(draws.get_state(), before)


def test_hidden_nodes__some_updates_see_the_graph_as_it_is_and_others_hide_targets():
    training_graph, draws = make_training_graph([TASK]), generator()
    targets = training_graph.draw_targets(12, generator())
    views = [with_hidden_nodes(training_graph, targets, 0.2, draws) for _ in range(40)]
    hiding = [view.hidden for view in views if view.hidden is not None]
    assert 5 < len(hiding) < 35
    among_targets = torch.stack([hidden[targets[0]].float().mean() for hidden in hiding]).mean()
    assert among_targets > torch.stack([hidden.float().mean() for hidden in hiding]).mean()
    assert 0.1 < float(among_targets) < 0.8


def test_training__for_newcomers_is_refused_where_there_are_too_many_profiles(monkeypatch):
    monkeypatch.setattr(training_graph, "MAX_KNOWN_PROFILES", 20)
    with pytest.raises(SpecError, match="hidden_node_rate"):
        sized_for(TASK.graph, GuidedConfig(hidden_node_rate=0.1), ModelConfig())


def test_training__for_newcomers_changes_the_model_and_no_other_option_does():
    graph = TASK.graph
    assert sized_for(graph, GuidedConfig(), ModelConfig()) == ModelConfig()
    options = TrainingOptions(updates=2, hidden_node_rate=0.3)
    assert options.resolved().to_json()["hidden_node_rate"] == 0.3
    assert "hidden_node_rate" not in TrainingOptions(updates=2).resolved().to_json()
    policy = garden.train(TASK, options=options, device="cpu", quiet=True)
    assert policy.model.known.profiles.shape[0] == graph.num_nodes


def test_training__hidden_views_teach_what_unknown_profiles_get(monkeypatch):
    monkeypatch.setattr(hidden_nodes, "_ORDINARY", 0.0)
    options = TrainingOptions(updates=1, hidden_node_rate=0.5, targets_per_update=8).resolved()
    training = Trainer([TASK], options, ModelConfig(hidden=8))
    training._update()
    unknown = training.state.model.unknown
    gradients = [parameter.grad for parameter in unknown.parameters()]
    assert all(gradient is not None and gradient.abs().sum() > 0 for gradient in gradients)
