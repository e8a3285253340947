"""A folder of peers as a host reads it: the agents whose secrets it has, and which life this is.

``test-keys.json`` stands where a folder was cut with `--test-keys`: whoever reads it derives all
secrets. ``lives/`` counts the lives of each host.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from garden.errors import DataError
from garden.peers.config import AgentConfig
from garden.peers.cut_folder import read_programme, view_path
from garden.peers.network.contacts import read_contacts
from garden.peers.network.host import Host
from garden.peers.network.members import Life, Member
from garden.peers.network.roster import AgentSecrets, HostSecrets, secrets_for_tests
from garden.peers.network.sockets import HostSockets
from garden.peers.views import read_view
from garden.storage import write_file

TEST_KEYS_FILE = "test-keys.json"
LIVES = "lives"


class _TestKeys(Struct, frozen=True, forbid_unknown_fields=True):
    seed: int
    addresses: tuple[str, ...]
    names: tuple[str, ...]


class _Lives(Struct, frozen=True, forbid_unknown_fields=True):
    incarnation: int


def write_test_keys(
    folder: Path, seed: int, addresses: Sequence[str], names: Sequence[str]
) -> None:
    """Write down what all secrets of a folder are derived from.

    Args:
        folder: What `garden peers cut` wrote.
        seed: What the secrets are derived from.
        addresses: Of all hosts.
        names: Of all agents, in the order in which they were dealt out to hosts.
    """
    data = msgspec.json.encode(_TestKeys(seed, tuple(addresses), tuple(names)))
    write_file(folder / TEST_KEYS_FILE, lambda temporary: temporary.write_bytes(data + b"\n"))


def read_test_secrets(folder: Path) -> list[HostSecrets]:
    """The secrets of all hosts of a folder that was cut with test keys."""
    path = folder / TEST_KEYS_FILE
    try:
        keys = msgspec.json.decode(path.read_bytes(), type=_TestKeys)
    except FileNotFoundError:
        raise DataError(
            f"{folder}: was not cut with `test_keys=SEED`: give the secrets of its hosts"
        ) from None
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"{path}: cannot be read ({error})") from None
    return secrets_for_tests(keys.names, keys.addresses, keys.seed)


def next_life(folder: Path, secrets: HostSecrets) -> Life:
    """Begin another life of a host, and write it down; its number is larger than any before.

    Args:
        folder: What `garden peers cut` wrote; a file of it counts the lives.
        secrets: The host's.
    """
    path = folder / LIVES / f"{secrets.host_keys.public.hex()[:16]}.json"
    try:
        before = msgspec.json.decode(path.read_bytes(), type=_Lives).incarnation
    except FileNotFoundError:
        before = 0
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"{path}: cannot be read ({error})") from None
    # by the clock, so that a folder that was cut anew does not begin at 1 again
    incarnation = max(before + 1, int(time.time()))
    data = msgspec.json.encode(_Lives(incarnation))
    write_file(path, lambda temporary: temporary.write_bytes(data))
    return Life(incarnation, before == 0)


def host_of(folder: Path, secrets: HostSecrets, config: AgentConfig | None = None) -> Host:
    """A host that is ready to start, listening.

    Args:
        folder: What `garden peers cut` wrote.
        secrets: The host's, and its agents'.
        config: Its agents' patience.
    """
    members = [_member(folder, secrets, one) for one in secrets.agents]
    programme = read_programme(folder)
    contacts = [one for member in members for one in member.contacts.neighbours]
    own = secrets.host_keys
    admitted = {one.host_key: one.address for one in contacts if one.host_key != own.public}
    sockets = HostSockets(own, secrets.address, admitted)
    return Host(sockets, programme, members, config, next_life(folder, secrets))


def _member(folder: Path, secrets: HostSecrets, one: AgentSecrets) -> Member:
    keys = one.keys
    contacts = read_contacts(folder, keys.public.agent)
    view = read_view(view_path(folder, keys.public.agent))
    if contacts.own.host_key != secrets.host_keys.public:
        raise DataError(f"{folder}: {one.name} is an agent of another host there")
    if tuple(one.key for one in contacts.neighbours) != view.neighbours:
        raise DataError(f"{folder}: contacts of {one.name} are not those of its neighbours")
    return Member(one.name, view, keys, contacts)
