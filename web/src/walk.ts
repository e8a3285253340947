// One walk as a file of its own: the same picture and panel, from data that lie in the page.

import type { GraphPicture, Walk } from "./api";
import { byId, fill, h } from "./dom";
import type { Session } from "./session";
import { Stage } from "./stage";
import { WalkShow, legend } from "./views/watch";
import { prefersStill } from "./trip";

interface WalkFile {
  graph: GraphPicture;
  walk: Walk;
}

function start(): void {
  const { graph, walk } = JSON.parse(byId("walk-data").textContent ?? "") as WalkFile;
  const stage = new Stage(byId("stage"));
  const session = { stage, graph, transport: byId("transport"), panel: byId("panel"), legend: byId("legend") };
  const show = new WalkShow(session as unknown as Session);
  stage.onTheme(() => show.repaint());
  stage.show(graph);
  fill(session.legend, ...legend());
  fill(
    session.panel,
    h("h1", {}, `${graph.names[walk.source] ?? ""} writes to ${graph.names[walk.target] ?? ""}`),
    h("p", { class: "lead" }, `On ${graph.name}, by ${walk.label}. Whoever holds the message sees only its neighbours and their surroundings.`),
    ...show.parts(),
  );
  show.load(walk, !prefersStill());
  document.body.dataset["ready"] = "true";
}

start();
