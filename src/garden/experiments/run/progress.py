"""How a reproduction says what it does. Free of torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from garden.experiments.run.jobs import Work


class ReproductionListener:
    """Somebody who wants to see how a reproduction goes; this one does nothing."""

    def planned(self, name: str, done: int, left: int) -> None:
        """An experiment begins: so many units are done already, so many are left."""

    def started(self, work: Work) -> None:
        """A unit was taken up."""

    def ended(self, work: Work, seconds: float) -> None:
        """A unit is done and stored."""
