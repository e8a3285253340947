"""Trellis on ten further splits of each Facebook graph.

All splits of lower seeds were looked at while the model was made; these were opened when it was
settled.
"""

from __future__ import annotations

from garden.experiments.ours.trellis_memories import MemoryTrials, Trial
from garden.experiments.paper.published import GRAPHS
from garden.experiments.run.config import FIRST_SEED
from garden.training.config import TrainingOptions

SEEDS = range(FIRST_SEED + 30, FIRST_SEED + 40)
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
