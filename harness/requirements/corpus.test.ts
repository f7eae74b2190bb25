/** The project's own registry: a rule that a unit test holds names a test that exists and that names the rule. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readRequirements } from './registry.ts';

const root = new URL('../../', import.meta.url);
const { requirements, mistakes } = readRequirements(
  readFileSync(new URL('scenarios/requirements.yaml', root), 'utf8'),
);
const tested = requirements.flatMap(({ id, test }) => (test === null ? [] : [{ id, test }]));

it('has no mistakes', () => {
  expect(mistakes).toEqual([]);
  expect(tested.length).toBeGreaterThan(10);
});

it.each(tested)('$id is named by $test', ({ id, test }) => {
  const file = new URL(test, root);
  expect(existsSync(file)).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain(id);
});
