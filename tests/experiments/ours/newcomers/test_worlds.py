import numpy as np

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.experiments.ours.newcomers.worlds import joined, task_towards, world_of
from garden.graphs.graph import Graph

GRAPH = kaiser_hilgetag(n=100, beta=2, seed=1)


def test_world__training_sees_no_newcomer_and_the_test_graph_none_of_validation():
    world = world_of(GRAPH, 3, "a tenth")
    test, validation = world.test, world.validation

    def names(joined_graph):
        places = np.concatenate([joined_graph.attached, joined_graph.detached])
        return {joined_graph.graph.node_names[place] for place in places}

    assert len(names(test)) == 9  # the tenth hangs on a validation newcomer alone
    assert len(names(validation)) == 5
    assert not names(test) & names(validation)
    assert not (names(test) | names(validation)) & set(world.training.node_names)
    assert not names(validation) & set(test.graph.node_names)
    assert not names(test) & set(validation.graph.node_names)
    again = world_of(GRAPH, 3, "a tenth")
    assert again.test.attached.tolist() == test.attached.tolist()
    assert names(world_of(GRAPH, 4, "a tenth").test) != names(test)


def test_world__a_node_that_joins_alone_is_the_only_one_missing():
    worlds = [world_of(GRAPH, 3, "one", index) for index in range(3)]
    assert len({int(world.test.attached[0]) for world in worlds}) == 3
    for world in worlds:
        assert world.validation is None
        assert world.test.graph.num_nodes == 100
        assert world.training.num_nodes <= 99


def test_joined__newcomers_that_only_know_newcomers_are_told_apart():
    # 0-1-2-3 is old; 4 hangs on 0, 5 on 4 alone
    edges = np.array([[0, 1], [1, 2], [2, 3], [0, 4], [4, 5]])
    graph = Graph.from_edges(edges, 6, np.ones((6, 1)))
    found = joined(graph, graph.subgraph(np.arange(4)), np.array([4, 5]), np.arange(6))
    assert found.attached.tolist() == [4]
    assert found.detached.tolist() == [5]


def test_task__towards_newcomers_has_them_alone_as_test_targets():
    task = task_towards(GRAPH, np.array([7, 2]), seed=0)
    assert task.test_targets.tolist() == [2, 7]
    assert len(task.validation_targets) == 9
    assert len(task.train_targets) == 89
