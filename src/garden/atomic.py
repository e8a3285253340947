"""Atomic writes: files and folders are written beside their destination, then moved there.

A destination is either complete or as it was before, whatever stops the process.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from garden.errors import DataError, expect

_MAX_SUFFIX = 16  # letters
_DESCRIPTORS = ("/dev", "/dev/fd", "/proc/self/fd")


def write_text(path: Path, text: str) -> None:
    """Write text to ``path`` as UTF-8, whole or not at all."""
    write_file(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_file(path: Path, fill: Callable[[Path], object]) -> None:
    """Write a file, whole or not at all.

    Args:
        path: The destination. A link stays and its target is replaced; a device or a pipe is
            written to as it is.
        fill: Writes the content to the temporary path that it is called with.
    """
    with _one_line_errors(path):
        _refuse_folder(path)
        if _is_stream(path):
            _write_through(path, fill)
        else:
            _replace(_real(path), fill)


def free_folder(folder: str | Path, marker: str, force: bool = False) -> Path:
    """The folder for a policy, as a path; one that holds a policy already is refused.

    Args:
        folder: The folder that was asked for.
        marker: The name of the file by which a policy's folder is recognised.
        force: Accept a folder that holds a policy, which is to be overwritten.
    """
    expect("folder", folder, str, os.PathLike, otherwise="a path")
    folder = Path(folder)
    if (folder / marker).exists() and not force:
        raise DataError(f"{folder}: holds a policy already: give `force=True`, or another folder")
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder}: is a file, and a policy needs a folder")
    return folder


def refuse_other(path: Path, text: str) -> None:
    """Refuse to overwrite a file that holds anything else than this text."""
    with _one_line_errors(path):
        if not path.is_file() or _is_stream(path):
            return
        if path.read_bytes() != text.encode("utf-8", "surrogatepass"):
            raise DataError(f"{path}: is there already: give `force=True`, or another file")


def check_writable(path: Path) -> None:
    """Refuse a destination that cannot be written, before long work is done for it."""
    with _one_line_errors(path):
        _refuse_folder(path)
        place = path if _is_stream(path) else _real(path).parent
        while not place.exists() and place != place.parent:
            place = place.parent
        if not _is_stream(path) and not place.is_dir():
            raise DataError(f"{path}: cannot be written ({place} is no folder)")
        if not os.access(place, os.W_OK):
            raise DataError(f"{path}: cannot be written (no permission to write {place})")


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """An empty folder that replaces ``path`` when the block ends without an error."""
    temporary = _beside(path)
    try:
        with _one_line_errors(path):
            temporary.mkdir(parents=True)
            yield temporary
            _swap(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _one_line_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error})") from None


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise DataError(f"{path}: cannot be written (it is a folder): name a file")


def _is_stream(path: Path) -> bool:
    """Whether the path is a device, a pipe or an open descriptor, which nothing may replace."""
    # /dev/stdout may lead to a plain file, but one that another process is writing to.
    return path.exists() and (not path.is_file() or str(path.parent) in _DESCRIPTORS)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _replace(path: Path, fill: Callable[[Path], object]) -> None:
    temporary = _beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fill(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _write_through(path: Path, fill: Callable[[Path], object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        temporary = _beside(Path(folder) / path.name)
        fill(temporary)
        # Appending: a shell's `> file` behind /dev/stdout may hold earlier output.
        with temporary.open("rb") as content, path.open("ab") as stream:
            shutil.copyfileobj(content, stream)


def _swap(new: Path, path: Path) -> None:
    """Rename ``new`` to ``path``; a folder cannot be replaced in one step, so the old one moves."""
    if not path.exists():
        new.rename(path)
        return
    old = _beside(path)
    path.rename(old)
    try:
        new.rename(path)
    except OSError:
        old.rename(path)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _beside(path: Path) -> Path:
    # The suffix stays last, since some writers choose their format by it; the name itself does
    # not, since one of the greatest length allowed leaves no room.
    suffix = path.suffix if len(path.suffix) <= _MAX_SUFFIX else ""
    return path.parent / f".{secrets.token_hex(8)}{suffix}"
