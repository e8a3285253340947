// Time for a trip: which hop is shown, and how far the message is on its way to the next.

/** Tells where a playback stands: `hop` whole hops done, `share` of the next one under way. */
export type Moment = (hop: number, share: number) => void;

const SETTLE = 0.45; // share of a hop's time in which the message rests at its holder

/** Plays a number of hops: play, pause, step, seek, speed. */
export class Player {
  hops = 0;
  hop = 0;
  share = 0;
  playing = false;
  speed = 1; // hops per second
  private last = 0;
  private readonly tell: Moment;
  private readonly changed: () => void;

  constructor(tell: Moment, changed: () => void) {
    this.tell = tell;
    this.changed = changed;
  }

  /** Begins again with a trip of so many hops. */
  load(hops: number): void {
    this.hops = hops;
    this.seek(0);
  }

  /** Learns that the trip has grown, without moving. */
  extend(hops: number): void {
    this.hops = hops;
    this.changed();
  }

  play(): void {
    if (this.hop >= this.hops) this.seek(0);
    if (this.playing || this.hops === 0) return;
    this.playing = true;
    this.last = performance.now();
    this.changed();
    requestAnimationFrame((now) => this.tick(now));
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.changed();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** One hop forward or back, and no further. */
  step(by: number): void {
    this.pause();
    this.seek(this.hop + by);
  }

  seek(hop: number): void {
    this.hop = Math.max(0, Math.min(this.hops, Math.round(hop)));
    this.share = 0;
    this.tell(this.hop, 0);
    this.changed();
  }

  private tick(now: number): void {
    if (!this.playing) return;
    const passed = Math.min(0.5, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    this.share += passed * this.speed;
    const before = this.hop;
    while (this.share >= 1 && this.hop < this.hops) {
      this.hop += 1;
      this.share -= 1;
    }
    if (this.hop >= this.hops) {
      this.share = 0;
      this.playing = false;
    }
    this.tell(this.hop, moved(this.share));
    if (this.hop !== before || !this.playing) this.changed();
    if (this.playing) requestAnimationFrame((next) => this.tick(next));
  }
}

/** How far the message is, when this share of a hop's time has passed: it rests, then glides. */
export function moved(share: number): number {
  const going = Math.max(0, (share - SETTLE) / (1 - SETTLE));
  return going * going * (3 - 2 * going);
}
