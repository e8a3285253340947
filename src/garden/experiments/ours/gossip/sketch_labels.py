"""What tables call ``beacons`` of some size."""

from __future__ import annotations

from garden.strategies.gossip.beacons import Beacons


def sketch_label(k: int, paths: int = Beacons.paths) -> str:
    """The name of ``beacons`` of this size, as every command takes it.

    Args:
        k: How many better-ranked nodes push a beacon out of a sketch.
        paths: How many better-ranked nodes leave a beacon without a path; left out of the name
            where that is the default.

    """
    return f"beacons:k={k}" + ("" if paths == Beacons.paths else f",paths={paths}")


def full_name(strategy: Beacons) -> str:
    """The name with size, rank and paths spelled out, which an address holds."""
    rank = "" if strategy.rank == Beacons.rank else f",rank={strategy.rank}"
    return f"beacons:k={strategy.k}{rank},paths={strategy.paths}"


def with_memory(label: str, memory: str) -> str:
    """What tables call walks with a memory.

    Args:
        label: Who walks.
        memory: Left out of the name where it is ``none``.
    """
    return label if memory == "none" else f"{label}+{memory}"
