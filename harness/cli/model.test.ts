/** `turnpin model` by the built command, with real requests: it serves, says where, and ends with the verdict. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Report } from '../verdict/report.ts';
import { documentOf, Project, type Ran } from './fixtures/project.ts';

let project: Project;
const running: Serving[] = [];
beforeEach(() => {
  project = new Project();
});
afterEach(() => {
  for (const serving of running.splice(0)) serving.child.kill('SIGKILL');
  project.remove();
});

/** The command while it serves. */
class Serving {
  readonly child: ChildProcess;
  readonly #ended: Promise<Ran>;
  readonly #lines: AsyncIterator<string>;

  constructor(args: readonly string[], { cwd = project.root, stdin = 'pipe' as 'pipe' | number } = {}) {
    this.child = spawn(process.execPath, [project.program, 'model', ...args], {
      cwd,
      stdio: [stdin, 'pipe', 'pipe'],
    });
    running.push(this);
    const out: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      this.child[name]?.on('data', (bytes: Buffer) => (out[name] += bytes.toString()));
    const told = args.includes('--json') ? this.child.stderr : this.child.stdout;
    if (told === null) throw new Error('no pipe to read');
    const lines: Interface = createInterface({ input: told });
    this.#lines = lines[Symbol.asyncIterator]();
    this.#ended = once(this.child, 'close').then(([code]) => ({ code: code as number | null, ...out }));
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`it ended:\n${JSON.stringify(await this.#ended)}`);
    return value;
  }

  async lineWith(text: string): Promise<string> {
    for (;;) {
      const line = await this.line();
      if (line.includes(text)) return line;
    }
  }

  ended(): Promise<Ran> {
    return this.#ended;
  }

  interrupt(signal: NodeJS.Signals = 'SIGINT'): Promise<Ran> {
    this.child.kill(signal);
    return this.#ended;
  }
}

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

async function ask(url: string, ...messages: object[]): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', stream: true, messages }),
  });
  return { status: response.status, text: await response.text() };
}

const TWO_HELD = 'turns/two-while-held';
/** The whole conversation of `TWO_HELD`. */
async function play(url: string): Promise<void> {
  await ask(url, user('prompt alpha-1'));
  await ask(url, user('prompt alpha-1'), assistant('Answer to alpha-1.'), user('prompt beta-2'));
}

describe('turnpin model', { timeout: 60_000 }, () => {
  it('prints the base URL first, then how clients are pointed at it; holds pass; SIGINT ends it with the verdict', async () => {
    const serving = new Serving([TWO_HELD]);
    const url = await serving.line();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
    expect(await serving.lineWith('DEEPSEEK_BASE_URL')).toContain(`DEEPSEEK_BASE_URL=${url} `);
    await play(url);
    const { code, stdout } = await serving.interrupt();
    expect(stdout).toContain('The script was played as written, in 2 requests.');
    expect(code).toBe(0);
  });

  it('with --json prints exactly the one document to standard output, the base URL to standard error', async () => {
    const serving = new Serving([TWO_HELD, '--json']);
    const url = await serving.line();
    await ask(url, user('prompt beta-2'));
    const report: Report = documentOf(await serving.interrupt('SIGTERM'));
    expect(report).toMatchObject({
      exit: 1,
      verdict: 'failing',
      output: { wire: 'chat-completions', requests: [{ drew: 'main.1', outcome: 'finished' }] },
    });
    const file = 'scenarios/turns/two-while-held.yaml';
    expect(report.problems.map(({ kind, key, file: at, line }) => [kind, key, at, line])).toEqual([
      ['EXPECTATION_FAILED', `${TWO_HELD}/main.1`, file, 5],
      ['UNUSED_REPLY', `${TWO_HELD}/main.2`, file, 8],
    ]);
  });

  it('tells problems as text and exits 1', async () => {
    const serving = new Serving(['turns/one-followup']);
    await serving.line();
    const { code, stdout } = await serving.interrupt();
    expect(code).toBe(1);
    expect(stdout).toContain('UNUSED_REPLY  turns/one-followup/main.1');
    expect(stdout).toContain('scenarios/turns/one-followup.yaml:5');
  });

  it('ends at the end of standard input', async () => {
    const serving = new Serving([TWO_HELD]);
    await play(await serving.line());
    serving.child.stdin?.end();
    expect(await serving.ended()).toMatchObject({ code: 0, stderr: '' });
  });

  it('takes no standard input for no end: it can be started in the background', async () => {
    const nothing = openSync('/dev/null', 'r');
    const serving = new Serving([TWO_HELD], { stdin: nothing });
    closeSync(nothing);
    await play(await serving.line());
    expect((await serving.interrupt()).code).toBe(0);
  });

  it('--until-used ends when every reply was used', async () => {
    const serving = new Serving([TWO_HELD, '--until-used']);
    await play(await serving.line());
    expect((await serving.ended()).code).toBe(0);
  });

  it('--until-used ends on a request that is not in the script, which the client is told', async () => {
    const serving = new Serving([TWO_HELD, '--until-used', '--json']);
    const url = await serving.line();
    const { status } = await ask(url, user('prompt alpha-1'), assistant('Nobody said this.'));
    expect(status).toBe(200);
    const missed = await fetch(`${url}/v1/embeddings`, { method: 'POST', body: '{}' });
    expect(missed.status).toBe(400);
    expect(await missed.text()).toContain('/v1/embeddings');
    const { problems } = documentOf(await serving.ended());
    expect(problems.map(({ kind }) => kind)).toContain('UNEXPECTED_REQUEST');
  });

  it('--hold lets a reply wait for its line on standard input', async () => {
    const serving = new Serving([TWO_HELD, '--hold']);
    const url = await serving.line();
    const answer = ask(url, user('prompt alpha-1'));
    await serving.lineWith('held first');
    serving.child.stdin?.write('release first\n');
    expect((await answer).text).toContain('[DONE]');
    await ask(url, user('prompt alpha-1'), assistant('Answer to alpha-1.'), user('prompt beta-2'));
    serving.child.stdin?.end();
    expect((await serving.ended()).code).toBe(0);
  });

  it('--hold: a hold that nobody released is a problem', async () => {
    const serving = new Serving(['turns/two-while-held', '--hold', '--json']);
    const url = await serving.line();
    const answer = ask(url, user('prompt alpha-1')).catch(() => null);
    await serving.lineWith('held first');
    serving.child.stdin?.end();
    const { problems } = documentOf(await serving.ended());
    expect(problems.map(({ kind }) => kind)).toContain('UNRELEASED_HOLD');
    await answer;
  });

  it('serves a file by its path, outside a project too, and on another wire', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnpin-loose-'));
    try {
      cpSync(join(project.root, 'scenarios/turns/one-followup.yaml'), join(folder, 'mine.yaml'));
      const serving = new Serving(['mine.yaml', '--wire', 'anthropic-messages', '--until-used', '--json'], {
        cwd: folder,
      });
      const url = await serving.line();
      expect(await serving.lineWith('ANTHROPIC_BASE_URL')).toContain(url);
      const response = await fetch(`${url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': 'whatever' },
        body: JSON.stringify({ model: 'm', max_tokens: 9, messages: [user('Say good morning.')] }),
      });
      expect(await response.json()).toMatchObject({ content: [{ text: 'Good morning to you.' }] });
      expect(documentOf(await serving.ended())).toMatchObject({ exit: 0, selectors: ['mine.yaml'] });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('knows a path in a project by its id', async () => {
    const serving = new Serving(['one-followup.yaml', '--json'], {
      cwd: join(project.root, 'scenarios/turns'),
    });
    await serving.line();
    const { problems } = documentOf(await serving.interrupt());
    expect(problems.map(({ key }) => key)).toEqual(['turns/one-followup/main.1']);
  });
});

describe('turnpin model refuses with exit 2, having served nothing', { timeout: 60_000 }, () => {
  it('a scenario that does not exist, by id and by path', () => {
    const [byId] = project.report('model', 'turns/one-folowup').problems;
    expect(byId).toMatchObject({ kind: 'USAGE', key: 'turns/one-folowup' });
    expect(byId?.message).toContain('turns/one-followup');
    const [byPath] = project.report('model', 'no-such.yaml').problems;
    expect(byPath?.message).toContain('There is no file no-such.yaml');
  });

  it('a selector that stands for several', () => {
    const report = project.report('model', 'turns');
    expect(report.exit).toBe(2);
    expect(report.problems[0]?.message).toContain('turns/one-followup, turns/two-while-held');
  });

  it('a scenario that cannot be read, told at its place', () => {
    project.write('scenarios/turns/bad.yaml', 'title: Bad\ncovers: [SEND-1]\nmodle: {}\nsteps:\n  - idle\n');
    for (const given of ['turns/bad', 'scenarios/turns/bad.yaml']) {
      const report = project.report('model', given);
      expect(report).toMatchObject({ exit: 2 });
      expect(report.problems[0]).toMatchObject({
        kind: 'INVALID_SCENARIO',
        file: 'scenarios/turns/bad.yaml',
        line: 3,
      });
    }
  });

  it('an unknown wire, a port that is none, a port that is taken', async () => {
    expect(project.report('model', TWO_HELD, '--wire', 'gopher').problems[0]?.message).toContain(
      'Wires: chat-completions, openai-chat-completions, anthropic-messages, responses, gemini.',
    );
    expect(project.report('model', TWO_HELD, '--port', '70000').problems[0]?.message).toContain('65535');
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    const report = project.report('model', TWO_HELD, '--port', port);
    expect(report).toMatchObject({ exit: 2, problems: [{ kind: 'USAGE', key: '--port' }] });
    taken.close();
  });
});
