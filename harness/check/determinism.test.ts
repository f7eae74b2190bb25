import { describe, expect, it } from 'vitest';
import type { Observations } from '../observe/observations.ts';
import { differenceBetween } from './determinism.ts';

function seen(
  conversations: string,
  facts: { header?: string; placeholders?: [string, string][] } = {},
): Observations {
  return {
    scenario: 'turns/one',
    driver: 'inproc',
    headers: [
      { part: 'system-prompt', text: facts.header ?? 'same\n', conversation: 'main', child: 0, request: 1 },
    ],
    sections: new Map([['conversations', conversations]]),
    turns: null,
    log: null,
    requests: new Map(),
    statuses: null,
    stdout: '',
    stderr: '',
    exit: { code: null, signal: null },
    files: new Map(),
    placeholders: new Map(facts.placeholders ?? []),
    credentials: [],
  };
}

describe('a second run elsewhere', () => {
  it('shows the same: no problem', () => {
    expect(differenceBetween(seen('a\n'), seen('a\n'))).toBeNull();
  });

  it('shows something else: the first difference, with both raw values', () => {
    const first = seen('a\n{{cwd}} took 12\n', { placeholders: [['{{cwd}}', '/tmp/x']] });
    const second = seen('a\n{{cwd}} took 13\n', { placeholders: [['{{cwd}}', '/tmp/y']] });
    const found = differenceBetween(first, second);
    expect(found).toMatchObject({
      kind: 'NOT_DETERMINISTIC',
      blame: 'suite',
      key: 'turns/one/conversations',
    });
    expect(found?.message).toContain('line 2');
    expect(found?.message).toContain('/tmp/x took 12');
    expect(found?.message).toContain('/tmp/y took 13');
  });

  it('is looked at in the request header too', () => {
    expect(differenceBetween(seen('a\n'), seen('a\n', { header: 'other\n' }))?.key).toBe(
      'turns/one/system-prompt',
    );
  });
});
