/** Holds by name: a reply stops at one until it is released. No timers. */
import type { Exchange } from './exchange.ts';

interface Waiting {
  readonly exchange: Exchange;
  readonly hold: string;
  readonly go: () => void;
}

export class Holds {
  #waiting: readonly Waiting[] = [];
  readonly #released = new Set<string>();

  /** Resolves when the hold is released; at once where it was released before. */
  reached(exchange: Exchange, hold: string): Promise<void> {
    if (this.#released.has(hold)) return Promise.resolve();
    return new Promise((go) => {
      this.#waiting = [...this.#waiting, { exchange, hold, go }];
    });
  }

  /** Names, each once, in the order in which they were reached. */
  held(): readonly string[] {
    return [...new Set(this.#waiting.map((waiting) => waiting.hold))];
  }

  heldBy(exchange: Exchange): string | null {
    return this.#waiting.find((waiting) => waiting.exchange === exchange)?.hold ?? null;
  }

  release(hold: string): void {
    this.#released.add(hold);
    const free = this.#waiting.filter((waiting) => waiting.hold === hold);
    this.#waiting = this.#waiting.filter((waiting) => waiting.hold !== hold);
    for (const waiting of free) waiting.go();
  }

  /** Forgets an exchange that has ended; whoever waits for it goes on. */
  forget(exchange: Exchange): void {
    const gone = this.#waiting.filter((waiting) => waiting.exchange === exchange);
    if (gone.length === 0) return;
    this.#waiting = this.#waiting.filter((waiting) => waiting.exchange !== exchange);
    for (const waiting of gone) waiting.go();
  }
}
