"""Work that would not fit into memory is refused before it begins; a full disk loses nothing."""

import os
import resource
import subprocess
import sys

import numpy as np
import pytest

import garden
from garden import process_settings
from garden.datasets.tabular import table
from garden.datasets.task import SearchTask
from garden.errors import SpecError
from garden.graphs.graph import Graph
from garden.models.registry import ModelConfig
from garden.process_settings import MemoryLimitError, available_bytes, require_memory
from garden.search import rounds
from garden.strategies.gossip.beacons import Beacons
from garden.training.config import TrainingOptions
from garden.training.trainer import Trainer

LIMITED_WRITE = """
import resource, sys
from pathlib import Path
import garden
from garden.datasets.files import write_graph
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    write_graph(garden.load("power-law:n=3000,degree=8"), Path(sys.argv[1]), compress=False)
except garden.GardenError as error:
    print(error)
"""


@pytest.fixture
def two_gigabytes(monkeypatch):
    monkeypatch.setenv("GARDEN_MEMORY", "2")


def test_memory__work_that_fits_goes_on(two_gigabytes):
    require_memory(1.9e9, "work", "do less")


def test_memory__work_that_does_not_says_how_much_and_what_to_set(two_gigabytes):
    with pytest.raises(MemoryLimitError) as told:
        require_memory(3.25e9, "work", "do less")
    assert str(told.value) == (
        "work takes about 3.25 GB of memory and 2 GB are available: do less; "
        "GARDEN_MEMORY=0 tries it all the same"
    )


def test_memory__nought_asks_for_no_check(monkeypatch):
    monkeypatch.setenv("GARDEN_MEMORY", "0")
    require_memory(1e18, "work", "do less")


def test_memory__a_limit_that_is_no_number_is_refused(monkeypatch):
    monkeypatch.setenv("GARDEN_MEMORY", "much")
    with pytest.raises(SpecError, match="GARDEN_MEMORY=much: give gigabytes"):
        available_bytes()


def test_memory__the_least_of_system_and_control_group_counts(tmp_path, monkeypatch):
    monkeypatch.delenv("GARDEN_MEMORY", raising=False)
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:       9000000 kB\nMemAvailable:   5000000 kB\n")
    monkeypatch.setattr(process_settings, "MEMINFO", meminfo)
    monkeypatch.setattr(process_settings, "GROUP", tmp_path)
    assert available_bytes() == 5_000_000 * 1024
    (tmp_path / "memory.max").write_text("3000000000\n")
    (tmp_path / "memory.current").write_text("1000000000\n")
    assert available_bytes() == 2e9
    (tmp_path / "memory.max").write_text("max\n")
    assert available_bytes() == 5_000_000 * 1024


def test_memory__is_unknown_where_the_system_does_not_say(tmp_path, monkeypatch):
    monkeypatch.delenv("GARDEN_MEMORY", raising=False)
    monkeypatch.setattr(process_settings, "MEMINFO", tmp_path / "none")
    monkeypatch.setattr(process_settings, "GROUP", tmp_path / "none")
    assert available_bytes() is None
    require_memory(1e18, "work", "do less")


def test_memory__a_generated_graph_that_is_too_large_names_its_parameters(two_gigabytes):
    with pytest.raises(MemoryLimitError, match="give a smaller n, degree or attributes"):
        garden.load("power-law:n=2000000,degree=16")


def test_memory__a_file_that_is_too_large_is_not_read(tmp_path, two_gigabytes, monkeypatch):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na,b\n")
    monkeypatch.setattr(table, "TEXT_FACTOR", 1e9)
    with pytest.raises(MemoryLimitError, match=r"edges.csv: reading it takes about .* an \.npz"):
        garden.load(path)


def test_memory__a_training_that_is_too_large_names_the_targets_of_an_update(two_gigabytes):
    ring = np.stack([np.arange(60_000), (np.arange(60_000) + 1) % 60_000], axis=1)
    graph = Graph.from_edges(ring, 60_000, np.ones((60_000, 1), dtype=np.float32))
    nodes = np.arange(20)
    parts = nodes[:10], nodes[10:15], nodes[15:]
    task = SearchTask(graph, 0, *parts, np.array([[0, 10]]), np.array([[0, 15]]))
    options = TrainingOptions(targets_per_update=1000).resolved()
    with pytest.raises(MemoryLimitError, match="lower `targets_per_update` \\(now 1000\\)"):
        Trainer([task], options, ModelConfig())


def test_memory__sketches_that_are_too_large_name_the_number_of_beacons(two_gigabytes, monkeypatch):
    monkeypatch.setattr(rounds, "BYTES_PER_BEACON", 1e6)
    with pytest.raises(MemoryLimitError, match="fewer beacons, such as beacons:k=8"):
        rounds.settle(garden.load("power-law:n=200,degree=4"), Beacons())


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no limit on sizes of files")
@pytest.mark.parametrize("name", ["graph.npz", "graph.csv"])
def test_disk__that_is_full_loses_nothing(tmp_path, name):
    path = tmp_path / name
    path.write_text("what was there before")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED_WRITE, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ),
    )
    assert done.stdout.startswith(f"{path}: cannot be written (")
    assert done.stdout.count("\n") == 1
    assert path.read_text() == "what was there before"
    assert list(tmp_path.iterdir()) == [path]
