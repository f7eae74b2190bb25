/** `turnpin model`: serves a scenario's script to whoever is tested with it, and ends with the verdict (scenarios.md, report.md). */
import { fstatSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { mistakeProblems } from '../../document/problem.ts';
import { decodeText } from '../../document/text.ts';
import type { Exchange, ModelFinding } from '../../model/exchange.ts';
import type { Served } from '../../model/serve.ts';
import type { WireName } from '../../model/wires/wire.ts';
import { assembleReport, type ReportFacts } from '../../report/assemble.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { problem, type Problem } from '../../verdict/problem.ts';
import { wholeNumber } from '../arguments.ts';
import { openFrame } from '../frame.ts';
import { findProject } from '../project.ts';
import type { DefineCommand } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import type { Output, World } from '../world.ts';

interface ModelFlags {
  readonly port?: number;
  readonly wire: string;
  readonly hold?: true;
  readonly untilUsed?: true;
}

const HELP = `
The first line printed is the base URL (on standard error with --json). Any key will do. It ends on Ctrl-C, on SIGTERM, and
at the end of standard input where that is a pipe; then it prints what was wrong, and exits 1 where anything was.`;

export const defineModel: DefineCommand = (program, { world, done }) => {
  program
    .command('model')
    .description("Serve a scenario's script on 127.0.0.1 to something else that you test, and judge its use.")
    .argument('<scenario>', 'id of the scenario, or the path of its file, also outside a project')
    .option('--port <n>', 'port to listen on (default: a free one)', (text) => wholeNumber('--port', text, 0))
    .option('--wire <name>', 'what the client speaks', 'chat-completions')
    .option('--hold', 'let holds wait for a line `release NAME` on standard input (default: they pass)')
    .option('--until-used', 'end by itself when every reply was used, or a request is not in the script')
    .addHelpText('after', HELP)
    .action(async (given: string, flags: ModelFlags, command: Command) => {
      const startedAt = world.now();
      const from = world.ticks();
      const report = (facts: Pick<ReportFacts, 'suite' | 'problems' | 'output'>) =>
        assembleReport({
          ...facts,
          selectors: [given],
          turnpin: world.turnpin,
          startedAt,
          durationMs: world.ticks() - from,
        });
      const wire = await wireOf(flags.wire);
      const found = await scenarioOf(given, command, world);
      if ('problems' in found) return done({ report: report(found), text: null });
      const { scenario } = found;
      const served = await serve(scenario, wire, flags);
      const { json } = command.optsWithGlobals<{ json?: true }>();
      await untilEnd(served, flags, json === true ? world.stderr : world.stdout, { scenario, wire, world });
      const { findings, exchanges } = await served.close();
      done({
        report: report({
          suite: found.suite,
          problems: findings.map((finding) => problemOf(finding, scenario)),
          output: { wire, requests: exchanges.map(told) },
        }),
        text:
          findings.length === 0
            ? `The script was played as written, in ${exchanges.length} request${exchanges.length === 1 ? '' : 's'}.`
            : null,
      });
    });
};

async function wireOf(name: string): Promise<WireName> {
  const { WIRE_NAMES } = await import('../../model/wires/wires.ts');
  const wire = WIRE_NAMES.find((known) => known === name);
  if (wire === undefined)
    throw new UsageError('--wire', `There is no wire "${name}". Wires: ${WIRE_NAMES.join(', ')}.`);
  return wire;
}

// --- the scenario ------------------------------------------------------------------------------------------------------

type Found = { readonly suite: { readonly digest: string; readonly scenarios: number } } & (
  { readonly scenario: Scenario } | { readonly problems: readonly Problem[] }
);

/** By path where there is such a file, else by id. What other scenarios or the lint say is no matter here. */
async function scenarioOf(given: string, command: Command, world: World): Promise<Found> {
  const path = resolve(world.cwd, given);
  const isPath = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  if (!isPath && given.endsWith('.yaml'))
    throw new UsageError(
      given,
      `There is no file ${given}. \`turnpin model\` takes a path or a scenario's id.`,
    );
  const root = isPath ? projectAround(path) : openFrame(command, world).root;
  if (root === null) return looseFile(path, given);
  const [{ loadSuite }, { select }] = await Promise.all([
    import('../../scenario/load.ts'),
    import('../../scenario/select.ts'),
  ]);
  const all = loadSuite(root);
  const suite = { digest: all.digest, scenarios: all.scenarios.length };
  const file = relative(root, path);
  const chosen = isPath
    ? { scenarios: all.scenarios.filter((scenario) => scenario.file === file), problems: [] }
    : select(all, [given]);
  const [scenario, ...more] = chosen.scenarios;
  if (more.length > 0) {
    const ids = chosen.scenarios.map(({ id }) => id).join(', ');
    throw new UsageError(
      given,
      `\`model\` serves one scenario; "${given}" stands for ${chosen.scenarios.length}: ${ids}`,
    );
  }
  if (scenario !== undefined) return { suite, scenario };
  const own = all.problems.filter((one) =>
    isPath ? one.file === file : one.key === given || one.key.startsWith(`${given}/`),
  );
  if (isPath && own.length === 0) return looseFile(path, given);
  return { suite, problems: own.length > 0 ? own : chosen.problems };
}

function projectAround(path: string): string | null {
  try {
    return findProject(dirname(path), null);
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}

/** A file that belongs to no project. */
async function looseFile(path: string, file: string): Promise<Found> {
  const { parseScenario } = await import('../../scenario/parse.ts');
  const suite = { digest: '', scenarios: 1 };
  const id = basename(path, '.yaml');
  const decoded = decodeText(readFileSync(path));
  if ('mistake' in decoded)
    return {
      suite,
      problems: mistakeProblems({ kind: 'INVALID_SCENARIO', file, key: id, text: '' }, [decoded.mistake]),
    };
  return { suite, ...parseScenario({ text: decoded.text, file, id }) };
}

// --- serving -----------------------------------------------------------------------------------------------------------

async function serve(scenario: Scenario, wire: WireName, flags: ModelFlags): Promise<Served> {
  const { serveScript } = await import('../../model/serve.ts');
  const port = flags.port ?? 0;
  if (port > 65_535) throw new UsageError('--port', `--port expects a number up to 65535, not ${port}.`);
  const { model: script, rewrites } = scenario;
  try {
    return await serveScript(script, { wire, port, rewrites, holds: flags.hold ? 'wait' : 'pass' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const why = code === 'EACCES' ? 'this user may not listen there' : 'something else listens there';
    throw new UsageError('--port', `Port ${port} can't be had: ${why}. Leave --port out for a free one.`);
  }
}

/** Variables that point the usual clients of a wire at the model. */
function variables(wire: WireName, url: string): string[] {
  const openai = `OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=any`;
  switch (wire) {
    case 'chat-completions':
      return [`DEEPSEEK_BASE_URL=${url} DEEPSEEK_API_KEY=any`, openai];
    case 'openai-chat-completions':
    case 'responses':
      return [openai];
    case 'anthropic-messages':
      return [`ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=any`];
    case 'gemini':
      return [`GOOGLE_GEMINI_BASE_URL=${url} GEMINI_API_KEY=any`];
  }
}

interface Serving {
  readonly scenario: Scenario;
  readonly wire: WireName;
  readonly world: World;
}

/** Says where the model is, and waits for the end. */
async function untilEnd(
  served: Served,
  flags: ModelFlags,
  output: Output,
  { scenario, wire, world }: Serving,
): Promise<void> {
  const { url, model, over } = served;
  output.write(
    [url, `${scenario.id} on the wire ${wire}`, ...variables(wire, url).map((line) => `  ${line}`), ''].join(
      '\n',
    ),
  );
  const ends = [interrupted(world.interrupt), ...(flags.untilUsed ? [over] : [])];
  const input = standardInput(flags.hold ?? false);
  if (flags.hold) tellHolds(served, output);
  if (input.isRead) {
    const lines = createInterface({ input: process.stdin });
    lines.on('line', (line) => {
      const name = /^\s*release\s+(.+?)\s*$/u.exec(line)?.[1];
      if (name !== undefined) model.release(name);
      else if (line.trim() !== '') world.stderr.write(`Expected \`release NAME\`, not: ${line}\n`);
    });
    const closed = new Promise<void>((ended) => lines.once('close', ended));
    if (input.ends) ends.push(closed);
  }
  await Promise.race(ends);
}

/**
 * A pipe that ends means that whoever started this has gone. `/dev/null` has always ended, and means nothing; a terminal is
 * read only for releases, since reading stops a job in the background.
 */
function standardInput(releases: boolean): { readonly isRead: boolean; readonly ends: boolean } {
  const kind = fstatSync(0);
  const isPipe = kind.isFIFO() || kind.isSocket();
  return { isRead: isPipe || releases, ends: isPipe || (releases && process.stdin.isTTY) };
}

function tellHolds({ model }: Served, output: Output): void {
  const seen = new Set<string>();
  model.onChange(() => {
    for (const hold of model.held()) {
      if (!seen.has(hold)) output.write(`held ${hold}\n`);
      seen.add(hold);
    }
  });
}

function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((end) => {
    if (signal.aborted) end();
    else signal.addEventListener('abort', () => end(), { once: true });
  });
}

// --- the verdict -------------------------------------------------------------------------------------------------------

function problemOf({ kind, key, message, diff }: ModelFinding, scenario: Scenario): Problem {
  const { conversations, asides } = scenario.model;
  const reply = [...conversations, ...asides]
    .flatMap(({ replies }) => replies)
    .find((candidate) => candidate.key === key);
  const { line, column } = reply?.position ?? scenario.positionOf(`model.${key}`);
  return problem({ kind, key: `${scenario.id}/${key}`, file: scenario.file, line, column, message, diff });
}

function told({ attribution, outcome }: Exchange): {
  readonly drew: string | null;
  readonly outcome: string;
} {
  switch (attribution.to) {
    case 'conversation':
      return { drew: `${attribution.name}.${attribution.reply}`, outcome };
    case 'aside':
      return { drew: `aside.${attribution.name}.${attribution.reply}`, outcome };
    case 'startup':
      return { drew: attribution.what, outcome };
    case 'nobody':
      return { drew: null, outcome };
  }
}
