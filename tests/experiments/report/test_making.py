from garden.experiments.report.sections import (
    Findings,
    Section,
    Table,
    with_making,
    words_of_making,
)

VERSIONS = {"garden": "0.1.0", "python": "3.11.7", "numpy": "2.4.6"}


def record(**trained):
    return {"made": {"versions": VERSIONS}, "result": {"trained": trained}}


def how(device, stack, torch):
    return {"device": device, "stack": [stack, 0], "versions": {"torch": torch}}


def test_making__names_versions_devices_and_the_seeds_that_shared_a_gpu():
    records = [
        record(trellis=how("cuda", 10, "2.11.0+cu130")),
        record(garden=how("cpu", 1, "2.13.0+cpu"), trellis=how("cuda", 1, "2.11.0+cu130")),
    ]
    assert words_of_making(records) == (
        "Played on a CPU with garden 0.1.0, numpy 2.4.6. Trained on cpu (torch 2.13.0+cpu); cuda "
        "(torch 2.11.0+cu130, 1 seed in a stack); cuda (torch 2.11.0+cu130, 10 seeds in a stack)."
    )


def test_making__says_nothing_that_is_not_recorded():
    assert words_of_making([{"made": {}, "result": {}}]) == ""
    assert words_of_making([{"made": {"versions": VERSIONS}, "result": {"ratio": 1.0}}]) == (
        "Played on a CPU with garden 0.1.0, numpy 2.4.6."
    )


def test_making__stands_below_every_table():
    tables = tuple(Table(name, "", ("a",), (), "Own words.") for name in "xy")
    section = Section("e", "", "", "", (), Findings(tables=tables))
    found = with_making(section, [record()]).findings.tables
    assert [one.footing for one in found] == [
        "Own words. Played on a CPU with garden 0.1.0, numpy 2.4.6."
    ] * 2
