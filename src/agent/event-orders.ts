/**
 * The order of what is published for one turn (core.md, "Order of one text turn"). Kept as data: a test holds the loop
 * to it, and ARCHITECTURE.md shows it. Durable events stand by type, live notifications by type and, for status, its
 * value; `assistant/chunk` stands for all chunks of an attempt; `checkpoint` is the flush, which publishes nothing.
 */
export interface EventOrder {
  readonly title: string;
  readonly order: readonly string[];
}

const OPENING = [
  'agent/inbox/spliced',
  'agent/queued',
  'agent/status running',
  'turn/start',
  'agent/inbox/spliced',
  'agent/inbox/claimed',
] as const;

const FIRST_STEP = ['step/start', 'user/message', 'request/header'] as const;

const CLOSING = ['turn/end', 'checkpoint', 'agent/status idle'] as const;

export const EVENT_ORDERS = {
  completed: {
    title: 'A turn of one text answer',
    order: [
      ...OPENING,
      ...FIRST_STEP,
      'assistant/chunk',
      'assistant/message',
      'step/end',
      'agent/turn-stop',
      ...CLOSING,
    ],
  },
  tools: {
    title: 'A turn of one call and an answer',
    order: [
      ...OPENING,
      ...FIRST_STEP,
      'assistant/chunk',
      'assistant/message',
      'tool/call',
      'tool/result',
      'step/end',
      'step/start',
      'assistant/chunk',
      'assistant/message',
      'step/end',
      'agent/turn-stop',
      ...CLOSING,
    ],
  },
  cancelled: {
    title: 'A turn cancelled in the middle of its text',
    order: [...OPENING, ...FIRST_STEP, 'assistant/chunk', 'assistant/message', 'step/end', ...CLOSING],
  },
  cancelledEarly: {
    title: 'A turn cancelled before its first step',
    order: [...OPENING, ...CLOSING],
  },
  rejected: {
    title: 'A turn whose prompt admission blocked',
    order: [...OPENING, 'prompt/blocked', ...CLOSING],
  },
  failed: {
    title: 'A turn whose request failed after one retry',
    order: [...OPENING, ...FIRST_STEP, 'llm/retry', 'step/end', 'agent/error', ...CLOSING],
  },
} as const satisfies Record<string, EventOrder>;
