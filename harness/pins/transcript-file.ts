/** A transcript file is its sections, each a YAML document with one key, joined in their order. Pure. */
import { SECTIONS, type Section } from '../verdict/vocabulary.ts';

/** Sections that stand in `transcript.expected.yaml`; `wire` has a file of its own for each driver. */
export const TRANSCRIPT_SECTIONS = SECTIONS.filter((section) => section !== 'wire');

/** The file's text from its sections, each ending in a newline. */
export function joinTranscript(sections: ReadonlyMap<Section, string>): string {
  return TRANSCRIPT_SECTIONS.map((section) => sections.get(section) ?? '').join('');
}

/**
 * The sections of a canonical file, by what stands in the first column: `joinTranscript` of them is the text again.
 * `rest` is what belongs to no known section.
 */
export function splitTranscript(text: string): {
  readonly sections: ReadonlyMap<Section, string>;
  readonly rest: string;
} {
  const sections = new Map<Section, string>();
  let rest = '';
  for (const piece of topLevel(text)) {
    const name = TRANSCRIPT_SECTIONS.find((section) => piece.startsWith(`${section}:`));
    if (name === undefined || sections.has(name)) rest += piece;
    else sections.set(name, piece);
  }
  return { sections, rest };
}

/** The text in pieces, each of which begins in the first column with something other than a comment. */
function topLevel(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  const boundary = /\n(?=[^\s#])/g;
  while (boundary.test(text)) {
    pieces.push(text.slice(start, boundary.lastIndex));
    start = boundary.lastIndex;
  }
  return [...pieces, text.slice(start)];
}
