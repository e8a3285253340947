"""How patient an agent is, and how much it keeps."""

from __future__ import annotations

from dataclasses import dataclass, replace

from garden.errors import SpecError
from garden.peers.envelopes import MAX_AGE, MAX_ATTEMPTS


@dataclass(frozen=True)
class AgentConfig:
    """The limits of one agent; times are in milliseconds."""

    ack_wait: int = 500
    """How long an acknowledgement is waited for; doubled with each repeat."""

    unread_wait: int = 20_000
    """How long a message waits for a neighbour that has not read it yet, but goes on reading, where
    the driver knows that."""

    repeats: int = 2
    """How often a message or an answer is sent again to the same neighbour. One that does not
    answer then is avoided until it is heard again."""

    link_repeats: int = 15
    """How often an announcement is sent again before the neighbour counts as lost. The first wait
    is doubled once and no more: many short waits tell a lost neighbour from lost envelopes, where
    few long ones of the same sum do not."""

    greetings: int = 5
    """How often a neighbour is greeted in vain before it counts as not there."""

    announce_interval: int = 200
    """A neighbour hears one announcement in this time."""

    probe_interval: int = 10_000
    """A neighbour that was not heard for so long is asked whether it is there; 0: never."""

    greet_wait: int = 30_000
    """The longest time between two greetings of a neighbour that does not answer."""

    ttl: int = 60_000
    """How long an attempt may travel; its answer has as long for the way back."""

    attempts: int = 3
    """How often a message is sent before it has failed or is unknown."""

    last_wait: int = 35_000
    """How long the last attempt waits after word that one before it failed, longer than
    :attr:`greet_wait`: neighbours that were away may be back then."""

    max_held: int = 1_024
    """Messages that wait for an acknowledgement; to a further one the answer is *busy*."""

    max_records: int = 65_536
    """Messages, and ids handed over, that an agent remembers; beyond them it is *busy*."""

    max_per_neighbour: int = 16_384
    """Of these records, those of messages that one neighbour brought first; beyond them the answer
    to it is *busy*, so that nobody can fill an agent alone."""

    transit: int = 1_000
    """The longest time that an envelope is taken to be under way, in what a target that was
    restarted refuses."""

    receipt_wait: int = 20_000
    """After how long a receipt that has not come back speaks against the neighbour that a message
    was passed to; 0: never, and further attempts go over the same neighbours."""

    max_repairs: int = 0
    """A defence against neighbours that take messages and drop them: where no answer has come back
    for nearly :attr:`receipt_wait`, a holder near the sender sends the message to another
    neighbour, unless so many sendings were in vain already. 0: never. It suits strategies whose
    trips take seconds: a walk that is still under way is sent twice."""

    def __post_init__(self) -> None:
        if not 1 <= self.attempts <= MAX_ATTEMPTS:
            raise SpecError(f"attempts is {self.attempts}: choose 1 to {MAX_ATTEMPTS}")
        if self.ttl < 1 or 2 * self.ttl * self.attempts + self.last_wait > MAX_AGE:
            raise SpecError(
                f"ttl is {self.ttl}: {self.attempts} attempts of twice that, and a wait of "
                f"{self.last_wait} ms, must end within {MAX_AGE} ms"
            )

    def slowed(self, factor: int) -> AgentConfig:
        """The same for a network that is slower, or for machines that are busy.

        Args:
            factor: How many times longer acknowledgements are waited for, and how many times more
                seldom neighbours hear announcements.
        """
        if factor < 1:
            raise SpecError(f"`patience={factor}`: choose 1 or more")
        return replace(
            self,
            ack_wait=self.ack_wait * factor,
            announce_interval=self.announce_interval * factor,
            probe_interval=self.probe_interval * factor,
        )
