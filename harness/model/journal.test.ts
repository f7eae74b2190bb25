import { describe, expect, it } from 'vitest';
import { journalEntry } from './journal.ts';
import { sampleScript } from './sample-script.ts';
import { createScriptedModel } from './scripted-run.ts';

const body = JSON.stringify({
  model: 'm',
  stream: true,
  messages: [{ role: 'user', content: 'the key is sk-handed, see' }],
});

function journal(headers: [string, string][], bytes: Uint8Array = new TextEncoder().encode(body)) {
  const model = createScriptedModel(sampleScript([{ text: 'Your key: {{apiKey}}' }]), {
    wire: 'chat-completions',
    apiKey: 'sk-handed',
    values: { apiKey: 'sk-handed' },
  });
  const { exchange, actions } = model.begin({
    method: 'POST',
    path: '/chat/completions?key=sk-handed',
    headers,
    body: bytes,
  });
  for (const action of actions) if (action.do === 'write') exchange.sent.add(action.what);
  model.ended(exchange, 'finished');
  const text = JSON.stringify(journalEntry(exchange, new Map([['sk-handed', '{{apiKey}}']])));
  return { text, entry: JSON.parse(text) as Record<string, unknown>, exchange };
}

describe('the journal', () => {
  it('keeps header names as they came, in order, application apart from transport', () => {
    const { entry } = journal([
      ['Host', 'x'],
      ['X-Mine', '1'],
      ['accept', '*/*'],
      ['content-Type', 'application/json'],
    ]);
    expect(entry).toMatchObject({
      request: {
        headers: {
          application: [
            ['X-Mine', '1'],
            ['content-Type', 'application/json'],
          ],
          transport: [
            ['Host', 'x'],
            ['accept', '*/*'],
          ],
        },
      },
    });
  });

  it('keeps what was sent, and how it was cut', () => {
    const { entry, exchange } = journal([]);
    expect(entry).toMatchObject({
      number: 1,
      outcome: 'finished',
      sent: { writes: exchange.sent.lengths() },
    });
  });

  it('lets no secret through, wherever it stands, and changes nothing in memory', () => {
    const { text, exchange } = journal([
      ['Authorization', 'Bearer sk-handed'],
      ['x-api-key', 'somebody-elses'],
    ]);
    expect(text).not.toContain('sk-handed');
    expect(text).not.toContain('somebody-elses');
    expect(text).toContain('Bearer {{apiKey}}');
    expect(Buffer.from(exchange.request.body).toString()).toContain('sk-handed');
  });

  it('writes bytes that are no text in base64, without the secrets in them', () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('sk-handed')]);
    const { entry } = journal([], bytes);
    const { base64 } = (entry['request'] as { body: { base64: string } }).body;
    expect(Buffer.from(base64, 'base64').toString('latin1')).toBe('\u00ff\u00fe{{apiKey}}');
  });
});
