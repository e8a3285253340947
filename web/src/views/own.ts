// Bring your own: drop a file, see it, adapt or train a policy on it, take the policy home.

import { type Columns, type Job, Refused, type WhichColumns, api, followJob } from "../api";
import { Chart } from "../chart";
import { button } from "../controls";
import { fill, h } from "../dom";
import { RACE_COLOURS } from "../palette";
import { type Session, type View, tell } from "../session";

const ACCEPTED = ".csv,.tsv,.txt,.edges,.edgelist,.gz,.graphml,.gml,.gexf,.json,.npz,.parquet,.zip";
const MINUTES = [1, 2, 5, 15, 60];

const KINDS: Record<Job["kind"], { title: string; text: string }> = {
  adapt: { title: "Adapt", text: "Fit the shipped policy to this graph. Seconds." },
  train: { title: "Train", text: "Train a policy of its own: it learns this graph by heart. It ends by itself, or when the time is up." },
};

const COLUMN_LABELS: Record<string, string> = {
  source_column: "One end of each edge",
  target_column: "The other end",
  node_column: "The name of each node",
};

/** The fifth tab. */
export class Own implements View {
  readonly id = "own";
  readonly title = "Your graph";
  readonly picture = true;
  private stop: (() => void) | null = null;
  private job: Job | null = null;
  private minutes = 2;
  private readonly chosen: (graph: string) => Promise<void>;
  private readonly trouble = h("div", { id: "upload-trouble" });
  private readonly about = h("div", { class: "about", id: "uploaded", "aria-live": "polite" });
  private readonly work = h("div", { id: "job" });

  constructor(chosen: (graph: string) => Promise<void>) {
    this.chosen = chosen;
  }

  open(session: Session): void {
    fill(session.transport);
    fill(session.legend);
    session.stage.draw(null);
    const plain = (): void => session.stage.paint({ colour: () => session.stage.colours.node });
    session.stage.onTheme(plain);
    session.stage.onClick(() => undefined);
    plain();
    fill(
      session.panel,
      h("h1", {}, "Bring your own graph"),
      h("p", { class: "lead" }, "An edge list, CSV, Parquet, GraphML, GML, GEXF, JSON or NPZ; with attributes, a zip of edges.csv and nodes.csv. It stays on this computer."),
      this.dropZone(session),
      this.trouble,
      this.about,
      h("h2", {}, "Teach a policy this graph"),
      h("div", { class: "row" }, ...(["adapt", "train"] as const).map((kind) => this.starter(session, kind))),
      this.timeLimit(),
      this.work,
    );
    if (this.job) this.show(session, this.job);
  }

  close(): void {
    fill(this.trouble);
  }

  private dropZone(session: Session): HTMLElement {
    const input = h("input", { type: "file", id: "file", accept: ACCEPTED, class: "visually-hidden" });
    const zone = h("label", { for: "file", class: "drop" }, h("strong", {}, "Drop a file here"), h("span", {}, "or choose one"));
    input.addEventListener("change", () => {
      const file = input.files?.[0];
      if (file) void this.upload(session, file);
      input.value = "";
    });
    const over = (on: boolean) => (event: DragEvent) => {
      event.preventDefault();
      zone.classList.toggle("over", on);
    };
    zone.addEventListener("dragover", over(true));
    zone.addEventListener("dragleave", over(false));
    zone.addEventListener("drop", (event) => {
      over(false)(event);
      const file = event.dataTransfer?.files[0];
      if (file) void this.upload(session, file);
    });
    return h("div", { class: "drop-area" }, input, zone);
  }

  private async upload(session: Session, file: File, columns: Columns = {}): Promise<void> {
    fill(this.trouble);
    fill(this.about, h("p", { class: "hint" }, `Reading ${file.name} …`));
    try {
      const entry = await api.upload(file, columns);
      await session.reload();
      await this.chosen(entry.id);
      session.stage.paint({ colour: () => session.stage.colours.node });
      fill(
        this.about,
        h("p", { class: "answer delivered" }, `${entry.name}: ${count(entry.num_nodes, "node")}, ${count(entry.num_edges, "edge")}.`),
        ...entry.messages.map((text) => h("p", { class: "hint" }, text)),
        h("p", { class: "hint" }, "It is in the menu above now: watch, compare, explain and play on it."),
      );
    } catch (error) {
      fill(this.about);
      tell(this.trouble, error);
      if (error instanceof Refused && error.asked) this.trouble.append(this.columnForm(session, file, error.asked));
    }
  }

  /** Lets a person say which columns of a table are meant; then the file is sent again. */
  private columnForm(session: Session, file: File, asked: WhichColumns): HTMLElement {
    const menus = asked.arguments.map((argument, at) => {
      const options = asked.columns.map((column, place) => h("option", { value: column, selected: place === at }, column));
      const select = h("select", { id: `choose-${argument}` }, ...options);
      return { argument, select, field: h("div", { class: "field" }, h("label", { for: select.id }, COLUMN_LABELS[argument] ?? argument), select) };
    });
    const read = (): void => {
      void this.upload(session, file, Object.fromEntries(menus.map(({ argument, select }) => [argument, select.value])));
    };
    return h("div", { class: "form", id: "which-columns" }, ...menus.map(({ field }) => field), button("Read it so", read, "primary"));
  }

  private timeLimit(): HTMLElement {
    const select = h("select", { id: "minutes" }, ...MINUTES.map((minutes) => h("option", { value: minutes, selected: minutes === this.minutes }, `${minutes} min`)));
    select.addEventListener("change", () => {
      this.minutes = Number(select.value);
    });
    return h("div", { class: "field" }, h("label", { for: "minutes" }, "Train for at most"), select);
  }

  private starter(session: Session, kind: Job["kind"]): HTMLElement {
    const { title, text } = KINDS[kind];
    const start = button(title, () => void this.start(session, kind), kind === "adapt" ? "primary" : "");
    start.id = `start-${kind}`;
    return h("div", { class: "starter" }, start, h("p", { class: "hint" }, text));
  }

  private async start(session: Session, kind: Job["kind"]): Promise<void> {
    if (!session.graph) return;
    fill(this.trouble);
    try {
      const job = await api.startJob(kind, session.graph.id, this.minutes);
      this.stop?.();
      this.show(session, job);
      this.stop = followJob(job.id, (state) => this.show(session, state), (trouble) => this.ended(session, trouble));
    } catch (error) {
      tell(this.trouble, error);
    }
  }

  private ended(session: Session, trouble: string | null): void {
    if (trouble !== null) fill(this.trouble, h("p", { class: "problem", role: "alert" }, trouble));
    void session.reload();
  }

  private show(session: Session, job: Job): void {
    this.job = job;
    const { title } = KINDS[job.kind];
    const bar = h("progress", { max: 1, value: job.progress, "aria-label": "Progress" });
    const busy = job.state === "running" || job.state === "waiting";
    const cancel = button("Cancel", () => void api.cancelJob(job.id).catch((error: unknown) => tell(this.trouble, error)), "quiet");
    cancel.id = "cancel-job";
    const charts = Object.entries(job.curves).map(([name, points], at) => curve(name, points, at));
    fill(
      this.work,
      h("p", { class: "job-state", "data-state": job.state, role: "status" }, `${title}: ${stateText(job)}`),
      busy ? h("div", { class: "row" }, bar, cancel) : null,
      ...charts,
      job.state === "done"
        ? h("div", { class: "row" }, h("a", { class: "button primary", href: api.downloadUrl(job.id), download: "", id: "download" }, "Download the policy"),
            h("span", { class: "hint" }, job.strategy ? `In every menu as ${session.label(job.strategy)}.` : ""))
        : null,
    );
  }
}

function curve(name: string, points: [number, number][], at: number): HTMLElement {
  const chart = new Chart({ title: name, xLabel: "", yLabel: "" });
  chart.update([{ name, colour: RACE_COLOURS[at % RACE_COLOURS.length] as string, points }]);
  return chart.element;
}

function stateText(job: Job): string {
  const words: Record<Job["state"], string> = {
    waiting: "waiting for its turn",
    running: job.message || "under way",
    done: job.message || "done",
    failed: job.message || "failed",
    cancelled: "cancelled",
  };
  return words[job.state];
}

function count(value: number | null, word: string): string {
  return value === null ? `unknown ${word}s` : `${value.toLocaleString("en")} ${value === 1 ? word : `${word}s`}`;
}
