// The picture: WebGL for nodes and edges (sigma), one 2-D canvas above them for what moves.

import { UndirectedGraph } from "graphology";
import Sigma from "sigma";
import { EdgeLineProgram, NodeCircleProgram, NodePointProgram } from "sigma/rendering";

import type { GraphPicture } from "./api";
import { type Theme, onThemeChange, theme } from "./palette";

/** A place on the screen, in CSS pixels from the picture's upper left corner. */
export interface Point {
  x: number;
  y: number;
}

/** What one paint of the picture looks like. */
export interface Paint {
  colour(node: number): string;
  size?(node: number): number;
  edge?(source: number, target: number): string;
  above?(node: number): boolean;
}

/** Draws above the picture; `place` says where a node is. Returns whether it goes on moving. */
export type Overlay = (
  context: CanvasRenderingContext2D,
  place: (node: number) => Point,
  now: number,
) => boolean;

const MANY_NODES = 500; // beyond it nodes are plain points
const PADDING = 46;
const SMALL = 8; // a picture of fewer pixels across is not on the screen

/** One graph on the screen. Views paint it; nobody else touches sigma. */
export class Stage {
  readonly container: HTMLElement;
  colours: Theme = theme();
  private sigma: Sigma | null = null;
  private model: UndirectedGraph | null = null;
  private places: ReadonlyMap<number, Point> | null = null;
  private graph: GraphPicture | null = null;
  private paintNow: Paint | null = null;
  private overlay: Overlay | null = null;
  private layer: HTMLCanvasElement | null = null;
  private pending = false;
  private clicked: (node: number) => void = () => undefined;
  private repaint: () => void = () => undefined;

  constructor(container: HTMLElement) {
    this.container = container;
    new ResizeObserver(() => {
      if (this.onScreen()) this.sigma?.resize().scheduleRefresh();
    }).observe(container);
    onThemeChange(() => {
      this.colours = theme();
      this.repaint();
      this.refresh();
    });
  }

  /** Which node a click chooses is told to one listener at a time. */
  onClick(clicked: (node: number) => void): void {
    this.clicked = clicked;
  }

  /** Called when light changes to dark or back. */
  onTheme(repaint: () => void): void {
    this.repaint = repaint;
  }

  /** Shows another graph, all of it, without a paint of its own. */
  show(graph: GraphPicture): void {
    if (this.graph === graph) return;
    this.clear();
    this.graph = graph;
    this.model = model(graph);
    this.sigma = new Sigma(this.model, this.container, this.settings(graph));
    this.sigma.on("clickNode", ({ node }) => this.clicked(Number(node)));
    this.sigma.on("afterRender", () => this.drawOverlay());
    this.layer = this.sigma.createCanvas("trip", { afterLayer: "hoverNodes" });
    this.layer.classList.add("trip-layer");
    this.container.dataset["nodes"] = String(graph.names.length);
    this.container.dataset["drawn"] = "true";
  }

  /** Takes the picture down. */
  clear(): void {
    this.sigma?.kill();
    this.sigma = this.layer = this.graph = this.model = this.places = null;
    this.paintNow = this.overlay = null;
    delete this.container.dataset["drawn"];
  }

  /** Shows these nodes alone, at these places, and no edges; null: the whole graph by its layout.
   * The picture holds -w … w across and -1 … 1 down, w being how much wider than high it is. */
  arrange(places: ReadonlyMap<number, Point> | null): void {
    const { graph, model } = this;
    if (!graph || !model || !this.sigma || (!places && !this.places)) return;
    this.places = places;
    const wide = this.aspect();
    this.sigma.setCustomBBox(places ? { x: [-wide, wide], y: [-1, 1] } : null);
    model.updateEachNodeAttributes((node, known) => ({ ...known, ...this.layout(Number(node)) }), { attributes: ["x", "y"] });
  }

  /** How much wider than high the picture is. */
  aspect(): number {
    return this.onScreen() ? this.container.clientWidth / this.container.clientHeight : 1;
  }

  /** The nodes that the picture shows. */
  shown(): number[] {
    return (this.graph?.names ?? []).map((_, node) => node).filter((node) => this.places?.has(node) ?? true);
  }

  private onScreen(): boolean {
    return this.container.clientWidth >= SMALL && this.container.clientHeight >= SMALL;
  }

  /** Where a node stands before the camera looks at it. */
  private layout(node: number): Point {
    return this.places?.get(node) ?? { x: this.graph?.x[node] ?? 0, y: this.graph?.y[node] ?? 0 };
  }

  /** Paints nodes and edges anew. */
  paint(paint: Paint): void {
    this.paintNow = paint;
    this.refresh();
  }

  /** What is drawn above the picture, on every frame that needs it. */
  draw(overlay: Overlay | null): void {
    this.overlay = overlay;
    this.drawOverlay();
  }

  /** Moves the camera so that these nodes fill the picture; none of them: the whole graph. */
  look(nodes: readonly number[]): void {
    if (!this.sigma || !this.graph) return;
    const camera = this.sigma.getCamera();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const state = nodes.length ? this.frame(nodes) : { x: 0.5, y: 0.5, ratio: 1, angle: 0 };
    if (still) camera.setState(state);
    else void camera.animate(state, { duration: 500 });
  }

  /** Where a node is on the screen. */
  place(node: number): Point {
    return (this.sigma as Sigma).graphToViewport(this.layout(node));
  }

  /** Moves the camera by a share of the picture; for scripted pans. */
  pan(x: number, y: number): void {
    const camera = this.sigma?.getCamera();
    camera?.setState({ x: camera.x + x, y: camera.y + y });
  }

  /** Whether the graphics context was lost. */
  lost(): boolean {
    const canvases = Object.values(this.sigma?.getCanvases() ?? {});
    return canvases.some((canvas) => canvas.getContext("webgl2")?.isContextLost() ?? false);
  }

  private frame(nodes: readonly number[]): { x: number; y: number; ratio: number } {
    const places = nodes.map((node) => this.sigma?.getNodeDisplayData(String(node)) ?? { x: 0.5, y: 0.5 });
    const [left, right] = [Math.min(...places.map((p) => p.x)), Math.max(...places.map((p) => p.x))];
    const [low, high] = [Math.min(...places.map((p) => p.y)), Math.max(...places.map((p) => p.y))];
    const ratio = Math.max(right - left, high - low, 0.12) * 1.5;
    return { x: (left + right) / 2, y: (low + high) / 2, ratio: Math.min(1, ratio) };
  }

  private refresh(): void {
    this.sigma?.refresh({ skipIndexation: true });
  }

  private drawOverlay(): void {
    const layer = this.layer;
    if (!layer || !this.sigma) return;
    const { width, height } = this.sigma.getDimensions();
    const pixels = window.devicePixelRatio || 1;
    const fits = layer.width === Math.round(width * pixels) && layer.height === Math.round(height * pixels);
    if (!fits) {
      layer.width = Math.round(width * pixels);
      layer.height = Math.round(height * pixels);
      layer.style.width = `${width}px`;
      layer.style.height = `${height}px`;
    }
    const context = layer.getContext("2d");
    if (!context) return;
    context.setTransform(pixels, 0, 0, pixels, 0, 0);
    context.clearRect(0, 0, width, height);
    if (!this.overlay) return;
    const moving = this.overlay(context, (node) => this.place(node), performance.now());
    if (moving && !this.pending) {
      this.pending = true;
      requestAnimationFrame(() => {
        this.pending = false;
        this.drawOverlay();
      });
    }
  }

  private settings(graph: GraphPicture): object {
    const many = graph.names.length > MANY_NODES;
    const size = nodeSize(graph.names.length);
    return {
      renderLabels: false,
      zIndex: true,
      stagePadding: PADDING,
      defaultNodeType: "node",
      defaultEdgeType: "line",
      nodeProgramClasses: { node: many ? NodePointProgram : NodeCircleProgram },
      edgeProgramClasses: { line: EdgeLineProgram },
      allowInvalidContainer: true, // a tab without a picture hides it
      minCameraRatio: 0.02,
      maxCameraRatio: 2,
      defaultDrawNodeHover: (context: CanvasRenderingContext2D, data: HoverData) =>
        drawHover(context, data, this.colours),
      nodeReducer: (node: string) => this.node(Number(node), size),
      edgeReducer: (_: string, data: { source: number; target: number }) => ({
        color: this.paintNow?.edge?.(data.source, data.target) ?? this.colours.edge,
        size: 1,
        hidden: this.places !== null,
      }),
    };
  }

  private node(node: number, size: number): object {
    const paint = this.paintNow;
    return {
      ...this.layout(node),
      hidden: this.places !== null && !this.places.has(node),
      label: this.graph?.names[node] ?? "",
      color: paint?.colour(node) ?? this.colours.node,
      size: (this.places ? nodeSize(this.places.size) : size) * (paint?.size?.(node) ?? 1),
      zIndex: paint?.above?.(node) ? 1 : 0,
    };
  }
}

/** How large a node of a graph of this many is drawn, in pixels. */
export function nodeSize(count: number): number {
  return Math.max(1.4, Math.min(7, 60 / Math.sqrt(count)));
}

function model(graph: GraphPicture): UndirectedGraph {
  const made = new UndirectedGraph();
  graph.names.forEach((_, node) => made.addNode(String(node), { x: graph.x[node], y: graph.y[node] }));
  for (let at = 0; at + 1 < graph.edges.length; at += 2) {
    const [source, target] = [graph.edges[at] as number, graph.edges[at + 1] as number];
    if (!made.hasEdge(String(source), String(target))) {
      made.addEdge(String(source), String(target), { source, target });
    }
  }
  return made;
}

interface HoverData {
  x: number;
  y: number;
  size: number;
  label: string | null;
}

function drawHover(context: CanvasRenderingContext2D, data: HoverData, colours: Theme): void {
  drawTag(context, data, data.label ?? "", colours.ink, colours.background, data.size + 6);
}

/** A name beside a place, on a plate so that it can be read above anything. It stands `away` to the
 * right, or to the left where that is negative or the picture ends. */
export function drawTag(
  context: CanvasRenderingContext2D,
  at: Point,
  text: string,
  ink: string,
  plate: string,
  away: number,
): void {
  const width = tagWidth(context, text);
  context.textBaseline = "middle";
  context.textAlign = "left";
  const edge = context.canvas.clientWidth || context.canvas.width;
  const toLeft = away < 0 ? at.x + away - width > 4 : at.x + away + width > edge - 4;
  const left = toLeft ? at.x - Math.abs(away) - width : at.x + Math.abs(away);
  context.globalAlpha = 0.88;
  context.fillStyle = plate;
  context.beginPath();
  context.roundRect(left, at.y - 10, width, 20, 6);
  context.fill();
  context.globalAlpha = 1;
  context.fillStyle = ink;
  context.fillText(shortened(text), left + 6, at.y + 0.5);
}

/** How wide a name is drawn, in pixels; sets the font that it is drawn in. */
export function tagWidth(context: CanvasRenderingContext2D, text: string): number {
  context.font = '600 12px system-ui, -apple-system, "Segoe UI", sans-serif';
  return context.measureText(shortened(text)).width + 12;
}

function shortened(text: string): string {
  return text.length > 34 ? `${text.slice(0, 33)}…` : text;
}
