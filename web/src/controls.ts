// Small controls that several views use: menus, a field to find a node, a switch.

import type { StrategyEntry } from "./api";
import { fill, h } from "./dom";
import type { Session } from "./session";

const MAX_FOUND = 40;
let made = 0;

/** An id that no other element has. */
const fresh = (stem: string): string => `${stem}-${(made += 1)}`;

/** A menu of strategies, those that learned apart from those written by hand. */
export function strategyMenu(session: Session, chosen: string, changed: (id: string) => void, label = "Strategy"): HTMLElement {
  const select = h("select", { id: fresh("strategy") });
  const group = (title: string, entries: StrategyEntry[]): HTMLElement =>
    h("optgroup", { label: title }, ...entries.map((entry) => option(session, entry, chosen)));
  const all = session.menu.strategies;
  const groups: [string, StrategyEntry[]][] = [
    ["Learned", all.filter(({ learned }) => learned)],
    ["Written by hand", all.filter(({ learned, knows }) => !learned && knows === "ego")],
    ["Agents that talk first", all.filter(({ learned, knows }) => !learned && knows === "gossip")],
  ];
  fill(select, ...groups.filter(([, entries]) => entries.length).map(([title, entries]) => group(title, entries)));
  select.addEventListener("change", () => changed(select.value));
  return h("div", { class: "field" }, h("label", { for: select.id }, label), select);
}

function option(session: Session, entry: StrategyEntry, chosen: string): HTMLElement {
  const reason = session.unfit(entry);
  const text = reason ? `${entry.name} (${reason})` : entry.name;
  return h("option", { value: entry.id, selected: entry.id === chosen, disabled: reason !== null }, text);
}

/** A field in which a node is found by its name. */
export function nodeField(session: Session, label: string, chosen: number, changed: (node: number) => void): HTMLElement {
  const list = h("datalist", { id: fresh("names") });
  const input = h("input", {
    id: fresh("node"), type: "text", list: list.id, value: session.name(chosen), autocomplete: "off", spellcheck: "false",
  });
  const suggest = (): void => {
    fill(list, ...found(session, input.value).map((node) => h("option", { value: session.name(node) })));
  };
  const take = (): void => {
    const node = session.graph?.names.indexOf(input.value) ?? -1;
    const unknown = node < 0;
    input.setAttribute("aria-invalid", String(unknown));
    input.title = unknown ? "No node of this graph has that name" : "";
    if (!unknown) changed(node);
  };
  input.addEventListener("input", suggest);
  input.addEventListener("focus", () => {
    input.select();
    suggest();
  });
  input.addEventListener("change", take);
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input, list);
}

function found(session: Session, text: string): number[] {
  const wanted = text.toLowerCase();
  const hits: number[] = [];
  for (const [node, name] of (session.graph?.names ?? []).entries()) {
    if (hits.length >= MAX_FOUND) break;
    if (name.toLowerCase().includes(wanted)) hits.push(node);
  }
  return hits;
}

/** A box to tick; `unfit` says why it cannot be. */
export function tick(label: string, on: boolean, changed: (on: boolean) => void, unfit: string | null = null): HTMLElement {
  const box = h("input", { type: "checkbox", id: fresh("tick"), checked: on, disabled: unfit !== null });
  box.addEventListener("change", () => changed(box.checked));
  return h("div", { class: "tick-box" }, box, h("label", { for: box.id }, unfit ? `${label} (${unfit})` : label));
}

/** One of a few, as buttons in a row. */
export function choiceOf<T extends string>(label: string, options: readonly [T, string][], chosen: T, changed: (value: T) => void): HTMLElement {
  const name = fresh("choice");
  const parts = options.flatMap(([value, text]) => {
    const radio = h("input", { type: "radio", name, value, id: fresh("option"), checked: value === chosen });
    radio.addEventListener("change", () => changed(value));
    return [radio, h("label", { for: radio.id }, text)];
  });
  return h("fieldset", { class: "choices" }, h("legend", {}, label), ...parts);
}

/** A plain button. */
export function button(text: string, pressed: () => void, kind = ""): HTMLButtonElement {
  return h("button", { type: "button", class: kind, onclick: pressed }, text);
}
