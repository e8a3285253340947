import errno
import io
import logging
import socket
import tarfile
import threading
import zipfile
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from garden.datasets.catalogue import DATASETS
from garden.datasets.fetch import fetch_dataset
from garden.datasets.snap import find_dataset, load_public_graph
from garden.datasets.spec import load
from garden.errors import DataError, SpecError

EGO = {
    "facebook/414.edges": b"1 2\n2 3\n",
    "facebook/414.feat": b"1 0 1\n2 1 1\n3 0 0\n",
    "facebook/414.featnames": b"0 a\n1 b\n",
    "facebook/414.circles": b"not needed",
    "readme.txt": b"not needed",
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GARDEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("GARDEN_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    return tmp_path / "cache"


@pytest.fixture
def site(tmp_path):
    """A folder and the address under which a local server offers it."""
    folder = tmp_path / "site"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Facebook's entry with the content of a toy ego network pinned instead of the real ones."""
    for name, content in EGO.items():
        path = tmp_path / "toy" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    graph = load_public_graph("facebook", "414", folder=tmp_path / "toy" / "facebook")
    pinned = replace(DATASETS["facebook"], hashes={"414": graph.content_hash})
    monkeypatch.setitem(DATASETS, "facebook", pinned)
    return graph


def write_tar(path, files):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


def write_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)


def refuse(cache, name, url, message):
    with pytest.raises(DataError, match=message) as caught:
        fetch_dataset(name, url)
    assert "\n" not in str(caught.value)
    assert not list(cache.iterdir())


def test_fetch__an_archive_becomes_a_folder_of_the_needed_files(site, toy, cache):
    folder, address = site
    write_tar(folder / "f.tar.gz", EGO)
    place = fetch_dataset("facebook", f"{address}/f.tar.gz")
    assert place == cache / "facebook"
    assert sorted(file.name for file in place.iterdir()) == [
        "414.edges",
        "414.feat",
        "414.featnames",
    ]
    assert list(cache.iterdir()) == [place]
    assert load_public_graph("facebook", "414").content_hash == toy.content_hash


def test_fetch__a_zip_serves_as_well_and_replaces_what_was_there(site, toy, cache):
    folder, address = site
    (cache / "facebook").mkdir(parents=True)
    (cache / "facebook" / "old").touch()
    write_zip(folder / "f.zip", EGO)
    place = fetch_dataset("facebook", f"{address}/f.zip")
    assert not (place / "old").exists()
    assert list(cache.iterdir()) == [place]


def test_fetch__the_real_graphs_pass_in_upstream_packing(site, real_data):
    folder, address = site
    egos = {f"facebook/{file.name}": file.read_bytes() for file in real_data.glob("facebook/*.*")}
    write_tar(folder / "f.tar.gz", egos)
    fetch_dataset("facebook", f"{address}/f.tar.gz")
    assert load("facebook:3437").num_nodes == 532
    countries = {}
    for country in ("PTBR", "RU", "ES"):
        stem = f"twitch/{country}/musae_{country}"
        here = real_data / "twitch"
        countries[f"{stem}_edges.csv"] = (here / f"{country}_edges.csv").read_bytes()
        countries[f"{stem}_features.json"] = (here / f"{country}.json").read_bytes()
    write_zip(folder / "t.zip", countries)
    fetch_dataset("twitch", f"{address}/t.zip")
    assert load_public_graph("twitch", "RU").num_nodes == 4385
    here = real_data / "musae_facebook"
    pages = {
        "facebook_large/musae_facebook_edges.csv": (here / "facebook_edges.csv").read_bytes(),
        "facebook_large/musae_facebook_features.json": (here / "facebook.json").read_bytes(),
    }
    write_zip(folder / "p.zip", pages)
    assert (
        fetch_dataset("musae-facebook", f"{address}/p.zip") / "musae_facebook_edges.csv"
    ).is_file()


def test_fetch__another_content_is_refused_by_name(site, toy, cache):
    folder, address = site
    write_tar(folder / "f.tar.gz", EGO | {"facebook/414.feat": b"1 0 1\n2 1 1\n3 1 0\n"})
    refuse(cache, "facebook", f"{address}/f.tar.gz", "facebook:414 is not the graph")


def test_fetch__a_failure_leaves_an_earlier_copy_alone(site, toy, cache):
    folder, address = site
    write_tar(folder / "good.tar.gz", EGO)
    write_tar(folder / "bad.tar.gz", EGO | {"facebook/414.edges": b"1 3\n3 2\n"})
    fetch_dataset("facebook", f"{address}/good.tar.gz")
    with pytest.raises(DataError):
        fetch_dataset("facebook", f"{address}/bad.tar.gz")
    assert load_public_graph("facebook", "414").content_hash == toy.content_hash
    assert [entry.name for entry in cache.iterdir()] == ["facebook"]


def test_fetch__an_archive_without_a_pinned_graph_is_refused(site, toy, cache):
    folder, address = site
    write_tar(folder / "f.tar.gz", {"readme.txt": b"empty"})
    refuse(cache, "facebook", f"{address}/f.tar.gz", "lacks the graph facebook:414")


def test_fetch__a_pinned_graph_that_cannot_be_read_is_refused(site, toy, cache):
    folder, address = site
    write_tar(folder / "f.tar.gz", EGO | {"facebook/414.feat": b"1 0 1\n2 1\n"})
    refuse(
        cache, "facebook", f"{address}/f.tar.gz", r"facebook:414 cannot be read \(414\.feat, line 2"
    )


def test_fetch__a_graph_that_is_not_pinned_may_be_defective_aloud(site, toy, cache, caplog):
    folder, address = site
    write_tar(folder / "f.tar.gz", EGO | {"facebook/107.edges": b"1 x\n"})
    with caplog.at_level(logging.WARNING, "garden"):
        fetch_dataset("facebook", f"{address}/f.tar.gz")
    assert "facebook:107 cannot be read" in caplog.text
    with pytest.raises(DataError, match=r"107\.edges, line 1"):
        load_public_graph("facebook", "107")


@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_fetch__damaged_archives_are_refused(site, toy, cache, kind):
    folder, address = site
    path = folder / f"f.{kind}"
    long = EGO | {"facebook/414.feat": EGO["facebook/414.feat"] + b"4 0 1\n" * 9999}
    (write_tar if kind == "tar.gz" else write_zip)(path, long)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    refuse(cache, "facebook", f"{address}/f.{kind}", "damaged archive|cannot be unpacked")
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes(32) + whole[middle + 32 :])
    refuse(cache, "facebook", f"{address}/f.{kind}", "damaged archive|cannot be unpacked|read")
    path.write_bytes(b"<html>moved</html>")
    refuse(cache, "facebook", f"{address}/f.{kind}", "damaged archive")


@pytest.mark.parametrize(
    "name", ["../414.edges", "/tmp/414.edges", "a/../../414.edges", "..\\414.edges"]
)
@pytest.mark.parametrize("write", [write_tar, write_zip])
def test_fetch__members_that_point_outside_are_refused(site, toy, cache, tmp_path, name, write):
    folder, address = site
    write(folder / "f", {name: b"1 2\n", **EGO})
    refuse(cache, "facebook", f"{address}/f", "names a file outside itself")
    assert not (tmp_path / "414.edges").exists()


def test_fetch__links_are_not_followed(site, toy, cache):
    folder, address = site
    with tarfile.open(folder / "f.tar.gz", "w:gz") as archive:
        link = tarfile.TarInfo("facebook/414.edges")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    refuse(cache, "facebook", f"{address}/f.tar.gz", "lacks the graph")


def test_fetch__a_file_that_stands_twice_is_refused(site, toy, cache):
    folder, address = site
    write_tar(folder / "f.tar.gz", EGO | {"copy/414.edges": b"1 2\n"})
    refuse(cache, "facebook", f"{address}/f.tar.gz", "holds '414.edges' twice")


def test_fetch__a_missing_page_is_said_so(site, cache):
    _, address = site
    refuse(cache, "facebook", f"{address}/none.tar.gz", "HTTP status 404.*GARDEN_DATA")


def test_fetch__without_a_connection_the_way_out_is_named(cache):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: connections are refused
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/f.tar.gz"
        refuse(cache, "facebook", url, "no connection.*GARDEN_DATA.*--url")


def test_fetch__a_full_disk_is_not_taken_for_a_lost_connection(site, toy, cache, monkeypatch):
    folder, address = site
    write_tar(folder / "f.tar.gz", EGO)

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("pooch.HTTPDownloader.__call__", fail)
        refuse(cache, "facebook", f"{address}/f.tar.gz", "No space left on device")
    monkeypatch.setattr("garden.datasets.fetch._write_member", fail)
    refuse(cache, "facebook", f"{address}/f.tar.gz", r"cannot be written \(No space left")


def test_fetch__an_address_of_another_kind_is_refused(cache):
    refuse(cache, "facebook", "nonsense", "cannot be downloaded")


def test_find__given_data_come_before_the_cache_and_the_cache_before_the_net(
    toy, cache, tmp_path, site, monkeypatch
):
    folder, address = site
    write_tar(folder / "f.tar.gz", EGO)
    served = replace(DATASETS["facebook"], url=f"{address}/f.tar.gz")
    monkeypatch.setitem(DATASETS, "facebook", served)
    assert find_dataset("facebook", "414") == cache / "facebook"  # fetched
    (folder / "f.tar.gz").unlink()
    assert find_dataset("facebook", "414") == cache / "facebook"  # found
    monkeypatch.setenv("GARDEN_DATA", str(tmp_path / "toy"))
    assert find_dataset("facebook", "414") == tmp_path / "toy" / "facebook"
    (tmp_path / "toy" / "facebook" / "414.edges").unlink()
    assert find_dataset("facebook", "414") == cache / "facebook"


def test_find__given_data_without_the_graph_are_said_so(toy, tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "garden")
    monkeypatch.setenv("GARDEN_DATA", str(tmp_path / "empty"))
    with pytest.raises(SpecError):
        find_dataset("facebook", "9")
    assert "GARDEN_DATA is set, but has no such graph" in caplog.text


def test_find__long_names_are_shortened():
    with pytest.raises(SpecError) as caught:
        find_dataset("facebook", "9" * 200)
    assert len(str(caught.value)) < 150
    with pytest.raises(DataError, match="File name too long") as caught:
        find_dataset("facebook", "9" * 5000)
    assert len(str(caught.value)) < 300


def test_find__a_cache_that_cannot_be_used_is_said_so(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("GARDEN_CACHE", str(tmp_path / "file"))
    with pytest.raises(DataError, match=r"the cache cannot be used.*GARDEN_CACHE") as caught:
        find_dataset("facebook")
    assert "\n" not in str(caught.value)


def test_find__unknown_names_list_the_known_ones():
    with pytest.raises(SpecError, match="the datasets are facebook, twitch, musae-facebook"):
        find_dataset("karate")
    with pytest.raises(SpecError, match="facebook has 414"):
        find_dataset("facebook", "9")


def test_catalogue__every_entry_can_be_listed():
    for name, dataset in DATASETS.items():
        assert dataset.name == name
        assert dataset.url.startswith("https://")
        assert dataset.specs
        assert dataset.description
        assert dataset.citation
        assert set(dataset.hashes) <= set(dataset.members)
