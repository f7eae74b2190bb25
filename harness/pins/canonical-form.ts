/** NON_CANONICAL: what is wrong with the form of an expected file, whatever it says (pins.md). Pure. */
import { conflictMarkers } from '../document/conflict-markers.ts';
import { isPlainlyCanonical } from './canonical-yaml.ts';
import { canonicalText } from './expected-file.ts';
import { problem, type Fix, type Problem } from '../verdict/problem.ts';
import type { Claim } from './contract.ts';
import { isTranscript, type ExpectedFile } from './disk.ts';
import { splitTranscript } from './transcript-file.ts';

export interface FormFault {
  readonly message: string;
  /** 1-based; null where it is no one line. */
  readonly line: number | null;
}

/** One identity whoever reports it: the audit, or the judge of a file that it can not compare, with a pending value as its fix. */
export function formProblem(claim: Claim, found: ExpectedFile, fixOf: () => Fix | null): Problem | null {
  const faults = formFaults(found);
  const [first] = faults;
  if (first === undefined) return null;
  return problem({
    kind: 'NON_CANONICAL',
    key: claim.key,
    file: claim.file,
    line: first.line,
    message: faults.map(({ message }) => message).join('\n'),
    fix: fixOf(),
  });
}

/** All faults of a file's form; none for a canonical file. */
export function formFaults({ file, text }: ExpectedFile): FormFault[] {
  if (text === null) return [{ message: 'The bytes are not UTF-8 text.', line: null }];
  // Almost every file is a transcript in canonical form, which has none of the faults below but the last.
  if (file.endsWith('.yaml') && isPlainlyCanonical(text)) return unknownSection(file, text);
  if (text.trim() === '' || text === '\uFEFF') return [{ message: 'The file is empty.', line: null }];
  const [conflict] = conflictMarkers(text.includes('\r') ? text.replaceAll('\r\n', '\n') : text);
  if (conflict !== undefined) {
    return [{ message: `${capital(conflict.message)}.`, line: conflict.position.line }];
  }
  const faults = [...bom(text), ...lineEnds(text), ...finalNewline(text)];
  return faults.length > 0 ? faults : [...unknownSection(file, text), ...formatting(file, text)];
}

function capital(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
}

function bom(text: string): FormFault[] {
  return text.startsWith('\uFEFF')
    ? [{ message: 'The file begins with a byte order mark (BOM).', line: 1 }]
    : [];
}

function lineEnds(text: string): FormFault[] {
  const first = text.indexOf('\r\n');
  if (first < 0) return [];
  const windows = text.split('\r\n').length - 1;
  const all = text.split('\n').length - 1;
  const line = text.slice(0, first).split('\n').length;
  return [
    {
      message: `Line ends only: ${windows} of ${all} lines end in CRLF instead of LF. Nothing visible differs; "*.expected.* text eol=lf" in .gitattributes keeps a checkout from doing this.`,
      line,
    },
  ];
}

function finalNewline(text: string): FormFault[] {
  if (/[^\r\n]\r?\n$/u.test(text.slice(-3))) return [];
  const lines = text.split('\n').length;
  if (!text.endsWith('\n')) return [{ message: 'The final newline is missing.', line: lines }];
  const extra = /(?:\r?\n)(?<extra>(?:\r?\n)+)$/u.exec(text)?.groups?.['extra'];
  return extra === undefined ? [] : [{ message: 'There is more than one final newline.', line: lines - 1 }];
}

function unknownSection(file: string, text: string): FormFault[] {
  if (!isTranscript(file)) return [];
  const { rest } = splitTranscript(text);
  if (rest === '') return [];
  const [first = ''] = rest.split('\n');
  return [
    {
      message: `"${first}" belongs to no section; a transcript has conversations, turns and log, each once.`,
      line: text.slice(0, text.indexOf(rest)).split('\n').length,
    },
  ];
}

function formatting(file: string, text: string): FormFault[] {
  const kind = file.endsWith('.json') ? 'JSON' : file.endsWith('.yaml') ? 'YAML' : null;
  if (kind === null) return [];
  const canonical = canonicalText(file, text);
  if (canonical === null) return [{ message: `The file is not readable as ${kind}.`, line: null }];
  if (canonical === text) return [];
  const [mine, theirs] = [text.split('\n'), canonical.split('\n')];
  const at = mine.findIndex((line, index) => line !== theirs[index]);
  return [
    {
      message: `The ${kind} is not in canonical form: found ${shown(mine[at])}, canonical is ${shown(theirs[at])}.`,
      line: at + 1,
    },
  ];
}

function shown(line: string | undefined): string {
  return line === undefined
    ? 'no more lines'
    : JSON.stringify(line.length > 80 ? `${line.slice(0, 79)}…` : line);
}
