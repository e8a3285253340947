"""Garden's own file format: the arrays of a graph in one ``.npz``, exact, compact, never pickled.

It holds ``indptr`` and ``indices`` (CSR), ``node_names``, ``attribute_names``, ``format_version``,
and the attributes as ``attributes`` or, where they are sparse, as ``attributes_data``,
``attributes_indices`` and ``attributes_indptr``. Every array's header is checked against the bytes
that follow it before anything is allocated.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from garden.datasets.text_files import unreadable
from garden.errors import DataError, one_line
from garden.graphs.graph import AttributeTable, Graph
from garden.storage import write_file

_VERSION = 1


def write_npz(graph: Graph, path: Path) -> None:
    """Write the graph's arrays and names, compressed, whole or not at all."""
    arrays = {
        "format_version": np.array(_VERSION),
        "indptr": graph.indptr,
        "indices": graph.indices,
        "node_names": np.array(graph.node_names, dtype=np.str_),
        "attribute_names": np.array(graph.attribute_names, dtype=np.str_),
        **_attribute_arrays(graph.attributes),
    }
    write_file(path, lambda temporary: _save(temporary, arrays))


def read_npz(path: Path) -> Graph:
    """The graph of a file that :func:`write_npz` made, called by its path.

    Raises:
        DataError: If there is no such file, it is damaged, or it is of another format version.

    """
    try:
        with zipfile.ZipFile(path) as archive:
            arrays = {
                name.removesuffix(".npy"): _array(archive, name) for name in archive.namelist()
            }
        return _graph_of(arrays, str(path))
    except OSError as error:
        raise unreadable(path, error) from None
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    except Exception as error:  # zipfile, NumPy and SciPy raise many kinds on damaged files
        raise DataError(f"{path}: not a graph file of ours ({one_line(error)})") from None


def _save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    with path.open("wb") as stream:  # given a path, NumPy would add a suffix of its own
        np.savez_compressed(stream, allow_pickle=False, **arrays)


def _attribute_arrays(table: AttributeTable) -> dict[str, np.ndarray]:
    if isinstance(table, np.ndarray):
        return {"attributes": table}
    return {
        "attributes_data": table.data,
        "attributes_indices": table.indices,
        "attributes_indptr": table.indptr,
    }


def _array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    content = archive.read(name)
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read_header = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, _, kind = read_header(stream)
    num_bytes = kind.itemsize
    for length in shape:
        num_bytes *= length
    if kind.hasobject or num_bytes != len(content) - stream.tell():
        raise DataError(f"the array {name} does not match its header")
    stream.seek(0)
    return np.asarray(np.lib.format.read_array(stream, allow_pickle=False))


def _graph_of(arrays: dict[str, np.ndarray], name: str) -> Graph:
    version = int(arrays["format_version"])
    if version != _VERSION:
        raise DataError(f"format version {version}, but this garden reads version {_VERSION}")
    indptr, indices = _integers(arrays["indptr"]), _integers(arrays["indices"])
    node_names, attribute_names = _names(arrays["node_names"]), _names(arrays["attribute_names"])
    table = _table(arrays, len(node_names), len(attribute_names))
    return Graph(indptr, indices.astype(np.int32), table, node_names, attribute_names, name)


def _table(arrays: dict[str, np.ndarray], num_nodes: int, width: int) -> AttributeTable:
    if "attributes" in arrays:
        return np.array(arrays["attributes"], dtype=np.float32)
    parts = (
        np.array(arrays["attributes_data"], dtype=np.float32),
        _integers(arrays["attributes_indices"]),
        _integers(arrays["attributes_indptr"]),
    )
    table = sp.csr_array(parts, shape=(num_nodes, width))
    table.check_format(full_check=True)
    table.sum_duplicates()
    return table


def _integers(array: np.ndarray) -> np.ndarray:
    """A copy as int64; out-of-range values would overflow the checks that follow."""
    limit = np.iinfo(np.int32).max
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise DataError("an index array is not a row of integers")
    if array.size and (array.min() < 0 or array.max() > limit):
        raise DataError(f"an index lies outside 0 … {limit}")
    return array.astype(np.int64)


def _names(array: np.ndarray) -> tuple[str, ...]:
    if array.ndim != 1 or array.dtype.kind != "U":
        raise DataError("the names are not a row of text")
    return tuple(array.tolist())
