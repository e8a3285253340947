import zipfile

import numpy as np
import pytest

import garden
from garden.datasets.files import read_graph, write_graph
from garden.datasets.mapped_arrays import ALIGNMENT, read_members, write_members
from garden.errors import DataError

ARRAYS = {
    "long": np.arange(100_000, dtype=np.int64),
    "names": np.array([f"node {number}" for number in range(5_000)]),
    "table": np.asfortranarray(np.arange(60_000, dtype=np.float32).reshape(300, 200)),
    "one": np.array(3),
    "none": np.zeros((0, 4), dtype=np.float32),
}


def is_mapped(array):
    while array is not None:
        if isinstance(array, np.memmap):
            return True
        array = getattr(array, "base", None)
    return False


@pytest.mark.parametrize("compress", [False, True])
def test_members__come_back_as_they_were_and_numpy_reads_them_too(tmp_path, compress):
    path = tmp_path / "a.npz"
    write_members(path, ARRAYS, compress)
    found, by_numpy = read_members(path), np.load(path)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)
        assert np.array_equal(by_numpy[name], array)
    assert is_mapped(found["long"]) is not compress
    assert is_mapped(found["table"]) is not compress
    assert not is_mapped(found["one"])


def test_members__stored_numbers_start_at_multiples_of_the_alignment(tmp_path):
    write_members(tmp_path / "a.npz", ARRAYS, compress=False)
    content = (tmp_path / "a.npz").read_bytes()
    first = content.find(ARRAYS["long"].tobytes())
    assert first > 0
    assert first % ALIGNMENT == 0


def test_members__of_a_file_that_numpy_stored_are_right_mapped_or_not(tmp_path):
    np.savez(tmp_path / "a.npz", **ARRAYS)
    found = read_members(tmp_path / "a.npz")
    assert all(np.array_equal(found[name], array) for name, array in ARRAYS.items())


def test_members__that_do_not_match_their_header_are_refused(tmp_path):
    path = tmp_path / "a.npz"
    write_members(path, {"long": ARRAYS["long"]}, compress=False)
    content = zipfile.ZipFile(path).read("long.npy")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("long.npy", content[:-8])
    with pytest.raises(DataError, match="does not match its header"):
        read_members(path)


def test_npz__mapped_and_compressed_files_hold_the_same_graph(tmp_path):
    graph = garden.load("power-law:n=20000,degree=8,seed=0,attributes=8,kind=binary,blocks=4")
    write_graph(graph, tmp_path / "mapped.npz", compress=False)
    write_graph(graph, tmp_path / "small.npz")
    mapped, small = (read_graph(tmp_path / f"{name}.npz") for name in ("mapped", "small"))
    assert mapped == small == graph
    assert mapped.content_hash == graph.content_hash
    assert is_mapped(mapped.indices)
    assert not is_mapped(small.indices)
    assert (tmp_path / "small.npz").stat().st_size < (tmp_path / "mapped.npz").stat().st_size / 2


def test_npz__a_mapped_file_cut_short_is_refused(tmp_path):
    path = tmp_path / "g.npz"
    write_graph(garden.load("power-law:n=20000,degree=8,seed=0"), path, compress=False)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match=r"g\.npz: not a graph file of ours"):
        read_graph(path)
