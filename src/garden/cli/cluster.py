"""``garden cluster``: graphs in shards, each held by an actor of a Ray cluster."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import tyro

from garden.cli.console import (
    TABLES_AS_USUAL,
    GraphFlags,
    Verb,
    check_outputs,
    print_report,
    progress_bar,
)
from garden.errors import SpecError


@dataclass(frozen=True)
class ClusterCut(Verb):
    """Cut a graph into shards: Parquet files that the actors of a cluster read, each its own.

    OUT/shard-00000 holds the nodes of one shard, their links, and of their neighbours elsewhere
    what stands in their ego graphs. OUT/cluster.json has the digest of each file.
    """

    spec: tyro.conf.Positional[str]
    """The graph."""

    out: Path
    """The folder to write."""

    shards: int = 2
    """How many actors shall hold it."""

    graph_options: GraphFlags = TABLES_AS_USUAL

    key_seed: int = 0
    """What keys are hashed with; a strategy with rounds must have the same seed."""

    force: bool = False
    """Replace OUT, where it holds shards already."""

    json: str | None = None
    """Write a summary as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Cut the graph, store the shards, and print how large they are."""
        from garden.cluster.cutting import cut_shards

        check_outputs(json=self.json)
        graph = self.graph_options.load_aloud(self.spec)
        with progress_bar(f"cutting {self.spec}") as progress:
            made = cut_shards(graph, self.shards, self.out, self.key_seed, self.force, progress)
        size = sum(path.stat().st_size for path in self.out.rglob("*.parquet"))
        summary: dict[str, Any] = {
            "graph": made.graph,
            "num_nodes": made.num_nodes,
            "num_edges": made.num_edges,
            "num_shards": made.num_shards,
            "num_bytes": size,
            "folder": str(self.out),
        }
        print_report("Shards", summary, self.json)


@dataclass(frozen=True)
class ClusterRun(Verb):
    """Let the actors of a cluster settle on a graph in shards, and send messages.

    The Ray cluster is the one that RAY_ADDRESS names, or a local one.
    """

    folder: tyro.conf.Positional[Path]
    """What `garden cluster cut` wrote."""

    strategy: str = "beacons:paths=0+backtrack"
    """What the nodes run; NAME+MEMORY gives it a memory. Beacons with paths settle by plain
    rounds, which are slower."""

    memory: str = "none"
    """The memory, where the strategy names none: none, visited, backtrack,
    frontier."""

    source: str | None = None
    """The node that sends a message."""

    target: str | None = None
    """The node that it is for."""

    entry: int | None = None
    """The shard that is asked; one after another by default."""

    max_hops: int = 100
    """The hop at which a message is given up."""

    json: str | None = None
    """Write the report as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Settle, send, print the report."""
        from garden.cluster.network import Cluster

        check_outputs(json=self.json)
        if (self.source is None) != (self.target is None):
            raise SpecError("a message needs --source and --target: give both, or neither")
        with (
            progress_bar(f"running {self.folder}") as progress,
            Cluster(self.folder, self.strategy, self.memory, progress=progress) as cluster,
        ):
            start = time.perf_counter()
            settled = cluster.settle()
            report: dict[str, Any] = {
                "graph": cluster.manifest.graph,
                "num_nodes": cluster.manifest.num_nodes,
                "num_shards": cluster.manifest.num_shards,
                **asdict(settled),
                "settle_seconds": time.perf_counter() - start,
            }
            if self.source is not None and self.target is not None:
                (sent,) = cluster.send([(self.source, self.target)], self.max_hops, self.entry)
                report |= {
                    "ending": sent.ending,
                    "reason": sent.reason,
                    "attempts": list(sent.attempts),
                    "hops": sent.hops,
                    "path": cluster.names_of(sent.path),
                    "message_bytes_between_shards": cluster.message_bytes,
                }
        print_report("Cluster", report, self.json)
