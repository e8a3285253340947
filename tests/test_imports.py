import subprocess
import sys


def test_import__the_interface_loads_no_library_that_few_calls_need():
    slow = ("scipy.optimize", "scipy.spatial", "scipy.sparse.csgraph", "networkx", "torch")
    code = f"import sys, garden.api; print([name for name in {slow} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
