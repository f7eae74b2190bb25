import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { requireBuild } from './fixtures/agent-process.ts';

beforeAll(requireBuild);

const PYTHON = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;

it.skipIf(!PYTHON)(
  'the Python SDK passes its own tests against the built server (RUN-1 to RUN-5, RUN-4 above all; needs Python 3.9 or later)',
  async () => {
    const cwd = fileURLToPath(new URL('./python', import.meta.url));
    const { stderr } = await promisify(execFile)('python3', ['-m', 'unittest'], { cwd });
    expect(stderr).toContain('\nOK');
  },
  600_000,
);
