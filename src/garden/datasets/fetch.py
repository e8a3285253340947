"""Where the real datasets live, and how they are fetched and verified.

A dataset is looked for in ``$GARDEN_DATA``, then in the user's cache (``$GARDEN_CACHE`` moves it),
then fetched. A fetched graph must have the content that is pinned for it, to the last bit.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

from garden.atomic import atomic_folder
from garden.datasets.archive import download, unpack
from garden.datasets.catalogue import (
    DATASETS,
    Dataset,
    dataset_named,
    holds,
    read_member,
    wanted_files,
)
from garden.datasets.lines import one_line
from garden.errors import DataError, GardenError, SpecError
from garden.graphs.cells import shortened

__all__ = ["DATASETS", "Dataset", "dataset_named", "fetch", "find_dataset"]

_LOG = logging.getLogger("garden")


def find_dataset(name: str, member: str | None = None) -> Path:
    """The folder that holds a dataset, or this member of it; fetched where there is none yet."""
    dataset = dataset_named(name)
    members = dataset.members if member is None else (member,)
    if not all(one.isalnum() for one in members):
        raise _no_such_graph(dataset, member)
    for folder in _places(dataset):
        try:
            if any(holds(dataset, folder, one) for one in members):
                return folder
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or one_line(error)
            raise DataError(f"{folder}: cannot be read ({reason})") from None
        if folder.parent == _given_folder():
            _LOG.info("%s: GARDEN_DATA is set, but has no such graph in %s", name, folder)
    if not set(members) <= set(dataset.members):
        raise _no_such_graph(dataset, member)
    return fetch(name)


def fetch(name: str, url: str | None = None) -> Path:
    """Download a dataset into the cache, verify it, and return its folder."""
    dataset = dataset_named(name)
    url = url or dataset.url
    advice = (
        f"set GARDEN_DATA to a folder with {dataset.folder}/, or name another place with "
        "`garden data fetch … --url`"
    )
    _LOG.info("%s: fetching %s", name, url)
    with atomic_folder(_writable_cache() / dataset.folder) as folder:
        archive = folder / "archive.part"
        download(url, archive, advice)
        unpack(archive, folder, wanted_files(dataset), url)
        archive.unlink()
        _verify(dataset, folder, url)
    return _writable_cache() / dataset.folder


def _places(dataset: Dataset) -> Iterator[Path]:
    given = _given_folder()
    if given is not None:
        yield given / dataset.folder
    cache = _cache()
    if cache is not None:
        yield cache / dataset.folder


def _given_folder() -> Path | None:
    given = os.environ.get("GARDEN_DATA")
    return Path(given) if given else None


def _no_such_graph(dataset: Dataset, member: str | None) -> SpecError:
    name, members = dataset.name, ", ".join(dataset.members)
    return SpecError(f"{name}:{shortened(str(member))}: no such graph: {name} has {members}")


def _cache() -> Path | None:
    moved = os.environ.get("GARDEN_CACHE")
    if moved:
        return Path(moved)
    try:
        import pooch
    except ImportError:
        return None
    return Path(pooch.os_cache("garden"))


def _writable_cache() -> Path:
    cache = _cache()
    if cache is None:
        raise DataError("no cache folder without pooch: pip install pooch, or set GARDEN_DATA")
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(
            f"{cache}: the cache cannot be used ({error.strerror}): set GARDEN_CACHE to a folder "
            "that you can write, or GARDEN_DATA to one that has the data"
        ) from None
    return cache


def _verify(dataset: Dataset, folder: Path, url: str) -> None:
    for member in dataset.members:
        pinned = dataset.hashes.get(member)
        if not holds(dataset, folder, member):
            if pinned:
                raise DataError(f"{url}: the archive lacks the graph {dataset.name}:{member}")
            continue
        try:
            graph = read_member(dataset, folder, member)
        except GardenError as error:
            if pinned:
                where = str(error).replace(f"{folder}{os.sep}", "")
                raise DataError(
                    f"{url}: {dataset.name}:{member} cannot be read ({where})"
                ) from None
            _LOG.warning("%s: %s:%s cannot be read (%s)", url, dataset.name, member, error)
            continue
        if pinned and graph.largest_component().content_hash != pinned:
            raise DataError(
                f"{url}: {dataset.name}:{member} is not the graph that it should be (its content "
                "hash differs): the source has changed or is damaged"
            )
