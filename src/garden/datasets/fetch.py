"""Fetching a public dataset: downloading its archive with pooch, unpacking and verifying it.

A fetched graph must have the content that the catalogue pins for it, to the last bit.

pooch's own unpacking follows links and takes any path where Python is older than 3.12, and bounds
no size. Here members are matched by their bare names and written flat, so that nothing lands
outside the folder; an archive that tries to is refused.
"""

from __future__ import annotations

import logging
import os
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from garden.datasets.catalogue import Dataset
from garden.datasets.musae import musae_files
from garden.datasets.snap import cache_folder, dataset_named, holds_member, read_member
from garden.datasets.wikispeedia import FILES as WIKISPEEDIA_FILES
from garden.errors import DataError, GardenError, one_line
from garden.storage import atomic_folder

_LOG = logging.getLogger("garden")
_TIMEOUT = 30  # seconds without a byte
_MAX_BYTES = 1 << 30  # unpacked, for one member
_SNAP_FILES = ("edges", "feat", "featnames")

Opener = Callable[[], IO[bytes] | None]


def fetch_dataset(name: str, url: str | None = None) -> Path:
    """Download a dataset into the cache, verify it, and return its folder.

    Args:
        name: The dataset.
        url: Where its archive is, if not where the catalogue says.

    Raises:
        DataError: If it cannot be downloaded, unpacked or read, or is not what is pinned. What
            lay in the cache before is then left as it was.

    """
    dataset = dataset_named(name)
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


def download(url: str, path: Path, advice: str) -> None:
    """Write what stands at a web address into a file.

    Args:
        url: Where the archive is.
        path: The file to write.
        advice: What else can be done; it ends the error where the download fails.

    Raises:
        DataError: If pooch is missing, the address cannot be reached, or the disk is full.

    """
    try:
        import pooch
    except ImportError:
        raise DataError(f"downloading needs pooch (pip install pooch): {advice}") from None
    try:
        # Streaming would leave the connection open on errors; these archives fit memory.
        pooch.HTTPDownloader(timeout=_TIMEOUT, stream=False)(url, str(path), None)
    except (OSError, ValueError) as error:  # what requests raises
        raise DataError(f"{url}: cannot be downloaded ({_reason(error)}): {advice}") from None


def unpack(archive: Path, folder: Path, wanted: Collection[str], url: str) -> None:
    """Write the wanted files of a tar or zip archive into a folder, by their bare names.

    Args:
        archive: The archive, of any packing that :mod:`tarfile` or :mod:`zipfile` reads.
        folder: Where the files go, without folders of their own.
        wanted: The names of the files to write; links and all others are passed over.
        url: Where the archive came from, for errors.

    Raises:
        DataError: If the archive is damaged, names a file outside itself, or holds a wanted file
            twice or of more than a gibibyte.

    """
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                _write_wanted(_zip_members(opened), folder, wanted, url)
        else:
            with tarfile.open(archive) as opened_tar:
                _write_wanted(_tar_members(opened_tar), folder, wanted, url)
    except (OSError, EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile) as error:
        if isinstance(error, OSError) and error.strerror:  # the disk's fault, not the archive's
            raise DataError(f"{folder}: cannot be written ({error.strerror})") from None
        raise DataError(f"{url}: damaged archive ({one_line(error)}): fetch it again") from None
    except (RuntimeError, NotImplementedError, ValueError) as error:  # locked or odd zip members
        raise DataError(f"{url}: cannot be unpacked ({one_line(error)})") from None


def _writable_cache() -> Path:
    cache = cache_folder()
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


def _wanted_files(dataset: Dataset) -> set[str]:
    """The names of the archive's files to unpack."""
    if dataset.kind == "wikispeedia":
        return set(WIKISPEEDIA_FILES)
    if dataset.width is None:
        return {f"{member}.{kind}" for member in dataset.members for kind in _SNAP_FILES}
    return {file for member in dataset.members for file in musae_files(member)}


def _verify(dataset: Dataset, folder: Path, url: str) -> None:
    """Refuse an archive whose pinned graphs are missing or different; others need only be read."""
    for member in dataset.members:
        pinned = dataset.hashes.get(member)
        spec = f"{dataset.name}:{member}"
        if not holds_member(dataset, folder, member):
            if pinned:
                raise DataError(f"{url}: the archive lacks the graph {spec}")
            continue
        try:
            graph = read_member(dataset, folder, member)
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


def _zip_members(archive: zipfile.ZipFile) -> Iterator[tuple[str, int, Opener]]:
    for info in archive.infolist():
        if not info.is_dir():
            yield info.filename, info.file_size, lambda info=info: archive.open(info)  # type: ignore[misc]


def _tar_members(archive: tarfile.TarFile) -> Iterator[tuple[str, int, Opener]]:
    for info in archive:
        if info.isfile():
            yield info.name, info.size, lambda info=info: archive.extractfile(info)  # type: ignore[misc]


def _write_wanted(
    members: Iterator[tuple[str, int, Opener]], folder: Path, wanted: Collection[str], url: str
) -> None:
    for name, size, open_member in members:
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts:
            raise DataError(f"{url}: refused, the archive names a file outside itself ({name!r})")
        if path.name not in wanted:
            continue
        if size > _MAX_BYTES:
            raise DataError(f"{url}: refused, {name!r} unpacks to {size:,} bytes")
        if (folder / path.name).exists():
            raise DataError(f"{url}: refused, the archive holds {path.name!r} twice")
        _write_member(open_member, folder / path.name)


def _write_member(open_member: Opener, path: Path) -> None:
    source = open_member()
    if source is None:
        return
    with source, path.open("xb") as target:
        shutil.copyfileobj(source, target)
        target.flush()
        os.fsync(target.fileno())


def _reason(error: Exception) -> str:
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status is not None:
        return f"HTTP status {status}"
    if isinstance(error, OSError) and error.strerror:  # the system's own, such as a full disk
        return error.strerror
    if isinstance(error, ValueError):
        return one_line(error)
    return "timed out" if "Timeout" in type(error).__name__ else "no connection"
