"""What goes wrong in a trial of peers: an option for each kind of fault."""

from __future__ import annotations

from dataclasses import dataclass, fields

from garden.errors import expect_count, expect_share


@dataclass(frozen=True)
class FaultPlan:
    """What goes wrong, and how many messages are sent meanwhile."""

    crashed: float = 0.0
    """The share of peers that crash once all have settled."""

    loss: float = 0.0
    """The share of envelopes that are lost, from the start."""

    stale_views: float = 0.0
    """The share of links that go once all have settled, while as many others come: nobody is told,
    and nobody sees those that came."""

    stale_cards: float = 0.0
    """The share of links that have changed since the cards were made that senders use."""

    parted: float = 0.0
    """The share of peers that are parted from the others for the middle third of the messages."""

    churn: float = 0.0
    """The share of peers that go each minute while messages are sent; each comes back after one
    minute. Every other one says goodbye."""

    settle_anew: bool = True
    """Send only after crashes and changed links have been found out, not right after them."""

    messages: int = 1_000
    """How many are sent."""

    pace: int = 100
    """Milliseconds between two messages."""

    seed: int = 0
    """What is random."""

    def __post_init__(self) -> None:
        for one in fields(self):
            if isinstance(getattr(self, one.name), float):
                expect_share(one.name, getattr(self, one.name))
        expect_count("messages", self.messages)
        expect_count("pace", self.pace)
