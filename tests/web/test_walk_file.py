"""One walk as a single file: what it holds, and that nothing in it runs but its own script."""

import base64
import hashlib
import json
import re

import numpy as np
import pytest

import garden
from garden.cli.main import main
from garden.graphs.graph import Graph
from garden.web.walk_file import content_policy, walk_data, walk_page

HOSTILE = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def page():
    path = Graph.from_edges(np.array([(0, 1), (1, 2)]), 3, node_names=[HOSTILE, "b", "c"])
    choices, ends = [], {"source": HOSTILE, "target": "c"}
    message = garden.route(path, "connection+visited", **ends, watch=choices.append)
    return walk_page(walk_data(message, choices))


def data_of(page):
    found = re.search(r'<script type="application/json" id="walk-data">(.*?)</script>', page)
    return json.loads(found[1])


def test_walk_page__holds_the_graph_and_each_choice(page):
    data = data_of(page)
    assert data["walk"]["path"] == [0, 1, 2]
    assert data["walk"]["hops"][1]["candidates"] == [0, 2]
    assert data["graph"]["names"][0] == HOSTILE


def test_walk_page__names_from_a_graph_end_no_script(page):
    assert page.count("<script") == 2
    assert HOSTILE not in page


def test_walk_page__its_policy_names_what_it_holds_and_nothing_else(page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    assert policy == content_policy(script, style)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors" not in policy


def test_walk_page__asks_nobody_for_anything(page):
    tags = re.findall(r"<(?:link|img|iframe|script|style)\b[^>]*>", page)
    assert not [tag for tag in tags if "src=" in tag or "href=" in tag]


def test_route__writes_the_file(tmp_path, capsys):
    edges = tmp_path / "edges.csv"
    edges.write_text("source,target\na,b\nb,c\nc,d\n")
    out = tmp_path / "walk.html"
    words = ["--strategy", "beacons", "--source", "a", "--target", "d", "--html", str(out)]
    main(["route", str(edges), *words])
    data = data_of(out.read_text())
    assert data["graph"]["name"] == "edges.csv"
    assert data["walk"]["knows"] == "gossip"
    assert data["walk"]["hops"][0]["heard"] is not None
    assert str(tmp_path) not in out.read_text()
