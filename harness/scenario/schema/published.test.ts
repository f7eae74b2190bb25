import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { readYaml } from '../../document/yaml.ts';
import { loadSuite } from '../load.ts';
import { publishedSchemas } from './published.ts';

const project = new URL('../../../', import.meta.url);
const committed = (name: string): string => readFileSync(new URL(`scenarios/${name}`, project), 'utf8');

describe('the JSON Schemas that editors use', () => {
  it.each([...publishedSchemas().keys()])('%s is as `npm run schema` writes it', (name) => {
    expect(committed(name)).toBe(publishedSchemas().get(name));
  });

  it('take every scenario of the corpus', () => {
    const takes = new Ajv({ strict: false }).compile(JSON.parse(committed('scenario.schema.json')) as object);
    const refused = loadSuite(fileURLToPath(project)).scenarios.filter(({ file }) => {
      const read = readYaml(readFileSync(new URL(file, project), 'utf8'));
      return !('document' in read) || !takes(read.document.value);
    });
    expect(refused.map(({ id }) => id)).toEqual([]);
  });

  it.each([
    ['an unknown key', { title: 't', covers: [], steps: ['idle'], expct: {} }],
    ['an unknown step', { title: 't', covers: [], steps: [{ folowup: 'x' }] }],
    [
      'an unknown key of a reply',
      { title: 't', covers: [], steps: ['idle'], model: { main: [{ txt: 'x' }] } },
    ],
    ['a missing title', { covers: [], steps: ['idle'] }],
  ])('refuse %s', (_what, value) => {
    const takes = new Ajv({ strict: false }).compile(JSON.parse(committed('scenario.schema.json')) as object);
    expect(takes(value)).toBe(false);
  });

  it('describe every key', () => {
    for (const text of publishedSchemas().values()) {
      expect(undescribed(JSON.parse(text), '')).toEqual([]);
    }
  });
});

type Schema = { readonly [key: string]: unknown };

function undescribed(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((one) => undescribed(one, path));
  return Object.entries(schema as Schema).flatMap(([key, value]) => {
    if (key !== 'properties') return undescribed(value, path);
    return Object.entries(value as Schema).flatMap(([name, property]) => {
      const here = `${path}.${name}`;
      const described = typeof property === 'object' && property !== null && 'description' in property;
      return [...(described ? [] : [here]), ...undescribed(property, here)];
    });
  });
}
