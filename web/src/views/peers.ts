// Peers: the real network, if hosts are up on this computer.

import { type GraphPicture, type PeersState, api } from "../api";
import { fill, h } from "../dom";
import { OKABE_ITO } from "../palette";
import { type Session, type View, tell } from "../session";

const EVERY = 1000; // milliseconds
const MAX_LISTED = 200;

/** The sixth tab. */
export class Peers implements View {
  readonly id = "peers";
  readonly title = "Peers";
  readonly picture = true;
  readonly ownPicture = true;
  private timer = 0;
  private open_ = false;
  private state: PeersState | null = null;
  private drawn: GraphPicture | null = null;
  private readonly trouble = h("div", {});
  private readonly facts = h("div", { id: "peers-state", "aria-live": "polite" });

  open(session: Session): void {
    this.open_ = true;
    document.body.classList.add("no-picture"); // until there is a network to show
    fill(session.transport);
    fill(session.legend);
    session.stage.onTheme(() => this.paint(session));
    session.stage.onClick(() => undefined);
    fill(
      session.panel,
      h("h1", {}, "The network itself"),
      h("p", { class: "lead" }, "Where hosts run peers on this computer, this is what they do right now."),
      this.trouble,
      this.facts,
    );
    void this.look(session);
  }

  close(): void {
    this.open_ = false;
    this.drawn = this.state = null;
    clearTimeout(this.timer);
  }

  private async look(session: Session): Promise<void> {
    try {
      const state = await api.peers();
      if (!this.open_) return;
      tell(this.trouble, null);
      this.show(session, state);
    } catch (error) {
      if (!this.open_) return;
      tell(this.trouble, error);
    }
    if (this.open_) this.timer = window.setTimeout(() => void this.look(session), EVERY);
  }

  private show(session: Session, state: PeersState): void {
    if (JSON.stringify(state) === JSON.stringify(this.state)) return; // nothing to read aloud again
    this.state = state;
    document.body.classList.toggle("no-picture", !state.up);
    if (!state.up) {
      fill(this.facts, h("p", {}, state.message, " ", h("code", {}, "garden peers up"), " starts them: this page then shows them."));
      return;
    }
    this.draw(session, state);
    this.paint(session);
    const dead = state.peers.filter(({ alive }) => !alive).length;
    const settled = state.peers.filter((peer) => peer.settled).length;
    const open = state.open.filter((one) => one).length;
    const facts: [string, string][] = [
      ["peers up", count(state.peers.length - dead)],
      ["peers down", count(dead)],
      ["settled", `${count(settled)} of ${count(state.peers.length - dead)}`],
      ["links open", `${count(open)} of ${count(state.open.length)}`],
      ["people's messages under way", count(state.under_way)],
      ["people's messages delivered", count(state.delivered)],
    ];
    fill(
      this.facts,
      h("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
      h("ul", { class: "peer-list" }, ...state.peers.slice(0, MAX_LISTED).map((peer) =>
        h("li", { class: peer.alive ? "" : "down" }, h("span", { class: "neighbour-name" }, peer.name), h("span", { class: "neighbour-note" }, note(peer))))),
    );
  }

  /** Draws peers and links; where these are the ones that are drawn already, only colours change. */
  private draw(session: Session, state: PeersState): void {
    const picture = pictureOf(state);
    if (this.drawn && same(this.drawn, picture)) return;
    this.drawn = picture;
    session.stage.show(picture);
  }

  private paint(session: Session): void {
    const { stage } = session;
    const { colours } = stage;
    const { peers, links, open } = this.state ?? { peers: [], links: [], open: [] };
    const broken = new Set(open.flatMap((one, at) => (one ? [] : [`${links[2 * at]} ${links[2 * at + 1]}`])));
    stage.paint({
      colour: (node) => {
        const peer = peers[node];
        if (!peer?.alive) return OKABE_ITO.vermilion;
        return peer.under_way ? colours.holder : peer.settled ? colours.candidate : colours.seen;
      },
      size: (node) => (peers[node]?.under_way ? 1.7 : 1),
      edge: (from, to) => (broken.has(`${from} ${to}`) ? colours.dimEdge : colours.seenEdge),
      above: (node) => (peers[node]?.under_way ?? 0) > 0,
    });
    const keys = [["key-candidate", "settled"], ["key-seen", "still telling its neighbours"], ["key-holder", "waits with a message"], ["key-target", "down"]] as const;
    fill(session.legend, ...keys.map(([key, text]) => h("span", { class: `key ${key}` }, text)));
  }
}

function pictureOf({ peers, links }: PeersState): GraphPicture {
  return {
    id: "peers",
    name: "peers",
    num_nodes: peers.length,
    num_edges: links.length / 2,
    names: peers.map(({ name }) => name),
    x: peers.map(({ x }) => x),
    y: peers.map(({ y }) => y),
    degree: [],
    edges: links,
    attribute_names: [],
  };
}

function same(one: GraphPicture, other: GraphPicture): boolean {
  const parts = ({ names, x, y, edges }: GraphPicture): string => JSON.stringify([names, x, y, edges]);
  return parts(one) === parts(other);
}

function note(peer: PeersState["peers"][number]): string {
  if (!peer.alive) return "down";
  const waits = peer.under_way ? `, ${peer.under_way} under way` : "";
  return `${peer.host}, ${peer.settled ? "settled" : "not settled"}${waits}`;
}

function count(value: number): string {
  return value.toLocaleString("en");
}
