// Places around the middle that tell nothing of the graph but the order of a list.

import type { Point } from "./stage";

const PER_RING = 40; // on average
const MAX_RINGS = 6;
const INNERMOST = 0.4; // of the outermost ring's radius
const [ACROSS, DOWN] = [0.72, 0.92]; // of the picture's half width and height; names need room

/** Places of a list on rings, clockwise from the top, the outermost first: -1 … 1 from the lower to
 * the upper edge, times `wide` from left to right. */
export function ringPlaces(count: number, wide: number): Point[] {
  const rings = Math.min(MAX_RINGS, Math.max(1, Math.ceil(count / PER_RING)));
  const radii = Array.from({ length: rings }, (_, ring) => 1 - ((1 - INNERMOST) * ring) / Math.max(1, rings - 1));
  const whole = radii.reduce((sum, radius) => sum + radius, 0);
  const places: Point[] = [];
  let before = 0;
  for (const radius of radii) {
    before += radius;
    const here = Math.round((count * before) / whole) - places.length;
    for (let at = 0; at < here; at += 1) {
      const turn = (2 * Math.PI * at) / here;
      places.push({ x: Math.sin(turn) * radius * wide * ACROSS, y: Math.cos(turn) * radius * DOWN });
    }
  }
  return places;
}
