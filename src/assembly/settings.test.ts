import { describe, expect, it } from 'vitest';
import { DEFAULT_BASE_URL, DEFAULT_MODEL, settingsOf } from './settings.ts';
import type { Environment } from './settings.ts';

const DEEPSEEK = { DEEPSEEK_API_KEY: 'd', DEEPSEEK_BASE_URL: 'http://d/v1', DEEPSEEK_MODEL: 'dm' };
const OPENAI = { OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'http://o/v1', OPENAI_MODEL: 'om' };

function modelOf(env: Environment, model: { name?: string; baseUrl?: string; apiKey?: string } = {}): object {
  const { name, baseUrl, apiKey } = settingsOf({ model }, { cwd: '/w', env }).model;
  return { name, baseUrl, apiKey };
}

describe('the environment, where the file is silent', () => {
  it('the file comes first, then DEEPSEEK_, then OPENAI_', () => {
    expect(modelOf({ ...OPENAI, ...DEEPSEEK }, { name: 'f', baseUrl: 'http://f', apiKey: 'k' })).toEqual({
      name: 'f',
      baseUrl: 'http://f',
      apiKey: 'k',
    });
    expect(modelOf({ ...OPENAI, ...DEEPSEEK })).toEqual({ name: 'dm', baseUrl: 'http://d/v1', apiKey: 'd' });
    expect(modelOf(OPENAI)).toEqual({ name: 'om', baseUrl: 'http://o/v1', apiKey: 'o' });
  });

  it('each value is looked for on its own', () => {
    expect(modelOf({ ...OPENAI, DEEPSEEK_MODEL: 'dm' })).toEqual({
      name: 'dm',
      baseUrl: 'http://o/v1',
      apiKey: 'o',
    });
  });

  it('an empty variable is not set', () => {
    expect(modelOf({ ...OPENAI, DEEPSEEK_API_KEY: '', DEEPSEEK_MODEL: ' ' })).toEqual({
      name: 'om',
      baseUrl: 'http://o/v1',
      apiKey: 'o',
    });
  });

  it('with nothing said there is an endpoint, a model and no key', () => {
    expect(modelOf({})).toEqual({ name: DEFAULT_MODEL, baseUrl: DEFAULT_BASE_URL, apiKey: null });
  });

  it("one vendor's key is not sent to the other's default endpoint", () => {
    expect(modelOf({ OPENAI_API_KEY: 'o' })).toMatchObject({
      baseUrl: 'https://api.openai.com/v1',
      apiKey: 'o',
    });
    expect(modelOf({ OPENAI_API_KEY: 'o', DEEPSEEK_API_KEY: 'd' })).toMatchObject({
      baseUrl: DEFAULT_BASE_URL,
      apiKey: 'd',
    });
    expect(modelOf({ OPENAI_API_KEY: 'o' }, { apiKey: 'k' })).toMatchObject({
      baseUrl: DEFAULT_BASE_URL,
      apiKey: 'k',
    });
  });

  it('a variable that is no URL is refused by name', () => {
    expect(() => modelOf({ OPENAI_BASE_URL: 'localhost:1' })).toThrow('environment variable OPENAI_BASE_URL');
  });
});

describe('defaults', () => {
  it('sessions lie in the state directory of the user', () => {
    const dir = (env: Environment): string => settingsOf({}, { cwd: '/w', env }).sessionsDir;
    expect(dir({ XDG_STATE_HOME: '/state', HOME: '/h' })).toBe('/state/turnpin/sessions');
    expect(dir({ HOME: '/h' })).toBe('/h/.local/state/turnpin/sessions');
    expect(dir({ HOME: '/h', XDG_STATE_HOME: 'relative' })).toBe('/h/.local/state/turnpin/sessions');
  });

  it('a session directory of the configuration is relative to the working directory', () => {
    expect(settingsOf({ sessions: { dir: 'logs' } }, { cwd: '/w', env: {} }).sessionsDir).toBe('/w/logs');
  });

  it('every tool is on unless it is switched off', () => {
    expect([...settingsOf({}, { cwd: '/w', env: {} }).tools]).toEqual(['read', 'write', 'edit', 'bash']);
    expect([...settingsOf({ tools: { bash: false, read: true } }, { cwd: '/w', env: {} }).tools]).toEqual([
      'read',
      'write',
      'edit',
    ]);
  });

  it('three requests at most, the first retry after half a second', () => {
    expect(settingsOf({}, { cwd: '/w', env: {} }).retry).toEqual({ retries: 2, firstDelayMs: 500 });
  });
});

describe('subagents and goals', () => {
  it('are off by default', () => {
    expect(settingsOf({}, { cwd: '/w', env: {} })).toMatchObject({ subagents: null, goal: false });
  });

  it('REPORT-5: reports are delivered with the next step unless the deployment says otherwise', () => {
    const delivery = (subagents: object): unknown =>
      settingsOf({ subagents }, { cwd: '/w', env: {} }).subagents?.reportDelivery;
    expect(delivery({})).toBe('next-step');
    expect(delivery({ reportDelivery: 'quiet' })).toBe('quiet');
  });
});
