/** The closed list of things that a step can wait for (scenarios.md, "Steps"). */
import type { Exchange } from '../model/exchange.ts';
import type { JsonValue, Scenario, WaitFor } from '../scenario/scenario.ts';
import type { Shown } from '../subject/subject.ts';
import { field, isObject, messagesOf, stringField } from '../subject/event-view.ts';
import { sessionOf } from './lanes.ts';
import { mismatch } from './partial-match.ts';

/** What can be seen of a run while it goes on. */
export interface RunView {
  readonly scenario: Scenario;
  readonly exchanges: readonly Exchange[];
  /** Names of replies and gates that block now. */
  readonly held: readonly string[];
  readonly shown: Shown;
}

/** Has it happened by now? Events count from the start of the run. */
export function happened(wait: WaitFor, view: RunView): boolean {
  switch (wait.for) {
    case 'held':
      return view.held.includes(wait.name) && isShown(wait.name, view);
    case 'request':
      return requestsOf(wait.conversation, view.exchanges).length >= wait.number;
    case 'result':
      return isAnswered(wait.conversation, view);
    case 'text':
      return view.shown.text.includes(wait.text);
    case 'event':
      return view.shown.sessions.some(({ events }) =>
        events.some((event) => event.type === wait.type && mismatch(wait.match, event.data) === null),
      );
    case 'settled':
      return isSettled(wait.conversation, view);
    case 'answered':
      return view.shown.answers.has(wait.label);
  }
}

/** What a reply says before its hold has arrived: a step that follows then meets the same state through every driver. */
function isShown(hold: string, { scenario, shown }: RunView): boolean {
  if (shown.statuses === null) return true;
  const { conversations } = scenario.model;
  const reply = conversations
    .flatMap(({ replies }) => replies)
    .find((candidate) => candidate.hold?.name === hold);
  const after = reply?.hold?.after ?? null;
  return after === null || !reply?.text.includes(after) || shown.text.includes(after);
}

/** The wait as a person would say it. */
export function describeWait(wait: WaitFor): string {
  switch (wait.for) {
    case 'held':
      return `"${wait.name}" to be held`;
    case 'request':
      return `request ${wait.number} of conversation "${wait.conversation}"`;
    case 'result':
      return `the call that opened "${wait.conversation}" to be answered`;
    case 'text':
      return `the text ${JSON.stringify(wait.text)}`;
    case 'event':
      return Object.keys(wait.match).length === 0
        ? `an event ${wait.type}`
        : `an event ${wait.type} with ${JSON.stringify(wait.match)}`;
    case 'settled':
      return `"${wait.conversation}" to settle`;
    case 'answered':
      return `the answer to the step labelled "${wait.label}"`;
  }
}

/** What a run has come to, for the message of a wait that was in vain. */
export function describeView(view: RunView): string {
  const { shown, exchanges } = view;
  const lines = [
    exchanges.length === 0
      ? 'no request reached the model'
      : `requests: ${exchanges.map(describeExchange).join(', ')}`,
    view.held.length === 0 ? 'nothing is held' : `held: ${view.held.join(', ')}`,
  ];
  if (shown.statuses !== null) lines.push(`status: ${shown.statuses.at(-1) ?? 'idle since the start'}`);
  for (const session of shown.sessions) {
    const last = session.events.at(-1);
    if (last !== undefined)
      lines.push(`last event of ${session.label ?? 'a session'}: ${last.type} (${last.seq})`);
  }
  if (shown.text !== '') lines.push(`text ends with: ${JSON.stringify(tail(shown.text, 80))}`);
  if (shown.exit.code !== null) lines.push(`the process ended with exit code ${shown.exit.code}`);
  if (shown.exit.signal !== null) lines.push(`the process was ended by ${shown.exit.signal}`);
  if (shown.stderr.trim() !== '') lines.push(`standard error ends with: ${tail(shown.stderr.trim(), 400)}`);
  return lines.map((line) => `  ${line}`).join('\n');
}

function describeExchange({ attribution, outcome }: Exchange): string {
  switch (attribution.to) {
    case 'conversation':
      return `${attribution.name}.${attribution.reply} ${outcome}`;
    case 'aside':
      return `aside.${attribution.name}.${attribution.reply} ${outcome}`;
    case 'startup':
      return `${attribution.what} ${outcome}`;
    case 'nobody':
      return `one that nobody expected (${outcome})`;
  }
}

function requestsOf(conversation: string, exchanges: readonly Exchange[]): readonly Exchange[] {
  return exchanges.filter(
    ({ attribution }) => attribution.to === 'conversation' && attribution.name === conversation,
  );
}

/** The scripted call whose arguments carry the conversation's opening text has a result, in an event or in a request. */
function isAnswered(conversation: string, view: RunView): boolean {
  const opens = view.scenario.model.conversations.find(({ name }) => name === conversation)?.opens ?? null;
  if (opens === null) return false;
  const calls = new Set<string>();
  for (const { neutral } of view.exchanges) {
    for (const message of neutral?.messages ?? []) {
      if (message.role !== 'assistant') continue;
      for (const call of message.calls) if (carries(call.arguments, opens)) calls.add(call.id);
    }
    if (neutral?.messages.some((message) => message.role === 'tool' && calls.has(message.callId)) === true)
      return true;
  }
  for (const { events } of view.shown.sessions) {
    for (const { type, data } of events) {
      const callId = stringField(data, 'callId') ?? '';
      if (type === 'tool/call' && carries(stringField(data, 'arguments') ?? '', opens)) calls.add(callId);
      if (type === 'tool/result' && calls.has(callId)) return true;
    }
  }
  return false;
}

/** Do raw call arguments carry a text, whatever its escapes? */
function carries(raw: string, text: string): boolean {
  if (raw.includes(text)) return true;
  try {
    return strings(JSON.parse(raw) as JsonValue).some((value) => value.includes(text));
  } catch {
    return false;
  }
}

function strings(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(strings);
  return isObject(value) ? Object.values(value).flatMap(strings) : [];
}

function isSettled(conversation: string, view: RunView): boolean {
  const child = sessionOf(conversation, view.shown.sessions, view.scenario);
  if (child === null) return false;
  return view.shown.sessions.some(({ events }) =>
    events.some((event) =>
      messagesOf(event).some(({ source, sender }) => source === 'subagent-settled' && sender === child),
    ),
  );
}

function tail(text: string, length: number): string {
  return text.length <= length ? text : `…${text.slice(-length)}`;
}

/** The kind of an event's reason, where it has one. */
export function reasonKind(data: JsonValue): string | null {
  return stringField(field(data, 'reason'), 'kind');
}
