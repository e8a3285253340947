"""Sketches of graphs in one ``.npz`` file, never pickled: hashes and names of graphs alone."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from garden.errors import DataError
from garden.graphs.identity import GraphIdentity
from garden.graphs.link_sketches import GraphSketch, LinkSketch
from garden.storage import write_file

_TEXTS = ("name", "content_hash", "names_hash", "shape_hash")


def write_sketches(sketches: Sequence[GraphSketch], path: Path) -> None:
    """Write some sketches into one ``.npz`` file, atomically.

    Args:
        sketches: The sketches, in an order that stays.
        path: The file.
    """
    arrays = {
        **{text: np.array([getattr(one.identity, text) for one in sketches]) for text in _TEXTS},
        "num_nodes": np.array([one.num_nodes for one in sketches], dtype="<i8"),
        **_packed("links", [one.links for one in sketches]),
        **_packed("named_links", [one.named_links for one in sketches]),
    }
    write_file(path, lambda temporary: _save(temporary, arrays))


def read_sketches(path: Path) -> tuple[GraphSketch, ...]:
    """The sketches of a file that :func:`write_sketches` wrote."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        identities = [
            GraphIdentity(*map(str, texts))
            for texts in zip(*(arrays[text] for text in _TEXTS), strict=True)
        ]
        links, named = _unpacked("links", arrays), _unpacked("named_links", arrays)
        sizes = arrays["num_nodes"].tolist()
        return tuple(
            GraphSketch(*parts) for parts in zip(identities, sizes, links, named, strict=True)
        )
    except (OSError, ValueError, KeyError, IndexError, TypeError, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: not readable as sketches of graphs ({error})") from None


def _save(path: Path, arrays: dict[str, np.ndarray]) -> None:
    with path.open("wb") as stream:  # given a path, NumPy would add a suffix of its own
        np.savez_compressed(stream, allow_pickle=False, **arrays)


def _packed(name: str, sketches: Sequence[LinkSketch]) -> dict[str, np.ndarray]:
    sizes = [len(sketch.lowest) for sketch in sketches]
    return {
        name: np.concatenate([sketch.lowest for sketch in sketches]).astype("<u4"),
        f"{name}_kept": np.array(sizes, dtype="<i4"),
        f"{name}_in_all": np.array([sketch.num_links for sketch in sketches], dtype="<i8"),
    }


def _unpacked(name: str, arrays: dict[str, np.ndarray]) -> list[LinkSketch]:
    ends = np.cumsum(arrays[f"{name}_kept"])
    if not np.issubdtype(arrays[name].dtype, np.unsignedinteger) or ends[-1] != len(arrays[name]):
        raise ValueError(f"{name}: other hashes than were counted")
    parts = np.split(arrays[name].astype(np.uint32), ends[:-1])
    totals = arrays[f"{name}_in_all"].tolist()
    return [LinkSketch(part, total) for part, total in zip(parts, totals, strict=True)]
