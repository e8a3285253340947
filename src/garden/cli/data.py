"""``garden data``: which graphs there are, what one holds, converting and fetching them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tyro

from garden.cli.console import (
    TABLES_AS_USUAL,
    GraphFlags,
    Verb,
    busy,
    check_outputs,
    print_report,
    print_table,
)
from garden.errors import DataError, SpecError

_OTHER_GRAPHS = (
    ("kaiser-hilgetag:n=200,alpha=30,beta=0.1,seed=3", "Grown in a box; positions as attributes"),
    ("power-law:n=1000,degree=16,seed=0", "Grown by preferential attachment"),
    ("small-world:n=1000,degree=10,rewired=0.05,seed=0", "A ring, partly rewired"),
    ("block-model:n=1000,degree=16,blocks=20,within=0.8,seed=0", "Blocks with links inside"),
    ("geometric:n=1000,degree=16,rewired=0,seed=0", "Points of a square, linked where near"),
    ("…,attributes=64,kind=binary,blocks=20,homophily=0.8", "Attributes for any of these four"),
    ("attributed:seed=0", "Up to 500 nodes, of a kind drawn at random, with attributes"),
    ("snap:DIR/107", "Any SNAP ego network: DIR/107.edges, .feat, .featnames"),
    ("collection:FAMILY/NAME", "A graph under GARDEN_DATA: collection/FAMILY/NAME.npz"),
    ("FOLDER", "edges.csv or .parquet (source,target); nodes.csv or .parquet (node,…)"),
    ("FOLDER", "MUSAE files as published: NAME_edges.csv and NAME_features.json"),
    ("FILE", ".graphml, .gml, .gexf, .json (node-link), .npz"),
    ("FILE", "An edge list: .csv, .tsv, .parquet, .txt, .edges, .edgelist, also .gz"),
)


@dataclass(frozen=True)
class DataList(Verb):
    """List the graphs that garden knows by name, and the kinds of files it reads."""

    json: str | None = None
    """Write the list as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Print every graph that a spec can name, with a sentence on each."""
        from garden.datasets.catalogue import DATASETS

        check_outputs(json=self.json)
        rows = [(" · ".join(entry.specs), entry.description) for entry in DATASETS.values()]
        rows += list(_OTHER_GRAPHS)
        keys = ("name", "specs", "members", "description", "url", "citation")
        entries = [{key: getattr(entry, key) for key in keys} for entry in DATASETS.values()]
        print_table("Graphs", ("spec", "what it is"), rows, self.json, {"datasets": entries})


@dataclass(frozen=True)
class DataInfo(Verb):
    """Load a graph and print what it holds."""

    spec: tyro.conf.Positional[str]
    """The graph."""

    graph_options: GraphFlags = TABLES_AS_USUAL

    json: str | None = None
    """Write the statistics as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Load the graph, measure it, and print a table of what was measured."""
        from garden.datasets.graph_summary import graph_statistics

        check_outputs(json=self.json)
        with busy(f"loading and measuring {self.spec}"):
            statistics = graph_statistics(self.graph_options.load(self.spec))
        print_report(str(statistics["graph"]), statistics, self.json)


@dataclass(frozen=True)
class DataConvert(Verb):
    """Write a graph in another form, chosen by the suffix of OUT.

    .npz opens at once at any size; .parquet is a folder with edges.parquet and nodes.parquet; no
    suffix a folder with edges.csv and nodes.csv; .graphml and .gml are for other programs; .csv,
    .tsv, .txt, .edges and .edgelist (also .gz) keep the edges alone.
    """

    spec: tyro.conf.Positional[str]
    """The graph."""

    out: tyro.conf.Positional[Path]
    """The file or folder to write."""

    graph_options: GraphFlags = TABLES_AS_USUAL

    compress: bool = False
    """Make an .npz small; it then takes longer to write and to open."""

    force: bool = False
    """Replace what is there."""

    json: str | None = None
    """Write what was written as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Load the largest component and write it."""
        from garden.datasets.files import write_graph, writer_for
        from garden.datasets.npz import write_npz

        writer = writer_for(self.out)
        if self.compress and writer is not write_npz:
            raise SpecError(f"--compress goes with .npz, not with {self.out}: leave it out")
        check_outputs(None if self.out.is_dir() else self.out, json=self.json)
        if self.out.exists() and not self.force:
            raise DataError(f"{self.out}: is there already: give --force, or another name")
        with busy(f"converting {self.spec}"):
            graph = self.graph_options.load(self.spec)
            write_graph(graph, self.out, compress=self.compress)
        written: dict[str, object] = {
            "graph": graph.name,
            "out": str(self.out),
            "num_nodes": graph.num_nodes,
            "num_edges": graph.num_edges,
            "num_attributes": graph.num_attributes,
            "content_hash": graph.content_hash,
        }
        print_report("Written", written, self.json)


@dataclass(frozen=True)
class DataFetch(Verb):
    """Download a real dataset into the user's cache and verify what it holds."""

    name: tyro.conf.Positional[str]
    """facebook, twitch, musae-facebook or wikispeedia."""

    url: str | None = None
    """Another place to fetch the same archive from."""

    json: str | None = None
    """Write where it lies as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Fetch, verify, say where it lies."""
        from garden.datasets.fetch import fetch_dataset

        check_outputs(json=self.json)
        with busy(f"fetching {self.name}"):
            folder = fetch_dataset(self.name, url=self.url)
        written = {"name": self.name, "folder": str(folder)}
        print_table("Fetched", ("what", "where"), [(self.name, str(folder))], self.json, written)
