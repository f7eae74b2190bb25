/** Holds and fails the checkpoints of a session from outside (the step `checkpoint`). */

/** What a store has to have so that its checkpoints can be controlled. */
interface Flushable {
  flush(): Promise<void>;
}

/**
 * `hold` keeps every flush from now on waiting until `release`; `fail` rejects the flush that is held, or else the next
 * one. The store's own flush runs only when a held one is released, so that what is held is not on disk for sure.
 */
export class CheckpointControl {
  #holding = false;
  #failNext = false;
  #held: { readonly go: () => void; readonly fail: (reason: Error) => void }[] = [];

  hold(): void {
    this.#holding = true;
  }

  fail(): void {
    const first = this.#held.shift();
    if (first === undefined) this.#failNext = true;
    else first.fail(refusal());
  }

  release(): void {
    this.#holding = false;
    const held = this.#held;
    this.#held = [];
    for (const { go } of held) go();
  }

  /** The flush of `store` under this control. */
  async flush(store: Flushable): Promise<void> {
    if (this.#failNext) {
      this.#failNext = false;
      throw refusal();
    }
    if (this.#holding) await new Promise<void>((go, fail) => this.#held.push({ go, fail }));
    return store.flush();
  }
}

function refusal(): Error {
  return new Error('the checkpoint was made to fail by the scenario');
}
