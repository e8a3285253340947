import json
from dataclasses import replace

import numpy as np
import pytest

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.datasets.task import SearchTask
from garden.errors import TaskError
from garden.graphs.graph import Graph

GRAPH = kaiser_hilgetag(n=50, beta=1, seed=0)


def test_task__splits_targets_80_10_10_without_overlap():
    task = SearchTask.split(GRAPH, seed=3)
    parts = (task.train_targets, task.validation_targets, task.test_targets)
    assert [len(part) for part in parts] == [40, 5, 5]
    assert sorted(np.concatenate(parts).tolist()) == list(range(50))


def test_task__pairs_use_their_parts_targets_and_never_source_equals_target():
    task = SearchTask.split(GRAPH, seed=3)
    for split in ("train", "validation", "test", "all"):
        pairs = task.pairs(split)
        assert pairs.shape == (1000, 2)
        assert (pairs[:, 0] != pairs[:, 1]).all()
        assert np.isin(pairs[:, 1], task.targets(split)).all()
    assert set(task.pairs("test")[:, 0].tolist()) == set(range(50))


@pytest.mark.parametrize("split", ["test", "validation", "all"])
def test_task__the_first_pairs_are_the_serialized_ones_and_more_are_added_behind(split):
    task = SearchTask.split(kaiser_hilgetag(n=60, beta=1, seed=0), seed=3)
    serialized = task.pairs(split)
    assert task.first_pairs(split, 7).tolist() == serialized[:7].tolist()
    many = task.first_pairs(split, 3456)
    assert many.shape == (3456, 2)
    assert many[:1000].tolist() == serialized.tolist()
    assert task.first_pairs(split, 2100).tolist() == many[:2100].tolist()
    assert (many[:, 0] != many[:, 1]).all()
    assert np.isin(many[:, 1], task.targets(split)).all()
    assert many[1000:2000].tolist() != many[2000:3000].tolist() != serialized.tolist()


def test_task__all_pairs_are_every_other_source_with_every_target():
    task = SearchTask.split(GRAPH, seed=3)
    pairs = task.all_pairs("test")
    assert len(pairs) == 5 * 49
    assert len(np.unique(pairs, axis=0)) == 5 * 49


def test_task__seed_fixes_everything():
    assert SearchTask.split(GRAPH, 1).content_hash == SearchTask.split(GRAPH, 1).content_hash
    assert SearchTask.split(GRAPH, 1).content_hash != SearchTask.split(GRAPH, 2).content_hash


def test_task__survives_a_round_trip(tmp_path):
    task = SearchTask.split(GRAPH, seed=5)
    task.save(tmp_path / "task.json")
    again = SearchTask.load(tmp_path / "task.json", GRAPH)
    assert again.content_hash == task.content_hash
    assert np.array_equal(again.test_pairs, task.test_pairs)


def test_task__for_another_graph_is_refused(tmp_path):
    SearchTask.split(GRAPH).save(tmp_path / "task.json")
    with pytest.raises(TaskError, match="whose content differs"):
        SearchTask.load(tmp_path / "task.json", kaiser_hilgetag(n=50, beta=1, seed=1))


def test_task__altered_file_is_refused(tmp_path):
    path = tmp_path / "task.json"
    SearchTask.split(GRAPH).save(path)
    content = json.loads(path.read_text())
    content["pairs"]["test"][0], content["pairs"]["test"][1] = content["pairs"]["test"][1::-1]
    path.write_text(json.dumps(content))
    with pytest.raises(TaskError, match="was altered"):
        SearchTask.load(path, GRAPH)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content["targets"].pop("test"),
        lambda content: content["pairs"].update(test=[]),
        lambda content: content["pairs"].update(test=[["0", "0"]]),
        lambda content: content["pairs"].update(test=[["0"]]),
        lambda content: content["targets"].update(train=["nobody"]),
        lambda content: content.update(seed="x"),
        lambda content: content.update(seed=float("inf")),
        lambda content: content.update(seed=1.5),
        lambda content: content.update(seed=-1),
        lambda content: content.update(seed=None),
    ],
)
def test_task__damaged_file_is_refused(tmp_path, damage):
    path = tmp_path / "task.json"
    SearchTask.split(GRAPH).save(path)
    content = json.loads(path.read_text())
    damage(content)
    path.write_text(json.dumps(content))
    with pytest.raises(TaskError, match="task is damaged"):
        SearchTask.load(path, GRAPH)


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"format": "other"}', "\x00\xff"])
def test_task__unreadable_file_is_refused(tmp_path, text):
    path = tmp_path / "task.json"
    path.write_text(text)
    with pytest.raises(TaskError, match=r"task\.json: not a"):
        SearchTask.load(path, GRAPH)


def test_task__missing_file_says_how_to_make_one(tmp_path):
    with pytest.raises(TaskError, match="garden task"):
        SearchTask.load(tmp_path / "none.json", GRAPH)


def test_task__small_and_disconnected_graphs_are_refused():
    with pytest.raises(TaskError, match="at least 10"):
        SearchTask.split(Graph.from_edges(np.array([[0, 1]]), 2))
    with pytest.raises(TaskError, match="not connected"):
        SearchTask.split(Graph.from_edges(np.array([[0, 1]]), 12))


@pytest.mark.parametrize("seed", ["a", 1.5, True, -1, None])
def test_task__a_seed_that_is_no_whole_number_is_refused(seed):
    with pytest.raises(TaskError, match="seed"):
        SearchTask.split(GRAPH, seed=seed)


def test_task__unknown_parts_are_refused():
    task = SearchTask.split(GRAPH)
    for ask in (task.pairs, task.targets, task.all_pairs):
        with pytest.raises(TaskError, match="'foo': use train, validation, test, all"):
            ask("foo")


@pytest.mark.parametrize(
    ("source", "message"),
    [(-1, "is not a node"), (50, "is not a node"), (0.5, "integer position")],
)
def test_task__sources_outside_the_graph_cannot_be_built(source, message):
    task = SearchTask.split(GRAPH)
    with pytest.raises(TaskError, match=f"a test source .*{message}"):
        replace(task, test_pairs=np.array([[source, task.test_targets[0]]]))


def test_task__targets_are_integer_positions():
    task = SearchTask.split(GRAPH)
    with pytest.raises(TaskError, match="integer position"):
        replace(task, test_targets=task.test_targets.astype(float))


def test_task__source_equal_to_target_cannot_be_built():
    task = SearchTask.split(GRAPH)
    with pytest.raises(TaskError, match="same node as source and target"):
        SearchTask(
            GRAPH,
            0,
            task.train_targets,
            task.validation_targets,
            task.test_targets,
            task.validation_pairs,
            np.array([[task.test_targets[0]] * 2]),
        )
