// What the views share: the menu, the picture, the chosen graph and pair.

import { type GraphPicture, type Menu, Refused, type StrategyEntry, api } from "./api";
import { byId, fill, h } from "./dom";
import { Stage } from "./stage";

/** One tab of the page. `open` fills the panel; `close` lets go of what it holds. */
export interface View {
  readonly id: string;
  readonly title: string;
  readonly picture: boolean; // whether it shows a graph
  readonly ownPicture?: boolean; // whether that is another one than the menu's
  open(session: Session): Promise<void> | void;
  close(): void;
}

/** The state of the page while it is open. */
export class Session {
  readonly stage = new Stage(byId("stage"));
  readonly panel = byId("panel");
  readonly legend = byId("legend");
  readonly transport = byId("transport");
  menu: Menu;
  graph: GraphPicture | null = null;
  private wanted: string;
  source = 0;
  target = 1;
  seed = 0;
  private readonly pictures = new Map<string, GraphPicture>();

  constructor(menu: Menu) {
    this.menu = menu;
    this.wanted = menu.default_strategy;
  }

  /** The strategy that was chosen; where it cannot work on the graph, the first that can. */
  get strategy(): string {
    const { strategies } = this.menu;
    const chosen = strategies.find(({ id }) => id === this.wanted);
    if (!chosen || this.unfit(chosen) === null) return this.wanted;
    return strategies.find((one) => this.unfit(one) === null)?.id ?? this.wanted;
  }

  set strategy(id: string) {
    this.wanted = id;
  }

  /** Why a strategy cannot work on the chosen graph; null where it can. */
  unfit(strategy: StrategyEntry): string | null {
    const bare = this.graph?.attribute_names.length === 0;
    return bare && strategy.needs_attributes ? "compares attributes, and this graph has none" : null;
  }

  /** Loads and shows a graph, and draws a pair on it where the graph is another one. */
  async choose(id: string): Promise<GraphPicture> {
    if (this.graph?.id === id) {
      this.stage.show(this.graph);
      return this.graph;
    }
    const known = this.pictures.get(id);
    const picture = known ?? (await api.graph(id));
    this.pictures.set(id, picture);
    const { source, target } = await api.pair(id, this.seed);
    [this.source, this.target] = [source, target];
    this.graph = picture;
    this.stage.show(picture);
    return picture;
  }

  /** Asks the server again what can be chosen. */
  async reload(): Promise<void> {
    this.menu = await api.menu();
  }

  /** The name of a node of the chosen graph. */
  name(node: number): string {
    return this.graph?.names[node] ?? String(node);
  }

  /** How a strategy is called. */
  label(strategy: string): string {
    return this.menu.strategies.find(({ id }) => id === strategy)?.name ?? strategy;
  }

  /** Another pair of the same graph. */
  async anotherPair(): Promise<void> {
    if (!this.graph) return;
    this.seed += 1;
    const { source, target } = await api.pair(this.graph.id, this.seed);
    [this.source, this.target] = [source, target];
  }
}

/** A line that tells what went wrong, and is read aloud. */
export function problem(error: unknown): HTMLElement {
  const text = error instanceof Refused ? error.message : "Something went wrong on this page. Reload it and try again.";
  if (!(error instanceof Refused)) console.error(error);
  return h("p", { class: "problem", role: "alert" }, text);
}

/** Puts a line about what went wrong into a place, or clears it. */
export function tell(place: HTMLElement, error: unknown): void {
  fill(place, error === null ? null : problem(error));
}
