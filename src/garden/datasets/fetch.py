"""Fetching an archive: downloading it with pooch, and unpacking a few of its files safely.

pooch's own unpacking follows links and takes any path where Python is older than 3.12, and bounds
no size. Here members are matched by their bare names and written flat, so that nothing lands
outside the folder; an archive that tries to is refused.
"""

from __future__ import annotations

import os
import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from garden.errors import DataError, one_line

_TIMEOUT = 30  # seconds without a byte
_MAX_BYTES = 1 << 30  # unpacked, for one member

Opener = Callable[[], IO[bytes] | None]


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
