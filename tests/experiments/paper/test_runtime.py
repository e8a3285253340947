import json

import numpy as np
import pytest

from garden.experiments.paper.published import ACTION_TIMES, EMBEDDING_TIMES, GRAPHS
from garden.experiments.paper.runtime import experiment as runtime
from garden.experiments.paper.runtime.pooling import growth, pooled_timings
from garden.experiments.paper.runtime.timing import (
    PARTS,
    TIMED,
    Timing,
    chosen_neighbour,
    milliseconds,
    one_torch_thread,
    ready_strategy,
)
from garden.experiments.report.sections import read_section
from garden.experiments.run import reproduce as module
from garden.experiments.run.config import Execution, Scope
from garden.experiments.run.policy_cache import PolicyCache, graph_of
from garden.experiments.run.reproduce import reproduce
from garden.experiments.run.store import RUNS_FILE
from garden.graphs.ego_extraction import ego_graphs
from garden.resolve import memory_named
from garden.search.episode_rng import next_streams, uniforms_of
from garden.search.walk import walk
from small_work import num_cases

GRAPH = "kaiser-hilgetag:n=40,beta=2,seed=1"


def timing_result(num_nodes, times, degree=20.0, load=0.5):
    """A result in which an action of a strategy takes `times[name]`, a representation twice."""
    spread = np.array([0.5, 1.0, 1.5])
    return {
        "num_nodes": num_nodes,
        "mean_degree": degree,
        "holder_degrees": [18, 20, 22],
        "machine": {
            "processor": "Abacus 3000",
            "cpu_count": 4,
            "load_average": [load, 0.1, 0.1],
            "platform": "Desk",
            "torch": "2",
            "torch_threads": 1,
        },
        "strategies": {
            name: {
                part: {
                    "mean": 1.2 * time * factor,
                    "median": (1.1 * time * factor * spread).tolist(),
                    "processor": (time * factor * spread).tolist(),
                }
                for part, factor in (("action", 1), ("representation", 2))
            }
            for name, time in times.items()
        },
    }


def size_of(work):
    if work.graph.startswith("facebook:"):
        return 148 if work.graph.endswith("414") else 532
    if work.graph == runtime.MUSAE:
        return 22470
    return int(work.graph.split("n=")[1].split(",")[0])


def reported(tmp_path, time_of, scope=None):
    def result_of(work):
        size = size_of(work)
        return timing_result(size, {name: time_of(name, size) for name in TIMED})

    return runtime.report(scope or Scope(graphs=("414", "3437")), result_of, tmp_path)


def cheap_or_dear(name, size):
    dear = {"garden": 0.2, "mlpa2c": 0.15, "mlpa2cwd": 0.16, "trellis": 0.5}
    return dear.get(name, 0.001 if name == "random" else 0.05)


def test_works__all_sizes_once_and_fewer_in_a_hurry():
    full = runtime.works(Scope())
    assert [work.graph for work in full[:2]] == ["facebook:414", "facebook:686"]
    assert len(full) == len(GRAPHS) + len(runtime.BETAS) + 1
    assert max(size_of(work) for work in full) > 20_000
    quick = runtime.works(Scope(quick=True, graphs=("0",)))
    assert [work.graph.split(",")[0] for work in quick] == [
        "facebook:0",
        *(f"kaiser-hilgetag:n={size}" for size in (200, 1000, 5000)),
    ]
    assert {work.seed for work in runtime.works(Scope(seeds=(3, 4)))} == {3, 4}
    assert all(set(work.strategies) == set(TIMED) for work in full)


def test_grown_graphs__keep_their_mean_degree():
    degrees = [
        graph_of(work.graph).degrees.mean()
        for work in runtime.works(Scope())
        if work.graph.startswith("kaiser") and size_of(work) <= 2000
    ]
    assert len(degrees) == 4
    assert all(20 < degree < 23.5 for degree in degrees)


def test_published__the_runtime_table_is_whole():
    assert list(ACTION_TIMES) == list(EMBEDDING_TIMES) == list(GRAPHS)
    assert ACTION_TIMES["348"]["garden"] == 0.18
    assert ACTION_TIMES["3437"]["random"] == 0.0006
    assert EMBEDDING_TIMES["0"] == 0.2214
    assert set(ACTION_TIMES["414"]) <= set(TIMED)


@pytest.mark.parametrize("name", ["greedy", "distance", "bidirectional", "garden", "trellis"])
def test_action__is_the_hop_of_a_walk(name):
    graph = graph_of(GRAPH)
    strategy = ready_strategy(name, graph, 0)
    rows = strategy.represent(ego_graphs(graph))
    for source, target in ((0, 30), (7, 12), (25, 3)):
        hop = walk(graph, strategy, rows, source, target, memory_named("none"), 1, stream=5)
        candidates = graph.neighbours(source)
        chosen = chosen_neighbour(
            strategy,
            rows.take(candidates),
            rows.take(np.array([target])),
            float(uniforms_of(next_streams(np.array([5], dtype=np.uint64)))[0]),
        )
        assert candidates[chosen] == hop.nodes[1]


def test_milliseconds__warm_up_is_left_out_and_groups_take_turns(monkeypatch):
    from garden.experiments.paper.runtime import timing

    clocks, called = {"wall": 0, "processor": 0}, []

    def call(name, costs):
        def run():
            called.append(name)
            clocks["wall"] += 1_000_000 * costs[0]
            clocks["processor"] += 500_000 * costs.pop(0)

        return run

    monkeypatch.setattr(timing.time, "perf_counter_ns", lambda: clocks["wall"])
    monkeypatch.setattr(timing.time, "thread_time_ns", lambda: clocks["processor"])
    calls = {
        ("a", "action"): [call("a1", [90, 1, 2, 6]), call("a2", [90, 5, 5, 5])],
        ("b", "action"): [call("b1", [90, 7, 8, 9])],
    }
    times = milliseconds(calls, repeats=3)
    assert called == ["a1", "a2", "b1"] * 4
    assert times["a", "action"] == {"mean": 4.0, "median": [2.0, 5.0], "processor": [1.0, 2.5]}
    assert times["b", "action"] == {"mean": 8.0, "median": [8.0], "processor": [4.0]}


def test_threads__one_inside_and_as_many_as_before_after():
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with one_torch_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_growth__finds_the_exponent_and_its_interval():
    def graphs(exponent):
        return [
            pooled_timings(str(n), [timing_result(n, {"garden": 0.1 * n**exponent})])
            for n in (200, 2000, 20_000)
        ]

    flat, steep = (growth(graphs(e), "garden", "action") for e in (0.0, 0.5))
    assert flat.mean == pytest.approx(1.0)
    assert steep.mean == pytest.approx(10**0.5)
    assert flat.low < 1.0 < flat.high
    assert steep.low < 10**0.5 < steep.high


def test_pooled__draws_of_several_seeds_count_as_one_measurement():
    results = [timing_result(148, {"garden": 0.1}), timing_result(148, {"garden": 0.3}, load=2)]
    timed = pooled_timings("G1", results)
    assert timed.means["garden", "action"] == pytest.approx(0.24)
    assert timed.busy("garden", "representation") == pytest.approx(0.4)
    assert timed.medians["garden", "representation"] == pytest.approx(0.44)
    assert timed.loads == (0.5, 2)
    assert len(timed.holder_degrees) == 6


def test_report__stands_beside_the_papers_table(tmp_path):
    section = reported(tmp_path, cheap_or_dear)
    facebook, larger, growing = section.tables
    assert facebook.columns == ("", "G1 (414)", "G5 (3437)")
    rows = {row[0]: row[1:] for row in facebook.rows}
    assert rows["paper, action: garden"] == ("0.1592", "0.1656")
    assert rows["paper, representation: garden"] == ("0.3024", "0.2143")
    assert rows["action: garden"] == ("0.2400 (0.2200; 0.2000)",) * 2
    assert rows["representation: garden"] == ("0.4800 (0.4400; 0.4000)",) * 2
    assert rows["mean degree"] == ("20.00", "20.00")
    assert "Abacus 3000 (4 CPUs, 1 thread used" in facebook.footing
    assert "3 targets" in facebook.footing
    assert larger.columns[-2:] == ("n = 20,000", "musae-facebook")
    assert [row[0] for row in growing.rows] == list(TIMED)
    assert rows["… garden, times the paper's"] == ("1.5", "1.4")
    assert "nodes (mean degree)" in (tmp_path / "runtime.svg").read_text()


def claims_of(section):
    return {claim.text: claim for claim in section.claims}


def test_claims__follow_the_numbers(tmp_path):
    good = claims_of(reported(tmp_path, cheap_or_dear))
    assert num_cases(good["garden: less than 1 ms for an action"]) == 10
    growth_claim = "ten times the nodes multiply the time of an action by less than 1.1"
    # Times are constant, so that the factor is 1; targets differ, so that its interval is wide.
    assert good.pop(growth_claim).fails_on == ()
    assert [claim.verdict for claim in good.values()] == ["holds"] * 4

    def slow(name, size):
        return 5.0 * size**0.5 if name in ("garden", "random") else cheap_or_dear(name, size)

    bad = claims_of(reported(tmp_path, slow))
    assert bad["garden: less than 1 ms for an action"].verdict == "fails"
    assert bad["every strategy: less than 1 ms for an action"].verdict == "fails"
    assert bad[growth_claim].fails_on == ("random", "garden")
    order = next(claim for text, claim in bad.items() if text.startswith("an action costs"))
    assert order.verdict == "fails"


def test_reproduce__a_tiny_timing_from_end_to_end(tmp_path, monkeypatch):
    specs = {"n = 40": GRAPH, "n = 60": "kaiser-hilgetag:n=60,beta=2,seed=1"}
    monkeypatch.setattr(runtime, "_QUICK_SIZES", (40, 60))
    monkeypatch.setattr(runtime, "_graphs", lambda scope: {"G1 (414)": GRAPH, **specs})
    monkeypatch.setattr(
        runtime,
        "_timings",
        lambda graph, scope: [Timing(graph, 0, num_targets=4, repeats=2)],
    )
    monkeypatch.setattr(module, "EXPERIMENTS", {"runtime": runtime.EXPERIMENT})
    scope = Scope(quick=True, graphs=("414",))
    reproduce(["runtime"], tmp_path, scope, Execution(device="cpu"))
    lines = (tmp_path / "runtime" / RUNS_FILE).read_text().splitlines()[1:]
    results = {record["work"]["graph"]: record["result"] for record in map(json.loads, lines)}
    assert set(results) == set(specs.values())
    result = results[GRAPH]
    assert result["num_nodes"] == 40
    assert result["machine"]["torch_threads"] == 1
    assert len(result["holder_degrees"]) == 4
    for name in TIMED:
        for part in PARTS:
            times = result["strategies"][name][part]
            assert len(times["median"]) == 4
            assert min(times["median"]) > 0
            assert times["mean"] > 0
    section = read_section(tmp_path / "runtime")
    assert section is not None
    assert section.findings.tables[1].columns == ("", "n = 40", "n = 60")


def test_timing__holders_and_targets_are_of_the_seed(tmp_path):
    cache = PolicyCache(tmp_path, "cpu")

    def degrees(seed):
        return Timing(GRAPH, seed, ("random",), 20, 1).perform(cache)["holder_degrees"]

    assert degrees(0) == degrees(0) != degrees(1)
