"""What environment variables tell a process: how many threads to use."""

from __future__ import annotations

import os
import threading

import pytest

from garden.process_settings import map_in_threads, usable_threads


@pytest.fixture(autouse=True)
def _eight_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


def test_threads__are_the_cores_that_the_process_may_run_on(monkeypatch):
    assert usable_threads() == 8
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3})
    assert usable_threads() == 1


@pytest.mark.parametrize(
    ("asked", "threads"), [("1", 1), ("3", 3), ("99", 8), ("2,4", 2), ("0", 8), ("many", 8)]
)
def test_threads__no_more_than_asked_for(monkeypatch, asked, threads):
    monkeypatch.setenv("OMP_NUM_THREADS", asked)
    assert usable_threads() == threads


def test_threads__all_cores_where_a_process_is_bound_to_none(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert usable_threads() == 5


def test_threads__results_stand_in_the_order_of_the_items():
    assert map_in_threads(lambda item: item * item, range(50)) == [i * i for i in range(50)]
    assert map_in_threads(str, []) == []


def test_threads__one_item_needs_no_other_thread():
    assert map_in_threads(lambda _: threading.current_thread(), "x") == [threading.current_thread()]
