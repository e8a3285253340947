import pytest

from garden.experiments.report.claims import (
    CLAIM_COLUMNS,
    MORE_HOPS,
    Claim,
    claim_by_case,
    claim_of_comparison,
    claim_of_differences,
    claim_rows,
)
from garden.experiments.report.intervals import Estimate, pooled
from small_work import outcome

BELOW, ACROSS, ABOVE = Estimate(-1, -2, -0.5), Estimate(0, -1, 1), Estimate(1, 0.5, 2)


@pytest.mark.parametrize(
    ("side", "expected"),
    [
        (-1, Claim("less", ("a",), ("c",), ("b",))),
        (1, Claim("less", ("c",), ("a",), ("b",))),
    ],
)
def test_differences__only_an_interval_that_excludes_zero_decides(side, expected):
    differences = {"a": BELOW, "b": ACROSS, "c": ABOVE}
    assert claim_of_differences("less", differences, side) == expected


def test_facts__each_case_is_so_or_not():
    assert claim_by_case("so", {"a": True, "b": False}) == Claim("so", ("a",), ("b",))


def test_comparison__is_paired_and_names_its_metric():
    contenders = {"x": outcome([2.0, 4.0], [1, 1]), "y": outcome([3.0, 5.0], [1, 1])}
    pools = {"G1": pooled([{"targets": [0, 1], "contenders": contenders}] * 2)}
    assert claim_of_comparison(pools, "x", "y") == Claim("x: fewer hops than y", ("G1",))
    more = claim_of_comparison(pools, "x", "y", side=MORE_HOPS)
    assert more == Claim("x: more hops than y", fails_on=("G1",))
    truncated = claim_of_comparison(pools, "x", "y", "truncated")
    assert truncated == Claim("x: fewer truncated walks than y", undecided_on=("G1",))


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (Claim("", ("a", "b")), "holds"),
        (Claim("", (), ("a",)), "fails"),
        (Claim("", (), (), ("a",)), "undecided"),
        (Claim("", ("a",), (), ("b",)), "mixed"),
    ],
)
def test_verdict__is_one_word_where_all_cases_agree(claim, verdict):
    assert claim.verdict == verdict


def test_rows__name_the_cases_of_each_kind():
    (row,) = claim_rows([Claim("x < y", ("a", "b"), (), ("c",))])
    assert dict(zip(CLAIM_COLUMNS, row, strict=True)) == {
        "claim": "x < y",
        "verdict": "mixed",
        "holds on": "a, b",
        "fails on": "–",
        "undecided on": "c",
    }
