"""Which random stream is used for what: one table of tags for the whole package.

``np.random.default_rng([seed, TAG])`` is a stream of its own for each tag, so that drawing more
of one thing never changes another. The values are part of every result: a new use takes a new
number, and none is ever renumbered. The one seed without a tag, ``default_rng(seed)``, splits
the targets of a task and grows Kaiser–Hilgetag graphs.

Three numbers stand for two things each:

* 6: the targets of validation in training, and the pairs of the runtime table;
* 16: the messages of adapting, with the number of a block behind it, and the pairs of the
  hold-out experiment, with seed 0. NumPy pads seeds with zeros, so that `[0, 16]` is `[0, 16, 0]`:
  the first hundred pairs are those that adapting draws from seed 0, on other targets;
* 42: the nodes that are taken out as newcomers, and the messages whose paths are compared.
"""

from __future__ import annotations

# datasets.task
VALIDATION_PAIRS = 1
TEST_PAIRS = 2
TRAIN_PAIRS = 3
ALL_PAIRS = 4
FURTHER_PAIRS = 19  # [seed, 19, split, block]

# search
TUNING_TARGETS = 5
MEASURED_CHANGES = 29

# training
VALIDATION_TARGETS = 6  # the same number as TIMED_PAIRS

# experiments.paper.runtime
TIMED_PAIRS = 6
TIMED_NODES = 7

# datasets.random_attributed and datasets.subgraphs
ATTRIBUTED_GRAPH = 11
SNOWBALL_SAMPLE = 12
THINNED_GRAPH = 13

# training.universal
TRAINING_GRAPH_TARGETS = 14
BATCH_ORDER = 15
ADAPTING_MESSAGES = 16  # [seed, 16, block]; the same number as HOLDOUT_PAIRS
ADAPTING_TARGETS = 17
LOCAL_ADAPTING = 18

# experiments.ours.universal_holdout
HOLDOUT_PAIRS = 16  # [0, 16]

# envs
MEASURED_TARGETS = 20

# datasets.perturb
MISSING_PROFILES = 21
NOISY_PROFILES = 22
CHANGED_LINKS = 23

# datasets.random_graphs
POWER_LAW_GRAPH = 24
SMALL_WORLD_GRAPH = 25
BLOCK_MODEL_GRAPH = 26
GEOMETRIC_GRAPH = 27

# datasets.random_attributed and training.universal.training_set
POSITIONED_GRAPH = 50
PLAIN_PROFILES = 51

# datasets.generated_attributes
GENERATED_ATTRIBUTES = 28  # [seed, 28, 0] and, of attribute a, [seed, 28, a + 1]

# experiments.ours.gossip
RANDOM_LANDMARKS = 30
GOSSIP_TARGETS = 31
CARD_PAIRS = 32
TRAFFIC_PAIRS = 33

# experiments.peers
CRASHED_PEERS = 40
ATTACKED_PAIRS = 41
COMPARED_PATHS = 42  # the same number as NEWCOMERS
LEAKING_NODES = 43
KILLED_HOSTS = 49

# experiments.benchmark
BENCHMARK_NEWCOMERS = 60
BENCHMARK_NEWCOMER_PAIRS = 61

# experiments.ours.newcomers
NEWCOMERS = 42  # the same number as COMPARED_PATHS; [seed, 42]; one at a time, [seed, 42, 1]
