"""The application: its paths, each a few lines, and how errors become replies of one line."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from garden import __version__
from garden.errors import GardenError, one_line
from garden.web import pictures, schemas, trips
from garden.web.games import GameBook
from garden.web.jobs import Job, JobDesk
from garden.web.library import Library, UnknownIdError, random_pair
from garden.web.peers_state import AskHosts, PeersWatch
from garden.web.results import figure_file, result_entries
from garden.web.security import BodyLimit, Gatekeeper
from garden.web.uploads import WhichColumnsError, parsed, receive, stored_name, upload_folder

STATIC = Path(__file__).parent / "static"
MAX_PAIRS = 1_000
MAX_COMPARED = 8
JOB_INTERVAL = 0.2  # seconds between two looks at a job
GAME_NOTE = (
    "The game is best on Wikispeedia, whose articles have names that everybody knows. Its data are "
    "not on this computer (garden data fetch wikispeedia), so that you play among made-up people."
)
_LOG = logging.getLogger("garden")
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {"model": schemas.Problem} for code in (400, 403, 404, 413, 422)
}
Place = Annotated[int, Query(ge=0, le=2**31 - 1)]
Column = Annotated[str | None, Query(max_length=400)]
Id = Annotated[str, Query(pattern=r"^[a-z][0-9]{1,6}$")]


def make_app(
    library: Library,
    host: str = "127.0.0.1",
    plays: Path | None = None,
    ask_hosts: AskHosts | None = None,
) -> FastAPI:
    """The application of a server.

    Args:
        library: Its graphs and strategies.
        host: The host that it listens on, whose name requests may bear.
        plays: The file that people's games are added to, where they agree; None keeps none.
        ask_hosts: Asks the hosts that are up on this machine how they are.
    """
    desk, games = JobDesk(library), GameBook(library, plays)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        desk.close()

    app = FastAPI(
        title="garden",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        responses=_PROBLEMS,
        lifespan=lifespan,
    )
    app.add_middleware(BodyLimit)
    app.add_middleware(Gatekeeper, host=host)  # the outermost
    _handle_errors(app)
    _add_menu(app, library, plays is not None)
    _add_graphs(app, library)
    _add_trips(app, library)
    _add_games(app, games)
    _add_uploads(app, library)
    _add_jobs(app, desk)
    _add_results(app)
    _add_peers(app, ask_hosts)
    if STATIC.is_dir():
        app.mount("/", StaticFiles(directory=STATIC, html=True))
    return app


def _handle_errors(app: FastAPI) -> None:
    def reply(
        status: int, text: str, headers: Mapping[str, str] | None = None, **more: list[str]
    ) -> JSONResponse:
        return JSONResponse({"error": text, **more}, status_code=status, headers=headers)

    @app.exception_handler(GardenError)
    async def refused(_: Request, error: GardenError) -> JSONResponse:
        return reply(404 if isinstance(error, UnknownIdError) else 400, one_line(error))

    @app.exception_handler(WhichColumnsError)
    async def unclear(_: Request, error: WhichColumnsError) -> JSONResponse:
        return reply(400, one_line(error), columns=error.columns, arguments=error.arguments)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        if first["type"] == "json_invalid":
            return reply(422, "the request is no JSON")
        where = ".".join(str(part) for part in first["loc"][1:])
        said = first["msg"][:1].lower() + first["msg"][1:]
        return reply(422, f"{where}: {said}" if where else f"the request: {said}")

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> JSONResponse:
        return reply(error.status_code, str(error.detail), error.headers)

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> JSONResponse:
        _LOG.error("a request failed: %s", type(error).__name__)
        return reply(500, "the server failed on this request: its log says more")


def _add_menu(app: FastAPI, library: Library, stores_plays: bool) -> None:
    @app.get("/api/menu")
    def menu() -> schemas.Menu:
        return schemas.Menu(
            graphs=[shelf.entry() for shelf in list(library.graphs.values())],
            strategies=[shelf.entry() for shelf in list(library.strategies.values())],
            default_graph=next(iter(library.graphs)),
            default_strategy=next(iter(library.strategies)),
            game_graph=library.game_graph,
            version=__version__,
            peers=True,
            stores_plays=stores_plays,
            game_note=None if library.game_graph != library.example else GAME_NOTE,
        )


def _add_graphs(app: FastAPI, library: Library) -> None:
    @app.get("/api/graphs/{graph}")
    def graph_picture(graph: str) -> schemas.GraphPicture:
        return pictures.picture(library, graph)

    @app.get("/api/graphs/{graph}/pair")
    def pair(graph: str, seed: Place = 0) -> schemas.Pair:
        source, target = random_pair(library.graph(graph), seed)
        return schemas.Pair(source=source, target=target)

    @app.get("/api/graphs/{graph}/values")
    def values(
        graph: str, kind: schemas.ValueKind, strategy: Id, target: Place
    ) -> schemas.NodeValues:
        return pictures.values(library, graph, kind, strategy, target)

    @app.get("/api/graphs/{graph}/nodes/{node}")
    def node_details(
        graph: str, node: int, target: Place | None = None, strategy: Id | None = None
    ) -> schemas.NodeDetails:
        if node < 0:
            raise UnknownIdError(f"no node {node}")
        return pictures.details(library, graph, node, target, strategy)


def _add_trips(app: FastAPI, library: Library) -> None:
    @app.post("/api/walks")
    def walk(asked: schemas.WalkAsked) -> schemas.Walk:
        return trips.trip(library, asked)

    @app.get("/api/comparisons")
    def compare(
        graph: Id,
        strategies: Annotated[str, Query(pattern=r"^s[0-9]{1,6}(,s[0-9]{1,6})*$", max_length=80)],
        pairs: Annotated[int, Query(ge=1, le=MAX_PAIRS)] = 100,
        seed: Place = 0,
    ) -> StreamingResponse:
        chosen = list(dict.fromkeys(strategies.split(",")))[:MAX_COMPARED]
        library.graph(graph)
        for one in chosen:
            library.strategy(one)
        found = trips.standings(library, graph, chosen, pairs, seed)
        return StreamingResponse(_events(found), media_type="text/event-stream")


def _events(values: Iterator[schemas.Standing]) -> Iterator[str]:
    """Server-sent events: one for each value, then ``end``, or ``problem`` with one line."""
    try:
        for value in values:
            yield f"data: {value.model_dump_json()}\n\n"
        yield "event: end\ndata: {}\n\n"
    except GardenError as error:
        yield f"event: problem\ndata: {json.dumps(one_line(error))}\n\n"
    except Exception as error:
        _LOG.error("a stream failed: %s", type(error).__name__)
        yield f"event: problem\ndata: {json.dumps('the server failed on this request')}\n\n"


def _add_results(app: FastAPI) -> None:
    @app.get("/api/results")
    def results() -> list[schemas.ResultEntry]:
        return result_entries()

    @app.get("/api/results/{section}/{name}", response_class=Response)
    def figure(section: str, name: str) -> Response:
        path = figure_file(section, name)
        if path is None:
            raise UnknownIdError("no such figure")
        return FileResponse(path, media_type="image/png")


def _add_games(app: FastAPI, games: GameBook) -> None:
    @app.post("/api/games")
    def start(asked: schemas.GameAsked) -> schemas.Game:
        return games.start(asked)

    @app.post("/api/games/{game}/moves")
    def move(game: str, asked: schemas.MoveAsked) -> schemas.Game:
        return games.move(game, asked.node)

    @app.post("/api/games/{game}/give-up")
    def give_up(game: str) -> schemas.Game:
        return games.give_up(game)


def _add_uploads(app: FastAPI, library: Library) -> None:
    @app.post("/api/uploads", responses={400: {"model": schemas.Problem | schemas.WhichColumns}})
    async def upload(
        request: Request,
        name: Annotated[str, Query(min_length=1, max_length=400)],
        source_column: Column = None,
        target_column: Column = None,
        node_column: Column = None,
    ) -> schemas.UploadEntry:
        columns = {
            "source_column": source_column,
            "target_column": target_column,
            "node_column": node_column,
        }
        stored = stored_name(name)
        with upload_folder() as folder:
            await receive(request.stream(), Path(folder) / stored)
            found = await run_in_threadpool(parsed, Path(folder), stored, name, columns)
        entry = library.add_upload(found.name, found.graph).entry()
        return schemas.UploadEntry(**entry.model_dump(), messages=found.messages)


def _add_jobs(app: FastAPI, desk: JobDesk) -> None:
    @app.post("/api/jobs")
    def start(asked: schemas.JobAsked) -> schemas.JobState:
        return desk.start(asked.kind, asked.graph, asked.minutes)

    @app.get("/api/jobs/{job}")
    def state(job: str) -> schemas.JobState:
        return desk.job(job).shown()

    @app.delete("/api/jobs/{job}")
    def cancel(job: str) -> schemas.JobState:
        return desk.cancel(job)

    @app.get("/api/jobs/{job}/events")
    async def events(job: str) -> StreamingResponse:
        return StreamingResponse(_job_events(desk.job(job)), media_type="text/event-stream")

    @app.get("/api/jobs/{job}/policy", response_class=Response)
    def policy(job: str) -> Response:
        headers = {"content-disposition": f'attachment; filename="garden-policy-{job}.zip"'}
        return Response(desk.archive(job), media_type="application/zip", headers=headers)


async def _job_events(job: Job) -> AsyncIterator[str]:
    """The state of a job whenever it changes, until it is over."""
    told = -1
    while True:
        over = job.over
        if job.version != told:
            told = job.version
            yield f"data: {job.shown().model_dump_json()}\n\n"
        if over:
            yield "event: end\ndata: {}\n\n"
            return
        await asyncio.sleep(JOB_INTERVAL)


def _add_peers(app: FastAPI, ask_hosts: AskHosts | None) -> None:
    watch = PeersWatch(ask_hosts)

    @app.get("/api/peers")
    def peers() -> schemas.PeersState:
        return watch.state()
