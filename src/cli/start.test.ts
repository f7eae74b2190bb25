import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Script } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AGENT } from '../sdk/fixtures/agent-process.ts';
import { version } from '../assembly/version.ts';

const BUILT = path.dirname(AGENT);
/** What a first answer needs. */
const FIRST = ['acp.pack', 'exec.pack', 'serve.pack'];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'turnpin-start-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** The answer of the command in `folder` to its first request. */
function firstAnswer(wayIn: 'serve' | 'acp'): unknown {
  const params = { protocolVersion: 1, cwd: folder };
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [path.join(folder, 'turnpin-agent.js'), wayIn],
    {
      input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`,
      encoding: 'utf8',
    },
  );
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return JSON.parse(stdout);
}

describe('the built command', () => {
  it.each(FIRST)('keeps the code of %s in a form that this Node takes', (pack) => {
    const cachedData = readFileSync(path.join(BUILT, `${pack}.cache`));
    const script = new Script(readFileSync(path.join(BUILT, `${pack}.js`), 'latin1'), { cachedData });
    expect(script.cachedDataRejected).toBe(false);
  });

  it('keeps packs in ASCII', () => {
    for (const name of readdirSync(BUILT).filter((file) => file.endsWith('.js')))
      expect([name, readFileSync(path.join(BUILT, name)).some((byte) => byte > 127)]).toEqual([name, false]);
  });

  it.each([
    ['is gone', (file: string) => rmSync(file)],
    ['was cut short', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 1000))],
    ['is empty', (file: string) => writeFileSync(file, '')],
    ['belongs to another Node', (file: string) => writeFileSync(file, otherVersion(readFileSync(file)))],
  ])('answers when what was kept %s', (_, spoil) => {
    cpSync(BUILT, folder, { recursive: true });
    for (const name of readdirSync(folder)) if (name.endsWith('.cache')) spoil(path.join(folder, name));
    expect(firstAnswer('serve')).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
    expect(firstAnswer('acp')).toMatchObject({ id: 1, result: { protocolVersion: 1 } });
  });

  it('knows its version', () => {
    const { stdout } = spawnSync(process.execPath, [AGENT, '--version'], { encoding: 'utf8' });
    expect(stdout).toBe(`${version()}\n`);
  });
});

/** V8 writes a hash of its version behind a magic number. */
function otherVersion(kept: Buffer): Buffer {
  const other = Buffer.from(kept);
  other.writeUInt32LE((other.readUInt32LE(4) + 1) >>> 0, 4);
  return other;
}
