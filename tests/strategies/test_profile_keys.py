import numpy as np
import pytest
import scipy.sparse as sp

from garden.strategies.profile_keys import aligned_profile_distances, profile_distances


@pytest.mark.parametrize("gap", [0.0, 1e-3, 1.0])
def test_profile_distances__of_sparse_rows_survive_cancellation(gap):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(30, 40)) * 1000 * (rng.random((30, 40)) < 0.2)
    close = table + gap * (table != 0) * rng.normal(size=table.shape)
    candidates, targets = sp.csr_array(table), sp.csr_array(close)
    found = profile_distances(candidates, targets)
    for row in range(30):
        repeated = targets[np.full(30, row)]
        aligned = aligned_profile_distances(candidates, repeated)
        assert np.allclose(found[row], aligned, rtol=1e-9, atol=0)
    assert np.allclose(found, profile_distances(table, close), rtol=1e-9, atol=0)
