"""Environment steps per second, beside Gymnasium's own vectorised CartPole in the same run.

4,096 episodes at once under random play. Ours counts the choice of a random slot from the mask,
since only that makes a legal action; CartPole's actions are drawn beforehand. Full observations of
`facebook:414` are 58 rows of 107 numbers, a hundred megabytes a step; CartPole's are 4 numbers.
Without real data a Kaiser–Hilgetag graph of about that size takes its place.
"""

from __future__ import annotations

from collections.abc import Callable

import gymnasium
import numpy as np
from gymnasium.vector import SyncVectorEnv

from _timing import best_seconds, report
from garden.api import load
from garden.datasets.task import SearchTask
from garden.envs import SearchAECEnv, SearchEnv, SearchVectorEnv
from garden.errors import GardenError

NUM_ENVS, NUM_STEPS = 4096, 30
FEW_ENVS = 16


def main() -> None:
    task = SearchTask.split(benchmark_graph())
    speeds = {
        "SearchVectorEnv, masks only": vector_steps(task, NUM_ENVS, "mask"),
        "SearchVectorEnv, full observations": vector_steps(task, NUM_ENVS, "features"),
        "… clearing as much memory, and nothing else": clearing_steps(task),
        f"SearchVectorEnv, full, {FEW_ENVS} episodes": vector_steps(task, FEW_ENVS, "features"),
        "SearchEnv, one by one": single_steps(task),
        "SearchAECEnv, one by one": agent_steps(task),
        "Gymnasium's CartPole, vectorised": cartpole_steps(NUM_ENVS),
        f"Gymnasium's CartPole, SyncVectorEnv of {FEW_ENVS}": sync_cartpole_steps(),
    }
    rival = speeds["Gymnasium's CartPole, vectorised"]
    rows = [(name, f"{speed:,.0f}", f"{speed / rival:.2f} ×") for name, speed in speeds.items()]
    content = {"graph": task.graph.name, "num_envs": NUM_ENVS, "steps_per_second": speeds}
    columns = ("environment", "steps/s", "beside vectorised CartPole")
    report(f"Environment steps per second, {task.graph.name}", columns, rows, content)


def benchmark_graph():  # type: ignore[no-untyped-def]
    try:
        return load("facebook:414")
    except GardenError:
        return load("kaiser-hilgetag:n=150,alpha=5,beta=1,d=8")


def steps_per_second(run: Callable[[], object], num_steps: int) -> float:
    return num_steps / best_seconds(run, repeats=5)


def vector_steps(task: SearchTask, num_envs: int, observe: str) -> float:
    envs = SearchVectorEnv(task, num_envs, observe=observe)
    _, info = envs.reset(seed=0)
    rng = np.random.default_rng(0)

    def run() -> None:
        nonlocal info
        for _ in range(NUM_STEPS):
            slots = rng.random(num_envs) * info["action_mask"].sum(axis=1)
            _, _, _, _, info = envs.step(slots.astype(np.int64))

    return steps_per_second(run, NUM_STEPS * num_envs)


def clearing_steps(task: SearchTask) -> float:
    """How often as much memory as the full observations take can be written over, at best."""
    size = SearchEnv(task).observation_space.shape[0]
    memory = np.ones((NUM_ENVS, size), dtype=np.float32)
    return steps_per_second(lambda: memory.fill(0), NUM_ENVS)


def single_steps(task: SearchTask) -> float:
    env = SearchEnv(task)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=0)

    def run() -> None:
        nonlocal info
        for _ in range(1000):
            slot = int(rng.random() * info["action_mask"].sum())
            _, _, terminated, truncated, info = env.step(slot)
            if terminated or truncated:
                _, info = env.reset()

    return steps_per_second(run, 1000)


def agent_steps(task: SearchTask) -> float:
    """Hops per second; observations, the steps of finished agents and resets are counted in."""
    env = SearchAECEnv(task)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    hops = 0

    def run() -> None:
        nonlocal hops
        hops = 0
        while hops < 1000:
            _, _, terminated, truncated, info = env.last()
            over = terminated or truncated
            env.step(None if over else int(rng.random() * info["action_mask"].sum()))
            hops += not over
            if not env.agents:
                env.reset()

    return steps_per_second(run, 1000)


def cartpole_steps(num_envs: int) -> float:
    envs = gymnasium.make_vec(
        "CartPole-v1", num_envs=num_envs, vectorization_mode="vector_entry_point"
    )
    envs.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, 2, (NUM_STEPS, num_envs))

    def run() -> None:
        for some in actions:
            envs.step(some)

    return steps_per_second(run, NUM_STEPS * num_envs)


def sync_cartpole_steps() -> float:
    envs = SyncVectorEnv([lambda: gymnasium.make("CartPole-v1")] * FEW_ENVS)
    envs.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, 2, (NUM_STEPS, FEW_ENVS))

    def run() -> None:
        for some in actions:
            envs.step(some)

    return steps_per_second(run, NUM_STEPS * FEW_ENVS)


if __name__ == "__main__":
    main()
