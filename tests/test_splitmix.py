import numpy as np

from garden.splitmix import GOLDEN, mixed, mixed_word


def test_splitmix__gives_the_published_sequence_of_seed_1234567():
    # The reference values of the generator's authors.
    state = np.array([1234567], dtype=np.uint64)
    words = []
    for _ in range(3):
        state = state + GOLDEN
        words.append(int(mixed(state)[0]))
    assert words == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_splitmix__words_in_an_array_are_mixed_one_by_one():
    words = np.arange(100, dtype=np.uint64) * GOLDEN
    assert mixed(words).tolist() == [int(mixed(words[i : i + 1])[0]) for i in range(100)]
    assert len(np.unique(mixed(words))) == 100


def test_mixed_word__equals_the_arrays_word_for_word():
    words = np.random.default_rng(0).integers(0, 2**64, 50, dtype=np.uint64)
    assert [mixed_word(word) for word in words.tolist()] == mixed(words).tolist()
    assert mixed_word(2**64 + 5) == mixed_word(5)
