// You are the letter: a person plays, seeing what an agent sees.

import { type Choice, type Game, type GameResult, api } from "../api";
import { button, tick } from "../controls";
import { fill, h } from "../dom";
import { type Session, type View, tell } from "../session";
import { percent } from "../trip";
import { legend, ordered, paintMap, paintRing } from "./game_picture";

const PLAYER = "garden-player";

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
  private session: Session | null = null;
  private readonly trouble = h("div", {});
  private readonly live = h("p", { class: "visually-hidden", "aria-live": "polite" });

  open(session: Session): void {
    this.session = session;
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
    this.session?.stage.arrange(null);
    this.session = null;
  }

  private start(session: Session): void {
    this.game = null;
    const { graph } = session;
    session.stage.arrange(null);
    session.stage.paint({ colour: () => session.stage.colours.node });
    session.stage.draw(null);
    fill(session.legend);
    fill(
      session.panel,
      h("h1", {}, "You are the letter"),
      h("p", { class: "lead" }, "Reach the target by clicking from neighbour to neighbour. You see what an agent sees: your neighbours, what they share with the target, and how many links they have. No map: it is shown at the end."),
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
      this.goOn(session);
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
      this.goOn(session);
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
      this.goOn(session);
    } catch (error) {
      tell(this.trouble, error);
    }
  }

  /** Shows what a reply brought, unless another tab was opened meanwhile. */
  private goOn(session: Session): void {
    if (this.session !== session) return;
    this.show(session);
    focusFirst(session.panel);
  }

  private show(session: Session): void {
    const game = this.game;
    if (!game) return;
    this.paint(session);
    session.stage.look([]);
    session.stage.container.dataset["holder"] = String(game.holder);
    fill(session.legend, ...legend(game));
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
    return ordered(game).filter(({ name }) => name.toLowerCase().includes(wanted));
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
    if (!this.game) return;
    if (this.game.over) paintMap(session, this.game);
    else paintRing(session, this.game);
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

function focusFirst(panel: HTMLElement): void {
  const first = panel.querySelector<HTMLElement>("#outcome, .neighbour");
  first?.focus({ preventScroll: true });
}
