import numpy as np
import pytest
import scipy.sparse as sp
import torch

from garden.errors import SpecError, StrategyError
from garden.graphs.ego_extraction import ego_graphs
from garden.graphs.graph import Graph
from garden.models.base import TargetContext, ego_tensors, standardisation
from garden.models.layers import Dropout
from garden.models.policy import Policy, PolicyInfo
from garden.models.registry import MODELS, ModelConfig, build_model

KITE = Graph.from_edges(
    np.array([[0, 1], [1, 2], [2, 0], [2, 3], [3, 4]]),
    5,
    np.array([[1, 0, 2.5], [0, 1, -1.0], [1, 1, 0.5], [0, 0, 4.0], [0, 1, 1.0]]),
)
SMALL = ModelConfig(hidden=6, embedding=4, layers=3)


def policy_of(graph, name="garden", seed=0, trains_value=True):
    model = build_model(name, graph.num_attributes, SMALL, (seed,))
    model.standardise_by(graph.attributes)
    info = PolicyInfo(
        model=name,
        model_options=vars(SMALL),
        method="a2c",
        trains_value=trains_value,
        graph=graph.name,
        graph_hash=graph.content_hash,
        task_hash="",
        seed=seed,
        attribute_names=graph.attribute_names,
    )
    return Policy(model, info)


def plain_garden_row(policy, graph, node):
    """The paper's equations for one ego graph, member by member, in float64 loops."""
    model = policy.model
    members = [node, *graph.neighbours(node).tolist()]
    joined = {
        (a, b) for a in members for b in members if a == b or b in graph.neighbours(a).tolist()
    }
    shift, scale = model.shift.double().numpy(), model.scale.double().numpy()
    x = {
        a: np.append((np.asarray(graph.attributes[a], dtype=float) - shift) * scale, a == node)
        for a in members
    }
    for layer, norm in zip(model.attentions, model.norms, strict=True):
        part = {k: v[0].double().numpy() for k, v in layer.state_dict().items()}
        left = {a: x[a] @ part["left.weight"] + part["left.bias"][0] for a in members}
        right = {a: x[a] @ part["right.weight"] + part["right.bias"][0] for a in members}
        heard = {}
        for i in members:
            speakers = [j for j in members if (i, j) in joined]
            energies = []
            for j in speakers:
                total = left[j] + right[i]
                energies.append(
                    float(np.where(total > 0, total, 0.2 * total) @ part["attention"][:, 0])
                )
            weights = np.exp(energies) / np.exp(energies).sum()
            heard[i] = part["bias"][0] + sum(
                w * left[j] for w, j in zip(weights, speakers, strict=True)
            )
        gain, offset = (norm.state_dict()[k][0, 0].double().numpy() for k in ("weight", "bias"))
        for i in members:
            normal = (heard[i] - heard[i].mean()) / np.sqrt(heard[i].var() + 1e-5)
            x[i] = np.maximum(normal * gain + offset, 0)
    return np.append(np.mean([x[a] for a in members], axis=0), np.log(len(members)))


def plain_pair(network, candidate, target):
    """Three linear layers over [candidate ‖ target]."""
    part = {k: v[0].double().numpy() for k, v in network.state_dict().items()}
    weight = np.concatenate([part["of_candidate"], part["of_target"]])
    x = np.maximum(np.concatenate([candidate, target]) @ weight + part["bias"][0], 0)
    x = np.maximum(x @ part["middle.weight"] + part["middle.bias"][0], 0)
    return float((x @ part["last.weight"] + part["last.bias"][0])[0])


def test_garden__rows_equal_the_papers_equations_ego_graph_by_ego_graph():
    policy = policy_of(KITE)
    rows = policy.represent(ego_graphs(KITE)).arrays["row"]
    for node in range(5):
        assert rows[node] == pytest.approx(plain_garden_row(policy, KITE, node), abs=1e-5)


def test_garden__scores_and_values_equal_the_papers_equations():
    policy = policy_of(KITE)
    representations = policy.represent(ego_graphs(KITE))
    rows = representations.arrays["row"].astype(float)
    targets = representations.take(np.array([4, 1]))
    scores = policy.score(representations, targets)
    values = policy.value(representations, targets)
    for number, target in enumerate((4, 1)):
        for node in range(5):
            score = plain_pair(policy.model.actor, rows[node], rows[target])
            value = plain_pair(policy.model.critic, rows[node], rows[target])
            assert scores[number, node] == pytest.approx(score, abs=1e-5)
            assert values[number, node] == pytest.approx(1 / (1 + np.exp(-value)), abs=1e-5)


def test_garden__attention_equals_pyg_with_the_same_parameters():
    from torch_geometric.nn import GATv2Conv

    model = build_model("garden", 3, SMALL)
    ours = model.attentions[1]
    theirs = GATv2Conv(6, 6, heads=1, add_self_loops=True)
    with torch.no_grad():
        theirs.lin_l.weight.copy_(ours.left.weight[0].T)
        theirs.lin_l.bias.copy_(ours.left.bias[0, 0])
        theirs.lin_r.weight.copy_(ours.right.weight[0].T)
        theirs.lin_r.bias.copy_(ours.right.bias[0, 0])
        theirs.att.copy_(ours.attention[0].T.reshape(1, 1, 6))
        theirs.bias.copy_(ours.bias[0, 0])
    egos = ego_graphs(KITE)
    tensors = ego_tensors(egos)
    x = torch.randn(1, len(egos.members), 6)
    found = ours.attend(ours.left(x), ours.right(x), tensors.heads, tensors.tails)
    edges = torch.as_tensor(egos.edges.astype(np.int64))
    assert torch.allclose(found[0], theirs(x[0], edges), atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_policy__score_table_equals_aligned_scores(name):
    policy = policy_of(KITE, name)
    rows = policy.represent(ego_graphs(KITE))
    table = policy.score(rows, rows.take(np.array([2, 3])))
    for number, target in enumerate((2, 3)):
        aligned = policy.score_pairs(rows, rows.take(np.full(5, target)))
        assert table[number] == pytest.approx(aligned, abs=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_policy__sparse_attributes_give_the_same_rows(name):
    attributes = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0], [0, 1, 1]])
    dense = Graph.from_edges(KITE.edges(), 5, attributes)
    sparse = Graph.from_edges(KITE.edges(), 5, sp.csr_array(attributes))
    policy = policy_of(dense, name)
    ours = policy.represent(ego_graphs(dense)).arrays["row"]
    theirs = policy.represent(ego_graphs(sparse)).arrays["row"]
    assert ours == pytest.approx(theirs, abs=1e-6)
    alone = [policy.represent_one(ego_graphs(sparse).alone(i)).arrays["row"][0] for i in range(5)]
    assert ours == pytest.approx(np.stack(alone), abs=1e-5)


def target_context(model, rows):
    """Two targets that show nodes 2, 3 and 4 between them, and some indicators."""
    if not model.reads_neighbours:
        return None
    visible = torch.tensor([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]).expand(len(rows), 2, 3)
    indicators = torch.rand(1, 2, 5, 4, generator=torch.Generator().manual_seed(0))
    return TargetContext(model.neighbour_values(rows[:, 2:]), visible, indicators)


@pytest.mark.parametrize("name", MODELS)
def test_model__row_s_of_a_stack_is_the_model_of_seed_s(name):
    egos = ego_tensors(ego_graphs(KITE))
    stack = build_model(name, 3, SMALL, (4, 7))
    for place, seed in enumerate((4, 7)):
        alone = build_model(name, 3, SMALL, (seed,))
        rows, own = stack.embed(egos), alone.embed(egos)
        assert torch.allclose(rows[place], own[0], atol=1e-6)
        ours = stack.score_table(rows, rows[:, :2], context=target_context(stack, rows))[place]
        theirs = alone.score_table(own, own[:, :2], context=target_context(alone, own))[0]
        assert torch.allclose(ours, theirs, atol=1e-6)


def test_policy__value_is_refused_where_no_critic_was_trained():
    policy = policy_of(KITE, trains_value=False)
    rows = policy.represent(ego_graphs(KITE))
    with pytest.raises(StrategyError, match="trains no critic"):
        policy.value(rows, rows)


def test_policy__other_attributes_are_named():
    policy = policy_of(KITE)
    policy.check_attributes(("x0", "x1", "x2"))
    with pytest.raises(StrategyError, match="missing here: 'x2'; unknown to it: 'age', 'town'"):
        policy.check_attributes(("x0", "x1", "age", "town"))
    with pytest.raises(StrategyError, match="another order"):
        policy.check_attributes(("x1", "x0", "x2"))
    with pytest.raises(StrategyError, match="3 attributes, and these ego graphs show 1"):
        policy.represent(ego_graphs(Graph.from_edges(KITE.edges(), 5, np.ones((5, 1)))))


def test_policy__a_row_is_small_enough_for_a_message():
    rows = policy_of(KITE).represent(ego_graphs(KITE))
    assert rows.bytes_per_row.tolist() == [4 * 5] * 5  # 4 numbers and the degree


def test_standardisation__scales_real_columns_and_leaves_binary_ones():
    shift, scale = standardisation(np.array([[0, 10.0, 3], [1, 14, 3], [1, 12, 3]], np.float32))
    assert shift.tolist() == pytest.approx([0, 12, 3])
    assert scale.tolist() == pytest.approx([1, 1 / np.std([10, 14, 12]), 1])
    shift, scale = standardisation(sp.csr_array(np.array([[0, 3.0], [1, 0], [1, 4]], np.float32)))
    assert shift.tolist() == [0, 0]
    assert scale.tolist() == pytest.approx([1, 1 / np.sqrt(25 / 3)])


def test_dropout__keeps_the_mean_and_follows_its_generator():
    rows = torch.ones(1, 400, 50)
    first, again = (Dropout(0.3, torch.Generator().manual_seed(5))(rows) for _ in range(2))
    assert torch.equal(first, again)
    assert float(first.mean()) == pytest.approx(1, abs=0.02)
    assert float((first == 0).float().mean()) == pytest.approx(0.3, abs=0.02)


def test_models__bad_names_sizes_and_graphs_are_refused():
    with pytest.raises(SpecError, match="unknown model 'transformer'"):
        build_model("transformer", 3, SMALL)
    with pytest.raises(SpecError, match="hidden is 0"):
        ModelConfig(hidden=0)
    with pytest.raises(StrategyError, match="this graph has none"):
        build_model("garden", 0, SMALL)
