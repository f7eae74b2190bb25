/** The version of turnpin, from the package.json that this file was installed with. */
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const manifest = z.object({ name: z.literal('turnpin'), version: z.string() });

/** `0.0.0` where the package.json has gone missing: a version is never worth a failure. */
export function turnpinVersion(): string {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    const file = new URL('package.json', folder);
    if (existsSync(file)) {
      const found = manifest.safeParse(JSON.parse(readFileSync(file, 'utf8')));
      if (found.success) return found.data.version;
    }
    if (folder.pathname === '/' || folder.href === new URL('..', folder).href) return '0.0.0';
  }
}
