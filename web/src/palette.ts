// Colours. Those with a meaning are Okabe and Ito's, which people tell apart whatever they see of
// colour; the map from numbers to colours grows in lightness too.

/** Okabe and Ito's eight, without black. */
export const OKABE_ITO = {
  orange: "#e69f00",
  sky: "#56b4e9",
  green: "#009e73",
  yellow: "#f0e442",
  blue: "#0072b2",
  vermilion: "#d55e00",
  pink: "#cc79a7",
} as const;

/** One colour for each strategy of a race, in this order. */
export const RACE_COLOURS: readonly string[] = [
  OKABE_ITO.blue,
  OKABE_ITO.orange,
  OKABE_ITO.green,
  OKABE_ITO.pink,
  OKABE_ITO.sky,
  OKABE_ITO.vermilion,
];

/** What a picture of the graph is painted with. */
export interface Theme {
  background: string;
  ink: string;
  soft: string;
  node: string;
  seen: string;
  dim: string;
  edge: string;
  seenEdge: string;
  dimEdge: string;
  source: string;
  target: string;
  holder: string;
  candidate: string;
  path: string;
}

const LIGHT: Theme = {
  background: "#fbfaf7",
  ink: "#20242a",
  soft: "#626973",
  node: "#8f98a6",
  seen: "#7c8797",
  dim: "#dfe0de",
  edge: "#dcdedf",
  seenEdge: "#c3c9d0",
  dimEdge: "#eeeeea",
  source: OKABE_ITO.blue,
  target: OKABE_ITO.vermilion,
  holder: OKABE_ITO.orange,
  candidate: OKABE_ITO.green,
  path: OKABE_ITO.blue,
};

const DARK: Theme = {
  background: "#14171c",
  ink: "#eceef1",
  soft: "#a3abb6",
  node: "#6f7a89",
  seen: "#8d99a9",
  dim: "#272c34",
  edge: "#2b3038",
  seenEdge: "#434b57",
  dimEdge: "#1c2026",
  source: "#4aa8e0",
  target: "#f0803c",
  holder: "#f5b52e",
  candidate: "#2cc295",
  path: "#4aa8e0",
};

/** The theme that the reader's system asks for. */
export function theme(): Theme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? DARK : LIGHT;
}

/** Calls back when the reader's system changes between light and dark. */
export function onThemeChange(changed: () => void): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

type Rgb = readonly [number, number, number];

// Stops from dark blue by green to yellow: lightness grows throughout.
const STOPS: readonly Rgb[] = [
  [38, 29, 84],
  [49, 74, 135],
  [38, 116, 139],
  [47, 157, 128],
  [132, 196, 88],
  [246, 226, 60],
];

/** The colour of a number between 0 and 1: dark and blue to light and yellow. */
export function scale(value: number): string {
  const at = Math.max(0, Math.min(1, value)) * (STOPS.length - 1);
  const low = Math.min(STOPS.length - 2, Math.floor(at));
  return css(mixed(STOPS[low] as Rgb, STOPS[low + 1] as Rgb, at - low));
}

/** Two colours (`#rrggbb`) mixed: 0 gives the first, 1 the second. */
export function mix(first: string, second: string, share: number): string {
  return css(mixed(parsed(first), parsed(second), Math.max(0, Math.min(1, share))));
}

function parsed(colour: string): Rgb {
  const part = (at: number): number => Number.parseInt(colour.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
}

function mixed(first: Rgb, second: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2): number => Math.round(first[at] + (second[at] - first[at]) * share);
  return [part(0), part(1), part(2)];
}

function css(colour: Rgb): string {
  return `#${colour.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
