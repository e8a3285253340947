"""A folder of MUSAE files as they are published: edges, features and perhaps labels.

``musae_PTBR_edges.csv`` and ``musae_PTBR_features.json``, or ``PTBR_edges.csv`` and ``PTBR.json``;
``_target.csv``, the labels of a classification task, is left out.
"""

from __future__ import annotations

import logging
from pathlib import Path

from garden.datasets.catalogue import DATASETS
from garden.datasets.musae import read_musae
from garden.errors import DataError
from garden.graphs.graph import Graph

_LOG = logging.getLogger("garden")

_EDGES = "_edges.csv"


def musae_stems(folder: Path) -> list[str]:
    """The graphs in a folder: what stands before ``_edges.csv`` where features stand beside it."""
    try:
        files = sorted(folder.glob(f"*{_EDGES}"))
    except OSError:
        return []
    stems = [file.name.removesuffix(_EDGES) for file in files if file.is_file()]
    return [stem for stem in stems if stem and _features(folder, stem) is not None]


def read_musae_folder(folder: Path) -> Graph:
    """The graph of a folder that holds one."""
    stems = musae_stems(folder)
    if len(stems) != 1:
        raise DataError(
            f"{folder}: holds several MUSAE graphs ({', '.join(stems)}): name one, "
            f"such as {folder / stems[0]}"
        )
    return read_musae_stem(folder / stems[0], str(folder))


def read_musae_stem(prefix: Path, name: str | None = None) -> Graph:
    """The graph whose files begin with this path."""
    features = _features(prefix.parent, prefix.name)
    assert features is not None  # it was found by them
    if (prefix.parent / f"{prefix.name}_target.csv").is_file():
        _LOG.info("%s: the labels in _target.csv are not taken for attributes", prefix)
    edges = prefix.parent / f"{prefix.name}{_EDGES}"
    return read_musae(edges, features, _known_width(prefix.name), name or str(prefix))


def _features(folder: Path, stem: str) -> Path | None:
    for name in (f"{stem}_features.json", f"{stem}.json"):
        if (folder / name).is_file():
            return folder / name
    return None


def _known_width(stem: str) -> int | None:
    """How many attributes the graphs of this dataset share, where it is one that we know."""
    member = stem.removeprefix("musae_")
    return next((d.width for d in DATASETS.values() if d.width and member in d.members), None)
