"""Exports of learned models: equal to torch, of any size, refused where they were altered."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch

import garden
from garden.cli.main import main
from garden.errors import DataError, StrategyError
from garden.experiments.peers.cut import cut
from garden.experiments.peers.export_gap import compare_choices, differing_share
from garden.graphs.ego import EgoGraph
from garden.graphs.ego_extraction import ego_graphs
from garden.models.export import export_policy
from garden.models.policy import Policy
from garden.models.registry import MODELS
from garden.peers.cut_folder import read_programme
from garden.strategies.ego_matching import (
    key_representations,
    matched_at_holder,
    matched_table,
)
from garden.strategies.exported import load_exported
from garden.strategies.selection import choose

SPEC = "kaiser-hilgetag:n=40,beta=1,seed=1"


@pytest.fixture(scope="module")
def graph():
    return garden.load(SPEC)


@pytest.fixture(scope="module")
def exports(graph, tmp_path_factory):
    """Each model, untrained, and its export."""
    folder, made = tmp_path_factory.mktemp("exports"), {}
    for name in MODELS:
        policy = Policy.untrained(graph.attribute_names, name, profiles=graph.attributes)
        export_policy(policy, folder / name)
        made[name] = policy, load_exported(folder / name)
    return made


@pytest.mark.parametrize("name", MODELS)
def test_export__equals_torch_within_rounding(graph, exports, name):
    policy, exported = exports[name]
    egos = ego_graphs(graph)
    ours, theirs = policy.represent(egos), exported.represent(egos)
    for part, array in ours.arrays.items():
        np.testing.assert_allclose(theirs.arrays[part], array, atol=1e-5)
    for part, ragged in ours.ragged.items():
        np.testing.assert_allclose(theirs.ragged[part].values, ragged.values, atol=1e-5)
    targets = np.arange(0, 40, 7)
    table = policy.score(ours, ours.take(targets))
    np.testing.assert_allclose(exported.score(theirs, theirs.take(targets)), table, atol=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_export__scores_one_candidate_and_a_target_without_neighbours(graph, exports, name):
    policy, exported = exports[name]
    rows = exported.represent(ego_graphs(graph).take(np.array([3])))
    lone = EgoGraph(graph.attributes[:1], np.zeros((2, 0), np.int32))
    ours = policy.score(rows, policy.represent_one(lone))
    theirs = exported.score(rows, exported.represent_one(lone))
    assert theirs.shape == (1, 1)
    np.testing.assert_allclose(theirs, ours, atol=1e-4)


def test_export__chooses_as_torch_does(graph, exports):
    gap = compare_choices(graph, *exports["trellis"], hops=300)
    assert gap.hops == 300
    assert gap.differing <= 1
    assert gap.largest_score_difference < 1e-4
    assert gap.differing_share < 1e-5


def test_export__keeps_short_distances_far_from_the_origin(graph, tmp_path):
    policy = Policy.untrained(graph.attribute_names, "trellis", profiles=graph.attributes)
    with torch.no_grad():
        policy.model.embedding.bias += 100
    export_policy(policy, tmp_path / "far")
    gap = compare_choices(graph, policy, load_exported(tmp_path / "far"), hops=300)
    assert gap.largest_score_difference < 1e-3


def test_differing_share__is_what_random_numbers_find():
    ours, theirs = np.array([1.0, 2.0, 1.0]), np.array([2.0, 1.0, 1.0])
    uniforms = (np.arange(1000) + 0.5) / 1000
    found = np.mean([choose(ours, one) != choose(theirs, one) for one in uniforms])
    assert differing_share(ours, theirs) == pytest.approx(found, abs=2e-3)
    assert differing_share(ours, 3 * ours) == 0


def test_matches__at_a_holder_equal_those_of_the_table(graph):
    rows = key_representations(ego_graphs(graph))
    for target in (0, 9, 17):
        goal = rows.take(np.array([target]))
        for ours, theirs in zip(
            matched_at_holder(rows, goal), matched_table(rows, goal), strict=False
        ):
            assert np.array_equal(ours, theirs[0])


def test_export__an_altered_file_is_refused(exports, tmp_path):
    _, exported = exports["mlpa2c"]
    for path in exported.folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "score.onnx").write_bytes(b"nothing")
    with pytest.raises(DataError, match="export it anew"):
        load_exported(tmp_path)


def test_export__a_folder_that_is_there_is_refused(exports, tmp_path):
    policy, exported = exports["mlpa2c"]
    with pytest.raises(DataError, match="holds an export already"):
        export_policy(policy, exported.folder)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(DataError, match="holds no export"):
        export_policy(policy, tmp_path, force=True)


def test_export__refuses_other_attributes(exports):
    with pytest.raises(StrategyError, match="other attributes"):
        exports["trellis"][1].check_attributes(("a", "b"))


def test_peers__cut_copies_an_export_and_runs_it_without_torch(graph, exports, tmp_path):
    _, exported = exports["trellis"]
    cut(graph, f"{exported.folder}+backtrack", tmp_path / "peers")
    run = read_programme(tmp_path / "peers")
    assert run.strategy.name == "trellis"
    assert run.memory.name == "backtrack"
    code = (
        "import sys; from pathlib import Path\n"
        "from garden.peers.agent import Agent\n"
        "from garden.peers.cut_folder import read_programme, read_views\n"
        f"run = read_programme(Path({str(tmp_path / 'peers')!r}))\n"
        f"view = read_views(Path({str(tmp_path / 'peers')!r}))[0]\n"
        "Agent(view, run.strategy, run.memory)\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_export__the_command_writes_a_folder_and_compares(tmp_path, capsys, graph):
    policy = Policy.untrained(graph.attribute_names, "mlpa2c", profiles=graph.attributes)
    policy.save(tmp_path / "run")
    out = tmp_path / "onnx"
    main(["export", str(tmp_path / "run"), "--out", str(out), "--compare", SPEC, "--hops", "50",
          "--json", "-"])  # fmt: skip
    report = json.loads(capsys.readouterr().out)
    assert report["model"] == "mlpa2c"
    assert report["choices"]["hops"] == 50


def test_export__the_command_refuses_what_is_no_model_in_one_line(tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["export", "greedy", "--out", str(tmp_path / "out")])
    assert stopped.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
