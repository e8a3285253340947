import os
from pathlib import Path

import pytest
import torch

from garden.experiments.run.executors import (
    WorkError,
    _one_thread,
    in_a_pool,
    in_this_process,
    on_ray,
)
from garden.experiments.run.policy_cache import PolicyCache
from garden.process_settings import usable_threads
from small_work import Faulty, Mortal, comparison

HERE = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")]))


def nobody(work):
    pass


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Workers of Ray and of the pool import `small_work` by its name."""
    monkeypatch.setenv("PYTHONPATH", HERE)


@pytest.fixture
def one_thread():
    """As in a worker: BLAS rounds otherwise on another number of threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def ray_of_two(home_for_ray):
    import ray

    runtime = {"env_vars": {"PYTHONPATH": HERE}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=runtime)
    yield ray
    ray.shutdown()


def results_of(done):
    return {one.work.key: one.result for one in done}


def without_times(results):
    for result in results.values():
        for record in result["trained"].values():
            record.pop("seconds")
    return results


def test_executors__a_worker_keeps_to_one_thread(one_thread, monkeypatch):
    torch.set_num_threads(2)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    _one_thread()
    assert (torch.get_num_threads(), usable_threads()) == (1, 1)


def test_executors__pool_and_process_agree_to_the_last_digit(tmp_path, one_thread):
    works = [comparison(0), comparison(1)]
    here = results_of(in_this_process(works, PolicyCache(tmp_path / "a", "cpu"), nobody))
    there = results_of(in_a_pool(works, PolicyCache(tmp_path / "b", "cpu"), nobody, 2))
    assert without_times(here) == without_times(there)
    first = here[works[0].key]
    assert set(first["contenders"]) == {"random", "distance+visited", "trellis", "trellis, argmax"}
    assert first["trained"]["trellis"]["device"] == "cpu"
    assert sum(first["win_groups"]["walkers"].values()) == pytest.approx(1)


def test_executors__ray_agrees_too(tmp_path, ray_of_two, one_thread):
    works = [comparison(0)]
    here = results_of(in_this_process(works, PolicyCache(tmp_path / "a", "cpu"), nobody))
    there = results_of(on_ray(works, PolicyCache(tmp_path / "b", "cpu"), nobody, 2))
    assert without_times(here) == without_times(there)


def test_pool__a_killed_worker_costs_one_unit_and_nothing_else(tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    works = [Mortal(str(marks), 1), comparison(0)]
    done = results_of(in_a_pool(works, PolicyCache(tmp_path, "cpu"), nobody, 2))
    assert done[works[0].key] == {"died": 1}
    assert "trellis" in done[works[1].key]["contenders"]


def test_pool__a_unit_that_always_dies_is_named(tmp_path):
    marks = tmp_path / "marks"
    marks.mkdir()
    with pytest.raises(WorkError, match="a mortal unit: its process died 3 times"):
        list(in_a_pool([Mortal(str(marks), 99)], PolicyCache(tmp_path, "cpu"), nobody, 1))


def test_ray__a_killed_worker_costs_one_unit_and_nothing_else(tmp_path, ray_of_two):
    marks = tmp_path / "marks"
    marks.mkdir()
    works = [Mortal(str(marks), 1), Mortal(str(tmp_path / "empty"), 0)]
    (tmp_path / "empty").mkdir()
    done = results_of(on_ray(works, PolicyCache(tmp_path, "cpu"), nobody, 2))
    assert done == {works[0].key: {"died": 1}, works[1].key: {"died": 0}}


@pytest.mark.parametrize("executor", ["process", "pool"])
def test_executors__an_error_says_which_unit(tmp_path, executor):
    cache, works = PolicyCache(tmp_path, "cpu"), [Faulty(7)]
    done = (
        in_this_process(works, cache, nobody)
        if executor == "process"
        else in_a_pool(works, cache, nobody, 1)
    )
    with pytest.raises(WorkError, match="unit 7: nothing to be done"):
        list(done)
