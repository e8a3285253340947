import numpy as np
import scipy.sparse as sp

from garden.graphs.identity import profile_keys


def test_profile_keys__depend_on_the_profile_and_not_on_its_storage():
    table = np.array([[1, 0, 2], [0, 0, 0], [1, 0, 2], [2, 0, 1], [-0.0, 0, 0], [0, 1, 2]])
    keys = profile_keys(table.astype(np.float32))
    assert keys.tolist() == profile_keys(sp.csr_array(table.astype(np.float32))).tolist()
    assert keys[0] == keys[2]
    assert keys[1] == keys[4]
    assert len(np.unique(keys)) == 4
