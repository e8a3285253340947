"""Adapting and training in the background: one at a time, each in a process of its own.

A job waits, runs, and ends: done, failed or cancelled. Its process says how it goes; when it
crashes the job has failed and the server is as it was. A policy that is done joins the library.
"""

from __future__ import annotations

import io
import json
import logging
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from garden.api import load_policy
from garden.datasets.files import write_graph
from garden.errors import GardenError, SpecError, one_line
from garden.storage import write_text
from garden.web.job_process import GRAPH, NAME, POLICY
from garden.web.library import Library, UnknownIdError
from garden.web.schemas import JobState

Kind = Literal["adapt", "train"]
MAX_WAITING = 3
MAX_POINTS = 500  # of a curve
_GRACE_MINUTES = 5.0  # beyond a training's own limit: its first and last validations
_ADAPT_MINUTES = 30.0
_NOT_DOWNLOADED = {"state.safetensors"}  # what only a resumed training needs
_LOG = logging.getLogger("garden")


@dataclass
class Job:
    """One training or adaptation; everything that changes does so under the desk's lock."""

    id: str
    kind: Kind
    graph: str
    minutes: float
    folder: Path
    state: Literal["waiting", "running", "done", "failed", "cancelled"] = "waiting"
    progress: float = 0.0
    message: str = ""
    curves: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    strategy: str | None = None
    version: int = 0  # grows with each change
    process: subprocess.Popen[str] | None = None

    @property
    def over(self) -> bool:
        """Whether the job is done, has failed or was cancelled."""
        return self.state in ("done", "failed", "cancelled")

    def shown(self) -> JobState:
        """How the page sees it."""
        shared = {name: getattr(self, name) for name in JobState.model_fields}
        return JobState(**shared | {"progress": round(self.progress, 4)})


def command_of(job: Job) -> list[str]:
    """The command line of a job's process."""
    return [
        *(sys.executable, "-P", "-m", "garden.web.job_process"),
        *(job.kind, str(job.folder), str(job.minutes)),
    ]


class JobDesk:
    """All jobs of a server.

    Args:
        library: Where graphs come from and policies go to.
        command: The command line of a job's process.
    """

    def __init__(self, library: Library, command: Callable[[Job], list[str]] = command_of) -> None:
        self.library = library
        self.command = command
        self._lock = threading.RLock()
        self._jobs: dict[str, Job] = {}
        self._queue: queue.Queue[Job | None] = queue.Queue()
        self._root = Path(tempfile.mkdtemp(prefix="garden-jobs-"))
        self._worker: threading.Thread | None = None
        self._closed = False

    def start(self, kind: Kind, graph_id: str, minutes: float) -> JobState:
        """Put a job in the queue; a long queue is refused.

        Args:
            kind: Whether the shipped policy is adapted, or a new one trained.
            graph_id: The graph that it is to work on.
            minutes: How long a training may take.
        """
        graph = self.library.graph(graph_id)
        if kind == "adapt" and graph.num_attributes == 0:
            raise SpecError("the shipped policy compares attributes, and this graph has none")
        with self._lock:
            if sum(not job.over for job in self._jobs.values()) > MAX_WAITING:
                raise SpecError("others are waiting already: cancel one, or wait")
            job_id = f"j{len(self._jobs)}"
            job = Job(job_id, kind, graph_id, minutes, self._root / job_id)
            self._jobs[job_id] = job
            self._begin_work()
        job.folder.mkdir()
        write_graph(graph, job.folder / GRAPH)
        write_text(job.folder / NAME, self.library.graphs[graph_id].name)
        self._queue.put(job)
        return job.shown()

    def job(self, job_id: str) -> Job:
        """The job with this id."""
        if job_id not in self._jobs:
            raise UnknownIdError("no such job: reload the page")
        return self._jobs[job_id]

    def cancel(self, job_id: str) -> JobState:
        """End a job; one that is over stays as it is."""
        job = self.job(job_id)
        with self._lock:
            if not job.over:
                self._set(job, state="cancelled", message="")
                if job.process is not None:
                    job.process.kill()
        return job.shown()

    def archive(self, job_id: str) -> bytes:
        """The policy's folder as a zip file."""
        job = self.job(job_id)
        if job.state != "done":
            raise UnknownIdError("this job has no policy")
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted((job.folder / POLICY).iterdir()):
                if path.is_file() and path.name not in _NOT_DOWNLOADED:
                    archive.write(path, f"policy/{path.name}")
        return stream.getvalue()

    def close(self) -> None:
        """End whatever runs and remove what jobs wrote."""
        self._closed = True
        for job in list(self._jobs.values()):
            self.cancel(job.id)
        self._queue.put(None)
        if self._worker is not None:
            self._worker.join(10)
        shutil.rmtree(self._root, ignore_errors=True)

    def _begin_work(self) -> None:
        if self._worker is None:
            self._worker = threading.Thread(target=self._work, daemon=True)
            self._worker.start()

    def _work(self) -> None:
        while (job := self._queue.get()) is not None and not self._closed:
            try:
                self._run(job)
            except Exception as error:
                _LOG.error("a job failed: %s", type(error).__name__)
                self._end(job, "failed", "the server failed on this job: its log says more")

    def _run(self, job: Job) -> None:
        with self._lock:
            if job.over:
                return
            job.process = subprocess.Popen(
                self.command(job),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            self._set(job, state="running", message="setting up")
        limit = (job.minutes if job.kind == "train" else _ADAPT_MINUTES) + _GRACE_MINUTES
        watchdog = threading.Timer(60 * limit, job.process.kill)
        watchdog.start()
        try:
            problem = self._listen(job, job.process)
        finally:
            watchdog.cancel()
        self._finish(job, problem)

    def _listen(self, job: Job, process: subprocess.Popen[str]) -> str | None:
        """Follow what the process says until it ends; the problem that it or its end tells."""
        problem = None
        assert process.stdout is not None
        for line in process.stdout:
            try:
                said = json.loads(line)
            except ValueError:
                continue  # a library printed something
            problem = said.pop("error", None) or problem
            with self._lock:
                self._take(job, said)
        code = process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        return problem or (f"the process ended with code {code}" if code else None)

    def _take(self, job: Job, said: dict[str, Any]) -> None:
        if job.over:
            return
        point = said.pop("point", None)
        if point is not None:
            curve = job.curves.setdefault(str(point[0]), [])
            curve.append((float(point[1]), float(point[2])))
            del curve[:-MAX_POINTS]
        self._set(job, **said)

    def _finish(self, job: Job, problem: str | None) -> None:
        if job.over:  # cancelled
            return
        if problem is None and self._closed:
            problem = "the server ends"
        if problem is not None:
            self._end(job, "failed", problem)
            return
        try:
            policy = load_policy(job.folder / POLICY)
            verb = {"adapt": "adapted to", "train": "trained on"}[job.kind]
            name = f"{verb} {self.library.graphs[job.graph].name} ({job.id})"
            shelf = self.library.add_policy(name, policy)
        except GardenError as error:
            self._end(job, "failed", one_line(error).replace(str(job.folder), "the job"))
            return
        with self._lock:
            self._set(job, state="done", progress=1.0, strategy=shelf.id)

    def _end(self, job: Job, state: Literal["failed"], message: str) -> None:
        with self._lock:
            if not job.over:
                self._set(job, state=state, message=message)

    def _set(self, job: Job, **values: Any) -> None:
        for name in values.keys() & {"state", "progress", "message", "strategy"}:
            setattr(job, name, values[name])
        job.version += 1
