// You are the letter: a person plays, seeing what an agent sees.

import { type Choice, type Game, type GameResult, api } from "../api";
import { button, tick } from "../controls";
import { fill, h } from "../dom";
import { OKABE_ITO } from "../palette";
import { type Session, type View, tell } from "../session";
import type { Point } from "../stage";
import { drawMessage, drawPath, drawTag, mark } from "../overlay";
import { percent, prefersStill } from "../trip";

const PLAYER = "garden-player";
const MANY_NODES = 1000; // beyond it nodes are small, and those that can be chosen stand out more
const [NAME_WIDTH, NAME_HEIGHT] = [150, 22]; // pixels that a name is given

/** The fourth tab. */
export class Play implements View {
  readonly id = "play";
  readonly title = "You are the letter";
  readonly picture = true;
  private game: Game | null = null;
  private directed = true;
  private consent = false;
  private busy = false;
  private filter = "";
  private readonly trouble = h("div", {});
  private readonly live = h("p", { class: "visually-hidden", "aria-live": "polite" });

  async open(session: Session): Promise<void> {
    fill(session.transport);
    session.stage.onTheme(() => this.paint(session));
    session.stage.onClick((node) => {
      if (this.game?.choices.some((choice) => choice.node === node)) void this.move(session, node);
    });
    if (this.game && this.game.graph === session.graph?.id) this.show(session);
    else this.start(session);
  }

  close(): void {
    this.filter = "";
  }

  private start(session: Session): void {
    this.game = null;
    const { graph } = session;
    session.stage.paint({ colour: () => session.stage.colours.node });
    session.stage.draw(null);
    fill(session.legend);
    fill(
      session.panel,
      h("h1", {}, "You are the letter"),
      h("p", { class: "lead" }, "Reach the target by clicking from neighbour to neighbour. You see what an agent sees: your neighbours, what they share with the target, and how many links they have. No map."),
      this.trouble,
      session.menu.game_note && graph?.id === session.menu.game_graph ? h("p", { class: "hint" }, session.menu.game_note) : null,
      h("p", {}, `Graph: ${graph?.name ?? ""}, ${graph?.num_nodes.toLocaleString("en") ?? ""} nodes.`),
      h("div", { class: "row" },
        button("Puzzle of the day", () => void this.begin(session, true), "primary"),
        button("Any pair", () => void this.begin(session, false))),
      tick("Follow links only as they point, as in the original game (where links have a direction)", this.directed, (on) => {
        this.directed = on;
      }),
      session.menu.stores_plays
        ? tick("Keep my path on this computer for research: the nodes and times, no name, no address", this.consent, (on) => {
            this.consent = on;
          })
        : null,
    );
  }

  private async begin(session: Session, daily: boolean): Promise<void> {
    if (!session.graph) return;
    try {
      this.game = await api.startGame(session.graph.id, this.directed, daily, this.consent ? playerNumber() : null);
      session.source = this.game.source;
      session.target = this.game.target;
      tell(this.trouble, null);
      this.show(session);
      focusFirst(session.panel);
    } catch (error) {
      tell(this.trouble, error);
    }
  }

  private async move(session: Session, node: number): Promise<void> {
    if (!this.game || this.busy || this.game.over) return;
    this.busy = true;
    try {
      this.game = await api.move(this.game.id, node);
      this.filter = "";
      this.show(session);
      focusFirst(session.panel);
    } catch (error) {
      tell(this.trouble, error);
    } finally {
      this.busy = false;
    }
  }

  private async giveUp(session: Session): Promise<void> {
    if (!this.game) return;
    try {
      this.game = await api.giveUp(this.game.id);
      this.show(session);
      focusFirst(session.panel);
    } catch (error) {
      tell(this.trouble, error);
    }
  }

  private show(session: Session): void {
    const game = this.game;
    if (!game) return;
    this.paint(session);
    session.stage.look(game.over ? [] : [game.holder, game.target, ...game.choices.map(({ node }) => node)]);
    session.stage.container.dataset["holder"] = String(game.holder);
    fill(session.legend, h("span", { class: "key key-holder" }, "you"), h("span", { class: "key key-target" }, "target"), h("span", { class: "key key-candidate" }, "where you can go"));
    if (game.over && game.result) this.end(session, game, game.result);
    else this.step(session, game);
  }

  private step(session: Session, game: Game): void {
    const hops = game.path.length - 1;
    const list = h("ol", { class: "neighbours", id: "neighbours" });
    const fillList = (): void => fill(list, ...this.visible(game).map((choice) => h("li", {}, choiceButton(choice, () => void this.move(session, choice.node)))));
    fillList();
    const find = h("input", { type: "search", id: "find-neighbour", value: this.filter, placeholder: `Find among ${game.choices.length}` });
    find.addEventListener("input", () => {
      this.filter = find.value;
      fillList();
    });
    this.live.textContent = `You are at ${session.name(game.holder)}, ${hops} hops so far, ${game.choices.length} neighbours.`;
    fill(
      session.panel,
      h("h1", {}, game.daily ? `Puzzle of ${game.daily}` : "You are the letter"),
      h("p", { class: "goal" }, "Reach ", h("strong", { class: "target-name" }, game.target_name)),
      game.target_attributes.length ? h("ul", { class: "tags" }, ...game.target_attributes.map((text) => h("li", {}, text))) : null,
      this.trouble,
      this.live,
      h("p", { class: "count" }, h("strong", {}, String(hops)), ` ${hops === 1 ? "hop" : "hops"} so far`),
      h("h2", {}, `You are at ${session.name(game.holder)}`),
      h("p", { class: "trail" }, game.path.map((node) => session.name(node)).join(" → ")),
      game.choices.length > 12 ? h("div", { class: "field" }, h("label", { for: find.id }, "Where to?"), find) : null,
      list,
      h("div", { class: "row" }, button("Give up", () => void this.giveUp(session), "quiet"), button("Start anew", () => this.start(session), "quiet")),
    );
  }

  private visible(game: Game): Choice[] {
    const wanted = this.filter.toLowerCase();
    return game.choices
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .sort((a, b) => Number(b.is_target) - Number(a.is_target) || b.shared.length - a.shared.length || b.degree - a.degree);
  }

  private end(session: Session, game: Game, result: GameResult): void {
    const copied = h("span", { "aria-live": "polite" });
    const share = h("textarea", { readonly: true, rows: 5, id: "share", "aria-label": "Your path as text" });
    share.value = result.share;
    const copy = (): void => {
      share.select();
      void navigator.clipboard?.writeText(result.share).then(() => {
        copied.textContent = "copied";
      });
    };
    const policyHops = result.policy.path.length - 1;
    fill(
      session.panel,
      h("h1", { id: "outcome", tabindex: -1, "data-delivered": game.delivered }, `${game.delivered ? "Delivered in" : "Not delivered after"} ${result.hops} ${result.hops === 1 ? "hop" : "hops"}`),
      h("p", { class: "count" }, "A shortest path has ", h("strong", {}, String(result.distance)), result.ratio !== null && game.delivered ? `: you needed ${result.ratio.toFixed(2)} times that.` : "."),
      game.delivered ? standing(result) : null,
      pathList("Your path", "path-you", game.path, session),
      pathList(`${result.policy.label}, ${result.policy.delivered ? `${policyHops} hops` : "given up"}`, "path-policy", result.policy.path, session),
      pathList(`A shortest path, ${result.distance} hops`, "path-shortest", result.shortest_path, session),
      ...result.notes.map((note) => h("p", { class: "hint" }, note)),
      h("h2", {}, "Share it"),
      share,
      h("div", { class: "row" }, button("Copy", copy), copied, button("Play again", () => this.start(session), "primary")),
      result.stored ? h("p", { class: "hint" }, "Your path was kept on this computer.") : null,
    );
  }

  private paint(session: Session): void {
    const { stage } = session;
    const { colours } = stage;
    const game = this.game;
    if (!game) return;
    const open = new Set(game.choices.map(({ node }) => node));
    const path = new Set(game.path);
    const many = (session.graph?.num_nodes ?? 0) > MANY_NODES;
    const known = (node: number): boolean => open.has(node) || path.has(node) || node === game.target;
    stage.paint({
      colour: (node) => (node === game.target ? colours.target : node === game.holder ? colours.holder : open.has(node) ? colours.candidate : path.has(node) ? colours.path : colours.dim),
      size: (node) => (node === game.target || node === game.holder ? 1.8 : open.has(node) ? (many ? 3 : 1.3) : 0.8),
      edge: (from, to) => (known(from) && known(to) ? colours.seenEdge : colours.dimEdge),
      above: known,
    });
    stage.draw((context, place, now) => {
      const result = game.over ? game.result : null;
      if (result) {
        drawPath(context, result.shortest_path.map(place), OKABE_ITO.green, 3, [2, 7]);
        drawPath(context, result.policy.path.map(place), OKABE_ITO.orange, 3);
      } else {
        for (const node of open) drawPath(context, [place(game.holder), place(node)], colours.seenEdge, 1);
        drawNames(context, session, [...open], [place(game.holder), place(game.target)], place);
      }
      drawPath(context, game.path.map(place), colours.path, 3.5);
      mark(context, place(game.target), colours.target, "diamond");
      drawTag(context, place(game.target), session.name(game.target), colours.target, colours.background, 16);
      drawMessage(context, place(game.holder), colours, prefersStill() || game.over ? 0 : now, game.delivered);
      return !game.over && !prefersStill();
    });
  }
}


function choiceButton(choice: Choice, pick: () => void): HTMLElement {
  const shared = choice.shared.length ? `shares ${choice.shared.slice(0, 3).join(", ")}${choice.shared.length > 3 ? ` and ${choice.shared.length - 3} more` : ""}` : "shares nothing with the target";
  return h(
    "button",
    { type: "button", class: `neighbour${choice.is_target ? " is-target" : ""}${choice.shared.length ? " shares" : ""}`, "data-node": choice.node, onclick: pick },
    h("span", { class: "neighbour-name" }, choice.name),
    h("span", { class: "chips" }, choice.is_target && h("span", { class: "chip target-chip" }, "the target")),
    h("span", { class: "neighbour-chance" }, `${choice.degree} ${choice.degree === 1 ? "link" : "links"}`),
    h("span", { class: "neighbour-note" }, shared),
  );
}

function standing(result: GameResult): HTMLElement {
  if (!result.people) return h("p", { class: "hint" }, "How people did on pairs like this one is not known here: their games are not at hand.");
  const { games, better_share, mean_ratio } = result.people;
  return h("p", { class: "standing" },
    `You did as well as or better than ${percent(1 - better_share)} of ${games.toLocaleString("en")} games that people finished over the same distance (their mean ratio: ${mean_ratio.toFixed(2)}). Those games were on other pairs, and the ones given up are not among them.`);
}

function pathList(title: string, kind: string, path: readonly number[], session: Session): HTMLElement {
  return h("div", { class: `path ${kind}` }, h("h2", { class: "small-heading" }, title), h("p", { class: "trail" }, path.map((node) => session.name(node)).join(" → ")));
}

/** A random number that joins the plays of one person who agreed that they are kept. */
function playerNumber(): string {
  const known = stored();
  if (known) return known;
  const made = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  try {
    localStorage.setItem(PLAYER, made);
  } catch {
    // Without storage the next visit counts as another player.
  }
  return made;
}

function stored(): string | null {
  try {
    const found = localStorage.getItem(PLAYER);
    return found && /^[0-9a-f]{16}$/.test(found) ? found : null;
  } catch {
    return null;
  }
}

/** The names of where one can go, as far as they stand clear of one another. */
function drawNames(context: CanvasRenderingContext2D, session: Session, nodes: readonly number[], taken: Point[], place: (node: number) => Point): void {
  const { ink, background } = session.stage.colours;
  for (const node of nodes) {
    const at = place(node);
    if (taken.some(({ x, y }) => Math.abs(x - at.x) < NAME_WIDTH && Math.abs(y - at.y) < NAME_HEIGHT)) continue;
    taken.push(at);
    drawTag(context, at, session.name(node), ink, background, 8);
  }
}

function focusFirst(panel: HTMLElement): void {
  const first = panel.querySelector<HTMLElement>("#outcome, .neighbour");
  first?.focus({ preventScroll: true });
}
