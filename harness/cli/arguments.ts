/** Values on the command line. */
import { UsageError } from './usage-error.ts';
import { DRIVERS, type Driver } from '../verdict/vocabulary.ts';

/** A whole number from `least` on. Throws UsageError. */
export function wholeNumber(option: string, text: string, least: number): number {
  const number = /^\d{1,9}$/u.test(text) ? Number(text) : Number.NaN;
  if (Number.isInteger(number) && number >= least) return number;
  throw new UsageError(option, `${option} expects a whole number from ${least} on, not "${text}".`);
}

/** Collects `--driver a --driver b` and `--driver a,b`. Throws UsageError for a driver that does not exist. */
export function driverNames(text: string, before: readonly Driver[] | undefined): readonly Driver[] {
  const names = text.split(',').map((name) => {
    const driver = DRIVERS.find((known) => known === name.trim());
    if (driver === undefined)
      throw new UsageError('--driver', `There is no driver "${name}". Drivers: ${DRIVERS.join(', ')}.`);
    return driver;
  });
  return [...new Set([...(before ?? []), ...names])];
}
