"""One walk as a single file: the page's own scripts and styles around the data of one trip.

The file opens from a disk and asks nobody for anything; its content policy names its script and its
style by hash.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel

from garden.errors import DataError
from garden.resolve import contender_named
from garden.routing import RoutedMessage
from garden.search.walk import Choice
from garden.storage import write_text
from garden.web import schemas, trips
from garden.web.library import player_on, without_folder
from garden.web.pictures import picture_of

STATIC = Path(__file__).parent / "static"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="walk-file" data-view="watch">
<header class="top">
<p class="brand"><span class="brand-mark" aria-hidden="true"></span>garden</p>
</header>
<main id="main">
<section id="picture" class="picture" aria-label="The graph">
<div id="stage" class="stage"></div>
<div id="legend" class="legend"></div>
<div id="transport" class="transport"></div>
</section>
<section id="panel" class="panel" aria-label="What happens" tabindex="-1"></section>
</main>
<script type="application/json" id="walk-data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


class WalkFile(BaseModel):
    """What a stored page holds: the picture of a graph and one walk on it."""

    graph: schemas.GraphPicture
    walk: schemas.Walk


def write_walk_file(path: Path, message: RoutedMessage, choices: Sequence[Choice]) -> None:
    """Write a walk as one page.

    Args:
        path: The file.
        message: The message that was routed.
        choices: What each of its holders chose from, as ``garden.route(watch=…)`` told.
    """
    write_text(path, walk_page(walk_data(message, choices)))


def walk_data(message: RoutedMessage, choices: Sequence[Choice]) -> WalkFile:
    """The graph as it is drawn, and the walk with what its holders saw.

    Args:
        message: The message that was routed.
        choices: What each of its holders chose from.
    """
    graph, name = message.graph, message.strategy
    contender = contender_named(name)
    player = player_on(graph, contender) if contender.strategy.knows == "gossip" else None
    source = message.walk.nodes[0]
    walk = schemas.Walk(
        graph="g0",
        strategy="s0",
        label=without_folder(name),
        memory=message.memory,
        knows=contender.strategy.knows,
        source=source,
        target=message.target,
        path=list(message.walk.nodes),
        hops=trips.hops_of(graph, player, choices),
        delivered=message.delivered,
        distance=message.distance,
        shortest_path=trips.shortest_path(graph, source, message.target),
        max_hops=message.max_hops,
        rounds=0 if player is None else player.rounds,
    )
    return WalkFile(graph=picture_of(graph, "g0", without_folder(graph.name)), walk=walk)


def walk_page(content: WalkFile) -> str:
    """The text of the file."""
    script = (STATIC / "walk.js").read_text(encoding="utf-8")
    style = (STATIC / "page.css").read_text(encoding="utf-8")
    if "</script" in script.lower() or "</style" in style.lower():
        raise DataError("the page's own script cannot stand in a file: build it anew")
    data = content.model_dump_json().replace("<", "\\u003c")  # no text of a graph ends the script
    walk = content.walk
    names = content.graph.names
    title = f"{names[walk.source]} to {names[walk.target]}, by {walk.label}"
    return _PAGE.format(
        policy=content_policy(script, style),
        title=html.escape(title),
        style=style,
        data=data,
        script=script,
    )


def content_policy(script: str, style: str) -> str:
    """What the file may load and run: its own script and style, by hash.

    Args:
        script: The text of the script that the file holds.
        style: That of its style.
    """
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
