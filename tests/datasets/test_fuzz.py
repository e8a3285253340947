"""Thousands of damaged files: every reader either loads a graph or says in one line what is wrong.

Mutations are seeded, so a failure names the reader and the number that bring it back. The default
suite tries a few hundred files of each kind, ``make test-slow`` ten thousand.
"""

import json
import logging
import random
import time
import zipfile
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from garden.datasets.files import read_graph, write_graph
from garden.datasets.musae import read_musae
from garden.datasets.snap import read_snap
from garden.datasets.spec import load
from garden.errors import GardenError
from garden.graphs.graph import Graph

TOKENS = [
    b"nan", b"inf", b"-1", b"1e999", b"9" * 400, b"18446744073709551616", b"", b" ", b",", b'"',
    b"\n", b"\r", b"\0", b"\xff", b"#", b"{", b"[", b"]", b"<", b"&", b"true", b"node", b"source",
]  # fmt: skip


def flip_bytes(data, rng):
    mutable = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        if mutable:
            mutable[rng.randrange(len(mutable))] = rng.randrange(256)
    return bytes(mutable)


def truncate(data, rng):
    return data[: rng.randrange(len(data) + 1)]


def insert_token(data, rng):
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice(TOKENS) + data[place:]


def delete_line(data, rng):
    lines = data.splitlines(keepends=True)
    if lines:
        del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def repeat_line(data, rng):
    lines = data.splitlines(keepends=True)
    if lines:
        lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"".join(lines)


def swap_tokens(data, rng):
    tokens = data.split(b" ") if b" " in data else data.split(b",")
    first, second = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    tokens[first], tokens[second] = tokens[second], tokens[first]
    return (b" " if b" " in data else b",").join(tokens)


def replace_token(data, rng):
    start = rng.randrange(len(data) + 1)
    return data[:start] + rng.choice(TOKENS) + data[start + rng.randint(1, 6) :]


MUTATIONS = [
    flip_bytes, truncate, insert_token, delete_line, repeat_line, swap_tokens, replace_token,
]  # fmt: skip


def toy(num_nodes=6):
    rng = np.random.default_rng(0)
    edges = np.array([[node, (node + 1) % num_nodes] for node in range(num_nodes)])
    table = rng.integers(0, 3, size=(num_nodes, 3)).astype(np.float32)
    return Graph.from_edges(edges, num_nodes, table, attribute_names=["a", "b=c", "d"])


def written_as(name):
    def write(folder):
        write_graph(toy(), folder / name)
        files = sorted((folder / name).iterdir()) if (folder / name).is_dir() else [folder / name]
        return files, lambda: read_graph(folder / name)

    return write


def snap(folder):
    texts = {
        "edges": "1 2\n2 1\n2 3\n3 4\n",
        "feat": "1 0 1\n2 1 1\n3 0 0\n4 1 0\n",
        "featnames": "0 birthday;anonymized feature 2\n1 gender;7\n",
    }
    for kind, text in texts.items():
        (folder / f"7.{kind}").write_text(text)
    return [folder / f"7.{kind}" for kind in texts], lambda: read_snap(folder / "7")


def musae(folder):
    files = [folder / "XX_edges.csv", folder / "XX.json"]
    files[0].write_text("from,to\n1,2\n2,3\n3,4\n")
    files[1].write_text(json.dumps({"1": [0, 2], "2": [], "3": [1], "4": [4, 0]}))
    return files, lambda: read_musae(*files, width=5)


def npz_arrays(folder):
    """Damage within the arrays, under checksums that hold."""
    write_graph(toy(), folder / "g.npz")
    with zipfile.ZipFile(folder / "g.npz") as archive:
        archive.extractall(folder / "arrays")
    files = sorted((folder / "arrays").iterdir())

    def read():
        with zipfile.ZipFile(folder / "g.npz", "w") as archive:
            for file in files:
                archive.write(file, file.name)
        return read_graph(folder / "g.npz")

    return files, read


def mixed_folder(folder):
    files = [folder / "edges.csv", folder / "nodes.csv"]
    files[0].write_text('source,target,weight\na,b,1\nb,"c, d",2\n"c, d",e,3\n')
    files[1].write_text('node,age,kind,tame\na,1,cat,true\nb,2.5,dog,false\n"c, d",,cat,TRUE\n')
    return files, lambda: read_graph(folder)


def parquet(folder):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    files = [folder / "edges.parquet", folder / "nodes.parquet"]
    pq.write_table(pa.table({"source": [1, 2], "target": [2, 3]}), files[0])
    pq.write_table(pa.table({"node": [1, 2, 3], "kind": ["cat", None, "dog"]}), files[1])
    return files, lambda: read_graph(folder)


def parquet_edges(folder):
    pd = pytest.importorskip("pandas", reason="pandas is absent")
    pytest.importorskip("pyarrow", reason="pyarrow is absent")
    frame = pd.DataFrame({"who": [1, 2, 3], "whom": [2, 3, 1], "weight": [0.5, 1.5, None]})
    frame.to_parquet(folder / "g.parquet")
    return [folder / "g.parquet"], lambda: load(folder / "g.parquet")


def musae_folder(folder):
    (folder / "musae_XX_edges.csv").write_text("id_1,id_2\n1,2\n2,3\n3,4\n")
    (folder / "musae_XX_features.json").write_text('{"1": [0, 2], "2": [], "3": [1], "4": [4, 0]}')
    (folder / "musae_XX_target.csv").write_text("id,target\n1,0\n2,1\n")
    files = sorted(folder.iterdir())[:2]
    return files, lambda: load(folder)


def node_link(folder):
    nodes = [{"id": name, "age": age} for name, age in zip("abcd", [1, 2.5, None, 4], strict=True)]
    links = [{"source": a, "target": b, "weight": 2} for a, b in ("ab", "bc", "cd", "ca")]
    content = {"directed": True, "multigraph": False, "graph": {}, "nodes": nodes, "links": links}
    (folder / "g.json").write_text(json.dumps(content, indent=1))
    return [folder / "g.json"], lambda: load(folder / "g.json")


def gexf(folder):
    nx_graph = nx.Graph()
    nx_graph.add_node("a", age=3, kind="cat")
    nx_graph.add_node("b", age=4, kind="dog", label="B")
    nx_graph.add_edge("a", "b", weight=2.0)
    nx.write_gexf(nx_graph, folder / "g.gexf")
    return [folder / "g.gexf"], lambda: load(folder / "g.gexf")


def named_columns(folder):
    files = [folder / "g.csv", folder / "n.csv"]
    files[0].write_text("when,who,whom\n1,a,b\n2,b,c\n3,c,d\n")
    files[1].write_text("uid,age,kind\na,1,cat\nb,,dog\nc,2.5,\n")
    columns = {"source_column": "who", "target_column": "whom", "node_column": "uid"}
    return files, lambda: load(files[0], files[1], **columns)


def unknown_kind(folder):
    content = b"\x89PNG\r\n\x1a\n" + bytes(range(200)) + b"a b\nb c\n" * 3
    (folder / "g.dat").write_bytes(content)

    def read():
        if (folder / "g.dat").read_bytes() == content:
            return toy()  # the file as it is has no graph
        return load(folder / "g.dat")

    return [folder / "g.dat"], read


READERS = {  # how many damaged files of each are tried by default: seconds in all
    "plain edge list": (written_as("g.txt"), 600),
    "CSV edge list": (written_as("g.csv"), 600),
    "gzipped edge list": (written_as("g.csv.gz"), 300),
    "folder": (mixed_folder, 600),
    "named columns": (named_columns, 600),
    "SNAP": (snap, 600),
    "MUSAE": (musae, 400),
    "MUSAE folder": (musae_folder, 400),
    "GML": (written_as("g.gml"), 200),
    "GraphML": (written_as("g.graphml"), 200),
    "GEXF": (gexf, 300),
    "node-link JSON": (node_link, 500),
    "NPZ": (written_as("g.npz"), 300),
    "NPZ arrays": (npz_arrays, 300),
    "Parquet": (parquet, 100),
    "Parquet edge list": (parquet_edges, 200),
    "unknown kind": (unknown_kind, 200),
}
SLOW_COUNT = 10_000


@pytest.mark.parametrize("reader", list(READERS))
def test_fuzz__a_damaged_file_loads_or_is_refused_in_one_line(reader, tmp_path, caplog):
    caplog.set_level(logging.CRITICAL, "garden")
    try_damaged_files(reader, READERS[reader][1], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("reader", list(READERS))
def test_fuzz__ten_thousand_damaged_files_of_each_kind(reader, tmp_path, caplog):
    caplog.set_level(logging.CRITICAL, "garden")
    try_damaged_files(reader, SLOW_COUNT, tmp_path)


def try_damaged_files(reader, count, folder):
    write, _ = READERS[reader]
    files, read = write(folder)
    originals = [file.read_bytes() for file in files]
    assert isinstance(read(), Graph)
    num_refused = 0
    for number in range(count):
        rng = random.Random(f"{reader} {number}")
        damage_one(files, originals, rng)
        started = time.monotonic()
        num_refused += was_refused(read, f"{reader} {number}")
        assert time.monotonic() - started < 10, f"{reader} {number} hangs"
    assert 0 < num_refused < count


def damage_one(files: list[Path], originals: list[bytes], rng: random.Random) -> None:
    for file, original in zip(files, originals, strict=True):
        file.write_bytes(original)
    place = rng.randrange(len(files))
    data = originals[place]
    for _ in range(rng.choice([1, 1, 2, 3])):
        data = rng.choice(MUTATIONS)(data, rng)
    files[place].write_bytes(data)


def was_refused(read, label: str) -> bool:
    message = ""
    try:
        read()
    except GardenError as error:
        message = str(error)
    except Exception as error:
        raise AssertionError(f"{label}: {type(error).__name__}: {error}") from error
    assert "\n" not in message, label
    return bool(message)
