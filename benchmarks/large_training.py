"""Training `trellis` beyond 20,000 nodes: seconds, memory, and its ratio beside `universal`'s.

    python benchmarks/large_training.py --nodes 100000 --minutes 9 --device cuda --out runs/large
    python benchmarks/large_training.py --nodes 100000 --evaluate runs/large

An update draws targets and holders and scores the holders' neighbours alone. The first call tries
as many updates as take a few seconds, then trains so many that the step size has fallen to 0 when
the time is up. The second compares the policy with `universal`, both with `backtrack`, on the same
test pairs; it needs numba.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import torch

from _timing import peak_gigabytes, report
from garden.api import evaluate, load
from garden.datasets.task import SearchTask
from garden.models.registry import ModelConfig
from garden.search.config import EvaluationConfig
from garden.training.config import RunOptions, TrainingOptions
from garden.training.run import train_seeds

ATTRIBUTES = "attributes=64,kind=binary,blocks=20,homophily=0.7,noise=0.0,missing=0.0"
TRIED = 20  # updates by which the seconds of one are measured
_CLOSING_SHARE = 0.15  # of the time, for validations and the choice of a temperature


def main() -> None:
    """Train or evaluate, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--targets", type=int, default=128)
    parser.add_argument("--holders", type=int, default=2048)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--evaluate", type=Path)
    parser.add_argument("--pairs", type=int, default=300)
    chosen = parser.parse_known_args()[0]
    since = time.monotonic()
    graph = load(f"power-law:n={chosen.nodes},degree=16,{ATTRIBUTES},seed=0")
    task = SearchTask.split(graph)
    print(f"loaded and split in {time.monotonic() - since:.0f} s", flush=True)
    content = compared(task, chosen) if chosen.evaluate else trained(task, chosen)
    content = {"graph": graph.name, **content, "peak_gb": peak_gigabytes()}
    rows = [(name, str(value)) for name, value in content.items()]
    report("Training beyond 20,000 nodes", ("", "value"), rows, content)


def trained(task: SearchTask, chosen: argparse.Namespace) -> dict[str, Any]:
    """A run, stored where asked, with what it took."""
    per_update = (seconds_of(task, chosen, TRIED) - seconds_of(task, chosen, 1)) / (TRIED - 1)
    print(f"{per_update:.3f} s an update", flush=True)
    budget = 60 * chosen.minutes * (1 - _CLOSING_SHARE)
    updates = max(1, int(budget / per_update))
    since = time.monotonic()
    (run,) = train_seeds(
        [task],
        options(chosen, updates, max(1, updates // 5)),
        ModelConfig(),
        RunOptions(device=chosen.device, max_minutes=chosen.minutes),
        [chosen.out] if chosen.out else (),
        force=True,
    )
    gpu = torch.cuda.max_memory_allocated() / 1e9 if torch.cuda.is_available() else None
    took = {"seconds_per_update": per_update, "seconds": time.monotonic() - since, "gpu_gb": gpu}
    return {**took, **run.summary}


def seconds_of(task: SearchTask, chosen: argparse.Namespace, updates: int) -> float:
    """How long so many updates take without a validation until the last."""
    since = time.monotonic()
    limits = RunOptions(device=chosen.device)
    train_seeds([task], options(chosen, updates, updates), ModelConfig(), limits)
    return time.monotonic() - since


def options(chosen: argparse.Namespace, updates: int, validate_every: int) -> TrainingOptions:
    """Guided training that ends by its number of updates alone."""
    return TrainingOptions(
        model="trellis",
        updates=updates,
        validate_every=validate_every,
        patience=0,
        cooldown=0,
        targets_per_update=chosen.targets,
        holders_per_update=chosen.holders,
    )


def compared(task: SearchTask, chosen: argparse.Namespace) -> dict[str, Any]:
    """Ratios of the policy and of `universal` with `backtrack`, one episode a pair."""
    config = EvaluationConfig(pairs=chosen.pairs, episodes_per_pair=1)
    result = evaluate(task, [str(chosen.evaluate), "universal"], "backtrack", config=config)
    return {
        f"{entry['name']}_{field}": entry[field]
        for entry in result.to_json()["strategies"]
        for field in ("oracle_ratio", "oracle_ratio_ci", "truncation_rate")
    }


if __name__ == "__main__":
    main()
