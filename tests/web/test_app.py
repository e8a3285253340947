import asyncio
import json

import pytest
from fastapi.testclient import TestClient

from garden.graphs.graph import Graph
from garden.web.app import make_app
from garden.web.library import Library
from garden.web.security import CONTENT_POLICY, MAX_BODY, BodyLimit

HOME = "http://127.0.0.1:8414"


@pytest.fixture(scope="module")
def library():
    library = Library((), ("connection", "random", "beacons"))
    path = Graph.from_edges(
        __import__("numpy").array([(0, 1), (1, 2), (2, 3)]),
        4,
        node_names=["<script>alert(1)</script>", "b", "c", "d"],
    )
    library.add_upload("path", path)
    return library


@pytest.fixture(scope="module")
def client(library):
    return TestClient(make_app(library), base_url=HOME, raise_server_exceptions=False)


def test_menu__ids_are_handed_out_by_the_server(client):
    menu = client.get("/api/menu").json()
    assert [graph["id"] for graph in menu["graphs"]] == ["g0", "g1"]
    assert [(one["id"], one["knows"]) for one in menu["strategies"]] == [
        ("s0", "ego"),
        ("s1", "ego"),
        ("s2", "gossip"),
    ]


def test_walk__a_path_of_four_nodes_is_walked_to_its_end(client):
    asked = {"graph": "g1", "strategy": "s2", "source": 0, "target": 3}
    walk = client.post("/api/walks", json=asked).json()
    assert walk["path"] == walk["shortest_path"] == [0, 1, 2, 3]
    assert walk["distance"] == 3
    assert walk["hops"][1]["candidates"] == [0, 2]
    assert sum(walk["hops"][1]["probabilities"]) == pytest.approx(1)
    assert walk["hops"][0]["seen"] == [0, 1, 2]


def test_values__distances_on_a_path_are_its_positions(client):
    asked = {"kind": "distance", "strategy": "s0", "target": 0}
    assert client.get("/api/graphs/g1/values", params=asked).json()["values"] == [0, 1, 2, 3]


def test_names__markup_in_a_name_is_sent_as_text(client):
    reply = client.get("/api/graphs/g1/nodes/0")
    assert reply.json()["name"] == "<script>alert(1)</script>"
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_comparison__each_pair_gives_a_standing_and_the_stream_says_its_end(client):
    asked = {"graph": "g1", "strategies": "s1,s2", "pairs": 3}
    events = client.get("/api/comparisons", params=asked).text.strip().split("\n\n")
    assert len(events) == 7
    assert events[-1] == "event: end\ndata: {}"
    last = json.loads(events[-2].removeprefix("data: "))
    assert (last["strategy"], last["pairs_done"], last["oracle_ratio"]) == ("s2", 3, 1.0)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:8414"}, 200),
        ({"host": "evil.example"}, 403),
        ({"host": ""}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": HOME}, 200),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
    ],
)
def test_gatekeeper__other_sites_and_other_names_are_refused(client, headers, status):
    reply = client.get("/api/menu", headers=headers)
    assert reply.status_code == status
    assert reply.headers["content-security-policy"] == CONTENT_POLICY


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/api/graphs/etc", "/api/results/a/b.png"])
def test_replies__what_is_not_there_gives_one_line(client, path):
    reply = client.get(path)
    assert reply.status_code == 404
    assert "\n" not in reply.json()["error"]


@pytest.mark.parametrize("graph", ["facebook:414", "../etc/passwd", "os:system", "g99"])
def test_walk__specs_paths_and_dotted_names_are_no_ids(client, graph):
    asked = {"graph": graph, "strategy": "s0", "source": 0, "target": 1}
    assert client.post("/api/walks", json=asked).status_code in (404, 422)


def test_failure__a_crash_gives_no_traceback_and_leaves_the_server_up(library, monkeypatch):
    monkeypatch.setattr("garden.web.pictures.picture", lambda *_: 1 / 0)
    client = TestClient(make_app(library), base_url=HOME, raise_server_exceptions=False)
    reply = client.get("/api/graphs/g1")
    assert (reply.status_code, list(reply.json())) == (500, ["error"])
    assert "ZeroDivision" not in reply.text
    assert client.get("/api/menu").status_code == 200


def chunks(sent, size=1 << 16, count=400):
    """A body in parts that does not say how long it is; notes how much of it was read."""
    for _ in range(count):
        sent.append(size)
        yield b" " * size


@pytest.mark.parametrize("path", ["/api/walks", "/api/games", "/api/jobs", "/api/none"])
def test_body__of_more_than_a_megabyte_is_refused_before_it_is_parsed(client, path):
    reply = client.post(path, content=b" " * (MAX_BODY + 1))
    assert (reply.status_code, reply.json()) == (413, {"error": "the request is larger than 1 MB"})
    assert reply.headers["content-security-policy"] == CONTENT_POLICY


def test_body__that_does_not_say_its_length_is_read_no_further_than_the_limit(library):
    async def app(scope, receive, send):
        raise AssertionError("the application was asked")

    async def ask():
        parts, replies = chunks(sent := []), []

        async def receive():
            return {"type": "http.request", "body": next(parts), "more_body": True}

        async def send(message):
            replies.append(message)

        scope = {"type": "http", "path": "/api/walks", "headers": []}
        await BodyLimit(app)(scope, receive, send)
        return sum(sent), replies[0]["status"]

    read, status = asyncio.run(ask())
    assert status == 413
    assert MAX_BODY < read <= MAX_BODY + (1 << 16)


def test_body__a_small_one_arrives_in_parts_and_files_have_limits_of_their_own(client):
    body = b'{"graph": "g1", "strategy": "s1", "source": 0, "target": 3}'
    parts = (body[at : at + 5] for at in range(0, len(body), 5))
    json_type = {"content-type": "application/json"}
    assert client.post("/api/walks", content=parts, headers=json_type).status_code == 200
    large = b"a,b\n" * (MAX_BODY // 4) + b"b,c\n"
    assert client.post("/api/uploads?name=x.csv", content=large).status_code == 200


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{,}", "the request is no JSON"),
        ("[1]", "the request: input should be a valid dictionary or object to extract fields from"),
        ('{"graph": "g1"}', "strategy: field required"),
    ],
)
def test_bad_request__is_told_in_words(client, body, said):
    reply = client.post("/api/walks", content=body, headers={"content-type": "application/json"})
    assert (reply.status_code, reply.json()) == (422, {"error": said})


def test_default_strategies__the_first_that_works_without_attributes_is_beacons():
    entries = [shelf.entry() for shelf in Library().strategies.values()]
    assert entries[0].needs_attributes
    assert next(one.name for one in entries if not one.needs_attributes) == "beacons"
