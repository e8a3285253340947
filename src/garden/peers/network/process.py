"""Hosts as processes: ``python -m garden.peers.network.process``.

Arguments: ``serve|fork PATIENCE FOLDER RUN SECRETS...``.

``serve`` runs one host in this process until it is stopped. ``fork`` leaves one process behind for
each file of secrets; they share the memory of what was imported. RUN is a private folder: it holds
a control socket and a log for each host.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from garden.errors import GardenError
from garden.peers.agent import Agent
from garden.peers.config import AgentConfig
from garden.peers.cut_folder import read_programme, view_path
from garden.peers.network.answering import Answering
from garden.peers.network.control import ControlServer
from garden.peers.network.directory import DirectoryService
from garden.peers.network.host import Host
from garden.peers.network.host_folder import host_of
from garden.peers.network.private_files import OWNER_ALONE
from garden.peers.network.roster import HostSecrets, read_secrets
from garden.peers.views import read_view
from garden.process_settings import KERNELS_VARIABLE
from garden.strategies.base import scores_at_holder
from garden.strategies.gossip.beacons import Beacons
from garden.strategies.universal.policy import Universal

SERVE, FORK = "serve", "fork"
SOCKET_SUFFIX = ".sock"
LOG_SUFFIX = ".log"
FEW_AGENTS = 32  # up to which a host does without compiled kernels, which take 100 MB


def main(arguments: Sequence[str]) -> int:
    """Run hosts; the exit code."""
    (way, patience), (folder, run, *files) = arguments[:2], map(Path, arguments[2:])
    try:
        config = AgentConfig().slowed(int(patience))
        secrets = [read_secrets(path) for path in files]
        if way == FORK:
            _fork(folder, run, secrets, config)
        else:
            serve(folder, run, secrets[0], config)
    except GardenError as error:
        print(f"garden: {error}", file=sys.stderr)
        return 2
    return 0


def serve(folder: Path, run: Path, secrets: HostSecrets, config: AgentConfig) -> None:
    """Run one host until it is told to stop, by its control socket or a signal.

    Args:
        folder: What `garden peers cut` wrote.
        run: The private folder for the control socket.
        secrets: The host's, and its agents'.
        config: The agents' patience and limits.
    """
    logging.basicConfig(level=logging.INFO, format="garden: %(message)s")
    host = host_of(folder, secrets, config)
    if len(host.agents) <= FEW_AGENTS and not isinstance(host.programme.strategy, Universal):
        os.environ.setdefault(KERNELS_VARIABLE, "0")
    control = None
    try:
        directory = None
        if isinstance(host.programme.strategy, Beacons):
            directory = DirectoryService(host)
        answering = Answering(host, directory)
        signal.signal(signal.SIGTERM, lambda *_: _stop(answering))
        signal.signal(signal.SIGINT, lambda *_: _stop(answering))
        path = run / (host_id(secrets) + SOCKET_SUFFIX)
        control = ControlServer(path, host.sockets.poller, answering.answer)
        _loop(host, control, answering)
    finally:
        if control is not None:
            control.close()
        host.close()


def host_id(secrets: HostSecrets) -> str:
    """What a host's files are called: the start of its public key."""
    return secrets.host_keys.public.hex()[:16]


def _loop(host: Host, control: ControlServer, answering: Answering) -> None:
    host.start()
    gc.collect()
    gc.freeze()  # agents live as long as the process
    while not answering.is_stopped:
        ready: list[Any] = host.step()
        if len(ready) > 0:
            control.handle(ready)


def _stop(answering: Answering) -> None:
    answering.is_stopped = True


def _fork(folder: Path, run: Path, secrets: Sequence[HostSecrets], config: AgentConfig) -> None:
    """One process for each host; they begin when all are there, and this one ends."""
    if all(len(one.agents) > FEW_AGENTS for one in secrets):
        _load_kernels(folder, secrets[0].agents[0].keys.public.agent)
    gc.freeze()
    waiting, begin = os.pipe()
    for one in secrets:
        if os.fork() == 0:
            os.close(begin)
            os.read(waiting, 1)  # until the last holder of the other end has closed it
            os.close(waiting)
            os._exit(_child(folder, run, one, config))


def _load_kernels(folder: Path, key: int) -> None:
    """Load what is compiled before processes part, which then share its 100 MB."""
    strategy = read_programme(folder).strategy
    if isinstance(strategy, Beacons):
        agent = Agent(read_view(view_path(folder, key)), strategy)
        scores_at_holder(strategy, agent.row, agent.row)


def _child(folder: Path, run: Path, secrets: HostSecrets, config: AgentConfig) -> int:
    path = run / (host_id(secrets) + LOG_SUFFIX)
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, OWNER_ALONE)
    os.dup2(log, sys.stdout.fileno())
    os.dup2(log, sys.stderr.fileno())
    try:
        serve(folder, run, secrets, config)
    except GardenError as error:
        print(f"garden: {error}", file=sys.stderr, flush=True)
        return 2
    except BaseException:
        logging.exception("the host failed")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
