// The page: reads the menu, opens the tab that the address names, and keeps the graph's menu.

import "./style.css";

import { api } from "./api";
import { byId, fill, h } from "./dom";
import { Session, type View, problem } from "./session";
import { Compare } from "./views/compare";
import { Explain } from "./views/explain";
import { Play } from "./views/game";
import { Own } from "./views/own";
import { Peers } from "./views/peers";
import { Results } from "./views/results";
import { Watch } from "./views/watch";

/** Switches between tabs and graphs. */
class Page {
  private readonly session: Session;
  private readonly views: readonly View[];
  private open: View | null = null;
  private turn = 0;

  constructor(session: Session) {
    this.session = session;
    const own = new Own((graph) => this.uploaded(graph));
    this.views = [new Watch(), new Compare(), new Explain(), new Play(), own, new Peers(), new Results()];
    fill(byId("tabs"), ...this.views.map(({ id, title }) => h("a", { href: `#${id}`, "data-view": id }, title)));
    addEventListener("hashchange", () => void this.go());
    addEventListener("keydown", (event) => this.key(event));
  }

  /** Opens the view that the address names. */
  async go(): Promise<void> {
    const turn = (this.turn += 1);
    const wanted = location.hash.slice(1);
    const view = this.views.find(({ id }) => id === wanted) ?? (this.views[0] as View);
    this.open?.close();
    this.open = null;
    document.body.dataset["view"] = view.id;
    document.title = `${view.title} · garden`;
    for (const link of document.querySelectorAll<HTMLElement>("#tabs a")) {
      if (link.dataset["view"] === view.id) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.body.classList.toggle("no-picture", !view.picture);
    document.body.classList.toggle("no-menu", !view.picture || view.ownPicture === true);
    try {
      if (view.picture && !view.ownPicture) await this.graphFor(view);
      if (turn !== this.turn) return;
      this.open = view;
      await view.open(this.session);
    } catch (error) {
      fill(this.session.panel, problem(error));
    }
    this.graphMenu();
  }

  private gameBegun = false;

  private async graphFor(view: View): Promise<void> {
    const { menu, graph } = this.session;
    const firstGame = view.id === "play" && !this.gameBegun;
    if (firstGame) this.gameBegun = true;
    await this.session.choose(firstGame ? menu.game_graph : (graph?.id ?? menu.default_graph));
  }

  private async uploaded(graph: string): Promise<void> {
    await this.session.choose(graph);
    this.graphMenu();
  }

  private graphMenu(): void {
    const { menu, graph } = this.session;
    const select = h("select", { id: "graph" }, ...menu.graphs.map(({ id, name }) => h("option", { value: id, selected: id === graph?.id }, name)));
    select.addEventListener("change", () => void this.change(select.value));
    const drawn = graph ? graph.edges.length / 2 : 0;
    const nodes = graph ? `${graph.num_nodes.toLocaleString("en")} nodes` : "";
    const edges = graph ? `${graph.num_edges.toLocaleString("en")} edges${drawn < graph.num_edges ? ` (${drawn.toLocaleString("en")} drawn)` : ""}` : "";
    fill(byId("graph-menu"), h("label", { for: "graph" }, "Graph"), select, h("span", { class: "size" }, nodes, h("br", {}), edges));
  }

  private async change(graph: string): Promise<void> {
    this.session.panel.setAttribute("aria-busy", "true");
    try {
      await this.session.choose(graph);
      await this.go();
    } catch (error) {
      this.session.panel.prepend(problem(error));
      this.graphMenu();
    } finally {
      this.session.panel.removeAttribute("aria-busy");
    }
  }

  private key(event: KeyboardEvent): void {
    const tag = (event.target as HTMLElement).tagName;
    if (["INPUT", "SELECT", "TEXTAREA", "BUTTON", "A", "SUMMARY"].includes(tag) || event.ctrlKey || event.metaKey || event.altKey) return;
    const press = (id: string): void => document.getElementById(id)?.click();
    if (event.key === " ") press("play");
    else if (event.key === "ArrowRight") press("step");
    else if (event.key === "ArrowLeft") press("back");
    else return;
    event.preventDefault();
  }
}

async function start(): Promise<void> {
  try {
    const session = new Session(await api.menu());
    const page = new Page(session);
    Object.defineProperty(window, "garden", { value: { stage: session.stage } });
    await page.go();
    document.body.dataset["ready"] = "true";
  } catch (error) {
    fill(byId("panel"), problem(error));
  }
}

void start();
