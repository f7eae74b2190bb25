/** The version of this package, from its `package.json`, wherever the code runs from: sources or `dist/`. */
import { readFileSync } from 'node:fs';

let known: string | null = null;

/** Such as `0.1.0`. Read once. */
export function version(): string {
  known ??= find(new URL('.', import.meta.url));
  return known;
}

function find(folder: URL): string {
  const manifest = read(new URL('package.json', folder));
  if (manifest !== null) return manifest;
  const parent = new URL('..', folder);
  return parent.href === folder.href ? 'unknown' : find(parent);
}

function read(file: URL): string | null {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const of = (key: string): unknown =>
      typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, key) : null;
    const found = of('version');
    return of('name') === 'turnpin' && typeof found === 'string' ? found : null;
  } catch {
    return null;
  }
}
