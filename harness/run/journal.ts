/** What `--keep` leaves of a run beside its workspace and home: everything that passed, to be read by a person. */
import { journalEntry } from '../model/journal.ts';
import type { Recording } from './recording.ts';

/** JSON text, without the key handed out and without any other credential of a request. */
export function journalText({
  scenario,
  driver,
  exchanges,
  findings,
  shown,
  failures,
  places,
}: Recording): string {
  const secrets = new Map([[places.apiKey, '{{apiKey}}']]);
  const journal = {
    scenario: scenario.id,
    driver,
    places,
    failures,
    findings,
    exchanges: exchanges.map((exchange) => journalEntry(exchange, secrets)),
    shown: { ...shown, answers: Object.fromEntries(shown.answers) },
  };
  return `${JSON.stringify(journal, null, 2)}\n`.replaceAll(places.apiKey, '{{apiKey}}');
}
