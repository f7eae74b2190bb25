import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import type { ConfigProblem } from './config-error.ts';
import { parseConfig, readConfigFile } from './config-file.ts';

/** The first fault of a text, and the whole message as the user reads it. */
function refusal(text: string): ConfigProblem & { readonly whole: string } {
  try {
    parseConfig(text, 'agent.yaml');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.code).toBe('INVALID_CONFIG');
    const [first] = error.problems;
    if (first !== undefined) return { ...first, whole: error.message };
  }
  throw new Error('the text was accepted');
}

describe('what agent.yaml may say', () => {
  it.each([
    '',
    '\n',
    '# only a comment\n',
    '---\n',
    '{}',
    '\uFEFF',
    '\uFEFF# comment\n',
    '---\n---\n',
    'null',
  ])('an empty file is a working agent: %j', (text) => {
    expect(parseConfig(text, 'agent.yaml')).toEqual({});
  });

  it('reads every key', () => {
    const text = [
      'model: {name: m, baseUrl: "http://127.0.0.1:1/v1", apiKey: k, maxTokens: 10, thinking: disabled}',
      'persona: You are terse.',
      'tools: {bash: false, read: true, outsideWorkspace: true}',
      'retry: {retries: 0, firstDelay: 1.5s}',
      'sessions: {dir: here}',
      'hooks: {userPromptSubmit: "exit 0", timeout: 2s}',
      'permissions: ask',
      'title: true',
    ].join('\n');
    expect(parseConfig(text, 'agent.yaml')).toEqual({
      model: {
        name: 'm',
        baseUrl: 'http://127.0.0.1:1/v1',
        apiKey: 'k',
        maxTokens: 10,
        thinking: 'disabled',
      },
      persona: 'You are terse.',
      tools: { bash: false, read: true, outsideWorkspace: true },
      retry: { retries: 0, firstDelay: 1500 },
      sessions: { dir: 'here' },
      hooks: { userPromptSubmit: 'exit 0', timeout: 2000 },
      permissions: 'ask',
      title: true,
    });
  });

  it('a section whose keys are commented out says nothing', () => {
    expect(parseConfig('model:\n  # name: x\ntools:\n', 'agent.yaml')).toEqual({ model: {}, tools: {} });
  });

  it('subagents are on with true or a mapping, and off with false or nothing', () => {
    expect(parseConfig('subagents: true\n', 'agent.yaml').subagents).toEqual({});
    expect(parseConfig('subagents: {reportDelivery: quiet}\n', 'agent.yaml').subagents).toEqual({
      reportDelivery: 'quiet',
    });
    for (const off of ['subagents: false\n', 'subagents:\n', ''])
      expect(parseConfig(off, 'agent.yaml').subagents).toBeUndefined();
    const once = agentConfig({ subagents: true });
    expect(agentConfig(once)).toEqual(once);
  });

  it('a checked configuration passes the check unchanged', () => {
    const once = agentConfig({ retry: { firstDelay: '2s', retries: 1 } });
    expect(agentConfig(once)).toEqual(once);
  });

  it('a relative session directory is relative to the file', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'turnpin-config-'));
    const file = path.join(dir, 'agent.yaml');
    await writeFile(file, 'sessions: {dir: logs}\n');
    expect((await readConfigFile(file)).sessions?.dir).toBe(path.join(dir, 'logs'));
  });
});

describe('what it may not say is refused with its place', () => {
  it('an unknown key: line, column, the line itself and the nearest known key', () => {
    const fault = refusal('persona: hi\nmodle:\n  name: x\n');
    expect(fault).toMatchObject({ file: 'agent.yaml', line: 2, column: 1, source: 'modle:' });
    expect(fault.message).toContain('unknown key "modle" at the top level. Did you mean "model"?');
    expect(fault.whole).toContain('agent.yaml:2:1: unknown key "modle"');
    expect(fault.whole).toContain('  2 | modle:\n    | ^');
  });

  it.each([
    ['model:\n  nmae: x\n', 2, 3, 'Did you mean "name"?'],
    ['tools: {bsh: false}', 1, 9, 'Did you mean "bash"?'],
    ['retry:\n  retries: 1\n  delay: 3\n', 3, 3, 'Known here: retries, firstDelay.'],
    ['Model: {}', 1, 1, 'Did you mean "model"?'],
    ['apiKey: secret', 1, 1, 'it belongs under "model"'],
    ['model:\n  persona: x\n', 2, 3, 'it belongs at the top level'],
    ['subagent: true', 1, 1, 'Did you mean "subagents"?'],
    ['goals: true', 1, 1, 'Did you mean "goal"?'],
    ['subagents: {reportDelivry: quiet}', 1, 13, 'Did you mean "reportDelivery"?'],
    ['reportDelivery: quiet', 1, 1, 'it belongs under "subagents"'],
    ['base: &b {name: x}\n', 1, 1, 'unknown key "base"'],
    ['<<: {persona: x}\n', 1, 1, 'unknown key "<<"'],
    ['__proto__: {persona: x}\n', 1, 1, 'unknown key "__proto__"'],
    ['1: x\n', 1, 1, 'unknown key "1"'],
  ])('unknown key in %j', (text, line, column, says) => {
    const fault = refusal(text);
    expect(fault).toMatchObject({ line, column });
    expect(fault.message).toContain(says);
  });

  it.each([
    ['title: yes', 1, 8, 'expected true or false, found the text "yes"'],
    ['model:\n  maxTokens: many\n', 2, 14, 'expected a whole number, found the text "many"'],
    ['model: {maxTokens: 0}', 1, 20, 'expected 1 or more, found 0'],
    ['model: {maxTokens: 1.5}', 1, 20, 'expected a whole number, found 1.5'],
    ['model: fast', 1, 8, 'expected a mapping of keys, found the text "fast"'],
    ['model: [fast]', 1, 8, 'expected a mapping of keys, found a list'],
    ['- persona', 1, 1, 'expected a mapping of keys, found a list'],
    ['just text', 1, 1, 'expected a mapping of keys, found the text "just text"'],
    ['persona:', 1, 1, 'expected text, found nothing'],
    ['persona: ""', 1, 10, 'expected some text'],
    ['model:\n  thinking: maybe', 2, 13, 'expected enabled or disabled'],
    ['subagents: some', 1, 12, 'expected true, false or a mapping of keys, found the text "some"'],
    ['subagents: {reportDelivery: later}', 1, 29, 'expected next-step or quiet, found the text "later"'],
    ['subagents: {depthLimit: 0}', 1, 25, 'expected 1 or more, found 0'],
    ['subagents: {tools: read}', 1, 20, 'expected a list, found the text "read"'],
    ['subagents: {tools: [raed]}', 1, 21, 'expected read or write'],
    ['goal: {}', 1, 7, 'expected true or false, found a mapping'],
    ['permissions: always', 1, 14, 'expected never or ask, found the text "always"'],
    ['retry: {firstDelay: soon}', 1, 21, 'expected a duration such as 500ms'],
    ['retry: {firstDelay: -5}', 1, 21, 'expected a duration'],
    ['retry: {firstDelay: 61s}', 1, 21, 'expected at most 1m'],
    ['retry: {retries: -1}', 1, 18, 'expected 0 or more, found -1'],
    ['model: {baseUrl: "ftp://x"}', 1, 18, 'expected a URL that starts with http:// or https://'],
  ])('wrong value in %j', (text, line, column, says) => {
    const fault = refusal(text);
    expect(fault.message).toContain(says);
    expect(fault).toMatchObject({ line, column });
  });

  it('every fault is named, not the first alone', () => {
    const fault = refusal('modle: {}\ntitle: 3\n');
    expect(fault.whole).toContain('agent.yaml:1:1');
    expect(fault.whole).toContain('agent.yaml:2:8');
  });

  it('a key of the model is not repeated in an error about it', () => {
    const fault = refusal('model:\n  apiKey: 123456\n');
    expect(fault).toMatchObject({ line: 2, source: null });
    expect(fault.whole).not.toContain('123456');
  });

  it.each([
    ['persona: a\npersona: b\n', 2, 'lines 1 and 2'],
    ['persona: a\n"persona": b\n', 2, 'lines 1 and 2'],
    ['model:\n  name: a\n  name: b\n', 3, 'lines 2 and 3'],
    ['model: {name: a, name: b}\n', 1, 'lines 1 and 1'],
  ])('the same key twice: %j', (text, line, says) => {
    expect(refusal(text)).toMatchObject({ line });
    expect(refusal(text).message).toContain(says);
  });

  it.each([
    ['persona: a\n---\npersona: b\n', 3, 'a second document'],
    ['model:\n\tname: x\n', 2, 'a tab is used for indentation'],
    ['%YAML 1.1\n---\ntitle: yes\n', 1, 'YAML 1.2'],
    ['persona: !custom x\n', 1, 'not valid YAML'],
    ['persona: "open\n', 2, 'not valid YAML'],
    ['persona: &a hi\nmodel: {name: *a}\n', 2, 'an alias'],
    ['persona: *nowhere\n', 1, 'alias'],
  ])('%j', (text, line, says) => {
    const fault = refusal(text);
    expect(fault.message).toContain(says);
    expect(fault.line).toBe(line);
  });

  it('a nest of aliases that would grow without bound is refused at once', () => {
    const lines = [
      'a0: &a0 [x, x]',
      ...Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`),
    ];
    expect(refusal(lines.join('\n')).message).toContain('an alias');
  });

  it('positions count from the text behind a byte order mark', () => {
    expect(refusal('\uFEFFmodle: x')).toMatchObject({ line: 1, column: 1 });
  });

  it.each(['\r\n', '\r'])('positions survive line ends %j', (end) => {
    const fault = refusal(`persona: a${end}modle: x${end}`);
    if (end === '\r\n') expect(fault).toMatchObject({ line: 2, column: 1, source: 'modle: x' });
  });

  it('a missing file, a directory and bytes that are no UTF-8 are said as such', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'turnpin-config-'));
    await mkdir(path.join(dir, 'folder'));
    await writeFile(path.join(dir, 'latin1.yaml'), Buffer.from([0x70, 0xe9]));
    await expect(readConfigFile(path.join(dir, 'none.yaml'))).rejects.toThrow('there is no such file');
    await expect(readConfigFile(path.join(dir, 'folder'))).rejects.toThrow('is a directory');
    await expect(readConfigFile(path.join(dir, 'latin1.yaml'))).rejects.toThrow('is not UTF-8');
  });

  it('a configuration given as a value is refused with the path', () => {
    expect(() => agentConfig({ model: { nmae: 'x' } })).toThrow(
      'model.nmae: unknown key "nmae" under model. Did you mean "name"?',
    );
  });

  it('any text is either read or refused with a place inside it', () => {
    const line = fc.constantFrom(
      'model:',
      '  name: x',
      'tools: {bash: false}',
      'persona: |',
      '  text',
      '---',
      '\t',
      '- a',
      'x: &a 1',
      '"',
      '*a',
      '%Y',
      '?',
      ': ',
      '{',
      '}',
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join('\n');
        try {
          parseConfig(text, 'agent.yaml');
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
          const [problem] = error instanceof ConfigError ? error.problems : [];
          expect(problem?.line).toBeLessThanOrEqual(lines.length);
        }
      }),
      { numRuns: 500 },
    );
  });
});
