import numpy as np
import pytest

from garden.experiments.report.intervals import Estimate, over_seeds, pooled
from small_work import outcome


def test_statistics__means_weigh_pairs_within_a_seed_and_seeds_alike():
    results = [
        {"targets": [1, 2], "contenders": {"a": outcome([1.0, 4.0], [2, 1])}},
        {"targets": [3], "contenders": {"a": outcome([5.0], [7])}},
    ]
    pool = pooled(results)
    assert pool.estimate("ratio", "a").mean == pytest.approx((2.0 + 5.0) / 2)
    assert pool.worst("ratio", "a") == 5.0
    assert (pool.num_seeds, pool.num_targets, pool.num_pairs) == (2, 3, 10)


def test_statistics__intervals_cover_and_differences_are_paired():
    rng = np.random.default_rng(0)
    covered = 0
    for trial in range(60):
        hard = rng.exponential(1.0, size=(8, 20))
        results = [
            {
                "targets": list(range(20)),
                "contenders": {
                    "a": outcome((1 + row).tolist(), [1] * 20),
                    "b": outcome((1.5 + row).tolist(), [1] * 20),
                },
            }
            for row in hard
        ]
        pool = pooled(results, seed=trial)
        ratio, gap = pool.estimate("ratio", "a"), pool.difference("ratio", "b", "a")
        covered += ratio.low <= 2.0 <= ratio.high
        assert (gap.mean, gap.low, gap.high) == pytest.approx((0.5, 0.5, 0.5))
        assert ratio.low < ratio.mean < ratio.high
    assert covered >= 52  # 57 are expected


def test_statistics__an_interval_over_seeds_and_its_side_of_zero():
    assert over_seeds([2.0]) == Estimate(2.0, 2.0, 2.0)
    wide = over_seeds([-1.0, 0.0, 4.0])
    assert (wide.mean, wide.sign) == (1.0, 0)
    assert -1.0 <= wide.low < 0 < wide.high <= 4.0
    assert (over_seeds([1.0, 2.0]).sign, over_seeds([-1.0, -2.0]).sign) == (1, -1)
    assert Estimate(0.1, 0.05, 0.2).scaled(100).text(0) == "10 (5 – 20)"
