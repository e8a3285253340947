"""``garden humans``: people's games beside policies, and what people's choices go by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from garden.cli.console import Verb, busy, check_outputs, print_table, say
from garden.cli.result_text import write_json
from garden.errors import GardenError

if TYPE_CHECKING:
    from garden.graphs.graph import Graph
    from garden.humans.choice_model import Fit
    from garden.humans.comparison import Outcome
    from garden.humans.plays import Play

_DEFAULT = ("universal+explore", "random")
_BARE = ("connection", "random")  # on a graph without attributes


@dataclass(frozen=True)
class Humans(Verb):
    """Set games that people played on the page beside policies on the same pairs.

    Then fit to each player what their choices go by: the degree of a neighbour (hub-seeking) and
    the attributes that it shares with the target (similarity-seeking), a conditional logit with
    95 % intervals.
    """

    file: tyro.conf.Positional[Path]
    """The plays, as `garden serve` keeps them."""

    strategy: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """A strategy to compare with; may be repeated."""

    json: str | None = None
    """Write both tables as JSON to this file; - is standard output."""

    def run(self) -> None:
        """Compare people with strategies on the games of the file, fit their choices, print it."""
        from garden.humans.choice_model import fit_players
        from garden.humans.comparison import people_outcomes
        from garden.humans.plays import read_plays

        check_outputs(json=self.json)
        plays = read_plays(self.file)
        fits = fit_players(plays)
        rows: dict[str, list[Outcome]] = {}
        for name in dict.fromkeys(play.graph for play in plays):
            own = [play for play in plays if play.graph == name]
            rows[name] = people_outcomes(own) + self._policies(name, own)
        for name, outcomes in rows.items():
            columns = ("who", "games", "delivered", "mean ratio", "median ratio")
            print_table(f"Games on {name}", columns, [_outcome_row(o) for o in outcomes], self.json)
        titles = ("player", "choices", "ln degree", "shared attributes", "hubs", "similarity")
        print_table("What choices go by", titles, [_fit_row(fit) for fit in fits], self.json)
        say(
            "weights of a conditional logit with 95 % intervals, without steps that had the target "
            "on offer. Ratios are of delivered games, each over the shortest path of its own rules"
        )
        if self.json is not None:
            games = {name: [asdict(one) for one in outcomes] for name, outcomes in rows.items()}
            write_json({"games": games, "choices": [asdict(fit) for fit in fits]}, self.json)

    def _policies(self, name: str, plays: Sequence[Play]) -> list[Outcome]:
        """How strategies do on the same pairs; none where the graph is not at hand."""
        from garden.humans.comparison import policy_outcomes

        with busy(f"loading {name}"):
            graph = _graph_played(name)
        if graph is None:
            say(f"{name}: the graph is not at hand, so that no policy plays on it")
            return []
        default = _DEFAULT if graph.num_attributes else _BARE
        return policy_outcomes(graph, plays, self.strategy or default)


def _graph_played(name: str) -> Graph | None:
    from garden.api import load
    from garden.datasets.valley import VALLEY, valley

    if name == VALLEY:
        return valley()
    try:
        return load(name)
    except GardenError:
        return None


def _outcome_row(outcome: Outcome) -> tuple[str, ...]:
    ratios = (outcome.mean_ratio, outcome.median_ratio)
    shown = ("–" if ratio is None else f"{ratio:.2f}" for ratio in ratios)
    return (outcome.name, str(outcome.games), str(outcome.delivered), *shown)


def _fit_row(fit: Fit) -> tuple[str, ...]:
    if fit.weights is None or fit.lows is None or fit.highs is None:
        return (fit.player, str(fit.num_steps), "–", "–", fit.verdict(0), fit.verdict(1))
    bounds = zip(fit.weights, fit.lows, fit.highs, strict=True)
    shown = (f"{weight:.2f} [{low:.2f}, {high:.2f}]" for weight, low, high in bounds)
    return (fit.player, str(fit.num_steps), *shown, fit.verdict(0), fit.verdict(1))
