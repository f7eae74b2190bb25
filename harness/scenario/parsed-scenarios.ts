/**
 * Scenarios as an earlier process read them. A check of one scenario needs all of them, since every pin has to have its owner, and
 * to parse them costs more than all the rest. What is kept stands for the bytes of its file and for the reader that read it: the
 * build whose id is `build-id`. A file that is damaged, or another build's, is as good as none.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { deepFreeze, parseScenario, type ParsedScenario, type ScenarioFile } from './parse.ts';
import type { Scenario } from './scenario.ts';

/** Below the project's root. */
export const PARSED = '.turnpin/parsed-scenarios';

type Kept = Omit<Scenario, 'positionOf'>;
type Parse = (file: ScenarioFile) => ParsedScenario;

export class ParsedScenarios {
  readonly #file: string;
  readonly #reader: string | null;
  readonly #parse: Parse;
  readonly #known: ReadonlyMap<string, Kept>;
  readonly #used = new Map<string, Kept>();

  /** `reader`: null keeps nothing, as from source, where nothing tells one reader from the next. Never throws. */
  constructor(file: string, reader: string | null = readerId(), parse: Parse = parseScenario) {
    this.#file = file;
    this.#reader = reader;
    this.#parse = parse;
    this.#known = reader === null ? new Map() : (read(file, reader) ?? new Map());
  }

  /** As `parseScenario`. Only what has no mistake is kept. */
  parse(file: ScenarioFile): ParsedScenario {
    const key = sha256(JSON.stringify([file.id, file.file, file.text])).toString('hex');
    const kept = this.#known.get(key);
    if (kept !== undefined) {
      this.#used.set(key, kept);
      return { scenario: this.#restored(kept, file) };
    }
    const parsed = this.#parse(file);
    if ('scenario' in parsed) {
      const { positionOf: _, ...rest } = parsed.scenario;
      this.#used.set(key, rest);
    }
    return parsed;
  }

  /** Keeps what was read for the next process, and nothing else. Where it can't be written, the next one parses again. */
  save(): void {
    const isSame =
      this.#used.size === this.#known.size && [...this.#used.keys()].every((key) => this.#known.has(key));
    if (this.#reader === null || isSame) return;
    const body = serialize([this.#reader, this.#used]);
    try {
      mkdirSync(dirname(this.#file), { recursive: true });
      const fresh = `${this.#file}-${String(process.pid)}`;
      writeFileSync(fresh, Buffer.concat([sha256(body), body]));
      renameSync(fresh, this.#file);
    } catch {
      return;
    }
  }

  #restored(kept: Kept, file: ScenarioFile): Scenario {
    let parsed: ParsedScenario | null = null;
    const positionOf: Scenario['positionOf'] = (path) => {
      parsed ??= this.#parse(file);
      if (!('scenario' in parsed)) throw new Error(`${file.file} was kept as read, and has mistakes.`);
      return parsed.scenario.positionOf(path);
    };
    return deepFreeze({ ...kept, positionOf });
  }
}

/** Null for what is no file of this reader's, whole and undamaged. */
function read(file: string, reader: string): Map<string, Kept> | null {
  try {
    const bytes = readFileSync(file);
    const body = bytes.subarray(DIGEST_BYTES);
    if (!sha256(body).equals(bytes.subarray(0, DIGEST_BYTES))) return null;
    const [by, kept] = deserialize(body) as [string, Map<string, Kept>];
    return by === reader ? kept : null;
  } catch {
    return null;
  }
}

const DIGEST_BYTES = 32;

function sha256(what: string | Uint8Array): Buffer {
  return createHash('sha256').update(what).digest();
}

/** The build that this file belongs to, and the Node that runs it; null from source. */
function readerId(): string | null {
  try {
    return `${readFileSync(new URL('../../build-id', import.meta.url), 'utf8')} ${process.version}`;
  } catch {
    return null;
  }
}
