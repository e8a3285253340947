"""A sharded dataset: ``cluster.json`` and one folder of Parquet files for each shard.

``shard-00000/nodes.parquet`` holds the nodes of a shard (key, name, degree, profile) by key,
``links.parquet`` the neighbours of each in turn, ``borders.parquet`` the neighbours that other
shards hold, and ``ego_links.parquet`` the links among those that stand in ego graphs of the shard.
A node's shard is its key modulo the number of shards, so that everybody knows where a node is.
``cluster.json`` has a SHA-256 digest of each file. Importing this module needs pyarrow.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

from garden.errors import DataError, one_line
from garden.graphs.graph import AttributeTable, Graph
from garden.storage import read_bytes, write_text

FORMAT = "garden-cluster-1"
MANIFEST = "cluster.json"
NODES, BORDERS, LINKS, EGO_LINKS = (
    f"{name}.parquet" for name in ("nodes", "borders", "links", "ego_links")
)
FILES = (NODES, BORDERS, LINKS, EGO_LINKS)


@dataclass(frozen=True)
class Manifest:
    """What all shards of a dataset have in common, and the digests of their files."""

    graph: str
    num_nodes: int
    num_edges: int
    num_shards: int
    key_seed: int
    dense: bool  # whether profiles are a dense table
    attribute_names: tuple[str, ...]
    digests: tuple[dict[str, str], ...]  # of each shard's files, by name


@dataclass(frozen=True, eq=False)
class Shard:
    """The nodes of one shard with their ego graphs, by *local numbers*.

    The shard's own nodes come first, by key; then their neighbours in other shards (*borders*), by
    shard, then key.
    """

    number: int
    num_shards: int
    num_own: int
    keys: np.ndarray  # (num_local,) uint64
    homes: np.ndarray  # (num_borders,) int32: the shard of each border
    indptr: np.ndarray  # (num_own + 1,) int64
    indices: np.ndarray  # (num_links,) int32: the neighbours of own nodes

    @property
    def num_local(self) -> int:
        """How many local numbers there are: own nodes, then borders."""
        return len(self.keys)

    @cached_property
    def border_bounds(self) -> np.ndarray:
        """Where the borders of each shard begin among the local numbers, (num_shards + 1,)."""
        shards = np.arange(self.num_shards + 1)
        return self.num_own + np.searchsorted(self.homes, shards)

    @cached_property
    def told_to(self) -> tuple[np.ndarray, ...]:
        """For each shard, the own nodes that border it, (num_bordering,) int64, by key.

        In the same order they are borders there.
        """
        tails = np.repeat(np.arange(self.num_own), np.diff(self.indptr))
        abroad = self.indices >= self.num_own
        pairs = self.homes[self.indices[abroad] - self.num_own].astype(np.int64) * self.num_own
        pairs = np.unique(pairs + tails[abroad])
        shards, nodes = np.divmod(pairs, max(1, self.num_own))
        return tuple(np.split(nodes, np.searchsorted(shards, np.arange(1, self.num_shards))))

    def own_rows(self, keys: np.ndarray) -> np.ndarray:
        """The local numbers of own nodes by their keys; −1 for a key that is not here."""
        own = self.keys[: self.num_own]
        rows = np.minimum(np.searchsorted(own, keys), max(0, self.num_own - 1))
        return np.where(own[rows] == keys, rows, -1) if self.num_own else np.full(len(keys), -1)


def shard_of(keys: np.ndarray, num_shards: int) -> np.ndarray:
    """The shard of each key, (num_keys,) int32.

    Args:
        keys: (num_keys,) uint64.
        num_shards: How many there are.
    """
    return (keys % np.uint64(num_shards)).astype(np.int32)


def shard_folder(folder: Path, number: int) -> Path:
    """Where a shard lies in a dataset.

    Args:
        folder: The dataset's folder.
        number: The shard's, from 0.
    """
    return folder / f"shard-{number:05d}"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write what all shards have in common.

    Args:
        folder: The dataset's folder.
        manifest: With the digests of all files.
    """
    content = {"format": FORMAT, **asdict(manifest)}
    write_text(folder / MANIFEST, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_manifest(folder: Path) -> Manifest:
    """What all shards of a dataset have in common.

    Raises:
        DataError: If the folder holds no sharded dataset, or one of another version.
    """
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found = content.pop("format")
    except FileNotFoundError:
        raise DataError(
            f"{folder}: holds no shards: `garden cluster cut SPEC --out {folder}` writes some"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"{path}: does not describe shards ({one_line(error)})") from None
    if found != FORMAT:
        raise DataError(f"{path}: is of format {found}, {FORMAT} is read here: cut it anew")
    try:
        content["attribute_names"] = tuple(content["attribute_names"])
        content["digests"] = tuple(dict(one) for one in content["digests"])
        manifest = Manifest(**content)
        complete = all(set(one) == set(FILES) for one in manifest.digests)
    except (KeyError, TypeError, ValueError):
        raise DataError(f"{path}: does not describe shards: cut the graph anew") from None
    if not complete or len(manifest.digests) != manifest.num_shards:
        raise DataError(f"{path}: digests of some files are missing: cut the graph anew")
    return manifest


def write_shard(
    folder: Path,
    shard: Shard,
    names: Sequence[str],
    profiles: sp.csr_array,
    ego_links: np.ndarray,
) -> dict[str, str]:
    """Write the files of a shard.

    Args:
        folder: The dataset's folder.
        shard: The shard.
        names: Of its own nodes.
        profiles: Of all local nodes, (num_local, num_attributes).
        ego_links: (num_ego_links, 2) int32 local numbers of borders, each link once.

    Returns:
        The digest of each file, by name.
    """
    place = shard_folder(folder, shard.number)
    place.mkdir(parents=True)
    own = shard.num_own
    tables: dict[str, dict[str, Any]] = {
        NODES: {
            "key": shard.keys[:own],
            "name": list(names),
            "degree": np.diff(shard.indptr),
            **_profile_columns(profiles[:own]),
        },
        BORDERS: {
            "key": shard.keys[own:],
            "home": shard.homes,
            **_profile_columns(profiles[own:]),
        },
        LINKS: {"head": shard.indices},
        EGO_LINKS: {"tail": ego_links[:, 0], "head": ego_links[:, 1]},
    }
    for name, columns in tables.items():
        pq.write_table(pa.table(columns), place / name, compression="zstd")
    return {name: _digest((place / name).read_bytes()) for name in FILES}


def read_shard(folder: Path, manifest: Manifest, number: int) -> Shard:
    """One shard, without names, profiles and links among borders.

    Args:
        folder: The dataset's folder.
        manifest: What :func:`read_manifest` gave.
        number: The shard's, from 0.

    Raises:
        DataError: If a file is missing, altered or does not fit the others.
    """
    nodes = _columns(folder, manifest, number, NODES, ["key", "degree"])
    borders = _columns(folder, manifest, number, BORDERS, ["key", "home"])
    heads = _columns(folder, manifest, number, LINKS, ["head"])["head"]
    keys = np.concatenate([nodes["key"], borders["key"]]).astype(np.uint64)
    indptr = np.concatenate([[0], np.cumsum(nodes["degree"])]).astype(np.int64)
    shard = Shard(
        number, manifest.num_shards, len(nodes["key"]), keys, borders["home"], indptr, heads
    )
    _check(shard, shard_folder(folder, number))
    return shard


def read_names(folder: Path, manifest: Manifest, number: int) -> list[str]:
    """The names of a shard's own nodes, by key.

    Args:
        folder: The dataset's folder.
        manifest: What :func:`read_manifest` gave.
        number: The shard's, from 0.
    """
    names: list[str] = _table(folder, manifest, number, NODES, ["name"])["name"].to_pylist()
    return names


def local_graph(folder: Path, manifest: Manifest, shard: Shard) -> Graph:
    """The graph of a shard's local nodes that holds the ego graphs of its own nodes whole.

    Args:
        folder: The dataset's folder.
        manifest: What :func:`read_manifest` gave.
        shard: What :func:`read_shard` gave.

    Returns:
        Nodes by their local numbers, own ones first.
    """
    ego = _columns(folder, manifest, shard.number, EGO_LINKS, ["tail", "head"])
    tails = np.repeat(np.arange(shard.num_own), np.diff(shard.indptr))
    links = np.stack(
        [np.concatenate([tails, ego["tail"]]), np.concatenate([shard.indices, ego["head"]])], axis=1
    )
    parts = [_profiles(folder, manifest, shard.number, name) for name in (NODES, BORDERS)]
    sparse = sp.csr_array(sp.vstack(parts))
    table: AttributeTable = sparse.toarray() if manifest.dense else sparse
    return Graph.from_edges(
        links, shard.num_local, table, attribute_names=manifest.attribute_names, name=manifest.graph
    )


def _check(shard: Shard, place: Path) -> None:
    """Refuse a shard whose parts do not fit together."""
    own, borders = shard.keys[: shard.num_own], shard.keys[shard.num_own :]
    if len(np.unique(shard.keys)) < len(shard.keys):
        raise DataError(f"{place}: two nodes have the same key: cut the graph anew")
    if (shard_of(own, shard.num_shards) != shard.number).any():
        raise DataError(f"{place}: holds nodes of another shard: its folder has the wrong name")
    fits = len(shard.indices) == shard.indptr[-1] and bool((own[1:] > own[:-1]).all())
    fits = fits and (shard_of(borders, shard.num_shards) == shard.homes).all()
    if len(shard.indices):
        fits = fits and shard.indices.min() >= 0 and shard.indices.max() < shard.num_local
    if not fits:
        raise DataError(f"{place}: its files do not fit together: cut the graph anew")


def _profile_columns(profiles: sp.csr_array) -> dict[str, Any]:
    offsets = pa.array(profiles.indptr.astype(np.int32))
    return {
        "columns": pa.ListArray.from_arrays(offsets, pa.array(profiles.indices.astype(np.int32))),
        "values": pa.ListArray.from_arrays(offsets, pa.array(profiles.data.astype(np.float32))),
    }


def _profiles(folder: Path, manifest: Manifest, number: int, file: str) -> sp.csr_array:
    table = _table(folder, manifest, number, file, ["columns", "values"])
    columns, values = (table[name].combine_chunks() for name in ("columns", "values"))
    offsets = columns.offsets.to_numpy()
    shape = (len(columns), len(manifest.attribute_names))
    content = (values.flatten().to_numpy(), columns.flatten().to_numpy(), offsets)
    return sp.csr_array(content, shape=shape)


def _columns(
    folder: Path, manifest: Manifest, number: int, file: str, names: list[str]
) -> dict[str, np.ndarray]:
    table = _table(folder, manifest, number, file, names)
    return {name: np.array(table[name].to_numpy()) for name in names}  # which may be written to


def _table(folder: Path, manifest: Manifest, number: int, file: str, names: list[str]) -> Any:
    path = shard_folder(folder, number) / file
    missing = f"missing: copy it here, or cut {manifest.graph} into shards anew"
    content = read_bytes(path, missing)
    if _digest(content) != manifest.digests[number][file]:
        raise DataError(f"{path}: altered since it was cut: its digest is not in {MANIFEST}")
    try:
        return pq.read_table(pa.BufferReader(content), columns=names)
    except (pa.ArrowException, KeyError) as error:
        raise DataError(f"{path}: not readable as Parquet ({one_line(error)})") from None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
