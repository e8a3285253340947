from garden.experiments.run.config import Scope


def test_scope__its_command_makes_the_same_scope_again():
    assert Scope().command("density") == "garden reproduce density"
    some = Scope(quick=True, seeds=(0, 2), graphs=("0.1", "1.0"))
    assert (
        some.command("density") == "garden reproduce density --quick --seeds 0,2 --graphs 0.1,1.0"
    )
