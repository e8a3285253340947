import time
from dataclasses import replace

import pytest

from garden.experiments.run.jobs import at_full_length
from garden.training.callbacks import (
    LineLog,
    Listener,
    LiveBar,
    announcement_of,
    as_clock,
    in_words,
)
from garden.training.state import Pace, Plan
from garden.training.trainer import Trainer

from .short_runs import SIZE, TASK, TRELLIS, FakeClock, train_into

NUM_TARGETS = len(TASK.validation_targets)


CONFIG = replace(at_full_length(TRELLIS).resolved(), updates=200, validate_every=50)


class Estimates(Listener):
    """Notes the time left after every update."""

    def __init__(self, clock):
        self.clock, self.plan, self.left, self.at = clock, None, {}, {}

    def on_start(self, plan):
        self.plan = plan

    def on_update(self, update, total):
        self.left[update], self.at[update] = self.plan.seconds_left(), self.clock.now


@pytest.mark.parametrize(
    ("update", "validation"), [(0.5, 0.01), (0.1, 30.0), (3.0, 3.0), (0.02, 1.0)]
)
def test_time_left__is_right_within_a_factor_of_two_after_twenty_updates(
    monkeypatch, update, validation
):
    clock = FakeClock(monkeypatch, update, validation, NUM_TARGETS)
    trainer = Trainer([TASK], CONFIG, SIZE, clock=clock)
    trainer.listeners = [heard := Estimates(clock)]
    trainer.run()
    for made in range(20, 200, 7):
        truth = clock.now - heard.at[made]
        assert truth / 2 <= heard.left[made] <= 2 * truth


def test_time_left__is_not_misled_by_a_slow_first_update(monkeypatch):
    clock = FakeClock(monkeypatch, 0.1, 0.1, NUM_TARGETS)
    trainer = Trainer([TASK], CONFIG, SIZE, clock=clock)
    trainer.listeners = [heard := Estimates(clock)]
    make = trainer._update

    def first_is_slow():
        if trainer.state.update == 0:
            clock.now += 60
        make()

    trainer._update = first_is_slow
    trainer.run()
    truth = clock.now - heard.at[20]
    assert truth / 2 <= heard.left[20] <= 2 * truth


def test_time_left__is_bounded_by_the_time_limit():
    pace = Pace(clock=lambda: 100.0)
    pace.updates.append(10.0)
    pace.num_updates = 1
    plan = Plan(5, 1000, 50, True, pace, deadline=130.0)
    assert plan.seconds_left() == 30
    assert plan.is_limited
    assert "time limit" in announcement_of(plan)


def fake_log(now):
    lines = []
    return LineLog(clock=lambda: now[0], say=lines.append, silence=15.0), lines


def plan_at(update, clock):
    pace = Pace(clock=clock)
    pace.updates.append(2.0)
    pace.num_updates = 1
    return Plan(update, 100, 50, True, pace)


def test_lines__come_at_least_every_fifteen_seconds_between_validations():
    now = [0.0]
    log, lines = fake_log(now)
    try:
        plan = plan_at(0, lambda: now[0])
        log.on_start(plan)
        spoken = []
        for update in range(1, 40):
            now[0] += 2.0
            plan.update = update
            before = len(lines)
            log.on_update(update, 100)
            spoken += [now[0]] * (len(lines) > before)
        gaps = [b - a for a, b in zip([0.0, *spoken], [*spoken, now[0]], strict=True)]
        assert max(gaps) <= 16
        assert all("left at most" in line for line in lines if "updates/s" in line)
    finally:
        log.close()


def test_lines__come_within_a_long_validation_and_while_setting_up():
    lines = []
    log = LineLog(say=lines.append, silence=0.01)
    try:
        end = time.monotonic() + 20
        while not lines and time.monotonic() < end:
            time.sleep(0.05)  # nothing is heard of the training
        assert "setting up" in lines[0]
        log.on_start(plan_at(7, time.monotonic))
        while not any("update 7 of at most 100" in line for line in lines):
            assert time.monotonic() < end
            time.sleep(0.05)
    finally:
        log.close()


def test_lines__none_come_after_the_end():
    lines = []
    log = LineLog(say=lines.append, silence=0.01)
    log.close()
    time.sleep(1.2)
    before = len(lines)
    time.sleep(1.2)
    assert len(lines) == before


def test_announcement__says_once_how_long_it_may_take(tmp_path):
    options = replace(TRELLIS, updates=30, validate_every=10, patience=50, cooldown=5)
    lines = []
    log = LineLog(say=lines.append)
    train_into(tmp_path, options, listeners=[log])
    told = [line for line in lines if "training may take" in line]
    assert len(told) == 1
    assert "ends sooner" in told[0]


def test_bar__shows_our_own_time_left_and_leaves_the_screen():
    bar = LiveBar()
    now = [0.0]
    plan = plan_at(1, lambda: now[0])
    bar.on_start(plan)
    bar.on_update(1, 100)
    assert bar.bar.tasks[0].fields["left"] == as_clock(99 * 2.0)
    bar.close()
    assert not bar.bar.live.is_started


def test_words__of_times():
    assert [in_words(s) for s in (20, 600, 7200)] == ["about 20 s", "about 10 min", "about 2.0 h"]
    assert as_clock(8321) == "2:18:41"
