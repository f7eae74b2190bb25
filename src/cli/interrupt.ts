/** Signals of the user. The first one is answered in an orderly way, the second ends the process at once. */
import { EXIT } from './interval.ts';

export type Interruption = 'cancel' | 'dispose';

/** Ctrl-C cancels the running turn; a supervisor's TERM, or a terminal that is gone, disposes. */
const SIGNALS: Readonly<Record<'SIGINT' | 'SIGTERM' | 'SIGHUP', Interruption>> = {
  SIGINT: 'cancel',
  SIGTERM: 'dispose',
  SIGHUP: 'dispose',
};

/** Resolves with the first signal. Installing it is what keeps the signal from ending the process. */
export function firstInterruption(): Promise<Interruption> {
  return new Promise((resolve) => {
    let seen = false;
    for (const [signal, interruption] of Object.entries(SIGNALS)) {
      process.on(signal, () => {
        if (seen) process.exit(EXIT.interrupted);
        seen = true;
        resolve(interruption);
      });
    }
  });
}
