"""What was found wrong so far: sentences, each kind of problem once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from garden.errors import GardenError
from garden.strategies.import_path import failure_of

Result = TypeVar("Result")


class StoppedError(Exception):
    """What follows needs what just failed; the sentence about it is written."""


class RefusedError(Exception):
    """The strategy said in its own words that this graph is not for it."""


class Findings:
    """Sentences in the order in which they were found, the first of each kind."""

    def __init__(self) -> None:
        self._sentences: dict[str, str] = {}

    def add(self, kind: str, sentence: str) -> None:
        """Note a problem, unless one of its kind is known."""
        self._sentences.setdefault(kind, sentence)

    def stop(self, kind: str, sentence: str) -> StoppedError:
        """Note a problem that ends the checks on this graph; raise what comes back."""
        self.add(kind, sentence)
        return StoppedError()

    def __contains__(self, kind: str) -> bool:
        return kind in self._sentences

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self._sentences.values())

    def result_of(
        self, what: str, where: str, call: Callable[[], Result], may_refuse: bool = False
    ) -> Result:
        """What a call of the user's code gives; where it raises, that is a problem."""
        try:
            return call()
        except Exception as error:
            if may_refuse and isinstance(error, GardenError):
                raise RefusedError(str(error)) from None
            sentence = f"{what} raises {failure_of(error)} {where}".rstrip() + "."
            raise self.stop(f"{what} raises", sentence) from None


def counted(number: int, what: str) -> str:
    """So many of these."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
