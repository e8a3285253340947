from garden.experiments.report.intervals import pooled
from garden.experiments.report.tables import footing_of
from small_work import outcome


def test_columns__what_all_columns_share_is_said_once():
    pools = [
        pooled([{"targets": [1], "contenders": {"a": outcome([2.0], [n])}}]) for n in (3, 3, 4)
    ]
    alike = footing_of({"x": pools[0], "y": pools[1]})
    assert alike.startswith("Each column: 1 seed, 1 targets and 3 pairs in all")
    apart = footing_of({"x": pools[0], "z": pools[2]})
    assert "x: 1 seed, 1 targets and 3 pairs" in apart
    assert "z: 1 seed, 1 targets and 4 pairs" in apart
