"""Hosts as processes of their own, asked over their control sockets."""

import contextlib
import json
import os
import signal
import socket
import stat
import time

import pytest

import garden
from garden.cli.main import main
from garden.errors import DataError
from garden.peers.network.control import ControlServer
from garden.peers.network.control_client import HostConnection, connections, run_folder
from garden.peers.network.overview import overview, profile_key
from garden.peers.network.requests import Status

SPEC = "kaiser-hilgetag:n=20,beta=1,seed=0"
FIELDS = {
    "version", "hosts", "strategy", "memory", "peers", "links", "open_links", "under_way", "held",
    "cards_kept", "dead_peers", "settled",
}  # fmt: skip


@pytest.fixture
def short_folder(tmp_path, monkeypatch):
    """Unix sockets have short paths: control sockets go to a folder of the system's."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="g") as short:
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        monkeypatch.chdir(tmp_path)
        yield tmp_path


def free_port_pair():
    """A port that is free, and the next one too."""
    for _ in range(50):
        with socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            try:
                other.bind(("127.0.0.1", port + 1))
            except (OSError, OverflowError):
                continue
            return port
    raise AssertionError("no two free ports")


@pytest.fixture
def network(short_folder):
    """Two hosts that are up, in processes of their own."""
    port = str(free_port_pair())
    main(["peers", "cut", SPEC, "--out", "peers", "--test-keys", "0", "--hosts", "2",
          "--port", port])  # fmt: skip
    main(["peers", "up", "--settle", "60"])
    run = run_folder(short_folder / "peers")
    pids = [one["pid"] for one in overview(run)["hosts"]]
    yield run, pids
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def test_network__of_two_processes_sends_finds_and_loses_one(network, capsys, short_folder):
    run, pids = network
    capsys.readouterr()
    main(["peers", "send", "3", "17", "--text", "hi", "--json", "sent.json"])
    lines = capsys.readouterr().out.splitlines()
    sent = json.loads((short_folder / "sent.json").read_text())
    assert lines[-1].startswith("delivered in")
    assert "handed to 17" in lines
    assert sent["ending"] == "delivered"
    hops = [event for event in sent["events"] if event["kind"] == "passed"]
    assert [event["hop"] for event in hops] == list(range(1, sent["hops"] + 1))
    assert [event["neighbour"] for event in hops] == sent["path"][1:]

    main(["peers", "find", "3", "--like", "17", "--out", "card", "--json", "found.json"])
    main(["peers", "send", "3", "--card", "card"])
    assert "handed to 17" in capsys.readouterr().out

    main(["peers", "status", "--agents", "--json", "status.json"])
    found = json.loads((short_folder / "status.json").read_text())
    assert found.keys() == FIELDS
    assert (found["peers"], found["settled"], found["dead_peers"]) == (20, True, [])
    assert sum(len(one["agents"]) for one in found["hosts"]) == 20
    assert all(agent["settled"] for one in found["hosts"] for agent in one["agents"])
    texts = [one["texts"] for one in found["hosts"]]
    assert sum(one.get("delivered", 0) for one in texts) == 2  # what was sent above, and no more
    assert sum(one["under_way"] for one in texts) == 0
    assert sum(one["ended"]["delivered"] for one in found["hosts"]) > 2  # the directory's, too
    assert all(one["memory_mb"] < 120 for one in found["hosts"])
    main(["peers", "top", "--looks", "2", "--every", "0.1"])
    assert "20 peers of beacons" in capsys.readouterr().out

    with pytest.raises(SystemExit):
        main(["peers", "up"])
    assert "is up already" in capsys.readouterr().err
    os.kill(pids[0], signal.SIGKILL)
    end = time.monotonic() + 30
    while len(overview(run)["hosts"]) > 1 and time.monotonic() < end:
        time.sleep(0.05)
    main(["peers", "down"])
    assert list(connections(run)) == []


def test_control_socket__is_for_its_owner_alone(network):
    run, _ = network
    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    for path in run.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (path,) = list(run.glob("*.sock"))[:1]
    with HostConnection(path) as host:
        for line in (b"no json\n", b'{"do": "nothing"}\n', b'{"do": "status", "x": 1}\n'):
            host._socket.sendall(line)
            with pytest.raises(DataError, match="no request"):
                host.reply()
        assert host.answer_to(Status())["kind"] == "status"
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            host._socket.sendall(b"x" * (1 << 18))
        with pytest.raises(DataError, match="gone"):
            host.reply()


def test_up__without_secrets_or_test_keys_says_what_is_missing(short_folder, capsys):
    main(["peers", "cut", SPEC, "--out", "peers"])
    main(["peers", "keys", "0", "1", "--out", "mine"])
    for words, said in (
        (["up"], "--test-keys"),
        (["up", "--secrets", "mine/host.secrets"], "no such file"),
        (["status"], "no host is up"),
        (["cut", SPEC, "--out", "q", "--roster", "mine/roster.jsonl"], "no line for '2'"),
        (["find", "0"], "--like"),
        (["send", "0"], "--card"),
    ):
        with pytest.raises(SystemExit):
            main(["peers", *words])
        assert said in capsys.readouterr().err


def test_roster__of_two_hosts_cuts_and_runs(short_folder, capsys):
    graph = garden.load(SPEC)
    names = list(graph.node_names)
    port = free_port_pair()
    text = ""
    for number, part in enumerate((names[:12], names[12:])):
        out = f"host{number}"
        main(["peers", "keys", *part, "--out", out, "--address", f"127.0.0.1:{port + number}"])
        text += (short_folder / out / "roster.jsonl").read_text()
    (short_folder / "roster.jsonl").write_text(text)
    main(["peers", "cut", SPEC, "--out", "peers", "--roster", "roster.jsonl"])
    try:
        main(["peers", "up", "--secrets", "host0/host.secrets", "--secrets", "host1/host.secrets",
              "--settle", "60"])  # fmt: skip
        capsys.readouterr()
        main(["peers", "send", names[0], names[-1]])
        assert capsys.readouterr().out.splitlines()[-1].startswith("delivered")
    finally:
        main(["peers", "down", "--leave"])


def test_socket_path__that_is_too_long_is_refused(tmp_path):
    with pytest.raises(DataError, match="too long for a socket"):
        ControlServer(tmp_path / ("x" * 60) / ("y" * 60), None, None)


def test_profile_key__is_that_of_the_profile():
    assert profile_key("3,1=0.5") == profile_key("1=0.5,3=1")
    assert profile_key("3") != profile_key("4")
    with pytest.raises(garden.GardenError, match="columns and values"):
        profile_key("x")
