"""The application: its paths, each a few lines, and how errors become replies of one line."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from garden import __version__
from garden.errors import GardenError, one_line
from garden.web import schemas, trips
from garden.web.library import Library, UnknownIdError, random_pair
from garden.web.results import figure_file, result_entries
from garden.web.security import Gatekeeper

STATIC = Path(__file__).parent / "static"
MAX_PAIRS = 1_000
MAX_COMPARED = 8
_LOG = logging.getLogger("garden")
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {"model": schemas.Problem} for code in (400, 403, 404, 422)
}
Place = Annotated[int, Query(ge=0, le=2**31 - 1)]
Id = Annotated[str, Query(pattern=r"^[a-z][0-9]{1,6}$")]


def make_app(library: Library, host: str = "127.0.0.1") -> FastAPI:
    """The application of a server.

    Args:
        library: Its graphs and strategies.
        host: The host that it listens on, whose name requests may bear.
    """
    app = FastAPI(
        title="garden", version=__version__, docs_url=None, redoc_url=None, responses=_PROBLEMS
    )
    app.add_middleware(Gatekeeper, host=host)
    _handle_errors(app)
    _add_graphs(app, library)
    _add_trips(app, library)
    _add_results(app)
    if STATIC.is_dir():
        app.mount("/", StaticFiles(directory=STATIC, html=True))
    return app


def _handle_errors(app: FastAPI) -> None:
    def reply(status: int, text: str) -> JSONResponse:
        return JSONResponse({"error": text}, status_code=status)

    @app.exception_handler(GardenError)
    async def refused(_: Request, error: GardenError) -> JSONResponse:
        return reply(404 if isinstance(error, UnknownIdError) else 400, one_line(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        return reply(422, f"{where}: {first['msg']}")

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse(
            {"error": str(error.detail)}, status_code=error.status_code, headers=error.headers
        )

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> JSONResponse:
        _LOG.error("a request failed: %s", type(error).__name__)
        return reply(500, "the server failed on this request: its log says more")


def _add_graphs(app: FastAPI, library: Library) -> None:
    @app.get("/api/menu")
    def menu() -> schemas.Menu:
        return schemas.Menu(
            graphs=[shelf.entry() for shelf in list(library.graphs.values())],
            strategies=[shelf.entry() for shelf in list(library.strategies.values())],
            default_graph=next(iter(library.graphs)),
            default_strategy=next(iter(library.strategies)),
            game_graph=library.example,
            version=__version__,
            peers=False,
            stores_plays=False,
        )

    @app.get("/api/graphs/{graph}")
    def graph_picture(graph: str) -> schemas.GraphPicture:
        return trips.picture(library, graph)

    @app.get("/api/graphs/{graph}/pair")
    def pair(graph: str, seed: Place = 0) -> schemas.Pair:
        source, target = random_pair(library.graph(graph), seed)
        return schemas.Pair(source=source, target=target)

    @app.get("/api/graphs/{graph}/values")
    def values(
        graph: str, kind: schemas.ValueKind, strategy: Id, target: Place
    ) -> schemas.NodeValues:
        return trips.values(library, graph, kind, strategy, target)

    @app.get("/api/graphs/{graph}/nodes/{node}")
    def node_details(
        graph: str, node: int, target: Place | None = None, strategy: Id | None = None
    ) -> schemas.NodeDetails:
        if node < 0:
            raise UnknownIdError(f"no node {node}")
        return trips.details(library, graph, node, target, strategy)


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
    except GardenError as error:
        yield f"event: problem\ndata: {json.dumps(one_line(error))}\n\n"
        return
    except Exception as error:
        _LOG.error("a stream failed: %s", type(error).__name__)
        yield f"event: problem\ndata: {json.dumps('the server failed on this request')}\n\n"
        return
    yield "event: end\ndata: {}\n\n"


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

    @app.get("/api/peers")
    def peers() -> schemas.PeersState:
        return schemas.PeersState(
            up=False,
            message="no hosts are up on this machine",
            peers=[],
            links=[],
            delivered=0,
            under_way=0,
        )
