"""Rosters and secrets: one public line per agent, one private file per host.

A roster is what `garden peers cut` reads: a JSON object per line, with an agent's name, its public
keys, and the key and address of the host that runs it. A host's secrets are a file that nobody but
its owner can read.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Struct

from garden.errors import DataError
from garden.peers.keys import KEY_BYTES, AgentKeys, HostKeys, PublicKey, PublicKeys
from garden.peers.network.private_files import read_private, write_private
from garden.storage import read_bytes, write_text

SECRETS_VERSION = 1
Address: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z0-9.:\[\]_-]{1,255}:[0-9]{1,5}$")]
AgentName: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]


class RosterLine(Struct, frozen=True, forbid_unknown_fields=True):
    """What is public of one agent."""

    name: AgentName
    signing: PublicKey
    sealing: PublicKey
    host_key: PublicKey
    address: Address
    """Where its host listens, as in ``127.0.0.1:7100``."""

    @property
    def public(self) -> PublicKeys:
        """The public halves of the agent's two keys, to verify and to seal with."""
        return PublicKeys(self.signing, self.sealing)

    @property
    def key(self) -> int:
        """Its key in the network."""
        return self.public.agent


class AgentSecrets(Struct, frozen=True, forbid_unknown_fields=True):
    """The secrets of one agent."""

    name: AgentName
    signing: PublicKey
    sealing: PublicKey

    @property
    def keys(self) -> AgentKeys:
        """What they sign and open."""
        return AgentKeys(self.signing, self.sealing)


class HostSecrets(Struct, frozen=True, forbid_unknown_fields=True):
    """The secrets of one host and of the agents that it runs."""

    version: int
    address: Address
    host: PublicKey
    agents: tuple[AgentSecrets, ...]

    @property
    def host_keys(self) -> HostKeys:
        """The key pair that the host's sockets are encrypted by."""
        return HostKeys(self.host)

    def roster(self) -> list[RosterLine]:
        """What is public of them."""
        public = self.host_keys.public
        return [
            RosterLine(
                one.name, one.keys.public.signing, one.keys.public.sealing, public, self.address
            )
            for one in self.agents
        ]


def new_secrets(names: Iterable[str], address: str) -> HostSecrets:
    """Secrets that nobody else has, for one host.

    Args:
        names: Of the agents that it runs.
        address: Where it listens.
    """
    agents = tuple(
        AgentSecrets(name, secrets.token_bytes(KEY_BYTES), secrets.token_bytes(KEY_BYTES))
        for name in names
    )
    return _checked(HostSecrets(SECRETS_VERSION, address, HostKeys.new().secret, agents))


def secrets_for_tests(
    names: Sequence[str], addresses: Sequence[str], seed: int
) -> list[HostSecrets]:
    """Secrets that anybody can derive, one set per address; names are dealt out in turn.

    Args:
        names: Of all agents.
        addresses: Of all hosts.
        seed: What the secrets are derived from.
    """
    return [
        _checked(
            HostSecrets(
                SECRETS_VERSION,
                address,
                HostKeys.for_tests(seed, address).secret,
                tuple(
                    AgentSecrets(name, *AgentKeys.secrets_for_tests(seed, name))
                    for name in names[number :: len(addresses)]
                ),
            )
        )
        for number, address in enumerate(addresses)
    ]


def write_secrets(path: Path, host: HostSecrets) -> None:
    """Write secrets to a file that nobody else can read.

    Args:
        path: The file; one that is there is refused.
        host: The secrets of one host.
    """
    write_private(path, msgspec.json.format(msgspec.json.encode(host)) + b"\n")


def read_secrets(path: Path) -> HostSecrets:
    """The secrets of a file; one that others can read is refused."""
    try:
        host = msgspec.json.decode(read_private(path), type=HostSecrets)
    except msgspec.DecodeError as error:
        raise DataError(f"{path}: holds no host's secrets ({error})") from None
    if host.version != SECRETS_VERSION:
        raise DataError(f"{path}: has version {host.version}, {SECRETS_VERSION} is read here")
    return host


def write_roster(path: Path, lines: Iterable[RosterLine]) -> None:
    """Store a roster: one line of JSON for each agent, replaced as a whole.

    Args:
        path: The file.
        lines: Of all agents.
    """
    write_text(path, "".join(msgspec.json.encode(line).decode() + "\n" for line in lines))


def read_roster(path: Path) -> dict[str, RosterLine]:
    """The lines of a roster, by the agents' names."""
    lines = []
    for number, text in enumerate(read_bytes(path).splitlines(), start=1):
        if text.strip():
            try:
                lines.append(msgspec.json.decode(text, type=RosterLine))
            except msgspec.DecodeError as error:
                raise DataError(f"{path}, line {number}: is no agent's line ({error})") from None
    return roster_of(lines, str(path))


def roster_of(lines: Iterable[RosterLine], source: str = "the roster") -> dict[str, RosterLine]:
    """Lines by name; names and keys must differ, and a host has one address.

    Args:
        lines: The lines.
        source: What an error calls them.
    """
    lines = list(lines)
    _refuse_repeated(source, "name", [line.name for line in lines])
    _refuse_repeated(source, "key", [f"{line.key:016x}" for line in lines])
    addresses: dict[bytes, str] = {}
    for line in lines:
        if addresses.setdefault(line.host_key, line.address) != line.address:
            raise DataError(f"{source}: the host of {line.name} has two addresses")
    return {line.name: line for line in lines}


def lines_for(names: Iterable[str], roster: Mapping[str, RosterLine]) -> list[RosterLine]:
    """The line of each name, or an error that names one without.

    Args:
        names: Of the agents that need a line.
        roster: Lines by name; it may hold more of them.

    Returns:
        The lines in the order of the names.
    """
    names = list(names)
    missing = [name for name in names if name not in roster]
    if missing:
        raise DataError(
            f"the roster has no line for {missing[0]!r} ({len(missing)} of {len(names)} nodes lack "
            "one): `garden peers keys` makes them"
        )
    return [roster[name] for name in names]


def _checked(host: HostSecrets) -> HostSecrets:
    """The same, held to what can be read back."""
    try:
        msgspec.json.decode(msgspec.json.encode(host), type=HostSecrets)
    except msgspec.ValidationError as error:
        raise DataError(f"no host's address or agents' names: {error}") from None
    _refuse_repeated("the host", "name", [one.name for one in host.agents])
    return host


def _refuse_repeated(source: str, what: str, values: list[str]) -> None:
    for value, count in Counter(values).items():
        if count > 1:
            raise DataError(f"{source}: two agents have the {what} {value}")
