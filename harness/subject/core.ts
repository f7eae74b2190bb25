/** The core as a subject: what it claims, where its build lies, and how its configuration is completed for a run. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from './event-view.ts';
import { sessionIdOf } from '../scenario/session-log.ts';
import { overlay } from './overlay.ts';
import { readSessions } from './session-files.ts';
import { SubjectError, type Capability, type Launch, type RecordedSession } from './subject.ts';

/** What the core claims, whatever the way in; the table of ways (capability.ts) says what each of them can show of it. */
export const CORE_CAPABILITIES: ReadonlySet<Capability> = new Set<Capability>([
  'followup',
  'tools',
  'steer',
  'inject',
  'cancel',
  'admission',
  'policies',
  'maintenance',
  'status',
  'dispose',
  'events',
  'session-file',
  'checkpoint-faults',
  'in-process',
  'cli',
  'sdk',
  'acp',
  'goal',
  'subagent',
  'subagent-continuable',
  'subagent-report',
]);

/** Where a run's sessions lie. */
export function sessionsDirectory({ scratch }: Pick<Launch, 'scratch'>): string {
  return join(scratch, 'sessions');
}

/**
 * The whole `agent.yaml`: endpoint, key and session directory of the run on top; below it no delay before the first retry,
 * unless the scenario sets one.
 */
export function coreConfig(launch: Pick<Launch, 'config' | 'apiKey' | 'modelUrl' | 'scratch'>): JsonObject {
  const { config, apiKey, modelUrl } = launch;
  const ours = {
    model: { baseUrl: `${modelUrl}/v1`, apiKey },
    sessions: { dir: sessionsDirectory(launch) },
  };
  return overlay(overlay({ retry: { firstDelay: 0 } }, config), ours);
}

/**
 * Puts the log that a run resumes where the core looks for it. Resolves to the session as its file tells it; null where the
 * run begins a new one.
 */
export async function plantSession({
  session,
  scratch,
}: Pick<Launch, 'session' | 'scratch'>): Promise<RecordedSession | null> {
  if (session === null) return null;
  const directory = sessionsDirectory({ scratch });
  const id = sessionIdOf(session) ?? '';
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(join(directory, `${id}.jsonl`), session);
  return readSessions(directory).find((planted) => planted.id === id) ?? null;
}

/** Writes `agent.yaml` for a process of the core; resolves to its path. */
export async function writeCoreConfig(launch: Launch): Promise<string> {
  const file = join(launch.scratch, 'agent.yaml');
  // JSON is YAML; written as such it cannot be misread.
  await writeFile(file, `${JSON.stringify(coreConfig(launch), null, 2)}\n`);
  return file;
}

/** The package that this code belongs to, whether it runs from `dist/` or from its sources. */
const PACKAGE_ROOT = packageRoot(dirname(fileURLToPath(import.meta.url)));

/** Version of the package, which is the core's. */
export function coreVersion(): string {
  const manifest = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
    readonly version?: unknown;
  };
  return typeof manifest.version === 'string' ? manifest.version : 'unknown';
}

/**
 * The built `turnpin-agent`. Running from `dist/` it is the one beside this code, from sources the one in the package.
 * Throws `SubjectError` with SETUP_FAILED where it has not been built.
 */
export function agentProgram(root: string = PACKAGE_ROOT): string {
  const program = join(root, 'dist', 'bin', 'turnpin-agent.js');
  if (existsSync(program)) return program;
  throw new SubjectError(
    'SETUP_FAILED',
    `the command turnpin-agent is not built: there is no ${program}. Run \`npm run build\` in ${root}`,
  );
}

function packageRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder)
    throw new SubjectError('SETUP_FAILED', 'the package.json of turnpin was not found above its code');
  return packageRoot(parent);
}
