"""What every verb of the command line has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated

import tyro

from garden.errors import SpecError


@dataclass(frozen=True)
class Talk:
    """How much is said on standard error."""

    quiet: bool = False
    """Print results and errors, and nothing else: no progress, no notes, no warnings."""

    verbose: bool = False
    """Print how long each step took, and where in the code an error arose."""

    def __post_init__(self) -> None:
        if self.quiet and self.verbose:
            raise SpecError("`quiet` says less and `verbose` more: give one")


@dataclass(frozen=True, kw_only=True)
class Verb(ABC):
    """A verb of the command line: its fields are its flags."""

    talk: Annotated[Talk, tyro.conf.arg(name="")] = Talk()

    @abstractmethod
    def run(self) -> None:
        """Do it and show what came of it."""
