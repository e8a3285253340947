"""Thousands of damaged files: every reader either loads a graph or says in one line what is wrong.

Mutations are seeded, so a failure names the reader and the number that bring it back.
"""

import json
import logging
import random
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from garden.datasets.files import read_graph, write_graph
from garden.datasets.musae import read_musae
from garden.datasets.snap import read_snap
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


READERS = {
    "plain edge list": (written_as("g.txt"), 2000),
    "CSV edge list": (written_as("g.csv"), 2000),
    "gzipped edge list": (written_as("g.csv.gz"), 800),
    "folder": (mixed_folder, 2000),
    "SNAP": (snap, 2000),
    "MUSAE": (musae, 2000),
    "GML": (written_as("g.gml"), 800),
    "GraphML": (written_as("g.graphml"), 800),
    "NPZ": (written_as("g.npz"), 800),
    "NPZ arrays": (npz_arrays, 1000),
    "Parquet": (parquet, 300),
}


def test_fuzz__more_than_ten_thousand_files_are_tried():
    assert sum(count for _, count in READERS.values()) >= 10_000


@pytest.mark.parametrize("reader", list(READERS))
def test_fuzz__a_damaged_file_loads_or_is_refused_in_one_line(reader, tmp_path, caplog):
    caplog.set_level(logging.CRITICAL, "garden")
    write, count = READERS[reader]
    files, read = write(tmp_path)
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
