"""Trellis on real graphs of thousands of nodes, where no table of all pairs fits."""

from __future__ import annotations

from garden.experiments.ours.trellis_memories import MemoryTrials, Trial
from garden.experiments.run.config import FIRST_SEED
from garden.training.config import TrainingOptions

TRIALS = MemoryTrials(
    "larger",
    "Trellis on larger graphs",
    "None of the paper's, whose graphs have up to 532 nodes.",
    {
        "twitch:PTBR": Trial(
            "twitch:PTBR",
            range(FIRST_SEED, FIRST_SEED + 10),
            TrainingOptions(updates=1200, validate_every=100),
        ),
        "musae-facebook": Trial(
            "musae-facebook",
            range(FIRST_SEED, FIRST_SEED + 3),
            TrainingOptions(updates=2500, validate_every=250),
            all_validation_pairs=False,  # they are fifty millions
        ),
    },
)
EXPERIMENT = TRIALS.experiment()
