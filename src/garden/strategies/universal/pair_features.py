"""The features of many pairs of ego graphs, compiled where numba is installed.

:mod:`garden.strategies.universal.features` defines them.
"""

from __future__ import annotations

import numpy as np

from garden.strategies.representations import Representations
from garden.strategies.universal.features import (
    NUM_FEATURES,
    num_columns_of,
    plain_pair_features,
)
from garden.strategies.universal.representation import FeatureRows, feature_rows

MANY_REAL = 32  # real columns of two ego graphs, beyond which a pair is compared entry by entry


class PairFeatures:
    """The features of pairs of ego graphs, for as many calls as one likes.

    Pairs with more than :data:`MANY_REAL` real columns, those of both ego graphs counted, are
    compared entry by entry (:mod:`.sparse_kernel`), the others column by column
    (:mod:`.kernel`): so the features of a pair follow from its two rows alone.
    """

    def __init__(self, candidates: Representations, targets: Representations) -> None:
        self._rows, self._targets = feature_rows(candidates), feature_rows(targets)
        self._num_columns = num_columns_of(self._rows, self._targets)
        self._entries: tuple[object, object] | None = None

    def __call__(self, pairs: np.ndarray) -> np.ndarray:
        """The features; quickest where pairs of one target stand together.

        Args:
            pairs: (num_pairs, 2) numbers of rows, of the candidate and of the target.

        Returns:
            (num_pairs, NUM_FEATURES) float32, columns in the order of :data:`PAIR_FEATURES`.

        """
        rows, targets = self._rows, self._targets
        pairs = np.asarray(pairs, dtype=np.int64)
        features = np.empty((len(pairs), NUM_FEATURES), dtype=np.float32)
        try:
            from garden.strategies.universal.kernel import fill_features
        except ImportError:  # no numba on this machine
            for number, (candidate, target) in enumerate(pairs):
                features[number] = plain_pair_features(rows, targets, int(candidate), int(target))
            return features
        many = self._have_many_real(pairs)
        if not many.any():
            fill_features(rows, targets, pairs, self._num_columns, features)
            return features
        features[many] = self._sparse_features(pairs[many])
        if not many.all():
            few = np.empty((int((~many).sum()), NUM_FEATURES), dtype=np.float32)
            fill_features(rows, targets, pairs[~many], self._num_columns, few)
            features[~many] = few
        return features

    def prepare(self) -> None:
        """Do now what otherwise the first pair with many real columns does, for use in threads."""
        if max(_most_real(self._rows), _most_real(self._targets)) > MANY_REAL // 2:
            self._sparse_features(np.empty((0, 2), dtype=np.int64))

    def _have_many_real(self, pairs: np.ndarray) -> np.ndarray:
        counts = [np.diff(side.real_columns_at) for side in (self._rows, self._targets)]
        many: np.ndarray = counts[0][pairs[:, 0]] + counts[1][pairs[:, 1]] > MANY_REAL
        return many

    def _sparse_features(self, pairs: np.ndarray) -> np.ndarray:
        try:
            from garden.strategies.universal.sparse_entries import entries_of
            from garden.strategies.universal.sparse_kernel import fill_sparse_features
        except ImportError:  # no numba on this machine
            return np.empty((0, NUM_FEATURES), dtype=np.float32)
        if self._entries is None:
            self._entries = entries_of(self._rows), entries_of(self._targets)
        features = np.empty((len(pairs), NUM_FEATURES), dtype=np.float32)
        fill_sparse_features(
            self._rows, self._targets, *self._entries, pairs, self._num_columns, features
        )
        return features


def _most_real(rows: FeatureRows) -> int:
    return int(np.diff(rows.real_columns_at).max(initial=0))


def pair_features(
    candidates: Representations, targets: Representations, pairs: np.ndarray
) -> np.ndarray:
    """The features of pairs of ego graphs, by :class:`PairFeatures`.

    Args:
        candidates: Rows of :func:`garden.strategies.universal.representation.ego_representations`.
        targets: Such rows too.
        pairs: (num_pairs, 2) numbers of rows, of the candidate and of the target.

    Returns:
        (num_pairs, NUM_FEATURES) float32, columns in the order of :data:`PAIR_FEATURES`.

    """
    return PairFeatures(candidates, targets)(pairs)
