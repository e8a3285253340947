// What the server says and how it is asked: one type for each reply, one function for each request.
// Nodes go by position; names come once, with the graph.

/** A graph that can be chosen. */
export interface GraphEntry {
  id: string;
  name: string;
  num_nodes: number | null;
  num_edges: number | null;
  source: "command" | "upload" | "shipped";
}

/** A strategy that can be chosen. `knows` says what its agents know: `ego` or `gossip`. */
export interface StrategyEntry {
  id: string;
  name: string;
  knows: "ego" | "gossip";
  needs_attributes: boolean;
  learned: boolean;
  has_value: boolean;
}

/** What can be chosen, and what the server can do. */
export interface Menu {
  graphs: GraphEntry[];
  strategies: StrategyEntry[];
  default_graph: string;
  default_strategy: string;
  game_graph: string;
  version: string;
  peers: boolean;
  stores_plays: boolean;
  game_note: string | null; // why the game is not on the graph that is best for it
}

/** A graph as it is drawn. */
export interface GraphPicture {
  id: string;
  name: string;
  num_nodes: number;
  num_edges: number;
  names: string[];
  x: number[];
  y: number[];
  degree: number[];
  edges: number[]; // (2 * num_drawn,): source, target, source, target, …
  attribute_names: string[];
}

/** What the holder could choose from, and what it chose. */
export interface Hop {
  holder: number;
  candidates: number[];
  probabilities: number[]; // aligned with candidates
  scores: (number | null)[]; // aligned with candidates
  chosen: number;
  seen: number[]; // nodes in the ego graphs of the holder and its neighbours
  heard?: string[] | null; // aligned with candidates: what each has learned in rounds
}

/** One message's trip. */
export interface Walk {
  graph: string;
  strategy: string;
  label: string;
  memory: string;
  knows: "ego" | "gossip";
  source: number;
  target: number;
  path: number[];
  hops: Hop[];
  delivered: boolean;
  distance: number;
  shortest_path: number[];
  max_hops: number;
  rounds: number;
}

/** Where one strategy stands in a comparison on many pairs. */
export interface Standing {
  strategy: string;
  label: string;
  pairs_done: number;
  num_pairs: number;
  oracle_ratio: number | null;
  truncation_rate: number;
}

/** A number for each node. */
export interface NodeValues {
  kind: ValueKind;
  target: number;
  values: (number | null)[];
}

export type ValueKind = "score" | "value" | "distance";

/** What is known of one node. */
export interface NodeDetails {
  node: number;
  name: string;
  degree: number;
  attributes: string[];
  neighbours: number[];
  ego_edges: number[];
  scores: { strategy: string; label: string; score: number | null }[];
  heard: string[];
}

/** A neighbour as a player sees it. */
export interface Choice {
  node: number;
  name: string;
  degree: number;
  shared: string[];
  is_target: boolean;
}

/** A game under way or at its end. */
export interface Game {
  id: string;
  graph: string;
  source: number;
  target: number;
  target_name: string;
  target_attributes: string[];
  holder: number;
  path: number[];
  choices: Choice[];
  directed: boolean;
  daily: string | null;
  max_hops: number;
  over: boolean;
  delivered: boolean;
  result: GameResult | null;
}

export interface GameResult {
  hops: number;
  distance: number;
  shortest_path: number[];
  policy: { label: string; path: number[]; delivered: boolean };
  ratio: number | null;
  people: { games: number; better_share: number; mean_ratio: number } | null;
  notes: string[];
  share: string;
  stored: boolean;
}

/** A training or adaptation. */
export interface Job {
  id: string;
  kind: "adapt" | "train";
  graph: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  progress: number; // between 0 and 1
  message: string;
  curves: Record<string, [number, number][]>;
  strategy: string | null;
}

/** The hosts that are up on this machine. */
export interface PeersState {
  up: boolean;
  message: string;
  peers: { name: string; host: string; alive: boolean; settled: boolean; under_way: number; x: number; y: number }[];
  links: number[]; // (2 * num_links,): places in the list of peers
  open: boolean[]; // (num_links,)
  delivered: number;
  under_way: number;
}

/** One table or picture of the reproduction. */
export interface ResultEntry {
  id: string;
  title: string;
  tables: { title: string; columns: string[]; rows: string[][] }[];
  figures: { title: string; url: string }[];
  command: string;
}

/** Which columns of a table are meant, by the names that the server gives to what it looks for. */
export type Columns = Record<string, string>;

/** What a person must say before a file can be read. */
export interface WhichColumns {
  columns: string[];
  arguments: string[];
}

/** What the server refused, in its own words. */
export class Refused extends Error {
  readonly asked: WhichColumns | null;

  constructor(message: string, asked: WhichColumns | null = null) {
    super(message);
    this.asked = asked;
  }
}

async function ask<T>(path: string, method = "GET", body?: unknown): Promise<T> {
  const options: RequestInit = { method, headers: { Accept: "application/json" } };
  if (body instanceof Blob) options.body = body;
  else if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { ...options.headers, "Content-Type": "application/json" };
  }
  let reply: Response;
  try {
    reply = await fetch(path, options);
  } catch {
    throw new Refused("The server does not answer. Is garden serve still running?");
  }
  const value: unknown = await reply.json().catch(() => null);
  if (!reply.ok) throw new Refused(errorText(value) ?? `The server refused (${reply.status}).`, whichColumns(value));
  return value as T;
}

function errorText(value: unknown): string | null {
  const { error, detail } = (value ?? {}) as { error?: unknown; detail?: unknown };
  if (typeof error === "string") return error;
  if (typeof detail === "string") return detail;
  return null;
}

function whichColumns(value: unknown): WhichColumns | null {
  const asked = (value ?? {}) as Partial<WhichColumns>;
  return asked.columns && asked.arguments ? { columns: asked.columns, arguments: asked.arguments } : null;
}

const query = (values: Record<string, string | number>): string =>
  new URLSearchParams(Object.entries(values).map(([key, value]) => [key, String(value)])).toString();

export const api = {
  menu: () => ask<Menu>("/api/menu"),
  graph: (graph: string) => ask<GraphPicture>(`/api/graphs/${graph}`),
  walk: (graph: string, strategy: string, source: number, target: number, seed: number) =>
    ask<Walk>("/api/walks", "POST", { graph, strategy, source, target, seed }),
  pair: (graph: string, seed: number) =>
    ask<{ source: number; target: number }>(`/api/graphs/${graph}/pair?${query({ seed })}`),
  values: (graph: string, kind: ValueKind, strategy: string, target: number) =>
    ask<NodeValues>(`/api/graphs/${graph}/values?${query({ kind, strategy, target })}`),
  node: (graph: string, node: number, target: number, strategy: string) =>
    ask<NodeDetails>(`/api/graphs/${graph}/nodes/${node}?${query({ target, strategy })}`),
  startGame: (graph: string, directed: boolean, daily: boolean, player: string | null) =>
    ask<Game>("/api/games", "POST", { graph, directed, daily, consent: player !== null, player }),
  move: (game: string, node: number) => ask<Game>(`/api/games/${game}/moves`, "POST", { node }),
  giveUp: (game: string) => ask<Game>(`/api/games/${game}/give-up`, "POST"),
  upload: (file: File, columns: Columns) =>
    ask<GraphEntry & { messages: string[] }>(`/api/uploads?${query({ ...columns, name: file.name })}`, "POST", file.slice()),
  startJob: (kind: Job["kind"], graph: string, minutes: number) => ask<Job>("/api/jobs", "POST", { kind, graph, minutes }),
  cancelJob: (job: string) => ask<Job>(`/api/jobs/${job}`, "DELETE"),
  downloadUrl: (job: string) => `/api/jobs/${job}/policy`,
  peers: () => ask<PeersState>("/api/peers"),
  results: () => ask<ResultEntry[]>("/api/results"),
};

/** Follows a stream of events until it ends; returns what stops it. Each event is one value. */
export function follow<T>(path: string, heard: (value: T) => void, ended: (problem: string | null) => void): () => void {
  const stream = new EventSource(path);
  let open = true;
  const close = (problem: string | null): void => {
    if (!open) return;
    open = false;
    stream.close();
    ended(problem);
  };
  stream.onmessage = (event: MessageEvent<string>) => heard(JSON.parse(event.data) as T);
  stream.addEventListener("end", () => close(null));
  stream.addEventListener("problem", (event) => close(JSON.parse((event as MessageEvent<string>).data) as string));
  stream.onerror = () => close("The connection ended.");
  return () => {
    open = false;
    stream.close();
  };
}

/** The stream of a comparison on many pairs. */
export function followComparison(
  graph: string,
  strategies: readonly string[],
  pairs: number,
  seed: number,
  heard: (standing: Standing) => void,
  ended: (problem: string | null) => void,
): () => void {
  const asked = query({ graph, strategies: strategies.join(","), pairs, seed });
  return follow<Standing>(`/api/comparisons?${asked}`, heard, ended);
}

/** The stream of a job's states. */
export const followJob = (job: string, heard: (job: Job) => void, ended: (problem: string | null) => void): (() => void) =>
  follow<Job>(`/api/jobs/${job}/events`, heard, ended);
