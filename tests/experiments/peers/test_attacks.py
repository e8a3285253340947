"""Attacks in virtual time, with the defences off and on."""

import json

import pytest

import garden
from garden.cli.main import main
from garden.errors import SpecError
from garden.experiments.peers import attacks
from garden.experiments.peers.attackers import ATTACKS
from garden.experiments.peers.attacks import measure_attack

SPEC = "kaiser-hilgetag:n=60,beta=1,seed=0"


@pytest.fixture(scope="module")
def graph():
    return garden.load(SPEC)


@pytest.fixture(autouse=True)
def short_warming(monkeypatch):
    monkeypatch.setattr(attacks, "WARMING", 20)


def measured(graph, attack, defended, share=0.1):
    return measure_attack(graph, attack, share=share, defended=defended, messages=30, seed=1)


def test_attacks__a_claim_to_be_the_target_succeeds_only_without_signatures(graph):
    assert measured(graph, "claim-target", False).false_deliveries > 0
    assert measured(graph, "claim-target", True).false_deliveries == 0


def test_attacks__droppers_are_gone_around(graph):
    off, on = (measured(graph, "drop", defended) for defended in (False, True))
    assert off.delivered < 30
    assert on.delivered > off.delivered
    assert off.mean_attempts == 1


@pytest.mark.parametrize("attack", sorted(set(ATTACKS) - {"drop", "claim-target"}))
def test_attacks__never_hand_a_message_over_twice(graph, attack):
    report = measured(graph, attack, True)
    assert report.handed_over_twice == 0
    assert report.false_deliveries == 0
    assert 0 < report.delivered <= report.messages == 30


def test_attacks__without_attackers_nobody_sees_anything(graph):
    report = measured(graph, "drop", True, share=0.0)
    assert report.delivered == 30
    assert report.touched == report.source_named == 0


def test_attacks__the_command_prints_each_attack_off_and_on(capsys):
    main(["peers", "attacks", SPEC, "--attack", "misroute", "--messages", "10", "--json", "-"])
    reports = json.loads(capsys.readouterr().out)["reports"]
    assert [one["defended"] for one in reports] == [False, True]


def test_attacks__an_unknown_attack_is_refused(graph):
    with pytest.raises(SpecError, match="attack"):
        measured(graph, "sorcery", True)
