/** The problems of one run, each with its place in the scenario. Pure. */
import type { ModelFinding } from '../model/exchange.ts';
import { readableText, type VolatileTable } from '../observe/placeholders.ts';
import { volatileTable } from '../observe/volatile.ts';
import type { Recording, RunFailure } from '../run/recording.ts';
import type { Position, Scenario } from '../scenario/scenario.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import type { Driver, Kind } from '../verdict/vocabulary.ts';
import type { Unmet } from './expectation.ts';

/** Makes them. Texts lose what varies from run to run, so that equal runs print equal reports. */
export class RunProblems {
  readonly #scenario: Scenario;
  readonly #driver: Driver;
  readonly #table: VolatileTable;

  constructor(recording: Recording) {
    this.#scenario = recording.scenario;
    this.#driver = recording.driver;
    this.#table = volatileTable(recording);
  }

  unmet({ path, message }: Unmet): Problem {
    return this.#make('EXPECTATION_FAILED', path, { message, position: this.#scenario.positionOf(path) });
  }

  /** `skipped`: replies that were never asked for because of it. */
  failure({ kind, key, message }: RunFailure, skipped: readonly string[]): Problem {
    const rest = skipped.length === 0 ? '' : `\n  never asked for: ${skipped.join(', ')}`;
    const place = key.startsWith('steps.') ? key : 'steps';
    return this.#make(kind, key, {
      message: `${message}${rest}`,
      position: this.#scenario.positionOf(place),
    });
  }

  finding({ kind, key, message, diff }: ModelFinding): Problem {
    return this.#make(kind, key, { message, diff, position: this.#positionOfReply(key) });
  }

  credential(place: string): Problem {
    const message = `${place} holds what looks like a credential and is not the key handed out; its value is not shown`;
    return this.#make('CREDENTIAL_SEEN', place.replaceAll(' ', '.'), {
      message,
      position: this.#scenario.positionOf('model'),
    });
  }

  #make(
    kind: Kind,
    key: string,
    facts: { message: string; position: Position; diff?: string | null },
  ): Problem {
    const { id, file } = this.#scenario;
    const diff = facts.diff ?? null;
    return problem({
      kind,
      key: `${id}/${key}`,
      file,
      line: facts.position.line,
      column: facts.position.column,
      affected: [{ scenario: id, driver: this.#driver }],
      message: readableText(facts.message, this.#table),
      diff: diff === null ? null : readableText(diff, this.#table),
      fix: { command: ['turnpin', 'check', id, '--keep'], writes: 0 },
    });
  }

  #positionOfReply(key: string): Position {
    const { conversations, asides } = this.#scenario.model;
    const replies = [...conversations, ...asides].flatMap(({ replies: all }) => all);
    const reply = replies.find((candidate) => candidate.key === key);
    return reply?.position ?? this.#scenario.positionOf(key.startsWith('gate.') ? 'steps' : `model.${key}`);
  }
}
