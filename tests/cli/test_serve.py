"""What ``garden serve`` says before it serves."""

import socket

import pytest

from garden.cli.main import main
from garden.cli.serve import listening_socket
from garden.errors import SpecError

pytest.importorskip("uvicorn")


def refused(capsys, *words):
    """The one line that ``garden serve`` ends with, and nothing on standard output before it."""
    with pytest.raises(SystemExit) as caught:
        main(["serve", *words, "--strategy", "connection"])
    captured = capsys.readouterr()
    assert caught.value.code == 2
    assert captured.out == ""
    (line,) = captured.err.strip().splitlines()
    return line


def test_serve__at_a_port_that_is_taken_says_so_in_one_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = refused(capsys, "--port", str(port))
    assert line == f"garden: --port {port} is taken: choose another"


def test_serve__of_a_graph_that_there_is_not_speaks_of_it_alone(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "nosuch" in refused(capsys, "nosuch", "--port", "8499")


def test_listening_socket__of_no_host_here_is_refused():
    with pytest.raises(SpecError, match=r"host=203\.0\.113\.1"):
        listening_socket("203.0.113.1", 8499)
    made = listening_socket("127.0.0.1", 0)
    with made, socket.create_connection(made.getsockname()):
        pass
