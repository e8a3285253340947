import numpy as np

from garden.datasets.kaiser_hilgetag import kaiser_hilgetag
from garden.graphs.ego_extraction import ego_graphs
from garden.models.policy import Policy


def test_untrained__a_policy_is_of_its_seed_and_its_value_is_not_trained():
    graph = kaiser_hilgetag(n=40, beta=2, seed=1)
    policies = [
        Policy.untrained(graph.attribute_names, "garden", seed, profiles=graph.attributes)
        for seed in (0, 0, 1)
    ]
    one, same, other = (policy.represent(ego_graphs(graph)).arrays["row"] for policy in policies)
    assert np.array_equal(one, same)
    assert not np.allclose(one, other)
    assert not policies[0].info.trains_value


def test_untrained__profiles_standardise_attributes():
    graph = kaiser_hilgetag(n=40, beta=2, seed=1)
    plain, standardised = (
        Policy.untrained(graph.attribute_names, "garden", profiles=profiles)
        for profiles in (None, graph.attributes)
    )
    rows = [one.represent(ego_graphs(graph)).arrays["row"] for one in (plain, standardised)]
    assert not np.allclose(*rows)
