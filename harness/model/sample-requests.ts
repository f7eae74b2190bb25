/** Chat-completions requests, and what a model makes of them, for tests. */
import type { Reply } from '../scenario/scenario.ts';
import type { Action, Exchange, WireRequest } from './exchange.ts';
import { sampleScript } from './sample-script.ts';
import type { ScriptedModel } from './scripted-model.ts';
import { createScriptedModel, type ModelOptions } from './scripted-run.ts';

export type Message = { readonly role: string; readonly [key: string]: unknown };

export const user = (content: string): Message => ({ role: 'user', content });
export const assistant = (content: string, more: object = {}): Message => ({
  role: 'assistant',
  content,
  ...more,
});
export const calls = (...ids: string[]) => ({
  tool_calls: ids.map((id) => ({
    id,
    type: 'function',
    function: { name: 'bash', arguments: '{"command":"ls"}' },
  })),
});
export const result = (id: string, content = 'done'): Message => ({
  role: 'tool',
  tool_call_id: id,
  content,
});
export const bash = (id: string | null = null) => ({ name: 'bash', arguments: { command: 'ls' }, id });

export function request(
  messages: readonly Message[],
  more: object = {},
  headers: [string, string][] = [],
): WireRequest {
  const body = { model: 'scripted', stream: true, messages, ...more };
  return {
    method: 'POST',
    path: '/chat/completions',
    headers,
    body: new TextEncoder().encode(JSON.stringify(body)),
  };
}

export function newModel(
  main: readonly Partial<Reply>[],
  options: Partial<ModelOptions> = {},
): ScriptedModel {
  return createScriptedModel(sampleScript(main), {
    wire: 'chat-completions',
    apiKey: 'handed-out',
    ...options,
  });
}

/** Asks and lets the reply end. */
export function ask(model: ScriptedModel, messages: readonly Message[], more: object = {}): Exchange {
  const { exchange } = model.begin(request(messages, more));
  model.ended(exchange, 'finished');
  return exchange;
}

export function statusOf(actions: readonly Action[]): number | null {
  const head = actions.find((action) => action.do === 'head');
  return head?.do === 'head' ? head.status : null;
}

export function textOf(actions: readonly Action[]): string {
  return actions.map((action) => (action.do === 'write' ? Buffer.from(action.what).toString() : '')).join('');
}

export const kinds = (model: ScriptedModel): string[] =>
  model.finish().map((finding) => `${finding.kind} ${finding.key}`);
