"""The problems found so far: sentences, each kind of problem once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from garden.errors import GardenError
from garden.strategies.import_path import failure_of
from garden.strategies.representations import Representations
from garden.testing.equality import differing_row

Result = TypeVar("Result")


class StoppedError(Exception):
    """A check failed that later ones need; its sentence is noted."""


class RefusedError(Exception):
    """The strategy refused the graph by an error of its own."""


class Findings:
    """Sentences in the order in which they were found, the first of each kind.

    Args:
        exact: Whether rows must agree to the last bit.
        where: The end of sentences: on which graph.

    """

    def __init__(self, exact: bool = False, where: str = "") -> None:
        self.exact, self.where = exact, where
        self._sentences: dict[str, str] = {}

    def at(self, where: str) -> Findings:
        """The same findings with another end of sentences; what one notes, the other has."""
        others = Findings(self.exact, where)
        others._sentences = self._sentences
        return others

    def add(self, kind: str, sentence: str) -> None:
        """Note a problem, unless one of its kind is noted already.

        Args:
            kind: By which a problem is noted once.
            sentence: What the user reads.

        """
        self._sentences.setdefault(kind, sentence)

    def stop(self, kind: str, sentence: str) -> StoppedError:
        """Note a problem that ends the checks on this graph.

        Args:
            kind: By which a problem is noted once.
            sentence: What the user reads.

        Returns:
            What the caller raises.
        """
        self.add(kind, sentence)
        return StoppedError()

    def expect_same(
        self, kind: str, ours: Representations, theirs: Representations, sentence: str
    ) -> bool:
        """Whether two batches of rows are the same, to the last bit if asked; a problem if not.

        Args:
            kind: By which a problem is noted once.
            ours: Some rows.
            theirs: As many.
            sentence: What the user reads where they differ.

        """
        same = differing_row(ours, theirs, self.exact) is None
        if not same:
            self.add(kind, sentence)
        return same

    def __contains__(self, kind: str) -> bool:
        return kind in self._sentences

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, one sentence for each kind of problem, in the order of finding."""
        return tuple(self._sentences.values())

    def result_of(self, what: str, call: Callable[[], Result], may_refuse: bool = False) -> Result:
        """What a call of the user's code gives; an error in it is a problem that ends the checks.

        Args:
            what: The function, as sentences call it.
            call: The call.
            may_refuse: Whether an error of this package means that the graph is not for it.

        """
        try:
            return call()
        except Exception as error:
            if may_refuse and isinstance(error, GardenError):
                raise RefusedError(str(error)) from None
            sentence = f"{what} raises {failure_of(error)} {self.where}".rstrip() + "."
            raise self.stop(f"{what} raises", sentence) from None


def counted(number: int, what: str) -> str:
    """A number with its noun, in the plural where needed.

    Args:
        number: How many there are.
        what: The noun in the singular; its plural ends in s.
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
