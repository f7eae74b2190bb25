/** What `--keep` leaves of a run beside its workspace and home: everything that passed, to be read by a person. */
import { Buffer } from 'node:buffer';
import type { Recording } from './recording.ts';

/** JSON text; bodies and answers as UTF-8. */
export function journalText({
  scenario,
  driver,
  exchanges,
  findings,
  shown,
  failures,
  places,
}: Recording): string {
  const journal = {
    scenario: scenario.id,
    driver,
    places,
    failures,
    findings,
    exchanges: exchanges.map(({ number, request, attribution, outcome, sent }) => ({
      number,
      attribution,
      outcome,
      request: { ...request, body: Buffer.from(request.body).toString('utf8') },
      sent: Buffer.concat(sent).toString('utf8'),
    })),
    shown: { ...shown, answers: Object.fromEntries(shown.answers) },
  };
  return `${JSON.stringify(journal, null, 2)}\n`;
}
