/** Which headers an application chose, and which its transport added (pins.md, request header). */

type Header = readonly [name: string, value: string];

const TRANSPORT = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
]);

/** What `fetch` sets when the application is silent. */
const FETCH_DEFAULTS: Readonly<Record<string, string>> = {
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
};

/** Whether the transport, not the application, is behind a header. */
export function isTransportHeader([name, value]: Header): boolean {
  const lower = name.toLowerCase();
  return TRANSPORT.has(lower) || lower.startsWith('proxy-') || FETCH_DEFAULTS[lower] === value;
}

/** Both kinds, each in the order received. */
export function splitHeaders(headers: readonly Header[]): {
  readonly application: Header[];
  readonly transport: Header[];
} {
  return {
    application: headers.filter((header) => !isTransportHeader(header)),
    transport: headers.filter(isTransportHeader),
  };
}

/** Values of a header, whatever the case of its name. */
export function headerValues(headers: readonly Header[], name: string): string[] {
  return headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
}

/** Headers that carry keys. */
export const CREDENTIAL_HEADERS: readonly string[] = [
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
];

/** The key in such a header's value. */
export function credentialOf(value: string): string {
  return value.replace(/^Bearer\s+/i, '').trim();
}

/** Whether a request carries a credential that is not the key handed out. */
export function carriesForeignCredential(headers: readonly Header[], apiKey: string): boolean {
  return CREDENTIAL_HEADERS.flatMap((name) => headerValues(headers, name))
    .map(credentialOf)
    .some((value) => value !== '' && value !== apiKey);
}
