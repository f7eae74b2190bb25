/** Whether to colour (no-color.org, force-color.org): asked once for each stream, by the command line. */

/** `FORCE_COLOR` decides first (`0` and `false` mean no), then a non-empty `NO_COLOR`, then `TERM=dumb`, then the stream. */
export function wantsColors(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  const force = env['FORCE_COLOR'];
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  return isTerminal && env['TERM'] !== 'dumb';
}
