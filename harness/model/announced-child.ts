/** The id of a child as its parent was told it: what `{{child:NAME}}` stands for where no event tells (scenarios.md). Pure. */
import type { NeutralMessage, NeutralRequest } from './exchange.ts';

/** From the result of the call that gave the child its opening text; null where the history has no such result, or no id in it. */
export function announcedChild(opens: string, { messages }: NeutralRequest): string | null {
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    for (const [place, call] of message.calls.entries()) {
      if (!carries(call.arguments, opens)) continue;
      const earlier = message.calls.slice(0, place).filter(({ id }) => id === call.id).length;
      const result = resultsAfter(messages, index).filter(({ callId }) => callId === call.id)[earlier];
      const id = result === undefined ? null : idIn(result.text);
      if (id !== null) return id;
    }
  }
  return null;
}

type Result = Extract<NeutralMessage, { readonly role: 'tool' }>;

/** Results that stand right behind a message. */
function resultsAfter(messages: readonly NeutralMessage[], index: number): Result[] {
  const results: Result[] = [];
  for (const message of messages.slice(index + 1)) {
    if (message.role !== 'tool') break;
    results.push(message);
  }
  return results;
}

/** Whether a call hands on that text, as it stands or written as JSON. */
function carries(written: string, text: string): boolean {
  return written.includes(text) || written.includes(JSON.stringify(text).slice(1, -1));
}

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/iu;
/** A word behind what names it; sentences put ordinary words there too, so it has to have a digit. */
const NAMED =
  /\b(?:id|agent|session|child|thread|task)\b(?:\s+is\b)?[\s:=#"'`(<]*((?=[\w.-]*\d)[a-z0-9](?:[\w.-]*\w)?)/iu;
const KEY = /^(?:\w*_?id|\w+Id|agent|session|child|thread|task)$/u;

/** Ports write results as they like: an object with an id, a UUID, `agent s2`, or the id alone. */
function idIn(text: string): string | null {
  const alone = /^\s*(\S+)\s*$/u.exec(text)?.[1] ?? null;
  return keyedId(text) ?? UUID.exec(text)?.[0] ?? NAMED.exec(text)?.[1] ?? alone;
}

function keyedId(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    const found = Object.entries(value).find(([key, id]) => KEY.test(key) && typeof id === 'string');
    return found === undefined ? null : String(found[1]);
  } catch {
    return null;
  }
}
