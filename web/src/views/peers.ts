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
  private timer = 0;
  private open_ = false;
  private readonly trouble = h("div", {});
  private readonly state = h("div", { id: "peers-state", "aria-live": "polite" });

  open(session: Session): void {
    this.open_ = true;
    fill(session.transport);
    fill(session.legend);
    session.stage.draw(null);
    session.stage.onClick(() => undefined);
    session.stage.paint({ colour: () => session.stage.colours.dim, edge: () => session.stage.colours.dimEdge });
    fill(
      session.panel,
      h("h1", {}, "The network itself"),
      h("p", { class: "lead" }, "Where hosts run peers on this computer, this is what they do right now."),
      this.trouble,
      this.state,
    );
    void this.look(session);
  }

  close(): void {
    this.open_ = false;
    clearTimeout(this.timer);
  }

  private async look(session: Session): Promise<void> {
    try {
      const state = await api.peers();
      if (!this.open_) return;
      tell(this.trouble, null);
      this.show(session, state);
    } catch (error) {
      tell(this.trouble, error);
    }
    if (this.open_) this.timer = window.setTimeout(() => void this.look(session), EVERY);
  }

  private show(session: Session, state: PeersState): void {
    if (!state.up) {
      fill(this.state, h("p", {}, state.message || "No host is up."), h("p", { class: "hint" }, "Start one with garden peers up, then come back."));
      return;
    }
    const dead = state.peers.filter(({ alive }) => !alive).length;
    const settled = state.peers.filter((peer) => peer.settled).length;
    const facts: [string, number][] = [["peers up", state.peers.length - dead], ["peers down", dead], ["settled", settled], ["messages under way", state.under_way], ["delivered", state.delivered]];
    fill(
      this.state,
      h("dl", { class: "facts" }, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value.toLocaleString("en"))])),
      h("ul", { class: "peer-list" }, ...state.peers.slice(0, MAX_LISTED).map((peer) =>
        h("li", { class: peer.alive ? "" : "down" }, h("span", { class: "neighbour-name" }, peer.name),
          h("span", { class: "neighbour-note" }, `${peer.host}, ${peer.alive ? [peer.beacons ? `${peer.beacons} beacons` : "up", peer.settled ? "settled" : ""].filter(Boolean).join(", ") : "down"}${peer.under_way ? `, ${peer.under_way} under way` : ""}`)))),
    );
    if (session.graph) this.paint(session, session.graph, state);
  }

  private paint(session: Session, graph: GraphPicture, state: PeersState): void {
    const { colours } = session.stage;
    const at = new Map(state.peers.flatMap((peer) => {
      const node = peer.node ?? graph.names.indexOf(peer.name);
      return node >= 0 ? [[node, peer] as const] : [];
    }));
    session.stage.paint({
      colour: (node) => {
        const peer = at.get(node);
        if (!peer) return colours.dim;
        if (!peer.alive) return OKABE_ITO.vermilion;
        return peer.under_way ? colours.holder : peer.settled ? colours.candidate : colours.seen;
      },
      size: (node) => (at.get(node)?.under_way ? 1.7 : 1),
    });
    fill(session.legend, ...([["key-candidate", "settled"], ["key-holder", "has a message"], ["key-target", "down"]] as const).map(([key, text]) => h("span", { class: `key ${key}` }, text)));
  }
}
