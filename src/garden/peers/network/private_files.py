"""Files and folders that nobody but their owner may read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from garden.errors import DataError

OWNER_ALONE = 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def write_private(path: Path, content: bytes) -> None:
    """Write a file with mode 0600, whole or not at all; one that is there is refused.

    Args:
        path: The file; its folder is made where there is none.
        content: What to write.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ALONE)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(handle)
            os.link(temporary, path)  # fails where the file is there
        finally:
            temporary.unlink()
    except FileExistsError:
        raise DataError(f"{path}: is there already, and secrets are not replaced") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error})") from None


def read_private(path: Path) -> bytes:
    """The content of a file, refused where others can read it."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_mode & _OTHERS:
                raise DataError(f"{path}: others can read it: chmod 600 {path}")
            return file.read()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None


def private_folder(path: Path) -> Path:
    """A folder of mode 0700 of one's own, made where it is not there; any other is refused."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.lstat()
    except OSError as error:
        raise DataError(f"{path}: cannot be made ({error.strerror or error})") from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & _OTHERS:
        raise DataError(f"{path}: is no folder that you alone can read: chmod 700 {path}")
    return path
