import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { belongsTo, type ConversationSoFar } from './conversations.ts';
import type { Drawn } from './finished-replies.ts';
import { utterance } from './utterance.ts';

const recordedMessage = z.object({
  text: z.string(),
  calls: z.array(z.object({ name: z.string(), arguments: z.number() })),
});
const recorded = z.object({
  run: z.string(),
  request: z.number(),
  side: z.string().nullable(),
  users: z.array(z.string()),
  assistant: z.array(recordedMessage),
  conversation: z.string().nullable(),
  reply: recordedMessage.extend({ outcome: z.enum(['finished', 'failed', 'cut']) }).nullable(),
});

function said(message: z.infer<typeof recordedMessage>) {
  return utterance(
    message.text,
    message.calls.map((call) => ({ name: call.name, arguments: String(call.arguments) })),
  );
}

function drawn(text: string, more: Partial<Drawn> = {}): Drawn {
  return { said: utterance(text, []), finish: 'stop', outcome: 'finished', cancelledTurn: false, ...more };
}

function say(...texts: string[]) {
  return texts.map((text) => utterance(text, []));
}

function nameOf(conversations: readonly ConversationSoFar[], users: string[], assistant: string[]): string {
  const belonging = belongsTo(conversations, { users, assistant: say(...assistant) });
  return belonging.found === 'one' ? belonging.name : belonging.found;
}

describe('requests that real agents sent', () => {
  const lines = readFileSync(new URL('./fixtures/conversations.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const requests = lines.map((line) => recorded.parse(JSON.parse(line)));

  it('belong where they belonged: all 469 that are no side request', () => {
    const wrong: string[] = [];
    let judged = 0;
    let run = '';
    let conversations: { name: string; opens: string | null; drawn: Drawn[] }[] = [];
    for (const request of requests) {
      if (request.run !== run) {
        run = request.run;
        conversations = [
          { name: 'S1', opens: null, drawn: [] },
          { name: 'S2', opens: 'sessionB', drawn: [] },
          { name: 'S-err', opens: '[[err]] boom', drawn: [] },
          { name: 'S-bad', opens: '[[bad]] boom', drawn: [] },
        ];
      }
      if (request.side !== null || request.reply === null) continue;
      judged += 1;
      const belonging = belongsTo(conversations, {
        users: request.users,
        assistant: request.assistant.map(said),
      });
      const name = belonging.found === 'one' ? belonging.name : belonging.found;
      if (name !== request.conversation)
        wrong.push(`${run} ${request.request}: ${name}, not ${request.conversation}`);
      conversations
        .find((conversation) => conversation.name === request.conversation)
        ?.drawn.push({
          said: said(request.reply),
          finish: 'stop',
          outcome: request.reply.outcome,
          cancelledTurn: false,
        });
    }
    expect(wrong).toEqual([]);
    expect(judged).toBe(469);
  });
});

describe("step 2: messages of the agent's own", () => {
  it('leaves a greeting, a notice and a rewritten partial out, and names them', () => {
    const conversations = [
      { name: 'main', opens: null, drawn: [drawn('One.'), drawn('Two, cut', { outcome: 'cut' })] },
    ];
    const belonging = belongsTo(conversations, {
      users: ['hi'],
      assistant: say('Welcome!', ' One.\n', '[cancelled]'),
    });
    expect(belonging).toEqual({ found: 'one', name: 'main', own: [0, 2] });
  });

  it('compares arguments as JSON values, and takes none at all for {}', () => {
    const reply = (written: string) => ({
      ...drawn(''),
      said: utterance('', [{ name: 'bash', arguments: written }]),
    });
    const history = (written: string) => ({
      users: ['x'],
      assistant: [utterance('', [{ name: 'bash', arguments: written }])],
    });
    const found = (a: string, b: string) =>
      belongsTo([{ name: 'main', opens: null, drawn: [reply(a)] }], history(b)).found;
    expect(found('{"a":1,"b":[2]}', '{ "b": [2], "a": 1.0 }')).toBe('one');
    expect(found('', '{}')).toBe('one');
    expect(found('{"a":1}', '{"a":2}')).toBe('none');
  });

  it('takes back a call with malformed arguments however the agent mended it', () => {
    const reply = { ...drawn(''), said: utterance('', [{ name: 'bash', arguments: '{"command": "ls' }]) };
    const history = { users: ['x'], assistant: [utterance('', [{ name: 'bash', arguments: '{}' }])] };
    expect(belongsTo([{ name: 'main', opens: null, drawn: [reply] }], history).found).toBe('one');
  });
});

describe('step 3: finished replies in order', () => {
  it('refuses a history that lacks a finished reply, or has them in another order', () => {
    const conversations = [{ name: 'main', opens: null, drawn: [drawn('One.'), drawn('Two.')] }];
    expect(nameOf(conversations, ['hi'], ['One.'])).toBe('none');
    expect(nameOf(conversations, ['hi'], ['Two.', 'One.'])).toBe('none');
    expect(nameOf(conversations, ['hi'], ['One.', 'Two.'])).toBe('main');
  });

  it('does not ask for failed, cut, open, empty, filtered and cancelled replies, and lets them be there', () => {
    const optional: Drawn[] = [
      drawn('failed', { outcome: 'failed' }),
      drawn('cut', { outcome: 'cut' }),
      drawn('open', { outcome: 'open' }),
      drawn(''),
      drawn('filtered', { finish: 'content_filter' }),
      drawn('cancelled', { cancelledTurn: true }),
    ];
    const conversations = [{ name: 'main', opens: null, drawn: [drawn('One.'), ...optional, drawn('Two.')] }];
    expect(nameOf(conversations, ['hi'], ['One.', 'Two.'])).toBe('main');
    expect(nameOf(conversations, ['hi'], ['One.', 'filtered', 'cancelled', 'Two.'])).toBe('main');
    expect(nameOf(conversations, ['hi'], ['One.', 'cut', '', 'cancelled', 'Two.'])).toBe('main');
    expect(nameOf(conversations, ['hi'], ['One.', 'cancelled', 'filtered', 'Two.'])).toBe('none');
  });

  it('takes a kept partial that equals a finished reply of another conversation for the partial that it is', () => {
    const conversations = [
      { name: 'main', opens: null, drawn: [drawn('ok')] },
      { name: 'child', opens: 'inspect the logs', drawn: [drawn('ok, and more', { outcome: 'cut' })] },
    ];
    expect(nameOf(conversations, ['inspect the logs', 'go on'], ['ok'])).toBe('child');
  });

  it('lets a reply that the length limit ended come back without its calls', () => {
    const calls = [
      { name: 'bash', arguments: '{"command":"ls"}' },
      { name: 'write', arguments: '{"path' },
    ];
    const reply = { ...drawn('Both.', { finish: 'length' }), said: utterance('Both.', calls) };
    const conversations = [{ name: 'main', opens: null, drawn: [reply] }];
    const history = (kept: typeof calls) => ({ users: ['x'], assistant: [utterance('Both.', kept)] });
    expect(belongsTo(conversations, history([])).found).toBe('one');
    expect(belongsTo(conversations, history(calls.slice(0, 1))).found).toBe('one');
    expect(belongsTo(conversations, history([{ name: 'edit', arguments: '{}' }])).found).toBe('none');
    const whole = [{ name: 'main', opens: null, drawn: [{ ...reply, finish: 'tool_calls' as const }] }];
    expect(belongsTo(whole, history([])).found).toBe('none');
  });

  it('chooses among equal replies, some of them optional, whatever makes the history fit', () => {
    const conversations = [
      {
        name: 'main',
        opens: null,
        drawn: [drawn('ok', { cancelledTurn: true }), drawn('ok'), drawn('ok', { outcome: 'cut' })],
      },
    ];
    expect(nameOf(conversations, ['hi'], ['ok'])).toBe('main');
    expect(nameOf(conversations, ['hi'], ['ok', 'ok', 'ok'])).toBe('main');
    expect(nameOf(conversations, ['hi'], [])).toBe('none');
    expect(nameOf(conversations, ['hi'], ['ok', 'ok', 'ok', 'ok'])).toBe('none');
  });
});

describe('step 4: several that fit', () => {
  it('prefers one whose opening text is there, then main', () => {
    const conversations = [
      { name: 'main', opens: null, drawn: [] },
      { name: 'child', opens: 'inspect the logs', drawn: [] },
    ];
    expect(nameOf(conversations, ['please inspect the logs now'], [])).toBe('child');
    expect(nameOf(conversations, ['something else'], [])).toBe('main');
  });

  it('prefers an opened one before an unopened one', () => {
    const conversations = [
      { name: 'main', opens: null, drawn: [drawn('Delegated.')] },
      { name: 'first', opens: 'inspect the logs', drawn: [drawn('', { outcome: 'failed' })] },
      { name: 'second', opens: 'summarise them', drawn: [] },
    ];
    expect(nameOf(conversations, ['inspect the logs', 'then summarise them'], [])).toBe('first');
  });

  it('tells two conversations that answer alike apart by what opened them', () => {
    const conversations = [
      { name: 'main', opens: null, drawn: [drawn('ok')] },
      { name: 'first', opens: 'inspect the logs', drawn: [drawn('ok')] },
      { name: 'second', opens: 'summarise them', drawn: [drawn('ok')] },
    ];
    expect(nameOf(conversations, ['summarise them', 'again'], ['ok'])).toBe('second');
    expect(nameOf(conversations, ['hello'], ['ok'])).toBe('main');
  });

  it('continues a conversation without finished replies by a retry, and by the prompt after a failed turn', () => {
    const conversations = [{ name: 'main', opens: null, drawn: [drawn('', { outcome: 'failed' })] }];
    expect(nameOf(conversations, ['hi'], [])).toBe('main');
    expect(nameOf(conversations, ['hi', 'and now?'], [])).toBe('main');
  });

  it('continues an opened conversation whose opening prompt is gone', () => {
    const conversations = [
      { name: 'main', opens: null, drawn: [drawn('One.')] },
      { name: 'child', opens: 'inspect the logs', drawn: [drawn('Seen.')] },
    ];
    expect(nameOf(conversations, ['(earlier messages left out)'], ['Seen.'])).toBe('child');
  });
});

describe('step 5: none or several', () => {
  it('opens no conversation for a request that does not carry its opening text', () => {
    const conversations = [
      { name: 'main', opens: null, drawn: [drawn('One.')] },
      { name: 'child', opens: 'inspect the logs', drawn: [] },
    ];
    expect(nameOf(conversations, ['write a title'], [])).toBe('none');
  });

  it('names those that fit equally well', () => {
    const conversations = [
      { name: 'main', opens: null, drawn: [drawn('One.')] },
      { name: 'first', opens: 'inspect the logs', drawn: [] },
      { name: 'second', opens: 'summarise them', drawn: [] },
    ];
    const belonging = belongsTo(conversations, {
      users: ['inspect the logs and summarise them'],
      assistant: [],
    });
    expect(belonging).toEqual({ found: 'several', names: ['first', 'second'], own: [] });
  });
});
