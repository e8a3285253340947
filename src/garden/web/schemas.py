"""What the server is asked and what it replies, as typed values; nodes go by position."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Seed = Annotated[int, Field(ge=0, le=2**31 - 1)]
Position = Annotated[int, Field(ge=0, le=2**31 - 1)]
Identifier = Annotated[str, Field(pattern=r"^[a-z][0-9]{1,6}$")]
Knows = Literal["ego", "gossip"]
ValueKind = Literal["score", "value", "distance"]


class _Asked(BaseModel):
    """A request: fields that nobody knows are refused."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """What went wrong, in one line."""

    error: str


class WhichColumns(Problem):
    """A file of which a person must say what its columns are, by parameters of the upload."""

    columns: list[str]
    arguments: list[str]


class GraphEntry(BaseModel):
    """A graph that can be chosen; its size is null until it is loaded."""

    id: str
    name: str
    num_nodes: int | None
    num_edges: int | None
    source: Literal["command", "upload", "shipped"]


class StrategyEntry(BaseModel):
    """A strategy that can be chosen, and what its agents know."""

    id: str
    name: str
    knows: Knows
    needs_attributes: bool
    learned: bool
    has_value: bool


class Menu(BaseModel):
    """What can be chosen, and what the server can do."""

    graphs: list[GraphEntry]
    strategies: list[StrategyEntry]
    default_graph: str
    default_strategy: str
    game_graph: str
    version: str
    peers: bool
    stores_plays: bool
    game_note: str | None  # why the game is not on Wikispeedia, where it is not


class GraphPicture(BaseModel):
    """A graph as it is drawn: of its edges at most 20,000."""

    id: str
    name: str
    num_nodes: int
    num_edges: int
    names: list[str]
    x: list[float]
    y: list[float]
    degree: list[int]
    edges: list[int]  # (2 * num_drawn,): source, target, source, target, …
    attribute_names: list[str]


class Pair(BaseModel):
    """A source and a target."""

    source: int
    target: int


class WalkAsked(_Asked):
    """A request: send one message by this strategy from a source to a target."""

    graph: Identifier
    strategy: Identifier
    source: Position
    target: Position
    seed: Seed = 0


class Hop(BaseModel):
    """What the holder could choose from, and what it chose."""

    holder: int
    candidates: list[int]
    probabilities: list[float]  # aligned with candidates, after the memory
    scores: list[float | None]
    chosen: int
    seen: list[int]  # nodes in the ego graphs of the holder's neighbours, at most 3,000
    heard: list[str] | None = None


class Walk(BaseModel):
    """One message's trip, hop by hop, as the page draws it."""

    graph: str
    strategy: str
    label: str
    memory: str
    knows: Knows
    source: int
    target: int
    path: list[int]
    hops: list[Hop]
    delivered: bool
    distance: int
    shortest_path: list[int]
    max_hops: int
    rounds: int


class Standing(BaseModel):
    """Where one strategy stands in a comparison on many pairs."""

    strategy: str
    label: str
    pairs_done: int
    num_pairs: int
    oracle_ratio: float | None
    truncation_rate: float


class NodeValues(BaseModel):
    """A number for each node."""

    kind: ValueKind
    target: int
    values: list[float | None]


class NodeScore(BaseModel):
    """A strategy's score of one node."""

    strategy: str
    label: str
    score: float | None


class NodeDetails(BaseModel):
    """What is known of one node."""

    node: int
    name: str
    degree: int
    attributes: list[str]
    neighbours: list[int]
    ego_edges: list[int]
    scores: list[NodeScore]
    heard: list[str]


class PeerState(BaseModel):
    """One peer of a host that is up."""

    name: str
    host: str
    alive: bool
    settled: bool = False
    under_way: int = 0  # messages that it waits with for an acknowledgement
    x: float
    y: float


class PeersState(BaseModel):
    """The hosts that are up on this machine."""

    up: bool
    message: str
    peers: list[PeerState]
    links: list[int]  # (2 * num_links,): places in the list of peers, two for each link
    open: list[bool]  # (num_links,)
    delivered: int  # messages that people sent
    under_way: int


class UploadEntry(GraphEntry):
    """A graph that was just uploaded, with what its reader had to say."""

    messages: list[str]


class JobAsked(_Asked):
    """A policy to adapt or train on a graph."""

    kind: Literal["adapt", "train"]
    graph: Identifier
    minutes: Annotated[float, Field(gt=0, le=60)] = 2.0


class JobState(BaseModel):
    """How a job goes; ``strategy`` is the id of its policy once it is done."""

    id: str
    kind: Literal["adapt", "train"]
    graph: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    progress: float
    message: str
    curves: dict[str, list[tuple[float, float]]]
    strategy: str | None


class GameAsked(_Asked):
    """A game to begin: ``player`` is a random number that joins one person's plays, if any."""

    graph: Identifier
    directed: bool = False
    daily: bool = False
    consent: bool = False
    player: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")] | None = None


class MoveAsked(_Asked):
    """A request of a game: the neighbour that the player passes the message to."""

    node: Position


class GameChoice(BaseModel):
    """A neighbour as the player sees it: what it shares with the target, how many links it has."""

    node: int
    name: str
    degree: int
    shared: list[str]
    is_target: bool


class PolicyPath(BaseModel):
    """What a policy did on the player's pair."""

    label: str
    path: list[int]
    delivered: bool


class PeopleStanding(BaseModel):
    """Where a game stands among finished games of the same shortest distance."""

    games: int
    better_share: float
    mean_ratio: float


class GameResult(BaseModel):
    """The end of a game."""

    hops: int
    distance: int
    shortest_path: list[int]
    policy: PolicyPath
    ratio: float | None
    people: PeopleStanding | None
    notes: list[str]
    share: str
    stored: bool


class Game(BaseModel):
    """A game under way or at its end."""

    id: str
    graph: str
    source: int
    target: int
    target_name: str
    target_attributes: list[str]
    holder: int
    path: list[int]
    choices: list[GameChoice]
    directed: bool
    daily: str | None
    max_hops: int
    over: bool
    delivered: bool
    result: GameResult | None


class ResultTable(BaseModel):
    """One table of the reproduction."""

    title: str
    columns: list[str]
    rows: list[list[str]]


class ResultFigure(BaseModel):
    """One figure of the reproduction."""

    title: str
    url: str


class ResultEntry(BaseModel):
    """One section of the reproduction and the command that made it."""

    id: str
    title: str
    tables: list[ResultTable]
    figures: list[ResultFigure]
    command: str
