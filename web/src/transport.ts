// The bar under the picture: replay, step, play, a timeline and the speed.

import { h, fill } from "./dom";
import type { Player } from "./player";

const SPEEDS = [0.5, 1, 2, 5, 10];

/** The controls of one player; they follow it and it follows them. */
export class Transport {
  private readonly play = button("play", "Play", "▶");
  private readonly back = button("back", "One hop back", "‹");
  private readonly step = button("step", "One hop on", "›");
  private readonly replay = button("replay", "From the start", "↺");
  private readonly line = h("input", { type: "range", min: 0, step: 1, value: 0, "aria-label": "Hop", id: "timeline" });
  private readonly speed = h("select", { "aria-label": "Speed", id: "speed" });
  private readonly player: Player;

  constructor(place: HTMLElement, player: Player) {
    this.player = player;
    for (const speed of SPEEDS) {
      this.speed.append(h("option", { value: speed, selected: speed === player.speed }, `${speed} ${speed === 1 ? "hop" : "hops"}/s`));
    }
    fill(place, this.replay, this.back, this.play, this.step, this.line, this.speed);
    this.play.addEventListener("click", () => player.toggle());
    this.back.addEventListener("click", () => player.step(-1));
    this.step.addEventListener("click", () => player.step(1));
    this.replay.addEventListener("click", () => {
      player.seek(0);
      player.play();
    });
    this.line.addEventListener("input", () => {
      player.pause();
      player.seek(Number(this.line.value));
    });
    this.speed.addEventListener("change", () => {
      player.speed = Number(this.speed.value);
    });
  }

  /** Shows where the player stands. */
  update(): void {
    const { playing, hop, hops } = this.player;
    this.play.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.play.textContent = playing ? "❚❚" : "▶";
    this.play.classList.toggle("playing", playing);
    this.line.max = String(Math.max(1, hops));
    this.line.value = String(hop);
    this.line.setAttribute("aria-valuetext", `hop ${hop} of ${hops}`);
    for (const control of [this.play, this.replay, this.line]) control.disabled = hops === 0;
    this.back.disabled = hop === 0;
    this.step.disabled = hop >= hops;
  }
}

function button(id: string, label: string, sign: string): HTMLButtonElement {
  return h("button", { type: "button", id, class: "round", "aria-label": label, title: label }, sign);
}
