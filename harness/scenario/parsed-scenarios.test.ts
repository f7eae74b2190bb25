import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseScenario, type ScenarioFile } from './parse.ts';
import { ParsedScenarios } from './parsed-scenarios.ts';
import type { Scenario } from './scenario.ts';

let dir = '';
let file = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'turnpin-parsed-'));
  file = join(dir, 'below/parsed');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const text = readFileSync(
  new URL('../cli/fixtures/small/scenarios/turns/one-followup.yaml', import.meta.url),
  'utf8',
);
const asked: ScenarioFile = { text, file: 'scenarios/turns/a.yaml', id: 'turns/a' };

/** What a process reads, which of it it had to parse, and what it keeps. */
function read(files: readonly ScenarioFile[], reader: string | null = 'one', parse = parseScenario) {
  const parsed: string[] = [];
  const kept = new ParsedScenarios(file, reader, (each) => {
    parsed.push(each.id);
    return parse(each);
  });
  const results = files.map((each) => kept.parse(each));
  kept.save();
  return { results, parsed };
}

function scenarioOf(result: ReturnType<typeof parseScenario> | undefined): Scenario {
  if (result === undefined || !('scenario' in result)) throw new Error(JSON.stringify(result));
  return result.scenario;
}

/** Without the function, which is compared by what it says. */
function said(scenario: Scenario): unknown {
  return {
    ...scenario,
    positionOf: ['covers', 'main.1', 'steps.0', 'model', 'nowhere'].map(scenario.positionOf),
  };
}

describe('scenarios that were read before', () => {
  it('are the same in every part, frozen, at their places, and not parsed again', () => {
    const first = read([asked]);
    const second = read([asked]);
    expect([first.parsed, second.parsed]).toEqual([['turns/a'], []]);
    const [fresh, again] = [scenarioOf(first.results[0]), scenarioOf(second.results[0])];
    expect(said(again)).toEqual(said(fresh));
    expect(Object.isFrozen(again) && Object.isFrozen(again.model.conversations[0]?.replies[0])).toBe(true);
  });

  it.each([
    ['another text', { text: `${text}# one more line\n` }],
    ['another line end', { text: text.replaceAll('\n', '\r\n') }],
    ['another place', { file: 'scenarios/steering/a.yaml' }],
    ['another id', { id: 'turns/b' }],
  ])('are parsed again with %s', (_what, other) => {
    read([asked]);
    expect(read([{ ...asked, ...other }]).parsed).toHaveLength(1);
  });

  it('are parsed again by another reader, and by one without a name, which keeps nothing', () => {
    read([asked], 'one');
    expect(read([asked], null).parsed).toHaveLength(1);
    expect(read([asked], 'two').parsed).toHaveLength(1);
    expect(read([asked], 'two').parsed).toEqual([]);
    rmSync(file);
    read([asked], null);
    expect(existsSync(file)).toBe(false);
  });

  it('are parsed again where a byte of the file is another, or the end of it is missing', () => {
    read([asked]);
    const whole = readFileSync(file);
    const damaged = [...whole.keys()]
      .filter((at) => at % 37 === 0)
      .map((at) => {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        return bytes;
      });
    for (const bytes of [...damaged, whole.subarray(0, -1), whole.subarray(0, 32), Buffer.alloc(0)]) {
      writeFileSync(file, bytes);
      expect(new ParsedScenarios(file, 'one', () => ({ problems: [] })).parse(asked)).toEqual({
        problems: [],
      });
    }
  });

  it('have mistakes each time that they have any', () => {
    const wrong = { ...asked, text: 'title: [' };
    for (const { parsed, results } of [read([wrong]), read([wrong])]) {
      expect(parsed).toEqual(['turns/a']);
      expect(results[0]).toHaveProperty('problems');
    }
  });

  it('are forgotten when they are gone', () => {
    const other = { ...asked, id: 'turns/b' };
    read([asked, other]);
    read([other]);
    expect(read([asked, other]).parsed).toEqual(['turns/a']);
  });

  it('are no reason to fail where nothing can be written', () => {
    writeFileSync(join(dir, 'below'), 'a file where the folder should be');
    expect(read([asked]).parsed).toEqual(['turns/a']);
  });
});
