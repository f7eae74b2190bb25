/** Commands as a shell reads them. */

const PLAIN = /^[A-Za-z0-9_./:=@%+,-]+$/u;

/**
 * One line that does what the words say when it is pasted. Where the project was chosen with `-C`, turnpin's own
 * commands repeat it.
 */
export function pasteable(words: readonly string[], chosenRoot: string | null): string {
  const [first, ...rest] = words;
  const all = first === 'turnpin' && chosenRoot !== null ? [first, '-C', chosenRoot, ...rest] : words;
  return all.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
