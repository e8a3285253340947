// Draws a message's trip above the picture: its path, who holds it, what the holder chooses among.

import type { Hop, Walk } from "./api";
import { type Theme, mix } from "./palette";
import type { Paint, Point } from "./stage";
import { drawTag } from "./stage";

type Context = CanvasRenderingContext2D;
type Place = (node: number) => Point;

const NAMED_CANDIDATES = 5;

/** What one moment of a walk looks like. */
export interface Scene {
  walk: Walk;
  hop: number; // whole hops done
  share: number; // of the next one
  names: readonly string[];
  showShortest: boolean;
}

/** The choice that stands before the holder at a hop; after the last hop there is none. */
export function choiceAt(walk: Walk, hop: number): Hop | null {
  return walk.hops[hop] ?? null;
}

/** Node and edge colours: what the holder cannot see is dimmed. */
export function scenePaint(scene: Scene, colours: Theme): Paint {
  const { walk, hop } = scene;
  const choice = choiceAt(walk, hop);
  const seen = new Set(choice?.seen ?? walk.hops[walk.hops.length - 1]?.seen ?? []);
  const chances = new Map(choice?.candidates.map((node, at) => [node, choice.probabilities[at] ?? 0]));
  const path = new Set(walk.path.slice(0, hop + 1));
  const known = (node: number): boolean => seen.has(node) || chances.has(node) || path.has(node);
  return {
    colour(node) {
      if (node === walk.target) return colours.target;
      if (node === walk.path[hop]) return colours.holder;
      if (node === walk.source) return colours.source;
      const chance = chances.get(node);
      if (chance !== undefined) return mix(colours.seen, colours.candidate, 0.35 + 0.65 * Math.sqrt(chance));
      if (path.has(node)) return colours.path;
      return seen.has(node) ? colours.seen : colours.dim;
    },
    size(node) {
      if (node === walk.target || node === walk.path[hop]) return 1.7;
      const chance = chances.get(node);
      if (chance !== undefined) return 1.15 + 0.6 * chance;
      return seen.has(node) || path.has(node) ? 1.05 : 0.8;
    },
    edge: (from, to) => (known(from) && known(to) ? colours.seenEdge : colours.dimEdge),
    above: known,
  };
}

/** Everything that is drawn above nodes and edges at one moment. */
export function drawScene(context: Context, place: Place, scene: Scene, colours: Theme, now: number, still: boolean): boolean {
  const { walk, hop, share } = scene;
  const choice = choiceAt(walk, hop);
  if (scene.showShortest) drawPath(context, walk.shortest_path.map(place), colours.target, 2, [2, 6]);
  if (choice) drawFan(context, place, choice, colours);
  drawPath(context, walk.path.slice(0, hop + 1).map(place), colours.path, 3.5);
  const from = place(walk.path[hop] as number);
  const next = walk.path[hop + 1];
  const message = next === undefined || share === 0 ? from : between(from, place(next), share);
  if (share > 0) drawPath(context, [from, message], colours.path, 3.5);
  drawEnds(context, place, scene, colours);
  if (choice) drawChances(context, place, choice, scene, colours);
  drawMessage(context, message, colours, still ? 0 : now, walk.path[hop] === walk.target);
  return !still;
}

/** A line through places, in round joins. */
export function drawPath(context: Context, points: readonly Point[], colour: string, width: number, dash: number[] = []): void {
  const [first, ...rest] = points;
  if (!first || !rest.length) return;
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.lineCap = context.lineJoin = "round";
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(first.x, first.y);
  for (const point of rest) context.lineTo(point.x, point.y);
  context.stroke();
  context.restore();
}

/** The links from the holder to its neighbours, the likelier the stronger. */
function drawFan(context: Context, place: Place, choice: Hop, colours: Theme): void {
  const holder = place(choice.holder);
  context.save();
  context.strokeStyle = colours.candidate;
  context.lineCap = "round";
  choice.candidates.forEach((node, at) => {
    const chance = choice.probabilities[at] ?? 0;
    const end = place(node);
    context.globalAlpha = 0.22 + 0.7 * chance;
    context.lineWidth = 1 + 3.5 * chance;
    context.beginPath();
    context.moveTo(holder.x, holder.y);
    context.lineTo(end.x, end.y);
    context.stroke();
  });
  context.restore();
}

/** The likeliest candidates with their probabilities. */
function drawChances(context: Context, place: Place, choice: Hop, scene: Scene, colours: Theme): void {
  const order = choice.candidates
    .map((node, at) => ({ node, chance: choice.probabilities[at] ?? 0 }))
    .filter(({ node, chance }) => chance >= 0.01 && node !== scene.walk.target)
    .sort((a, b) => b.chance - a.chance)
    .slice(0, NAMED_CANDIDATES);
  const taken: Point[] = [];
  for (const { node, chance } of order) {
    const at = place(node);
    if (taken.some((other) => Math.abs(other.y - at.y) < 21 && Math.abs(other.x - at.x) < 130)) continue;
    taken.push(at);
    drawTag(context, at, `${percent(chance)}  ${scene.names[node] ?? ""}`, colours.ink, colours.background, 10);
  }
}

/** Source and target, each with a mark of its own shape and a name. */
function drawEnds(context: Context, place: Place, scene: Scene, colours: Theme): void {
  const { walk, names } = scene;
  const [source, target] = [place(walk.source), place(walk.target)];
  mark(context, source, colours.source, "square");
  mark(context, target, colours.target, "diamond");
  drawTag(context, source, `from ${names[walk.source] ?? ""}`, colours.source, colours.background, 16);
  drawTag(context, target, `to ${names[walk.target] ?? ""}`, colours.target, colours.background, 16);
}

/** An open square or diamond around a place: a cue beside colour. */
export function mark(context: Context, at: Point, colour: string, shape: "square" | "diamond"): void {
  const size = 11;
  context.save();
  context.translate(at.x, at.y);
  if (shape === "diamond") context.rotate(Math.PI / 4);
  context.strokeStyle = colour;
  context.lineWidth = 2.5;
  context.strokeRect(-size, -size, 2 * size, 2 * size);
  context.restore();
}

/** The message: an envelope on a disc, with a ring that breathes while it is on its way. */
export function drawMessage(context: Context, at: Point, colours: Theme, now: number, arrived: boolean): void {
  context.save();
  context.translate(at.x, at.y);
  if (now > 0 && !arrived) {
    const phase = (now % 1600) / 1600;
    context.globalAlpha = 0.5 * (1 - phase);
    context.fillStyle = colours.holder;
    context.beginPath();
    context.arc(0, 0, 12 + 14 * phase, 0, 2 * Math.PI);
    context.fill();
    context.globalAlpha = 1;
  }
  context.fillStyle = arrived ? colours.target : colours.holder;
  context.strokeStyle = colours.background;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(0, 0, 12, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  context.strokeStyle = "#1b1400";
  context.lineWidth = 1.5;
  context.strokeRect(-6, -4, 12, 8);
  context.beginPath();
  context.moveTo(-6, -4);
  context.lineTo(0, 1);
  context.lineTo(6, -4);
  context.stroke();
  context.restore();
}

/** A place between two others. */
export function between(first: Point, second: Point, share: number): Point {
  return { x: first.x + (second.x - first.x) * share, y: first.y + (second.y - first.y) * share };
}

/** A share as people read it. */
export function percent(share: number): string {
  if (share > 0 && share < 0.005) return "<1 %";
  return `${Math.round(share * 100)} %`;
}

/** Whether the reader asked for less motion. */
export const prefersStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
