"""SplitMix64: the mixing of 64-bit words behind episode streams, profile keys and graph hashes.

Whole numbers alone, wrapping around at 2⁶⁴, so that every machine gives the same bits. Compiled
kernels turn :func:`mixed` into machine code as it stands.

Reference: G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators",
OOPSLA 2014.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

Words = TypeVar("Words", np.ndarray, np.uint64)

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""The step between two states of a stream: 2⁶⁴ divided by the golden ratio, made odd."""
_FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
_MASK = (1 << 64) - 1


def mixed(words: Words) -> Words:
    """Each word scrambled, so that every bit of the result depends on every bit of the word.

    Args:
        words: One word or an array of them, uint64.

    Returns:
        As many words, uint64; different words stay different.

    """
    words = (words ^ (words >> np.uint64(30))) * _FIRST_FACTOR
    words = (words ^ (words >> np.uint64(27))) * _SECOND_FACTOR
    return words ^ (words >> np.uint64(31))


def mixed_word(word: int) -> int:
    """:func:`mixed` of one word as a plain whole number, which is quicker than an array of one.

    Args:
        word: At least 0; its lowest 64 bits count.

    """
    word &= _MASK
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
    return word ^ (word >> 31)
