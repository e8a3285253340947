"""Who listens to a training: the metrics file always, TensorBoard and W&B where asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from garden.atomic import write_text
from garden.errors import DataError
from garden.training.config import RunOptions
from garden.training.listener import Listener

Record = dict[str, Any]


class SeedListener(Listener):
    """Hears the validations of one seed of a stack."""

    def __init__(self, seed: int, hear: Callable[[Record], None]) -> None:
        self.seed = seed
        self.hear = hear

    def on_validation(self, records: Sequence[Record]) -> None:
        """Pass this seed's record on."""
        self.hear(records[self.seed])


class MetricsFile:
    """``metrics.jsonl``: one line per validation."""

    NAME = "metrics.jsonl"

    def __init__(self, folder: Path) -> None:
        self.path = folder / self.NAME

    def of_seed(self, seed: int) -> Listener:
        """A listener that appends this seed's records."""
        return SeedListener(seed, self.append)

    def append(self, record: Record) -> None:
        """Add a line."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        except OSError as error:
            raise DataError(f"{self.path}: cannot be written ({error.strerror})") from None

    def cut(self, update: int) -> None:
        """Drop lines later than this update, which a resumed run will write again."""
        kept = [record for record in read_metrics(self.path) if record["update"] <= update]
        write_text(self.path, "".join(json.dumps(record) + "\n" for record in kept))


def read_metrics(path: Path) -> list[Record]:
    """The records of a metrics file; a line cut short by a crash is left out."""
    records = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            records.append(json.loads(line))
        except ValueError:
            continue
    return records


def listeners_for(folder: Path, options: RunOptions, seed: int) -> list[Listener]:
    """The extra loggers that the options ask for.

    Args:
        folder: the run folder that the loggers write into.
        options: which loggers are wanted.
        seed: the place of the run in its stack.
    """
    listeners: list[Listener] = []
    if options.tensorboard:
        listeners.append(SeedListener(seed, _tensorboard(folder)))
    if options.wandb:
        listeners.append(SeedListener(seed, _wandb(folder)))
    return listeners


def _tensorboard(folder: Path) -> Callable[[Record], None]:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise DataError(
            "`tensorboard=True` needs the extra: pip install 'garden-search[logging]'"
        ) from None
    writer = SummaryWriter(str(folder / "tensorboard"))

    def hear(record: Record) -> None:
        for name, value in record.items():
            writer.add_scalar(name, value, record["update"])
        writer.flush()

    return hear


def _wandb(folder: Path) -> Callable[[Record], None]:
    try:
        import wandb
    except ImportError:
        raise DataError(
            "`wandb=True` needs the extra: pip install 'garden-search[logging]'"
        ) from None
    run = wandb.init(mode="offline", dir=str(folder), project="garden", reinit="create_new")

    def hear(record: Record) -> None:
        run.log(record, step=record["update"])

    return hear
