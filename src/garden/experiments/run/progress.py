"""How a reproduction says what it does. Free of torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from garden.experiments.run.jobs import Work


class ReproductionListener:
    """Somebody who wants to see how a reproduction goes; this one does nothing."""

    def planned(self, name: str, done: int, left: int) -> None:
        """An experiment begins.

        Args:
            name: Of the experiment.
            done: How many units are stored already.
            left: How many are left to do.
        """

    def started(self, work: Work) -> None:
        """A unit was taken up."""

    def ended(self, work: Work, seconds: float) -> None:
        """A unit is done and stored.

        Args:
            work: The unit.
            seconds: How long it took whoever did it.
        """
