/** Merge conflicts that were committed: a line of seven signs at the very left. Quoted ones inside a text are indented. */
import type { Mistake } from './position.ts';

/** One mistake for each conflict, naming all of its lines. A line of `=======` alone is a heading, and legitimate. */
export function conflictMarkers(text: string): Mistake[] {
  if (!text.includes('<<<<<<<') && !text.includes('>>>>>>>')) return [];
  const found: Mistake[] = [];
  let open: number[] = [];
  const close = (): void => {
    const [first] = open;
    if (first === undefined) return;
    const rest = open.slice(1);
    found.push({
      position: { line: first, column: 1 },
      message:
        rest.length === 0
          ? 'a merge conflict marker stands here; remove it'
          : `an unresolved merge conflict begins here (markers also on ${rest.length === 1 ? 'line' : 'lines'} ${rest.join(', ')}); keep one side and remove the markers`,
      path: '',
    });
    open = [];
  };
  text.split('\n').forEach((line, index) => {
    if (/^<{7}(?: |$)/u.test(line)) {
      close();
      open.push(index + 1);
    } else if (/^(?:\|{7}(?: |$)|={7}$)/u.test(line)) {
      if (open.length > 0) open.push(index + 1);
    } else if (/^>{7}(?: |$)/u.test(line)) {
      open.push(index + 1);
      close();
    }
  });
  close();
  return found;
}
