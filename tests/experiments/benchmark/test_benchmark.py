"""The benchmark: frozen tasks are what they were, entries follow the schema, others are refused."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import garden
from garden.cli.main import main
from garden.experiments.benchmark.entry import entry_schema, misfit_of, read_entry
from garden.experiments.benchmark.newcomers import newcomer_split
from garden.experiments.benchmark.run import benchmark_entry
from garden.experiments.benchmark.schema import first_misfit
from garden.experiments.benchmark.table import entry_tables, paper_table
from garden.experiments.benchmark.tasks import benchmark_tasks, task_named, tasks_to_play
from garden.graphs.graph import Graph
from garden.models.registry import ModelConfig
from garden.training.config import TrainingOptions

RESULTS = Path(__file__).parents[3] / "results" / "benchmark"


@pytest.fixture(scope="module")
def quick_entry() -> dict[str, Any]:
    return benchmark_entry(["random"], quick=True)


def test_tasks__quick_ones_are_what_was_frozen() -> None:
    for task in (*tasks_to_play(True), *tasks_to_play(True, "newcomers")):
        assert task.load().content_hash == task.task_hash


def test_tasks__all_have_a_hash_of_their_own() -> None:
    hashes = [task.task_hash for task in benchmark_tasks()]
    assert len(set(hashes)) == len(hashes) > 100


def test_tasks__newcomers_are_unknown_to_the_graph_before_and_have_an_old_neighbour() -> None:
    # Node 0 has no neighbour but 1: where both are taken away, nobody can reach it.
    graph = Graph.from_edges([(0, 1), *((i, i + 1) for i in range(1, 39)), (39, 1)], 40)
    for seed in range(20):
        split = newcomer_split(graph, seed)
        names = split.after.node_names
        new = {names[node] for node in split.newcomers}
        assert new.isdisjoint(split.before.node_names)
        assert {*new, *split.before.node_names} == set(names)
        for node in split.newcomers:
            near = {names[other] for other in split.after.neighbours(int(node))}
            assert near - new
        assert split.before.components().max() == split.after.components().max() == 0


def test_tasks__newcomers_stand_in_their_own_track_alone() -> None:
    own, others = tasks_to_play(False, "newcomers"), tasks_to_play(False, "trained")
    assert all(task.of_newcomers and task.train_hash for task in own)
    assert len(own) + len(others) == len(benchmark_tasks())
    assert {"newcomers:facebook:414", "newcomers:facebook:3437"} <= {task.spec for task in own}


def test_newcomers__a_policy_trained_without_them_plays_them_in_a_track_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, before, run = "newcomers:attributed:seed=900", tmp_path / "before.npz", tmp_path / "run"
    main(["benchmark", "graph", name, "--out", str(before)])
    task = task_named(name)
    graph = garden.load(str(before))
    assert graph.content_hash == task.train_hash
    options = TrainingOptions(model="mlpa2c", updates=2)
    garden.train(graph, options=options, size=ModelConfig(hidden=4), out=run, quiet=True)
    entry = benchmark_entry([str(run)], quick=True)
    assert misfit_of(entry) is None
    assert entry["track"] == "newcomers"
    assert [one["spec"] for one in entry["tasks"]] == [name]
    assert {one["why"] for one in entry["missing"]} == {
        "no policy was trained on the graph without its newcomers"
    }
    with pytest.raises(SystemExit):
        main(["benchmark", "graph", "newcomers:facebook:41", "--out", str(before)])
    assert "did you mean 'newcomers:facebook:414'" in capsys.readouterr().err


def test_entry__of_a_quick_run_fits_and_accounts_for_every_task(
    quick_entry: dict[str, Any],
) -> None:
    assert misfit_of(quick_entry) is None
    assert quick_entry["track"] == "zero-shot"
    assert len(quick_entry["tasks"]) == len(tasks_to_play(quick=True))


def test_entry__a_changed_hash_a_missing_task_or_a_ratio_below_one_is_refused(
    quick_entry: dict[str, Any],
) -> None:
    def changed(**values: Any) -> dict[str, Any]:
        entry = copy.deepcopy(quick_entry)
        entry["tasks"][0] |= values
        return entry

    assert "hash" in (misfit_of(changed(task_hash="0" * 64)) or "")
    assert "below 1" in (misfit_of(changed(oracle_ratio=0.5)) or "")
    assert "unknown" in (misfit_of(changed(luck=1)) or "")
    assert "no task" in (misfit_of(changed(spec="nowhere")) or "")
    left_out = copy.deepcopy(quick_entry)
    left_out["tasks"].pop()
    assert "0 times" in (misfit_of(left_out) or "")


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_entry__committed_ones_fit(path: Path) -> None:
    assert read_entry(path)["format"] == "garden-benchmark-entry-1"


@pytest.mark.parametrize("name", ["quick", "trained"])
def test_tables__committed_ones_are_of_the_committed_entries(name: str) -> None:
    tables = entry_tables([read_entry(path) for path in sorted(RESULTS.glob(f"{name}-*.json"))])
    text = (RESULTS / f"{name}.md").read_text(encoding="utf-8")
    assert all(table.markdown() in text for table in tables)


def test_schema__first_misfit_names_the_place() -> None:
    assert first_misfit({}, entry_schema()) == "entry has no 'format'"
    assert first_misfit([1, "x"], {"items": {"type": "number"}}) == (
        "entry[1] is not of type number"
    )
    assert first_misfit(True, {"type": "integer"}) == "entry is not of type integer"


def test_tables__tracks_and_memories_are_never_mixed(quick_entry: dict[str, Any]) -> None:
    remembers = {**quick_entry, "memory": "visited"}
    talks = {**quick_entry, "track": "gossip"}
    tables = entry_tables([quick_entry, remembers, talks])
    assert [len(table.rows) for table in tables] == [1, 1, 1]
    assert "facebook:414" in paper_table().markdown()


def test_tables__graphs_seen_in_training_are_left_out_of_the_mean(
    quick_entry: dict[str, Any],
) -> None:
    seen = copy.deepcopy(quick_entry)
    for task in seen["tasks"][1:]:
        task["seen_in_training"] = True
    (table,) = entry_tables([quick_entry, seen])
    assert "the 1 tasks" in table.title


def test_command__table_refuses_a_damaged_entry_in_one_line(
    tmp_path: Path, quick_entry: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(quick_entry))
    bad.write_text(json.dumps({**quick_entry, "track": "magic"}))
    assert read_entry(good)["strategy"] == "random"
    main(["benchmark", "table", str(good), "--out", str(tmp_path / "table.md")])
    assert (tmp_path / "table.md").read_text().startswith("**zero-shot, memoryless, quick")
    with pytest.raises(SystemExit) as stop:
        main(["benchmark", "table", str(good), str(bad)])
    assert stop.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
