import pytest

from garden.errors import DataError
from garden.experiments.run.store import RUNS_FILE, Store
from small_work import Faulty


def test_store__a_half_written_line_is_dropped_and_done_again(tmp_path):
    store = Store(tmp_path)
    for number in range(2):
        store.add(Faulty(number), {"number": number}, {})
    path = tmp_path / RUNS_FILE
    whole = path.read_text()
    path.write_text(whole[:-9])
    cut = Store(tmp_path)
    assert Faulty(0) in cut
    assert Faulty(1) not in cut
    cut.add(Faulty(1), {"number": 1}, {})
    assert path.read_text() == whole
    assert Store(tmp_path).result(Faulty(1)) == {"number": 1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "another version"),
        ('{"format": "garden-results-1"}\n', "another version"),
        ('{"format": "garden-results-2"}\n{"key": 1\n', "line 2: damaged"),
    ],
)
def test_store__foreign_and_damaged_files_are_named(tmp_path, content, message):
    (tmp_path / RUNS_FILE).write_text(content)
    with pytest.raises(DataError, match=message):
        Store(tmp_path)
