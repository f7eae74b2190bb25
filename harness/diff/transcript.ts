/** Two transcripts compared by section and lane (pins.md, Diffs). Pure. */
import { textDiff, type Row } from './text.ts';

/** A part of a transcript: one lane of one section, its lines still indented. */
interface Lane {
  readonly name: string;
  readonly text: string;
}

export interface LaneDiff {
  /** `turns, main`; `log, main, inbox`. */
  readonly lane: string;
  readonly rows: readonly Row[];
  readonly summary: string;
}

/** Every lane that differs: those of the old transcript in their order, then the new ones. */
export function laneDiffs(before: string, after: string): LaneDiff[] {
  const [old, now] = [byName(before), byName(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  return names.flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    if (is === undefined) return [missing(name, 'this lane is gone', was ?? '')];
    if (was === undefined) return [missing(name, 'a new lane', is)];
    const found = textDiff(was, is);
    return found === null ? [] : [{ lane: name, ...found }];
  });
}

function missing(lane: string, what: string, text: string): LaneDiff {
  const found = what === 'a new lane' ? textDiff('', text) : textDiff(text, '');
  return { lane, rows: found?.rows ?? [], summary: `${what}, ${found?.summary ?? 'empty'}` };
}

function byName(text: string): Map<string, string> {
  return new Map(lanesOf(text).map(({ name, text: lane }) => [name, lane]));
}

/** Sections stand in the first column, lanes in the third, the parts of a log's lane in the fifth. */
function lanesOf(text: string): Lane[] {
  return text.split(/(?<=\n)(?=\S)/u).flatMap((section) => {
    const name = keyOf(section);
    return within(section, { path: [name], depth: name === 'log' ? 2 : 1 });
  });
}

function within(block: string, how: { readonly path: readonly string[]; readonly depth: number }): Lane[] {
  const column = how.path.length * 2;
  const newline = block.indexOf('\n');
  const inside = newline < 0 ? '' : block.slice(newline + 1);
  const isMap = new RegExp(`^ {${column}}[^\\s-]`, 'u').test(inside);
  if (how.depth === 0 || !isMap) return [{ name: how.path.join(', '), text: inside === '' ? block : inside }];
  return inside
    .split(new RegExp(`(?<=\\n)(?= {${column}}[^\\s-])`, 'u'))
    .flatMap((part) => within(part, { path: [...how.path, keyOf(part)], depth: how.depth - 1 }));
}

function keyOf(block: string): string {
  return /^ *(?<key>.*?):(?:\s|$)/u.exec(block)?.groups?.['key'] ?? block.split('\n', 1).join('').trim();
}
