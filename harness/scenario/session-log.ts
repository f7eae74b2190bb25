/** The log that a scenario's session is resumed from (scenarios.md). Pure. */

/** The id in its header line, by which its file is named; null where there is none. */
export function sessionIdOf(log: string): string | null {
  const [header = ''] = log.split('\n', 1);
  try {
    const { id } = JSON.parse(header) as { readonly id?: unknown };
    return typeof id === 'string' && /^[\w-]+$/u.test(id) ? id : null;
  } catch {
    return null;
  }
}
