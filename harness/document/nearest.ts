/** "Did you mean": the nearest of a closed list of words. */
import { distance } from 'fastest-levenshtein';

/** The words nearest to a misspelt one, best first, at most three; empty where nothing comes near. */
export function nearest(word: string, known: Iterable<string>): string[] {
  const limit = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
  const folded = word.toLowerCase();
  return [...known]
    .map((candidate) => ({
      candidate,
      away: candidate === word ? 0 : distance(folded, candidate.toLowerCase()),
    }))
    .filter(
      ({ candidate, away }) =>
        away <= limit || (folded.length > 3 && candidate.toLowerCase().startsWith(folded)),
    )
    .sort((a, b) => a.away - b.away || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** `; did you mean "x"?`, or the whole list where nothing is near and the list is short enough to help. */
export function suggestion(word: string, known: Iterable<string>): string {
  const words = [...known];
  const near = nearest(word, words);
  if (near.length > 0) return `; did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`;
  if (words.length === 0) return '';
  return words.length <= 24 ? `; known here: ${words.join(', ')}` : '';
}
