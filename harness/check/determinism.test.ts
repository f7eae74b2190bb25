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
    varying: new Map(),
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

  const UUIDS = ['0b5a3a52-6f0e-4a3f-9d5c-2f6a1f0c9a11', '7c1de0aa-93b4-4a61-8f37-55d1f0a2b9c3'] as const;

  it.each([
    ['a UUID', `id ${UUIDS[0]}`, `id ${UUIDS[1]}`, '{{session:n}}, {{message:n}} or {{call:n}} stands for'],
    ['an id', 'by call_8f2k19xq.', 'by call_77ahz0bb.', '{{call:n}} stands for such a value'],
    ['a time', 'at 2026-01-01T10:00:00Z', 'at 2026-01-01T10:00:01Z', '{{time}} stands for'],
    ['a time of day', 'at 10:00:00 sharp', 'at 10:00:01 sharp', '{{time}} stands for'],
    ['seconds since 1970', 'at 1769990000', 'at 1769990007', '{{time}} stands for'],
    ['a date', 'on 2026-01-01.', 'on 2026-01-02.', '{{date}} stands for'],
    ['a duration', 'took 12ms', 'took 130ms', '{{ms}} stands for'],
    ['a version', 'v1.2.3 of it', 'v1.2.4 of it', '{{version}} stands for'],
    ['a path', 'in /tmp/a1/x', 'in /tmp/b2/x', '{{cwd}} or {{home}} stands for'],
    ['a port', 'at localhost:4100', 'at localhost:4200', '{{port}} stands for'],
    [
      'a placeholder in one run',
      'in {{cwd}}',
      'in /srv/work',
      '{{cwd}} covers the value in the first run alone',
    ],
    ['an order', 'by {{call:1}}', 'by {{call:2}}', '{{call:1}} and {{call:2}} cover both values'],
    ['anything else', 'zone red', 'zone blue', 'no placeholder has this form'],
    ['an escaped brace', '{{{{cwd}} red', '{{{{cwd}} blue', 'no placeholder has this form'],
  ])('names the placeholder that should have covered %s', (_what, one, other, rule) => {
    const [line] =
      /^rule .*$/mu.exec(differenceBetween(seen(`${one}\n`), seen(`${other}\n`))?.message ?? '') ?? [];
    expect(line).toContain(rule);
  });

  it('is looked at in the request header too', () => {
    expect(differenceBetween(seen('a\n'), seen('a\n', { header: 'other\n' }))?.key).toBe(
      'turns/one/system-prompt',
    );
  });
});
