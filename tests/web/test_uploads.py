"""Files that people drop: what is read, what is refused, and what a refusal gives away."""

import asyncio
import gzip
import io
import zipfile

import pytest
from fastapi.testclient import TestClient

from garden.errors import DataError
from garden.web import read_upload, uploads
from garden.web.app import make_app
from garden.web.library import Library

HOME = "http://127.0.0.1:8414"
RING = "source,target\n" + "\n".join(f"n{i},n{(i + 1) % 12}" for i in range(12)) + "\n"


@pytest.fixture(scope="module")
def client():
    app = make_app(Library((), ("connection",)))
    return TestClient(app, base_url=HOME, raise_server_exceptions=False)


def sent(client, name, content):
    return client.post("/api/uploads", params={"name": name}, content=content)


def test_upload__a_good_file_is_a_graph_with_an_id_and_without_a_folder(client):
    reply = sent(client, "C:\\secret\\ring.csv", RING)
    entry = reply.json()
    assert reply.status_code == 200
    assert (entry["name"], entry["num_nodes"], entry["num_edges"]) == ("ring.csv", 12, 12)
    assert entry["id"] in [graph["id"] for graph in client.get("/api/menu").json()["graphs"]]


def test_upload__a_bad_file_is_refused_in_a_line_that_names_it_and_no_path(client):
    reply = sent(client, "ring.csv", "source,target\na,b,c,d\n")
    error = reply.json()["error"]
    assert reply.status_code == 400
    assert error.startswith("ring.csv")
    assert not {"/", "\n"} & set(error)
    assert "upload" not in error


@pytest.mark.parametrize("name", ["a.exe", "a", "a.py", ".csv.", "a.gz.gz", "../../x.so"])
def test_stored_name__kinds_that_nobody_reads_are_refused(name):
    if name == "a.gz.gz":
        assert uploads.stored_name(name) == "upload.txt.gz"
        return
    with pytest.raises(DataError, match="unknown kind"):
        uploads.stored_name(name)


def test_stored_name__never_holds_what_people_wrote():
    assert uploads.stored_name("../../etc/My Graph.CSV.gz") == "upload.csv.gz"
    assert uploads.shown_name("../a\x00\u202e<b>.csv") == "a<b>.csv"


def test_receive__more_than_the_limit_is_refused(tmp_path):
    async def chunks():
        for _ in range(4):
            yield b"x" * 10

    with pytest.raises(DataError, match="larger"):
        asyncio.run(uploads.receive(chunks(), tmp_path / "f", limit=35))
    asyncio.run(uploads.receive(chunks(), tmp_path / "f", limit=40))


def test_receive__a_sender_who_takes_long_is_refused(tmp_path):
    async def chunks():
        yield b"x"
        await asyncio.sleep(30)

    with pytest.raises(DataError, match="to arrive"):
        asyncio.run(uploads.receive(chunks(), tmp_path / "f", seconds=0.05))


def test_parsed__a_reader_that_takes_long_is_ended(tmp_path):
    (tmp_path / "upload.csv").write_text(RING)
    with pytest.raises(DataError, match="took longer"):
        uploads.parsed(tmp_path, "upload.csv", "a.csv", seconds=0.01)


@pytest.mark.parametrize("kind", ["gz", "zip"])
def test_check_unpacked__a_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(read_upload, "MAX_UNPACKED", 1 << 20)
    path = tmp_path / f"bomb.{kind}"
    if kind == "gz":
        path.write_bytes(gzip.compress(b"0" * (4 << 20)))
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("edges.csv", b"0" * (4 << 20))
    assert path.stat().st_size < 100_000
    with pytest.raises(DataError, match="unpacks to more"):
        read_upload.check_unpacked(path)


def test_upload__a_zipped_folder_brings_attributes(client):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("mine/edges.csv", RING)
        nodes = "node,kind\n" + "".join(f"n{i},{'ab'[i % 2]}\n" for i in range(12))
        archive.writestr("mine/nodes.csv", nodes)
        archive.writestr("../../evil.csv", "x")
    entry = sent(client, "mine.zip", stream.getvalue()).json()
    picture = client.get(f"/api/graphs/{entry['id']}").json()
    assert len(picture["attribute_names"]) == 2


def test_upload__hostile_names_come_back_as_they_were(client):
    names = ["<script>alert(1)</script>", "<img src=x onerror=alert(2)>", "plain", "other"]
    pairs = zip(names, names[1:] + names[:1], strict=True)
    rows = "".join(f'"{a}","{b}"\n' for a, b in pairs)
    entry = sent(client, "<b>x.csv", "source,target\n" + rows).json()
    reply = client.get(f"/api/graphs/{entry['id']}")
    assert set(reply.json()["names"]) == set(names)
    assert entry["name"] == "<b>x.csv"
    assert reply.headers["content-type"] == "application/json"


UNCLEAR = "who,whom,when\n" + "\n".join(f"{i},{(i + 1) % 9},{(i + 2) % 9}" for i in range(9))


def test_upload__with_unclear_columns_asks_which_are_meant_and_takes_the_answer(client):
    reply = sent(client, "mine.csv", UNCLEAR)
    said = reply.json()
    assert reply.status_code == 400
    assert said["columns"] == ["who", "whom", "when"]
    assert said["arguments"] == ["source_column", "target_column"]
    assert said["error"].startswith("mine.csv")
    assert "column" not in said["error"].replace("columns", "")
    meant = {"name": "mine.csv", "source_column": "who", "target_column": "when"}
    entry = client.post("/api/uploads", params=meant, content=UNCLEAR).json()
    assert (entry["num_nodes"], entry["num_edges"]) == (9, 9)


def test_upload__without_a_header_that_helps_offers_its_first_line(client):
    lines = "\n".join(f"n{i},n{(i + 1) % 9},n{(i + 2) % 9},x" for i in range(9))
    said = sent(client, "mine.csv", "a,b,c,d\n" + lines).json()
    assert said["columns"] == ["a", "b", "c", "d"]
    assert "source_column" not in said["error"]


def test_upload__tells_of_scaled_numbers_without_the_words_of_a_function(client):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("edges.csv", RING)
        nodes = "node,height\n" + "".join(f"n{i},{i * 1.5}\n" for i in range(12))
        archive.writestr("nodes.csv", nodes)
    (message,) = sent(client, "mine.zip", stream.getvalue()).json()["messages"]
    assert "scaled" in message
    assert "`" not in message
    assert "scale=" not in message
