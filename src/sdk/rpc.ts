/** JSON-RPC 2.0, one message a line. Pure. */
import { RPC_ERROR } from './protocol.ts';
import type { RequestId, RpcErrorObject } from './protocol.ts';

/** What a line turned out to be. */
export type Incoming =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'response'; readonly id: unknown; readonly result: unknown; readonly error: unknown }
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly error: RpcErrorObject }
  | { readonly kind: 'blank' };

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** Reads one line. Never throws; an id that cannot be told for certain is null, never invented. */
export function parseMessage(bytes: Uint8Array): Incoming {
  let text: string;
  try {
    text = UTF_8.decode(bytes);
  } catch {
    return invalid(null, RPC_ERROR.parse, 'Parse error: the line is not UTF-8.');
  }
  if (text.trim() === '') return { kind: 'blank' };
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return invalid(null, RPC_ERROR.parse, 'Parse error: the line is not JSON.');
  }
  return classify(message);
}

function classify(message: unknown): Incoming {
  if (Array.isArray(message)) {
    return invalid(
      null,
      RPC_ERROR.invalidRequest,
      'Invalid request: batches are not served; send one message a line.',
    );
  }
  if (typeof message !== 'object' || message === null) {
    return invalid(null, RPC_ERROR.invalidRequest, 'Invalid request: expected a JSON object.');
  }
  const own = (key: string): unknown => (Object.hasOwn(message, key) ? Reflect.get(message, key) : undefined);
  const id = own('id');
  const method = own('method');
  const knownId = isRequestId(id) ? id : null;
  if (method === undefined && (Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error'))) {
    return { kind: 'response', id, result: own('result'), error: own('error') };
  }
  if (id !== undefined && knownId === null) {
    return invalid(
      null,
      RPC_ERROR.invalidRequest,
      'Invalid request: the id must be text or a number that JSON carries exactly.',
    );
  }
  if (own('jsonrpc') !== '2.0')
    return invalid(knownId, RPC_ERROR.invalidRequest, 'Invalid request: "jsonrpc" must be "2.0".');
  if (typeof method !== 'string')
    return invalid(knownId, RPC_ERROR.invalidRequest, 'Invalid request: "method" must be text.');
  const params = own('params');
  return knownId === null
    ? { kind: 'notification', method, params }
    : { kind: 'request', id: knownId, method, params };
}

/** Whole numbers beyond 2^53 are read as a neighbour, which may be somebody else's id: they are none. */
function isRequestId(id: unknown): id is RequestId {
  if (typeof id === 'string') return true;
  return typeof id === 'number' && Number.isFinite(id) && Math.abs(id) <= Number.MAX_SAFE_INTEGER;
}

function invalid(id: RequestId | null, code: number, message: string): Incoming {
  return { kind: 'invalid', id, error: { code, message } };
}

export function requestLine(id: RequestId, method: string, params: unknown): string {
  return line({ id, method, params });
}

export function notificationLine(method: string, params: unknown): string {
  return line({ method, params });
}

export function resultLine(id: RequestId, result: unknown): string {
  return line({ id, result });
}

export function errorLine(id: RequestId | null, error: RpcErrorObject): string {
  return line({ id, error });
}

function line(body: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...body })}\n`;
}
