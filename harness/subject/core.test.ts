import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { agentProgram, coreConfig } from './core.ts';

const launch = {
  cwd: '/c',
  home: '/h',
  apiKey: 'k',
  modelUrl: 'http://127.0.0.1:1',
  scratch: '/s',
  bin: null,
  env: {},
  fetch: null,
  session: null,
  plainOutput: false,
};

it('a command that was not built is SETUP_FAILED, and says how to build it', () => {
  const root = mkdtempSync(`${tmpdir()}/turnpin-unbuilt-`);
  expect(() => agentProgram(root)).toThrow(
    expect.objectContaining({ code: 'SETUP_FAILED', message: expect.stringContaining('npm run build') }),
  );
});

it('the endpoint, key and session directory of the run win over the scenario; retries are immediate unless it says otherwise', () => {
  const configOf = (config: Parameters<typeof coreConfig>[0]['config']) => coreConfig({ ...launch, config });
  expect(configOf({ model: { name: 'm', apiKey: 'x' }, persona: 'p' })).toEqual({
    persona: 'p',
    retry: { firstDelay: 0 },
    model: { name: 'm', baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'k' },
    sessions: { dir: '/s/sessions' },
  });
  expect(configOf({ retry: { firstDelay: '2s', retries: 1 } })['retry']).toEqual({
    firstDelay: '2s',
    retries: 1,
  });
});
