"""Public graphs by name: where they lie, how they are fetched, verified and loaded.

A dataset of the catalogue is looked for in ``$GARDEN_DATA``, then in the user's cache
(``$GARDEN_CACHE`` moves it), then fetched. A fetched graph must have the content that is pinned
for it, to the last bit. Beside the catalogue, ``$GARDEN_DATA/collection`` may hold any number of
attributed graphs as ``FAMILY/NAME.npz``.
"""

from __future__ import annotations

import difflib
import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from garden.atomic import atomic_folder
from garden.datasets.catalogue import DATASETS, Dataset
from garden.datasets.musae import find_musae, musae_files, read_musae
from garden.datasets.npz import read_npz
from garden.datasets.snap import read_snap
from garden.errors import DataError, GardenError, SpecError, one_line, short_repr, short_text
from garden.graphs.graph import Graph

_LOG = logging.getLogger("garden")
_SNAP_FILES = ("edges", "feat", "featnames")


def load_public_graph(
    name: str, member: str | int, attributes: str = "by-id", folder: str | Path | None = None
) -> Graph:
    """The whole graph of one member of a dataset, fetched where it is not there yet.

    Args:
        name: The dataset: ``facebook``, ``twitch`` or ``musae-facebook``.
        member: Its graph: an ego such as ``414``, a country such as ``PTBR``, or ``facebook``.
        attributes: For ``facebook``, ``by-id`` or, as in the paper's released code,
            ``as-published`` (:func:`garden.datasets.snap.read_snap`).
        folder: Where its files lie, if not in the usual places.

    Returns:
        The graph with all its components. An ego network is that of the ego's friends; the ego
        is not a node of it.

    """
    member = str(member)
    found = find_dataset(name, member) if folder is None else Path(folder)
    return _read_member(_dataset(name), found, member, attributes)


def find_dataset(name: str, member: str | None = None) -> Path:
    """The folder that holds a dataset, or this member of it; fetched where there is none yet.

    Args:
        name: The dataset.
        member: Its graph; any of them will do where it is left out.

    Raises:
        SpecError: If there is no such dataset or no such graph in it.
        DataError: If it can neither be read nor fetched.

    """
    dataset = _dataset(name)
    members = dataset.members if member is None else (member,)
    if not all(one.isalnum() for one in members):
        raise _no_such_graph(dataset, member)
    for folder in _usual_folders(dataset):
        try:
            if any(_holds(dataset, folder, one) for one in members):
                return folder
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or one_line(error)
            raise DataError(f"{folder}: cannot be read ({reason})") from None
        if folder.parent == _given_folder():
            _LOG.info("%s: GARDEN_DATA is set, but has no such graph in %s", name, folder)
    if not set(members) <= set(dataset.members):
        raise _no_such_graph(dataset, member)
    return fetch_dataset(name)


def fetch_dataset(name: str, url: str | None = None) -> Path:
    """Download a dataset into the cache, verify it, and return its folder.

    Args:
        name: The dataset.
        url: Where its archive is, if not where the catalogue says.

    Raises:
        DataError: If it cannot be downloaded, unpacked or read, or is not what is pinned. What
            lay in the cache before is then left as it was.

    """
    from garden.datasets.fetch import download, unpack

    dataset = _dataset(name)
    url = url or dataset.url
    advice = (
        f"set GARDEN_DATA to a folder with {dataset.folder}/, or name another place with "
        "`garden data fetch … --url`"
    )
    _LOG.info("%s: fetching %s", name, url)
    place = _writable_cache() / dataset.folder
    with atomic_folder(place) as folder:
        archive = folder / "archive.part"
        download(url, archive, advice)
        unpack(archive, folder, _wanted_files(dataset), url)
        archive.unlink()
        _verify(dataset, folder, url)
    return place


def load_collected(member: str) -> Graph:
    """The whole graph of a member of the collection such as ``circles/345``.

    Raises:
        DataError: If ``$GARDEN_DATA`` is not set or holds no collection.
        SpecError: If there is no such family or graph; it names those that come near.

    """
    spec = f"collection:{short_text(member)}"
    family, slash, name = member.partition("/")
    folder = _collection(spec)
    families = {entry.name for entry in _entries(folder) if entry.is_dir()}
    if family not in families:
        raise _not_collected(spec, "family", family, families)
    names = {entry.stem for entry in _entries(folder / family) if entry.suffix == ".npz"}
    if not slash or name not in names:
        raise _not_collected(spec, f"graph of {family}", name, names)
    return read_npz(folder / family / f"{name}.npz")


def _dataset(name: str) -> Dataset:
    if name not in DATASETS:
        known = ", ".join(DATASETS)
        raise SpecError(f"no dataset called {short_repr(name)}: the datasets are {known}")
    return DATASETS[name]


def _holds(dataset: Dataset, folder: Path, member: str) -> bool:
    if dataset.width is None:
        return (folder / f"{member}.edges").is_file()
    return find_musae(folder, member) is not None


def _read_member(dataset: Dataset, folder: Path, member: str, attributes: str = "by-id") -> Graph:
    """The whole graph of one member; what public files lack is known, and logged at INFO only."""
    if dataset.width is None:
        return read_snap(folder / member, attributes, logging.INFO)
    files = find_musae(folder, member)
    if files is None:
        raise DataError(f"{folder}: no {musae_files(member)[0]} with its features file beside it")
    return read_musae(*files, dataset.width, f"{dataset.name}:{member}", logging.INFO)


def _wanted_files(dataset: Dataset) -> set[str]:
    """The names of the archive's files to unpack."""
    if dataset.width is None:
        return {f"{member}.{kind}" for member in dataset.members for kind in _SNAP_FILES}
    return {file for member in dataset.members for file in musae_files(member)}


def _usual_folders(dataset: Dataset) -> Iterator[Path]:
    for base in (_given_folder(), _cache()):
        if base is not None:
            yield base / dataset.folder


def _given_folder() -> Path | None:
    given = os.environ.get("GARDEN_DATA")
    return Path(given) if given else None


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
    """Refuse an archive whose pinned graphs are missing or different; others need only be read."""
    for member in dataset.members:
        pinned = dataset.hashes.get(member)
        spec = f"{dataset.name}:{member}"
        if not _holds(dataset, folder, member):
            if pinned:
                raise DataError(f"{url}: the archive lacks the graph {spec}")
            continue
        try:
            graph = _read_member(dataset, folder, member)
        except GardenError as error:
            if pinned:
                where = str(error).replace(f"{folder}{os.sep}", "")
                raise DataError(f"{url}: {spec} cannot be read ({where})") from None
            _LOG.warning("%s: %s cannot be read (%s)", url, spec, error)
            continue
        if pinned and graph.largest_component().content_hash != pinned:
            raise DataError(
                f"{url}: {spec} is not the graph that it should be (its content hash differs): "
                "the source has changed or is damaged"
            )


def _no_such_graph(dataset: Dataset, member: str | None) -> SpecError:
    name, members = dataset.name, ", ".join(dataset.members)
    return SpecError(f"{name}:{short_text(str(member))}: no such graph: {name} has {members}")


def _collection(spec: str) -> Path:
    given = _given_folder()
    if given is None:
        raise DataError(f"{spec}: set GARDEN_DATA to a folder that has collection/FAMILY/NAME.npz")
    folder = given / "collection"
    if not folder.is_dir():
        raise DataError(f"{spec}: GARDEN_DATA has no folder collection ({folder})")
    return folder


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise DataError(f"{folder}: cannot be read ({error.strerror})") from None


def _not_collected(spec: str, what: str, given: str, known: Iterable[str]) -> SpecError:
    close = difflib.get_close_matches(given, known, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    ordered = sorted(known)
    some = ", ".join(ordered[:10]) + (f" and {len(ordered) - 10} more" if ordered[10:] else "")
    asked = f"no {what} called {short_text(given)!r}: {meant}" if given else f"which {what}? "
    return SpecError(f"{spec}: {asked}write collection:FAMILY/NAME; there are {some or 'none'}")
