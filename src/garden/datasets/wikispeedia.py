"""Wikispeedia: the articles and links of a game, and how long people took.

Players go from one article to another by links alone (West, Pineau and Precup, 2009). The graph's
nodes are articles by their decoded names, its attributes the categories and those above them; for
search its links go both ways. :func:`directed_links` keeps their directions, which a person's game
follows, and :func:`finished_games` says how people did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import scipy.sparse as sp

from garden.datasets.text_files import data_lines
from garden.errors import DataError, first_repeated, short_repr
from garden.graphs.graph import Graph

ARTICLES, LINKS, CATEGORIES = "articles.tsv", "links.tsv", "categories.tsv"
LENGTHS, PATHS = "finished_lengths.csv", "paths_finished.tsv"
FILES = (ARTICLES, LINKS, CATEGORIES, LENGTHS, PATHS)


def holds_wikispeedia(folder: Path) -> bool:
    """Whether the files of the graph lie in a folder."""
    return all((folder / name).is_file() for name in (ARTICLES, LINKS, CATEGORIES))


def read_wikispeedia(folder: Path) -> Graph:
    """The whole graph, with all its components; links go both ways.

    Args:
        folder: Where ``articles.tsv``, ``links.tsv`` and ``categories.tsv`` lie.

    Returns:
        Nodes are decoded article names; attributes are categories such as
        ``History.British History``, 1 where the article or a category of it stands below.
    """
    names = _article_names(folder / ARTICLES)
    position = {name: row for row, name in enumerate(names)}
    links = _links(folder / LINKS, position)
    table, categories = _categories(folder / CATEGORIES, position)
    return Graph.from_edges(links, len(names), table, names, categories, "wikispeedia")


def directed_links(folder: Path, graph: Graph) -> sp.csr_array:
    """The links among the nodes of a graph in their own directions.

    Args:
        folder: Where the files lie.
        graph: Some of the articles.

    Returns:
        (num_nodes, num_nodes) int8: row i has a 1 in column j where article i links to j.
    """
    position = {name: row for row, name in enumerate(graph.node_names)}
    articles = {name: row for row, name in enumerate(_article_names(folder / ARTICLES))}
    rows_of = np.array([position.get(name, -1) for name in articles])
    ends = rows_of[_links(folder / LINKS, articles)]
    ends = np.unique(ends[(ends >= 0).all(axis=1) & (ends[:, 0] != ends[:, 1])], axis=0)
    ones = np.ones(len(ends), dtype=np.int8)
    return sp.csr_array((ones, (ends[:, 0], ends[:, 1])), shape=(len(graph), len(graph)))


@dataclass(frozen=True, eq=False)
class FinishedGames:
    """How many clicks finished games took, back-clicks included, beside the shortest path."""

    lengths: np.ndarray  # (num_games,) int64
    distances: np.ndarray  # (num_games,) int64: of the shortest directed path

    @property
    def ratios(self) -> np.ndarray:
        """Clicks over the shortest path, (num_games,) float64."""
        ratios: np.ndarray = self.lengths / self.distances
        return ratios

    def at(self, distance: int) -> FinishedGames:
        """The games whose shortest path has this length."""
        chosen = self.distances == distance
        return FinishedGames(self.lengths[chosen], self.distances[chosen])

    def __len__(self) -> int:
        return len(self.lengths)


@lru_cache(maxsize=2)
def finished_games(folder: Path) -> FinishedGames | None:
    """The finished games in a folder; None where it has none.

    ``finished_lengths.csv`` is read where it lies there, else ``paths_finished.tsv``, whose games
    are measured against the links.
    """
    if (folder / LENGTHS).is_file():
        return _games(_lengths(folder / LENGTHS))
    if (folder / PATHS).is_file():
        return _games(_measured_paths(folder))
    return None


def _games(pairs: Iterator[tuple[int, int]]) -> FinishedGames:
    table = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    return FinishedGames(table[:, 0], table[:, 1])


def _lengths(path: Path) -> Iterator[tuple[int, int]]:
    for number, line in data_lines(path, comments=""):
        cells = line.strip().split(",")
        if number == 1 and not cells[0].isdigit():
            continue
        if len(cells) < 2 or not all(cell.isdecimal() and len(cell) < 7 for cell in cells[:2]):
            raise DataError(f"{path}, line {number}: expected two whole numbers")
        length, distance = int(cells[0]), int(cells[1])
        if distance > 0:  # a game from an article to itself
            yield length, distance


def _measured_paths(folder: Path) -> Iterator[tuple[int, int]]:
    """Clicks and shortest directed distance of each finished path; ``<`` is a click back."""
    import scipy.sparse.csgraph as csgraph

    graph = read_wikispeedia(folder)
    links = directed_links(folder, graph)
    position = {name: row for row, name in enumerate(graph.node_names)}
    games: dict[int, list[tuple[int, int]]] = {}
    for _, line in data_lines(folder / PATHS):
        cells = line.rstrip("\r\n").split("\t")
        clicks = [decoded(cell) for cell in (cells[3] if len(cells) > 3 else "").split(";")]
        visited = [name for name in clicks if name != "<"]
        start, end = (
            (position.get(visited[place]) for place in (0, -1)) if visited else (None, None)
        )
        if start is not None and end is not None and start != end:
            games.setdefault(start, []).append((len(clicks) - 1, end))
    for source, found in games.items():
        hops = csgraph.shortest_path(links, unweighted=True, indices=source)
        yield from ((length, int(hops[end])) for length, end in found if np.isfinite(hops[end]))


def decoded(name: str) -> str:
    """An article's name as people read it."""
    return unquote(name).replace("_", " ").strip()


def _article_names(path: Path) -> list[str]:
    names = [decoded(line) for _, line in data_lines(path, comments="#")]
    repeated = first_repeated(names)
    if repeated is not None:
        raise DataError(f"{path}: the article {short_repr(repeated)} stands twice")
    return names


def _links(path: Path, position: dict[str, int]) -> np.ndarray:
    """(num_links, 2) positions, from and to."""
    ends = []
    for number, line in data_lines(path, comments="#"):
        cells = [decoded(cell) for cell in line.rstrip("\r\n").split("\t")]
        unknown = [cell for cell in cells if cell not in position]
        if len(cells) != 2 or unknown:
            what = f"{short_repr(unknown[0])} is no article" if unknown else "expected two articles"
            raise DataError(f"{path}, line {number}: {what}")
        ends.append((position[cells[0]], position[cells[1]]))
    return np.array(ends, dtype=np.int64).reshape(-1, 2)


def _categories(path: Path, position: dict[str, int]) -> tuple[sp.csr_array, list[str]]:
    """Which categories each article stands in, and their names in alphabetical order."""
    found: list[tuple[int, str]] = []
    for number, line in data_lines(path, comments="#"):
        article, tab, category = line.rstrip("\r\n").partition("\t")
        row = position.get(decoded(article))
        if row is None or not tab:
            raise DataError(f"{path}, line {number}: expected an article and its category")
        parts = decoded(category).removeprefix("subject.").split(".")
        found += [(row, ".".join(parts[: depth + 1])) for depth in range(len(parts))]
    names = sorted({name for _, name in found})
    column = {name: place for place, name in enumerate(names)}
    pairs = sorted({(row, column[name]) for row, name in found})
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    ones = np.ones(len(rows), dtype=np.float32)
    return sp.csr_array((ones, (rows, columns)), shape=(len(position), len(names))), names
