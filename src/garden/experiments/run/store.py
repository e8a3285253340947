"""Results on disk: a line of JSON for each unit of work that is done.

Lines are only ever added, one write each, so that whatever stops a reproduction costs the unit that
was being written and nothing else.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from garden.errors import DataError
from garden.experiments.run.jobs import FORMAT, Work
from garden.storage import write_text

RUNS_FILE = "runs.jsonl"


class Store:
    """The units that are done, by address."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / RUNS_FILE
        self.records: dict[str, dict[str, Any]] = {}
        if self.path.exists():
            self._read()

    def __contains__(self, work: Work) -> bool:
        return work.key in self.records

    def result(self, work: Work) -> dict[str, Any]:
        """What came of a unit."""
        result: dict[str, Any] = self.records[work.key]["result"]
        return result

    def add(self, work: Work, result: dict[str, Any], made: dict[str, Any]) -> None:
        """Store what came of a unit and how it was made, as one line.

        Args:
            work: The unit.
            result: Plain values.
            made: Seconds, versions and the command; no part of the address.

        Raises:
            DataError: If the file cannot be written.
        """
        record = {"key": work.key, "kind": work.kind, "work": work.to_json()}
        record |= {"result": result, "made": made}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(record, ensure_ascii=False, allow_nan=False)
        fresh = not self.path.exists()
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write((_header() if fresh else "") + line + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise DataError(f"{self.path}: cannot be written ({error.strerror or error})") from None
        self.records[work.key] = record

    def _read(self) -> None:
        try:
            text = self.path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise DataError(f"{self.path}: not readable as results ({error})") from None
        lines = text.split("\n")
        whole, rest = lines[:-1], lines[-1]
        if not whole or whole[0] + "\n" != _header():
            raise DataError(
                f"{self.path}: results of another version (this one writes {FORMAT}): "
                "move the folder away, or give another `out`"
            )
        for number, line in enumerate(whole[1:], start=2):
            try:
                record = json.loads(line)
                self.records[record["key"]] = record
            except (ValueError, KeyError, TypeError):
                raise DataError(f"{self.path}, line {number}: damaged") from None
        if rest:  # a unit that was being written when something stopped it: it is done again
            write_text(self.path, "\n".join([*whole, ""]))


def _header() -> str:
    return json.dumps({"format": FORMAT}) + "\n"
