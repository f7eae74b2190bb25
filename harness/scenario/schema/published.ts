/** The JSON Schemas that editors use, made from the schemas that the parser uses. Pure. */
import { z } from 'zod';
import { requirementsFile } from '../../requirements/registry.ts';
import { categoriesFile, projectFile } from './project.ts';
import { scenarioFile } from './scenario.ts';

/** File below the scenarios folder -> its text. Draft 7, which every editor knows. */
export function publishedSchemas(): ReadonlyMap<string, string> {
  return new Map([
    ['scenario.schema.json', schemaText('A turnpin scenario', scenarioFile)],
    ['categories.schema.json', schemaText('Categories of a turnpin project', categoriesFile)],
    ['requirements.schema.json', schemaText('Requirements of a turnpin project', requirementsFile)],
    ['turnpin.schema.json', schemaText('turnpin.yaml', projectFile)],
  ]);
}

function schemaText(title: string, schema: z.ZodType): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  return `${JSON.stringify({ $schema, title, ...rest }, null, 2)}\n`;
}
