/** What a provider would refuse in a history: calls and results that don't pair up (REQ-5), reasoning that is not given back. */
import type { NeutralCall, NeutralMessage, NeutralRequest } from './exchange.ts';
import type { VendorRules } from './wires/wire.ts';

/** `refused`: the vendor answers 400. Otherwise it would answer, and the rule is broken all the same. */
export interface Breach {
  readonly message: string;
  readonly refused: boolean;
}

/**
 * All breaches, in the order of the history. `reasoned`: ids of calls that came with reasoning in this run, which thinking
 * mode wants back with them.
 */
export function breaches(
  request: NeutralRequest,
  rules: VendorRules,
  reasoned: ReadonlySet<string>,
): Breach[] {
  const found: Breach[] = [];
  const refuse = (message: string): void => void found.push({ message, refused: true });
  const seen = new Set<string>();
  const wantsReasoning = rules.wantsReasoningBack(request);

  request.messages.forEach((message, index) => {
    if (message.role !== 'assistant') return;
    if (rules.refusesEmptyAssistant && message.text === '' && message.calls.length === 0) {
      refuse(`Message ${index} of the history is an assistant message with neither text nor call.`);
    }
    for (const call of message.calls) {
      if (seen.has(call.id)) refuse(`The call id ${call.id} stands twice in the history.`);
      seen.add(call.id);
    }
    if (wantsReasoning && message.reasoning === null && message.calls.some((call) => reasoned.has(call.id))) {
      refuse(
        `Message ${index} of the history lacks its reasoning, which thinking mode wants back with its tool calls.`,
      );
    }
  });
  return [...found, ...unpaired(request.messages)];
}

/** Results have to follow their calls at once, one for each. */
function unpaired(messages: readonly NeutralMessage[]): Breach[] {
  const found: Breach[] = [];
  let open: readonly NeutralCall[] = [];
  let answered: string[] = [];
  const close = (): void => {
    for (const call of open) {
      if (!answered.includes(call.id))
        found.push({ message: `The call ${call.id} (${call.name}) has no result.`, refused: true });
    }
    const order = open.map((call) => call.id).filter((id) => answered.includes(id));
    if (order.join('\n') !== answered.filter((id) => order.includes(id)).join('\n')) {
      found.push({
        message: `Results stand in the order ${answered.join(', ')}, their calls in the order ${order.join(', ')}.`,
        refused: false,
      });
    }
    open = [];
    answered = [];
  };
  for (const message of messages) {
    if (message.role === 'tool') {
      const { callId } = message;
      if (answered.includes(callId))
        found.push({ message: `The call ${callId} has more than one result.`, refused: true });
      else if (open.some((call) => call.id === callId)) answered.push(callId);
      else
        found.push({
          message: `A result names the call ${callId}, which no message right before it makes.`,
          refused: true,
        });
      continue;
    }
    close();
    if (message.role === 'assistant') open = message.calls;
  }
  close();
  return found;
}
