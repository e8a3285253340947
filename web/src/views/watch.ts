// Watch: one message, hop by hop.

import { type Walk, api } from "../api";
import { button, nodeField, strategyMenu, tick } from "../controls";
import { fill, h } from "../dom";
import { linesOf, listNeighbours } from "../neighbours";
import { Player } from "../player";
import { type Session, type View, tell } from "../session";
import { Transport } from "../transport";
import { type Scene, choiceAt, drawScene, prefersStill, scenePaint } from "../trip";

/** Draws one walk on the stage and in the panel, and plays it. */
export class WalkShow {
  readonly player: Player;
  private readonly transport: Transport;
  private readonly session: Session;
  private readonly answer = h("p", { class: "answer", "aria-live": "polite" });
  private readonly count = h("p", { class: "count" });
  private readonly heading = h("h2", { class: "small-heading" });
  private readonly list = h("ol", { class: "neighbours", id: "neighbours" });
  private readonly explain = h("p", { class: "hint" });
  private walk: Walk | null = null;
  private shownHop = -1;
  showShortest = false;

  constructor(session: Session) {
    this.session = session;
    this.player = new Player((hop, share) => this.moment(hop, share), () => this.transport?.update());
    this.transport = new Transport(session.transport, this.player);
    this.transport.update();
  }

  /** What belongs into the panel. */
  parts(): HTMLElement[] {
    return [this.count, this.answer, this.heading, this.explain, this.list];
  }

  /** Shows a walk from its start. */
  load(walk: Walk, play: boolean): void {
    this.walk = walk;
    this.shownHop = -1;
    this.player.load(walk.path.length - 1);
    this.session.stage.draw((context, place, now) => {
      const { stage } = this.session;
      return drawScene(context, place, this.scene(), stage.colours, now, prefersStill());
    });
    if (play) this.player.play();
  }

  repaint(): void {
    this.shownHop = -1;
    if (this.walk) this.moment(this.player.hop, this.player.share);
  }

  close(): void {
    this.player.pause();
    this.session.stage.draw(null);
  }

  private share = 0;

  private scene(): Scene {
    const names = this.session.graph?.names ?? [];
    const { hop } = this.player;
    return { walk: this.walk as Walk, hop, share: this.share, names, showShortest: this.showShortest };
  }

  private moment(hop: number, share: number): void {
    this.share = share;
    const walk = this.walk;
    if (!walk) return;
    if (hop !== this.shownHop) {
      this.shownHop = hop;
      this.session.stage.paint(scenePaint(this.scene(), this.session.stage.colours));
      this.session.stage.container.dataset["holder"] = String(walk.path[hop]);
      this.describe(walk, hop);
    }
  }

  private describe(walk: Walk, hop: number): void {
    const names = this.session.graph?.names ?? [];
    const choice = choiceAt(walk, hop);
    const holder = names[walk.path[hop] as number] ?? "";
    const over = hop >= walk.path.length - 1;
    fill(this.count, h("strong", {}, String(hop)), ` ${hop === 1 ? "hop" : "hops"} so far · shortest path `, h("strong", {}, String(walk.distance)));
    this.answer.textContent = over ? ending(walk) : `${holder} holds the message.`;
    this.answer.classList.toggle("delivered", over && walk.delivered);
    const seen = choice ? choice.seen.length : 0;
    this.heading.textContent = choice ? `${holder} has ${choice.candidates.length} neighbours` : "";
    this.explain.textContent = choice ? sight(walk, seen, this.session.graph?.num_nodes ?? 0) : "";
    if (choice) listNeighbours(this.list, linesOf(choice, names, walk.target), () => this.player.step(1));
    else fill(this.list);
  }
}

function ending(walk: Walk): string {
  const hops = walk.path.length - 1;
  if (!walk.delivered) return `Given up after ${hops} hops.`;
  if (hops === walk.distance) return `Delivered in ${hops} ${hops === 1 ? "hop" : "hops"}: as short as can be.`;
  return `Delivered in ${hops} hops; the shortest path has ${walk.distance}.`;
}

function sight(walk: Walk, seen: number, all: number): string {
  const sees = `It sees ${seen.toLocaleString("en")} of ${all.toLocaleString("en")} nodes; the rest is dimmed.`;
  if (walk.knows !== "gossip") return sees;
  return `${sees} Before the message was sent, neighbours talked for ${walk.rounds} rounds: beside each is what it heard.`;
}

/** The first tab. */
export class Watch implements View {
  readonly id = "watch";
  readonly title = "Watch";
  readonly picture = true;
  private show: WalkShow | null = null;
  private readonly trouble = h("div", {});
  private open_ = false;

  open(session: Session): void {
    this.open_ = true;
    const show = (this.show = new WalkShow(session));
    session.stage.onTheme(() => show.repaint());
    session.stage.onClick(() => undefined);
    fill(session.legend, ...legend());
    this.fill(session, show);
    void this.send(session, !prefersStill());
  }

  close(): void {
    this.open_ = false;
    this.show?.close();
    this.show = null;
  }

  private fill(session: Session, show: WalkShow): void {
    const again = (): void => void this.send(session, true);
    const form = h(
      "div",
      { class: "form" },
      nodeField(session, "From", session.source, (node) => {
        session.source = node;
        again();
      }),
      nodeField(session, "To", session.target, (node) => {
        session.target = node;
        again();
      }),
      strategyMenu(session, session.strategy, (id) => {
        session.strategy = id;
        again();
      }),
      button("Another pair", () => void this.another(session), "quiet"),
    );
    const shortest = tick("Show a shortest path (only an oracle knows it)", show.showShortest, (on) => {
      show.showShortest = on;
      show.repaint();
    });
    fill(
      session.panel,
      h("h1", {}, "Find the way without a map"),
      h("p", { class: "lead" }, "Nobody here knows the whole graph. Whoever holds the message sees its neighbours and their surroundings, and passes it on to one of them."),
      this.trouble,
      ...show.parts(),
      h("details", { open: true }, h("summary", {}, "Choose who writes to whom"), form, shortest),
    );
  }

  private async another(session: Session): Promise<void> {
    try {
      await session.anotherPair();
      if (!this.show) return;
      this.fill(session, this.show);
      await this.send(session, true);
    } catch (error) {
      tell(this.trouble, error);
    }
  }

  private async send(session: Session, play: boolean): Promise<void> {
    if (!session.graph) return;
    session.panel.setAttribute("aria-busy", "true");
    try {
      const walk = await api.walk(session.graph.id, session.strategy, session.source, session.target, session.seed);
      if (!this.open_) return;
      tell(this.trouble, null);
      this.show?.load(walk, play);
    } catch (error) {
      tell(this.trouble, error);
    } finally {
      session.panel.removeAttribute("aria-busy");
    }
  }
}

/** What the marks of the picture mean. */
export function legend(): HTMLElement[] {
  const entries: [string, string][] = [
    ["key-source", "source"],
    ["key-target", "target"],
    ["key-holder", "holder"],
    ["key-candidate", "neighbours, the likelier the greener"],
    ["key-dim", "cannot be seen from here"],
  ];
  return entries.map(([key, text]) => h("span", { class: `key ${key}` }, text));
}
