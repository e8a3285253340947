"""Contacts: how an agent reaches its neighbours, and by which keys it knows them.

A file of contacts stands beside an agent's view. It holds public keys and addresses, no secrets and
no names, the agent's own contact first, then its neighbours' in the order of their keys.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from garden.errors import DataError
from garden.peers.cut_folder import AGENTS
from garden.peers.keys import PublicKey, PublicKeys
from garden.peers.network.roster import Address, RosterLine
from garden.storage import read_bytes, write_file

CONTACTS_VERSION = 1
SUFFIX = ".contacts"


class Contact(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One agent's public keys, and its host's key and address."""

    public: PublicKeys
    host_key: PublicKey
    address: Address

    @property
    def key(self) -> int:
        """The 64-bit key of the agent that is reached here."""
        return self.public.agent

    @staticmethod
    def of(line: RosterLine) -> Contact:
        """The contact of a roster's line: the line without the name."""
        return Contact(line.public, line.host_key, line.address)


class Contacts(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What one agent knows of how to reach its neighbours."""

    version: int
    own: Contact
    neighbours: tuple[Contact, ...]


def contacts_path(folder: Path, key: int) -> Path:
    """Where the contacts of an agent lie.

    Args:
        folder: What `garden peers cut` wrote.
        key: The agent's.
    """
    return folder / AGENTS / f"{key:016x}{SUFFIX}"


def write_contacts(folder: Path, own: RosterLine, neighbours: list[RosterLine]) -> None:
    """Write an agent's contacts into a folder of peers.

    Args:
        folder: The folder of peers.
        own: The agent's own line.
        neighbours: Those of its neighbours, in any order.
    """
    others = sorted(map(Contact.of, neighbours), key=lambda contact: contact.key)
    contacts = Contacts(CONTACTS_VERSION, Contact.of(own), tuple(others))
    data = msgspec.msgpack.encode(contacts)
    write_file(contacts_path(folder, own.key), lambda temporary: temporary.write_bytes(data))


def read_contacts(folder: Path, key: int) -> Contacts:
    """The contacts of an agent, refused where the file is another agent's.

    Args:
        folder: What `garden peers cut` wrote.
        key: The agent's.
    """
    path = contacts_path(folder, key)
    missing = (
        "no such file: cut with `roster=FILE` or `test_keys=SEED`, and give the secrets of that "
        "roster"
    )
    try:
        contacts = msgspec.msgpack.decode(read_bytes(path, missing), type=Contacts)
    except msgspec.DecodeError as error:
        raise DataError(f"{path}: holds no contacts ({error})") from None
    if contacts.version != CONTACTS_VERSION:
        raise DataError(f"{path}: has version {contacts.version}, {CONTACTS_VERSION} is read here")
    if contacts.own.key != key:
        raise DataError(f"{path}: is the file of another agent")
    return contacts
