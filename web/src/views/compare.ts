// Compare: strategies race on one pair, then on many, as a growing chart.

import { type Standing, type StrategyEntry, type Walk, api, followComparison } from "../api";
import { Chart, type Series } from "../chart";
import { button, nodeField, tick } from "../controls";
import { fill, h } from "../dom";
import { RACE_COLOURS } from "../palette";
import { Player } from "../player";
import { type Session, type View, tell } from "../session";
import type { Paint, Point } from "../stage";
import { Transport } from "../transport";
import { between, drawPath, mark, percent, prefersStill } from "../trip";

const MAX_RACERS = RACE_COLOURS.length;
const PAIRS = 100;
const FIRST_CHOICES = ["universal", "distance", "greedy", "random"];

interface Racer {
  walk: Walk;
  colour: string;
}

/** The second tab. */
export class Compare implements View {
  readonly id = "compare";
  readonly title = "Compare";
  readonly picture = true;
  private chosen: string[] = [];
  private racers: Racer[] = [];
  private share = 0;
  private player: Player | null = null;
  private transport: Transport | null = null;
  private stop: (() => void) | null = null;
  private readonly trouble = h("div", {});
  private readonly counters = h("ol", { class: "racers", id: "racers" });
  private readonly ratio = new Chart({ title: "Oracle ratio so far (1 is the shortest path)", xLabel: "pairs", yLabel: "", from: 1 });
  private readonly truncated = new Chart({ title: "Messages given up so far", xLabel: "pairs", yLabel: "", from: 0, format: percent });
  private readonly many = h("div", { class: "many", "aria-live": "polite" });

  open(session: Session): void {
    const fit = new Set(able(session).map(({ id }) => id));
    this.chosen = this.chosen.filter((id) => fit.has(id));
    if (!this.chosen.length) this.chosen = firstChoices(session);
    this.player = new Player((_, share) => this.moment(session, share), () => this.update());
    this.player.speed = 2;
    this.transport = new Transport(session.transport, this.player);
    session.stage.onTheme(() => this.paint(session));
    session.stage.onClick(() => undefined);
    fill(session.legend, h("span", { class: "key key-source" }, "source"), h("span", { class: "key key-target" }, "target"), h("span", { class: "key" }, "each strategy has its own colour and number"));
    this.fill(session);
    void this.race(session);
  }

  close(): void {
    this.stop?.();
    this.player?.pause();
    this.stop = this.player = this.transport = null;
    this.racers = [];
  }

  private fill(session: Session): void {
    const boxes = session.menu.strategies.map((entry) => {
      const { id, name } = entry;
      const changed = (on: boolean): void => {
        this.chosen = on ? [...this.chosen, id].slice(-MAX_RACERS) : this.chosen.filter((other) => other !== id);
        void this.race(session);
      };
      return tick(name, this.chosen.includes(id), changed, session.unfit(entry));
    });
    const again = (): void => void this.race(session);
    fill(
      session.panel,
      h("h1", {}, "One pair, several minds"),
      h("p", { class: "lead" }, "Every strategy sends the same message at the same time."),
      this.trouble,
      this.counters,
      h("div", { class: "row" }, button("Another pair", () => void this.another(session)), button(`Race on ${PAIRS} pairs`, () => this.raceOnMany(session), "primary")),
      this.many,
      h("details", {}, h("summary", {}, "Who takes part"), h("div", { class: "ticks" }, ...boxes),
        h("div", { class: "form" },
          nodeField(session, "From", session.source, (node) => { session.source = node; again(); }),
          nodeField(session, "To", session.target, (node) => { session.target = node; again(); }))),
    );
  }

  private async another(session: Session): Promise<void> {
    await session.anotherPair().catch((error: unknown) => tell(this.trouble, error));
    this.fill(session);
    await this.race(session);
  }

  private async race(session: Session): Promise<void> {
    if (!session.graph || !this.player) return;
    const { id } = session.graph;
    const asked = [...this.chosen];
    const sent = asked.map((strategy) => api.walk(id, strategy, session.source, session.target, session.seed));
    const replies = await Promise.allSettled(sent);
    if (!this.player || asked.join() !== this.chosen.join()) return;
    const refused = replies.find((reply) => reply.status === "rejected");
    tell(this.trouble, refused ? refused.reason : null);
    this.racers = replies.flatMap((reply, at) =>
      reply.status === "fulfilled" ? [{ walk: reply.value, colour: RACE_COLOURS[at % MAX_RACERS] as string }] : [],
    );
    this.paint(session);
    session.stage.draw((context, place) => this.draw(session, context, place));
    this.player.load(Math.max(0, ...this.racers.map(({ walk }) => walk.path.length - 1)));
    if (prefersStill()) this.player.seek(this.player.hops);
    else this.player.play();
  }

  private moment(session: Session, share: number): void {
    this.share = share;
    session.stage.draw((context, place) => this.draw(session, context, place));
  }

  private update(): void {
    this.transport?.update();
    const hop = this.player?.hop ?? 0;
    fill(this.counters, ...this.racers.map((racer, at) => counter(racer, hop, at + 1)));
  }

  private paint(session: Session): void {
    const { colours } = session.stage;
    const paths = new Set(this.racers.flatMap(({ walk }) => walk.path));
    const paint: Paint = {
      colour: (node) => (node === session.target ? colours.target : node === session.source ? colours.source : paths.has(node) ? colours.seen : colours.dim),
      size: (node) => (node === session.target || node === session.source ? 1.6 : 0.9),
      edge: () => colours.dimEdge,
      above: (node) => paths.has(node),
    };
    session.stage.paint(paint);
  }

  private draw(session: Session, context: CanvasRenderingContext2D, place: (node: number) => Point): boolean {
    const hop = this.player?.hop ?? 0;
    const { colours } = session.stage;
    this.racers.forEach(({ walk, colour }, at) => {
      const shift = offset(at, this.racers.length);
      const moved = (node: number): Point => ({ x: place(node).x + shift, y: place(node).y + shift });
      const points = walk.path.slice(0, hop + 1).map(moved);
      const [from, next] = [walk.path[Math.min(hop, walk.path.length - 1)] as number, walk.path[hop + 1]];
      const head = next === undefined ? moved(from) : between(moved(from), moved(next), this.share);
      drawPath(context, [...points, head], colour, 3);
      dot(context, head, colour, colours.background, at + 1);
    });
    mark(context, place(session.source), colours.source, "square");
    mark(context, place(session.target), colours.target, "diamond");
    return false;
  }

  private raceOnMany(session: Session): void {
    if (!session.graph) return;
    this.stop?.();
    const standings = new Map<string, Standing[]>(this.chosen.map((id) => [id, []]));
    const table = h("table", { class: "standings" });
    fill(this.many, this.ratio.element, this.truncated.element, table);
    const show = (): void => {
      const lines = this.chosen.map((id, at) => ({ id, colour: RACE_COLOURS[at % MAX_RACERS] as string, list: standings.get(id) ?? [] }));
      const series = (value: (standing: Standing) => number): Series[] =>
        lines.map(({ id, colour, list }) => ({ name: session.label(id), colour, points: list.map((one) => [one.pairs_done, value(one)] as const) }));
      this.ratio.update(series((one) => one.oracle_ratio ?? Number.NaN));
      this.truncated.update(series((one) => one.truncation_rate));
      fill(table, ...standingRows(session, lines));
    };
    show();
    const heard = (standing: Standing): void => {
      standings.get(standing.strategy)?.push(standing);
      show();
    };
    this.stop = followComparison(session.graph.id, this.chosen, PAIRS, session.seed, heard, (trouble) => {
      if (trouble !== null) fill(this.many, h("p", { class: "problem", role: "alert" }, trouble));
      else this.many.dataset["done"] = "true";
    });
  }
}

/** The strategies that can work on the chosen graph. */
function able(session: Session): StrategyEntry[] {
  return session.menu.strategies.filter((one) => session.unfit(one) === null);
}

function firstChoices(session: Session): string[] {
  const all = able(session);
  const wanted = FIRST_CHOICES.flatMap((stem) => all.find(({ name }) => name.startsWith(stem))?.id ?? []);
  return [...new Set([session.strategy, ...wanted])].slice(0, 4);
}

function counter({ walk, colour }: Racer, hop: number, number: number): HTMLElement {
  const hops = walk.path.length - 1;
  const here = Math.min(hop, hops);
  const arrived = walk.delivered && hop >= hops;
  const state = arrived ? "delivered" : hop >= hops ? "given up" : "on its way";
  return h("li", { class: arrived ? "arrived" : "" }, swatch(colour, number), h("span", { class: "racer-name" }, walk.label), h("strong", {}, String(here)), h("span", { class: "racer-state" }, `${here === 1 ? "hop" : "hops"}, ${state}`));
}

function standingRows(session: Session, lines: { id: string; colour: string; list: Standing[] }[]): HTMLElement[] {
  const head = h("thead", {}, h("tr", {}, ...["Strategy", "Pairs", "Oracle ratio", "Given up"].map((text) => h("th", { scope: "col" }, text))));
  const rows = lines.map(({ id, colour, list }, at) => {
    const last = list[list.length - 1];
    return h("tr", {}, h("th", { scope: "row" }, swatch(colour, at + 1), session.label(id)), h("td", {}, last ? last.pairs_done : 0),
      h("td", {}, last?.oracle_ratio ? last.oracle_ratio.toFixed(2) : "–"), h("td", {}, last ? percent(last.truncation_rate) : "–"));
  });
  return [head, h("tbody", {}, ...rows)];
}

/** A strategy's colour with its number, for those who do not go by colour. */
function swatch(colour: string, number: number): HTMLElement {
  const made = h("span", { class: "swatch", "aria-hidden": "true" }, number);
  made.style.background = colour;
  return made;
}

/** Paths on the same link lie beside each other. */
function offset(at: number, count: number): number {
  return (at - (count - 1) / 2) * 3;
}

function dot(context: CanvasRenderingContext2D, at: Point, colour: string, rim: string, number: number): void {
  context.fillStyle = colour;
  context.strokeStyle = rim;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(at.x, at.y, 9, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  context.fillStyle = "#ffffff";
  context.font = "700 11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(String(number), at.x, at.y + 0.5);
}
