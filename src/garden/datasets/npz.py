"""Garden's own file format: the arrays of a graph in one ``.npz``, exact, compact, never pickled.

It holds ``indptr`` and ``indices`` (CSR), ``node_names``, ``attribute_names``, ``format_version``,
and the attributes as ``attributes`` or, where they are sparse, as ``attributes_data``,
``attributes_indices`` and ``attributes_indptr``. Every array's header is checked against the bytes
that follow it before anything is allocated.

Members of a file that is not compressed start at multiples of 64 bytes, so that they can be mapped
into memory where they lie (:mod:`.mapped_arrays`): a graph of millions of edges then opens without
being copied. Compressed files, and those that ``numpy.savez`` wrote, are read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from garden.datasets.mapped_arrays import read_members, write_members
from garden.datasets.text_files import unreadable
from garden.errors import DataError, one_line
from garden.graphs.graph import AttributeTable, Graph
from garden.storage import write_file

_VERSION = 1


def write_npz(graph: Graph, path: Path, compress: bool = True) -> None:
    """Write the graph's arrays and names, whole or not at all.

    Args:
        graph: The graph.
        path: The file.
        compress: Make it small rather than quick to open.
    """
    arrays = {
        "format_version": np.array(_VERSION),
        "indptr": graph.indptr,
        "indices": graph.indices,
        "node_names": np.array(graph.node_names, dtype=np.str_),
        "attribute_names": np.array(graph.attribute_names, dtype=np.str_),
        **_attribute_arrays(graph.attributes),
    }
    write_file(path, lambda temporary: write_members(temporary, arrays, compress))


def read_npz(path: Path) -> Graph:
    """The graph of a file that :func:`write_npz` made, called by its path.

    Raises:
        DataError: If there is no such file, it is damaged, or it is of another format version.

    """
    try:
        return _graph_of(read_members(path), str(path))
    except OSError as error:
        raise unreadable(path, error) from None
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    except Exception as error:  # zipfile, NumPy and SciPy raise many kinds on damaged files
        raise DataError(f"{path}: not a graph file of ours ({one_line(error)})") from None


def _attribute_arrays(table: AttributeTable) -> dict[str, np.ndarray]:
    if isinstance(table, np.ndarray):
        return {"attributes": table}
    return {
        "attributes_data": table.data,
        "attributes_indices": table.indices,
        "attributes_indptr": table.indptr,
    }


def _graph_of(arrays: dict[str, np.ndarray], name: str) -> Graph:
    version = int(arrays["format_version"])
    if version != _VERSION:
        raise DataError(f"format version {version}, but this garden reads version {_VERSION}")
    indptr = _integers(arrays["indptr"], np.int64)
    indices = _integers(arrays["indices"], np.int32)
    node_names, attribute_names = _names(arrays["node_names"]), _names(arrays["attribute_names"])
    table = _table(arrays, len(node_names), len(attribute_names))
    return Graph(indptr, indices, table, node_names, attribute_names, name)


def _table(arrays: dict[str, np.ndarray], num_nodes: int, width: int) -> AttributeTable:
    if "attributes" in arrays:
        return np.asarray(arrays["attributes"], dtype=np.float32)
    parts = (
        np.array(arrays["attributes_data"], dtype=np.float32),
        _integers(arrays["attributes_indices"], np.int64),
        _integers(arrays["attributes_indptr"], np.int64),
    )
    table = sp.csr_array(parts, shape=(num_nodes, width))
    table.check_format(full_check=True)
    table.sum_duplicates()
    return table


def _integers(array: np.ndarray, kind: type[np.integer[Any]]) -> np.ndarray:
    """The array as this kind, copied where it is another; values that do not fit are refused."""
    limit = np.iinfo(np.int32).max
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise DataError("an index array is not a row of integers")
    if array.size and (array.min() < 0 or array.max() > limit):
        raise DataError(f"an index lies outside 0 … {limit}")
    return array.astype(kind, copy=False)


def _names(array: np.ndarray) -> tuple[str, ...]:
    if array.ndim != 1 or array.dtype.kind != "U":
        raise DataError("the names are not a row of text")
    return tuple(array.tolist())
