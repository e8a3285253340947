"""Rosters, secrets and contacts: files, and what is refused."""

import stat

import pytest

from garden.errors import DataError
from garden.experiments.peers.network_cut import cut_network, roster_for_tests
from garden.peers.network.contacts import read_contacts
from garden.peers.network.host_folder import read_test_secrets
from garden.peers.network.private_files import private_folder
from garden.peers.network.roster import (
    new_secrets,
    read_roster,
    read_secrets,
    roster_of,
    write_roster,
    write_secrets,
)

ADDRESS = "127.0.0.1:7100"


def test_secrets__go_to_a_file_that_the_owner_alone_can_read(tmp_path):
    path, made = tmp_path / "host.secrets", new_secrets(["alice", "bob"], ADDRESS)
    write_secrets(path, made)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_secrets(path) == made
    with pytest.raises(DataError, match="not replaced"):
        write_secrets(path, made)
    assert [one.name for one in tmp_path.iterdir()] == ["host.secrets"]
    path.chmod(0o640)
    with pytest.raises(DataError, match="chmod 600"):
        read_secrets(path)


def test_secrets__differ_and_the_roster_holds_none(tmp_path):
    one, other = new_secrets(["a"], ADDRESS), new_secrets(["a"], ADDRESS)
    assert one.host != other.host
    assert one.agents != other.agents
    write_roster(tmp_path / "roster", one.roster())
    (line,) = read_roster(tmp_path / "roster").values()
    assert (line.name, line.address) == ("a", ADDRESS)
    assert line.key == one.agents[0].keys.public.agent
    secrets = {one.host, one.agents[0].signing, one.agents[0].sealing}
    assert not secrets & {line.signing, line.sealing, line.host_key}


def test_roster__with_repeated_names_keys_or_two_addresses_is_refused():
    (a, b) = new_secrets(["a", "b"], ADDRESS).roster()
    elsewhere = type(a)("c", b.sealing, b.signing, a.host_key, "127.0.0.1:1")
    for lines in ([a, a], [a, type(a)("z", a.signing, a.sealing, a.host_key, ADDRESS)]):
        with pytest.raises(DataError, match="two agents have the"):
            roster_of(lines)
    with pytest.raises(DataError, match="two addresses"):
        roster_of([a, elsewhere])


@pytest.mark.parametrize("text", ["{}", "x", '{"name": "a"}', "[1]"])
def test_roster__of_another_form_names_the_line(tmp_path, text):
    (tmp_path / "roster").write_text("\n" + text)
    with pytest.raises(DataError, match="line 2: is no agent's line"):
        read_roster(tmp_path / "roster")


@pytest.mark.parametrize("address", ["", "localhost", "a b:1", "host:123456"])
def test_secrets__with_a_bad_address_are_refused(address):
    with pytest.raises(DataError, match="address"):
        new_secrets(["a"], address)


def test_cut__writes_contacts_of_neighbours_in_key_order_and_no_secrets(tmp_path, path_graph):
    addresses = ["127.0.0.1:7100", "127.0.0.1:7101"]
    roster = roster_for_tests(path_graph.node_names, addresses, 3)
    cut_network(path_graph, "beacons", tmp_path / "p", roster, test_keys=(3, addresses))
    lines = [roster[name] for name in path_graph.node_names]
    contacts = read_contacts(tmp_path / "p", lines[1].key)
    expected = sorted(lines[node].key for node in (0, 2, 4))
    assert [one.key for one in contacts.neighbours] == expected
    assert {one.address for one in contacts.neighbours} <= set(addresses)
    hosts = read_test_secrets(tmp_path / "p")
    secrets = [one.host for one in hosts]
    secrets += [
        part for host in hosts for one in host.agents for part in (one.signing, one.sealing)
    ]
    for file in (tmp_path / "p").rglob("*"):
        if file.is_file():
            assert not any(secret in file.read_bytes() for secret in secrets)


def test_cut__needs_a_line_for_each_node(tmp_path, path_graph):
    roster = roster_for_tests(path_graph.node_names[:-1], [ADDRESS], 3)
    with pytest.raises(DataError, match="no line for '4'"):
        cut_network(path_graph, "beacons", tmp_path / "p", roster)


def test_private_folder__of_others_is_refused(tmp_path):
    assert stat.S_IMODE(private_folder(tmp_path / "a" / "b").stat().st_mode) == 0o700
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for name in ("open", "link"):
        with pytest.raises(DataError, match="you alone"):
            private_folder(tmp_path / name)
