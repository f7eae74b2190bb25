/** Where a path really leads. */
import { readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { ToolError } from './tool.ts';

/** Most links that one path may go through, as on Linux. */
const MOST_LINKS = 40;

/**
 * Follows every link on the way of an absolute path, as the system would when opening it; unlike `realpath` also for
 * what does not exist yet, and for links to it. `..` goes up from where a link led, not from where it lies.
 */
export async function followLinks(path: string): Promise<string> {
  const ahead = path.split(sep).reverse();
  let real: string = sep;
  let links = 0;
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      real = dirname(real);
      continue;
    }
    const here = join(real, name);
    const target = await readlink(here).catch(() => null);
    if (target === null) {
      real = here;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) throw new ToolError('INVALID_PATH', 'The path goes through too many links.');
    ahead.push(...target.split(sep).reverse());
    if (isAbsolute(target)) real = sep;
  }
  return real;
}
