import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editText } from './text-edit.ts';

const one = (text: string, old: string, replacement: string) =>
  editText(text, { old, new: replacement, all: false });
const all = (text: string, old: string, replacement: string) =>
  editText(text, { old, new: replacement, all: true });
const edited = (text: string, count = 1) => ({ kind: 'edited', text, count });

describe('editText', () => {
  it('replaces the one occurrence, and leaves every other character alone', () => {
    expect(one('a b c', 'b', 'B')).toEqual(edited('a B c'));
    expect(one('a b c', ' b', '')).toEqual(edited('a c'));
    expect(one('x', 'x', '$& $1 $$')).toEqual(edited('$& $1 $$'));
  });

  it('counts what it replaces when all are wanted', () => {
    expect(all('a b a', 'a', 'aa')).toEqual(edited('aa b aa', 2));
    expect(all('a', 'a', 'b')).toEqual(edited('b', 1));
  });

  it('refuses an empty old text, and a change that is none', () => {
    expect(one('abc', '', 'x')).toEqual({ kind: 'empty' });
    expect(all('abc', '', 'x')).toEqual({ kind: 'empty' });
    expect(one('', '', 'x')).toEqual({ kind: 'empty' });
    expect(one('abc', 'b', 'b')).toEqual({ kind: 'same' });
  });

  it('refuses a change of line ends alone, since line ends are kept', () => {
    expect(one('a\nb\n', 'a\n', 'a\r\n')).toEqual({ kind: 'same' });
    expect(all('a\r\nb\r\n', 'a\r\n', 'a\n')).toEqual({ kind: 'same' });
  });

  it('refuses old text that is absent, or occurs more than once', () => {
    expect(one('abc', 'd', 'x')).toEqual({ kind: 'absent' });
    expect(all('abc', 'd', 'x')).toEqual({ kind: 'absent' });
    expect(one('a a a', 'a', 'x')).toEqual({ kind: 'ambiguous', count: 3 });
  });

  it('counts overlapping occurrences each, and never replaces them', () => {
    const text = 'foo\nfoo\nfoo\n';
    expect(one(text, 'foo\nfoo\n', 'bar\n')).toEqual({ kind: 'ambiguous', count: 2 });
    expect(all(text, 'foo\nfoo\n', 'bar\n')).toEqual({ kind: 'overlapping', count: 2 });
    expect(all('aaaa', 'aa', 'b')).toEqual({ kind: 'overlapping', count: 3 });
  });

  it.each([one, all])('matches LF text in a CRLF file, and keeps CRLF also in lines that are new', (edit) => {
    expect(edit('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz')).toEqual(edited('x\r\ny\r\nz\r\nc\r\n'));
    expect(edit('a\r\nb\r\nc\r\n', 'a\r\nb', 'x\ny')).toEqual(edited('x\r\ny\r\nc\r\n'));
    expect(edit('a\r\nb\r\n', 'b', 'b1\nb2')).toEqual(edited('a\r\nb1\r\nb2\r\n'));
    expect(edit('a\r\nb\r\n', '\n', '\n')).toEqual({ kind: 'same' });
    expect(edit('a\r\nb', '\nb', '\nc')).toEqual(edited('a\r\nc'));
    expect(edit('a\r\nb', 'a\n', 'c\n')).toEqual(edited('c\r\nb'));
  });

  it.each([one, all])('matches CRLF text in an LF file, and keeps LF', (edit) => {
    expect(edit('a\nb\n', 'a\r\nb', 'x\r\ny\r\nz')).toEqual(edited('x\ny\nz\n'));
  });

  it('keeps each line end of a file that mixes them, also of the lines that are replaced', () => {
    expect(one('a\r\nb\nc\r\nd\n', 'b\nc\nd', 'B\nC\nD')).toEqual(edited('a\r\nB\nC\r\nD\n'));
    expect(one('a\r\nb\nc\r\nd\r\n', 'c', 'c\nc2')).toEqual(edited('a\r\nb\nc\r\nc2\r\nd\r\n'));
  });

  it('deletes whole lines with their own line ends', () => {
    expect(one('a\r\nb\nc\r\n', 'b\n', '')).toEqual(edited('a\r\nc\r\n'));
  });

  it('writes line ends as given into a text that has none', () => {
    expect(one('a', 'a', 'b\r\nc\n')).toEqual(edited('b\r\nc\n'));
  });

  it('adds no final line end, and takes none away', () => {
    expect(one('a\nb', 'b', 'c')).toEqual(edited('a\nc'));
    expect(one('a\nb\n', 'b', 'c')).toEqual(edited('a\nc\n'));
  });

  it('keeps a byte order mark, whether or not the old text begins with one', () => {
    expect(one('\uFEFFa b', 'a', 'x')).toEqual(edited('\uFEFFx b'));
    expect(one('\uFEFFa b', '\uFEFFa', '\uFEFFx')).toEqual(edited('\uFEFFx b'));
    expect(one('a b', '\uFEFFa', 'x')).toEqual(edited('x b'));
  });

  it('leaves a carriage return alone that is no part of a line end', () => {
    expect(one('a\rb\r\nc', 'b\n', 'B\n')).toEqual(edited('a\rB\r\nc'));
  });

  describe('for any text', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', '\n', '\r\n', '\r'),
      maxLength: 30,
      size: 'max',
    });
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n'), maxLength: 4 });
    const lf = (value: string) => value.replaceAll('\r\n', '\n');

    it('does to the lines what plain replacement would, and keeps what surrounds them byte for byte', () => {
      fc.assert(
        fc.property(text, piece, piece, fc.boolean(), (before, old, replacement, everywhere) => {
          // A carriage return of its own could meet a line feed that is new, and be part of a line end then.
          fc.pre(!/\r(?!\n)/.test(before));
          const result = editText(before, { old, new: replacement, all: everywhere });
          if (result.kind !== 'edited') return;
          expect(lf(result.text)).toBe(
            everywhere
              ? lf(before).replaceAll(lf(old), () => lf(replacement))
              : lf(before).replace(lf(old), () => lf(replacement)),
          );
          if (result.count > 1) return;
          const at = lf(before).indexOf(lf(old));
          const head = headOf(before, at);
          expect(result.text.startsWith(head)).toBe(true);
          const tail = before.slice(headOf(before, at + lf(old).length).length);
          expect(result.text.endsWith(tail)).toBe(true);
        }),
        { numRuns: 1_000 },
      );
    });

    it('answers the same whether the line ends of old and new are LF or CRLF', () => {
      fc.assert(
        fc.property(text, piece, piece, fc.boolean(), (before, old, replacement, everywhere) => {
          fc.pre(lf(before).includes('\n'));
          const crlf = (value: string) => lf(value).replaceAll('\n', '\r\n');
          expect(editText(before, { old: crlf(old), new: crlf(replacement), all: everywhere })).toEqual(
            editText(before, { old: lf(old), new: lf(replacement), all: everywhere }),
          );
        }),
        { numRuns: 1_000 },
      );
    });

    it('agrees between single and all where there is one occurrence', () => {
      fc.assert(
        fc.property(text, piece, piece, (before, old, replacement) => {
          const single = one(before, old, replacement);
          if (single.kind === 'edited') expect(all(before, old, replacement)).toEqual(single);
        }),
        { numRuns: 1_000 },
      );
    });

    it('keeps a text of one kind of line end at that kind', () => {
      fc.assert(
        fc.property(text, piece, piece, (before, old, replacement) => {
          const crlf = lf(before.replaceAll(/\r(?!\n)/g, '')).replaceAll('\n', '\r\n');
          fc.pre(crlf.includes('\r\n'));
          const result = one(crlf, old, replacement);
          if (result.kind === 'edited') expect(result.text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        }),
        { numRuns: 1_000 },
      );
    });

    /** The part of `original` that becomes the first `length` characters with plain line ends. */
    function headOf(original: string, length: number): string {
      let at = 0;
      for (let seen = 0; seen < length; seen += 1) at += original.startsWith('\r\n', at) ? 2 : 1;
      return original.slice(0, at);
    }
  });
});
