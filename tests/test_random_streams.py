import numpy as np

from garden import random_streams

# As they stand in published results: another value would change every figure.
VALUES = {
    "VALIDATION_PAIRS": 1,
    "TEST_PAIRS": 2,
    "TRAIN_PAIRS": 3,
    "ALL_PAIRS": 4,
    "TUNING_TARGETS": 5,
    "MEASURED_CHANGES": 29,
    "VALIDATION_TARGETS": 6,
    "TIMED_PAIRS": 6,
    "TIMED_NODES": 7,
    "ATTRIBUTED_GRAPH": 11,
    "SNOWBALL_SAMPLE": 12,
    "THINNED_GRAPH": 13,
    "TRAINING_GRAPH_TARGETS": 14,
    "BATCH_ORDER": 15,
    "ADAPTING_MESSAGES": 16,
    "HOLDOUT_PAIRS": 16,
    "ADAPTING_TARGETS": 17,
    "LOCAL_ADAPTING": 18,
    "FURTHER_PAIRS": 19,
    "MEASURED_TARGETS": 20,
    "MISSING_PROFILES": 21,
    "NOISY_PROFILES": 22,
    "CHANGED_LINKS": 23,
    "POWER_LAW_GRAPH": 24,
    "SMALL_WORLD_GRAPH": 25,
    "BLOCK_MODEL_GRAPH": 26,
    "GEOMETRIC_GRAPH": 27,
    "GENERATED_ATTRIBUTES": 28,
    "RANDOM_LANDMARKS": 30,
    "GOSSIP_TARGETS": 31,
    "CARD_PAIRS": 32,
    "TRAFFIC_PAIRS": 33,
    "CRASHED_PEERS": 40,
    "ATTACKED_PAIRS": 41,
    "BENCHMARK_NEWCOMERS": 60,
    "BENCHMARK_NEWCOMER_PAIRS": 61,
    "NEWCOMERS": 42,
    "COMPARED_PATHS": 42,
    "LEAKING_NODES": 43,
    "KILLED_HOSTS": 49,
    "POSITIONED_GRAPH": 50,
    "PLAIN_PROFILES": 51,
}


def tags():
    return {name: value for name, value in vars(random_streams).items() if name.isupper()}


def test_random_streams__no_tag_is_renumbered():
    assert tags() == VALUES


def test_random_streams__the_collisions_are_the_three_that_are_written_down():
    numbers = list(tags().values())
    assert {number for number in numbers if numbers.count(number) > 1} == {6, 16, 42}


def test_random_streams__a_padded_seed_is_the_same_stream():
    drawn = [np.random.default_rng(seed).random(3).tolist() for seed in ([0, 16], [0, 16, 0])]
    assert drawn[0] == drawn[1]
