/** What a reply says about the request that draws it: `sees`, `lacks`, `adds`, `offers`, `withholds` (scenarios.md). */
import type { Added, Reply, Sight } from '../scenario/scenario.ts';
import type { ModelFinding, NeutralMessage, NeutralRequest } from './exchange.ts';
import { historyLines, messageLine, messageText, quoted } from './request-text.ts';

/** One finding for each expectation that does not hold. */
export function unmet(reply: Reply, request: NeutralRequest): ModelFinding[] {
  if (expectsNothing(reply)) return [];
  const failed = (message: string, diff: string[]): ModelFinding => ({
    kind: 'EXPECTATION_FAILED',
    key: reply.key,
    message: `${reply.key}: ${message}`,
    diff: diff.join('\n'),
  });
  const seen = (sight: Sight): boolean => textsAt(sight, request).some((text) => text.includes(sight.text));
  const tools = request.tools.map((tool) => tool.name);
  const toolLines = [`  tools: ${tools.length === 0 ? '(none)' : tools.join(', ')}`];

  return [
    ...reply.sees
      .filter((sight) => !seen(sight))
      .map((sight) =>
        failed(`${placeOf(sight)} must contain ${quoted(sight.text)}.`, [
          `- ${quoted(sight.text)}`,
          ...shown(sight, request),
        ]),
      ),
    ...reply.lacks
      .filter(seen)
      .map((sight) =>
        failed(`${placeOf(sight)} must not contain ${quoted(sight.text)}.`, [
          `+ ${quoted(sight.text)}`,
          ...shown(sight, request),
        ]),
      ),
    ...(reply.adds === null
      ? []
      : wrongAdditions(reply.adds, request).map((diff) =>
          failed('other messages stand after the last assistant message.', diff),
        )),
    ...reply.offers
      .filter((name) => !tools.includes(name))
      .map((name) => failed(`the request must offer the tool ${name}.`, [`- ${name}`, ...toolLines])),
    ...reply.withholds
      .filter((name) => tools.includes(name))
      .map((name) => failed(`the request must not offer the tool ${name}.`, [`+ ${name}`, ...toolLines])),
  ];
}

function expectsNothing({ sees, lacks, adds, offers, withholds }: Reply): boolean {
  return adds === null && sees.length + lacks.length + offers.length + withholds.length === 0;
}

function placeOf(sight: Sight): string {
  return sight.where === 'system' ? 'the system prompt' : 'a message after the system prompt';
}

function textsAt(sight: Sight, request: NeutralRequest): readonly string[] {
  return sight.where === 'system' ? request.system : request.messages.map(messageText);
}

function shown(sight: Sight, request: NeutralRequest): string[] {
  if (sight.where === 'messages') return historyLines(request, '  ');
  return request.system.length === 0
    ? ['  (no system prompt)']
    : request.system.map((text) => `  system: ${quoted(text)}`);
}

/** Null lines where all is as expected: as many messages, each containing its text, in order. */
function wrongAdditions(adds: readonly Added[], request: NeutralRequest): string[][] {
  const last = request.messages.findLastIndex((message) => message.role === 'assistant');
  const added = request.messages.slice(last + 1);
  const fits = adds.length === added.length && adds.every((wanted, index) => isAdded(wanted, added[index]));
  if (fits) return [];
  const wantedLines = adds.map(
    (wanted) =>
      `- ${'tool' in wanted ? `tool result: ${quoted(wanted.tool)}` : `user: ${quoted(wanted.user)}`}`,
  );
  return [[...wantedLines, ...added.map((message) => `+ ${messageLine(message)}`)]];
}

function isAdded(wanted: Added, message: NeutralMessage | undefined): boolean {
  if (message === undefined) return false;
  if ('tool' in wanted) return message.role === 'tool' && message.text.includes(wanted.tool);
  return message.role === 'user' && message.text.includes(wanted.user);
}
