/** A scripted reply with its placeholders, ids and numbers filled in. */
import type { Reply, ScriptedCall } from '../scenario/scenario.ts';
import type { NeutralCall } from './exchange.ts';
import type { WireReply } from './wires/wire.ts';

export interface FillFacts {
  readonly reply: Reply;
  /** A name for this use of the reply, for the ids of its calls: hexadecimal digits. */
  readonly use: string;
  /** Values of `{{name}}`; null leaves the placeholder as it stands. */
  readonly valueOf: (placeholder: string) => string | null;
  readonly callIdPrefix: (index: number) => string;
}

/** Usage where the script gives none: fixed, so that two runs are equal. */
const USAGE = { input: 100, output: 10, cached: 0 };

/** Fills in a reply; the same facts give the same ids. */
export function fillReply(facts: FillFacts): WireReply {
  const { reply } = facts;
  const usage = reply.usage ?? USAGE;
  return {
    text: filled(Array.isArray(reply.pieces) ? reply.pieces.join('') : reply.text, facts),
    reasoning: reply.reasoning === null ? null : filled(reply.reasoning, facts),
    calls: filledCalls(facts),
    finish: reply.finish,
    usage: { input: usage.input, output: usage.output, cached: usage.cached ?? 0 },
  };
}

function filledCalls(facts: FillFacts): NeutralCall[] {
  return facts.reply.tools.map((call, index) => ({
    id: call.id ?? `${facts.callIdPrefix(index)}${facts.use}${String(index).padStart(4, '0')}`,
    name: call.name,
    arguments: filledArguments(call, facts),
  }));
}

function filledArguments({ arguments: written }: ScriptedCall, facts: FillFacts): string {
  return typeof written === 'string'
    ? filled(written, facts)
    : filled(JSON.stringify(written), { valueOf: (name) => insideJson(facts.valueOf(name)) });
}

function insideJson(value: string | null): string | null {
  return value === null ? null : JSON.stringify(value).slice(1, -1);
}

function filled(text: string, facts: Pick<FillFacts, 'valueOf'>): string {
  if (!text.includes('{{')) return text;
  return text.replace(/\{\{([^{}]+)\}\}/g, (whole, name: string) => facts.valueOf(name.trim()) ?? whole);
}
