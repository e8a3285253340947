"""Files and folders that are whole or as they were: written beside, then moved into place."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from garden.errors import DataError


def write_text(path: Path, text: str) -> None:
    """Put this text at ``path``, whole or not at all."""
    write_file(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_file(path: Path, fill: Callable[[Path], object]) -> None:
    """Let ``fill`` write a temporary file beside ``path``, then move it into place."""
    temporary = _beside(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fill(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """An empty folder that takes the place of ``path`` when the block ends well."""
    temporary = _beside(path)
    try:
        temporary.mkdir(parents=True)
        yield temporary
        _swap(temporary, path)
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


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
    # The suffix stays last: some writers choose their format by it.
    return path.with_name(f".{secrets.token_hex(4)}.{path.name}")
