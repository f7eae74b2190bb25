import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Normaliser, VolatileTable, readableText, restore, type Volatile } from './placeholders.ts';

const values: readonly Volatile[] = [
  { raw: '/w/run-1/workspace', as: { text: '{{cwd}}' }, edge: 'path' },
  { raw: '/w/run-1', as: { text: '{{home}}' }, edge: 'path' },
  { raw: 'sk-key-of-this-run', as: { text: '{{apiKey}}' }, edge: 'none' },
  { raw: 'message-a', as: { kind: 'message' }, edge: 'word' },
  { raw: 'message-b', as: { kind: 'message' }, edge: 'word' },
  { raw: 'call-00001', as: { kind: 'call' }, edge: 'word' },
  { raw: 'c1', as: { kind: 'call' }, edge: 'word' },
  { raw: 'session-x', as: { text: '{{child:audit}}' }, edge: 'word' },
];
const table = new VolatileTable(values, ['2026-11-29', '2026-11-30']);
const normal = (text: string): string => new Normaliser(table).text(text);

/** Texts that are dense in what is hard: values, braces, and pieces of both. */
const pieces = fc.oneof(
  fc.constantFrom(
    ...values.map(({ raw }) => raw),
    '{',
    '{{',
    '{{{',
    '}}',
    '{{cwd}}',
    '{{message:1}}',
    '/w/run-1',
    'message-',
    ' ',
    'x',
    '1',
    '-',
  ),
  fc.string({ maxLength: 4 }),
);
const texts = fc.array(pieces, { maxLength: 12, size: 'max' }).map((parts) => parts.join(''));

describe('placeholders', () => {
  it('the same value gives the same number, different values different ones, by first appearance', () => {
    const normaliser = new Normaliser(table);
    expect(normaliser.text('message-b then message-a then message-b')).toBe(
      '{{message:1}} then {{message:2}} then {{message:1}}',
    );
    expect(normaliser.text('message-a')).toBe('{{message:2}}');
    expect(normaliser.placeholders().get('{{message:1}}')).toBe('message-b');
  });

  it('a swap of two ids shows', () => {
    const one = new Normaliser(table);
    const other = new Normaliser(table);
    expect([one.text('message-a asks'), one.text('message-b answers'), one.text('message-a')]).not.toEqual([
      other.text('message-a asks'),
      other.text('message-b answers'),
      other.text('message-b'),
    ]);
  });

  it('the longest value wins', () => {
    expect(normal('/w/run-1/workspace/a.txt and /w/run-1/b')).toBe('{{cwd}}/a.txt and {{home}}/b');
  });

  it('a value within a longer word or name is left alone', () => {
    expect(normal('message-ab message-a /w/run-12 xmessage-a')).toBe(
      'message-ab {{message:1}} /w/run-12 xmessage-a',
    );
  });

  it('times and dates of the days of the run go, others stay', () => {
    expect(normal('2026-11-30T10:00:00.123Z, 2026-11-30, 2026-01-01, Mon, 30 Nov 2026')).toBe(
      '{{time}}, {{date}}, 2026-01-01, {{date}}',
    );
  });

  it('a literal {{ is escaped, so that no text can pass for a placeholder', () => {
    expect(normal('{{cwd}} is not /w/run-1/workspace')).toBe('{{{{cwd}} is not {{cwd}}');
  });

  it('delays show as {{ms}}, ids as a whole even when they are short, and keys too', () => {
    const value = new Normaliser(table).value({
      delayMs: 512,
      callId: 'c1',
      text: 'c1',
      'message-a': [true, null, 1],
    });
    expect(value).toEqual({
      delayMs: '{{ms}}',
      callId: '{{call:1}}',
      text: 'c1',
      '{{message:1}}': [true, null, 1],
    });
  });

  it('a text for people has its braces as they are', () => {
    expect(readableText('{{x}} in /w/run-1', table)).toBe('{{x}} in {{home}}');
  });

  it('is injective: the raw text can be restored', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const normaliser = new Normaliser(table);
        expect(restore(normaliser.text(text), normaliser.placeholders())).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it('is idempotent: the same text gives the same result again', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const normaliser = new Normaliser(table);
        expect(normaliser.text(text)).toBe(normaliser.text(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('no value survives that stands as a word of its own', () => {
    const raw = values.map((value) => value.raw).filter((value) => value !== 'c1');
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...raw), fc.constantFrom('{{', 'x'))), (words) => {
        const normalised = normal(words.join(' ')).split(' ');
        for (const value of raw) expect(normalised).not.toContain(value);
      }),
      { numRuns: 1000 },
    );
  });

  it('different texts stay different', () => {
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        fc.pre(one !== other);
        const normaliser = new Normaliser(table);
        expect(normaliser.text(one)).not.toBe(normaliser.text(other));
      }),
      { numRuns: 1000 },
    );
  });
});
