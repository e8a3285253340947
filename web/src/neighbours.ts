// The holder's neighbours as a list: what the picture shows, for everybody. In the game it is how
// one plays.

import type { Hop } from "./api";
import { fill, h } from "./dom";
import { percent } from "./trip";

const MAX_LISTED = 60;

/** One line of the list. */
export interface Line {
  node: number;
  name: string;
  note: string;
  chance: number | null; // null: no bar
  chosen: boolean;
  target: boolean;
}

/** The lines of one choice, likeliest first. */
export function linesOf(choice: Hop, names: readonly string[], target: number): Line[] {
  return choice.candidates
    .map((node, at) => ({
      node,
      name: names[node] ?? String(node),
      note: choice.heard?.[at] ?? "",
      chance: choice.probabilities[at] ?? 0,
      chosen: node === choice.chosen,
      target: node === target,
    }))
    .sort((a, b) => b.chance - a.chance || a.node - b.node);
}

/** Fills a list with buttons, one for each neighbour. */
export function listNeighbours(list: HTMLElement, lines: readonly Line[], pick: (node: number) => void): void {
  const shown = lines.slice(0, MAX_LISTED);
  const rest = lines.length - shown.length;
  fill(
    list,
    ...shown.map((line) => h("li", {}, neighbour(line, pick))),
    rest > 0 && h("li", { class: "more" }, `and ${rest} less likely ones`),
  );
}

function neighbour(line: Line, pick: (node: number) => void): HTMLElement {
  const chance = line.chance === null ? "" : percent(line.chance);
  const bar = h("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", String(line.chance ?? 0));
  const classes = ["neighbour", line.chosen && "chosen", line.target && "is-target"].filter(Boolean).join(" ");
  return h(
    "button",
    { type: "button", class: classes, "data-node": line.node, onclick: () => pick(line.node) },
    line.chance !== null && bar,
    h("span", { class: "neighbour-name" }, line.name),
    h(
      "span",
      { class: "chips" },
      line.target && h("span", { class: "chip target-chip" }, "the target"),
      line.chosen && h("span", { class: "chip" }, "chosen"),
    ),
    h("span", { class: "neighbour-chance" }, chance),
    line.note ? h("span", { class: "neighbour-note" }, line.note) : null,
  );
}
