/** Text of one scenario file -> Scenario, or everything that is wrong with it. Pure (architecture.md, "parse"). */
import { createHash } from 'node:crypto';
import type { JsonValue, Mistake } from '../document/position.ts';
import { mistakeProblems } from '../document/problem.ts';
import { checkShape } from '../document/shape.ts';
import { readYaml, type YamlDocument } from '../document/yaml.ts';
import type { Problem } from '../verdict/problem.ts';
import { readExpect } from './read/expect.ts';
import { readModel } from './read/model.ts';
import { Reading } from './read/reading.ts';
import { readSteps } from './read/steps.ts';
import type { ChildPin, Scenario } from './scenario.ts';
import { ELSEWHERE, scenarioFile, type RawScenario } from './schema/scenario.ts';

export interface ScenarioFile {
  readonly text: string;
  /** Relative to the project, with `/`. */
  readonly file: string;
  /** Path below the scenarios folder, without `.yaml`. */
  readonly id: string;
}

export type ParsedScenario = { readonly scenario: Scenario } | { readonly problems: readonly Problem[] };

/** Never throws. Problems are INVALID_SCENARIO, all of them, each at its place. */
export function parseScenario(file: ScenarioFile): ParsedScenario {
  const read = readYaml(file.text);
  if ('mistakes' in read) return refused(file, read.mistakes);
  const shaped = checkShape(scenarioFile, read.document, { elsewhere: ELSEWHERE });
  if ('mistakes' in shaped) return refused(file, shaped.mistakes);
  const reading = new Reading(read.document);
  const scenario = build({ file, raw: shaped.value, document: read.document, reading });
  const mistakes = reading.mistakes();
  return mistakes.length > 0 ? refused(file, mistakes) : { scenario };
}

function refused({ file, id, text }: ScenarioFile, mistakes: readonly Mistake[]): ParsedScenario {
  return { problems: mistakeProblems({ kind: 'INVALID_SCENARIO', file, key: id, text }, mistakes) };
}

interface Parts {
  readonly file: ScenarioFile;
  readonly raw: RawScenario;
  readonly document: YamlDocument;
  readonly reading: Reading;
}

function build({ file, raw, document, reading }: Parts): Scenario {
  const model = readModel(raw.model, reading);
  const replies = new Map(
    [...model.conversations, ...model.asides].flatMap((script) =>
      script.replies.map((reply) => [reply.key, reply.position] as const),
    ),
  );
  return deepFreeze({
    id: file.id,
    file: file.file,
    title: raw.title,
    covers: raw.covers,
    category: raw.category ?? 'base',
    agent: raw.agent ?? {},
    workspace: raw.workspace ?? {},
    session: raw.session ?? null,
    via: raw.via ?? null,
    model,
    steps: readSteps(raw.steps, reading),
    expect: readExpect(raw.expect, reading),
    pinsChildSystemPrompts: readChildPins('pinsChildSystemPrompts', raw, reading),
    pinsChildToolSchemas: readChildPins('pinsChildToolSchemas', raw, reading),
    pinsWire: raw.pinsWire ?? [],
    rewrites: raw.rewrites ?? [],
    positionOf: (path: string) => replies.get(path) ?? document.placeOf(path),
    digest: digestOf(file.text),
  });
}

/** Of the text with LF line ends, so that a checkout's line ends make no difference. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}

function readChildPins(
  key: 'pinsChildSystemPrompts' | 'pinsChildToolSchemas',
  raw: RawScenario,
  reading: Reading,
): ChildPin[] {
  const given = raw[key];
  if (given === undefined) return [];
  if (!Array.isArray(given)) {
    return Object.entries(given).map(([child, owner]) => ({
      child: Number(child),
      owner,
      position: reading.at([key, child]),
    }));
  }
  return given.map((child, index) => {
    if (given.indexOf(child) < index) reading.note([key, index], `child ${String(child)} is listed twice`);
    return { child, owner: null, position: reading.at([key, index]) };
  });
}

type Freezable = JsonValue | object | undefined;

/** The value, with everything in it. */
export function deepFreeze<T extends Freezable>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value) as Freezable[]) deepFreeze(part);
  return Object.freeze(value);
}
