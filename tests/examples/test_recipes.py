"""The recipes in small: they learn, and what they make is a policy like any other."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
import torch

import garden
import garden.envs
from garden.search.config import EvaluationConfig

EXAMPLES = Path(__file__).parents[2] / "examples"
SPEC = "kaiser-hilgetag:n=40,alpha=10,beta=1,seed=0"
SMALL = {
    "maskable_ppo": {
        "num_steps": 8192,
        "num_envs": 16,
        "steps_per_update": 16,
        "learning_rate": 1e-2,
    },
    "ppo": {"num_updates": 12, "num_envs": 64, "steps_per_update": 8, "learning_rate": 3e-3},
}


def recipe(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module(name)


@pytest.mark.parametrize("name", list(SMALL))
def test_recipe__learns_a_policy_that_evaluate_accepts_beside_the_others(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    module = recipe(name, monkeypatch)
    folder = tmp_path / name
    module.main(module.Options(out=folder, spec=SPEC, **SMALL[name]))
    assert "distance" in capsys.readouterr().out
    report = garden.evaluate(
        SPEC, ["random", "distance", str(folder)], config=EvaluationConfig(split="validation")
    ).to_json()
    random, _, learned = report["strategies"]
    assert learned["evaluation"] == "exact"
    assert learned["oracle_ratio"] < 0.6 * random["oracle_ratio"]
    with pytest.raises(garden.GardenError, match="another split"):
        garden.evaluate(SPEC, str(folder), seed=1)


def test_slot_scorer__logits_are_the_policys_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the learner trains slot by slot is what the policy answers."""
    scorer = recipe("_scorer", monkeypatch)
    task = garden.SearchTask.split(garden.load(SPEC))
    policy = scorer.untrained_policy(task, "none", 3)
    slots = scorer.SlotScorer(policy)
    env = garden.envs.SearchEnv(task, strategy=policy)
    observation, info = env.reset(seed=0)
    logits, value = slots(torch.as_tensor(observation)[None])
    from garden.graphs.ego_extraction import ego_graphs

    rows = policy.represent(ego_graphs(task.graph))
    neighbours = task.graph.neighbours(env.path[0])
    expected = policy.score(rows.take(neighbours), rows.take(env.episode.targets))[0]
    there = info["action_mask"].astype(bool)
    assert logits.detach().numpy()[0, there] == pytest.approx(expected, abs=1e-5)
    assert (logits[0, ~torch.as_tensor(there)] == scorer.NOBODY).all()
    assert value.shape == (1,)


def test_advantages__match_a_hand_computed_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """γ = λ = 0.5, values 1 throughout: a delivery at the second of three hops."""
    ppo = recipe("ppo", monkeypatch)
    rewards = torch.tensor([[0.0], [1.0], [0.0]])
    over = torch.tensor([[0.0], [1.0], [0.0]])
    ones = torch.ones(3, 1)
    # δ = (0 + 0.5 − 1, 1 − 1, 0 + 0.5 − 1) and A₀ = δ₀ + 0.25 · A₁ with A₁ = 0
    advantages = ppo.advantages_of(rewards, over, ones, ones, 0.5, 0.5)
    assert advantages.ravel().tolist() == [-0.5, 0.0, -0.5]
    ongoing = ppo.advantages_of(rewards, torch.zeros(3, 1), ones, ones, 0.5, 0.5)
    # δ = (−0.5, 0.5, −0.5): A₂ = −0.5, A₁ = 0.5 − 0.125, A₀ = −0.5 + 0.25 · 0.375
    assert ongoing.ravel().tolist() == [-0.40625, 0.375, -0.5]


@pytest.mark.parametrize("name", list(SMALL))
def test_recipe__the_same_seed_trains_the_same_policy(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = recipe(name, monkeypatch)
    shorter = {"num_steps": 512} if name == "maskable_ppo" else {"num_updates": 1}
    options = module.Options(out=Path("nowhere"), spec=SPEC, **{**SMALL[name], **shorter})
    first, second = (module.train(options).model.state_dict() for _ in range(2))
    assert all(torch.equal(first[key], second[key]) for key in first)
