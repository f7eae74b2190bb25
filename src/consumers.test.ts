/**
 * Nothing that uses an agent derives the outcome of one message by correlating a `MessageId` with a `turn/end`
 * (seed 000, "Verification"). The ACP bridge's error attribution is the one exception.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type { Observed, RunResult } from './sdk/client.ts';
import type { Methods } from './sdk/protocol.ts';
import type { EventData } from './session/events.ts';

/** Whoever builds upon an agent. The core itself, which records both facts, is below them. */
const CONSUMERS = ['subagent', 'goal', 'assembly', 'sdk', 'acp', 'cli'];

/** The one module that may do both: a model error rejects the prompt that its own turn claimed (ACP-4, ACP-7). */
const EXCEPTION = 'acp/prompt-lane.ts';

/**
 * Modules that name messages and use one that looks at the ends of turns, each with what keeps the two apart. A new one
 * needs a reason as good.
 */
const NEIGHBOURS: Readonly<Record<string, string>> = {
  'acp/acp-session.ts': 'uses the exception',
  'goal/goal-driver.ts':
    'knows its own message by its id, to see it queued and admitted; the fate is of the interval',
  'sdk/protocol.ts': 'types: a receipt, and the outcome of a child, whose lifecycle its caller owns',
  'subagent/continuation-manager.ts': 'answers the id of a message to a child; the outcome is of an epoch',
  'subagent/family.ts': 'types of the same two',
};

/** What a module says that matters here. Comments do not. */
interface Facts {
  readonly file: string;
  /** Looks at how turns end. */
  readonly ends: boolean;
  /** Can tell one message, or anything else, from another. */
  readonly identifies: boolean;
  /** Knows messages by their names. */
  readonly names: boolean;
  /** Modules of the project that it uses, types included, as paths below `src/`. */
  readonly uses: readonly string[];
}

function factsOf(file: string, text: string): Facts {
  const words = new Set<string>();
  const texts = new Set<string>();
  const uses: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) words.add(node.text.replace('#', ''));
    if (ts.isStringLiteralLike(node)) texts.add(node.text);
    if (ts.isTemplateHead(node)) texts.add(node.text);
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined)
      uses.push(path.join(path.dirname(file), (node.moduleSpecifier as ts.StringLiteral).text));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  const all = [...words, ...texts];
  return {
    file,
    // By its name, by the beginning of its name, or by its type.
    ends: [...texts].some((one) => /^turn\/(e|$)/.test(one)) || words.has('TurnEndReason'),
    identifies: all.some((one) => /^id$|[a-z]Ids?$|^inserted$|^claimed$/.test(one)),
    names:
      all.some((one) => /^messageIds?$|^MessageId$|^inserted$|^claimed$/.test(one)) ||
      /\bmessage\.id\b/.test(text),
    uses,
  };
}

/** Modules that do both, and modules that are next to one that does the one and do the other. */
function correlations(modules: readonly Facts[]): {
  readonly within: readonly string[];
  readonly beside: readonly string[];
} {
  const ends = new Set(modules.filter((module) => module.ends).map(({ file }) => file));
  const within = modules.filter(({ file, identifies }) => ends.has(file) && identifies);
  const beside = modules.filter(({ names, uses }) => names && uses.some((used) => ends.has(used)));
  return { within: within.map(({ file }) => file), beside: beside.map(({ file }) => file).sort() };
}

function productionFiles(root: string, extension: string): readonly string[] {
  return CONSUMERS.filter((folder) => existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        path.join(folder, name),
      ),
    )
    .filter((file) => file.endsWith(extension) && !/\.test\.|fixtures\/|tests\//.test(file));
}

describe('no result of a single message (seed 000)', () => {
  const root = fileURLToPath(new URL('.', import.meta.url));
  const modules = productionFiles(root, '.ts').map((file) =>
    factsOf(file, readFileSync(path.join(root, file), 'utf8')),
  );

  it('no module of a consumer that looks at the ends of turns can tell messages apart, the error attribution of ACP apart', () => {
    expect(modules.length).toBeGreaterThan(50);
    // Those that command, goal, delegation and ACP look with: where there are none, the check looks for the wrong words.
    expect(modules.filter(({ ends }) => ends).map(({ file }) => file)).toEqual(
      expect.arrayContaining(['cli/interval.ts', 'goal/interval-fate.ts', 'subagent/outcome.ts', EXCEPTION]),
    );
    expect(correlations(modules).within).toEqual([EXCEPTION]);
  });

  it('a module that names messages uses one that looks at the ends of turns only for a reason that is written down', () => {
    expect(correlations(modules).beside).toEqual(Object.keys(NEIGHBOURS).sort());
  });

  it('the Python client looks at the ends of turns in its owned run alone, whose reason is of the run (RUN-4)', () => {
    const files = productionFiles(root, '.py');
    const looking = files.filter((file) =>
      /turn\/|finish_reason/.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(looking).toEqual(['sdk/python/turnpin/run.py']);
    const parts = readFileSync(path.join(root, 'sdk/python/turnpin/run.py'), 'utf8').split(
      /^(?=def |class |@)/m,
    );
    const ends = parts.filter((part) => part.includes('turn/'));
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatch(/^def _last_reason\(events: /);
    expect(ends[0]).not.toMatch(/_id\b|"id"|inserted/);
  });

  it.each<[string, string]>([
    [
      'in a function',
      `function outcome(events, messageId) {
        return events.find((event) => event.type === 'turn/end' && event.data.message.id === messageId);
      }`,
    ],
    [
      'spread over a class',
      `class Pairing {
        prompt(messageId) { this.waiting = messageId; }
        observe(event) { if (event.type === 'turn/end') this.resolve(event.data.reason); }
      }`,
    ],
    [
      'spread over functions of a module',
      `const open = new Map();
      export function sent({ id }, done) { open.set(id, done); }
      export function observe(event) { if (event.type === 'turn/end') for (const done of open.values()) done(event.data.reason); }`,
    ],
    [
      'in a listener that sees the id in its closure',
      `export function ask(agent, message) {
        const waiting = [message['id']];
        return new Promise((resolve) => agent.subscribe(({ event }) => { if (event.type.startsWith('turn/')) resolve([waiting, event.data.reason]); }));
      }`,
    ],
    [
      'by the claim of an inbox',
      `export const turnOf = (events, text) => events.filter((e) => e.type === \`turn/end\` || e.data.inserted?.[0].text === text);`,
    ],
    [
      'by types',
      `import type { TurnEndReason, MessageId } from '../session/events.ts';
      export type Results = Map<MessageId, TurnEndReason>;`,
    ],
  ])('the check sees a correlation %s', (_, text) => {
    expect(correlations([factsOf('cli/new.ts', text)]).within).toEqual(['cli/new.ts']);
  });

  it('the check sees one that is spread over two modules, and none where there is none', () => {
    const end = factsOf(
      'cli/end.ts',
      `export const last = (events) => events.findLast((e) => e.type === 'turn/end');`,
    );
    const pair = factsOf(
      'cli/pair.ts',
      `import { last } from './end.ts';
      export const result = (agent, { messageId }) => [messageId, last(agent.events())];`,
    );
    const other = factsOf(
      'cli/other.ts',
      `import { last } from './end.ts'; export const code = (events) => last(events) ? 0 : 1;`,
    );
    expect(correlations([end, pair, other])).toEqual({ within: [], beside: ['cli/pair.ts'] });
  });

  it('the types offer none either', () => {
    type Without<T, K extends string> = Extract<keyof T, K> extends never ? true : false;
    type NoMessage = Without<EventData['turn/end'], 'messageId' | 'id'>;
    type NoOutcome = Without<RunResult, 'status' | 'reason' | 'stopReason' | 'finishReason'>;
    type OnlyReceipts = keyof Methods['session/prompt']['result'] extends 'messageId' ? true : false;
    type OnlyFacts = Observed['kind'] extends 'event' | 'status' ? true : false;
    const types: [NoMessage, NoOutcome, OnlyReceipts, OnlyFacts] = [true, true, true, true];
    expect(types).toEqual([true, true, true, true]);
  });
});
