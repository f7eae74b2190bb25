/** `npm run schema`: writes the JSON Schemas that editors use into the scenarios folder of this project. */
import { writeFileSync } from 'node:fs';
import { publishedSchemas } from './published.ts';

for (const [name, text] of publishedSchemas()) {
  writeFileSync(new URL(`../../../scenarios/${name}`, import.meta.url), text);
}
