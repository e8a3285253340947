"""The one door to graphs: a spec, a path, or an object of another library becomes a Graph.

What comes out is the largest connected component, named as it was asked for.
"""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from garden.datasets.facebook import load_facebook
from garden.datasets.files import read_graph
from garden.datasets.snap import read_snap
from garden.datasets.twitch import load_musae_facebook, load_twitch
from garden.errors import GraphError, SpecError
from garden.graphs.cells import shown
from garden.graphs.convert import from_networkx, from_pyg, from_scipy
from garden.graphs.graph import Graph

_LOG = logging.getLogger("garden")

_OPTION = re.compile(r",(?=[A-Za-z_]+=)")
_GENERATOR_OPTIONS: Mapping[str, Callable[[str], float]] = {
    "n": int,
    "alpha": float,
    "beta": float,
    "d": int,
    "seed": int,
}


def load(source: Any, attributes: Any = None) -> Graph:
    """The largest connected component of a graph, wherever it comes from.

    ``source`` is a spec (``facebook:414``, ``twitch:PTBR``, ``musae-facebook``,
    ``kaiser-hilgetag:n=200,beta=0.1``, ``snap:DIR/107``), a path, a Graph, a ``networkx.Graph``,
    a PyG ``Data``, or a SciPy sparse matrix, to which ``attributes`` may be given as a table.
    """
    if attributes is not None and not sp.issparse(source):
        raise SpecError("attributes= goes with a SciPy adjacency matrix only: leave it out")
    graph = _whole_graph(source, attributes)
    if graph.num_nodes < 2 or graph.num_edges == 0:
        raise GraphError(
            f"{graph.name}: {graph.num_nodes} nodes and {graph.num_edges} edges: "
            "a graph to search needs at least one edge"
        )
    kept = graph.largest_component()
    if kept.num_nodes < graph.num_nodes:
        _LOG.info(
            "%s: the largest connected component is taken; %d of %d nodes and %d of %d edges "
            "are dropped",
            graph.name,
            graph.num_nodes - kept.num_nodes,
            graph.num_nodes,
            graph.num_edges - kept.num_edges,
            graph.num_edges,
        )
    return kept


def _whole_graph(source: Any, attributes: Any) -> Graph:
    if isinstance(source, Graph):
        return source
    if isinstance(source, Path):
        return read_graph(source)
    if isinstance(source, str):
        return replace(_graph_of_text(source), name=source)
    if sp.issparse(source):
        return from_scipy(source, attributes)
    if _comes_from(source, "networkx"):
        return from_networkx(source)
    if _comes_from(source, "torch_geometric"):
        return from_pyg(source)
    raise SpecError(
        f"cannot make a graph of a {type(source).__name__}: give a spec, a path, a Graph, "
        "a networkx.Graph, a PyG Data or a SciPy sparse matrix"
    )


def _comes_from(source: Any, package: str) -> bool:
    """Whether the object's class derives from one of this package, without importing it."""
    return any(kind.__module__.partition(".")[0] == package for kind in type(source).__mro__)


def _graph_of_text(text: str) -> Graph:
    head, colon, rest = text.partition(":")
    if head in _FAMILIES:
        return _FAMILIES[head](text, rest if colon else None)
    if _is_path(text):
        return read_graph(text)
    close = difflib.get_close_matches(head, _FAMILIES, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    raise SpecError(
        f"{shown(text)} is neither a file nor a known graph: {meant}"
        f"the known ones are {', '.join(_EXAMPLES)}, or a path"
    )


def _is_path(text: str) -> bool:
    """Whether there is such a file, or the text can only be meant as one."""
    try:
        exists = bool(text) and Path(text).exists()
    except (OSError, ValueError):
        exists = False
    return exists or (":" not in text and ("/" in text or bool(Path(text).suffix)))


def _facebook(spec: str, rest: str | None) -> Graph:
    ego, options = _parts(spec, rest, {"attributes": str})
    return load_facebook(_required(spec, ego, "facebook:414"), **options)


def _twitch(spec: str, rest: str | None) -> Graph:
    country, _ = _parts(spec, rest, {})
    return load_twitch(_required(spec, country, "twitch:PTBR"))


def _musae_facebook(spec: str, rest: str | None) -> Graph:
    if rest is not None:
        raise SpecError(f"{spec}: musae-facebook takes no options: write musae-facebook")
    return load_musae_facebook()


def _snap(spec: str, rest: str | None) -> Graph:
    prefix, options = _parts(spec, rest, {"attributes": str})
    return read_snap(_required(spec, prefix, "snap:DIR/107"), **options)


def _kaiser_hilgetag(spec: str, rest: str | None) -> Graph:
    from garden.datasets.kaiser_hilgetag import kaiser_hilgetag

    stray, options = _parts(spec, f",{rest}" if rest else "", _GENERATOR_OPTIONS)
    if stray:
        raise SpecError(f"{spec}: {stray.strip(',')!r} is no key=value, such as n=200")
    if options.get("seed", 0) < 0:
        raise SpecError(f"{spec}: seed={options['seed']}, but it must not be negative")
    return kaiser_hilgetag(**options)


def _required(spec: str, value: str, example: str) -> str:
    if not value:
        raise SpecError(f"{spec}: which graph? Write it after a colon, such as {example}")
    return value


def _parts(
    spec: str, rest: str | None, known: Mapping[str, Callable[[str], Any]]
) -> tuple[str, dict[str, Any]]:
    """What stands first after the colon, and the options that follow."""
    first, *pairs = _OPTION.split(rest or "")
    options: dict[str, Any] = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if key not in known:
            allowed = f"use {', '.join(known)}" if known else "it takes none"
            raise SpecError(f"{spec}: unknown option {key!r}: {allowed}")
        if key in options:
            raise SpecError(f"{spec}: {key} stands twice: keep one")
        try:
            options[key] = known[key](value)
        except ValueError:
            kind = "whole number" if known[key] is int else "number"
            raise SpecError(f"{spec}: {key}={value} is not a {kind}") from None
    return first, options


_FAMILIES: Mapping[str, Callable[[str, str | None], Graph]] = {
    "facebook": _facebook,
    "twitch": _twitch,
    "musae-facebook": _musae_facebook,
    "kaiser-hilgetag": _kaiser_hilgetag,
    "snap": _snap,
}
_EXAMPLES = (
    "facebook:414",
    "twitch:PTBR",
    "musae-facebook",
    "kaiser-hilgetag:n=200,beta=0.1",
    "snap:DIR/107",
)
