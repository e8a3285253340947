import numpy as np
import pytest

from garden.datasets.files import write_graph
from garden.datasets.spec import load
from garden.errors import DataError, GardenError, SpecError
from garden.graphs.graph import Graph


@pytest.fixture
def collection(tmp_path, monkeypatch):
    monkeypatch.setenv("GARDEN_DATA", str(tmp_path))
    for member in ("circles/345", "circles/8553", "web/texas"):
        path = tmp_path / "collection" / f"{member}.npz"
        path.parent.mkdir(parents=True, exist_ok=True)
        table = np.array([[0.5], [7]], dtype=np.float32)
        write_graph(Graph.from_edges(np.array([[0, 1]]), 2, table), path)
    return tmp_path / "collection"


def test_collection__a_member_is_loaded_as_it_is(collection):
    graph = load("collection:circles/345")
    assert graph.name == "collection:circles/345"
    assert graph.attributes.tolist() == [[0.5], [7]]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("collection", "which graph"),
        ("collection:", "such as collection:FAMILY/NAME"),
        ("collection:circle/345", "no family called 'circle': did you mean circles.*circles, web"),
        ("collection:circles", "which graph of circles.*there are 345, 8553"),
        ("collection:circles/", "which graph of circles"),
        ("collection:circles/346", "called '346': did you mean 345"),
        ("collection:circles/../web/texas", "no graph of circles called"),
        ("collection:../x/y", "no family called '..'"),
        ("collection:circles/345,seed=3", "unknown option 'seed': it takes none"),
        ("colection:circles/345", "did you mean collection"),
    ],
)
def test_collection__what_is_not_there_is_told_with_what_is(collection, spec, message):
    with pytest.raises(SpecError, match=message) as caught:
        load(spec)
    assert "\n" not in str(caught.value)


def test_collection__without_the_data_folder_says_which_to_set(tmp_path, monkeypatch):
    monkeypatch.delenv("GARDEN_DATA", raising=False)
    with pytest.raises(DataError, match="set GARDEN_DATA"):
        load("collection:circles/345")
    monkeypatch.setenv("GARDEN_DATA", str(tmp_path))
    with pytest.raises(DataError, match="has no folder collection"):
        load("collection:circles/345")


def test_collection__a_damaged_member_is_refused(collection):
    (collection / "web" / "texas.npz").write_bytes(b"junk")
    with pytest.raises(GardenError, match=r"texas\.npz: not a graph file"):
        load("collection:web/texas")


def test_collection__the_real_one_is_found(real_data):
    graph = load("collection:circles/6934")
    assert (graph.num_nodes, graph.num_edges, graph.num_attributes) == (719, 25278, 802)
