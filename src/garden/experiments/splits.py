"""Trellis on ten further splits of each Facebook graph.

Those of Table 1, and ten more, were looked at before ranges and the falling price of the frontier
memory; these were opened when both were settled, and played once more when the rule for
temperatures had changed.
"""

from __future__ import annotations

from garden.experiments.config import FIRST_SEED
from garden.experiments.memories import MemoryTrials, Trial
from garden.experiments.published import GRAPHS
from garden.training.config import TrainingOptions

SEEDS = range(FIRST_SEED + 20, FIRST_SEED + 30)
TRIALS = MemoryTrials(
    "splits",
    "Trellis on ten further splits",
    "None of the paper's: whether what we found on ten splits holds on ten others.",
    {
        name: Trial(f"facebook:{ego}", SEEDS, TrainingOptions(model="trellis", method="guided"))
        for ego, name in GRAPHS.items()
    },
)
EXPERIMENT = TRIALS.experiment()
