"""Cards that their agents have signed, and the signer that knows agents by such cards."""

from __future__ import annotations

from collections import OrderedDict
from typing import Annotated, Final, final

import msgspec
from msgspec import Meta, Struct

from garden.errors import one_line
from garden.peers.envelopes import EnvelopeError, RowBytes
from garden.peers.keys import AgentKeys, PublicKeys
from garden.peers.messages import Card

CARD_VERSION = 1
MAX_KNOWN: Final = 65_536  # agents that one signer can check


class SignedCard(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What a sender must know of a target, signed by it."""

    version: Annotated[int, Meta(ge=CARD_VERSION, le=CARD_VERSION)]
    public: PublicKeys
    row: RowBytes
    signature: Annotated[bytes, Meta(min_length=64, max_length=64)]

    @property
    def card(self) -> Card:
        """The card; its key is that of the public keys."""
        return Card(self.public.agent, self.row)

    @property
    def is_genuine(self) -> bool:
        """Whether its agent has signed it."""
        return self.public.has_signed(_content(self.version, self.public, self.row), self.signature)


def signed_card(keys: AgentKeys, row: bytes) -> SignedCard:
    """The card of the agent with these keys and this row.

    Args:
        keys: The agent's secrets.
        row: Its representation as bytes.
    """
    content = _content(CARD_VERSION, keys.public, row)
    return SignedCard(CARD_VERSION, keys.public, row, keys.sign(content))


def encoded_card(card: SignedCard) -> bytes:
    """The bytes of a card."""
    return msgspec.msgpack.encode(card)


def decoded_card(data: bytes) -> SignedCard:
    """The card of these bytes.

    Raises:
        EnvelopeError: If they are none, or its agent has not signed it.
    """
    try:
        card = msgspec.msgpack.decode(data, type=SignedCard)
    except (msgspec.DecodeError, RecursionError) as error:
        raise EnvelopeError(f"no card: {one_line(error)}") from None
    if not card.is_genuine:
        raise EnvelopeError("a card that its agent has not signed")
    return card


@final
class KeySigner:
    """Signs with an agent's keys, and checks agents that it was shown; it forgets the oldest."""

    def __init__(self, keys: AgentKeys) -> None:
        self._keys = keys
        self._known: OrderedDict[int, PublicKeys | None] = OrderedDict()

    def learn(self, public: PublicKeys) -> None:
        """Know an agent: its key is a hash of these, so that nobody can stand in for it."""
        self._keep(public.agent, public)

    def take_unproved(self, agent: int) -> None:
        """Believe what comes as the receipt of an agent whose public keys nobody has shown yet.

        Of a directory, an agent knows nothing but its key. Such a receipt says that sending again
        is of no use; it proves nothing.
        """
        if agent not in self._known:
            self._keep(agent, None)

    def sign(self, content: bytes) -> bytes:
        """The agent's signature, 64 bytes."""
        return self._keys.sign(content)

    def verify(self, agent: int, content: bytes, signature: bytes) -> bool:
        """Whether the agent with this key has signed; not where nobody has shown it.

        Args:
            agent: Its key.
            content: What it should have signed.
            signature: 64 bytes, where it is one.
        """
        if agent not in self._known:
            return False
        public = self._known[agent]
        return public is None or public.has_signed(content, signature)

    def _keep(self, agent: int, public: PublicKeys | None) -> None:
        self._known[agent] = public
        self._known.move_to_end(agent)
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)


def _content(version: int, public: PublicKeys, row: bytes) -> bytes:
    return b"garden card " + msgspec.msgpack.encode((version, public, row))
