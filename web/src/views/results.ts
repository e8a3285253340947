// Results: the tables and figures of the reproduction, each with the command that makes it.

import { type ResultEntry, api } from "../api";
import { fill, h } from "../dom";
import { type Session, type View, tell } from "../session";

/** The last tab. */
export class Results implements View {
  readonly id = "results";
  readonly title = "Results";
  readonly picture = false;

  async open(session: Session): Promise<void> {
    const place = h("div", { class: "results", id: "results" }, h("p", { class: "hint" }, "Loading …"));
    fill(session.panel, h("h1", {}, "Results"), h("p", { class: "lead" }, "What was measured, and the command that measures it again."), place);
    try {
      const entries = await api.results();
      const contents = h("ul", { class: "contents" }, ...entries.map((entry) => h("li", {}, jump(entry))));
      fill(place, entries.length ? contents : h("p", {}, "No results are at hand: garden reproduce makes them."), ...entries.map(section));
    } catch (error) {
      tell(place, error);
    }
  }

  close(): void {}
}

function jump(entry: ResultEntry): HTMLElement {
  const go = (): void => {
    const section = document.getElementById(`result-${entry.id}`) as HTMLDetailsElement | null;
    if (section) section.open = true;
    section?.scrollIntoView();
  };
  return h("button", { type: "button", class: "link", onclick: go }, entry.title);
}

function section(entry: ResultEntry): HTMLElement {
  return h(
    "details",
    { id: `result-${entry.id}`, class: "result" },
    h("summary", {}, h("h2", {}, entry.title)),
    h("p", { class: "hint" }, h("code", {}, entry.command)),
    ...entry.tables.map(({ title, columns, rows }) =>
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
        h("table", {}, h("caption", {}, title), h("thead", {}, h("tr", {}, ...columns.map((text) => h("th", { scope: "col" }, text)))),
          h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((text) => h("td", {}, text)))))))),
    ...entry.figures.map(({ title, url }) => h("figure", { class: "figure" }, h("img", { src: url, alt: title, loading: "lazy" }), h("figcaption", {}, title))),
  );
}
