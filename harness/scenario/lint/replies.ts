/** Replies that contradict themselves, and texts too short to tell anything. */
import type { Position } from '../../document/position.ts';
import type { Reply, Scenario } from '../scenario.ts';
import type { Check, Note } from './check.ts';
import { stringsIn } from './strings.ts';

/** Shorter texts turn up by accident. */
export const SHORTEST_SIGHT = 6;

export const lintReplies: Check = (scenario, _around, note) => {
  for (const script of [...scenario.model.conversations, ...scenario.model.asides]) {
    script.replies.forEach((reply, index) => {
      const at = placeIn(scenario, { reply, script: script.name, index });
      lintSights(reply, at, note);
      lintHoldText(reply, at, note);
      lintPieces(reply, at, note);
    });
  }
};

type At = (part: string) => { readonly path: string; readonly position: Position };

/** A script is a list, or a map with `replies`; an aside lies one level deeper. The position of the reply tells which. */
function placeIn(
  scenario: Scenario,
  { reply, script, index }: { reply: Reply; script: string; index: number },
): At {
  const roots = [`model.${script}`, `model.${script}.replies`, `model.asides.${script}.replies`];
  const place = (root: string): string => `${root}.${String(index)}`;
  const same = ({ line, column }: Position): boolean =>
    line === reply.position.line && column === reply.position.column;
  // Looked for only where something is to be told: a scenario that was kept is parsed for it.
  return (part) => {
    const root = roots.find((one) => same(scenario.positionOf(place(one)))) ?? roots[0] ?? '';
    return {
      path: reply.key,
      position: part === '' ? reply.position : scenario.positionOf(`${place(root)}.${part}`),
    };
  };
}

function lintSights(reply: Reply, at: At, note: Note): void {
  reply.sees.forEach(({ text, where }, index) => {
    if (text.trim().length < SHORTEST_SIGHT) {
      note(
        at(`sees.${String(index)}`),
        `"${text}" is too short to prove anything; a text in "sees" has at least six characters`,
      );
    }
    if (reply.lacks.some((other) => other.where === where && text.includes(other.text))) {
      note(at(`sees.${String(index)}`), `the request cannot contain "${text}" and lack it too`);
    }
  });
  reply.lacks.forEach(({ text }, index) => {
    if (text === '') note(at(`lacks.${String(index)}`), 'every request contains the empty text');
  });
  reply.offers.forEach((tool, index) => {
    if (reply.withholds.includes(tool))
      note(at(`offers.${String(index)}`), `"${tool}" cannot be offered and withheld`);
  });
}

function lintHoldText({ hold, text, reasoning, tools }: Reply, at: At, note: Note): void {
  const stop = hold?.after ?? hold?.before ?? null;
  if (hold === null || stop === null || (hold.before === 'headers' && hold.after === null)) return;
  const key = hold.after !== null ? 'after' : 'before';
  const said = [
    text,
    reasoning ?? '',
    ...tools.flatMap((call) => [call.name, JSON.stringify(call.arguments), ...stringsIn(call.arguments)]),
  ];
  if (said.some((one) => one.includes(stop))) return;
  note(at(`hold.${key}`), `this reply never says "${stop}", so it cannot stop ${key} it`);
}

function lintPieces({ pieces, fail, text }: Reply, at: At, note: Note): void {
  if (typeof pieces !== 'object' || pieces === null) return;
  if (text !== '' && pieces.join('') !== text)
    note(at('pieces'), 'the pieces, joined, are not the text of this reply');
  if (fail === null || fail.kind === 'status' || typeof fail.at !== 'object') return;
  if (fail.at.piece > pieces.length) {
    note(
      at('fail.at'),
      `there is no piece ${String(fail.at.piece)}; this reply has ${String(pieces.length)}`,
    );
  }
}
