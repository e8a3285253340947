import os
import threading
from pathlib import Path

import pytest

from garden.errors import DataError
from garden.storage import check_writable, write_file, write_text


def test_write_text__replaces_a_file_and_leaves_nothing_beside_it(tmp_path):
    path = tmp_path / "deep" / "file.txt"
    write_text(path, "one")
    write_text(path, "two")
    assert path.read_text() == "two"
    assert list(path.parent.iterdir()) == [path]


def test_write_text__follows_a_link_and_keeps_it(tmp_path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "real" / "file.txt")
    for text in ("made", "replaced"):
        write_text(link, text)
        assert link.is_symlink()
        assert (tmp_path / "real" / "file.txt").read_text() == text


def test_write_text__goes_through_a_pipe_that_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through")
    reader.join()
    assert read == ["through"]
    assert pipe.is_fifo()


def test_write_text__a_device_stays_a_device():
    check_writable(Path(os.devnull))
    write_text(Path(os.devnull), "gone")
    assert Path(os.devnull).is_char_device()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_write_text__a_full_device_is_one_line():
    with pytest.raises(DataError, match=r"/dev/full: cannot be written"):
        write_text(Path("/dev/full"), "too much")


@pytest.mark.parametrize("name", ["", ".", "/", "..", "folder"])
def test_write_text__a_folder_is_refused_in_one_line(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for refuse in (lambda path: write_text(path, "text"), check_writable):
        with pytest.raises(DataError, match="it is a folder"):
            refuse(Path(name))


@pytest.mark.parametrize("name", ["n" * 250, "n." + "s" * 248, "n" * 246 + ".npz"])
def test_write_text__the_longest_names_work(tmp_path, name):
    check_writable(tmp_path / name)
    write_text(tmp_path / name, "text")
    assert (tmp_path / name).read_text() == "text"


def test_write_file__the_suffix_is_kept_for_writers_that_read_it(tmp_path):
    suffixes = []

    def fill(path):
        suffixes.append(path.suffix)
        path.touch()

    write_file(tmp_path / "picture.svg", fill)
    assert suffixes == [".svg"]


def test_check_writable__creates_nothing(tmp_path):
    check_writable(tmp_path / "new" / "file.txt")
    assert list(tmp_path.iterdir()) == []


def test_check_writable__refuses_what_writing_would_refuse(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "below", tmp_path / ("n" * 300)):
        with pytest.raises(DataError, match="cannot be written"):
            check_writable(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_check_writable__refuses_a_folder_without_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(DataError, match="no permission"):
        check_writable(tmp_path / "file")
