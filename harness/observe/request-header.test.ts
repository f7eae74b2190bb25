import { describe, expect, it } from 'vitest';
import type { Exchange, WireRequest } from '../model/exchange.ts';
import { Sent } from '../model/sent.ts';
import type { JsonValue } from '../scenario/scenario.ts';
import { Normaliser, VolatileTable } from './placeholders.ts';
import { pinnedHeaders, requestHeader, type HeaderSight } from './request-header.ts';

const table = new VolatileTable(
  [
    { raw: 'sk-turnpin-0123456789', as: { text: '{{apiKey}}' }, edge: 'none' },
    { raw: '0.1.0', as: { text: '{{version}}' }, edge: 'word' },
  ],
  [],
);

function sight(
  headers: WireRequest['headers'],
  facts: { path?: string; parameters?: { [key: string]: JsonValue }; varying?: string[] } = {},
): HeaderSight {
  const exchange: Exchange = {
    number: 1,
    request: { method: 'POST', path: facts.path ?? '/v1/chat/completions', headers, body: new Uint8Array() },
    neutral: {
      model: 'm',
      stream: true,
      system: [],
      messages: [],
      tools: [],
      parameters: facts.parameters ?? { model: 'm' },
    },
    attribution: { to: 'conversation', name: 'main', reply: 1 },
    agentsOwn: [],
    outcome: 'finished',
    sent: new Sent(),
  };
  return requestHeader(exchange, {
    normaliser: new Normaliser(table),
    varying: new Set(facts.varying ?? []),
  });
}

describe('the request header file', () => {
  it('sorts keys, lowers names, joins equal names, and replaces key and version', () => {
    const { value, credentials } = sight(
      [
        ['X-B', '2'],
        ['Authorization', 'Bearer sk-turnpin-0123456789'],
        ['x-b', '3'],
        ['User-Agent', 'turnpin/0.1.0'],
      ],
      { parameters: { stream: true, model: 'm' } },
    );
    expect(JSON.stringify(value)).toBe(
      '{"headers":{"authorization":"Bearer {{apiKey}}","user-agent":"turnpin/{{version}}","x-b":"2, 3"},"method":"POST","parameters":{"model":"m","stream":true},"path":"/v1/chat/completions"}',
    );
    expect(credentials).toEqual([]);
  });

  it('is the same for both carriers: what transport and fetch add is dropped', () => {
    const ours = [['content-type', 'application/json']] as const;
    const added = [
      ['Host', '127.0.0.1:1'],
      ['Connection', 'keep-alive'],
      ['Content-Length', '5'],
      ['Proxy-Anything', 'x'],
      ['Accept-Encoding', 'gzip'],
      ['accept', '*/*'],
      ['accept-language', '*'],
      ['sec-fetch-mode', 'cors'],
      ['user-agent', 'node'],
    ] as const;
    const request = (headers: WireRequest['headers']): WireRequest => ({
      method: 'POST',
      path: '/',
      headers,
      body: new Uint8Array(),
    });
    expect(pinnedHeaders(request([...ours, ...added]))).toEqual(pinnedHeaders(request(ours)));
  });

  it('keeps what fetch sets where the agent sets it to something else', () => {
    expect(
      pinnedHeaders({
        method: 'POST',
        path: '/',
        headers: [
          ['accept', 'text/event-stream'],
          ['user-agent', 'mine'],
        ],
        body: new Uint8Array(),
      }),
    ).toEqual({
      accept: 'text/event-stream',
      'user-agent': 'mine',
    });
  });

  it('pins the presence alone of a varying header', () => {
    expect(sight([['X-Request-Id', 'abc']], { varying: ['x-request-id'] }).value).toMatchObject({
      headers: { 'x-request-id': '{{varying}}' },
    });
  });

  it.each([
    ['headers.authorization', () => sight([['authorization', 'Bearer somebody-elses-key']])],
    ['headers.x-api-key', () => sight([['x-api-key', 'another']])],
    ['headers.x-note', () => sight([['x-note', 'token ghp_0123456789abcdefghijABCDEFGHIJ']])],
    ['path.key', () => sight([], { path: '/v1/x?alt=sse&key=another' })],
    [
      'parameters.metadata.token',
      () => sight([], { parameters: { metadata: { token: 'sk-live-0123456789abcdef' } } }),
    ],
  ])('a foreign credential in %s is told and never printed', (place, seen) => {
    const { value, credentials } = seen();
    expect(credentials).toEqual([place]);
    expect(JSON.stringify(value)).toContain('{{credential}}');
    expect(JSON.stringify(value)).not.toMatch(/somebody|another|ghp_|sk-live/);
  });
});
