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
  const wantsReasoning = rules.wantsReasoningBack(request);

  request.messages.forEach((message, index) => {
    if (message.role !== 'assistant') return;
    if (rules.refusesEmptyAssistant && message.text === '' && message.calls.length === 0) {
      refuse(`Message ${index} of the history is an assistant message with neither text nor call.`);
    }
    if (wantsReasoning && message.reasoning === null && message.calls.some((call) => reasoned.has(call.id))) {
      refuse(
        `Message ${index} of the history lacks its reasoning, which thinking mode wants back with its tool calls.`,
      );
    }
  });
  return arePaired(request.messages) ? found : [...found, ...unpaired(request.messages)];
}

/** Whether the results of every message are those of its calls, in their order: then nothing is to be told, as nearly always. */
function arePaired(messages: readonly NeutralMessage[]): boolean {
  let open: readonly NeutralCall[] = [];
  let answered = 0;
  for (const message of messages) {
    if (message.role === 'tool') {
      if (open[answered]?.id !== message.callId) return false;
      answered += 1;
    } else {
      if (answered !== open.length) return false;
      open = message.role === 'assistant' ? message.calls : [];
      answered = 0;
    }
  }
  return answered === open.length;
}

/** Results have to follow their calls at once, one for each. */
function unpaired(messages: readonly NeutralMessage[]): Breach[] {
  const found: Breach[] = [];
  let open: readonly NeutralCall[] = [];
  let answered: string[] = [];
  const tell = (): void => {
    const untold = [...answered];
    const order = open.flatMap((call) => {
      const told = untold.indexOf(call.id);
      if (told >= 0) return untold.splice(told, 1);
      found.push({ message: `The call ${call.id} (${call.name}) has no result.`, refused: true });
      return [];
    });
    if (order.length !== answered.length || order.some((id, index) => id !== answered[index])) {
      found.push({
        message: `Results stand in the order ${answered.join(', ')}, their calls in the order ${order.join(', ')}.`,
        refused: false,
      });
    }
  };
  const close = (): void => {
    const paired = open.length === answered.length && open.every(({ id }, index) => id === answered[index]);
    if (!paired) tell();
    open = [];
    answered = [];
  };
  for (const message of messages) {
    if (message.role === 'tool') {
      const { callId } = message;
      const asked = open.filter((call) => call.id === callId).length;
      const told = answered.filter((id) => id === callId).length;
      // A model may use an id again, even in one message; each use has a result of its own (TURN-12).
      if (told < asked) answered.push(callId);
      else if (asked > 0)
        found.push({ message: `The call ${callId} has more than one result.`, refused: true });
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
