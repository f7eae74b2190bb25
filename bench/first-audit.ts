/** A process that audits for the first time, and prints how many milliseconds that took. */
import { withLargeSuite } from './large-suite.ts';
import { timed } from './measure.ts';

process.stdout.write(String(await withLargeSuite(({ audit }) => timed(audit))));
