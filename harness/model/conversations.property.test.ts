import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { belongsTo } from './conversations.ts';
import type { Drawn } from './finished-replies.ts';
import { utterance, type Utterance } from './utterance.ts';

/** What becomes of one reply, and what an agent then does with it. */
interface Turn {
  readonly conversation: number;
  readonly says: Utterance;
  readonly ends: 'finished' | 'failed' | 'cut';
  /** Of a cut reply: kept as far as it came, dropped, or replaced by a notice. */
  readonly partial: 'kept' | 'dropped' | 'rewritten';
  readonly cancelledTurn: boolean;
  /** An answered retry of the same request follows a failed one; otherwise a new prompt. */
  readonly retries: boolean;
}

interface Conversation {
  readonly name: string;
  readonly opens: string | null;
  readonly drawn: Drawn[];
  readonly users: string[];
  readonly assistant: Utterance[];
}

const OPENS = [null, 'inspect the logs', 'summarise them', 'mend the build'];

/** Few texts, so that conversations answer alike and replies repeat; among them an empty one. */
const says = fc.record({
  text: fc.constantFrom('ok', 'done', 'ok, done', 'no', ''),
  calls: fc.array(
    fc.constantFrom(
      { name: 'bash', arguments: '{"command":"ls"}' },
      { name: 'read', arguments: '{"path":"a"}' },
    ),
    { maxLength: 2 },
  ),
});

const turn: fc.Arbitrary<Turn> = fc.record({
  conversation: fc.nat({ max: OPENS.length - 1 }),
  says: says.map(({ text, calls }) => utterance(text, calls)),
  ends: fc.constantFrom('finished', 'finished', 'finished', 'failed', 'cut'),
  partial: fc.constantFrom('kept', 'dropped', 'rewritten'),
  cancelledTurn: fc.boolean(),
  retries: fc.boolean(),
});

/** A greeting that the agent puts at the head of every history, or none. */
const greeting = fc.constantFrom(null, 'Welcome! How can I help?', 'ready.');

function carried(given: Turn): Utterance[] {
  if (given.ends === 'finished')
    return given.cancelledTurn && given.partial === 'dropped' ? [] : [given.says];
  if (given.ends === 'failed' || given.partial === 'dropped') return [];
  if (given.partial === 'rewritten') return [utterance('[the answer was interrupted]', [])];
  return [utterance(given.says.text.slice(0, 3), [])];
}

/** Sends everything that the runs say and returns the requests that went to the wrong conversation. */
function wrongOnes(turns: readonly Turn[], hello: string | null): string[] {
  const conversations: Conversation[] = OPENS.map((opens, index) => ({
    name: `c${index}`,
    opens,
    drawn: [],
    users: [],
    assistant: hello === null ? [] : [utterance(hello, [])],
  }));
  const wrong: string[] = [];
  for (const [number, given] of turns.entries()) {
    const conversation = conversations[given.conversation];
    if (conversation === undefined) continue;
    const again = conversation.drawn.at(-1)?.outcome === 'failed' && given.retries;
    if (!again)
      conversation.users.push(
        conversation.users.length === 0
          ? `${conversation.opens ?? 'hello there'}, please`
          : `prompt ${number}`,
      );
    const belonging = belongsTo(conversations, {
      users: conversation.users,
      assistant: conversation.assistant,
    });
    const found = belonging.found === 'one' ? belonging.name : belonging.found;
    if (found !== conversation.name) wrong.push(`${number}: ${found}, not ${conversation.name}`);
    conversation.drawn.push({
      said: given.says,
      finish: 'stop',
      outcome: given.ends,
      cancelledTurn: given.cancelledTurn,
    });
    conversation.assistant.push(...carried(given));
  }
  return wrong;
}

describe('the conversation rule over random runs', () => {
  it('is right whatever fails, is cut, kept, dropped or rewritten, and whoever answers alike', () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 24, size: 'max' }), greeting, (turns, hello) => {
        expect(wrongOnes(turns, hello)).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
  });

  it('refuses a history that lost a finished reply', () => {
    fc.assert(
      fc.property(fc.array(says, { minLength: 1, maxLength: 8 }), fc.nat(), (replies, which) => {
        const said = replies.map(({ text, calls }) =>
          utterance(text === '' && calls.length === 0 ? 'ok' : text, calls),
        );
        const drawn: Drawn[] = said.map((reply) => ({
          said: reply,
          finish: 'stop',
          outcome: 'finished',
          cancelledTurn: false,
        }));
        const lost = said.toSpliced(which % said.length, 1);
        const belonging = belongsTo([{ name: 'main', opens: null, drawn }], {
          users: ['hello'],
          assistant: lost,
        });
        expect(belonging.found).toBe('none');
      }),
    );
  });
});
