// What the game draws: neighbours around the holder while one plays, the map at the end.

import type { Choice, Game } from "../api";
import { h } from "../dom";
import { drawMessage, drawPath, drawTag, mark, tagWidth } from "../overlay";
import { OKABE_ITO } from "../palette";
import { ringPlaces } from "../ring";
import type { Session } from "../session";
import type { Point } from "../stage";
import { between, prefersStill } from "../trip";

const AWAY = 9; // pixels from a node to its name
const NODE = 6; // pixels around a node that names keep clear of
const NAME_HEIGHT = 20;

/** Where one can go, in the order of the list: the target, then by what is shared, then by links. */
export function ordered(game: Game): Choice[] {
  return [...game.choices].sort((a, b) => Number(b.is_target) - Number(a.is_target) || b.shared.length - a.shared.length || b.degree - a.degree);
}

/** What the marks of the picture mean. */
export function legend(game: Game): HTMLElement[] {
  const reached = game.over || game.choices.some(({ is_target }) => is_target);
  const keys: [string, string, boolean][] = [
    ["key-holder", game.over ? "the policy's path" : "you", true],
    ["key-target", "target", reached],
    ["key-candidate", game.over ? "a shortest path" : "where you can go", true],
    ["key-source", game.over ? "your path" : "where you have been", true],
  ];
  return keys.filter(([, , there]) => there).map(([key, text]) => h("span", { class: `key ${key}` }, text));
}

/** While one plays: the holder and its neighbours in the order of the list. An agent has no map, so
 * no place here says where the target is. */
export function paintRing(session: Session, game: Game): void {
  const { stage } = session;
  const { colours } = stage;
  const nodes = ordered(game).map(({ node }) => node);
  const ring = ringPlaces(nodes.length, stage.aspect());
  const been = new Set(game.path);
  const hue = (node: number): string => (node === game.target ? colours.target : been.has(node) ? colours.path : colours.candidate);
  stage.arrange(new Map([[game.holder, { x: 0, y: 0 }], ...nodes.map((node, at) => [node, ring[at] as Point] as const)]));
  stage.paint({ colour: (node) => (node === game.holder ? colours.holder : hue(node)), size: (node) => (node === game.holder ? 1.8 : 1.1), above: () => true });
  const names = new Names(session, nodes);
  stage.draw((context, place, now) => {
    const middle = place(game.holder);
    const places = nodes.map(place);
    for (const at of places) drawPath(context, [middle, between(at, middle, NODE / Math.max(NODE, Math.hypot(at.x - middle.x, at.y - middle.y)))], colours.seenEdge, 1);
    names.draw(context, middle, places);
    if (nodes.includes(game.target)) mark(context, place(game.target), colours.target, "diamond");
    drawMessage(context, middle, colours, prefersStill() ? 0 : now, false);
    return !prefersStill();
  });
}

/** At the end: the map, with one's own path, the policy's and a shortest one. */
export function paintMap(session: Session, game: Game): void {
  const { stage } = session;
  const { colours } = stage;
  const path = new Set(game.path);
  const known = (node: number): boolean => path.has(node) || node === game.target;
  stage.arrange(null);
  stage.paint({
    colour: (node) => (node === game.target ? colours.target : node === game.holder ? colours.holder : path.has(node) ? colours.path : colours.dim),
    size: (node) => (node === game.target || node === game.holder ? 1.8 : 0.8),
    edge: (from, to) => (known(from) && known(to) ? colours.seenEdge : colours.dimEdge),
    above: known,
  });
  stage.draw((context, place) => {
    if (game.result) {
      drawPath(context, game.result.shortest_path.map(place), OKABE_ITO.green, 3, [2, 7]);
      drawPath(context, game.result.policy.path.map(place), OKABE_ITO.orange, 3);
    }
    drawPath(context, game.path.map(place), colours.path, 3.5);
    mark(context, place(game.target), colours.target, "diamond");
    drawTag(context, place(game.target), session.name(game.target), colours.target, colours.background, 16);
    drawMessage(context, place(game.holder), colours, 0, game.delivered);
    return false;
  });
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Tag {
  at: Point;
  away: number;
  text: string;
}

/** Names beside nodes, as far as they stand clear of one another and of other nodes. */
class Names {
  private readonly session: Session;
  private readonly nodes: readonly number[];
  private key = "";
  private tags: Tag[] = [];

  constructor(session: Session, nodes: readonly number[]) {
    this.session = session;
    this.nodes = nodes;
  }

  /** Draws them; where each stands is found anew only when the nodes have moved. */
  draw(context: CanvasRenderingContext2D, middle: Point, places: readonly Point[]): void {
    const { ink, background } = this.session.stage.colours;
    const key = JSON.stringify([middle, places[0], context.canvas.clientWidth]);
    if (key !== this.key) {
      this.key = key;
      this.tags = this.placed(context, middle, places);
    }
    for (const { at, away, text } of this.tags) drawTag(context, at, text, ink, background, away);
  }

  private placed(context: CanvasRenderingContext2D, middle: Point, places: readonly Point[]): Tag[] {
    const nodes = [middle, ...places].map((at) => around(at, NODE, NODE));
    const named: Box[] = [];
    return places.flatMap((at, number) => {
      const text = this.session.name(this.nodes[number] as number);
      const width = tagWidth(context, text);
      const outwards = at.x < middle.x - 1 ? -AWAY : AWAY;
      const above = { x: at.x - width / 2, y: at.y + (at.y <= middle.y ? -18 : 18) };
      const tries: Tag[] = [{ at, away: outwards, text }, { at: above, away: 0, text }, { at, away: -outwards, text }];
      const found = tries.find((tag) => {
        const box = boxOf(tag, width);
        const inside = box.left > 4 && box.right < context.canvas.clientWidth - 4;
        return inside && !named.some((other) => meet(box, other)) && !nodes.some((other, node) => node !== number + 1 && meet(box, other));
      });
      if (found) named.push(boxOf(found, width));
      return found ? [found] : [];
    });
  }
}

function boxOf({ at, away }: Tag, width: number): Box {
  const left = away < 0 ? at.x + away - width : at.x + away;
  return { left, right: left + width, top: at.y - NAME_HEIGHT / 2, bottom: at.y + NAME_HEIGHT / 2 };
}

function around({ x, y }: Point, across: number, down: number): Box {
  return { left: x - across, right: x + across, top: y - down, bottom: y + down };
}

function meet(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
