"""Starting hosts on this machine, in processes of their own that outlive this one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from garden.errors import DataError
from garden.peers.network.control_client import HostConnection
from garden.peers.network.host_folder import read_test_secrets
from garden.peers.network.private_files import private_folder
from garden.peers.network.process import FORK, LOG_SUFFIX, SERVE, SOCKET_SUFFIX, host_id
from garden.peers.network.requests import Status
from garden.peers.network.roster import read_secrets, write_secrets

PATIENCE: Final = 300.0  # seconds until all hosts must answer
_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def secrets_files(folder: Path, run: Path, given: Sequence[Path]) -> list[Path]:
    """The files of secrets to start hosts from; of test keys, they are written into the run folder.

    Args:
        folder: What `garden peers cut` wrote.
        run: A private folder.
        given: Files that were named; where there are none, the folder must have test keys.
    """
    private_folder(run)
    if given:
        return list(given)
    files = []
    for secrets in read_test_secrets(folder):
        path = run / f"{host_id(secrets)}.secrets"
        path.unlink(missing_ok=True)
        write_secrets(path, secrets)
        files.append(path)
    return files


def command(
    folder: Path, run: Path, files: Sequence[Path], patience: int = 1, foreground: bool = False
) -> list[str]:
    """The command that runs hosts.

    Args:
        folder: What `garden peers cut` wrote.
        run: Their private folder.
        files: The secrets, a file for each host.
        patience: How many times longer than by default agents wait.
        foreground: Run the one host in the process itself.
    """
    module = [sys.executable, "-m", "garden.peers.network.process"]
    way = SERVE if foreground else FORK
    return [*module, way, str(patience), *(str(path.resolve()) for path in (folder, run, *files))]


def environment() -> dict[str, str]:
    """That of hosts: this very package, and one thread each, since there are many."""
    found = [str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH", "")]
    path = os.pathsep.join(filter(None, found))
    return {**dict.fromkeys(_ONE_THREAD, "1"), **os.environ, "PYTHONPATH": path}


def launch(folder: Path, run: Path, files: Sequence[Path], patience: int = 1) -> list[int]:
    """Start one host for each file of secrets; their process ids, once all of them answer.

    Args:
        folder: What `garden peers cut` wrote.
        run: A private folder for their control sockets and logs.
        files: The secrets.
        patience: How many times longer than by default agents wait.
    """
    ids = [host_id(read_secrets(path)) for path in files]
    _refuse_running(run, ids)
    for one in ids:
        (run / (one + LOG_SUFFIX)).unlink(missing_ok=True)
    done = subprocess.run(
        command(folder, run, files, patience),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=environment(),
        check=False,
    )
    if done.returncode:
        raise DataError(f"hosts did not start: {_last_line(done.stderr.decode(), run)}")
    end = time.monotonic() + PATIENCE
    return [_process_id(run, one, end) for one in ids]


def _refuse_running(run: Path, ids: Sequence[str]) -> None:
    for one in ids:
        try:
            HostConnection(run / (one + SOCKET_SUFFIX)).close()
        except DataError:  # nobody answers
            continue
        raise DataError(f"{run}: host {one} is up already: `garden peers down` stops it")


def _process_id(run: Path, one: str, end: float) -> int:
    """The process of a host, once it answers."""
    while True:
        with suppress(DataError), HostConnection(run / (one + SOCKET_SUFFIX)) as host:
            return int(host.answer_to(Status())["pid"])
        log = _log(run, one)
        if "garden:" in log or time.monotonic() > end:
            raise DataError(f"host {one} did not start: {_last_line(log, run)}")
        time.sleep(0.02)


def _last_line(log: str, run: Path) -> str:
    lines = log.strip().splitlines()
    return lines[-1].removeprefix("garden: ") if lines else f"{run} may have a log that says why"


def _log(run: Path, name: str) -> str:
    try:
        return (run / (name + LOG_SUFFIX)).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
