"""Lines in place of a bar where standard error is no terminal; flags for how a graph is read."""

import io
import json
import threading
from contextlib import redirect_stderr

import pytest

from garden.cli import console
from garden.cli.console import (
    EVERY,
    GraphOptions,
    Heartbeat,
    Verbosity,
    busy,
    print_line,
    progress_bar,
    progress_lines,
)
from garden.cli.main import log_to_stderr, main
from garden.cli.reproduce import Lines
from garden.errors import DataError

MOST = 15  # seconds that anybody waits for a line


class Clock:
    """A clock that goes when it is told to."""

    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def beats_of(heart, clock, seconds):
    """Look at the clock every second, as the thread does."""
    for _ in range(seconds):
        clock.now += 1
        heart.beat()


def test_heartbeat__something_of_unknown_length_is_told_at_least_every_fifteen_seconds(clock):
    times, lines = [], []
    heart = Heartbeat(
        "loading x", clock, lambda line: (times.append(clock.now), lines.append(line))
    )
    beats_of(heart, clock, 60)
    assert lines[0] == "loading x: 10 s so far"
    gaps = [later - earlier for earlier, later in zip([100, *times], [*times, 160], strict=True)]
    assert max(gaps) <= MOST
    assert EVERY < MOST


def test_heartbeat__says_nothing_of_what_is_done_sooner(clock):
    lines = []
    heart = Heartbeat("loading x", clock, lines.append)
    beats_of(heart, clock, int(EVERY) - 1)
    assert lines == []


def test_heartbeat__says_how_much_is_done_and_how_long_the_rest_takes(clock):
    lines = []
    heart = Heartbeat("evaluating", clock, lines.append)
    heart.update("searching", 0, 200)
    beats_of(heart, clock, 9)
    clock.now += 1
    heart.update("searching", 50, 200)
    assert lines == ["searching: 25 % after 10 s, 30 s left"]


def test_heartbeat__counts_the_time_of_each_step_alone(clock):
    lines = []
    heart = Heartbeat("evaluating", clock, lines.append)
    clock.now += 95
    heart.update("searching", 1, 4)
    clock.now += 10
    heart.update("searching", 2, 4)
    assert lines == ["searching: 25 % after 0 s, 0 s left", "searching: 50 % after 10 s, 10 s left"]


def test_heartbeat__after_a_step_the_whole_is_at_work(clock):
    lines = []
    heart = Heartbeat("evaluating", clock, lines.append)
    heart.update("tuning", 1, 4)
    clock.now += 9
    heart.update("tuning", 4, 4)
    clock.now += 3
    heart.beat()
    assert lines == ["evaluating: 12 s so far"]


def test_heartbeat__a_fast_step_does_not_flood(clock):
    lines = []
    heart = Heartbeat("evaluating", clock, lines.append)
    for done in range(1000):
        clock.now += 0.01
        heart.update("searching", done, 1000)
    assert len(lines) <= 1


class WatchedStderr(io.StringIO):
    """A standard error that is no terminal and says when somebody wrote to it."""

    def __init__(self):
        super().__init__()
        self.written = threading.Event()

    def write(self, text):
        self.written.set()
        return super().write(text)


@pytest.fixture
def stderr(monkeypatch):
    monkeypatch.setattr(console, "EVERY", 0.0)
    monkeypatch.setattr(console, "CLOCK_INTERVAL", 0.001)
    log_to_stderr()
    return WatchedStderr()


def test_busy__a_line_comes_while_the_work_is_still_going_on(stderr):
    with redirect_stderr(stderr), busy("measuring a graph"):
        assert stderr.written.wait(30)
    assert stderr.getvalue().startswith("garden: measuring a graph: 0 s so far\n")


def test_progress_bar__a_line_comes_even_if_nobody_reports(stderr):
    with redirect_stderr(stderr), progress_bar("routing"):
        assert stderr.written.wait(30)
    assert stderr.getvalue().startswith("garden: routing: 0 s so far\n")


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self):
        return True


def test_progress_lines__a_terminal_gets_none(stderr, monkeypatch):
    monkeypatch.setattr(console, "Heartbeat", None)
    terminal = Terminal()
    with redirect_stderr(terminal), progress_lines("reproducing facebook") as progress:
        progress("facebook, 1 of 3 runs done", 0, 0)
    assert terminal.getvalue() == ""


def test_reproduce__a_run_that_takes_long_is_told_with_how_many_are_done(clock):
    lines = []
    heart = Heartbeat("reproducing facebook", clock, lines.append)
    watcher = Lines(heart.update)
    watcher.planned("facebook", 2, 3)
    beats_of(heart, clock, 10)
    assert lines == ["facebook, 2 of 5 runs done: 10 s so far"]


def test_busy__quiet_says_nothing_and_starts_nothing(stderr, monkeypatch):
    monkeypatch.setattr(console, "Heartbeat", None)
    log_to_stderr(Verbosity(quiet=True))
    with redirect_stderr(stderr), busy("measuring"), progress_bar("routing") as progress:
        progress("routing", 1, 2)
    assert stderr.getvalue() == ""


def test_heartbeat__ends_with_its_block_even_when_that_fails(stderr):
    before = threading.active_count()
    with pytest.raises(ValueError, match="broken"), busy("measuring"):
        raise ValueError("broken")
    assert threading.active_count() == before


def test_heartbeat__a_closed_standard_error_stops_nothing():
    closed = io.StringIO()
    closed.close()
    with redirect_stderr(closed):
        print_line("still here")


VERBS = {
    "data info": ["data", "info"],
    "evaluate": ["evaluate"],
    "route": ["route", "--source", "n0", "--target", "n5"],
    "task": ["task", "--out", "task.json"],
    "train": ["train", "--out", "run"],
    "adapt": ["adapt", "--out", "adapted"],
    "peers cut": ["peers", "cut", "--out", "peers"],
    "peers faults": ["peers", "faults"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"n{n},n{(n + 1) % 12},n{(n + 5) % 12}\n" for n in range(12)]
    (tmp_path / "edges.csv").write_text("p,q,r\n" + "".join(rows))
    people = [f"n{n},{20 + n},n{(n + 1) % 12}\n" for n in range(12)]
    (tmp_path / "nodes.csv").write_text("who,age,next\n" + "".join(people))
    return tmp_path


FLAGS = ["--source-column", "p", "--target-column", "q", "--node-column", "who"]


@pytest.mark.parametrize("verb", list(VERBS))
def test_graph_options__every_verb_that_loads_a_graph_has_them(verb, folder, capsys):
    first, *rest = VERBS[verb]
    if verb == "data info":
        first, rest = "data", ["info"]
    with pytest.raises(SystemExit) as caught:
        main([first, *rest, str(folder), *FLAGS[:2], "--target-column", "none"])
    assert caught.value.code == 2
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error.endswith("no column 'none', as --target-column says: there are p, q, r")
    assert {entry.name for entry in folder.iterdir()} == {"edges.csv", "nodes.csv"}


def test_graph_options__columns_and_scaling_reach_the_graph(folder, capsys):
    main(["data", "info", str(folder), *FLAGS, "--json", "-"])
    scaled = capsys.readouterr()
    assert "are scaled to mean 0 and variance 1" in scaled.err
    main(["data", "info", str(folder), *FLAGS, "--no-scaling", "--json", "-"])
    plain = capsys.readouterr()
    assert "scaled" not in plain.err
    measured = json.loads(scaled.out), json.loads(plain.out)
    assert [one["num_edges"] for one in measured] == [12, 12]
    assert measured[0]["content_hash"] != measured[1]["content_hash"]


def test_graph_options__without_them_the_error_asks_for_flags(folder, capsys):
    with pytest.raises(SystemExit):
        main(["evaluate", str(folder)])
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert "--source-column and --target-column" in error
    assert "source_column" not in error


def test_graph_options__errors_keep_their_kind_and_speak_of_flags(folder):
    with pytest.raises(DataError, match="as --node-column says"):
        GraphOptions("p", "q", "nobody").load(str(folder))


def test_graph_options__advice_repeats_them():
    assert GraphOptions().command_words("facebook:414") == "facebook:414"
    options = GraphOptions(source_column="the source", no_scaling=True)
    words = options.command_words("my graph.csv")
    assert words == "'my graph.csv' --source-column 'the source' --no-scaling"


def test_graph_options__data_list_shows_the_kinds(capsys):
    main(["data", "list"])
    out = capsys.readouterr().out
    for kind in ("collection:FAMILY/NAME", ".gexf", ".json", ".parquet", "MUSAE", ".edgelist"):
        assert kind in out
