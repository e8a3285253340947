// Explain: every node coloured by a score, a learned value or the true distance to the target.

import { type NodeDetails, type NodeValues, type ValueKind, api } from "../api";
import { button, choiceOf, nodeField, strategyMenu } from "../controls";
import { fill, h } from "../dom";
import { scale } from "../palette";
import { type Session, type View, tell } from "../session";
import { drawPath, drawTag, mark } from "../overlay";

const MAX_ATTRIBUTES = 40;
const MAX_NEIGHBOURS = 60;

const KINDS: readonly [ValueKind, string][] = [
  ["score", "Score"],
  ["value", "Learned value"],
  ["distance", "True distance"],
];

const MEANING: Record<ValueKind, string> = {
  score: "How good each node looks as the next holder, to an agent that asks this strategy.",
  value: "How near the policy believes each node to be, learned from rewards alone.",
  distance: "Hops to the target. No agent knows this: it takes the whole graph to see it.",
};

const NO_VALUE = "None of the strategies that work on this graph learned a value. A policy that was trained by the method a2c did: garden serve --strategy RUN offers it.";

/** The third tab. */
export class Explain implements View {
  readonly id = "explain";
  readonly title = "Explain";
  readonly picture = true;
  private kind: ValueKind = "score";
  private values: NodeValues | null = null;
  private chosen: NodeDetails | null = null;
  private asked = 0;
  private readonly trouble = h("div", {});
  private readonly details = h("div", { class: "node-details", "aria-live": "polite", id: "node-details" });
  private readonly meaning = h("p", { class: "hint" });

  open(session: Session): void {
    fill(session.transport);
    session.stage.onTheme(() => this.paint(session));
    session.stage.onClick((node) => void this.choose(session, node));
    this.fill(session);
    fill(this.details, h("p", { class: "hint" }, "Click a node in the picture, or find one by name, to see what it knows."));
    void this.load(session);
  }

  close(): void {
    this.asked += 1;
    this.chosen = this.values = null;
  }

  private fill(session: Session): void {
    const again = (): void => void this.load(session);
    fill(
      session.panel,
      h("h1", {}, "Why this neighbour?"),
      this.trouble,
      choiceOf("Colour nodes by", KINDS, this.kind, (kind) => {
        this.kind = kind;
        again();
      }),
      this.meaning,
      h("div", { class: "form" },
        strategyMenu(session, session.strategy, (id) => { session.strategy = id; again(); }),
        nodeField(session, "Target", session.target, (node) => { session.target = node; again(); }),
        nodeField(session, "Look at", this.chosen?.node ?? session.source, (node) => void this.choose(session, node))),
      this.details,
    );
  }

  private async load(session: Session): Promise<void> {
    if (!session.graph) return;
    const asked = (this.asked += 1);
    this.meaning.textContent = MEANING[this.kind];
    if (this.kind === "value" && !this.withValue(session)) {
      this.meaning.textContent = NO_VALUE;
      return;
    }
    try {
      const values = await api.values(session.graph.id, this.kind, session.strategy, session.target);
      if (asked !== this.asked) return;
      this.values = values;
      tell(this.trouble, null);
      this.paint(session);
    } catch (error) {
      if (asked === this.asked) tell(this.trouble, error);
    }
  }

  /** Chooses a strategy that learned a value, if the chosen one did not; whether there is one. */
  private withValue(session: Session): boolean {
    const { strategies } = session.menu;
    if (strategies.find(({ id }) => id === session.strategy)?.has_value) return true;
    const other = strategies.find((strategy) => strategy.has_value && session.unfit(strategy) === null);
    if (!other) return false;
    session.strategy = other.id;
    this.fill(session);
    return true;
  }

  private paint(session: Session): void {
    const { colours } = session.stage;
    const values = this.values?.values ?? [];
    const place = shares(values, this.values?.kind === "distance");
    const ego = new Set(this.chosen ? [this.chosen.node, ...this.chosen.neighbours] : []);
    session.stage.container.dataset["colouredBy"] = this.values?.kind ?? "";
    session.stage.paint({
      colour: (node) => {
        const share = place[node];
        return share === undefined || share === null ? colours.dim : scale(share);
      },
      size: (node) => (node === session.target ? 1.8 : ego.has(node) ? 1.4 : 1.1),
      edge: () => colours.dimEdge,
      above: (node) => ego.has(node) || node === session.target,
    });
    session.stage.draw((context, at) => {
      const edges = this.chosen?.ego_edges ?? [];
      for (let edge = 0; edge + 1 < edges.length; edge += 2) {
        const [from, to] = [edges[edge] as number, edges[edge + 1] as number];
        const own = from === this.chosen?.node || to === this.chosen?.node;
        drawPath(context, [at(from), at(to)], own ? colours.seen : colours.seenEdge, own ? 1.4 : 0.5);
      }
      mark(context, at(session.target), colours.target, "diamond");
      drawTag(context, at(session.target), session.name(session.target), colours.target, colours.background, 16);
      if (this.chosen) {
        mark(context, at(this.chosen.node), colours.ink, "square");
        drawTag(context, at(this.chosen.node), this.chosen.name, colours.ink, colours.background, 16);
      }
      return false;
    });
    fill(session.legend, ...scaleLegend(values, this.values?.kind ?? this.kind));
  }

  private async choose(session: Session, node: number): Promise<void> {
    if (!session.graph) return;
    try {
      this.chosen = await api.node(session.graph.id, node, session.target, session.strategy);
      fill(this.details, ...this.describe(session, this.chosen));
      this.paint(session);
    } catch (error) {
      tell(this.trouble, error);
    }
  }

  private describe(session: Session, node: NodeDetails): HTMLElement[] {
    const scores = node.scores.filter(({ score }) => score !== null);
    const attributes = node.attributes.slice(0, MAX_ATTRIBUTES);
    const more = node.attributes.length - attributes.length;
    const neighbours = node.neighbours.slice(0, MAX_NEIGHBOURS).map((other) =>
      h("li", {}, button(session.name(other), () => void this.choose(session, other), "link")),
    );
    return [
      h("h2", {}, node.name),
      h("p", { class: "count" }, h("strong", {}, String(node.degree)), ` ${node.degree === 1 ? "neighbour" : "neighbours"}`),
      h("h3", {}, `Scores towards ${session.name(session.target)}`),
      scores.length
        ? h("dl", { class: "scores" }, ...scores.flatMap(({ label, score }) => [h("dt", {}, label), h("dd", {}, number(score as number))]))
        : h("p", { class: "hint" }, "No strategy has scored it yet."),
      h("h3", {}, "Attributes"),
      attributes.length ? h("ul", { class: "tags" }, ...attributes.map((text) => h("li", {}, text)), more > 0 && h("li", { class: "more" }, `and ${more} more`)) : h("p", { class: "hint" }, "It has none."),
      ...(node.heard.length ? [h("h3", {}, "What it heard"), h("ul", { class: "tags" }, ...node.heard.map((text) => h("li", {}, text)))] : []),
      h("details", {}, h("summary", {}, "Its neighbours"), h("ul", { class: "tags" }, ...neighbours)),
    ];
  }
}

/** Numbers as shares between 0 and 1 by rank, since scores have long tails; distances, nearest light, by value. */
function shares(values: readonly (number | null)[], distance: boolean): (number | null)[] {
  const known = values.filter((value): value is number => value !== null).sort((a, b) => a - b);
  if (!known.length) return values.map(() => null);
  const [low, high] = [known[0] as number, known[known.length - 1] as number];
  if (distance) return values.map((value) => (value === null ? null : 1 - (value - low) / Math.max(1, high - low)));
  const rank = new Map<number, number>();
  known.forEach((value, at) => rank.set(value, at / Math.max(1, known.length - 1)));
  return values.map((value) => (value === null ? null : (rank.get(value) ?? 0)));
}

function scaleLegend(values: readonly (number | null)[], kind: ValueKind): HTMLElement[] {
  const known = values.filter((value): value is number => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const strip = h("span", { class: "strip", "aria-hidden": "true" });
  const [dark, light] = kind === "distance" ? [high, low] : [low, high];
  const text = (value: number): string => (Number.isFinite(value) ? number(value) : "–");
  return [h("span", { class: "key-text" }, text(dark)), strip, h("span", { class: "key-text" }, text(light)), h("span", { class: "key" }, kind === "distance" ? "hops to the target" : `${kind}, coloured by rank`)];
}

function number(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(3);
}
