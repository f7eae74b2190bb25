/** `turnpin-agent exec`: one owned interval, idle to idle (core.md, "The ways in"; CLI-1..3). */
import type { Published } from '../agent/contract.ts';
import { createUserMessage } from '../agent/message.ts';
import { assemble } from '../assembly/assemble.ts';
import type { Assembled } from '../assembly/assemble.ts';
import type { ChildNews } from '../subagent/family.ts';
import { messageOf } from '../session/thrown.ts';
import type { CommandEdge } from './edge.ts';
import { readConfig } from './configuration.ts';
import type { Interruption } from './interrupt.ts';
import { EXIT, Interval, exitCodeOf, explain } from './interval.ts';
import { Lines } from './lines.ts';
import { pacedFetch } from './paced-fetch.ts';
import { UsageError } from './usage-error.ts';

export interface ExecOptions {
  /** Each non-blank line of standard input is a task of its own. */
  readonly lines?: boolean;
  /** JSON lines instead of the last text. */
  readonly json?: boolean;
  /** Resumes this session. */
  readonly session?: string;
  readonly config?: string;
}

/** Runs the command; resolves to its exit code. Rejects with `UsageError`, `ConfigError` or what opening a session refuses. */
export async function exec(
  words: readonly string[],
  options: ExecOptions,
  edge: CommandEdge,
): Promise<number> {
  if (options.lines === true && words.length > 0) {
    throw new UsageError(
      '--lines reads its tasks from standard input; leave the task out, or leave --lines out.',
    );
  }
  const config = await readConfig(options.config, edge.cwd);
  const task = options.lines === true ? null : await unlessInterrupted(theTask(words, edge), edge);
  if (task === INTERRUPTED) return EXIT.interrupted;
  const assembled = await assemble(config, {
    cwd: edge.cwd,
    env: edge.env,
    fetch: pacedFetch(edge.stdout),
    ...(options.session === undefined ? {} : { session: { id: options.session, mode: 'resume' } }),
    // Told of what recovery wrote, too; that is no part of the interval.
    listener: (published) => show(published, options.json === true, edge),
    onChild: (news) => complainOfChild(news, edge),
  });
  const interval = new Interval();
  assembled.agent.subscribe((published) => interval.observe(published));
  const work = task === null ? runLines(assembled, edge) : run(assembled, task);
  const interruption = await Promise.race([work, edge.interruption]);
  if (interruption === 'cancel') {
    assembled.agent.cancel('user');
    await assembled.agent.whenIdle();
  }
  const saved = await disposed(assembled, edge);
  if (assembled.goal?.current?.phase === 'active')
    edge.complain(`the goal stays active. Continue with --session ${assembled.sessionId}`);
  if (options.json !== true) edge.stdout.write(withLineEnd(interval.text));
  return conclude(interval, { interruption, saved }, { edge, session: assembled.sessionId });
}

const INTERRUPTED = Symbol('interrupted');

async function unlessInterrupted<T>(work: Promise<T>, edge: CommandEdge): Promise<T | typeof INTERRUPTED> {
  return Promise.race([work, edge.interruption.then((): typeof INTERRUPTED => INTERRUPTED)]);
}

/** The interval lasts while a continuable child lives: what it brings is still to be answered (CLI-1). */
async function run({ agent, whenQuiescent }: Assembled, task: string): Promise<undefined> {
  agent.followup(createUserMessage(task));
  await whenQuiescent();
  return undefined;
}

/** Enqueues each line when it is read; resolves at the first idle after the end of input with no live child. */
async function runLines({ agent, whenQuiescent }: Assembled, edge: CommandEdge): Promise<undefined> {
  const lines = new Lines();
  const enqueue = (tasks: readonly string[]): void => {
    for (const line of tasks) agent.followup(createUserMessage(line));
  };
  const { stdin } = edge;
  stdin.setEncoding('utf8');
  await new Promise<void>((resolve) => {
    stdin.on('data', (piece: string) => {
      enqueue(lines.push(piece));
    });
    stdin.on('end', resolve);
    // Input that breaks off has ended.
    stdin.on('error', () => resolve());
    void edge.interruption.then(() => stdin.pause());
  });
  enqueue(lines.end());
  await whenQuiescent();
  return undefined;
}

async function theTask(words: readonly string[], edge: CommandEdge): Promise<string> {
  const task = words.length > 0 ? words.join(' ') : await readAll(edge);
  if (task.trim() === '') throw new UsageError('no task was given: write it behind "exec", or pipe it in.');
  return task;
}

async function readAll(edge: CommandEdge): Promise<string> {
  if (edge.stdin.isTTY) return '';
  edge.stdin.setEncoding('utf8');
  let text = '';
  for await (const piece of edge.stdin) text += String(piece);
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function show(published: Published, json: boolean, edge: CommandEdge): void {
  if (published.kind === 'event') {
    if (json) edge.stdout.write(`${JSON.stringify({ event: published.event })}\n`);
    if (published.event.type === 'prompt/blocked') {
      edge.complain(`the prompt was blocked: ${published.event.data.reason}`);
    }
    return;
  }
  const { live } = published;
  if (live.type === 'agent/status' && json) edge.stdout.write(`${JSON.stringify({ status: live.status })}\n`);
  if (live.type === 'agent/error') edge.complain(live.error.message);
}

function complainOfChild(news: ChildNews, edge: CommandEdge): void {
  if (news.kind !== 'published' || news.published.kind !== 'live') return;
  const { live } = news.published;
  if (live.type === 'agent/error') edge.complain(`agent ${news.child.label}: ${live.error.message}`);
}

/** Ends the agent; false when the last flush failed, which has then been reported. */
async function disposed(assembled: Assembled, edge: CommandEdge): Promise<boolean> {
  try {
    await assembled.dispose();
    return true;
  } catch (error) {
    edge.complain(`the session was not saved completely: ${messageOf(error)}`);
    return false;
  }
}

function conclude(
  interval: Interval,
  end: { readonly interruption: Interruption | undefined; readonly saved: boolean },
  to: { readonly edge: CommandEdge; readonly session: string },
): number {
  if (end.interruption !== undefined) {
    to.edge.complain(`interrupted. Continue with --session ${to.session}`);
    return EXIT.interrupted;
  }
  const reason = explain(interval.ending);
  if (reason !== null) to.edge.complain(reason);
  const code = exitCodeOf(interval.ending);
  return code === EXIT.completed && !end.saved ? EXIT.notCompleted : code;
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
