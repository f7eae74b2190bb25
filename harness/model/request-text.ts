/** A request as lines that people can read in a problem's text. */
import type { NeutralMessage, NeutralRequest } from './exchange.ts';

const LONGEST = 200;

/** Text of a message with everything that a model would read of it. */
export function messageText(message: NeutralMessage): string {
  if (message.role !== 'assistant') return message.text;
  const calls = message.calls.map((call) => `${call.name} ${call.arguments}`);
  return [message.reasoning ?? '', message.text, ...calls].filter((part) => part !== '').join('\n');
}

/** `user: "…"`, in one line. */
export function messageLine(message: NeutralMessage): string {
  switch (message.role) {
    case 'user':
      return `user: ${quoted(message.text)}`;
    case 'tool':
      return `tool result: ${quoted(message.text)}`;
    case 'assistant':
      return saidLine(message.text, message.calls);
  }
}

/** `assistant: "…", calls bash {…}`, in one line. */
export function saidLine(
  text: string,
  calls: readonly { readonly name: string; readonly arguments: string }[],
): string {
  const called = calls.map((call) => `${call.name} ${shortened(call.arguments)}`).join('; ');
  if (calls.length === 0) return `assistant: ${quoted(text)}`;
  return text === '' ? `assistant calls ${called}` : `assistant: ${quoted(text)}, calls ${called}`;
}

/** The last messages of a request, one a line, `prefix` before each. */
export function historyLines(request: NeutralRequest, prefix: string, most = 12): string[] {
  const from = Math.max(0, request.messages.length - most);
  const left = from === 0 ? [] : [`${prefix}… ${from} messages before`];
  return [...left, ...request.messages.slice(from).map((message) => prefix + messageLine(message))];
}

/** A JSON string, shortened in its middle. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text));
}

function shortened(text: string): string {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST / 2)} … ${text.slice(-LONGEST / 2)}`;
}
