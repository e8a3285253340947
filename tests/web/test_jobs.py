"""Jobs in the background, with processes that do what trainings may do: say, crash, hang."""

import io
import json
import sys
import time
import zipfile
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from garden.errors import SpecError
from garden.web.app import make_app
from garden.web.jobs import MAX_WAITING, JobDesk
from garden.web.library import Library, UnknownIdError

HOME = "http://127.0.0.1:8414"
WEIGHTS = Path(__file__).parents[2] / "src" / "garden" / "weights" / "universal"
SAYS = """
import json, shutil
print("a library's own words")
print(json.dumps({"progress": 0.5, "message": "half"}))
print(json.dumps({"point": ["ratio", 1, 2.5]}))
shutil.copytree(%r, %r + "/policy")
"""
HANGS = "import sys, json; print(json.dumps({'progress': 0.1}), flush=True); sys.stdin.read()"
CRASHES = "import os; os.abort()"
REFUSES = "import json; print(json.dumps({'error': 'too small to split'}))"


def desk_of(library, code):
    def command(job):
        text = code % (str(WEIGHTS), str(job.folder)) if code is SAYS else code
        return [sys.executable, "-c", text]

    return JobDesk(library, command)


@pytest.fixture(scope="module")
def library():
    return Library((), ("connection",))


def ended(desk, job_id, wanted="over"):
    for _ in range(600):
        job = desk.job(job_id)
        if job.over or job.state == wanted:
            return job
        time.sleep(0.05)
    raise AssertionError(job.state)


def test_job__reports_progress_and_curves_and_its_policy_joins_the_library(library):
    desk = desk_of(library, SAYS)
    job = ended(desk, desk.start("adapt", library.example, 1).id)
    assert (job.state, job.progress, job.message) == ("done", 1.0, "half")
    assert job.curves == {"ratio": [(1.0, 2.5)]}
    assert library.strategy(job.strategy).name.startswith("adapted to valley")
    with zipfile.ZipFile(io.BytesIO(desk.archive(job.id))) as archive:
        assert "policy/config.json" in archive.namelist()
    desk.close()


@pytest.mark.parametrize(("code", "said"), [(CRASHES, "ended with code"), (REFUSES, "too small")])
def test_job__that_crashes_has_failed_and_the_next_one_runs(library, code, said):
    desk = desk_of(library, code)
    first = ended(desk, desk.start("train", library.example, 1).id)
    assert first.state == "failed"
    assert said in first.message
    assert ended(desk, desk.start("train", library.example, 1).id).state == "failed"
    with pytest.raises(UnknownIdError):
        desk.archive(first.id)
    desk.close()


def test_jobs__run_one_at_a_time_and_are_cancelled(library):
    desk = desk_of(library, HANGS)
    ids = [desk.start("train", library.example, 1).id for _ in range(MAX_WAITING + 1)]
    with pytest.raises(SpecError, match="waiting"):
        desk.start("train", library.example, 1)
    assert ended(desk, ids[0], "running").state == "running"
    assert [desk.job(one).state for one in ids[1:]] == ["waiting"] * MAX_WAITING
    for one in ids:
        assert desk.cancel(one).state == "cancelled"
    process = desk.job(ids[0]).process
    assert process.wait(20) != 0
    desk.close()
    assert all(desk.job(one).process is None for one in ids[1:])


def test_job__on_a_graph_without_attributes_cannot_be_adapted(library):
    import numpy as np

    from garden.graphs.graph import Graph

    bare = library.add_upload("bare", Graph.from_edges(np.array([(0, 1), (1, 2)]), 3)).id
    desk = desk_of(library, SAYS)
    with pytest.raises(SpecError, match="attributes"):
        desk.start("adapt", bare, 1)
    desk.close()


def test_events__stream_until_the_job_is_over(library, monkeypatch):
    monkeypatch.setattr("garden.web.jobs.command_of", None)
    desk = desk_of(library, REFUSES)
    monkeypatch.setattr("garden.web.app.JobDesk", lambda _: desk)
    with TestClient(make_app(library), base_url=HOME) as client:
        job = client.post("/api/jobs", json={"kind": "train", "graph": library.example}).json()
        events = client.get(f"/api/jobs/{job['id']}/events").text.strip().split("\n\n")
        assert events[-1] == "event: end\ndata: {}"
        assert json.loads(events[-2].removeprefix("data: "))["state"] == "failed"
        assert client.get(f"/api/jobs/{job['id']}/policy").status_code == 404
