import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readYaml } from './yaml.ts';

function mistakes(text: string): string[] {
  const read = readYaml(text);
  if ('document' in read) return [];
  return read.mistakes.map(({ position, message }) => `${position.line}:${position.column} ${message}`);
}

function value(text: string): unknown {
  const read = readYaml(text);
  if ('mistakes' in read) throw new Error(read.mistakes[0].message);
  return read.document.value;
}

describe('what a document may be', () => {
  it.each([
    ['an empty tail after ---', 'a: 1\n---\n', { a: 1 }],
    ['a leading --- and comments after a last one', '---\na: 1\n---\n# nothing\n', { a: 1 }],
    ['Windows line ends', 'a: |\r\n  x\r\n  y\r\nb: 2\r\n', { a: 'x\ny\n', b: 2 }],
    [
      'a line of equals signs as a heading inside a text',
      'a: |\n  Title\n  =======\n',
      { a: 'Title\n=======\n' },
    ],
    [
      'conflict markers inside a quoted answer',
      'a: |\n  <<<<<<< HEAD\n  =======\n  >>>>>>> x\n',
      { a: '<<<<<<< HEAD\n=======\n>>>>>>> x\n' },
    ],
    ['a percent sign at the start of a line of text', 'a: |\n  %YAML\n', { a: '%YAML\n' }],
    ['an anchor that is used again', 'a: &x 1\nb: &x 2\nc: *x\n', { a: 1, b: 2, c: 2 }],
    ['a tab inside a text', 'a: |\n  x\n  \ty\n', { a: 'x\n\ty\n' }],
    [
      'keys that only look like members of every object',
      'constructor: 1\ntoString: 2\n',
      { constructor: 1, toString: 2 },
    ],
  ])('takes %s', (_what, text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  it('takes one anchor used 150 times', () => {
    const text = `a: &x {k: v}\nlist:\n${'  - *x\n'.repeat(150)}`;
    expect((value(text) as { list: unknown[] }).list).toHaveLength(150);
  });
});

describe('what is refused, by name and place', () => {
  it.each([
    ['a key that is there twice', 'a: 1\nb: 2\na: 3\n', /^3:1 the key "a" is here twice: first on line 1/],
    [
      'the same key with and without quotes',
      'a: 1\n"a": 2\n',
      /^2:1 the key "a" is here twice: first on line 1/,
    ],
    [
      'the same key as number and as text',
      '1: x\n"1": y\n',
      /^2:1 the key "1" is here twice: first on line 1/,
    ],
    ['a double key inside braces', 'a: {b: 1,\n  b: 2}\n', /^2:3 the key "b" is here twice: first on line 1/],
    ['a second document', 'a: 1\n---\nb: 2\n', /^2:1 a second document begins here/],
    ['a document after ...', 'a: 1\n...\nb: 2\n', /^3:1 a second document begins here/],
    ['an indentation by tab', 'a:\n\tb: 1\n', /^2:1 line 2 is indented with a tab/],
    ['a tab under deeper spaces', 'a:\n  b: 1\n\tc: 2\n', /^3:1 line 3 is indented with a tab/],
    ['a byte order mark', '\uFEFFa: 1\n', /^1:1 .*byte order mark/],
    ['a directive', '# note\n%YAML 1.1\n---\na: 1\n', /^2:1 directives such as "%YAML 1.1"/],
    ['a merge key', 'a: &x {k: 1}\nb:\n  <<: *x\n', /^3:3 merge keys \(<<\) are not supported/],
    ['an alias inside its own anchor', 'a: &x [*x]\n', /^1:8 the alias \*x stands inside the very value/],
    ['an alias without anchor', 'a: 1\nb: *x\n', /^2:4 no anchor &x stands before this alias/],
    ['an alias before its anchor', 'a: *x\nb: &x 1\n', /^1:4 no anchor &x stands before this alias/],
    [
      'a full conflict',
      'a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n',
      /^2:1 an unresolved merge conflict begins here \(markers also on lines 4, 6\)/,
    ],
    ['a stray marker', 'a: 1\n<<<<<<< HEAD\n', /^2:1 a merge conflict marker stands here/],
    ['a stray closing marker', 'a: 1\n>>>>>>> HEAD\n', /^2:1 a merge conflict marker stands here/],
    ['an empty file', '', /^1:1 the file is empty/],
    ['a file of comments', '# only\n\n# comments\n', /^1:1 the file is empty/],
    ['a lone carriage return', 'a: 1\rb: 2\n', /^1:5 a carriage return/],
    ['a control character', 'a: \u0007\n', /^1:4 the control character U\+0007/],
    ['a number that is none in JSON', 'a: .inf\n', /^1:4 \.inf is no number/],
    [
      'a number that would lose digits',
      'a: 12345678901234567890\n',
      /^1:4 12345678901234567890 is too large/,
    ],
    ['half a character', 'a: "\\ud83d"\n', /^1:4 this text has half a character/],
    ['a tag', 'a: !secret x\n', /^1:4 tags .* are not supported/],
    ['braces without quotes', 'a: {{child:one}}\n', /^1:5 braces begin a map here.*quotes/],
    ['a second colon', 'a: b: c\n', /^1:4 .*put it in quotes/],
    ['a quote that is never closed', 'a: "x\n', /double quote is opened and never closed/],
    ['a bracket that is never closed', 'a: [1\nb: 2\n', /bracket or brace above is never closed/],
    [
      'a colon without a space',
      'a: 1\nb:c\n',
      /^2:1 "b:c" is no "key: value"; is a colon missing, or a space after it/,
    ],
    ['__proto__', '__proto__: 1\n', /^1:1 the key "__proto__" is not allowed/],
  ])('%s', (_what, text, expected) => {
    expect(mistakes(text)[0]).toMatch(expected);
  });

  it('a bomb of aliases, however deep, in bounded work', () => {
    let text = 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n';
    for (let level = 1; level <= 60; level += 1) {
      text += `a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(', ')}]\n`;
    }
    expect(mistakes(text)).toEqual([
      expect.stringMatching(/^6:\d+ the aliases in here stand for \d+ values/),
    ]);
  });

  it('nesting without end', () => {
    for (const bit of ['[', '{', '- ', '? ', '[a, ', '{a: ']) {
      expect(mistakes(bit.repeat(100_000))[0]).toMatch(/nested too deeply/);
    }
    expect(mistakes(`a: ${'['.repeat(100)}${']'.repeat(100)}\n`)[0]).toMatch(
      /more than 64 levels of nesting/,
    );
  });

  it('every double key of a file, not the first alone', () => {
    expect(mistakes('a: 1\na: 2\nb: {c: 1, c: 2}\n')).toHaveLength(2);
  });
});

describe('positions', () => {
  const read = readYaml('top:\n  list:\n    - one\n    - key.with.dots: two\nfiles: {notes.txt: hi}\n');
  if ('mistakes' in read) throw new Error('fixture');
  const { document } = read;

  it('are those of values, keys and list items', () => {
    expect(document.valueAt(['top', 'list', 1])).toEqual({ line: 4, column: 7 });
    expect(document.keyAt(['top', 'list'])).toEqual({ line: 2, column: 3 });
    expect(document.valueAt(['files', 'notes.txt'])).toEqual({ line: 5, column: 20 });
  });

  it('fall back to what is around a missing part', () => {
    expect(document.keyAt(['top', 'lost', 3])).toEqual({ line: 1, column: 1 });
  });

  it('are found by dotted paths, also where keys have dots', () => {
    expect(document.placeOf('files.notes.txt')).toEqual({ line: 5, column: 9 });
    expect(document.placeOf('top.list.1.key.with.dots')).toEqual({ line: 4, column: 7 });
  });
});

describe('whatever the text', () => {
  it('is read or refused, never thrown at', () => {
    const bits = fc.constantFrom(
      'a',
      ': ',
      '\n',
      '  ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '&x ',
      '*x',
      '"',
      "'",
      '|',
      '>',
      '#',
      '%',
      '---\n',
      '...\n',
      '? ',
      '!t ',
      '\t',
      '<<',
      '\u0000',
      '\uD800',
      'é',
      ',',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(bits, { maxLength: 40, size: 'max' }).map((all) => all.join('')),
          fc.string(),
        ),
        (text) => {
          const read = readYaml(text);
          if ('mistakes' in read) {
            const lines = text.split('\n').length;
            for (const { position } of read.mistakes) expect(position.line).toBeLessThanOrEqual(lines);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
